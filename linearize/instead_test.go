package linearize

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"ndkoracle/trace"
)

var namedResult = regexp.MustCompile(`(\w+) \((SUCCESS|FAILED|CANCELLED)\)`)

// What is told that an explanation would have allowed instead is allowed: with the results that it names in place of those that were
// returned, or without the callback, the trace breaks no rule up to there. Each search that finds a violation tells something.
func TestWhatIsToldInsteadIsAllowed(t *testing.T) {
	told, held := 0, 0
	for _, row := range corpusRows(t) {
		if row.Verdict != string(ProviderViolation) {
			continue
		}
		traced, o := row.read(t), row.options()
		o.Engine = Porcupine
		if traced.Header.Order == "partial" {
			traced.Events, _, _ = traced.ByTime() // up to there is a matter of time
		}
		for _, f := range Check(context.Background(), traced, o).Findings {
			if len(f.Before) == 0 {
				continue
			}
			if told++; len(f.Instead) != len(f.Before) || !slices.ContainsFunc(f.Instead, func(s string) bool { return s != "" }) {
				t.Errorf("%s: %d explanations, instead %q: %s", row.File, len(f.Before), f.Instead, f.Message)
				continue
			}
			cut := *traced
			i := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return e.Line == f.Line })
			cut.End = &trace.End{}
			switch {
			case i >= 0 && traced.Events[i].Results != nil:
				cut.Events = slices.Clone(traced.Events[:i+1])
				cut.Events[i].Results = []trace.Result{}
				for _, one := range namedResult.FindAllStringSubmatch(f.Instead[0], -1) {
					cut.Events[i].Results = append(cut.Events[i].Results, trace.Result{Wr: one[1], Status: statusOf(traced.Header.Dialect, one[2])})
				}
			case i >= 0 && traced.Events[i].Ph == trace.Enter:
				cut.Events = traced.Events[:i]
			default:
				continue
			}
			if r := Check(context.Background(), &cut, o); r.violated() {
				t.Errorf("%s: instead %q is rejected: %+v", row.File, f.Instead[0], r.Findings)
			}
			held++
		}
	}
	t.Logf("%d findings tell what was allowed instead, %d were tried", told, held)
	if told < 50 || held < 30 {
		t.Errorf("too few findings: %d and %d", told, held)
	}
}
