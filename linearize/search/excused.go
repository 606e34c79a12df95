package search

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// mostExcused is how many beginnings of a trace are judged again. What breaks a rule later is judged by the last of these.
const mostExcused = 8

// excuse removes violations of the provider from the report that rest on events after its consumer broke a rule on the same objects. It keeps only what
// the events before the breach show. A search takes all events into account, so it judges those events by themselves.
func (j *judge) excuse(ctx context.Context, components []*component) {
	cuts := cutsOf(components)
	for _, at := range slices.Sorted(maps.Keys(cuts)) {
		concerned := cuts[at]
		isHeld := func(f verdict.Finding) bool {
			seen := concerned[f.Line] || slices.ContainsFunc(f.See, func(line int) bool { return concerned[line] }) // a moment of rest is of no objects
			return f.Verdict == verdict.ProviderViolation && seen && !f.Alone
		}
		if !slices.ContainsFunc(j.report.Findings, isHeld) {
			continue
		}
		begin := *j.history.trace
		begin.Events, begin.End = begin.Events[:at:at], &trace.End{Events: uint64(at)}
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
}

// cutsOf returns the moments at which a consumer broke a rule, with the lines of the components that it broke it on.
func cutsOf(components []*component) map[moment]map[int]bool {
	cuts, latest := map[moment]map[int]bool{}, moment(0)
	broken := slices.DeleteFunc(slices.Clone(components), func(c *component) bool { return c.excused == never })
	slices.SortStableFunc(broken, func(a, b *component) int { return cmp.Compare(a.excused, b.excused) })
	for _, c := range broken {
		if cuts[c.excused] == nil && len(cuts) < mostExcused {
			latest = c.excused
			cuts[latest] = map[int]bool{}
		}
		for _, s := range c.spans {
			cuts[latest][s.begin.Line] = true
			if s.returned() {
				cuts[latest][s.end.Line] = true
			}
		}
	}
	return cuts
}
