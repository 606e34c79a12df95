package stream

import (
	"math/bits"
	"slices"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/model"
)

// armCases counts the arms of a CQ by what was outstanding, and by what they found in it.
type armCases struct {
	asked                  [model.ANY + 1]int // of each type
	merged                 [model.ANY + 1][model.ANY + 1]cases.Count
	unheard                [model.ANY + 1][model.ANY + 1]int // certain, if the CQ had no error that is still to be told
	match, others, nothing int                               // for certain
}

// confirm handles a moment of rest at which no callback of the CQ runs. An outstanding arm would have been told of an error by then.
func (a *armCases) confirm() {
	for outstanding := range a.unheard {
		for t, n := range a.unheard[outstanding] {
			a.merged[outstanding][t].AtLeast += n
			a.unheard[outstanding][t] = 0
		}
	}
}

// A certainty says what is known of the state that a CQ was in when it was armed.
type certainty uint8

// The certainties.
const (
	followed certainty = iota
	failed             // it may have failed before it told so, which satisfies an arm
	doubtful           // it depends on what the trace does not record
)

func (q *cq) certainty() certainty {
	g := q.group.root()
	switch {
	case !q.created || slices.ContainsFunc(q.wqs, func(l *workQueue) bool { return l.qp.takes != nil }):
		return doubtful
	case q.failed.at != 0 || q.window.from != 0:
		return failed
	case g.unclear != "" || g.doubt != "" || slices.ContainsFunc(q.wqs, func(l *workQueue) bool { return l.qp.doubt != "" }):
		return doubtful
	}
	return followed
}

// sum adds how often each case was met, with a sign.
func (a *armCases) sum(counts *cases.Counts, of certainty, sign int) {
	add := func(which cases.Case, n cases.Count) {
		counts.Add(which, cases.Count{AtLeast: sign * n.AtLeast, AtMost: sign * n.AtMost})
	}
	all := 0
	for t := model.ERRORS; t <= model.ANY; t++ {
		all += a.asked[t]
		unheard := 0
		for outstanding := range a.unheard {
			unheard += a.unheard[outstanding][t]
		}
		first := a.merged[model.NONE][t].AtLeast
		for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
			n := a.merged[outstanding][t]
			switch {
			case of == doubtful:
				n = cases.Count{AtMost: a.asked[t]}
			case outstanding != model.NONE && a.asked[outstanding] == 0, outstanding == t && a.asked[t] == 1:
				n = cases.Count{} // there was none before
			case of == followed:
				n.AtMost = min(n.AtMost+unheard-a.unheard[outstanding][t], a.asked[t])
			case outstanding == model.NONE:
				n.AtMost = a.asked[t]
			default:
				n = cases.Count{AtMost: a.asked[t] - first}
			}
			add(cases.Merge(outstanding, t), n)
		}
	}
	if of == doubtful {
		for _, which := range []cases.Case{cases.ArmFoundMatch, cases.ArmFoundOthers, cases.ArmFoundNothing} {
			add(which, cases.Count{AtMost: all})
		}
		return
	}
	add(cases.ArmFoundMatch, cases.Count{AtLeast: a.match, AtMost: all - a.others - a.nothing})
	add(cases.ArmFoundOthers, cases.Count{AtLeast: a.others, AtMost: all - a.match - a.nothing})
	add(cases.ArmFoundNothing, cases.Count{AtLeast: a.nothing, AtMost: all - a.match - a.others})
}

// anyArm is what may be outstanding where that is not followed.
const anyArm = model.Arms(1<<(model.ANY+1) - 1)

// mayBeArmed returns the arms that may be outstanding, NONE included, when an arm that is called now takes effect, if nothing is posted meanwhile.
func (q *cq) mayBeArmed() model.Arms {
	switch {
	case q.arms.certain.called == 0:
		return 1 << model.NONE
	case !q.isFollowed():
		return anyArm
	}
	arms := q.queue.Arms(q.pending > 0)
	if q.window.from != 0 || q.s.dialect.ExtraEvent { // which also satisfy an arm
		arms |= 1 << model.NONE
	}
	return arms
}

// isFollowed reports whether the explanations of the CQ are those of the present moment.
func (q *cq) isFollowed() bool {
	return len(q.polls.list)+len(q.arms.underWay) == 0 && q.failed.at == 0 && !q.stopped() && q.queue.Err() == nil
}

// countMerge handles the return of an arm: what it merged with, if with anything (ARM-07), and whether it found the CQ empty.
func (q *cq) countMerge(u *underWay) {
	switch late := q.added >= u.call; {
	case u.nothing && !late:
		q.arms.cases.nothing++
	case u.aged && !late && !q.arms.certain.found:
		q.arms.certain.found = true
		q.s.meets(declared.ArmMeetsOthers)
		q.arms.cases.others++
	}
	if q.added >= u.call || bits.OnesCount8(uint8(u.merging)) > 1 {
		u.merging |= 1 << model.NONE
	}
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if n := &q.arms.cases.merged[outstanding][u.arm]; u.merging.Has(outstanding) {
			n.AtMost++
			switch {
			case u.merging != 1<<outstanding:
			case outstanding == model.NONE:
				n.AtLeast++
			default:
				q.arms.cases.unheard[outstanding][u.arm]++
			}
		}
	}
}

// mayMerge handles an arm that has not returned. It may have taken effect or not.
func (a *arming) mayMerge(u *underWay) {
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if u.merging.Has(outstanding) || outstanding == model.NONE {
			a.cases.merged[outstanding][u.arm].AtMost++
		}
	}
}
