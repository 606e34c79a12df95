package search

import (
	"context"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// names replaces a finding of the search by one about the same component under another rule: one found without the search, or one of the clauses over
// hidden times. The clauses name their findings by the same event. If nothing is wrong in a trace that ends with the event at which the search has no
// explanation left, only a later event shows the violation: the event of the search need not break a rule. The clauses do not follow what a failed CQ may
// have lost.
func (j *judge) names(ctx context.Context, c *component, searched *verdict.Finding, death moment) bool {
	if breach.IsOfFailedCq(searched.Rule) {
		return false
	}
	hidden := j.heard(c, never)
	if hidden != nil && hidden.ID == searched.Rule {
		hidden = nil
	}
	at := j.history.spanAt(death)
	enters := at != nil && (at.kind == calls.Callback || at.kind == calls.ReadEvent)
	told := enters && c.limit != never && c.excused == never
	switch {
	case hidden != nil && hidden.Seen.At-1 == death:
		j.say(hidden)
	case !told && hidden == nil || !j.isShownLater(ctx, death):
		return false
	case !told:
		j.say(hidden)
	}
	return true
}

// isShownLater reports whether nothing is wrong in the events up to one, at which a search of all of them has no explanation left.
func (j *judge) isShownLater(ctx context.Context, death moment) bool {
	if death >= len(j.history.trace.Events) {
		return false
	}
	begin := *j.history.trace
	begin.Events, begin.End = begin.Events[:death+1:death+1], &trace.End{Events: uint64(death) + 1}
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	newJudge(&begin, j.dialect, Options{MaxOperations: j.limit, MaxMemory: j.memory, Alone: true}, r).judge(ctx)
	r.Settle()
	return ctx.Err() == nil && !r.Violated()
}
