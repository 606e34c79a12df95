package stream

import (
	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/model"
	"ndkoracle/trace"
	"slices"
)

// arming is what is known of the arms of a CQ: those that are under way, the latest, and what all of them have exercised.
type arming struct {
	underWay []*underWay // NdkArmCq that have not returned
	latest   model.Arm   // the type of the latest arm
	calledAt eventIndex  // the latest call of an arm
	restLine int         // the line of the first moment of rest after it, or 0
	certain  armedFor
	cases    armCases
}

// armedFor is what is certain of the arms of a CQ: enough to count when the rules of arms had something to say. Where
// explanations differ, nothing is counted.
type armedFor struct {
	arm     model.Arm  // the type of the latest
	called  eventIndex // when the latest arm was called
	empty   bool       // nothing was outstanding at the latest arm, so that the CQ was empty
	alone   bool       // exactly one request was outstanding at the latest arm
	mixed   bool       // other arms preceded it since the latest callback
	before  eventIndex // the latest callback before it
	entered eventIndex // the latest callback
	owedFor model.Arm  // what that callback was owed for, until a completion that matches is delivered; or NONE
	found   bool       // what the latest arm found is counted
}

// mayArm is what arms may have exercised: what they have not is vacuous, though not all that they have is counted.
type mayArm struct {
	types [model.ANY + 1]bool // that the consumer armed for
	found bool                // some CQ may have held a completion when it was armed
	again bool                // some CQ may have been armed already when it was armed
	fails bool                // some CQ may have failed
}

// mayExercise lists the rules that are not always counted, and whether anything may have exercised each.
func (m *mayArm) mayExercise() map[string]bool {
	solicited, rules := m.types[model.SOLICITED], map[string]bool{}
	for o, may := range map[declared.Occasion]bool{declared.ArmMeetsFresh: m.found, declared.ArmMeetsOthers: m.found, declared.ArmsAgain: m.again,
		declared.PlacedErrors: m.types[model.ERRORS], declared.PlacedAny: m.types[model.ANY], declared.PlacedSolicits: solicited,
		declared.PlacedFails: solicited, declared.PlacedPlain: solicited, declared.CqFails: m.fails} {
		for _, id := range declared.By(o) {
			rules[id] = may
		}
	}
	return rules
}

// countArm handles the call of an arm.
func (q *cq) countArm(u *underWay) {
	a, may := &q.arms.certain, &q.s.may
	outstanding := q.load() > 0
	may.types[u.arm], may.found = true, may.found || outstanding
	for _, other := range q.arms.underWay {
		other.merging = anyArm
	}
	u.merging, u.nothing = q.mayBeArmed(), !outstanding
	may.again = may.again || u.merging != 1<<model.NONE
	q.arms.cases.asked[u.arm]++
	if q.calling > 0 {
		q.s.cases.Met(cases.ArmInCallback)
	}
	*a = armedFor{arm: u.arm, called: q.s.at, empty: !outstanding, alone: q.load() == 1, mixed: a.called > a.entered,
		before: a.entered, entered: a.entered}
	if q.isFollowed() && outstanding && q.queue.Aged() == q.load() {
		u.aged = true
	}
}

// countEntered handles the entry of a callback for completions.
func (q *cq) countEntered() {
	a := &q.arms.certain
	d := &q.s.dialect
	if a.empty && !a.mixed && a.called > a.entered && !d.ExtraEvent && d.A5 == model.A5MustNot && d.A25 == model.A25No {
		if a.owedFor = a.arm; a.arm == model.ANY {
			q.s.meets(declared.PlacedAny)
		}
	}
	a.entered = q.s.at
}

// countDelivered handles a completion of a kind, which a poll is about to deliver.
func (q *cq) countDelivered(p *poll, r *request, kinds automaton.Kinds) {
	a, failed := &q.arms.certain, kinds&(automaton.Failed|automaton.Cancelled) == kinds
	if p.call.call < max(a.called, a.entered) {
		return // which of the two came first is not certain
	}
	if a.owedFor == model.SOLICITED && r.called > a.called {
		switch {
		case failed:
			q.s.meets(declared.PlacedFails)
		case kinds == automaton.Solicited:
			q.s.meets(declared.PlacedSolicits)
		}
		if kinds != automaton.Plain {
			a.owedFor = model.NONE
		}
	}
	if arm, known := q.queue.Arm(); known && r.called > a.called {
		switch { // it was placed while the CQ was armed so, and left the arm as it was
		case arm == model.SOLICITED && kinds == automaton.Plain:
			q.s.seen[anUnmatched]++
		case arm == model.ERRORS && kinds&(automaton.Failed|automaton.Cancelled) == 0:
			q.s.seen[anUnfailed]++
		}
	}
	old := a.before == 0 && q.s.dialect.A26 == model.A26Old // unless a callback was entered that is not told of yet
	if r.owed == 0 || r.owed >= a.called || a.found || old {
		return
	}
	if fresh := r.called > a.before; fresh || r.owed <= a.before { // it was there when the CQ was armed
		a.found = true
		if fresh && !a.mixed && (a.arm == model.ANY || a.arm == model.SOLICITED && kinds&automaton.Plain == 0) {
			q.s.meets(declared.ArmMeetsFresh)
			q.arms.cases.match++
			return
		}
		q.s.meets(declared.ArmMeetsOthers)
		if a.alone && (!fresh || !a.mixed && kinds == automaton.Plain && a.arm != model.ANY) {
			q.arms.cases.others++
		}
	}
}

// armCalled handles the call of NdkArmCq.
func (s *Stream) armCalled(u *underWay, e *trace.Event) {
	q := u.cq
	arm, ok := calls.ArmOf(e)
	if !ok {
		return
	}
	u.arm, q.arms.latest, q.arms.calledAt, q.arms.restLine = arm, arm, s.at, 0
	q.countArm(u)
	q.arms.underWay = append(q.arms.underWay, u)
	q.take(observation{what: armCall, at: s.at, arm: arm})
}

func (s *Stream) armReturned(u *underWay, refused bool) {
	q := u.cq
	i := slices.Index(q.arms.underWay, u)
	if i < 0 {
		return
	}
	q.arms.underWay = slices.Delete(q.arms.underWay, i, i+1)
	what := armReturn
	if refused {
		what = armRefused
		q.arms.cases.asked[u.arm]--
	} else {
		q.countMerge(u)
	}
	q.take(observation{what: what, at: s.at, n: i})
}
