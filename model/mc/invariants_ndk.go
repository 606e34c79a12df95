package mc

import (
	"slices"

	"ndkoracle/model"
)

// What must hold of the whole: Ndk.tla and MCNdk.tla.

// CqErrorBreaksQps: a QP that uses a failed CQ is not connected any more, nor can its initiator queue be resumed (ARM-18).
func CqErrorBreaksQps(m *Moment) bool {
	for i, b := range m.contract.Qps {
		for _, cq := range []int{b.InitiatorCq, b.ReceiveCq} {
			state := m.state.Qps[i].State
			if m.state.Cqs[cq].Health != model.OK && (inGoodOrder(state) || state == model.SendError) {
				return false
			}
		}
	}
	return true
}

// AntecedentClosesLast: a CQ is closed after every QP that uses it (LIFE-04, LIFE-05, LIFE-15).
func AntecedentClosesLast(m *Moment) bool {
	for i, b := range m.contract.Qps {
		for _, cq := range []int{b.InitiatorCq, b.ReceiveCq} {
			if m.contract.Composed && m.state.Cqs[cq].Open == model.Closed && m.state.Qps[i].State != model.QpClosed {
				return false
			}
		}
	}
	return true
}

// DeliveredOnce: no completion is delivered twice (POLL-04).
func DeliveredOnce(m *Moment) bool {
	for _, queues := range m.delivered {
		for _, ids := range queues {
			ids = slices.Sorted(slices.Values(ids))
			if len(slices.Compact(ids)) < len(ids) {
				return false
			}
		}
	}
	return true
}

// DeliveredInOrder: the completions of one queue are delivered in posting order, by whichever function (POLL-06, POLL-09).
func DeliveredInOrder(m *Moment) bool {
	for _, queues := range m.delivered {
		for _, ids := range queues {
			if m.contract.Dialect.A9 == model.A9Ordered && !slices.IsSorted(ids) {
				return false
			}
		}
	}
	return true
}

// InvalidForEitherPoll: a token that a completion carried is invalid, whichever function fetched it, until it is
// registered again (POLL-07).
func InvalidForEitherPoll(m *Moment) bool {
	for t, v := range m.state.Tokens {
		if v != model.Invalid && (m.fetched[0]|m.fetched[1])&(1<<t) != 0 {
			return false
		}
	}
	return true
}

// KnownIsExecuted: a request that the consumer considers complete has been executed, so its buffers are free (FLAG-03, POST-13). This relies on the
// order of completions (A9).
func KnownIsExecuted(m *Moment) bool {
	for p, qp := range m.state.Qps {
		for _, queue := range queues {
			for _, r := range qp.Queue(queue) {
				if m.contract.Dialect.A9 == model.A9Ordered && pending(r) && m.known(p, queue, r.Id) {
					return false
				}
			}
		}
	}
	return true
}

// QueueHasRoom: a queue never has more requests than places (POST-06).
func QueueHasRoom(m *Moment) bool {
	return m.queueDepth == 0 || !slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool {
		return max(len(p.Initiator), len(p.Receive)) > m.queueDepth
	})
}

// DeepCqHasRoom: a CQ as deep as all queues bound to it together does not overflow (POST-14).
func DeepCqHasRoom(m *Moment) bool {
	for i, q := range m.state.Cqs {
		bound := 0
		for _, b := range m.contract.Qps {
			for _, queue := range queues {
				if b.Cq(queue) == i {
					bound++
				}
			}
		}
		if m.queueDepth > 0 && m.contract.Depth[i] >= bound*m.queueDepth && q.Health == model.BufferOverflow {
			return false
		}
	}
	return true
}

// justLeft is JustLeft: the requests with an outcome that left a queue in this step.
func justLeft(before, after *Moment, p int, queue model.Queue) []model.Request {
	is := after.state.Qps[p].Queue(queue)
	return slices.DeleteFunc(slices.Clone(before.state.Qps[p].Queue(queue)), func(r model.Request) bool {
		return pending(r) || slices.ContainsFunc(is, func(still model.Request) bool { return still.Id == r.Id })
	})
}

// isResult is Result: what a request leaves in the CQ of its queue (RES-01, RES-02, RES-03, FLAG-01).
func isResult(c model.Completion, p int, queue model.Queue, r model.Request) bool {
	brought := r.Op == model.ReceiveOp && succeeded(r)
	solicited, token := brought && r.Solicit, model.NoToken
	if brought {
		token = r.Token
	}
	called := r.Op.String()
	switch {
	case r.Op == model.SendAndInvalidate:
		called = "Send"
	case r.Op == model.ReceiveOp && token != model.NoToken:
		called = "ReceiveAndInvalidate"
	}
	return c.Qp == p && c.Queue == queue && c.Request == r.Id && model.Executed+model.Phase(c.Status) == r.Phase &&
		c.Type.String() == called && c.Solicited == solicited && c.Token == token
}

// CompletionIsTrue: a completion placed in a CQ is of one request, which leaves its queue in the same step (POLL-05, RES-01, RES-02, RES-03).
func CompletionIsTrue(before, after *Moment, a model.Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if !placed || a.Name == model.Place {
			continue
		}
		told := false
		for p, b := range after.contract.Qps {
			for _, queue := range queues {
				told = told || b.Cq(queue) == i && slices.ContainsFunc(justLeft(before, after, p, queue), func(r model.Request) bool {
					return isResult(c, p, queue, r)
				})
			}
		}
		if !told {
			return false
		}
	}
	return true
}

// NoCompletionLost: when a request leaves its queue its completion is placed, unless it succeeded silently, the CQ has failed, or the QP is being
// closed (DEF-04, FLAG-02, A21).
func NoCompletionLost(before, after *Moment, _ model.Action) bool {
	for p, b := range after.contract.Qps {
		for _, queue := range queues {
			q := before.state.Cqs[b.Cq(queue)]
			_, placed := arrived(q, after.state.Cqs[b.Cq(queue)])
			closing := before.state.Qps[p].State == model.QpClosing && after.contract.Dialect.A21 != model.A21Kept
			for _, r := range justLeft(before, after, p, queue) {
				if !placed && !(r.Silent && succeeded(r)) && q.Health == model.OK && !closing {
					return false
				}
			}
		}
	}
	return true
}

// SilentSuccessLeavesNothing: when a silent request that succeeded leaves its queue, no completion is placed in a CQ (FLAG-01, A29).
func SilentSuccessLeavesNothing(before, after *Moment, _ model.Action) bool {
	for p, b := range before.contract.Qps {
		for _, queue := range queues {
			silent := slices.ContainsFunc(justLeft(before, after, p, queue), func(r model.Request) bool { return r.Silent && succeeded(r) })
			_, placed := arrived(before.state.Cqs[b.Cq(queue)], after.state.Cqs[b.Cq(queue)])
			if silent && placed && before.contract.Dialect.A29 == model.A29Silent {
				return false
			}
		}
	}
	return true
}

// OverflowHasCause: a CQ overflows only when one of its queues has a completion for it (ARM-16). It can be seen only where
// the QPs are in the state.
func OverflowHasCause(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if !before.contract.Composed || q.Health != model.OK || after.state.Cqs[i].Health != model.BufferOverflow {
			continue
		}
		cause := false
		for p, b := range before.contract.Qps {
			for _, queue := range queues {
				cause = cause || b.Cq(queue) == i && slices.ContainsFunc(before.state.Qps[p].Queue(queue), func(r model.Request) bool {
					return executed(r) && !(r.Silent && succeeded(r) && before.contract.Dialect.A29 == model.A29Silent)
				})
			}
		}
		if !cause {
			return false
		}
	}
	return true
}

// KeptOrDropped: when the close of a QP completes, its completions are kept or dropped as the reading demands (LIFE-10, A21).
func KeptOrDropped(before, after *Moment, a model.Action) bool {
	if a.Name != model.NdkCloseCompletionEnter {
		return true
	}
	for i, q := range after.state.Cqs {
		kept := slices.Equal(q.Entries, before.state.Cqs[i].Entries)
		gone := !slices.ContainsFunc(q.Entries, func(c model.Completion) bool { return c.Qp == a.Qp })
		if a21 := after.contract.Dialect.A21; a21 == model.A21Kept && !kept || a21 == model.A21Dropped && !gone {
			return false
		}
	}
	return true
}

// hadArrived is HadArrived: r, which got its outcome in this step, had arrived before.
func hadArrived(before *Moment, p int, r model.Request) bool {
	r.Phase = model.Unacknowledged
	return slices.Contains(before.state.Qps[p].Initiator, r)
}

// MessageIsReceived: a receive gets the solicit flag and the token of its message, and a message that succeeds was received (ARM-10, RES-02, RES-03).
// This can be checked only if the peer is in the state.
func MessageIsReceived(before, after *Moment, _ model.Action) bool {
	if !after.contract.Composed {
		return true
	}
	for p, b := range after.contract.Qps {
		if !b.Type.Promise().Delivers {
			continue
		}
		for _, m := range justArrived(before, after, p) {
			if !m.Op.IsSend() {
				continue
			}
			token := model.NoToken
			if m.Op == model.SendAndInvalidate {
				token = m.Token
			}
			if !slices.ContainsFunc(justExecuted(before, after, b.Peer, model.Receive), func(r model.Request) bool {
				return succeeded(r) && r.Solicit == m.Solicit && r.Token == token
			}) {
				return false
			}
		}
		for _, m := range justExecuted(before, after, p, model.Initiator) {
			state := after.state.Qps[p].State
			if m.Op.IsSend() && succeeded(m) && !hadArrived(before, p, m) && state != model.Aborted && state != model.QpClosing {
				return false
			}
		}
	}
	return true
}

// ReceiveHasMessage: a receive that succeeds is that of a message (POLL-05, RES-02). It can be seen only where the peer is in
// the state.
func ReceiveHasMessage(before, after *Moment, _ model.Action) bool {
	for p, b := range after.contract.Qps {
		if after.contract.Composed && b.Type.Promise().Delivers &&
			slices.ContainsFunc(justExecuted(before, after, p, model.Receive), succeeded) &&
			!slices.ContainsFunc(justArrived(before, after, b.Peer), func(m model.Request) bool { return m.Op.IsSend() }) {
			return false
		}
	}
	return true
}

// InvalidatedBeforePlaced: when a receive that carries a token succeeds, the step makes the token invalid, and the completion is placed later
// (INV-06, RES-09). Without a model of the peer, the token may already have been invalid.
func InvalidatedBeforePlaced(before, after *Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, model.Receive) {
			if !succeeded(r) || r.Token == model.NoToken {
				continue
			}
			if after.state.Tokens[r.Token] != model.Invalid || after.contract.Composed && before.state.Tokens[r.Token] == model.Invalid {
				return false
			}
		}
	}
	return true
}

// initiated calls check with every initiator request that got its outcome in this step and names a token, and with the token
// before and after; all have to be right.
func initiated(before, after *Moment, right func(p int, r model.Request, was, is model.Validity) bool) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, model.Initiator) {
			if r.Token != model.NoToken && !right(p, r, before.state.Tokens[r.Token], after.state.Tokens[r.Token]) {
				return false
			}
		}
	}
	return true
}

// LaterInvalidateFails: NdkInvalidate never succeeds for a token that is invalid already (POLL-08).
func LaterInvalidateFails(before, after *Moment, _ model.Action) bool {
	return initiated(before, after, func(_ int, r model.Request, was, is model.Validity) bool {
		return r.Op != model.Invalidate || !succeeded(r) || was != model.Invalid && is == model.Invalid
	})
}

// InvalidateFailsAsRead: NdkInvalidate of a dead token, with nothing ahead of it that would make the token valid, fails as the reading demands
// (POLL-08, A8).
func InvalidateFailsAsRead(before, _ *Moment, a model.Action) bool {
	if a.Request.Op != model.Invalidate || a.Request.Token == model.NoToken || a.Name != model.Post && a.Name != model.PostRefused {
		return true
	}
	dead := before.state.Tokens[a.Request.Token] == model.Invalid
	for _, r := range before.state.Qps[a.Qp].Initiator {
		revives := r.Op == model.FastRegister || r.Op == model.Bind
		dead = dead && !(revives && pending(r) && r.Token == a.Request.Token)
	}
	a8 := before.contract.Dialect.A8
	return !dead || !(a8 == model.A8Inline && a.Name == model.Post) && !(a8 == model.A8Completion && a.Name == model.PostRefused)
}

// RegistrationValidates: an invalid token stays invalid until its registration or binding succeeds, not until that is posted (INV-08, POLL-08).
func RegistrationValidates(before, after *Moment, _ model.Action) bool {
	registered := map[int]bool{}
	right := initiated(before, after, func(_ int, r model.Request, _, is model.Validity) bool {
		registers := succeeded(r) && (r.Op == model.FastRegister || r.Op == model.Bind)
		registered[r.Token] = registered[r.Token] || registers
		return !registers || is == model.Valid
	})
	for t, was := range before.state.Tokens {
		if was != model.Valid && after.state.Tokens[t] == model.Valid && !registered[t] {
			return false
		}
	}
	return right
}

// ClosedTokenIsInvalid: with the region or window that has it a token dies (INV-05, INV-08).
func ClosedTokenIsInvalid(_, after *Moment, a model.Action) bool {
	return a.Name != model.TokenDies || after.state.Tokens[a.Token] == model.Invalid
}

// ReadInvalidatesToken: what a read with NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE does to its token (INV-01, INV-02, INV-03).
func ReadInvalidatesToken(before, after *Moment, _ model.Action) bool {
	return initiated(before, after, func(_ int, r model.Request, was, is model.Validity) bool {
		switch {
		case r.Op != model.Read:
			return true
		case !after.contract.ReadInvalidates:
			return is == was
		case succeeded(r) || was == model.Invalid:
			return is == model.Invalid
		}
		return is == model.Undefined
	})
}

// ReadIsAnswered: a read that succeeds was answered. The other end was connected once, and existed. In libibverbs a receive can wait there, or it was
// being closed, or had been disconnected (RES-14). This can be checked only if the peer is in the state.
func ReadIsAnswered(before, after *Moment, _ model.Action) bool {
	c := after.contract
	return initiated(before, after, func(p int, r model.Request, _, _ model.Validity) bool {
		if !c.Composed || r.Op != model.Read || !succeeded(r) {
			return true
		}
		peer := c.Qps[p].Peer
		other := before.state.Qps[peer].State
		answers := !c.Dialect.ErrorState || other.Closing() || other == model.Disconnected || other == model.Aborted || c.Dialect.MayWait(other, c.Qps[peer].Type, model.Receive)
		return !other.Unconnected() && other != model.QpClosed && answers
	})
}

// NoAccessWhenInvalid: no request reaches memory through an invalid token (INV-08).
func NoAccessWhenInvalid(before, after *Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, r := range justArrived(before, after, p) {
			if r.Op == model.Write && r.Token != model.NoToken && before.state.Tokens[r.Token] == model.Invalid {
				return false
			}
		}
	}
	return initiated(before, after, func(p int, r model.Request, was, _ model.Validity) bool {
		return r.Op != model.Write || !succeeded(r) || was != model.Invalid || hadArrived(before, p, r)
	})
}

// BadTokenAborts: a bad token is never received; it ends the connection on both sides (INV-05). Of a QP that is not reliable the message
// may get lost. It can be seen only where the peer is in the state.
func BadTokenAborts(before, after *Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		if after.contract.Composed && slices.ContainsFunc(justArrived(before, after, p), func(m model.Request) bool {
			return m.Op == model.SendAndInvalidate && m.Token != model.NoToken && before.state.Tokens[m.Token] == model.Invalid
		}) {
			return false
		}
	}
	return initiated(before, after, func(p int, r model.Request, was, _ model.Validity) bool {
		reliable := after.contract.Qps[p].Type == model.RC
		if !after.contract.Composed || !reliable || r.Op != model.SendAndInvalidate || !succeeded(r) || was != model.Invalid || hadArrived(before, p, r) {
			return true
		}
		over := func(c model.Connection) bool { return c == model.Aborted || c == model.QpClosing }
		return over(after.state.Qps[p].State) && over(after.state.Qps[after.contract.Qps[p].Peer].State)
	})
}

// AbortHasCause: nothing else does (INV-05).
func AbortHasCause(before, after *Moment, _ model.Action) bool {
	bad := map[int]bool{}
	initiated(before, after, func(p int, r model.Request, was, _ model.Validity) bool {
		bad[p] = bad[p] || r.Op == model.SendAndInvalidate && !cancelled(r) && was != model.Valid
		return true
	})
	for p, qp := range before.state.Qps {
		if qp.State != model.Aborted && after.state.Qps[p].State == model.Aborted && !bad[p] && !bad[after.contract.Qps[p].Peer] {
			return false
		}
	}
	return true
}

// NothingSucceedsAborted: nothing succeeds on an aborted connection (INV-05).
func NothingSucceedsAborted(before, after *Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, queue := range queues {
			if before.state.Qps[p].State == model.Aborted && slices.ContainsFunc(justExecuted(before, after, p, queue), succeeded) {
				return false
			}
		}
	}
	return true
}
