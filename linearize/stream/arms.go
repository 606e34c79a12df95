package stream

import (
	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// armedFor is what is certain of the arms of a CQ: enough to count when the rules of arms had something to say. Where explanations differ,
// nothing is counted.
type armedFor struct {
	arm     model.Arm // the type of the latest
	called  moment    // … when it was called
	empty   bool      // … nothing was outstanding then, so that the CQ was empty
	mixed   bool      // … others came before it since the latest callback
	before  moment    // the latest callback before it
	entered moment    // the latest callback
	owedFor model.Arm // what that callback was owed for, until a completion that matches is delivered; or NONE
	found   bool      // what the latest arm found is counted
}

// countArm takes the call of an arm.
func (q *cq) countArm(arm model.Arm) {
	a := &q.certain
	*a = armedFor{arm: arm, called: q.s.at, empty: q.pending == 0 && q.shown == 0, mixed: a.called > a.entered, before: a.entered, entered: a.entered}
}

// countEntered takes the entry of a callback for completions.
func (q *cq) countEntered() {
	a := &q.certain
	d := q.s.dialect
	if a.empty && !a.mixed && a.called > a.entered && !d.ExtraEvent && d.A5 == model.A5MustNot && d.A25 == model.A25No {
		if a.owedFor = a.arm; a.arm == model.ANY {
			q.s.exercised("ARM-09")
		}
	}
	a.entered = q.s.at
}

// countDelivered takes a completion of a kind, which a poll is about to deliver.
func (q *cq) countDelivered(p *poll, r *posting, kinds automaton.Kinds) {
	a, failed := &q.certain, kinds&(automaton.Failed|automaton.Cancelled) == kinds
	if p.call.call < max(a.called, a.entered) {
		return // which of the two came first is not certain
	}
	if a.owedFor == model.SOLICITED && r.called > a.called {
		switch {
		case failed:
			q.s.exercised("ARM-11")
		case kinds == automaton.Solicited:
			q.s.exercised("ARM-10")
		}
		if kinds != automaton.Plain {
			a.owedFor = model.NONE
		}
	}
	if arm, known := q.queue.Arm(); known && r.called > a.called {
		switch { // it was placed while the CQ was armed so, and left the arm as it was
		case arm == model.SOLICITED && kinds == automaton.Plain:
			q.s.exercised("ARM-12")
		case arm == model.ERRORS && kinds&(automaton.Failed|automaton.Cancelled) == 0:
			q.s.exercised("ARM-08")
		}
	}
	old := a.before == 0 && q.s.dialect.A26 == model.A26Old // unless a callback was entered that is not told of yet
	if r.owed == 0 || r.owed >= a.called || a.found || old {
		return
	}
	if fresh := r.called > a.before; fresh || r.owed <= a.before { // it was there when the CQ was armed
		a.found = true
		if fresh && !a.mixed && (a.arm == model.ANY || a.arm == model.SOLICITED && kinds&automaton.Plain == 0) {
			q.s.exercised("ARM-04")
			return
		}
		q.s.exercised("ARM-05")
	}
}
