package mc

import (
	"reflect"
	"slices"

	"ndkoracle/model"
)

// What must hold in every state, and of every step: the operators of tla/ by the same names. They say in words of their own
// what the actions are meant to achieve, and use none of the model's.

type (
	invariant func(Moment) bool
	property  func(before, after Moment, a model.Action) bool
)

var invariants = map[string]invariant{
	"TypeOK":                   TypeOK,
	"CqTypeOK":                 CqTypeOK,
	"QpTypeOK":                 QpTypeOK,
	"ArmNotMissed":             ArmNotMissed,
	"PolledNotMissed":          PolledNotMissed,
	"DebtIsBounded":            DebtIsBounded,
	"ErrorIsOwed":              ErrorIsOwed,
	"NoMoreThanAsked":          NoMoreThanAsked,
	"EmptyHandedOnlyIfEmpty":   EmptyHandedOnlyIfEmpty,
	"ShortBatchMeansEmpty":     ShortBatchMeansEmpty,
	"ClosedIsAtRest":           ClosedIsAtRest,
	"OneCallbackAnArm":         OneCallbackAnArm,
	"CallbacksSerialised":      CallbacksSerialised,
	"NoCallbackAfterClose":     NoCallbackAfterClose,
	"ArmIsTheJoin":             ArmIsTheJoin,
	"RefusedNeverCompletes":    RefusedNeverCompletes,
	"CompletedOnce":            CompletedOnce,
	"QueueOrder":               QueueOrder,
	"SilentSuccessIsSilent":    SilentSuccessIsSilent,
	"FailureIsTold":            FailureIsTold,
	"CancelledHasCause":        CancelledHasCause,
	"CqErrorBreaksQps":         CqErrorBreaksQps,
	"NoCompletionSleptThrough": NoCompletionSleptThrough,
	"NoCqErrorSleptThrough":    NoCqErrorSleptThrough,
	"DeliveredOnce":            DeliveredOnce,
	"DeliveredInOrder":         DeliveredInOrder,
	"InvalidForEitherPoll":     InvalidForEitherPoll,
}

var properties = map[string]property{
	"ArrivalWakes":            ArrivalWakes,
	"OtherArrivalsDoNotWake":  OtherArrivalsDoNotWake,
	"CallbackHasCause":        CallbackHasCause,
	"CallbackFindsEntries":    CallbackFindsEntries,
	"FreshSinceCallback":      FreshSinceCallback,
	"ResizeKeepsEntries":      ResizeKeepsEntries,
	"DepthIsWhatWasAsked":     DepthIsWhatWasAsked,
	"ShrinkIsRefused":         ShrinkIsRefused,
	"CloseStays":              CloseStays,
	"ArmIsKept":               ArmIsKept,
	"OverflowOnlyWhenFull":    OverflowOnlyWhenFull,
	"NothingAfterCqError":     NothingAfterCqError,
	"RefusedIndicatesEarlier": RefusedIndicatesEarlier,
	"FlushCancelsAll":         FlushCancelsAll,
	"MessageIsReceived":       MessageIsReceived,
	"InvalidatedBeforePlaced": InvalidatedBeforePlaced,
	"LaterInvalidateFails":    LaterInvalidateFails,
	"BadTokenAborts":          BadTokenAborts,
	"NothingSucceedsAborted":  NothingSucceedsAborted,
}

func TypeOK(m Moment) bool { return CqTypeOK(m) && QpTypeOK(m) }

func CqTypeOK(m Moment) bool {
	d := m.contract.Dialect
	for i, q := range m.state.Cqs {
		if m.contract.Room != nil && len(q.Entries) > m.contract.Room[i] || q.Fresh < 0 || q.Fresh > len(q.Entries) {
			return false
		}
		if q.Arm > model.ANY || q.Arm == model.ERRORS && !d.ErrorsArm || (q.Waiting == 0) != (q.Arm == model.NONE) {
			return false
		}
		if q.Waiting < 0 || q.Waiting > 1 && d.SecondArm == model.Merge || q.Due < 0 {
			return false
		}
		if q.Depth < 1 || q.Resize > model.ResizeTold || (q.Asked != 0) != (q.Resize == model.ResizeAsked) {
			return false
		}
		if q.Running && !d.Serialised || q.Health > model.InternalError || q.Open > model.Closed {
			return false
		}
	}
	return true
}

func QpTypeOK(m Moment) bool {
	for _, p := range m.state.Qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			if p.State > model.QpClosed || !inOrder(p.Queue(queue)) {
				return false
			}
			for _, r := range p.Queue(queue) {
				if r.Phase > model.Executed+model.Phase(model.CANCELLED) || r.Op > model.Write || (r.Op == model.ReceiveOp) != (queue == model.Receive) {
					return false
				}
			}
		}
	}
	return true
}

// inOrder is InOrder: requests are indicated and executed in posting order.
func inOrder(queue []model.Request) bool {
	return slices.IsSortedFunc(queue, func(a, b model.Request) int { return min(int(b.Phase), 2) - min(int(a.Phase), 2) })
}

func failing(c model.Completion) bool { return c.Status == model.FAILED || c.Status == model.CANCELLED }

// mustWake is MustWake: the completions that nobody may sleep through (ARM-09, ARM-10, ARM-11).
func mustWake(d model.Dialect, a model.Arm, c model.Completion) bool {
	return a == model.ANY || a == model.SOLICITED && (c.Solicited || failing(c)) || a == model.ERRORS && failing(c) && d.A4 == model.A4Must
}

// mayWake is MayWake: those, a failed one that finds an ERRORS arm (A4), and any that finds a SOLICITED one (A5).
func mayWake(d model.Dialect, a model.Arm, c model.Completion) bool {
	return mustWake(d, a, c) || a == model.ERRORS && failing(c) && d.A4 == model.A4May || a == model.SOLICITED && d.A5 == model.A5May
}

// ArmNotMissed: no consumer is left armed, and asleep, with a fresh completion of the kind it awaits (ARM-04, ARM-09,
// ARM-10, ARM-11).
func ArmNotMissed(m Moment) bool {
	for _, q := range m.state.Cqs {
		for _, c := range q.Entries[len(q.Entries)-q.Fresh:] {
			if m.contract.Dialect.FreshAtArm == model.Must && mustWake(m.contract.Dialect, q.Arm, c) && !awake(m, q) {
				return false
			}
		}
	}
	return true
}

// awake reports whether the consumer does not sleep, being within a callback whose return will look at the arm (A28).
func awake(m Moment, q model.Cq) bool {
	return q.Running && m.contract.Dialect.A28 == model.A28AtReturn
}

// PolledNotMissed: where what was polled counts, nor with one that it has polled already (ARM-04, A25).
func PolledNotMissed(m Moment) bool {
	for _, q := range m.state.Cqs {
		if m.contract.Dialect.FreshAtArm == model.Must && q.Taken.Has(q.Arm) && !awake(m, q) {
			return false
		}
	}
	return true
}

// OneCallbackAnArm: whatever is owed, or may become owed, was bought by an arm request of its own (ARM-01, ARM-02).
func OneCallbackAnArm(m Moment) bool {
	for i, q := range m.state.Cqs {
		owed := q.Waiting + q.Due
		if q.ErrorDue && m.contract.Dialect.A1 != model.A1NoArm {
			owed++
		}
		if owed > m.unspent[i] {
			return false
		}
	}
	return true
}

// CallbacksSerialised: no two callbacks of a CQ overlap (ARM-06).
func CallbacksSerialised(m Moment) bool {
	return !m.contract.Dialect.Serialised || slices.Max(append(m.inside, 0)) <= 1
}

// NoCallbackAfterClose: no callback runs when close completes, or begins afterwards (ARM-20, LIFE-08, LIFE-09).
func NoCallbackAfterClose(m Moment) bool {
	for i, q := range m.state.Cqs {
		if q.Open == model.Closed && (m.inside[i] != 0 || q.Due > 0 || q.ErrorDue) {
			return false
		}
	}
	return true
}

// joinTable is the table of the documentation (ARM-07): first arm, second arm, result.
var joinTable = [][3]model.Arm{
	{model.ANY, model.ANY, model.ANY}, {model.ANY, model.ERRORS, model.ANY}, {model.ANY, model.SOLICITED, model.ANY},
	{model.ERRORS, model.ANY, model.ANY}, {model.ERRORS, model.ERRORS, model.ERRORS}, {model.ERRORS, model.SOLICITED, model.SOLICITED},
	{model.SOLICITED, model.ANY, model.ANY}, {model.SOLICITED, model.ERRORS, model.SOLICITED}, {model.SOLICITED, model.SOLICITED, model.SOLICITED},
}

// ArmIsTheJoin: the arm is one of the types asked for, and none of the others would change it (ARM-07).
func ArmIsTheJoin(m Moment) bool {
	for i, q := range m.state.Cqs {
		if m.asked[i] == 0 {
			if q.Arm != model.NONE {
				return false
			}
			continue
		}
		if m.asked[i]&(1<<q.Arm) == 0 {
			return false
		}
		for _, t := range []model.Arm{model.ERRORS, model.SOLICITED, model.ANY} {
			if m.asked[i]&(1<<t) != 0 && !slices.Contains(joinTable, [3]model.Arm{q.Arm, t, q.Arm}) {
				return false
			}
		}
	}
	return true
}

// arrived returns the completion that a step placed in the CQ, if it placed one.
func arrived(before, after model.Cq) (model.Completion, bool) {
	if len(after.Entries) <= len(before.Entries) {
		return model.Completion{}, false
	}
	return after.Entries[len(after.Entries)-1], true
}

// ArrivalWakes: a completion that arrives satisfies the arm it matches, in every dialect (ARM-03, ARM-09, ARM-10, ARM-11).
func ArrivalWakes(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && mustWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != model.NONE {
			return false
		}
	}
	return true
}

// OtherArrivalsDoNotWake: one that does not match leaves the arm as it is (ARM-08, ARM-12).
func OtherArrivalsDoNotWake(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && !mayWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != q.Arm {
			return false
		}
	}
	return true
}

// CallbackHasCause: a callback becomes owed only if the CQ holds something to poll (ARM-21).
func CallbackHasCause(before, after Moment, _ model.Action) bool {
	for i, q := range after.state.Cqs {
		d := before.contract.Dialect
		if q.Due > before.state.Cqs[i].Due && len(q.Entries) == 0 && !d.ExtraEvent && d.A25 == model.A25No {
			return false
		}
	}
	return true
}

// CallbackFindsEntries: where none comes on an empty CQ, a callback begins only if there still is something (ARM-21, A6).
func CallbackFindsEntries(before, _ Moment, a model.Action) bool {
	return before.contract.Dialect.A6 != model.A6Never || a.Name != model.NdkCqNotificationCallbackEnter ||
		a.CqStatus != model.OK || len(before.state.Cqs[a.Cq].Entries) > 0
}

// DebtIsBounded: no more callbacks are owed than the bound allows (ARM-03, A24).
func DebtIsBounded(m Moment) bool {
	d := m.contract.Dialect
	return d.A24 == model.A24None || d.SecondArm != model.Merge ||
		!slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool { return q.Due > int(d.A24) })
}

// FreshSinceCallback: a completion is fresh from its arrival to the next callback: to its entry, or its return (ARM-04,
// ARM-05, A3, A26).
func FreshSinceCallback(before, after Moment, a model.Action) bool {
	d := before.contract.Dialect
	reports := model.NdkCqNotificationCallbackEnter
	if d.Serialised && d.A3 == model.A3Return {
		reports = model.NdkCqNotificationCallbackExit
	}
	for i, q := range before.state.Cqs {
		fresh := min(q.Fresh, len(after.state.Cqs[i].Entries))
		if _, placed := arrived(q, after.state.Cqs[i]); placed && !q.Uncounted {
			fresh = q.Fresh + 1
		}
		if a.Name == reports && a.Cq == i {
			fresh = 0
		}
		if after.state.Cqs[i].Fresh != fresh {
			return false
		}
	}
	return true
}

// ArmIsKept: an arm goes away only by being satisfied (then a callback is owed), or with its CQ (ARM-02).
func ArmIsKept(before, after Moment, _ model.Action) bool {
	for i, q := range after.state.Cqs {
		if before.state.Cqs[i].Arm != model.NONE && q.Arm == model.NONE && q.Due == 0 && !q.ErrorDue && q.Open != model.Closed {
			return false
		}
	}
	return true
}

// OverflowOnlyWhenFull: a CQ overflows only when it holds as many completions as the consumer asked room for (ARM-16).
func OverflowOnlyWhenFull(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if q.Health == model.OK && after.state.Cqs[i].Health == model.BufferOverflow && len(q.Entries) < q.Depth {
			return false
		}
	}
	return true
}

// NothingAfterCqError: after an error nothing is added; what remains are the newest of the entries before (ARM-17).
func NothingAfterCqError(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		left := after.state.Cqs[i].Entries
		if q.Health != model.OK && (len(left) > len(q.Entries) || !slices.Equal(left, q.Entries[len(q.Entries)-len(left):])) {
			return false
		}
	}
	return true
}

// ErrorIsOwed: where it needs no arm, an error is owed its callback at once (ARM-17, A1).
func ErrorIsOwed(m Moment) bool {
	d := m.contract.Dialect
	return !d.ErrorsArm || d.A1 != model.A1NoArm || !slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool {
		return q.Health != model.OK && !q.ErrorDue && !q.Reported && q.Open != model.Closed
	})
}

// A batch is what a poll with room for n may return of a CQ: so many.
type batch struct {
	q    model.Cq
	n, k int
}

// batches returns the batches that polls of the CQs may return, which is for the model to say.
func batches(m Moment) []batch {
	var all []batch
	for i, q := range m.state.Cqs {
		for n := 1; q.Open == model.Open && n <= len(q.Entries)+1; n++ {
			for k := 0; k <= len(q.Entries); k++ {
				a := model.Action{Name: model.NdkGetCqResults, Cq: i, N: n, K: k}
				if _, refusal := m.contract.Step(m.state, a); refusal == nil {
					all = append(all, batch{q, n, k})
				}
			}
		}
	}
	return all
}

// mayKeep is MayKeep: a failed CQ that may keep what it has (A33).
func mayKeep(m Moment, q model.Cq) bool {
	return q.Health != model.OK && m.contract.Dialect.A33 == model.A33AnyPart
}

// NoMoreThanAsked: a poll returns no more than it has room for (POLL-02).
func NoMoreThanAsked(m Moment) bool {
	return !slices.ContainsFunc(batches(m), func(b batch) bool { return b.k > b.n })
}

// EmptyHandedOnlyIfEmpty: it returns none only if there is none (POLL-03).
func EmptyHandedOnlyIfEmpty(m Moment) bool {
	return !slices.ContainsFunc(batches(m), func(b batch) bool { return b.k == 0 && len(b.q.Entries) > 0 && !mayKeep(m, b.q) })
}

// ShortBatchMeansEmpty: where that is asked for, it returns fewer than it has room for only if there are no more (POLL-03, A7).
func ShortBatchMeansEmpty(m Moment) bool {
	return m.contract.Dialect.A7 != model.A7MustNot || !slices.ContainsFunc(batches(m), func(b batch) bool {
		return b.k < b.n && b.k < len(b.q.Entries) && !mayKeep(m, b.q)
	})
}

// ResizeKeepsEntries: a resize, done or refused, neither loses nor doubles a completion, and leaves arms and callbacks alone
// (RSZ-02, RSZ-05).
func ResizeKeepsEntries(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		new := after.state.Cqs[i]
		if new.Resize != q.Resize {
			q.Resize, q.Asked, q.Depth = new.Resize, new.Asked, new.Depth
			if !reflect.DeepEqual(q, new) {
				return false
			}
		}
	}
	return true
}

// DepthIsWhatWasAsked: a resize that is refused leaves the depth as it was (RSZ-03).
func DepthIsWhatWasAsked(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		new := after.state.Cqs[i]
		if new.Depth != q.Depth && (new.Resize != model.ResizeDone || new.Depth != q.Asked) {
			return false
		}
	}
	return true
}

// ShrinkIsRefused: where it has to be, a resize below what the CQ holds is refused (RSZ-03, A16).
func ShrinkIsRefused(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		new := after.state.Cqs[i]
		if new.Depth != q.Depth && len(q.Entries) > new.Depth && before.contract.Dialect.A16 == model.A16Refused {
			return false
		}
	}
	return true
}

// ClosedIsAtRest: when its close has completed, nothing of a CQ is pending (LIFE-07).
func ClosedIsAtRest(m Moment) bool {
	return !slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool { return q.Open == model.Closed && q.Resize != model.NotResizing })
}

// CloseStays: a close that was begun is not taken back (LIFE-12).
func CloseStays(before, after Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if q.Open != model.Open && after.state.Cqs[i].Open == model.Open {
			return false
		}
	}
	return true
}

// RefusedNeverCompletes: a post that returned failure never completes (DEF-03).
func RefusedNeverCompletes(m Moment) bool {
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
func CompletedOnce(m Moment) bool {
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
func QueueOrder(m Moment) bool {
	for _, left := range m.left {
		last := map[model.Queue]int{}
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
func SilentSuccessIsSilent(m Moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool {
		return l.silent && l.status == model.SUCCESS && l.told
	})
}

// FailureIsTold: every other request does (FLAG-02, DEF-07).
func FailureIsTold(m Moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool {
		return !(l.silent && l.status == model.SUCCESS) && !l.told
	})
}

// CancelledHasCause: no request is cancelled on a connection in good order (RES-08).
func CancelledHasCause(m Moment) bool {
	for _, p := range m.state.Qps {
		for _, r := range slices.Concat(p.Initiator, p.Receive) {
			if r.Phase == model.Executed+model.Phase(model.CANCELLED) && (p.State == model.Idle || p.State == model.Connected) {
				return false
			}
		}
	}
	return true
}

// RefusedIndicatesEarlier: when an initiator request is refused, nothing of that queue stays deferred (DEF-05).
func RefusedIndicatesEarlier(_, after Moment, a model.Action) bool {
	return a.Name != model.PostRefused || a.Queue != model.Initiator ||
		!slices.ContainsFunc(after.state.Qps[a.Qp].Initiator, func(r model.Request) bool { return r.Phase == model.Deferred })
}

// FlushCancelsAll: after a flush nothing is pending (FLUSH-01).
func FlushCancelsAll(_, after Moment, a model.Action) bool {
	if a.Name != model.NdkFlush && a.Name != model.NdkDisconnect {
		return true
	}
	p := after.state.Qps[a.Qp]
	return !slices.ContainsFunc(slices.Concat(p.Initiator, p.Receive), func(r model.Request) bool { return r.Phase < model.Executed })
}

// CqErrorBreaksQps: whoever uses a failed CQ is not connected any more (ARM-18).
func CqErrorBreaksQps(m Moment) bool {
	for i, b := range m.contract.Qps {
		for _, cq := range []int{b.InitiatorCq, b.ReceiveCq} {
			if state := m.state.Qps[i].State; m.state.Cqs[cq].Health != model.OK && (state == model.Idle || state == model.Connected) {
				return false
			}
		}
	}
	return true
}

// DeliveredOnce: no completion is delivered twice (POLL-04).
func DeliveredOnce(m Moment) bool {
	for _, ids := range m.delivered {
		ids = slices.Sorted(slices.Values(ids))
		if len(slices.Compact(ids)) < len(ids) {
			return false
		}
	}
	return true
}

// DeliveredInOrder: the completions of one queue are delivered in posting order, by whichever function (POLL-06, POLL-09).
func DeliveredInOrder(m Moment) bool {
	for _, ids := range m.delivered {
		if !slices.IsSorted(ids) {
			return false
		}
	}
	return true
}

// InvalidForEitherPoll: a token that a completion carried is invalid, whichever function fetched it, until it is
// registered again (POLL-07).
func InvalidForEitherPoll(m Moment) bool {
	for t, valid := range m.state.Tokens {
		if valid && (m.fetched[0]|m.fetched[1])&(1<<t) != 0 {
			return false
		}
	}
	return true
}

// justExecuted is JustExecuted: the requests of one queue that got an outcome in this step.
func justExecuted(before, after Moment, p int, queue model.Queue) []model.Request {
	was, is := before.state.Qps[p].Queue(queue), after.state.Qps[p].Queue(queue)
	var just []model.Request
	for i := range is {
		if len(is) == len(was) && is[i].Phase >= model.Executed && was[i].Phase < model.Executed {
			just = append(just, is[i])
		}
	}
	return just
}

func succeeded(r model.Request) bool { return r.Phase == model.Executed+model.Phase(model.SUCCESS) }

// invalidated reports whether a step took a token from valid to invalid.
func invalidated(before, after Moment, token int) bool {
	return before.state.Tokens[token] && !after.state.Tokens[token]
}

// MessageIsReceived: a message that succeeds is received, with its solicit flag and its token (ARM-10, RES-02, RES-03). It
// can be seen only where the peer is in the state.
func MessageIsReceived(before, after Moment, _ model.Action) bool {
	for p, b := range after.contract.Qps {
		for _, m := range justExecuted(before, after, p, model.Initiator) {
			if !after.contract.Composed || !m.Op.IsSend() || !succeeded(m) || after.state.Qps[p].State == model.Aborted {
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
	}
	return true
}

// InvalidatedBeforePlaced: when a receive succeeds that carries a token, the token has just been taken from valid to
// invalid; its completion comes later (INV-06, RES-09). Where the peer is not known, nobody knows that it was valid.
func InvalidatedBeforePlaced(before, after Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, model.Receive) {
			if succeeded(r) && r.Token != model.NoToken && !invalidated(before, after, r.Token) &&
				(after.contract.Composed || after.state.Tokens[r.Token]) {
				return false
			}
		}
	}
	return true
}

// LaterInvalidateFails: NdkInvalidate never succeeds for a token that is invalid already (POLL-08).
func LaterInvalidateFails(before, after Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, r := range justExecuted(before, after, p, model.Initiator) {
			if succeeded(r) && r.Op == model.Invalidate && r.Token != model.NoToken && !invalidated(before, after, r.Token) {
				return false
			}
		}
	}
	return true
}

// BadTokenAborts: a bad token ends the connection on both sides, and no receive ever carries it (INV-05). It can be seen
// only where the peer is in the state.
func BadTokenAborts(before, after Moment, _ model.Action) bool {
	for p, b := range after.contract.Qps {
		for _, r := range justExecuted(before, after, p, model.Initiator) {
			bad := r.Op == model.SendAndInvalidate && succeeded(r) && !before.state.Tokens[r.Token]
			if !bad || !after.contract.Composed {
				continue
			}
			if after.state.Qps[p].State != model.Aborted || after.state.Qps[b.Peer].State != model.Aborted ||
				slices.ContainsFunc(justExecuted(before, after, b.Peer, model.Receive), succeeded) {
				return false
			}
		}
	}
	return true
}

// NothingSucceedsAborted: nothing succeeds on an aborted connection (INV-05).
func NothingSucceedsAborted(before, after Moment, _ model.Action) bool {
	for p := range after.state.Qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			if before.state.Qps[p].State == model.Aborted && slices.ContainsFunc(justExecuted(before, after, p, queue), succeeded) {
				return false
			}
		}
	}
	return true
}
