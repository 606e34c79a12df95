package mc

import (
	"slices"

	"ndkoracle/model"
)

// What must hold of QPs: QueuePair.tla and MCQueuePair.tla.

var queues = []model.Queue{model.Initiator, model.Receive}

func executed(r model.Request) bool  { return r.Phase >= model.Executed }
func pending(r model.Request) bool   { return r.Phase < model.Executed }
func waits(r model.Request) bool     { return r.Phase < model.Unacknowledged }
func deferred(r model.Request) bool  { return r.Phase == model.Deferred }
func succeeded(r model.Request) bool { return r.Phase == model.Executed+model.Phase(model.SUCCESS) }
func cancelled(r model.Request) bool { return r.Phase == model.Executed+model.Phase(model.CANCELLED) }

// inGoodOrder reports whether nothing can have cancelled requests of a QP in this state.
func inGoodOrder(c model.Connection) bool { return c == model.Idle || c == model.Connected }

// sendsStopped reports whether a failure has stopped the initiator queue alone.
func sendsStopped(c model.Connection) bool { return c == model.SendError || c == model.SendBroken }

// QpTypeOK: the values are of their sets, and requests have flags of theirs only (POST-11, FLAG-08).
func QpTypeOK(m *Moment) bool {
	for _, p := range m.state.Qps {
		for _, queue := range queues {
			for _, r := range p.Queue(queue) {
				receives := r.Op == model.ReceiveOp
				flags := receives && (r.Silent || r.Fence) || r.Solicit && !receives && !r.Op.IsSend()
				flags = flags || r.Phase == model.Unacknowledged && !r.Op.IsSend() && r.Op != model.Write
				if r.Phase > model.Executed+model.Phase(model.CANCELLED) || r.Op > model.Write || flags || receives != (queue == model.Receive) {
					return false
				}
			}
		}
		if p.State > model.QpClosed {
			return false
		}
	}
	return true
}

// pairs reports whether every two requests of one queue are as they should be, the earlier first.
func (m *Moment) pairs(right func(earlier, later model.Request) bool) bool {
	for _, p := range m.state.Qps {
		for _, queue := range queues {
			for i, later := range p.Queue(queue) {
				for _, earlier := range p.Queue(queue)[:i] {
					if !right(earlier, later) {
						return false
					}
				}
			}
		}
	}
	return true
}

// IndicatedInOrder: requests are indicated in posting order (DEF-09).
func IndicatedInOrder(m *Moment) bool {
	return m.pairs(func(earlier, later model.Request) bool { return !deferred(earlier) || deferred(later) })
}

// ExecutedInOrder: they are executed, and arrive, in posting order; only reads are overtaken (DEF-09, POLL-09).
func ExecutedInOrder(m *Moment) bool {
	return m.pairs(func(earlier, later model.Request) bool {
		return earlier.Op == model.Read || (executed(earlier) || pending(later)) && (!waits(earlier) || waits(later))
	})
}

// FenceWaits: what waits for reads is not executed before them, nor does it arrive (FLAG-04).
func FenceWaits(m *Moment) bool {
	return m.pairs(func(earlier, later model.Request) bool {
		return earlier.Op != model.Read || executed(earlier) || !later.Fence || waits(later)
	})
}

// CancelledHasCause: no request is cancelled on a connection in good order (RES-10). A QP whose initiator queue alone is stopped still receives.
func CancelledHasCause(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool {
		return inGoodOrder(p.State) && slices.ContainsFunc(slices.Concat(p.Initiator, p.Receive), cancelled) ||
			p.State == model.SendError && slices.ContainsFunc(p.Receive, cancelled)
	})
}

// UnconnectedSendsNothing: before the connection, only receives are pending (POST-08, POST-09). In libibverbs a QP in its error state accepts posts.
func UnconnectedSendsNothing(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool {
		takes := p.State == model.BrokenIdle && m.contract.Dialect.ErrorState
		return p.State.Unconnected() && !takes && len(p.Initiator) > 0
	})
}

// NothingSucceedsUnconnected: nor does anything succeed, a receive neither (POST-08).
func NothingSucceedsUnconnected(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool {
		return p.State.Unconnected() && slices.ContainsFunc(slices.Concat(p.Initiator, p.Receive), succeeded)
	})
}

// ClosedIsEmpty: a QP whose close has completed has no requests (LIFE-07).
func ClosedIsEmpty(m *Moment) bool {
	return !slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool {
		return (p.State == model.QpCompleting || p.State == model.QpClosed) && len(p.Initiator)+len(p.Receive) > 0
	})
}

// RefusedNeverCompletes: a post that returned failure never completes (DEF-03).
func RefusedNeverCompletes(m *Moment) bool {
	for p := range m.left {
		for _, l := range m.left[p] {
			if slices.Contains(m.refused[p], l.number) {
				return false
			}
		}
	}
	return true
}

// CompletedOnce: no request completes twice (POLL-04).
func CompletedOnce(m *Moment) bool {
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
func QueueOrder(m *Moment) bool {
	for _, left := range m.left {
		last := map[model.Queue]int{}
		for _, l := range left {
			if l.of < last[l.queue] && m.contract.Dialect.A9 == model.A9Ordered {
				return false
			}
			last[l.queue] = l.of
		}
	}
	return true
}

func (l leaving) silenced() bool { return l.silent && l.status == model.SUCCESS }

// CompletedIsExecuted: a request that leaves its queue has an outcome (POLL-05).
func CompletedIsExecuted(m *Moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool { return l.status > model.CANCELLED })
}

// SilentSuccessIsSilent: a silent request that succeeded has no completion (FLAG-01, A29).
func SilentSuccessIsSilent(m *Moment) bool {
	return m.contract.Dialect.A29 != model.A29Silent ||
		!slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool { return l.silenced() && l.told })
}

// FailureIsTold: every other request does (FLAG-02, DEF-07).
func FailureIsTold(m *Moment) bool {
	return !slices.ContainsFunc(slices.Concat(m.left...), func(l leaving) bool {
		return (!l.silenced() || m.contract.Dialect.A29 == model.A29Told) && !l.told
	})
}

// RefusedIndicatesEarlier: when an initiator request is refused, nothing of that queue stays deferred (DEF-05), nor of any
// QP's (A10); nor when a receive is refused (A30).
func RefusedIndicatesEarlier(_, after *Moment, a model.Action) bool {
	d := after.contract.Dialect
	if a.Name != model.PostRefused || a.Queue == model.Receive && d.A30 != model.A30Any {
		return true
	}
	for p, qp := range after.state.Qps {
		if (p == a.Qp || d.A10 == model.A10All) && slices.ContainsFunc(qp.Initiator, deferred) {
			return false
		}
	}
	return true
}

// RefusalDropsNothing: what was deferred before a refused request is there to be executed (DEF-04, A34).
func RefusalDropsNothing(before, after *Moment, a model.Action) bool {
	for p, qp := range after.state.Qps {
		dropped := len(qp.Initiator) != len(before.state.Qps[p].Initiator)
		if a.Name == model.PostRefused && after.contract.Dialect.A34 == model.A34Executed && dropped {
			return false
		}
	}
	return true
}

func flushes(a model.Action) bool { return a.Name == model.NdkFlush || a.Name == model.NdkDisconnect }

// FlushCancelsAll: a flush cancels all pending requests, deferred or not, except for those that it may strand (FLUSH-01, FLUSH-02, A31).
func FlushCancelsAll(before, after *Moment, a model.Action) bool {
	if !flushes(a) {
		return true
	}
	for _, queue := range queues {
		old, new := before.state.Qps[a.Qp].Queue(queue), after.state.Qps[a.Qp].Queue(queue)
		if len(new) != len(old) {
			return false
		}
		for i, r := range new {
			stranded := deferred(r) && after.contract.Dialect.A31 == model.A31Stranded
			if pending(old[i]) && !cancelled(r) && !stranded {
				return false
			}
		}
	}
	return true
}

// FlushMeetsNoChain: if only a post ends a chain, no request is deferred when a flush is called (DEF-06, A11).
func FlushMeetsNoChain(before, _ *Moment, a model.Action) bool {
	return !flushes(a) || before.contract.Dialect.A11 != model.A11Post ||
		!slices.ContainsFunc(before.state.Qps[a.Qp].Initiator, deferred)
}

// CancelledAfterFlush: if the reading demands it, requests posted after the flush of a QP that was connected are cancelled (FLUSH-05, A15).
func CancelledAfterFlush(before, after *Moment, a model.Action) bool {
	if before.contract.Dialect.A15 != model.A15Cancelled {
		return true
	}
	leaves := []model.Connection{model.Flushed, model.Aborted, model.BrokenIdle, model.Ended, model.Disconnected}
	if flushes(a) && !slices.Contains(leaves, after.state.Qps[a.Qp].State) {
		return false
	}
	for p, qp := range before.state.Qps {
		for _, queue := range queues {
			just := justExecuted(before, after, p, queue)
			if qp.State == model.Flushed && slices.ContainsFunc(just, func(r model.Request) bool { return !cancelled(r) }) {
				return false
			}
		}
	}
	return true
}

// justExecuted is JustExecuted: the requests of one queue that got an outcome in this step.
func justExecuted(before, after *Moment, p int, queue model.Queue) []model.Request {
	was, is := before.state.Qps[p].Queue(queue), after.state.Qps[p].Queue(queue)
	var just []model.Request
	for i := range is {
		if len(is) == len(was) && executed(is[i]) && pending(was[i]) {
			just = append(just, is[i])
		}
	}
	return just
}

// justArrived is JustArrived: the messages and writes of p that arrived at its peer in this step.
func justArrived(before, after *Moment, p int) []model.Request {
	was := before.state.Qps[p].Initiator
	var just []model.Request
	for i, r := range after.state.Qps[p].Initiator {
		if i < len(was) && r.Phase == model.Unacknowledged && waits(was[i]) && was[i].Id == r.Id {
			just = append(just, r)
		}
	}
	return just
}

// FailureBreaks: a request that fails breaks the connection, for which others may be cancelled; a success does not (inferred
// from RES-10). The first that is cancelled for it ends the connection (A40).
func FailureBreaks(before, after *Moment, _ model.Action) bool {
	for p, old := range before.state.Qps {
		new := after.state.Qps[p].State
		ended := slices.Concat(justExecuted(before, after, p, model.Initiator), justExecuted(before, after, p, model.Receive))
		failed := slices.ContainsFunc(ended, func(r model.Request) bool { return !succeeded(r) && !cancelled(r) })
		d, apart := before.contract.Dialect, before.contract.Qps[p].Type.Promise().SendsApart
		if ends := d.FailureEnds || d.A40 == model.A40Ends; failed && ends &&
			(new == model.Doubtful || new == model.Broken || new == model.CloseWaits || sendsStopped(new) && !apart) {
			return false
		}
		if old.State == model.Doubtful && slices.ContainsFunc(ended, cancelled) && (new == model.Doubtful || new == model.Broken) {
			return false
		}
		allSucceeded := len(ended) > 0 && !slices.ContainsFunc(ended, func(r model.Request) bool { return !succeeded(r) })
		aborted := model.Aborted
		if old.State.Closing() {
			aborted = model.QpClosing
		}
		if failed && inGoodOrder(new) || allSucceeded && new != old.State && new != aborted {
			return false
		}
	}
	return true
}

// FlushIsOwn: requests of two QPs are cancelled in one step only where the connection between them is aborted (FLUSH-04).
func FlushIsOwn(before, after *Moment, _ model.Action) bool {
	var reached []model.Connection
	for p, qp := range after.state.Qps {
		just := slices.Concat(justExecuted(before, after, p, model.Initiator), justExecuted(before, after, p, model.Receive))
		if slices.ContainsFunc(just, cancelled) {
			reached = append(reached, qp.State)
		}
	}
	return len(reached) < 2 || !slices.ContainsFunc(reached, func(c model.Connection) bool { return c != model.Aborted && c != model.QpClosing })
}

// NothingSucceedsEnded: nothing succeeds on a connection that has ended, that was disconnected, or on an initiator queue that a
// failure has stopped (FLUSH-06, DISC-10).
func NothingSucceedsEnded(before, after *Moment, _ model.Action) bool {
	for p, old := range before.state.Qps {
		for _, queue := range queues {
			over := old.State == model.Ended || old.State == model.Disconnected || sendsStopped(old.State) && queue == model.Initiator
			if over && slices.ContainsFunc(justExecuted(before, after, p, queue), succeeded) {
				return false
			}
		}
	}
	return true
}

// FlushLeavesErrorState: in libibverbs a flush moves a QP that was connected into its error state, which only a new creation ends (FLUSH-06).
func FlushLeavesErrorState(before, after *Moment, a model.Action) bool {
	for p, old := range before.state.Qps {
		new := after.state.Qps[p].State
		if !before.contract.Dialect.ErrorState {
			return true
		}
		leaves := []model.Connection{model.Ended, model.BrokenIdle, model.Aborted, model.Disconnected}
		if a.Name == model.NdkFlush && a.Qp == p && !slices.Contains(leaves, new) {
			return false
		}
		if old.State == model.Ended && new != model.Ended && new != model.Disconnected && !new.Closing() {
			return false
		}
	}
	return true
}

// CloseCancels: the close of a QP cancels the pending requests when it no longer waits, or after a failure that ended the wait. It waits only if the
// reading permits it (LIFE-10, A36).
func CloseCancels(before, after *Moment, a model.Action) bool {
	d := before.contract.Dialect
	for p, old := range before.state.Qps {
		new := after.state.Qps[p]
		failed := (d.FailureEnds || d.A40 == model.A40Ends) && old.State == model.CloseWaits
		begins := old.State != model.QpClosing && new.State == model.QpClosing && !failed || a.Name == model.CloseBegins && a.Qp == p
		if begins && slices.ContainsFunc(slices.Concat(new.Initiator, new.Receive), pending) {
			return false
		}
		if new.State == model.CloseWaits && (d.A36 == model.A36No || d.ErrorState) {
			return false
		}
	}
	return true
}

// InvalidMeansNotConnected: a post is refused with STATUS_CONNECTION_INVALID only where nothing succeeds without a connection
// anew (POST-08).
func InvalidMeansNotConnected(before, _ *Moment, a model.Action) bool {
	connected := []model.Connection{model.Connected, model.Doubtful, model.Broken, model.Flushed, model.SendError, model.SendBroken}
	return a.Name != model.PostRefused || !a.Invalid || !slices.Contains(connected, before.state.Qps[a.Qp].State)
}

// DisconnectedIsLeft: if that is how it is read, nothing is posted on a disconnected QP (DISC-09, A38).
func DisconnectedIsLeft(before, _ *Moment, a model.Action) bool {
	posts := a.Name == model.Post || a.Name == model.PostRefused
	return !posts || before.contract.Dialect.A38 != model.A38Reuse || before.state.Qps[a.Qp].State != model.Disconnected
}

// OutcomeStays: what has its outcome keeps it (FLUSH-01).
func OutcomeStays(before, after *Moment, _ model.Action) bool {
	for p := range before.state.Qps {
		for _, queue := range queues {
			for _, old := range before.state.Qps[p].Queue(queue) {
				if executed(old) && slices.ContainsFunc(after.state.Qps[p].Queue(queue), func(r model.Request) bool {
					return r.Id == old.Id && r != old
				}) {
					return false
				}
			}
		}
	}
	return true
}

// ClosingTakesNothing: nothing is posted on a QP once its close has begun (LIFE-06).
func ClosingTakesNothing(before, after *Moment, _ model.Action) bool {
	for p, old := range before.state.Qps {
		new := after.state.Qps[p]
		if old.State.Closing() &&
			(!new.State.Closing() || len(new.Initiator) > len(old.Initiator) || len(new.Receive) > len(old.Receive)) {
			return false
		}
	}
	return true
}
