package witness

import (
	"fmt"
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// Each message is received once, by a receive of the peer: where the trace holds both ends of a connection, the one is held against the other.

// A lane is the messages on their way to the receives of a QP.
type lane struct {
	sends    []*request // of its peer, whose posts have been called
	sent     int        // … of which so many have been posted
	receives []*request // of the QP, which have been posted
	taken    int        // receives that have been executed
	brought  int        // … with success: each of a message of its own
	received int        // receives that have been executed, and that nothing tells to have taken no message
	arrived  int        // messages that are known to have arrived, of the sends …
	told     int        // … up to this one
	met      int        // receives up to the one that the latest send to have succeeded went to
	posted   int        // receives whose post has returned, and of which it is told how they ended: others may have failed
	unclear  bool       // one of them failed, and from then on nobody knows which receive takes which send
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

// meets holds a request that succeeds against its counterpart: the message that a receive takes, the receive that a send goes to. Both have
// been posted by then.
func (r *replay) meets(s Step, a model.Action) error {
	q := r.facts.byWr[s.Wr]
	switch {
	case a.Queue == model.Receive:
		return r.takesMessage(q, s)
	case q.Op.IsSend():
		return r.reachesReceive(q)
	}
	return nil
}

func (r *replay) takesMessage(q *request, s Step) error {
	lane := &r.lanes[q.qp]
	switch {
	case lane.brought >= lane.sent:
		return fmt.Errorf("%s takes a message, and the peer has posted no send for it", q.wr)
	case lane.unclear || lane.sends[lane.taken].failed: // nobody knows which one it took
		if as, known := r.facts.solicitedBy(q, q.qp); known && s.Solicited != as {
			return fmt.Errorf("%s takes a message, and solicited is not as all are that the peer had sent", q.wr)
		}
	case s.Solicited != lane.sends[lane.taken].Solicit:
		return fmt.Errorf("%s takes the message of %s, and solicited is not as that was sent", q.wr, lane.sends[lane.taken].wr)
	case r.facts.followed && !lane.sends[lane.taken].names(s.Token):
		return fmt.Errorf("%s takes the message of %s, and the token is not as that was sent", q.wr, lane.sends[lane.taken].wr)
	}
	return nil
}

// names reports whether the message of a send makes a token invalid, or none where that is nil.
func (q *request) names(token *uint32) bool {
	if q.Op != model.SendAndInvalidate || q.token == nil || token == nil {
		return (q.Op != model.SendAndInvalidate || q.token == nil) && token == nil
	}
	return *q.token == *token
}

// arrivedBy returns how many messages are known to have arrived by a moment of rest, later than those asked of before: their sends were told to
// have succeeded.
func (l *lane) arrivedBy(mark int) int {
	for ; l.told < len(l.sends); l.told++ {
		if send := l.sends[l.told]; !send.failed && (!send.told || send.delivered > mark) {
			break
		} else if !send.failed {
			l.arrived++
		}
	}
	return l.arrived
}

// reachesReceive finds the receive of the peer that a send goes to which succeeds: the next that may take a message.
func (r *replay) reachesReceive(send *request) error {
	peer := r.facts.contract.Qps[send.qp].Peer
	if r.state.Qps[peer].State == model.Idle {
		return fmt.Errorf("%s succeeds, and the peer is not connected", send.wr)
	}
	lane := &r.lanes[peer]
	for ; lane.met < len(lane.receives); lane.met++ {
		if r.facts.mayTake(lane.receives[lane.met], send) {
			lane.met++
			return nil
		}
	}
	return fmt.Errorf("%s succeeds, and the peer has posted no receive for it", send.wr)
}

// mayTake reports whether a receive may take the message of a send: it has not ended otherwise, as was told, or before that was posted.
func (f *facts) mayTake(receive, send *request) bool {
	over := func(c *call) bool { return c.from > receive.post.to && f.succeededBy(c) < send.post.from }
	closed := f.closed[f.qps.list[receive.qp]]
	return !receive.failed && !slices.ContainsFunc(f.flushes[receive.qp], over) && (closed == nil || closed.to > send.post.from || f.mayStayOpen(closed))
}

// took follows what a step did to requests and messages.
func (r *replay) took(s Step, a model.Action) {
	f := r.facts
	peer := f.contract.Qps
	switch s.Action {
	case model.Post:
		q, to := f.byWr[s.Wr], peer[a.Qp].Peer
		if q.queue == model.Receive {
			r.lanes[a.Qp].receives = append(r.lanes[a.Qp].receives, q)
		} else if q.Op.IsSend() && to >= 0 {
			r.lanes[to].sent++
		}
	case model.Complete:
		f.byWr[s.Wr].completed = true
	case model.Deliver:
		to := &r.lanes[peer[a.Qp].Peer]
		to.taken++
		to.brought++
		to.received++
	case model.Abort:
		r.lanes[a.Qp].unclear, r.lanes[peer[a.Qp].Peer].unclear = true, true
	case model.Execute:
		r.executed(f.byWr[s.Wr], a)
	case model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp:
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
		if lane.taken++; a.Outcome == model.SUCCESS {
			lane.brought++
		}
		if !q.failed {
			lane.received++
		}
	case q.Op.IsSend() && a.Outcome != model.SUCCESS && to >= 0:
		r.lanes[to].unclear = true
	}
}

// broke notes the requests that a step has let fail, of a QP or of its peer, and that broke theirs.
func (r *replay) broke(before model.State, qp int) {
	for _, i := range []int{qp, r.facts.contract.Qps[qp].Peer} {
		if i < 0 || before.Qps[i].State != model.Idle && before.Qps[i].State != model.Connected {
			continue
		}
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			for j, m := range r.state.Qps[i].Queue(queue) {
				if m.Phase == model.Executed+model.Phase(model.FAILED) && before.Qps[i].Queue(queue)[j].Phase < model.Executed {
					r.facts.requests[m.Id].broke = true
				}
			}
		}
	}
}
