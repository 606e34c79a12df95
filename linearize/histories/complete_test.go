package histories

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// What the contract itself does is never a violation, in any dialect: completeness of the judge, for every rule it knows.
// Where a CQ failed, too much may be possible for an answer; a bound of memory is the same on every machine. Which completions of a
// closed QP its CQ still holds is the provider's choice (A21), which no engine follows: that may be left open.
func TestRunsOfTheContractAreNoViolations(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, rapid.MakeCheck(func(t *rapid.T) {
			r := NewRun(Shrinking{T: t}, d)
			r.Overlaps = true
			for range rapid.IntRange(1, 2).Draw(t, "rounds") {
				r.Walk(rapid.IntRange(0, 40).Draw(t, "steps"))
				if rapid.Bool().Draw(t, "rest") {
					r.Rest()
				}
			}
			quiescent := rapid.Bool().Draw(t, "quiescent")
			if quiescent {
				r.Rest()
				if rapid.Bool().Draw(t, "drained") {
					r.Drain()
					r.Rest()
				}
			}
			r.Report()
			r.Trace.End = &trace.End{Events: uint64(len(r.Trace.Events)), Quiescent: quiescent}
			report := linearize.Check(context.Background(), r.Trace, linearize.Options{MaxMemory: 256 << 20, DeviceLevel: d.FailsAsFlushed})
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
