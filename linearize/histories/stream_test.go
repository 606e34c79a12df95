package histories

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// On short traces of all dialects, legal and spoilt, stream and porcupine give the same verdict, and a plain search says which
// of the two is wrong where they do not. The stream may miss what that forbids too, of one run in fifty at most: a callback for a silent
// request that had failed by a moment of rest (traces/known-divergences).
func TestStreamAgreesWithPorcupine(t *testing.T) {
	t.Logf("seed %v: -rapid.seed chooses another", flag.Lookup("rapid.seed").Value)
	for _, d := range slices.Concat(Dialects(), otherReadings) {
		t.Run(d.Name, func(t *testing.T) {
			verdicts, open, sameRule, missed := map[verdict.Verdict]int{}, 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				r := NewRun(Shrinking{T: t}, d)
				r.Overlaps = rapid.Bool().Draw(t, "overlaps")
				if rapid.IntRange(0, 3).Draw(t, "depth") > 0 {
					r.deepen(64)
				}
				for range rapid.IntRange(1, 2).Draw(t, "rounds") {
					r.Walk(rapid.IntRange(0, 30).Draw(t, "steps"))
					if rapid.Bool().Draw(t, "rest") {
						r.Rest()
						r.Drain()
					}
				}
				quiescent, what := r.conclude(Shrinking{T: t})
				o := linearize.Options{MaxMemory: 64 << 20, DeviceLevel: d.FailsAsFlushed}
				if _, reading, other := strings.Cut(d.Name, " "); other && !o.DeviceLevel {
					id, choice, _ := strings.Cut(reading, "=")
					o.Assume = map[string]string{id: choice}
				}
				streamed := judging.Stream(r.Trace, o)
				o.Engine = linearize.Porcupine
				searched := linearize.Check(context.Background(), r.Trace, o)
				if !streamed.Decided() || !searched.Decided() {
					open++
					return
				}
				verdicts[streamed.Verdict]++
				if searched.Verdict == verdict.ProviderViolation && !streamed.Violated() && strings.HasPrefix(refereed(r, quiescent, configsOfDispute), "forbidden") {
					missed++
					return
				}
				if streamed.Verdict != searched.Verdict {
					t.Fatalf("spoilt: %s\nstream: %s: %+v\nporcupine: %s: %+v\nplain search: %s\n%s", what, streamed.Verdict, streamed.Findings,
						searched.Verdict, searched.Findings, refereed(r, quiescent, mostConfigs), r)
				}
				if streamed.Verdict == verdict.Conformant {
					for _, id := range stream.Uncounted() {
						have, counted := streamed.Rules[id], searched.Rules[id].Coverage
						if have.Coverage == verdict.Checked && counted != verdict.Checked || have.Coverage == verdict.Vacuous && counted == verdict.Checked {
							t.Fatalf("%s: %+v by stream, %+v by porcupine\n%s", id, have, searched.Rules[id], r)
						}
					}
				}
				if streamed.Verdict == verdict.ProviderViolation && judging.Equivalent(streamed.Findings[0], searched.Findings[0].Rule) {
					sameRule++
				}
			})
			t.Logf("%v, %d left open, %d missed by the stream; %d of the provider violations by the same rule", verdicts, open, missed, sameRule)
			if runs := open + missed + total(verdicts); missed > 1+runs/50 {
				t.Errorf("the stream misses %d", missed)
			}
			if verdicts[verdict.Conformant] == 0 || verdicts[verdict.ProviderViolation] == 0 {
				t.Error("one of the two answers never came")
			}
		})
	}
}

// otherReadings are dialects under readings that change when a completion is old, what matches, when an arm looks, and when
// callbacks come (A3, A5, A6, A24, A25, A26, A28).
var otherReadings = func() []model.Dialect {
	var all []model.Dialect
	for _, reading := range []string{"A3=RETURN", "A5=MAY", "A28=AT RETURN", "A6=NEVER", "A24=1", "A25=YES", "A26=OLD",
		"A8=INLINE", "A8=COMPLETION", "A15=CANCELLED"} {
		id, choice, _ := strings.Cut(reading, "=")
		d, err := model.Ndkpi().Assume(id, choice)
		if err != nil {
			panic(err)
		}
		d.Name += " " + reading
		all = append(all, d)
	}
	return all
}()

// What the readings change, the streaming engine sees as porcupine does: a completion is new until its callback has returned
// (A3), a callback that the arm did not ask for is none (A5), an arm finds when the callback returns what came after it (A28),
// a callback waits for a completion (A6), no more of them are owed than the bound says (A24), a CQ has room for its depth at
// least (A35), what was polled counts on (A25), and what comes before the first callback is old (A26).
func TestStreamFollowsReadings(t *testing.T) {
	for _, test := range []struct {
		reading, choice, text string
		verdict, byDefault    verdict.Verdict
	}{
		{"A3", "RETURN", "arm ANY; post 1; cb<; arm ANY; cb>; rest; get 1; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A5", "MAY", "arm SOLICITED; post 1; cb<; get 1; cb>; rest", verdict.Conformant, verdict.ProviderViolation},
		{"A28", "AT RETURN", "arm ANY; post 1; cb<; post 2; arm ANY; get 1 2; cb>; get; rest", verdict.Conformant, verdict.ProviderViolation},
		{"A6", "NEVER", "arm ANY; post 1; get 1; cb<; cb>; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A6", "NEVER", "arm ANY; post 1; get 1; rest; post 2; cb<; get 2; cb>; rest", verdict.Conformant, verdict.ProviderViolation},
		{"A24", "1", "arm ANY; post 1; get 1; arm ANY; post 2; get 2; cb<; cb>; cb<; cb>; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A24", "2", "arm ANY; post 1; get 1; arm ANY; post 2; get 2; arm ANY; post 3; get 3; cb<; cb>; cb<; cb>; cb<; cb>; rest",
			verdict.ProviderViolation, verdict.Conformant},
		{"A35", "EXACT", "arm ANY; post 1; cb<; get 1; cb>; rest", verdict.Conformant, verdict.Conformant},
		{"A25", "YES", "post 1; get 1; arm ANY; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A25", "YES", "post 1; get 1; arm ANY; cb<; cb>; rest", verdict.Conformant, verdict.ProviderViolation},
		{"A26", "OLD", "post 1; rest; arm ANY; rest; get 1; rest", verdict.Conformant, verdict.ProviderViolation},
		{"A15", "CANCELLED", "flush; post 1; get 1", verdict.ProviderViolation, verdict.Conformant},
		{"A15", "CANCELLED", "flush; post 1; get 1x", verdict.ProviderViolation, verdict.Conformant},
		{"A15", "CANCELLED", "flush; post 1; get 1c; rest", verdict.Conformant, verdict.Conformant},
		{"A15", "CANCELLED", "post 1; flush; get 1; rest", verdict.Conformant, verdict.Conformant},
		{"A15", "CANCELLED", "flush; post 1 Q; rest; get; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A15", "CANCELLED", "flush; post 1 Q; post 2; get 2c; rest", verdict.ProviderViolation, verdict.Conformant},
		{"A15", "CANCELLED", "recv 1; peer 7; flush; peerget 7; get 1; rest", verdict.Conformant, verdict.Conformant},
		{"A15", "CANCELLED", "flush F; post 1; get 1; rest", verdict.Conformant, verdict.Conformant},
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			o := linearize.Options{Engine: engine}
			if r := linearize.Check(context.Background(), notation.Script(t, test.text), o); r.Verdict != test.byDefault {
				t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.byDefault, r.Findings)
			}
			o.Assume = map[string]string{test.reading: test.choice}
			if r := linearize.Check(context.Background(), notation.Script(t, test.text), o); r.Verdict != test.verdict {
				t.Errorf("%s, %s=%s: %s, want %s: %+v", engine, test.reading, test.choice, r.Verdict, test.verdict, r.Findings)
			}
		}
	}
}

func total(verdicts map[verdict.Verdict]int) (n int) {
	for _, more := range verdicts {
		n += more
	}
	return n
}

// refereed says what the plain search makes of a run, where it can, with room for so many states.
func refereed(r *Run, quiescent bool, most int) string {
	if r.points || r.Trace.Header.Side != "provider" {
		return "not asked"
	}
	way, known, at := plainly(r.c.Dialect, r.Trace, quiescent, most)
	switch {
	case !known:
		return "too large"
	case way == nil:
		return fmt.Sprintf("forbidden, from event %d", at)
	}
	return fmt.Sprintf("allowed: %v", way)
}

// How NdkInvalidate of a dead token fails is a reading (POLL-08, A8): by the return of its post, or by its completion. A token
// is not dead where a request before it is still to make it valid, nor while one before it has yet to make it invalid.
func TestStreamFollowsA8(t *testing.T) {
	const (
		over     = notation.Registered + "NdkInvalidate qp1 i1#7; get cq1 i1; "
		accepted = "NdkInvalidate qp1 i2#7; get cq1 i2x; rest"
		refused  = "a< NdkInvalidate qp1 i2#7; a> STATUS_INVALID_PARAMETER; rest"
	)
	both := func(v verdict.Verdict) map[string]verdict.Verdict {
		return map[string]verdict.Verdict{"EITHER": verdict.Conformant, "INLINE": v, "COMPLETION": verdict.Conformant}
	}
	for text, want := range map[string]map[string]verdict.Verdict{
		over + accepted: both(verdict.ProviderViolation),
		over + refused:  {"EITHER": verdict.Conformant, "INLINE": verdict.Conformant, "COMPLETION": verdict.ProviderViolation},
		notation.Registered + "NdkInvalidate qp1 i1#7; NdkInvalidate qp1 i2#7; get cq1 i1 i2x; rest":         both(verdict.Conformant),
		notation.Registered + "NdkInvalidate qp1 i1#7; " + refused + "; get cq1 i1":                          both(verdict.Conformant),
		over + "NdkFastRegister qp1 f2#7; " + refused + "; get cq1 f2":                                       both(verdict.Conformant),
		over + "NdkFastRegister qp1 f2#7; get cq1 f2; " + refused:                                            both(verdict.Conformant),
		over + "NdkFastRegister qp1 f2#7; a< NdkInvalidate qp1 i2#7; get cq1 f2 i2; a> STATUS_SUCCESS; rest": both(verdict.Conformant),
		notation.Registered + "NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; " + accepted:           both(verdict.ProviderViolation),
	} {
		for choice, v := range want {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, text), linearize.Options{Engine: engine, Assume: map[string]string{"A8": choice}})
				if r.Verdict != v || v == verdict.ProviderViolation && r.Findings[0].Rule != "POLL-08" && r.Findings[0].Rule != "POLL-07" {
					t.Errorf("%s: %q under A8=%s: %s, want %s of POLL-08: %+v", engine, text, choice, r.Verdict, v, r.Findings)
				}
			}
		}
	}
}
