package linearize

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

func dialects() []model.Dialect {
	return []model.Dialect{model.Ndkpi(), model.Ndspi(), model.Verbs(), model.VerbsDevice()}
}

// inDoubt reports whether a finding is none because calls overlap, and another order of them might be allowed.
func inDoubt(f verdict.Finding) bool {
	return f.Verdict == verdict.Inconclusive && strings.Contains(f.Message, "overlap, and were they")
}

// What the contract itself does is never a violation, in any dialect: completeness of the judge, for every rule it knows.
// Where a CQ failed, too much may be possible for an answer; a bound of memory is the same on every machine. Which completions of a
// closed QP its CQ still holds is the provider's choice (A21), which no engine follows: that may be left open.
func TestRunsOfTheContractAreNoViolations(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, rapid.MakeCheck(func(t *rapid.T) {
			r := newRun(shrinking{t}, d)
			r.overlaps = true
			for range rapid.IntRange(1, 2).Draw(t, "rounds") {
				r.walk(rapid.IntRange(0, 40).Draw(t, "steps"))
				if rapid.Bool().Draw(t, "rest") {
					r.rest()
				}
			}
			quiescent := rapid.Bool().Draw(t, "quiescent")
			if quiescent {
				r.rest()
				if rapid.Bool().Draw(t, "drained") {
					r.drain()
					r.rest()
				}
			}
			r.report()
			r.trace.End = &trace.End{Events: uint64(len(r.trace.Events)), Quiescent: quiescent}
			report := Check(context.Background(), r.trace, Options{MaxMemory: 256 << 20, DeviceLevel: d.FailsAsFlushed})
			for _, f := range report.Findings {
				switch {
				case inDoubt(f), f.Verdict == verdict.Inconclusive && strings.Contains(f.Message, "when it was closed (A21)"):
				case f.Verdict == verdict.ProviderViolation, f.Verdict == verdict.ConsumerViolation && f.Rule != "DEF-06", f.Verdict == verdict.Inconclusive && quiescent && !r.lost:
					t.Fatalf("%s: line %d: %s: %s\nbefore: %v\n%s", f.Verdict, f.Line, f.Rule, f.Message, f.Before, r)
				}
			}
		}))
	}
}
