package mc

import (
	"slices"

	"ndkoracle/model"
)

// What must happen in the end (the liveness of tla/), as far as a run without end can be had: the steps that fairness
// promises are taken until none is left, and then what was owed must have been done. Each function prepares a moment as the
// consumer would, lets the provider come to rest, and says whether the promise was kept.
var liveness = map[string]func(rester, Moment) bool{
	"OwedCallbackEntered":      OwedCallbackEntered,
	"ResizeIsAnswered":         ResizeIsAnswered,
	"CloseCompletes":           CloseCompletes,
	"CloseQpCompletes":         CloseQpCompletes,
	"CloseCqCompletes":         CloseCqCompletes,
	"EveryCompletionDelivered": EveryCompletionDelivered,
	"ErrorReported":            ErrorReported,
	"EveryRequestCompletes":    EveryRequestCompletes,
	"FlushCompletesAll":        FlushCompletesAll,
	"NothingStranded":          NothingStranded,
	"EndedCompletesAll":        EndedCompletesAll,
	"EveryCompletionPolled":    EveryCompletionPolled,
	"OwedSrqCallbackEntered":   OwedSrqCallbackEntered,
	"ModifyIsAnswered":         ModifyIsAnswered,
	"SrqErrorReported":         SrqErrorReported,
	"LastWqeIsTold":            LastWqeIsTold,
	"SrqCloseCompletes":        SrqCloseCompletes,
}

// A rester chooses one of n steps.
type rester func(n int) int

// atRest lets the provider work, and the consumer poll, until nothing is left to do. Every step shortens what is left; one
// who finds more to do than a run can leave goes round in circles, and is not at rest.
func (choose rester) atRest(m Moment) Moment {
	for range 1000 {
		var steps []model.Action
		for _, a := range m.contract.Enabled(m.state, model.Domain{Room: []int{1}, Places: 6}) {
			switch a.Name {
			case model.NdkCqNotificationCallbackEnter, model.NdkCqNotificationCallbackExit, model.Resize,
				model.NdkRequestCompletionEnter, model.NdkRequestCompletionExit, model.NdkCloseCompletion,
				model.CloseBegins, model.NdkCloseCompletionEnter, model.NdkCloseCompletionExit,
				model.Complete, model.CompletionLost, model.Deliver, model.Abort,
				model.CompleteReceive, model.LastWqeReached, model.SrqModified, model.SrqModifyTold,
				model.NdkSrqNotificationCallbackEnter, model.NdkSrqNotificationCallbackExit, model.SrqClosed:
				steps = append(steps, a)
			case model.NdkGetCqResults:
				if a.K > 0 {
					steps = append(steps, a)
				}
			case model.Execute:
				if a.Queue == model.Initiator || a.Outcome == model.CANCELLED && !m.mayWait(a.Qp, a.Queue) {
					steps = append(steps, a)
				}
			}
		}
		if len(steps) == 0 {
			return m
		}
		m = choose.step(m, steps[choose(len(steps))])
	}
	return m
}

// mayWait reports whether a request of the queue may wait for what the peer does.
func (m Moment) mayWait(p int, queue model.Queue) bool {
	return m.contract.Dialect.MayWait(m.state.Qps[p].State, m.contract.Qps[p].Type, queue)
}

// EndedCompletesAll: each request posted on a QP in its error state, or on one that was disconnected, completes, receives included (FLUSH-06, DEF-04).
func EndedCompletesAll(choose rester, m Moment) bool {
	m = choose.atRest(m)
	for p, qp := range m.state.Qps {
		over := qp.State == model.Ended && m.contract.Dialect.ErrorState || qp.State == model.Disconnected
		if over && len(qp.Receive) > 0 && m.canComplete(p, model.Receive) {
			return false
		}
	}
	return true
}

// step performs an action if it is enabled.
func (choose rester) step(m Moment, a model.Action) Moment {
	if next, refusal := m.contract.Step(m.state, a); refusal == nil {
		return m.after(a, next[choose(len(next))])
	}
	return m
}

// OwedCallbackEntered: an owed callback is entered, at the latest after the running one has returned (ARM-03, ARM-06). If no callback is entered on an
// empty CQ, it waits for a completion (A6).
func OwedCallbackEntered(choose rester, m Moment) bool {
	for _, q := range choose.atRest(m).state.Cqs {
		waits := m.contract.Dialect.A6 == model.A6Never && len(q.Entries) == 0
		if q.Due > 0 && !waits || q.ErrorDue || q.Running {
			return false
		}
	}
	return true
}

// ResizeIsAnswered: a resize that was asked for is answered, also while the CQ is being closed (ASY-01, LIFE-07).
func ResizeIsAnswered(choose rester, m Moment) bool {
	for i := range m.state.Cqs {
		m = choose.step(m, model.Action{Name: model.NdkResizeCq, Cq: i, Depth: 1})
		m = choose.step(m, model.Action{Name: model.NdkCloseCq, Cq: i})
	}
	for _, q := range choose.atRest(m).state.Cqs {
		if q.Resize != model.NotResizing {
			return false
		}
	}
	return true
}

// CloseCompletes: a close that was begun completes (LIFE-11).
func CloseCompletes(choose rester, m Moment) bool {
	for i := range m.state.Cqs {
		m = choose.step(m, model.Action{Name: model.NdkCloseCq, Cq: i})
	}
	for _, q := range choose.atRest(m).state.Cqs {
		if q.Open != model.Closed {
			return false
		}
	}
	return true
}

// CloseQpCompletes: the close of a QP completes (LIFE-10, LIFE-11). Where its completions have to be kept (A21), it may wait
// for a CQ that has no room for them.
func CloseQpCompletes(choose rester, m Moment) bool {
	m = choose.atRest(closingQps(choose, m))
	return m.contract.Dialect.A21 == model.A21Kept ||
		!slices.ContainsFunc(m.state.Qps, func(p model.Qp) bool { return p.State != model.QpClosed })
}

// CloseCqCompletes: the close of a CQ completes when all its QPs are being closed, whichever close was called first (LIFE-04, LIFE-11).
func CloseCqCompletes(choose rester, m Moment) bool {
	whole := *m.contract
	whole.Composed = true
	m.contract = &whole
	for i := range m.state.Cqs {
		m = choose.step(m, model.Action{Name: model.NdkCloseCq, Cq: i})
	}
	if m.contract.Dialect.A21 == model.A21Kept {
		return true // a CQ that is not polled any more may have no room for the completions that have to be kept
	}
	return CloseCompletes(choose, closingQps(choose, m))
}

// closingQps closes all QPs.
func closingQps(choose rester, m Moment) Moment {
	for i := range m.state.Qps {
		m = choose.step(m, model.Action{Name: model.NdkCloseQp, Qp: i})
	}
	return m
}

// EveryCompletionDelivered: the completion of each executed request is polled eventually (DEF-04, FLAG-02, FLUSH-02).
func EveryCompletionDelivered(choose rester, m Moment) bool {
	m = choose.atRest(m)
	for p, qp := range m.state.Qps {
		for _, queue := range queues {
			waits := slices.ContainsFunc(m.state.Cqs[m.contract.Qps[p].Cq(queue)].Entries, func(c model.Completion) bool { return c.Qp == p })
			if m.canComplete(p, queue) && !qp.State.Closing() && (waits || slices.ContainsFunc(qp.Queue(queue), executed)) {
				return false
			}
		}
	}
	return true
}

// ErrorReported: a consumer that keeps arming its CQ learns of the error (ARM-08), unless it may be lost (A1).
func ErrorReported(choose rester, m Moment) bool {
	for i := range m.state.Cqs {
		m = choose.step(m, model.Action{Name: model.NdkArmCq, Cq: i, Type: model.ANY})
	}
	for _, q := range choose.atRest(m).state.Cqs {
		if m.contract.Dialect.ErrorsArm && m.contract.Dialect.A1 != model.A1Lost && q.Health != model.OK && !q.Reported && q.Open == model.Open {
			return false
		}
	}
	return true
}

// canComplete reports whether the completions of a queue can be placed and polled.
func (m Moment) canComplete(p int, queue model.Queue) bool {
	q := m.state.Cqs[m.contract.Qps[p].Cq(queue)]
	return q.Open == model.Open && q.Health == model.OK
}

// EveryRequestCompletes: each accepted request completes, if the consumer ends its chains (DEF-04, DEF-06, FLAG-02). Receives, and sends whose peer is
// known, wait for each other.
func EveryRequestCompletes(choose rester, m Moment) bool {
	for p := range m.state.Qps {
		m = choose.step(m, model.Action{Name: model.Post, Qp: p, Request: model.Request{Id: m.posts[p] + 1, Op: model.Write, Token: model.NoToken}})
	}
	return initiatorsAreEmpty(choose.atRest(m))
}

// NothingStranded: what was deferred before a refused post completes, even if nothing is ever posted again (DEF-05).
func NothingStranded(choose rester, m Moment) bool {
	for p := range m.state.Qps {
		m = choose.step(m, model.Action{Name: model.PostRefused, Qp: p, Request: model.Request{Op: model.Write, Token: model.NoToken}})
	}
	return initiatorsAreEmpty(choose.atRest(m))
}

func initiatorsAreEmpty(m Moment) bool {
	for p, qp := range m.state.Qps {
		if len(qp.Initiator) > 0 && m.canComplete(p, model.Initiator) {
			return false
		}
	}
	return true
}

// FlushCompletesAll: what was queued when NdkFlush was called completes, receives and open chains included (FLUSH-02), but for what
// may be stranded in them (A31).
func FlushCompletesAll(choose rester, m Moment) bool {
	for p := range m.state.Qps {
		m = choose.step(m, model.Action{Name: model.NdkFlush, Qp: p})
	}
	m = choose.atRest(m)
	for p, qp := range m.state.Qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			owed := slices.ContainsFunc(qp.Queue(queue), func(r model.Request) bool {
				return !deferred(r) || m.contract.Dialect.A31 == model.A31Cancelled
			})
			if owed && m.canComplete(p, queue) {
				return false
			}
		}
	}
	return true
}

// EveryCompletionPolled: a consumer that follows a pattern which is correct under all readings polls the completions that it waits for (ARM-03). It is
// new to its CQ, which has no earlier completions, and some completions are placed while it works. If no callback is entered on an empty CQ (A6), it
// may sleep while a callback is owed.
func EveryCompletionPolled(choose rester, m Moment) bool {
	m = choose.atRest(m)
	if q := m.state.Cqs[0]; q.Open != model.Open || q.Health != model.OK {
		return true
	}
	right := []string{"arm, drain, sleep", "drain, arm, drain, sleep", "callback: arm, drain", "callback: drain, arm, drain"}
	m.consumer = consumer{pattern: right[choose(len(right))], awaits: model.SOLICITED + model.Arm(choose(2)), at: [2]int{mainLoop: 1}}
	machine := Machine{contract: m.contract, steps: stepsOfConsumer(m.contract, 2, false),
		bounds: bounds{forgets: true, may: func(*Moment, *model.Action) bool { return true }}}
	type change struct {
		Moment
		places bool
	}
	arrivals := 4
	for range 1000 {
		var next []change
		for _, s := range machine.steps {
			if s.action.Name == model.ExtraEvent || s.action.Name == model.Place && arrivals == 0 {
				continue
			}
			moments, _ := machine.try(&m, &s, nil)
			for _, n := range moments {
				next = append(next, change{n, s.action.Name == model.Place})
			}
		}
		if len(next) == 0 {
			waits := m.contract.Dialect.A6 == model.A6Never && len(m.state.Cqs[0].Entries) == 0
			return (m.asleep() || waits) && NoCompletionSleptThrough(&m)
		}
		taken := next[choose(len(next))]
		if m = taken.Moment; taken.places {
			arrivals--
		}
	}
	return false
}
