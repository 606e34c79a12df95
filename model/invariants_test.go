package model

import "slices"

// What must hold in every state, and of every step: the operators of tla/ by the same names. They say in words of their own
// what the actions are meant to achieve, and use none of the model's.

var invariants = map[string]func(moment) bool{
	"TypeOK":                TypeOK,
	"CqTypeOK":              CqTypeOK,
	"QpTypeOK":              QpTypeOK,
	"ArmNotMissed":          ArmNotMissed,
	"OneCallbackAnArm":      OneCallbackAnArm,
	"CallbacksSerialised":   CallbacksSerialised,
	"NoCallbackAfterClose":  NoCallbackAfterClose,
	"ArmIsTheJoin":          ArmIsTheJoin,
	"RefusedNeverCompletes": RefusedNeverCompletes,
	"CompletedOnce":         CompletedOnce,
	"QueueOrder":            QueueOrder,
	"SilentSuccessIsSilent": SilentSuccessIsSilent,
	"FailureIsTold":         FailureIsTold,
	"CancelledHasCause":     CancelledHasCause,
	"CqErrorBreaksQps":      CqErrorBreaksQps,
	"DeliveredOnce":         DeliveredOnce,
	"DeliveredInOrder":      DeliveredInOrder,
	"InvalidForEitherPoll":  InvalidForEitherPoll,
}

var properties = map[string]func(before, after moment, a Action) bool{
	"ArrivalWakes":            ArrivalWakes,
	"OtherArrivalsDoNotWake":  OtherArrivalsDoNotWake,
	"CallbackHasCause":        CallbackHasCause,
	"ArmIsKept":               ArmIsKept,
	"NothingAfterCqError":     NothingAfterCqError,
	"RefusedIndicatesEarlier": RefusedIndicatesEarlier,
	"FlushCancelsAll":         FlushCancelsAll,
	"MessageIsReceived":       MessageIsReceived,
	"InvalidatedBeforePlaced": InvalidatedBeforePlaced,
	"LaterInvalidateFails":    LaterInvalidateFails,
	"BadTokenAborts":          BadTokenAborts,
	"NothingSucceedsAborted":  NothingSucceedsAborted,
}

func TypeOK(m moment) bool { return CqTypeOK(m) && QpTypeOK(m) }

func CqTypeOK(m moment) bool {
	d := m.contract.Dialect
	for i, q := range m.state.Cqs {
		if len(q.Entries) > m.contract.Depth[i] || q.Fresh < 0 || q.Fresh > len(q.Entries) {
			return false
		}
		if q.Arm > ANY || q.Arm == ERRORS && !d.ErrorsArm || (q.Waiting == 0) != (q.Arm == NONE) {
			return false
		}
		if q.Waiting < 0 || q.Waiting > 1 && d.SecondArm == Merge || q.Due < 0 {
			return false
		}
		if q.Running && !d.Serialised || q.Health > InternalError || q.Open > Closed {
			return false
		}
	}
	return true
}

func QpTypeOK(m moment) bool {
	for _, p := range m.state.Qps {
		for _, queue := range []Queue{Initiator, Receive} {
			if p.State > QpClosed || !inOrder(p.queue(queue)) {
				return false
			}
			for _, r := range p.queue(queue) {
				if r.Phase > Executed+Phase(CANCELLED) || r.Op > Write || (r.Op == ReceiveOp) != (queue == Receive) {
					return false
				}
			}
		}
	}
	return true
}

// inOrder is InOrder: requests are indicated and executed in posting order.
func inOrder(queue []Request) bool {
	return slices.IsSortedFunc(queue, func(a, b Request) int { return min(int(b.Phase), 2) - min(int(a.Phase), 2) })
}

func failing(c Completion) bool { return c.Status == FAILED || c.Status == CANCELLED }

// mustWake is MustWake: the completions that nobody may sleep through (ARM-09, ARM-10, ARM-11).
func mustWake(d Dialect, a Arm, c Completion) bool {
	return a == ANY || a == SOLICITED && (c.Solicited || failing(c)) || a == ERRORS && failing(c) && d.A4 == Must
}

// mayWake is MayWake: those, and a failed one that finds an ERRORS arm (A4).
func mayWake(d Dialect, a Arm, c Completion) bool {
	return mustWake(d, a, c) || a == ERRORS && failing(c) && d.A4 == May
}

// ArmNotMissed: no consumer is left armed, and asleep, with a fresh completion of the kind it awaits (ARM-04, ARM-09,
// ARM-10, ARM-11).
func ArmNotMissed(m moment) bool {
	for _, q := range m.state.Cqs {
		for _, c := range q.Entries[len(q.Entries)-q.Fresh:] {
			if m.contract.Dialect.FreshAtArm == Must && mustWake(m.contract.Dialect, q.Arm, c) {
				return false
			}
		}
	}
	return true
}

// OneCallbackAnArm: whatever is owed, or may become owed, was bought by an arm request of its own (ARM-01, ARM-02).
func OneCallbackAnArm(m moment) bool {
	for i, q := range m.state.Cqs {
		owed := q.Waiting + q.Due
		if q.ErrorDue {
			owed++
		}
		if owed > m.unspent[i] {
			return false
		}
	}
	return true
}

// CallbacksSerialised: no two callbacks of a CQ overlap (ARM-06).
func CallbacksSerialised(m moment) bool {
	return !m.contract.Dialect.Serialised || slices.Max(append(m.inside, 0)) <= 1
}

// NoCallbackAfterClose: no callback runs when close completes, or begins afterwards (ARM-20, LIFE-08, LIFE-09).
func NoCallbackAfterClose(m moment) bool {
	for i, q := range m.state.Cqs {
		if q.Open == Closed && (m.inside[i] != 0 || q.Due > 0 || q.ErrorDue) {
			return false
		}
	}
	return true
}

// joinTable is the table of the documentation (ARM-07): first arm, second arm, result.
var joinTable = [][3]Arm{
	{ANY, ANY, ANY}, {ANY, ERRORS, ANY}, {ANY, SOLICITED, ANY},
	{ERRORS, ANY, ANY}, {ERRORS, ERRORS, ERRORS}, {ERRORS, SOLICITED, SOLICITED},
	{SOLICITED, ANY, ANY}, {SOLICITED, ERRORS, SOLICITED}, {SOLICITED, SOLICITED, SOLICITED},
}

// ArmIsTheJoin: the arm is one of the types asked for, and none of the others would change it (ARM-07).
func ArmIsTheJoin(m moment) bool {
	for i, q := range m.state.Cqs {
		if m.asked[i] == 0 {
			if q.Arm != NONE {
				return false
			}
			continue
		}
		if m.asked[i]&(1<<q.Arm) == 0 {
			return false
		}
		for _, t := range []Arm{ERRORS, SOLICITED, ANY} {
			if m.asked[i]&(1<<t) != 0 && !slices.Contains(joinTable, [3]Arm{q.Arm, t, q.Arm}) {
				return false
			}
		}
	}
	return true
}

// arrived returns the completion that a step placed in the CQ, if it placed one.
func arrived(before, after Cq) (Completion, bool) {
	if len(after.Entries) <= len(before.Entries) {
		return Completion{}, false
	}
	return after.Entries[len(after.Entries)-1], true
}

// ArrivalWakes: a completion that arrives satisfies the arm it matches, in every dialect (ARM-03, ARM-09, ARM-10, ARM-11).
func ArrivalWakes(before, after moment, _ Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && mustWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != NONE {
			return false
		}
	}
	return true
}

// OtherArrivalsDoNotWake: one that does not match leaves the arm as it is (ARM-08, ARM-12).
func OtherArrivalsDoNotWake(before, after moment, _ Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && !mayWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != q.Arm {
			return false
		}
	}
	return true
}

// CallbackHasCause: a callback becomes owed only if the CQ holds something to poll (ARM-21).
func CallbackHasCause(before, after moment, _ Action) bool {
	for i, q := range after.state.Cqs {
		if q.Due > before.state.Cqs[i].Due && !before.contract.Dialect.ExtraEvent && len(q.Entries) == 0 {
			return false
		}
	}
	return true
}

// ArmIsKept: an arm goes away only by being satisfied (then a callback is owed), or with its CQ (ARM-02).
func ArmIsKept(before, after moment, _ Action) bool {
	for i, q := range after.state.Cqs {
		if before.state.Cqs[i].Arm != NONE && q.Arm == NONE && q.Due == 0 && !q.ErrorDue && q.Open != Closed {
			return false
		}
	}
	return true
}

// NothingAfterCqError: after an error nothing is added; what remains are the newest of the entries before (ARM-17).
func NothingAfterCqError(before, after moment, _ Action) bool {
	for i, q := range before.state.Cqs {
		left := after.state.Cqs[i].Entries
		if q.Health != OK && (len(left) > len(q.Entries) || !slices.Equal(left, q.Entries[len(q.Entries)-len(left):])) {
			return false
		}
	}
	return true
}

// RefusedNeverCompletes: a post that returned failure never completes (DEF-03).
func RefusedNeverCompletes(m moment) bool {
	for p := range m.left {
		for _, l := range m.left[p] {
			if slices.Contains(m.refused[p], l.number) {
				return false
			}
		}
	}
	return true
}

// CompletedOnce: no request completes twice (POLL-04, DEF-04).
func CompletedOnce(m moment) bool {
	for _, left := range m.left {
		seen := map[int]bool{}
		for _, l := range left {
			if seen[l.of] {
				return false
			}
			seen[l.of] = true
		}
	}
	return true
}

// QueueOrder: requests of one queue complete in the order in which they were posted (A9), deferred ones too (POLL-09,
// DEF-09).
func QueueOrder(m moment) bool {
	for _, left := range m.left {
		last := map[Queue]int{}
		for _, l := range left {
			if l.of < last[l.queue] {
				return false
			}
			last[l.queue] = l.of
		}
	}
	return true
}

// SilentSuccessIsSilent: a silent request that succeeded leaves no completion (FLAG-01).
func SilentSuccessIsSilent(m moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool {
		return l.silent && l.status == SUCCESS && l.told
	})
}

// FailureIsTold: every other request does (FLAG-02, DEF-07).
func FailureIsTold(m moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool {
		return !(l.silent && l.status == SUCCESS) && !l.told
	})
}

// CancelledHasCause: no request is cancelled on a connection in good order (RES-08).
func CancelledHasCause(m moment) bool {
	for _, p := range m.state.Qps {
		for _, r := range slices.Concat(p.Initiator, p.Receive) {
			if r.Phase == Executed+Phase(CANCELLED) && (p.State == Idle || p.State == Connected) {
				return false
			}
		}
	}
	return true
}

// RefusedIndicatesEarlier: when an initiator request is refused, nothing of that queue stays deferred (DEF-05).
func RefusedIndicatesEarlier(_, after moment, a Action) bool {
	return a.Name != PostRefused || a.Queue != Initiator ||
		!slices.ContainsFunc(after.state.Qps[a.Qp].Initiator, func(r Request) bool { return r.Phase == Deferred })
}

// FlushCancelsAll: after a flush nothing is pending (FLUSH-01).
func FlushCancelsAll(_, after moment, a Action) bool {
	if a.Name != NdkFlush && a.Name != NdkDisconnect {
		return true
	}
	p := after.state.Qps[a.Qp]
	return !slices.ContainsFunc(slices.Concat(p.Initiator, p.Receive), func(r Request) bool { return r.Phase < Executed })
}

// CqErrorBreaksQps: whoever uses a failed CQ is not connected any more (ARM-18).
func CqErrorBreaksQps(m moment) bool {
	for i, b := range m.contract.Qps {
		for _, cq := range []int{b.InitiatorCq, b.ReceiveCq} {
			if state := m.state.Qps[i].State; m.state.Cqs[cq].Health != OK && (state == Idle || state == Connected) {
				return false
			}
		}
	}
	return true
}

// DeliveredOnce: no completion is delivered twice (POLL-04).
func DeliveredOnce(m moment) bool {
	for _, ids := range m.delivered {
		ids = slices.Sorted(slices.Values(ids))
		if len(slices.Compact(ids)) < len(ids) {
			return false
		}
	}
	return true
}

// DeliveredInOrder: the completions of one queue are delivered in posting order, by whichever function (POLL-06, POLL-09).
func DeliveredInOrder(m moment) bool {
	for _, ids := range m.delivered {
		if !slices.IsSorted(ids) {
			return false
		}
	}
	return true
}

// InvalidForEitherPoll: a token that a completion carried is invalid, whichever function fetched it, until it is
// registered again (POLL-07).
func InvalidForEitherPoll(m moment) bool {
	for t, valid := range m.state.Tokens {
		if valid && (m.fetched[0]|m.fetched[1])&(1<<t) != 0 {
			return false
		}
	}
	return true
}

// justExecuted is JustExecuted: the requests of one queue that got an outcome in this step.
func justExecuted(before, after moment, p int, queue Queue) []Request {
	was, is := before.state.Qps[p].queue(queue), after.state.Qps[p].queue(queue)
	var just []Request
	for i := range is {
		if len(is) == len(was) && is[i].Phase >= Executed && was[i].Phase < Executed {
			just = append(just, is[i])
		}
	}
	return just
}

func succeeded(r Request) bool { return r.Phase == Executed+Phase(SUCCESS) }

// invalidated reports whether a step took a token from valid to invalid.
func invalidated(before, after moment, token int) bool {
	return before.state.Tokens[token] && !after.state.Tokens[token]
}

// MessageIsReceived: a message that succeeds is received, with its solicit flag and its token (ARM-10, RES-02, RES-03). It
// can be seen only where the peer is in the state.
func MessageIsReceived(before, after moment, _ Action) bool {
	for p, b := range after.contract.Qps {
		for _, m := range justExecuted(before, after, p, Initiator) {
			if !after.contract.Composed || !m.Op.IsSend() || !succeeded(m) || after.state.Qps[p].State == Aborted {
				continue
			}
			token := NoToken
			if m.Op == SendAndInvalidate {
				token = m.Token
			}
			if !slices.ContainsFunc(justExecuted(before, after, b.Peer, Receive), func(r Request) bool {
				return succeeded(r) && r.Solicit == m.Solicit && r.Token == token
			}) {
				return false
			}
		}
	}
	return true
}

// InvalidatedBeforePlaced: when a receive succeeds that carries a token, the token has just been taken from valid to
// invalid; its completion comes later (INV-06, RES-09). Where the peer is not known, nobody knows that it was valid.
func InvalidatedBeforePlaced(before, after moment, _ Action) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, Receive) {
			if succeeded(r) && r.Token != NoToken && !invalidated(before, after, r.Token) &&
				(after.contract.Composed || after.state.Tokens[r.Token]) {
				return false
			}
		}
	}
	return true
}

// LaterInvalidateFails: NdkInvalidate never succeeds for a token that is invalid already (POLL-08).
func LaterInvalidateFails(before, after moment, _ Action) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, Initiator) {
			if succeeded(r) && r.Op == Invalidate && r.Token != NoToken && !invalidated(before, after, r.Token) {
				return false
			}
		}
	}
	return true
}

// BadTokenAborts: a bad token ends the connection on both sides, and no receive ever carries it (INV-05). It can be seen
// only where the peer is in the state.
func BadTokenAborts(before, after moment, _ Action) bool {
	for p, b := range after.contract.Qps {
		for _, r := range justExecuted(before, after, p, Initiator) {
			bad := r.Op == SendAndInvalidate && succeeded(r) && !before.state.Tokens[r.Token]
			if !bad || !after.contract.Composed {
				continue
			}
			if after.state.Qps[p].State != Aborted || after.state.Qps[b.Peer].State != Aborted ||
				slices.ContainsFunc(justExecuted(before, after, b.Peer, Receive), succeeded) {
				return false
			}
		}
	}
	return true
}

// NothingSucceedsAborted: nothing succeeds on an aborted connection (INV-05).
func NothingSucceedsAborted(before, after moment, _ Action) bool {
	for p := range after.state.Qps {
		for _, queue := range []Queue{Initiator, Receive} {
			if before.state.Qps[p].State == Aborted && slices.ContainsFunc(justExecuted(before, after, p, queue), succeeded) {
				return false
			}
		}
	}
	return true
}
