package witness

import (
	"fmt"
	"math"
	"slices"

	"ndkoracle/model"
)

// What the trace says beside the events of one call: when a completion was placed, what a poll delivered, and what must have come by a
// moment of rest.

// allowed checks a step against the facts that the model does not have. The error says what is wrong with the step.
func (r *replay) allowed(s Step, a model.Action) error {
	f := r.facts
	switch s.Action {
	case model.CqInternalError:
		if !f.fails[a.Cq] {
			return fmt.Errorf("no callback of %s reports an internal error", s.Cq)
		}
	case model.NdkGetCqResults:
		return r.delivers(s, a)
	case model.Post:
		if a.Queue == model.Initiator && (f.onlyFailedToConnect(s.Qp, r.behind()) || f.carriedNothing(a.Qp)) {
			return fmt.Errorf("%s is posted, and no attempt to connect %s had succeeded", s.Wr, s.Qp)
		}
	case model.Complete:
		if r.behind() >= f.closedBy(s.Qp) {
			return fmt.Errorf("%s completes, and the close of %s has completed", s.Wr, s.Qp)
		}
		if q := f.byWr[s.Wr]; q.placed >= 0 && q.placed != r.behind() {
			return fmt.Errorf("a point tells when %s completed, and this is not behind it", s.Wr)
		}
	case model.CompletionLost:
		if f.byWr[s.Wr].told {
			return fmt.Errorf("%s has a completion, which is not lost", s.Wr)
		}
	case model.Execute:
		if a.Outcome == model.SUCCESS && f.onlyRefusedToConnect(s.Qp, r.behind()) {
			return fmt.Errorf("%s succeeds, and each attempt to connect %s was refused", s.Wr, s.Qp)
		}
		if a.Outcome == model.SUCCESS && f.contract.Qps[a.Qp].Peer >= 0 {
			return r.meets(s, a)
		}
	case model.Overflow:
		if !f.contract.WaitsForRoom(r.state, a.Cq) {
			return fmt.Errorf("%s overflows, and no completion waits for room in it", s.Cq)
		}
	case model.ConnectionLost:
		if f.lostFrom[a.Qp] > r.behind() {
			return fmt.Errorf("the connection of %s is lost, and nothing can have ended it yet", s.Qp)
		}
	case model.NdkCloseCompletion:
		return f.closesLast(s.Op, a.Cq)
	}
	return nil
}

// delivers checks what a poll returned against the oldest completions of its CQ.
func (r *replay) delivers(s Step, a model.Action) error {
	entries := r.state.Cqs[a.Cq].Entries
	for i, result := range r.facts.byOp[s.Op].end.Results {
		if i >= len(entries) {
			return fmt.Errorf("the poll returned %s, and %s holds no more than %d completions", result.Wr, s.Cq, len(entries))
		}
		entry := entries[i]
		q, told := r.facts.requests[entry.Request], outcomeOf(result.Status)
		typed := result.Type != "" && (entry.Status == model.SUCCESS || entry.Queue == model.Initiator)
		if entry.Type == model.ReceiveResult && result.Type == "ReceiveAndInvalidate" && result.Token == nil {
			typed = r.facts.contract.Qps[entry.Qp].Peer >= 0 // nothing shows which token a peer elsewhere has named
		}
		switch {
		case q.wr != result.Wr:
			return fmt.Errorf("the poll returned %s, and %s holds %s in its place", result.Wr, s.Cq, q.wr)
		case !q.endedAs(told, entry.Status):
			return fmt.Errorf("the poll returned %s with %s, and it completed with %v", result.Wr, result.Status, entry.Status)
		case result.Qp != "" && result.Qp != r.facts.qps.list[entry.Qp]:
			return fmt.Errorf("the poll returned %s for %s, and it was posted on %s", result.Wr, result.Qp, r.facts.qps.list[entry.Qp])
		case typed && result.Type != entry.Type.String():
			return fmt.Errorf("the poll returned %s as %s, and it completed as %v", result.Wr, result.Type, entry.Type)
		case entry.Token != model.NoToken && result.Token != nil && r.facts.tokens[*result.Token] != entry.Token:
			return fmt.Errorf("the poll returned %s with token %d, and its message invalidated another", result.Wr, *result.Token)
		}
	}
	return nil
}

// endedAs reports whether a request with one recorded outcome may have ended with another: some devices of libibverbs also report as flushed the
// request that broke the QP.
func (q *request) endedAs(told, ended model.Outcome) bool {
	return told == ended || isVerbs(q.post.begin.Fn) && told == model.CANCELLED && q.broke
}

// asPlaced checks the completion that a step has left against the point that tells of it, if one does.
func (r *replay) asPlaced(q *request, a model.Action) error {
	if q.placed < 0 {
		return nil
	}
	point, cq := r.facts.events[q.placed], r.facts.contract.Qps[a.Qp].Cq(a.Queue)
	entries := r.state.Cqs[cq].Entries
	if len(entries) == 0 || entries[len(entries)-1].Request != q.Id {
		return fmt.Errorf("a point tells that the completion of %s was placed, and it leaves none", q.wr)
	}
	switch entry, name := entries[len(entries)-1], r.facts.cqs.list[cq]; {
	case point.Cq != name:
		return fmt.Errorf("a point tells that %s completed into %s, and it completes into %s", q.wr, point.Cq, name)
	case !q.endedAs(outcomeOf(point.Status), entry.Status):
		return fmt.Errorf("a point tells that %s completed with %s, and it completed with %v", q.wr, point.Status, entry.Status)
	case a.Queue == model.Receive && entry.Status == model.SUCCESS && point.Solicited != nil && *point.Solicited != entry.Solicited:
		return fmt.Errorf("a point tells whether the message of %s was solicited, and it took another", q.wr)
	}
	return nil
}

// closedBy returns the index of the event that shows that the close of a QP has completed, or one behind all.
func (f *facts) closedBy(qp string) int {
	switch c := f.closed[qp]; {
	case c == nil:
	case c.pending() && f.answers[c.begin.Op] != nil:
		return f.answers[c.begin.Op].from
	case c.succeeded():
		return c.to
	}
	return math.MaxInt
}

// closesLast checks the close of a CQ, which an op completes, against those of its QPs: they have completed, and the callbacks that said so have
// returned (LIFE-04, LIFE-05).
func (f *facts) closesLast(op string, cq int) error {
	by := f.byOp[op]
	at := by.from
	if closesCq[by.begin.Fn] {
		at = by.to
	}
	for i, b := range f.contract.Qps {
		if b.InitiatorCq != cq && b.ReceiveCq != cq || f.succeededBy(f.created[i]) > at || at == len(f.events) {
			continue
		}
		c := f.closed[f.qps.list[i]]
		closing := c == nil || c.from > at
		if !closing && c.pending() {
			answer := f.answers[c.begin.Op]
			untold := answer == nil || answer.from > at
			closing = untold && c.to < at || !untold && answer.to > at
		}
		if closing {
			return fmt.Errorf("the close of %s completes before that of %s, which uses it", f.cqs.list[cq], f.qps.list[i])
		}
	}
	return nil
}

// rest reports what is owed at a moment of rest: a callback, or a completion that waits for the provider alone.
func (r *replay) rest(mark int) error {
	for i, q := range r.state.Cqs {
		name := r.facts.cqs.list[i]
		if q.Open == model.Closed || q.Running || !r.facts.waits(name, mark) {
			continue
		}
		if q.ErrorDue || q.Due > 0 && (len(q.Entries) > 0 || r.facts.contract.Dialect.A6 != model.A6Never) {
			return r.refuse("the provider is at rest, and a callback of %s is owed", name)
		}
	}
	for i, p := range r.state.Qps {
		binding := r.facts.contract.Qps[i]
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			if r.closes[i] || r.state.Cqs[binding.Cq(queue)].Health != model.OK {
				continue
			}
			requests := p.Queue(queue) // what is behind the first waits with it, if that does
			if len(requests) > 0 && !r.mayWait(requests[0], i, queue, mark) {
				return r.refuse("the provider is at rest, and the completion of %s is owed", r.facts.requests[requests[0].Id].wr)
			}
		}
	}
	return nil
}

// mayWait reports whether m, the first of a queue of a QP, may be there at rest: its post has not returned, or the post that ends its chain has not,
// or its peer may keep it waiting. A request that is over waits only for the provider, whichever step has ended it. But if its post has not returned
// and the trace does not show its outcome, its completion is not owed.
func (r *replay) mayWait(m model.Request, qp int, queue model.Queue, mark int) bool {
	q := r.facts.requests[m.Id]
	switch {
	case m.Phase >= model.Executed:
		return q.post.to >= mark && !q.told
	case q.post.to >= mark || m.Phase == model.Deferred || q.chainEnd != nil && q.chainEnd.to >= mark:
		return true
	case m.Phase == model.Unacknowledged || r.flushed(q, mark):
		return false
	case queue == model.Receive:
		return r.inbound[qp].arrivedBy(mark) <= r.inbound[qp].received
	}
	return r.lacksReceive(q, qp, mark)
}

// lacksReceive reports whether a pending request, or a send ahead of it, may wait for a receive that the peer has not posted, or that the trace does not
// record. It may also wait on a connection that has ended (A15), unless nothing succeeds there any more.
func (r *replay) lacksReceive(q *request, qp, mark int) bool {
	state, peer := r.state.Qps[qp].State, r.facts.contract.Qps[qp].Peer
	cancels := r.facts.contract.Dialect.A15 == model.A15Cancelled
	if peer >= 0 && r.facts.contract.Dialect.LossCancels && r.state.Qps[peer].State == model.Ended {
		return false // the connection was lost there, and so it was here
	}
	if q.told && (state == model.Flushed && cancels || state == model.Aborted) {
		return false
	}
	over := func(c *call) bool { return r.facts.succeededBy(c) < mark }
	if cancels && slices.ContainsFunc(r.facts.flushes[qp], over) {
		return false // what is posted behind a flush is also cancelled
	}
	apart := peer < 0 || state != model.Connected || r.state.Qps[peer].State != model.Connected
	send := q
	if !q.Op.IsSend() {
		send = q.behind
	}
	for ; send != nil && send.delivered > mark; send = send.behind {
		if apart || send.sent >= r.inbound[peer].posted {
			return true
		}
	}
	return false
}

// flushed reports whether a flush, called after the post of q had returned, was over.
func (r *replay) flushed(q *request, mark int) bool {
	return slices.ContainsFunc(r.facts.flushes[q.qp], func(c *call) bool { return c.from > q.post.to && r.facts.succeededBy(c) < mark })
}

// succeededBy returns the index of the event that shows that a call has succeeded, or one behind all.
func (f *facts) succeededBy(c *call) int {
	switch answer := f.answers[c.begin.Op]; {
	case c.succeeded():
		return c.to
	case c.pending() && answer != nil && reportsSuccess(answer):
		return answer.from
	}
	return math.MaxInt
}
