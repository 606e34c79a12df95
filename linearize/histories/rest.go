package histories

import (
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// Report enters the callbacks that report internal errors: without them a judge cannot know.
func (r *Run) Report() {
	for i := range r.s.Cqs {
		for r.s.Cqs[i].ErrorDue && r.s.Cqs[i].Health == model.InternalError {
			for _, f := range slices.Clone(r.running) {
				if f.cq == i && r.c.Dialect.Serialised {
					r.returns(f)
				}
			}
			r.enter(i, model.InternalError)
			if f := r.running[len(r.running)-1]; f.effect != nil {
				r.effect(f)
			}
		}
	}
}

func (r *Run) returns(f *inFlight) {
	if f.effect != nil {
		r.onCallback(f)
	}
	r.onCallback(f)
}

// Rest lets every call return, and the provider do all that it owes, and says so.
func (r *Run) Rest() {
	for _, f := range slices.Clone(r.open) {
		if f.effect != nil && r.blocks(f) {
			continue
		}
		if f.effect != nil {
			r.effect(f)
		}
		if r.mayReturn(f) {
			r.finish(f)
		}
	}
	for i, p := range r.s.Qps {
		if peer := r.c.Qps[i].Peer; p.State == model.Idle && peer >= 0 && r.s.Qps[peer].State != model.Idle && !r.ended["connect "+QpName(i)] && !r.ended[QpName(i)] {
			r.connect(i)
			r.effect(r.open[len(r.open)-1])
			r.finish(r.open[len(r.open)-1])
		}
	}
	r.closeQps()
	for steps := 0; r.owes() && steps < 1000; steps++ {
		r.closeQps()
	}
	r.Event(trace.Point, "", "quiesce", trace.Event{})
	r.still = !slices.ContainsFunc(r.open, func(f *inFlight) bool { return wakes(&trace.Event{Ph: trace.Call, Fn: f.fn, State: f.call.State}) })
}

// owes does one thing that the provider owes, and reports whether there was one.
func (r *Run) owes() bool {
	for _, f := range r.running {
		r.returns(f)
		return true
	}
	for _, f := range r.open {
		if f.fn == "ibv_destroy_qp" && r.mayReturn(f) {
			r.finish(f)
			return true
		}
	}
	for i, q := range r.s.Cqs {
		if q.Resize == model.ResizeAsked {
			r.take(model.Action{Name: model.Resize, Cq: i})
			return true
		}
		if r.isResized(i) {
			r.resized(i)
			return true
		}
		if q.Open == model.Closing {
			r.closed(i)
			return true
		}
		if q.Open == model.Closed {
			continue
		}
		if r.c.Dialect.EventsAreRead {
			for _, f := range r.open {
				if f.fn == "ibv_get_cq_event" && slices.Contains(r.readers(f.cq), i) && f.effect != nil && !r.blocks(f) {
					r.effect(f)
					r.finish(f)
					return true
				}
			}
			continue
		}
		if q.Due > 0 && (len(q.Entries) > 0 || r.c.Dialect.A6 != model.A6Never) {
			r.enter(i, model.OK)
			return true
		}
		if q.ErrorDue {
			r.enter(i, q.Health)
			return true
		}
	}
	var due []model.Action
	for _, a := range r.hidden() {
		switch a.Name {
		case model.Complete, model.Deliver, model.Abort, model.Overflow:
			due = append(due, a)
		case model.Execute:
			over := a.Outcome == model.CANCELLED && !r.c.Dialect.MayWait(r.s.Qps[a.Qp].State, r.c.Qps[a.Qp].Type, a.Queue)
			if a.Queue == model.Initiator && !r.waits(a.Qp) || over {
				due = append(due, a)
			}
		}
	}
	if len(due) == 0 {
		return false
	}
	r.step(due[r.draw(len(due), "due")])
	return true
}

// waits reports whether the oldest request of the initiator queue waits for a receive: of a peer that lives, or of one that
// the trace does not have.
func (r *Run) waits(p int) bool {
	peer := r.c.Qps[p].Peer
	return r.c.Qps[p].Type.Promise().Delivers && r.s.Qps[p].State == model.Connected && (peer < 0 || r.s.Qps[peer].State == model.Connected) && r.sendIsNext(p)
}

// sendIsNext reports whether a send is the oldest request of the initiator queue that has no outcome.
func (r *Run) sendIsNext(p int) bool {
	for _, q := range r.s.Qps[p].Initiator {
		if q.Phase < model.Executed {
			return q.Op.IsSend() && q.Phase != model.Unacknowledged
		}
	}
	return false
}

// Drain polls every CQ until it is empty.
func (r *Run) Drain() {
	for i := range r.s.Cqs {
		for !r.ended[CqName(i)] {
			empty := len(r.s.Cqs[i].Entries) == 0
			r.poll(i)
			f := r.open[len(r.open)-1]
			r.effect(f)
			r.finish(f)
			if empty {
				break
			}
		}
	}
}
