package linearize

import (
	"math/rand/v2"
	"slices"
	"testing"

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
	from, n, seed := environment(t, "NDK_FROM", 0), environment(t, "NDK_LONG", 200), environment(t, "NDK_SEED", 1)
	conformant, failed := 0, 0
	for number := from; number < from+n; number++ {
		h := drawLong(quick{rand.New(rand.NewPCG(uint64(seed), uint64(number)))})
		r := streaming(h.trace, h.options)
		accused := func(f verdict.Finding) bool { return f.Verdict == verdict.ProviderViolation }
		if slices.ContainsFunc(r.Findings, accused) {
			t.Errorf("walk %d of seed %d, %s, %v: %s\n%s", number, seed, h.run.c.Dialect.Name, h.options.Assume, saying(r), asWritten(h.trace))
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
	dialect := dialects()[d.roll(len(dialects()), "dialect")]
	h := &drawn{options: Options{DeviceLevel: dialect.FailsAsFlushed}}
	if flip(d, "another reading") {
		dialect = h.assume(d, dialect, choices()[d.roll(len(choices()), "reading")])
	}
	h.run = newRun(d, dialect)
	h.run.lossy, h.run.overlaps = flip(d, "lossy") && dialect.ErrorsArm, flip(d, "overlaps")
	h.run.deepen(64)
	for range 1 + d.roll(longRounds, "rounds") {
		if h.run.walk(d.roll(longSteps, "steps")); flip(d, "rest") {
			h.run.rest()
			h.run.drain()
		}
	}
	h.run.rest()
	h.run.drain()
	h.run.report()
	h.trace = h.run.trace
	h.trace.End = &trace.End{Events: uint64(len(h.trace.Events)), Quiescent: true}
	return h
}
