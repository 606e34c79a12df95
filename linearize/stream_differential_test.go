package linearize

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/model"
)

// On short traces of all dialects, legal and spoilt, stream and porcupine give the same verdict, and a plain search says which
// of the two is wrong where they do not.
func TestStreamAgreesWithPorcupine(t *testing.T) {
	t.Logf("seed %v: -rapid.seed chooses another", flag.Lookup("rapid.seed").Value)
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			verdicts, open, sameRule := map[Verdict]int{}, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				r := newRun(t, d)
				if rapid.IntRange(0, 3).Draw(t, "depth") > 0 {
					r.deepen(64)
				}
				for range rapid.IntRange(1, 2).Draw(t, "rounds") {
					r.walk(rapid.IntRange(0, 30).Draw(t, "steps"))
					if rapid.Bool().Draw(t, "rest") {
						r.rest()
						r.drain()
					}
				}
				quiescent, what := r.conclude(t)
				o := Options{MaxMemory: 64 << 20, DeviceLevel: d.Name == model.VerbsDevice().Name}
				streamed := stream(r.trace, o)
				searched := Check(context.Background(), r.trace, o)
				if unfollowed(streamed, quiescent) || unfollowed(searched, quiescent) {
					open++
					return
				}
				verdicts[streamed.Verdict]++
				if streamed.Verdict != searched.Verdict {
					t.Fatalf("spoilt: %s\nstream: %s: %+v\nporcupine: %s: %+v\nplain search: %s\n%s", what, streamed.Verdict, streamed.Findings,
						searched.Verdict, searched.Findings, refereed(r, quiescent), r)
				}
				if streamed.Verdict == ProviderViolation && equivalent(streamed.Findings[0], searched.Findings[0].Rule) {
					sameRule++
				}
			})
			t.Logf("%v, %d left open; %d of the provider violations by the same rule", verdicts, open, sameRule)
			if verdicts[Conformant] == 0 || verdicts[ProviderViolation] == 0 {
				t.Error("one of the two answers never came")
			}
		})
	}
}

// refereed says what the plain search makes of a run, where it can.
func refereed(r *run, quiescent bool) string {
	ref := newReferee(r)
	if r.points || r.trace.Header.Side != "provider" || len(ref.spans) > 60 {
		return "not asked"
	}
	way, known, at := ref.allows(r.trace.Events, quiescent)
	switch {
	case !known:
		return "too large"
	case way == nil:
		return fmt.Sprintf("forbidden, from event %d", at)
	}
	return fmt.Sprintf("allowed: %v", way)
}

// unfollowed reports whether a report leaves anything open but what the end of the trace does.
func unfollowed(r *Report, quiescent bool) bool {
	open := 0
	for _, f := range r.Findings {
		if f.Verdict == Inconclusive {
			open++
		}
	}
	return quiescent && open > 0 || open > 1
}

// deepen gives every CQ of a run that has just begun more room.
func (r *run) deepen(depth int) {
	for i := range r.c.Depth {
		r.c.Depth[i] = depth
	}
	for i := range r.trace.Events {
		if e := &r.trace.Events[i]; e.Depth != nil {
			e.Depth = number(int64(depth))
		}
	}
}
