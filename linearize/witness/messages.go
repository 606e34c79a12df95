package witness

import (
	"fmt"
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// Each message is received once, by a receive of the peer. If the trace has both ends of a connection, they are checked against each other.

// inbound has the messages on their way to the receives of a QP.
type inbound struct {
	sends             []*request // the peer's sends whose posts have been called
	sent              int        // how many of sends have been posted
	receives          []*request // the receives that the QP has posted
	taken             int        // receives that have been executed
	receivesSucceeded int        // receives that have been executed with success, each with a message of its own
	received          int        // receives that have been executed, and that the trace does not show to have taken no message
	arrived           int        // messages that are known to have arrived, among the first told sends
	told              int        // how many of sends arrived has counted
	nextReceive       int        // index of the first receive behind the one that the latest successful send went to
	posted            int        // receives whose post has returned and whose outcome the trace records: others may have failed
	unclear           bool       // a request failed, so it is not known which receive takes which send
}

// passPost handles the call, or the return, of a post that accepted q.
func (r *replay) passPost(q *request, ph trace.Phase) {
	peer := r.facts.contract.Qps[q.qp].Peer
	switch {
	case !q.accepted || peer < 0:
	case q.Op.IsSend() && ph == trace.Call:
		q.sent = len(r.inbound[peer].sends)
		r.inbound[peer].sends = append(r.inbound[peer].sends, q)
	case q.queue == model.Receive && ph == trace.Ret && q.told:
		r.inbound[q.qp].posted++
	}
}

// meets checks a request that succeeds against its counterpart: the message that a receive takes, or the receive that a send goes to. Both have been
// posted by then.
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
	in := &r.inbound[q.qp]
	switch {
	case in.receivesSucceeded >= in.sent:
		return fmt.Errorf("%s takes a message, and the peer has posted no send for it", q.wr)
	case in.unclear || in.sends[in.taken].failed: // it is not known which one it took
		if as, known := r.facts.solicitedBy(q, q.qp); known && s.Solicited != as {
			return fmt.Errorf("%s takes a message, and solicited is not as all are that the peer had sent", q.wr)
		}
	case s.Solicited != in.sends[in.taken].Solicit:
		return fmt.Errorf("%s takes the message of %s, and solicited is not as that was sent", q.wr, in.sends[in.taken].wr)
	case r.facts.followed && !in.sends[in.taken].names(s.Token):
		return fmt.Errorf("%s takes the message of %s, and the token is not as that was sent", q.wr, in.sends[in.taken].wr)
	}
	return nil
}

// names reports whether the message of a send invalidates the token, or no token if that is nil.
func (q *request) names(token *uint32) bool {
	if q.Op != model.SendAndInvalidate || q.token == nil || token == nil {
		return (q.Op != model.SendAndInvalidate || q.token == nil) && token == nil
	}
	return *q.token == *token
}

// arrivedBy returns how many messages are known to have arrived by a moment of rest, because the trace shows that their sends succeeded. Successive
// calls pass later moments.
func (in *inbound) arrivedBy(mark int) int {
	for ; in.told < len(in.sends); in.told++ {
		if send := in.sends[in.told]; !send.failed && (!send.told || send.delivered > mark) {
			break
		} else if !send.failed {
			in.arrived++
		}
	}
	return in.arrived
}

// reachesReceive finds the peer's receive for a send that succeeds: the next that may take a message.
func (r *replay) reachesReceive(send *request) error {
	peer := r.facts.contract.Qps[send.qp].Peer
	if r.state.Qps[peer].State == model.Idle {
		return fmt.Errorf("%s succeeds, and the peer is not connected", send.wr)
	}
	in := &r.inbound[peer]
	for ; in.nextReceive < len(in.receives); in.nextReceive++ {
		if r.facts.mayTake(in.receives[in.nextReceive], send) {
			in.nextReceive++
			return nil
		}
	}
	return fmt.Errorf("%s succeeds, and the peer has posted no receive for it", send.wr)
}

// mayTake reports whether a receive may take the message of a send: the receive has no other recorded outcome, and has not ended before the send was
// posted.
func (f *facts) mayTake(receive, send *request) bool {
	over := func(c *call) bool { return c.from > receive.post.to && f.succeededBy(c) < send.post.from }
	closed := f.closed[f.qps.list[receive.qp]]
	return !receive.failed && !slices.ContainsFunc(f.flushes[receive.qp], over) && (closed == nil || closed.to > send.post.from || f.mayStayOpen(closed))
}

// took records what a step did to requests and messages.
func (r *replay) took(s Step, a model.Action) {
	f := r.facts
	peer := f.contract.Qps
	switch s.Action {
	case model.Post:
		q, to := f.byWr[s.Wr], peer[a.Qp].Peer
		if q.queue == model.Receive {
			r.inbound[a.Qp].receives = append(r.inbound[a.Qp].receives, q)
		} else if q.Op.IsSend() && to >= 0 {
			r.inbound[to].sent++
		}
	case model.Complete:
		f.byWr[s.Wr].completed = true
	case model.Deliver:
		to := &r.inbound[peer[a.Qp].Peer]
		to.taken++
		to.receivesSucceeded++
		to.received++
	case model.Abort:
		r.inbound[a.Qp].unclear, r.inbound[peer[a.Qp].Peer].unclear = true, true
	case model.Execute:
		r.executed(f.byWr[s.Wr], a)
	case model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp:
		r.inbound[a.Qp].unclear = true
		if to := peer[a.Qp].Peer; to >= 0 {
			r.inbound[to].unclear = true
		}
	}
}

func (r *replay) executed(q *request, a model.Action) {
	to := r.facts.contract.Qps[q.qp].Peer
	switch {
	case q.queue == model.Receive:
		in := &r.inbound[q.qp]
		if in.taken < len(in.sends) && in.sends[in.taken].failed || a.Outcome != model.SUCCESS {
			in.unclear = true
		}
		if in.taken++; a.Outcome == model.SUCCESS {
			in.receivesSucceeded++
		}
		if !q.failed {
			in.received++
		}
	case q.Op.IsSend() && a.Outcome != model.SUCCESS && to >= 0:
		r.inbound[to].unclear = true
	}
}

// broke records the requests of a QP or of its peer that failed in a step, and so broke their QP.
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
