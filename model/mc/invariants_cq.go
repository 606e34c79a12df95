package mc

import (
	"reflect"
	"slices"

	"ndkoracle/model"
)

// What must hold of CQs: CompletionQueue.tla and MCCompletionQueue.tla.

// TypeOK: the values of CQs and queue pairs are of their sets.
func TypeOK(m *Moment) bool { return CqTypeOK(m) && QpTypeOK(m) }

// CqTypeOK: the values of CQs are of their sets.
func CqTypeOK(m *Moment) bool {
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

func failing(c model.Completion) bool { return c.Status == model.FAILED || c.Status == model.CANCELLED }

// mustWake is MustWake: it reports whether an arm of type a must wake the consumer for c (ARM-09, ARM-10, ARM-11).
func mustWake(d model.Dialect, a model.Arm, c model.Completion) bool {
	return a == model.ANY || a == model.SOLICITED && (c.Solicited || failing(c)) || a == model.ERRORS && failing(c) && d.A4 == model.A4Must
}

// mayWake is MayWake: those, a failed one that finds an ERRORS arm (A4), and any that finds a SOLICITED one (A5).
func mayWake(d model.Dialect, a model.Arm, c model.Completion) bool {
	return mustWake(d, a, c) || a == model.ERRORS && failing(c) && d.A4 == model.A4May || a == model.SOLICITED && d.A5 == model.A5May
}

// ArmNotMissed: no consumer is armed and asleep while the CQ has a fresh completion of the kind that it awaits (ARM-04, ARM-09, ARM-10, ARM-11).
func ArmNotMissed(m *Moment) bool {
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
func awake(m *Moment, q model.Cq) bool {
	return q.Running && m.contract.Dialect.A28 == model.A28AtReturn
}

// PolledNotMissed: where what was polled counts, nor with one that it has polled already (ARM-04, A25).
func PolledNotMissed(m *Moment) bool {
	for _, q := range m.state.Cqs {
		if m.contract.Dialect.FreshAtArm == model.Must && q.Taken.Has(q.Arm) && !awake(m, q) {
			return false
		}
	}
	return true
}

// OneCallbackAnArm: whatever is owed, or may become owed, was bought by an arm request of its own (ARM-01, ARM-02).
func OneCallbackAnArm(m *Moment) bool {
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
func CallbacksSerialised(m *Moment) bool {
	return !m.contract.Dialect.Serialised || slices.Max(append(m.inside, 0)) <= 1
}

// NoCallbackAfterClose: no callback runs when close completes, or begins afterwards (ARM-20, LIFE-08, LIFE-09).
func NoCallbackAfterClose(m *Moment) bool {
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
func ArmIsTheJoin(m *Moment) bool {
	for i, q := range m.state.Cqs {
		if m.joined[i] == 0 {
			if q.Arm != model.NONE {
				return false
			}
			continue
		}
		if m.joined[i]&(1<<q.Arm) == 0 {
			return false
		}
		for _, t := range []model.Arm{model.ERRORS, model.SOLICITED, model.ANY} {
			if m.joined[i]&(1<<t) != 0 && !slices.Contains(joinTable, [3]model.Arm{q.Arm, t, q.Arm}) {
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
func ArrivalWakes(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && mustWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != model.NONE {
			return false
		}
	}
	return true
}

// OtherArrivalsDoNotWake: a completion that does not match does not change the arm (ARM-08, ARM-12).
func OtherArrivalsDoNotWake(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		c, placed := arrived(q, after.state.Cqs[i])
		if placed && !mayWake(before.contract.Dialect, q.Arm, c) && after.state.Cqs[i].Arm != q.Arm {
			return false
		}
	}
	return true
}

// CallbackHasCause: a callback becomes owed only if the CQ is not empty (ARM-21).
func CallbackHasCause(before, after *Moment, _ model.Action) bool {
	for i, q := range after.state.Cqs {
		d := before.contract.Dialect
		if q.Due > before.state.Cqs[i].Due && len(q.Entries) == 0 && !d.ExtraEvent && d.A25 == model.A25No {
			return false
		}
	}
	return true
}

// CallbackFindsEntries: if no callback is entered on an empty CQ, a callback begins only if the CQ is still not empty (ARM-21, A6).
func CallbackFindsEntries(before, _ *Moment, a model.Action) bool {
	return before.contract.Dialect.A6 != model.A6Never || a.Name != model.NdkCqNotificationCallbackEnter ||
		a.CqStatus != model.OK || len(before.state.Cqs[a.Cq].Entries) > 0
}

// DebtIsBounded: no more callbacks are owed than the bound allows (ARM-03, A24).
func DebtIsBounded(m *Moment) bool {
	d := m.contract.Dialect
	return d.A24 == model.A24None || d.SecondArm != model.Merge ||
		!slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool { return q.Due > int(d.A24) })
}

// SatisfiedArmIsOwed: an arm that is satisfied while callbacks are owed is one with them, or adds one; the first is owed
// (ARM-02, ARM-07, A2).
func SatisfiedArmIsOwed(before, after *Moment, _ model.Action) bool {
	d := before.contract.Dialect
	for i, old := range before.state.Cqs {
		new := after.state.Cqs[i]
		toldOfError := new.ErrorDue && !old.ErrorDue
		if d.SecondArm != model.Merge || old.Arm == model.NONE || new.Arm != model.NONE || new.Open == model.Closed || toldOfError {
			continue
		}
		merged, added := new.Due == max(1, old.Due), new.Due == old.Due+1
		if !merged && !added || d.A2 == model.A2One && !merged || d.A2 == model.A2Two && !added {
			return false
		}
	}
	return true
}

// ErrorMergesAsArmsDo: if each satisfied arm adds a callback, an error uses no callback that is owed for completions. If a satisfied arm merges with
// an owed callback, no callback is owed once the error has been reported, nor entered before it (ARM-02, ARM-08, A2).
func ErrorMergesAsArmsDo(before, after *Moment, a model.Action) bool {
	d := before.contract.Dialect
	for i, old := range before.state.Cqs {
		new := after.state.Cqs[i]
		if d.SecondArm != model.Merge || new.Open == model.Closed {
			continue
		}
		told := a.Name == model.NdkCqNotificationCallbackEnter && a.CqStatus == model.OK && a.Cq == i
		if d.A2 == model.A2Two && new.Due < old.Due && !told ||
			d.A2 == model.A2One && old.ErrorDue && new.Due < old.Due && !new.Reported ||
			d.A2 == model.A2One && !old.Reported && new.Reported && new.Due > 0 {
			return false
		}
	}
	return true
}

// SatisfiedAtArmHasCause: where old completions must not satisfy an arm, a fresh one does that may; where that must not
// either, none does (ARM-04, ARM-05, A25).
func SatisfiedAtArmHasCause(before, after *Moment, a model.Action) bool {
	d, old := before.contract.Dialect, model.Cq{}
	if a.Name == model.NdkArmCq {
		old = before.state.Cqs[a.Cq]
	}
	if a.Name != model.NdkArmCq || after.state.Cqs[a.Cq].Due <= old.Due || d.A25 == model.A25Yes || d.OldAtArm != model.MustNot {
		return true
	}
	if d.A3 == model.A3AnyFresh && old.Fresh > 0 {
		return true
	}
	return d.FreshAtArm != model.MustNot && slices.ContainsFunc(old.Entries[len(old.Entries)-old.Fresh:], func(c model.Completion) bool {
		return mayWake(d, model.Stronger(old.Arm, a.Type), c)
	})
}

// AnyFreshObliges: where any fresh completion obliges, an arm that finds one is satisfied at once (ARM-04, A3).
func AnyFreshObliges(before, after *Moment, a model.Action) bool {
	d := before.contract.Dialect
	if a.Name != model.NdkArmCq || d.A3 != model.A3AnyFresh || d.FreshAtArm != model.Must {
		return true
	}
	old := before.state.Cqs[a.Cq]
	errorWaits := d.A1 == model.A1Kept && old.Health != model.OK && !old.Reported && !old.ErrorDue
	return old.Fresh == 0 || errorWaits || d.A28 == model.A28AtReturn && old.Running || after.state.Cqs[a.Cq].Arm == model.NONE
}

// FreshSinceCallback: a completion is fresh from its arrival to the next callback: to its entry, or its return (ARM-04,
// ARM-05, A3, A26).
func FreshSinceCallback(before, after *Moment, a model.Action) bool {
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
		if a.Name == model.NdkCloseCompletionEnter && a.Dropped {
			continue // completions of the QP vanish, of the fresh ones too (A21)
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

// ArmIsKept: an arm ends only when it is satisfied (then a callback is owed), or with its CQ (ARM-02).
func ArmIsKept(before, after *Moment, _ model.Action) bool {
	for i, q := range after.state.Cqs {
		if before.state.Cqs[i].Arm != model.NONE && q.Arm == model.NONE && q.Due == 0 && !q.ErrorDue && q.Open != model.Closed {
			return false
		}
	}
	return true
}

// OverflowOnlyWhenFull: a CQ overflows only when it has as many completions as its requested depth (ARM-16).
func OverflowOnlyWhenFull(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if q.Health == model.OK && after.state.Cqs[i].Health == model.BufferOverflow && len(q.Entries) < q.Depth {
			return false
		}
	}
	return true
}

// NothingAfterCqError: after an error nothing is added; what remains was there before (ARM-17).
func NothingAfterCqError(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		left := after.state.Cqs[i].Entries
		added := slices.ContainsFunc(left, func(c model.Completion) bool { return !slices.Contains(q.Entries, c) })
		if q.Health != model.OK && (len(left) > len(q.Entries) || added) {
			return false
		}
	}
	return true
}

// ErrorIsOwed: where it needs no arm, an error is owed its callback at once (ARM-08, A1).
func ErrorIsOwed(m *Moment) bool {
	d := m.contract.Dialect
	return !d.ErrorsArm || d.A1 != model.A1NoArm || !slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool {
		return q.Health != model.OK && !q.ErrorDue && !q.Reported && q.Open != model.Closed
	})
}

// A batch is a possible poll of q with room for n, which returns k completions.
type batch struct {
	q    model.Cq
	n, k int
}

// batches returns the batches that polls of the CQs may return, which is for the model to say.
func batches(m *Moment) []batch {
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
func mayKeep(m *Moment, q model.Cq) bool {
	return q.Health != model.OK && m.contract.Dialect.A33 == model.A33AnyPart
}

// NoMoreThanAsked: a poll returns no more than it has room for (POLL-02).
func NoMoreThanAsked(m *Moment) bool {
	return !slices.ContainsFunc(batches(m), func(b batch) bool { return b.k > b.n })
}

// EmptyHandedOnlyIfEmpty: it returns none only if there is none (POLL-03).
func EmptyHandedOnlyIfEmpty(m *Moment) bool {
	return !slices.ContainsFunc(batches(m), func(b batch) bool { return b.k == 0 && len(b.q.Entries) > 0 && !mayKeep(m, b.q) })
}

// ShortBatchMeansEmpty: if the reading demands it, a poll returns fewer completions than it has room for only if there are no more (POLL-03, A7).
func ShortBatchMeansEmpty(m *Moment) bool {
	return m.contract.Dialect.A7 != model.A7MustNot || !slices.ContainsFunc(batches(m), func(b batch) bool {
		return b.k < b.n && b.k < len(b.q.Entries) && !mayKeep(m, b.q)
	})
}

// ResizeKeepsEntries: a resize, done or refused, neither loses nor duplicates a completion, and does not change arms and callbacks (RSZ-02, RSZ-05).
func ResizeKeepsEntries(before, after *Moment, _ model.Action) bool {
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

// DepthIsWhatWasAsked: a resize that is refused does not change the depth (RSZ-03).
func DepthIsWhatWasAsked(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		new := after.state.Cqs[i]
		if new.Depth != q.Depth && (new.Resize != model.ResizeDone || new.Depth != q.Asked) {
			return false
		}
	}
	return true
}

// ShrinkIsRefused: if the reading demands it, a resize below the number of completions in the CQ is refused (RSZ-03, A16).
func ShrinkIsRefused(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		new := after.state.Cqs[i]
		if new.Depth != q.Depth && len(q.Entries) > new.Depth && before.contract.Dialect.A16 == model.A16Refused {
			return false
		}
	}
	return true
}

// ClosedIsAtRest: when its close has completed, nothing of a CQ is pending, and nothing is owed (LIFE-07, LIFE-08, LIFE-09).
func ClosedIsAtRest(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool {
		rests := q.Resize == model.NotResizing && q.Arm == model.NONE && q.Due == 0 && !q.ErrorDue && !q.Running
		return q.Open == model.Closed && !rests
	})
}

// ClosedStays: and nothing happens to it any more (ARM-20, LIFE-09).
func ClosedStays(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if q.Open == model.Closed && !reflect.DeepEqual(q, after.state.Cqs[i]) {
			return false
		}
	}
	return true
}

// ErrorReportedOnce: when an error has been reported, no callback is owed for it any more (ARM-17, A1).
func ErrorReportedOnce(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Cqs, func(q model.Cq) bool { return q.Reported && q.ErrorDue })
}

// CloseStays: a close that has begun is not undone (LIFE-12).
func CloseStays(before, after *Moment, _ model.Action) bool {
	for i, q := range before.state.Cqs {
		if q.Open != model.Open && after.state.Cqs[i].Open == model.Open {
			return false
		}
	}
	return true
}
