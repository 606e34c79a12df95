package histories

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// ofConnections are the hidden steps that end or complete requests. Those of one whose peer the trace does not record may be the peer's doing.
var ofConnections = []model.Name{model.ConnectionLost, model.HwIndicate, model.Deliver, model.Execute, model.Abort, model.Complete}

// wakes reports whether a call may give a provider at rest something to do on a connection.
func wakes(call *trace.Event) bool {
	switch calls.KindOf(call) {
	case calls.PollCq, calls.ArmCq, calls.Callback, calls.ReadEvent, calls.Quiesce, calls.Placed:
		return false
	}
	return call.Fn != "ibv_ack_cq_events"
}

// plausible reports whether a hidden step that the parts of the contract allow is one of the whole: as in the runs that
// traces come from.
func (ref *referee) plausible(k config, a model.Action) bool {
	r := Run{c: ref.c, s: k.s}
	if ref.still && ref.c.Qps[a.Qp].Peer >= 0 && slices.Contains(ofConnections, a.Name) {
		return false
	}
	switch a.Name {
	case model.Complete:
		queue := k.s.Qps[a.Qp].Queue(a.Queue)
		return len(queue) == 0 || ref.placed[queue[0].Id] == nil
	case model.Execute:
		idle := k.s.Qps[a.Qp].State == model.Idle && ref.c.Qps[a.Qp].Peer >= 0
		return !idle && !(a.Outcome == model.SUCCESS && (r.needsPeer(a) || ref.isUnanswered(k.s, a)))
	case model.Overflow:
		return !r.idle(a.Cq) && r.waitsForRoom(a.Cq)
	case model.CqInternalError:
		return ref.fails[a.Cq]
	case model.ConnectionLost:
		peer := ref.c.Qps[a.Qp].Peer
		broken := peer >= 0 && k.s.Qps[peer].State != model.Idle && k.s.Qps[peer].State != model.Connected
		return peer < 0 || broken && ref.endsPeer(k, peer) || ref.losesRequest(k.s, a.Qp)
	}
	return true
}

// losesRequest reports whether a request of a queue pair is pending that is reported as cancelled: the loss of its connection may have cancelled it.
func (ref *referee) losesRequest(s model.State, qp int) bool {
	lost := func(q model.Request) bool {
		status := ref.told[q.Id]
		if point := ref.placed[q.Id]; point != nil {
			status = point.begin.Status
		}
		return q.Phase < model.Executed && status != "" && ref.tells(status, model.CANCELLED)
	}
	return ref.c.Dialect.LossCancels && (slices.ContainsFunc(s.Qps[qp].Initiator, lost) || slices.ContainsFunc(s.Qps[qp].Receive, lost))
}

// answered returns a state as the initiator queue of a queue pair sees it at a moment of rest: if the connection was lost at the other end, it was
// also lost at this one, so no send waits there for a receive.
func (ref *referee) answered(s model.State, qp int) model.State {
	peer := ref.c.Qps[qp].Peer
	if peer < 0 || !ref.c.Dialect.LossCancels || s.Qps[peer].State != model.Ended || s.Qps[qp].State != model.Connected && s.Qps[qp].State != model.Doubtful {
		return s
	}
	s.Qps = slices.Clone(s.Qps)
	s.Qps[qp].State = model.Ended
	return s
}

// isUnanswered reports whether a request reads or writes memory at the other end of a connection that was lost there, or where a disconnect has
// completed, or reads without a peer that answers (RES-14).
func (ref *referee) isUnanswered(s model.State, a model.Action) bool {
	at := mc.MemoryAt(ref.c, s, a)
	if at < 0 {
		return false
	}
	there := s.Qps[at].State
	return mc.IsUnanswered(ref.c, s, a) || ref.c.Dialect.LossCancels && ref.apart[at] && (there == model.Disconnected || there.Closing())
}

// closed returns the states after the close of a QP has completed: what it had not placed by then it never will (LIFE-07), and what it had
// stays or vanishes (A21).
func (ref *referee) closed(s model.State, qp int) []model.State {
	s.Qps = slices.Clone(s.Qps)
	s.Qps[qp].Initiator, s.Qps[qp].Receive = nil, nil
	dropped, _ := ref.c.Step(s, model.Action{Name: model.NdkCloseCompletionEnter, Qp: qp, Manner: model.Manner{Dropped: true}})
	all := append(dropped, s)
	for i := range all {
		all[i].Qps = slices.Clone(all[i].Qps)
		all[i].Qps[qp].State = model.QpClosed
	}
	return all
}

// lost returns the states after an attempt to connect has failed: a connection that it had made is lost.
func (ref *referee) lost(s model.State, qp int) []model.State {
	switch s.Qps[qp].State {
	case model.Connected, model.Doubtful, model.Broken: // what failed meanwhile has not made it last longer
		next, _ := ref.c.Step(s, model.Action{Name: model.ConnectionLost, Qp: qp})
		return next
	}
	return []model.State{s}
}

// turns returns the callbacks of a CQ that the provider may have begun from the event at on, where the consumer records their
// entries: since the return of the callback before, where callbacks are serialised, and else since the beginning.
func (ref *referee) turns(cq string, at int) []*interval {
	if !ref.consumer {
		return nil
	}
	var all []*interval
	for _, s := range ref.spans {
		if s.kind != calls.Callback || s.begin.Cq != cq {
			continue
		}
		from := 0
		for _, other := range ref.spans {
			if ref.c.Dialect.Serialised && other.kind == calls.Callback && other.begin.Cq == cq && other.ret < s.call {
				from = max(from, other.ret)
			}
		}
		if from == at {
			all = append(all, s)
		}
	}
	return all
}

// places returns the states in which a completion is placed that a point tells of.
func (ref *referee) places(s model.State, point *interval) []model.State {
	id := idOf(point.begin.Wr)
	p := ref.posts[id]
	queue, cq := s.Qps[p.qp].Queue(p.request.Op.Queue()), index(point.begin.Cq)
	if len(queue) == 0 || queue[0].Id != id {
		return nil
	}
	next, _ := ref.c.Step(s, model.Action{Name: model.Complete, Qp: p.qp, Queue: p.request.Op.Queue(), Token: model.NoToken})
	return slices.DeleteFunc(next, func(s model.State) bool {
		entries := s.Cqs[cq].Entries
		if len(entries) == 0 {
			return true
		}
		c := entries[len(entries)-1]
		return c.Request != id || !ref.tells(point.begin.Status, c.Status) ||
			p.request.Op == model.ReceiveOp && point.begin.Solicited != nil && c.Solicited != *point.begin.Solicited
	})
}

// moment is what the entry and the return of a callback do.
func (ref *referee) moment(s model.State, of *interval, enter bool) []model.State {
	a := model.Action{Cq: 0}
	switch {
	case of.kind == calls.CloseDone && !enter:
		return []model.State{s}
	case of.fn == "NdkRequestCompletion":
		return ref.resized(s, of, enter)
	case of.kind == calls.CloseDone:
		a.Name = model.NdkCloseCompletion
		for _, call := range ref.spans {
			if call.begin.Op != of.begin.For {
				continue
			}
			if call.kind == calls.CloseQp {
				return ref.closed(s, index(call.begin.Qp))
			}
			a.Cq = index(call.begin.Cq)
		}
	case enter:
		a.Name, a.Cq = model.NdkCqNotificationCallbackEnter, index(of.begin.Cq)
		a.CqStatus, _ = calls.HealthOf(of.begin.Status)
	case !ref.c.Dialect.Serialised:
		return []model.State{s}
	default:
		a.Name, a.Cq = model.NdkCqNotificationCallbackExit, index(of.begin.Cq)
	}
	next, _ := ref.c.Step(s, a)
	return next
}

// receivesBeforeConnect reports whether a receive of a queue pair was called before the first connect behind an event that succeeded had returned.
func (ref *referee) receivesBeforeConnect(qp string, behind int) bool {
	for _, s := range ref.spans {
		switch {
		case s.begin.Qp != qp:
		case s.fn == "NdkReceive":
			return true
		case s.kind == calls.ConnectQp && s.call > behind && s.returned() && s.succeeded() && !s.pending():
			return false
		}
	}
	return false
}

// effect is what a call does, given what it returned.
func (ref *referee) effect(s model.State, of *interval) []model.State {
	e := of.begin
	a := model.Action{}
	if e.Cq != "" {
		a.Cq = index(e.Cq)
	}
	if e.Qp != "" {
		a.Qp = index(e.Qp)
	}
	switch of.kind {
	case calls.Callback:
		return ref.moment(s, of, true)
	case calls.ConnectQp:
		if of.returned() && !of.succeeded() {
			after, refused := afterFailedConnect(ref.c, s, a.Qp), calls.MadeNoConnection(of.end.Status)
			if refused && !ref.receivesBeforeConnect(e.Qp, of.call) {
				return after[:1]
			}
			if len(after) > 1 && !refused { // it may have made a connection, which is lost by its return
				made, _ := ref.c.Step(s, model.Action{Name: model.NdkConnect, Qp: a.Qp})
				after = append(after, made...)
			}
			return after
		}
		if again, ended := s.ConnectAgain(ref.c.Dialect, a.Qp); ended && !of.verbs() {
			return []model.State{again}
		}
		a.Name = model.NdkConnect
	case calls.Post:
		wr := e.Wr
		if len(e.Wrs) > 0 {
			wr = e.Wrs[0].Wr
		}
		p := ref.posts[ref.ids[wr]]
		a.Name, a.Request, a.Queue, a.Deferred = model.Post, p.request, p.request.Op.Queue(), p.deferred
		if !ref.accepted(of) {
			a.Name = model.PostRefused
		}
	case calls.ArmCq:
		a.Name = model.NdkArmCq
		a.Type, _ = calls.ArmOf(e)
	case calls.PollCq:
		if !of.returned() {
			return nil
		}
		a.Name, a.N, a.K = model.NdkGetCqResults, int(*e.N), len(of.end.Results)
		entries := s.Cqs[a.Cq].Entries
		for i, result := range of.end.Results {
			if i >= len(entries) || entries[i].Request != ref.ids[result.Wr] || !ref.tells(result.Status, entries[i].Status) {
				return nil
			}
		}
	case calls.ResizeCq:
		return ref.resize(s, of)
	case calls.FlushQp:
		if a.Name = model.NdkFlush; of.fn == "NdkDisconnect" {
			a.Name = model.NdkDisconnect
		}
	case calls.CloseQp:
		a.Name = model.NdkCloseQp
	case calls.CloseCq:
		a.Name = model.NdkCloseCq
		next, _ := ref.c.Step(s, a)
		if of.pending() || len(next) == 0 {
			return next
		}
		a.Name = model.NdkCloseCompletion
		next, _ = ref.c.Step(next[0], a)
		return next
	case calls.ReadEvent:
		if !of.returned() {
			return nil
		}
		a.Name, a.Cq = model.NdkCqNotificationCallbackEnter, index(of.end.Cq)
	default: // the creation of an object
		return []model.State{s}
	}
	next, _ := ref.c.Step(s, a)
	return next
}

// tells reports whether a poll may report an outcome so. Some verbs devices report the failure itself as flushed.
func (ref *referee) tells(status string, outcome model.Outcome) bool {
	told := calls.OutcomeOf(status)
	return told == outcome || ref.c.Dialect.FailsAsFlushed && !ref.blame && told == model.CANCELLED && outcome == model.FAILED
}
