package stream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Finish handles the end of the trace and notes in r what was found.
func (s *Stream) Finish(end *trace.End, r *verdict.Report) {
	if s.at > 0 {
		s.now = place{s.now.line + 1, s.now.seq + 1}
	}
	s.at++
	if end != nil && end.Dropped > 0 {
		s.unfit = verdict.Dropped(end.Dropped)
	}
	if s.unfit != "" {
		r.Undecided("", s.unfit)
		for _, id := range verdict.Checkable() {
			r.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Undecided, Why: s.unfit}
		}
		return
	}
	for _, q := range s.cqsInOrder {
		q.endPolls()
	}
	s.finishReads()
	boundary := s.monitor.Finish(end)
	s.reportBoundary(boundary, verdict.ConsumerViolation)
	quiescent := end != nil && end.Quiescent
	if !s.machine.Halted() { // else this is not where the trace ends
		s.askAtEnd(quiescent)
	}
	if quiescent {
		s.rest()
	}
	s.reportBoundary(boundary, verdict.ProviderViolation, verdict.Inconclusive)
	for _, p := range s.qpsInOrder {
		p.neverConnected()
		p.undelivered()
	}
	s.takeRemains()
	groups := s.groups()
	r.Components = len(groups) - len(s.retired.unclear) + s.retired.components
	s.leaveOpen()
	s.hear()
	s.nameCallbacks()
	s.nameLost()
	s.markFollowing()
	s.clock.doubt(s.findings)
	for _, f := range s.findings {
		r.Findings = append(r.Findings, f.Finding)
	}
	if s.untold > 0 {
		r.Undecided("", fmt.Sprintf("%d more findings are not listed, as there are %d before them", s.untold, maxFindings))
	}
	for _, q := range s.cqsInOrder {
		if err := q.queue.Err(); err != nil && err != automaton.ErrHalted {
			q.bounded(err)
		}
	}
	for _, g := range groups {
		if !g.broken && g.unclear != "" {
			r.Undecided("", g.unclear)
		}
	}
	if end == nil || !end.Quiescent {
		r.Undecided("", verdict.NotAtRest)
	}
	s.cover(r)
}

// groups returns the groups of objects that share something and are still followed or undecided, in the order of their first CQs, then of the QPs without
// one.
func (o *objects) groups() []*group {
	all := slices.Clone(o.retired.unclear)
	known := map[*group]bool{}
	add := func(g *group) {
		if g = g.root(); !known[g] {
			known[g] = true
			all = append(all, g)
		}
	}
	for _, q := range o.cqsInOrder {
		add(q.group)
	}
	for _, p := range o.qpsInOrder {
		add(p.group)
	}
	slices.SortStableFunc(all, func(a, b *group) int { return cmp.Compare(a.place, b.place) })
	return all
}

// Uncounted returns the ids of the rules that a stream decides, or leaves open, without always knowing when a trace exercises
// them.
func Uncounted() []string { return slices.Sorted(maps.Keys((&mayArm{}).mayExercise())) }

// cover says what was exercised. What may have been, and is not counted, is never told as vacuous.
func (s *Stream) cover(r *verdict.Report) {
	open := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
		return f.Verdict == verdict.Inconclusive && f.Message != verdict.NotAtRest
	})
	for id, may := range s.may.mayExercise() {
		if may || open {
			r.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Undecided, Why: "the streaming engine does not always know what exercises it"}
		}
	}
	r.Cases = s.sumCases()
	s.sumOccasions()
	s.countBoundary(r)
	for id, n := range s.counts {
		r.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: n}
	}
}
