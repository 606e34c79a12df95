package mc

import (
	"slices"

	"ndkoracle/model"
)

// What must hold of shared receive queues: SharedReceiveQueue.tla and MCSharedReceiveQueue.tla.

// SrqTypeOK: the values of shared receive queues are of their sets.
func SrqTypeOK(m *Moment) bool {
	d := m.contract.Dialect
	for i, r := range m.state.Srqs {
		qps := m.contract.Srqs[i].Qps
		if slices.ContainsFunc(r.Taken, func(qp int) bool { return qp < 0 || qp >= qps }) || min(r.Queued, r.Threshold, r.Waiting, r.Due, r.Running) < 0 {
			return false
		}
		if r.Depth < 1 || r.Waiting > 1 && d.SecondArm == model.Merge || r.Running > 0 && !d.Serialised {
			return false
		}
		if r.Modify > model.ModifyDone || min(r.AskedDepth, r.AskedThreshold) < 0 || (r.Ended|r.LastDue)>>qps != 0 {
			return false
		}
		if r.Health == model.BufferOverflow || r.Health > model.InternalError || r.Open > model.Closed {
			return false
		}
	}
	return true
}

// queued says how many receives count as queued (A18).
func queued(m *Moment, r model.Srq) int {
	if m.contract.Dialect.A18 == model.A18Taken {
		return r.Queued
	}
	return r.Queued + len(r.Taken)
}

// held says how many receives a QP has taken that have not completed.
func held(r model.Srq, qp int) int {
	n := 0
	for _, by := range r.Taken {
		if by == qp {
			n++
		}
	}
	return n
}

// eachSrq reports whether something holds of every shared receive queue.
func eachSrq(m *Moment, holds func(r model.Srq) bool) bool {
	return !slices.ContainsFunc(m.state.Srqs, func(r model.Srq) bool { return !holds(r) })
}

// eachSrqStep reports whether something holds of a step of every shared receive queue.
func eachSrqStep(before, after *Moment, holds func(old, next model.Srq) bool) bool {
	for i, next := range after.state.Srqs {
		if !holds(before.state.Srqs[i], next) {
			return false
		}
	}
	return true
}

// SrqArmNotMissed: if an arm has to count the queued receives, no arm waits while there are too few (SRQ-02, SRQ-03).
func SrqArmNotMissed(m *Moment) bool {
	return m.contract.Dialect.LowAtArm != model.Must ||
		eachSrq(m, func(r model.Srq) bool { return r.Waiting == 0 || queued(m, r) >= r.Threshold })
}

// RunningLowWakes: a shared receive queue that runs low satisfies its arm, in every dialect (SRQ-02).
func RunningLowWakes(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		ranLow := queued(before, old) >= old.Threshold && queued(after, next) < next.Threshold && next.Threshold == old.Threshold
		return old.Waiting == 0 || next.Open == model.Closed || !ranLow || next.Waiting == 0 && next.Due > 0
	})
}

// SrqCallbackHasCause: a callback becomes owed only where fewer receives are queued than the threshold (SRQ-02).
func SrqCallbackHasCause(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool { return next.Due <= old.Due || queued(after, next) < next.Threshold })
}

// SrqArmIsKept: an arm ends only when it is satisfied, or with its queue (SRQ-04).
func SrqArmIsKept(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		return old.Waiting == 0 || next.Waiting > 0 || next.Due > 0 || next.Open == model.Closed
	})
}

// ModifiedAsAsked: NdkModifySrq changes the requested values. A value of 0 changes nothing: threshold and arm stay (SRQ-01, SRQ-05).
func ModifiedAsAsked(before, after *Moment, _ model.Action) bool {
	asked := func(old, asked, next int) bool { return next == old || asked != 0 && next == asked }
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		if old.Modify != model.ModifyAsked {
			return true
		}
		kept := next.Modify == model.ModifyAsked || old.AskedThreshold != 0 || next.Waiting == old.Waiting && next.Due == old.Due
		return asked(old.Depth, old.AskedDepth, next.Depth) && asked(old.Threshold, old.AskedThreshold, next.Threshold) && kept
	})
}

// ModifyKeepsReceives: it neither loses a receive nor adds one (DEF-04).
func ModifyKeepsReceives(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		return old.Modify != model.ModifyAsked || next.Modify == model.ModifyAsked || sameReceives(old, next)
	})
}

func sameReceives(a, b model.Srq) bool { return a.Queued == b.Queued && slices.Equal(a.Taken, b.Taken) }

// NoCallbackWithoutOne: without SrqNotification no callback is entered (SRQ-07).
func NoCallbackWithoutOne(m *Moment) bool {
	for i, r := range m.state.Srqs {
		if !m.contract.Srqs[i].Notifies && (r.Waiting > 0 || r.Due > 0 || r.ErrorDue || r.Running > 0) {
			return false
		}
	}
	return true
}

// SrqErrorReportedOnce: an error is reported once (SRQ-09).
func SrqErrorReportedOnce(m *Moment) bool {
	return eachSrq(m, func(r model.Srq) bool { return !r.Reported || !r.ErrorDue })
}

// FailedSrqIsUnusable: after a failure nothing is posted, taken or completed (SRQ-09).
func FailedSrqIsUnusable(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		return !old.Reported || next.Open == model.Closed || sameReceives(old, next)
	})
}

// SrqIsNotFlushed: a queued receive belongs to no QP, so it stays when one of the QPs ends (FLUSH-04).
func SrqIsNotFlushed(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool { return next.Ended == old.Ended || next.Queued == old.Queued })
}

// EndedTakesNothing: a QP in its error state takes nothing (FLUSH-06).
func EndedTakesNothing(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		return !slices.ContainsFunc(next.Taken, func(qp int) bool { return old.Ended.Has(qp) && held(next, qp) > held(old, qp) })
	})
}

// LastWqeIsLast: the report of the last receive is owed only for a QP in its error state that has no receives (FLUSH-06).
func LastWqeIsLast(m *Moment) bool {
	return eachSrq(m, func(r model.Srq) bool { return r.LastDue&^r.Ended == 0 && !slices.ContainsFunc(r.Taken, r.LastDue.Has) })
}

// ClosedSrqIsAtRest: when its close has completed, nothing of a shared receive queue is pending, and nothing is owed (LIFE-07, LIFE-09).
func ClosedSrqIsAtRest(m *Moment) bool {
	return eachSrq(m, func(r model.Srq) bool {
		owes := r.Waiting > 0 || r.Due > 0 || r.ErrorDue || r.Running > 0 || len(r.Taken) > 0 || r.LastDue != 0
		return r.Open != model.Closed || r.Modify == model.NotModifying && !owes
	})
}

// ClosedSrqStays: and nothing happens to it any more (LIFE-09).
func ClosedSrqStays(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool {
		return old.Open != model.Closed || slices.Equal(appendSrq(nil, old), appendSrq(nil, next))
	})
}

// SrqCloseStays: a close that has begun is not undone (LIFE-12).
func SrqCloseStays(before, after *Moment, _ model.Action) bool {
	return eachSrqStep(before, after, func(old, next model.Srq) bool { return old.Open == model.Open || next.Open != model.Open })
}

// OneSrqCallbackAnArm: whatever is owed, or may become owed, was bought by an arm of its own (SRQ-04).
func OneSrqCallbackAnArm(m *Moment) bool {
	for i, r := range m.state.Srqs {
		if r.Waiting+r.Due > m.shared[i].unspent {
			return false
		}
	}
	return true
}

// NoSrqCallbackAfterClose: no callback runs when close completes, or begins afterwards (LIFE-08, LIFE-09).
func NoSrqCallbackAfterClose(m *Moment) bool {
	for i, r := range m.state.Srqs {
		if r.Open == model.Closed && m.shared[i].inside != 0 {
			return false
		}
	}
	return true
}

// What must happen in the end.

// OwedSrqCallbackEntered: an owed callback is entered (SRQ-02, SRQ-03).
func OwedSrqCallbackEntered(choose rester, m Moment) bool {
	m = choose.atRest(m)
	return eachSrq(&m, func(r model.Srq) bool { return r.Due == 0 })
}

// ModifyIsAnswered: a call of NdkModifySrq is answered (ASY-01, LIFE-07).
func ModifyIsAnswered(choose rester, m Moment) bool {
	m = choose.atRest(m)
	return eachSrq(&m, func(r model.Srq) bool { return r.Modify == model.NotModifying })
}

// SrqErrorReported: an error of a shared receive queue is reported (SRQ-08, SRQ-09).
func SrqErrorReported(choose rester, m Moment) bool {
	m = choose.atRest(m)
	return eachSrq(&m, func(r model.Srq) bool { return !r.ErrorDue })
}

// LastWqeIsTold: it is reported that a QP in its error state has no receives any more, unless the queue has failed (FLUSH-06).
func LastWqeIsTold(choose rester, m Moment) bool {
	m = choose.atRest(m)
	return eachSrq(&m, func(r model.Srq) bool {
		return !slices.ContainsFunc(r.Taken, r.Ended.Has) && r.LastDue == 0 || r.Reported
	})
}

// SrqCloseCompletes: a close that was begun completes (LIFE-11).
func SrqCloseCompletes(choose rester, m Moment) bool {
	for i := range m.state.Srqs {
		m = choose.step(m, model.Action{Name: model.NdkCloseSrq, OfSrq: model.OfSrq{Srq: i}})
	}
	m = choose.atRest(m)
	return eachSrq(&m, func(r model.Srq) bool { return r.Open == model.Closed })
}
