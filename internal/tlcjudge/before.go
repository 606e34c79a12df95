package tlcjudge

import (
	"context"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// foundBefore records which violations the trace shows up to its first unclear event. TLC takes all events into account when it explains, so that
// part is put to it once more, by itself.
func (j Judge) foundBefore(ctx context.Context, cases []Case, reports []*verdict.Report) error {
	var short []Case
	var of []int
	for i, c := range cases {
		first := slices.IndexFunc(c.Trace.Events, func(e trace.Event) bool { return e.Unclear != "" })
		if first < 0 || !slices.ContainsFunc(reports[i].Findings, restsOnAll) {
			continue
		}
		before := *c.Trace
		before.Events, before.End = c.Trace.Events[:first], nil
		c.Trace = &before
		short, of = append(short, c), append(of, i)
	}
	if len(short) == 0 {
		return nil
	}
	told, err := j.CheckAll(ctx, short)
	if err != nil {
		return err
	}
	for k, r := range told {
		for i := range reports[of[k]].Findings {
			f := &reports[of[k]].Findings[i]
			if restsOnAll(*f) && slices.ContainsFunc(r.Findings, func(s verdict.Finding) bool {
				return s.Verdict == f.Verdict && s.Rule == f.Rule && s.Line == f.Line
			}) {
				f.Shown = len(short[k].Trace.Events)
			}
		}
	}
	return nil
}

// restsOnAll reports whether a violation may rest on any event of the trace, as far as is known.
func restsOnAll(f verdict.Finding) bool { return f.Shown == 0 && f.Verdict != verdict.Inconclusive }
