package search

import (
	"context"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// excuse takes out of the report what is held against the provider, before its consumer broke a rule, by what it did behind that on the same objects:
// of these it is told only what the events before the breach show. All of a trace is taken into account when it is searched, so those are judged by
// themselves.
func (j *judge) excuse(ctx context.Context, components []*component) {
	first, concerned := never, map[int]bool{} // lines
	for _, c := range components {
		if c.excused == never {
			continue
		}
		first = min(first, c.excused)
		for _, s := range c.spans {
			concerned[s.begin.Line] = true
			if s.returned() {
				concerned[s.end.Line] = true
			}
		}
	}
	isHeld := func(f verdict.Finding) bool {
		seen := concerned[f.Line] || slices.ContainsFunc(f.See, func(line int) bool { return concerned[line] }) // a moment of rest is of no objects
		return f.Verdict == verdict.ProviderViolation && seen && !f.Alone
	}
	if first == never || !slices.ContainsFunc(j.report.Findings, isHeld) {
		return
	}
	begin := *j.history.trace
	begin.Events, begin.End = begin.Events[:first:first], &trace.End{Events: uint64(first)}
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	newJudge(&begin, j.dialect, Options{MaxOperations: j.limit, MaxMemory: j.memory, Alone: !j.asks}, r).judge(ctx)
	if ctx.Err() != nil {
		return
	}
	j.report.Findings = slices.DeleteFunc(j.report.Findings, isHeld)
	for _, f := range r.Findings {
		if isHeld(f) {
			j.report.Findings = append(j.report.Findings, f)
		}
	}
}
