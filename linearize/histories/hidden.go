package histories

import (
	"slices"

	"ndkoracle/internal/notation"
	"ndkoracle/model"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

var weights = map[model.Name]int{model.Complete: 8, model.Execute: 3, model.Deliver: 6, model.Abort: 1, model.Overflow: 1,
	model.CqInternalError: 1, model.ConnectionLost: 1, model.HwIndicate: 2, model.ExtraEvent: 1, model.Resize: 3}

// hidden lists the hidden steps that are possible and that a judge is to allow for.
func (r *Run) hidden() []model.Action {
	if r.steps == nil {
		r.steps = slices.DeleteFunc(r.c.Actions(model.Domain{Places: 5}), func(a model.Action) bool { return weights[a.Name] == 0 })
	}
	var possible []model.Action
	for _, a := range r.steps {
		if !r.futile(a) {
			if _, refusal := r.c.Step(r.s, a); refusal == nil {
				possible = append(possible, a)
			}
		}
	}
	return possible
}

// futile reports whether a hidden step, possible or not, is none that a judge is to allow for.
func (r *Run) futile(a model.Action) bool {
	if r.still && r.c.Qps[a.Qp].Peer >= 0 && slices.Contains(ofConnections, a.Name) {
		return true
	}
	switch a.Name {
	case model.Deliver, model.Abort:
		latest := len(r.requests) - 1
		return r.isUnusable(a.Qp, latest) || r.isUnusable(r.c.Qps[a.Qp].Peer, latest)
	case model.Execute: // nothing happens to a QP that was never connected
		if queue := r.s.Qps[a.Qp].Queue(a.Queue); a.Outcome == model.SUCCESS && a.At < len(queue) && r.isUnusable(a.Qp, queue[a.At].Id) {
			return true
		}
		return r.s.Qps[a.Qp].State == model.Idle || a.Outcome == model.SUCCESS && (r.needsPeer(a) || r.isUnanswered(a)) ||
			a.Outcome != model.CANCELLED && a.Queue == model.Receive && !r.hasMessage(a.Qp)
	case model.Overflow:
		return r.idle(a.Cq) || !r.waitsForRoom(a.Cq)
	case model.CqInternalError: // the judge has to be told
		q := r.s.Cqs[a.Cq]
		return r.idle(a.Cq) || !r.c.Dialect.ErrorsArm || q.Arm == model.NONE || q.Open != model.Open || r.ended[CqName(a.Cq)]
	case model.ConnectionLost:
		peer := r.c.Qps[a.Qp].Peer
		return peer >= 0 && !r.broken[peer] && !r.lossy
	}
	return false
}

// isUnanswered reports whether a request reads or writes memory at the other end of a connection that was lost there, or disconnected, or reads from a
// closed queue pair, which does not answer (RES-14).
func (r *Run) isUnanswered(a model.Action) bool {
	at := mc.MemoryAt(r.c, r.s, a)
	if at < 0 {
		return false
	}
	there, reads := r.s.Qps[at].State, r.s.Qps[a.Qp].Initiator[a.At].Op == model.Read
	return mc.IsUnanswered(r.c, r.s, a) || reads && r.isClosed(at) || there == model.Disconnected || r.apart[at] && there.Closing()
}

// isUnusable reports whether a request was posted on a QP after an error had made that unusable: it does not succeed (ARM-18).
func (r *Run) isUnusable(qp, request int) bool {
	from, told := r.unusable[qp]
	return told && from <= request
}

// needsPeer reports whether a request that is executed is half of a message, the trace holds the other half, and they have not
// met.
func (r *Run) needsPeer(a model.Action) bool {
	if !r.c.Qps[a.Qp].Type.Promise().Delivers {
		return false // it sends into the void
	}
	if r.c.Qps[a.Qp].Peer < 0 || a.Queue == model.Receive {
		return r.c.Qps[a.Qp].Peer >= 0
	}
	queue := r.s.Qps[a.Qp].Initiator
	return a.At < len(queue) && queue[a.At].Op.IsSend() && queue[a.At].Phase != model.Unacknowledged
}

// hasMessage reports whether the peer has sent something for the oldest receive without an outcome.
func (r *Run) hasMessage(p int) bool {
	peer := r.c.Qps[p].Peer
	return peer < 0 || r.received[p] < r.sends[peer]
}

// idle reports whether a QP that completes into the CQ has not been connected.
func (r *Run) idle(cq int) bool {
	for i, b := range r.c.Qps {
		if (b.InitiatorCq == cq || b.ReceiveCq == cq) && r.s.Qps[i].State == model.Idle {
			return true
		}
	}
	return false
}

// waitsForRoom reports whether a completion is about to be placed in the CQ.
func (r *Run) waitsForRoom(cq int) bool {
	for i, p := range r.s.Qps {
		b := r.c.Qps[i]
		if b.InitiatorCq == cq && waitsForRoom(p.Initiator) || b.ReceiveCq == cq && waitsForRoom(p.Receive) {
			return true
		}
	}
	return false
}

func waitsForRoom(queue []model.Request) bool {
	return len(queue) > 0 && queue[0].Phase >= model.Executed && !(queue[0].Silent && queue[0].Phase == model.Executed)
}

// step performs a hidden step. The recorder may record a completion as a point.
func (r *Run) step(a model.Action) {
	if a.Name != model.Complete || !r.points {
		r.take(a)
		return
	}
	b := r.c.Qps[a.Qp]
	cq := b.InitiatorCq
	if a.Queue == model.Receive {
		cq = b.ReceiveCq
	}
	before := len(r.s.Cqs[cq].Entries)
	r.take(a)
	if entries := r.s.Cqs[cq].Entries; len(entries) > before {
		c := entries[before]
		r.Event(trace.Point, "", "CqePlaced", trace.Event{Cq: CqName(cq), Wr: wrName(c.Request), Status: r.status(c.Status),
			Solicited: notation.Bool(c.Solicited)})
	}
}

func (r *Run) status(o model.Outcome) string {
	if r.verbs() {
		return [...]string{"IBV_WC_SUCCESS", "IBV_WC_REM_ACCESS_ERR", "IBV_WC_WR_FLUSH_ERR"}[o]
	}
	return [...]string{"STATUS_SUCCESS", "STATUS_ACCESS_VIOLATION", "STATUS_CANCELLED"}[o]
}
