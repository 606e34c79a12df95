package stream

import (
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A call returns, and one that returned STATUS_PENDING is answered by a completion callback (ASY-01, ASY-02, LIFE-11).

// A pendingCall returned STATUS_PENDING, or was answered before it returned.
type pendingCall struct {
	*underWay
	answers  int
	answered int // the line of the first answer
	by       string
	ret      moment // 0 while it has not returned
}

// answers keeps what is known of the calls that completion callbacks may be for, by op: those that wait for one, and the
// latest of those that do no more.
type answers struct {
	waiting map[string]*pendingCall
	over    map[string]overCall
	fifo    []string // of over, in the order in which they came
	order   []string // of waiting
}

// overCall is what became of a call that waits for no answer.
type overCall struct {
	group    *group
	line     int
	name     string
	answer   string
	answered int  // the line of the answer, or 0 where it was to have none
	late     bool // it was told to be missing, and has not come
}

// callReturned takes the return of a call.
func (s *Stream) callReturned(u *underWay, e *trace.Event) {
	mayPend := u.MayPend
	a := &s.answers
	w := a.waiting[e.Op]
	switch {
	case mayPend && calls.Pending(e):
		s.exercised("ASY-01")
		if w == nil {
			w = &pendingCall{underWay: u}
			a.wait(e.Op, w)
		}
		if w.ret = s.at; w.answers > 0 {
			s.callOver(e.Op, w, overCall{answer: calls.StatusPending, answered: w.answered})
		}
		return
	case w != nil:
		s.exercised("ASY-02")
		s.report(u.group(), verdict.ProviderViolation, "ASY-02", 0, []int{u.line, w.answered}, "%s returned %s, and %s came all the same",
			u.name(), answerOf(u.fn, e), w.by)
	case mayPend:
		s.exercised("ASY-02")
	}
	if mayPend || w != nil || rare(u.Kind) && trace.Known(u.fn) {
		s.callOver(e.Op, &pendingCall{underWay: u}, overCall{answer: answerOf(u.fn, e)})
	}
}

// rare reports whether calls are so few that each may be remembered, for the completion callback that it is to have none of.
func rare(k calls.Kind) bool {
	return k != calls.Post && k != calls.PollCq && k != calls.ArmCq && k != calls.ReadEvent
}

func (a *answers) wait(op string, w *pendingCall) {
	a.waiting[op] = w
	a.order = append(a.order, op)
}

// callOver notes that a call waits for no answer any more.
func (s *Stream) callOver(op string, w *pendingCall, o overCall) {
	a := &s.answers
	if _, was := a.waiting[op]; was {
		delete(a.waiting, op)
		a.order = slices.DeleteFunc(a.order, func(other string) bool { return other == op })
	}
	o.group, o.line, o.name = w.group(), w.line, w.name()
	a.over[op] = o
	if a.fifo = append(a.fifo, op); len(a.fifo) > maxPast {
		delete(a.over, a.fifo[0])
		a.fifo = a.fifo[1:]
	}
}

// completed takes the completion callback for the call op.
func (s *Stream) completed(e *trace.Event) {
	op := e.For
	if u := s.open.find(op); u != nil && s.answers.waiting[op] == nil { // it comes before the call has returned
		s.answers.wait(op, &pendingCall{underWay: u, answers: 1, answered: e.Line, by: e.Fn})
		s.answered(u, e)
		return
	}
	if w := s.answers.waiting[op]; w != nil {
		if w.answers++; w.answers == 1 {
			w.answered, w.by = e.Line, e.Fn
			s.answered(w.underWay, e)
			s.callOver(op, w, overCall{answer: calls.StatusPending, answered: e.Line})
			return
		}
		s.twice(w.group(), w.name(), w.line, w.answered)
		return
	}
	switch o, known := s.answers.over[op]; {
	case !known: // of a call that the trace does not hold, or holds too far back
	case o.late:
		o.late, o.answered = false, e.Line
		s.answers.over[op] = o
	case o.answered != 0:
		s.twice(o.group, o.name, o.line, o.answered)
	default:
		s.exercised("ASY-02")
		s.report(o.group, verdict.ProviderViolation, "ASY-02", 0, []int{o.line},
			"%s returned %s, and %s came all the same", o.name, o.answer, e.Fn)
	}
}

// answered takes the completion callback of a call, where that is a creation, a resize, a connect or a disconnect.
func (s *Stream) answered(u *underWay, e *trace.Event) {
	switch u.Kind {
	case calls.CreateCq:
		u.cq.exists = u.cq.exists || calls.ReportsSuccess(e)
	case calls.CreateQp:
		u.qp.exists = u.qp.exists || calls.ReportsSuccess(e)
	case calls.ResizeCq:
		u.cq.resizes.told = e.Op
		u.cq.resizeAnswered(u, calls.ReportsSuccess(e), nil)
	case calls.ConnectQp:
		u.qp.connectAnswered(u, calls.ReportsSuccess(e))
	case calls.FlushQp:
		if u.qp == nil {
			return // it was of the connector alone
		}
		u.qp.flushAnswered(u, calls.ReportsSuccess(e))
	}
}

func (s *Stream) twice(g *group, name string, lines ...int) {
	s.report(g, verdict.ProviderViolation, "ASY-01", 0, lines, "%s was completed a second time", name)
}

// checkAnswers looks, at a moment of rest at which no callback is running, for calls that wait for nobody but the provider.
func (s *Stream) checkAnswers() {
	if s.running > 0 {
		return // the consumer may hold up the provider
	}
	for _, op := range slices.Clone(s.answers.order) {
		w := s.answers.waiting[op]
		if w.ret == 0 || !s.waitsForNobody(w.underWay) {
			continue
		}
		rule, also := "ASY-01", []string(nil)
		if w.Kind == calls.CloseCq || w.Kind == calls.CloseQp {
			rule, also = "LIFE-11", []string{"ASY-01"}
			s.exercised("LIFE-11")
		}
		s.report(w.group(), verdict.ProviderViolation, rule, 0, []int{w.line},
			"the provider was at rest, and %s, which returned STATUS_PENDING, had not completed, "+
				"though nothing is left that it has to wait for", w.name())
		s.also(also...)
		s.callOver(op, w, overCall{answer: calls.StatusPending, late: true})
	}
}

// waitsForNobody reports whether a call that is pending waits for nobody but the provider. A CQ waits for its QPs: their
// close has completed, and that callback returned (LIFE-04, LIFE-05); and for a resize (LIFE-07).
func (s *Stream) waitsForNobody(u *underWay) bool {
	switch {
	case calls.WaitsForProvider(u.fn):
		return true
	case u.Kind == calls.CloseCq:
		return u.cq.created && u.cq.resizes.open == nil && !slices.ContainsFunc(s.qpsInOrder, func(p *qp) bool {
			uses := !p.created || p.lanes[0].cq == u.cq || p.lanes[1].cq == u.cq
			return uses && !p.gone
		})
	case u.Kind == calls.CloseQp:
		return u.qp.created && u.qp.connected == 0
	}
	return false // its connector is closed first, and the trace does not tell when
}

// checkQpsClosed is LIFE-04 and LIFE-05 for a CQ whose close completes now: so have the closes of its QPs, and the callbacks that
// said so have returned. One whose call has not returned may have.
func (q *cq) checkQpsClosed() {
	for id, n := range map[string]int{"LIFE-04": q.retiredQps, "LIFE-05": q.leftQps} {
		if n > 0 {
			q.s.counts[id] += n
		}
	}
	for _, l := range q.lanes {
		p := l.qp
		if !p.exists || l.queue == model.Receive && p.lanes[model.Initiator].cq == q {
			continue // it was no QP, or is known already
		}
		q.s.exercised("LIFE-04")
		if p.leaving {
			q.s.exercised("LIFE-05")
		}
		switch {
		case p.gone:
		case p.leaving:
			q.s.report(q.group, verdict.ProviderViolation, "LIFE-05", 0, nil,
				"the close of %s completed while the callback was running that completed the close of %s, which uses it", q.name, p.name)
			q.s.also("LIFE-04")
		case p.closing == 0 || p.closed != 0:
			q.s.report(q.group, verdict.ProviderViolation, "LIFE-04", 0, nil,
				"the close of %s completed before that of %s, which uses it", q.name, p.name)
		}
	}
}

// checkHung looks, where the provider ended at rest, for calls and callbacks that never returned. Of those on one thread the
// last is to blame: the others wait for it.
func (s *Stream) checkHung() {
	open := s.open.all()
	within := map[string][]*underWay{}
	for _, u := range open {
		within[u.thr] = append(within[u.thr], u)
	}
	last := slices.DeleteFunc(slices.Clone(open), func(u *underWay) bool {
		on := within[u.thr]
		return on[len(on)-1] != u
	})
	held := false
	for _, u := range last {
		if u.entered {
			held = true
			s.undecidedAt(u, "%s never returned: that is the consumer's, and what waits for it can't be judged", u.name())
		}
	}
	if held {
		return
	}
	for _, u := range last {
		s.checkHungCall(u, within[u.thr])
	}
}

// checkHungCall says which rule a call breaks that never returned, if one says that it does return. Called from within a
// callback of its CQ it keeps that callback from returning: such a deadlock is the provider's (A27).
func (s *Stream) checkHungCall(u *underWay, around []*underWay) {
	inCallback := slices.ContainsFunc(around, func(o *underWay) bool { return o.Kind == calls.Callback && o.cq == u.cq })
	see := []int{u.line}
	for _, o := range around {
		see = append(see, o.line)
	}
	switch {
	case strings.HasPrefix(u.fn, "ibv_get_"), strings.HasPrefix(u.fn, "ibv_destroy_"), u.fn == "NdkCloseAdapter":
		// They may wait for the consumer.
	case u.Kind == calls.Post && !u.Verbs:
		s.report(u.group(), verdict.ProviderViolation, "POST-10", 0, see[:1], "%s never returned: a post answers at once", u.name())
	case (u.Kind == calls.ArmCq || u.Kind == calls.PollCq) && inCallback:
		s.report(u.group(), verdict.ProviderViolation, "ARM-06", 0, see, "%s, called within a callback of %s, never returned: "+
			"the callback can't return either, and none can follow it", u.name(), u.cq.name)
	case u.Kind == calls.CloseCq && inCallback:
		s.report(u.group(), verdict.ProviderViolation, "ARM-20", 0, see, "%s, called within a callback of %s, never returned: "+
			"it is to stay pending until the callback has returned", u.name(), u.cq.name)
	case trace.Known(u.fn):
		s.undecidedAt(u, "%s never returned: what became of it, and of what waits for it, can't be judged", u.name())
	}
}

// group returns the group of the object that a call is of, or nil.
func (u *underWay) group() *group {
	switch {
	case u.cq != nil:
		return u.cq.group
	case u.qp != nil:
		return u.qp.group
	}
	return nil
}

// name says which call or callback it is, and of which object.
func (u *underWay) name() string {
	name := u.fn
	if u.Kind == calls.Callback {
		name = "the callback"
	}
	switch {
	case u.wr != "":
		name += " of " + u.wr
	case u.cq != nil:
		name += " of " + u.cq.name
	case u.qp != nil:
		name += " of " + u.qp.name
	}
	return name
}
