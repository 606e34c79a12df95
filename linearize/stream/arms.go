package stream

import (
	"math/bits"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/cases"
	"ndkoracle/model"
)

// armedFor is what is certain of the arms of a CQ: enough to count when the rules of arms had something to say. Where
// explanations differ, nothing is counted.
type armedFor struct {
	arm     model.Arm // the type of the latest
	called  moment    // … when it was called
	empty   bool      // … nothing was outstanding then, so that the CQ was empty
	alone   bool      // … or one request
	mixed   bool      // … others came before it since the latest callback
	before  moment    // the latest callback before it
	entered moment    // the latest callback
	owedFor model.Arm // what that callback was owed for, until a completion that matches is delivered; or NONE
	found   bool      // what the latest arm found is counted
}

// mayArm is what arms may have exercised: what they have not is vacuous, though not all that they have is counted.
type mayArm struct {
	types [model.ANY + 1]bool // that the consumer armed for
	found bool                // some CQ may have held a completion when it was armed
	again bool                // … or been armed already
	fails bool                // some CQ may have failed
}

// mayExercise lists the rules that are not always counted, and whether anything may have exercised each.
func (m *mayArm) mayExercise() map[string]bool {
	return map[string]bool{"ARM-04": m.found, "ARM-05": m.found, "ARM-07": m.again, "ARM-08": m.types[model.ERRORS], "ARM-09": m.types[model.ANY],
		"ARM-10": m.types[model.SOLICITED], "ARM-11": m.types[model.SOLICITED], "ARM-12": m.types[model.SOLICITED],
		"ARM-16": m.fails, "ARM-17": m.fails}
}

// countArm takes the call of an arm.
func (q *cq) countArm(u *underWay) {
	a, may := &q.certain, &q.s.may
	outstanding := q.pending+q.shown > 0
	may.types[u.arm], may.found = true, may.found || outstanding
	for _, other := range q.arms {
		other.merging = anyArm
	}
	u.merging, u.nothing = q.mayBeArmed(), !outstanding
	may.again = may.again || u.merging != 1<<model.NONE
	q.s.found.arms++
	if q.calling > 0 {
		q.s.cases.Met(cases.ArmInCallback)
	}
	*a = armedFor{arm: u.arm, called: q.s.at, empty: !outstanding, alone: q.pending+q.shown == 1, mixed: a.called > a.entered,
		before: a.entered, entered: a.entered}
	if q.isFollowed() && outstanding && q.queue.Aged() == q.pending+q.shown {
		u.aged = true
	}
}

// mayMerge takes that an arm has not returned: it may have taken effect or not.
func (u *underWay) mayMerge(counts *cases.Counts) {
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if u.merging.Has(outstanding) || outstanding == model.NONE {
			counts.MayHave(cases.Merge(outstanding, u.arm))
		}
	}
}

// found counts arms, and of them those of which it is certain what they found in the CQ.
type found struct{ arms, match, others, nothing int }

// sum adds how often each of the three cases was met.
func (f *found) sum(counts *cases.Counts) {
	counts.Add(cases.ArmFoundMatch, cases.Count{AtLeast: f.match, AtMost: f.arms - f.others - f.nothing})
	counts.Add(cases.ArmFoundOthers, cases.Count{AtLeast: f.others, AtMost: f.arms - f.match - f.nothing})
	counts.Add(cases.ArmFoundNothing, cases.Count{AtLeast: f.nothing, AtMost: f.arms - f.match - f.others})
}

// merges counts arms by what was outstanding, for certain, and what was asked for; and where something may have been, in the row of NONE.
type merges [model.ANY + 1][model.ANY]int

func (m *merges) add(o *merges, sign int) {
	for outstanding := range m {
		for t := range m[outstanding] {
			m[outstanding][t] += sign * o[outstanding][t]
		}
	}
}

// addMerged adds the arms of the CQ to those of all that have not failed, or of all that have.
func (q *cq) addMerged(all *[2]merges, sign int) {
	if q.failed == 0 {
		all[0].add(&q.merged, sign)
	} else {
		all[1].add(&q.merged, sign)
	}
}

// sum adds how often each cell was met for certain, and returns how often any was.
func (m *merges) sum(counts *cases.Counts) (all int) {
	for outstanding := model.ERRORS; outstanding <= model.ANY; outstanding++ {
		for t, n := range m[outstanding] {
			all += n
			counts.Add(cases.Merge(outstanding, model.Arm(t+1)), cases.Count{AtLeast: n})
		}
	}
	return all
}

// doubt adds that anything may have been outstanding: the CQs have failed, and when they had is not known.
func (m *merges) doubt(counts *cases.Counts) {
	for t, n := range m[model.NONE] {
		for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
			counts.Add(cases.Merge(outstanding, model.Arm(t+1)), cases.Count{AtMost: n})
		}
	}
}

// anyArm is what may be outstanding where that is not followed.
const anyArm = model.Arms(1<<(model.ANY+1) - 1)

// isFollowed reports whether the explanations of the CQ are those of the present moment.
func (q *cq) isFollowed() bool {
	return len(q.polls)+len(q.arms) == 0 && q.failed == 0 && !q.stopped() && q.queue.Err() == nil
}

// mayBeArmed returns what may be outstanding, NONE too, when an arm that is called now takes effect, if nothing is posted meanwhile.
func (q *cq) mayBeArmed() model.Arms {
	switch {
	case q.certain.called == 0:
		return 1 << model.NONE
	case !q.isFollowed():
		return anyArm
	}
	arms := q.queue.Arms(q.pending > 0)
	if q.crowded.from != 0 || q.s.dialect.ExtraEvent { // which satisfy an arm, too
		arms |= 1 << model.NONE
	}
	return arms
}

// countMerge takes the return of an arm: what it merged with, if with anything (ARM-07), and whether it found the CQ empty. That a CQ was armed
// is certain only if it does not report later that it had failed.
func (q *cq) countMerge(u *underWay) {
	counts := &q.s.cases
	switch late := q.added >= u.call; {
	case u.nothing && !late:
		q.s.found.nothing++
	case u.aged && !late && !q.certain.found:
		q.certain.found = true
		q.s.exercised("ARM-05")
		q.s.found.others++
	}
	if q.added >= u.call || bits.OnesCount8(uint8(u.merging)) > 1 {
		u.merging |= 1 << model.NONE
	}
	if u.merging != 1<<model.NONE {
		q.merged[model.NONE][u.arm-1]++
	}
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if !u.merging.Has(outstanding) {
			continue
		}
		cell := cases.Merge(outstanding, u.arm)
		switch certain := u.merging == 1<<outstanding; {
		case certain && outstanding == model.NONE:
			counts.Met(cell)
		case certain:
			q.merged[outstanding][u.arm-1]++
			fallthrough
		default:
			counts.MayHave(cell)
		}
	}
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
			q.s.found.match++
			return
		}
		q.s.exercised("ARM-05")
		if a.alone && (!fresh || !a.mixed && kinds == automaton.Plain && a.arm != model.ANY) {
			q.s.found.others++
		}
	}
}
