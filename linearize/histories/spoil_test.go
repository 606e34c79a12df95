package histories

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// On short traces, legal and spoilt, the judge's reductions leave the verdict of plain search as it is.
func TestSameVerdictAsPlainSearch(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			verdicts := map[bool]int{}
			rapid.Check(t, func(t *rapid.T) {
				r := NewRun(Shrinking{T: t}, d)
				r.Walk(rapid.IntRange(0, 18).Draw(t, "steps"))
				quiescent, what := r.conclude(Shrinking{T: t})
				way, known, at := plainly(r.c.Dialect, r.Trace, quiescent, mostConfigs)
				if !known {
					t.Skip("too many states for a referee") // rapid draws another in its place, and fails where too many are skipped
				}
				report := linearize.Check(context.Background(), r.Trace, linearize.Options{MaxMemory: 64 << 20, DeviceLevel: d.FailsAsFlushed})
				accepts := report.Verdict == verdict.Conformant || report.Verdict == verdict.Inconclusive && !quiescent && !inDoubt(report.Findings[0])
				rejects := report.Verdict == verdict.ProviderViolation
				if accepts || rejects {
					verdicts[accepts]++
				}
				if rejects && way != nil || accepts && way == nil && !r.connection() {
					t.Fatalf("%s; plain search: %v (to event %d)\nthe judge: %s: %+v\n%s", what, way, at, report.Verdict,
						report.Findings, r)
				}
			})
			t.Logf("%d accepted, %d rejected", verdicts[true], verdicts[false])
			if verdicts[true] == 0 || verdicts[false] == 0 {
				t.Error("one of the two answers never came")
			}
		})
	}
}
