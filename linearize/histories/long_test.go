package histories

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// How long the walks of TestLongHistories are: steps between two rests, hidden ones too, and rests.
const (
	longSteps  = 60
	longRounds = 12
)

// A walk of the model keeps the contract, however long it is: the streaming engine does not accuse the provider of it. What it holds of queues then is more than
// the histories of TestRandomHistories reach, which a search can follow. NDK_LONG says how many, NDK_SEED and NDK_FROM which. All rules that the
// clauses over hidden times state: DEF-04, FLAG-02, FLAG-04, FLUSH-01, FLUSH-02, FLUSH-06, POLL-03, POLL-05, POLL-09, POST-08, RES-10, DISC-10.
func TestLongHistories(t *testing.T) {
	from, n, seed := judging.Environment(t, "NDK_FROM", 0), judging.Environment(t, "NDK_LONG", 200), judging.Environment(t, "NDK_SEED", 1)
	conformant, failed := 0, 0
	for number := from; number < from+n; number++ {
		h := drawLong(Quick{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(number)))})
		r := judging.Stream(h.trace, h.options)
		accused := func(f verdict.Finding) bool { return f.Verdict == verdict.ProviderViolation }
		if slices.ContainsFunc(r.Findings, accused) {
			t.Errorf("walk %d of seed %d, %s, %v: %s\n%s", number, seed, h.run.c.Dialect.Name, h.options.Assume, judging.Saying(r), AsWritten(h.trace))
			if failed++; failed == mostDiffering {
				return
			}
		}
		if r.Verdict == verdict.Conformant {
			conformant++
		}
	}
	t.Logf("seed %d: %d of %d are conformant, the others are left open", seed, conformant, n)
	if n >= 100 && conformant < n/20 {
		t.Errorf("%d of %d are conformant", conformant, n)
	}
}

// drawLong draws a long walk, of any dialect and reading.
func drawLong(d dice) *drawn {
	dialect := Dialects()[d.Roll(len(Dialects()), "dialect")]
	h := &drawn{options: linearize.Options{DeviceLevel: dialect.FailsAsFlushed}}
	if Flip(d, "another reading") {
		dialect = h.assume(d, dialect, choices()[d.Roll(len(choices()), "reading")])
	}
	h.run = NewRun(d, dialect)
	h.run.lossy, h.run.Overlaps = Flip(d, "lossy") && dialect.ErrorsArm, Flip(d, "overlaps")
	h.run.deepen(64)
	for range 1 + d.Roll(longRounds, "rounds") {
		if h.run.Walk(d.Roll(longSteps, "steps")); Flip(d, "rest") {
			h.run.Rest()
			h.run.Drain()
		}
	}
	h.run.Rest()
	h.run.Drain()
	h.run.Report()
	h.trace = h.run.Trace
	h.trace.End = &trace.End{Events: uint64(len(h.trace.Events)), Quiescent: true}
	return h
}
