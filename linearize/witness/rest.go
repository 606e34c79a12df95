package witness

import (
	"fmt"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// What the trace says beside the events of one call: which message a receive took, when a completion was placed, what a poll
// delivered, and what must have come by a moment of rest.

// A lane is the messages on their way to the receives of a QP.
type lane struct {
	sends   []*request // of its peer, whose posts have been called
	taken   int        // receives that have been executed
	posted  int        // receives whose post has returned, and of which it is told how they ended: others may have failed
	unclear bool       // one of them failed, and from then on nobody knows which receive takes which send
}

// passPost follows the call, or the return, of a post that took q.
func (r *replay) passPost(q *request, ph trace.Phase) {
	peer := r.facts.contract.Qps[q.qp].Peer
	switch {
	case !q.accepted || peer < 0:
	case q.Op.IsSend() && ph == trace.Call:
		q.sent = len(r.lanes[peer].sends)
		r.lanes[peer].sends = append(r.lanes[peer].sends, q)
	case q.queue == model.Receive && ph == trace.Ret && q.told:
		r.lanes[q.qp].posted++
	}
}

// allowed holds a step against what the model does not know. The error says what is wrong with it.
func (r *replay) allowed(s Step, a model.Action) error {
	f := r.facts
	switch s.Action {
	case model.CqInternalError:
		if !f.fails[a.Cq] {
			return fmt.Errorf("no callback of %s reports an internal error", s.Cq)
		}
	case model.NdkGetCqResults:
		return r.delivers(s, a)
	case model.Complete:
		if q := f.byWr[s.Wr]; q.placed >= 0 && q.placed != r.behind() {
			return fmt.Errorf("a point tells when %s completed, and this is not behind it", s.Wr)
		}
	case model.CompletionLost:
		if f.byWr[s.Wr].told {
			return fmt.Errorf("%s has a completion, which is not lost", s.Wr)
		}
	case model.Execute:
		if a.Queue != model.Receive || a.Outcome != model.SUCCESS || f.contract.Qps[a.Qp].Peer < 0 {
			return nil
		}
		lane, all := &r.lanes[a.Qp], f.sendsTo[a.Qp]
		switch {
		case !lane.unclear && lane.taken >= len(lane.sends):
			return fmt.Errorf("%s takes a message, and no send of the peer has been called for it", s.Wr)
		case lane.unclear || lane.taken < len(all) && all[lane.taken].failed: // nobody knows which one it took
			if solicited, known := f.solicitedBy(f.byWr[s.Wr], a.Qp); known && s.Solicited != solicited {
				return fmt.Errorf("%s takes a message, and solicited is not as all are that the peer had sent", s.Wr)
			}
		case s.Solicited != lane.sends[lane.taken].Solicit:
			return fmt.Errorf("%s takes the message of %s, and solicited is not as that was sent", s.Wr, lane.sends[lane.taken].wr)
		}
	}
	return nil
}

// delivers holds what a poll returned against the oldest completions of its CQ.
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
			typed = r.facts.contract.Qps[entry.Qp].Peer >= 0 // nothing tells which token a peer elsewhere has named
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

// endedAs reports whether a request that is told to have ended one way may have ended another: some devices of libibverbs report
// as flushed the request that broke the QP, too.
func (q *request) endedAs(told, ended model.Outcome) bool {
	return told == ended || isVerbs(q.post.begin.Fn) && told == model.CANCELLED && q.broke
}

// asPlaced holds the completion that a step has left against the point that tells of it, if one does.
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

// took follows what a step did to requests and messages.
func (r *replay) took(s Step, a model.Action) {
	f := r.facts
	peer := f.contract.Qps
	switch s.Action {
	case model.Complete:
		f.byWr[s.Wr].completed = true
	case model.Deliver:
		r.lanes[peer[a.Qp].Peer].taken++
	case model.Abort:
		r.lanes[a.Qp].unclear, r.lanes[peer[a.Qp].Peer].unclear = true, true
	case model.Execute:
		r.executed(f.byWr[s.Wr], a)
	case model.NdkFlush, model.NdkCloseQp:
		r.lanes[a.Qp].unclear = true
		if to := peer[a.Qp].Peer; to >= 0 {
			r.lanes[to].unclear = true
		}
	}
}

func (r *replay) executed(q *request, a model.Action) {
	to := r.facts.contract.Qps[q.qp].Peer
	switch {
	case q.queue == model.Receive:
		lane := &r.lanes[q.qp]
		if lane.taken < len(lane.sends) && lane.sends[lane.taken].failed || a.Outcome != model.SUCCESS {
			lane.unclear = true
		}
		lane.taken++
	case q.Op.IsSend() && a.Outcome != model.SUCCESS && to >= 0:
		r.lanes[to].unclear = true
	}
}

// rest reports what is owed at a moment of rest: a callback, or a completion that waits for nobody but the provider.
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

// mayWait reports whether m, the first of a queue of a QP, may be there at rest: its post has not returned, its chain is open, or its
// peer may keep it waiting. One that is over waits for nobody, whichever step has ended it; but of one whose post has not returned, and of which
// nothing is told, nobody misses the completion.
func (r *replay) mayWait(m model.Request, qp int, queue model.Queue, mark int) bool {
	q := r.facts.requests[m.Id]
	switch {
	case m.Phase >= model.Executed:
		return q.post.to >= mark && !q.told
	case q.post.to >= mark || m.Phase == model.Deferred:
		return true
	case m.Phase == model.Unacknowledged || r.flushed(q, mark):
		return false
	}
	return queue == model.Receive || r.lacksReceive(q, qp, mark)
}

// lacksReceive reports whether a request that is pending may wait, or a send before it, for a receive that the peer has not posted, or of
// which the trace does not tell. So it may on a connection that has ended (A15), unless nothing succeeds there any more.
func (r *replay) lacksReceive(q *request, qp, mark int) bool {
	state, peer := r.state.Qps[qp].State, r.facts.contract.Qps[qp].Peer
	if q.told && (state == model.Flushed || state == model.Aborted) {
		return false
	}
	apart := peer < 0 || state != model.Connected || r.state.Qps[peer].State != model.Connected
	send := q
	if !q.Op.IsSend() {
		send = q.behind
	}
	for ; send != nil && send.delivered > mark; send = send.behind {
		if apart || send.sent >= r.lanes[peer].posted {
			return true
		}
	}
	return false
}

// flushed reports whether a flush, called after the post of q had returned, was over.
func (r *replay) flushed(q *request, mark int) bool {
	for _, c := range r.facts.flushes[q.qp] {
		if c.from > q.post.to && c.to < mark && c.succeeded() {
			return true
		}
	}
	return false
}
