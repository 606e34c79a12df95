package linearize

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// spoils are the ways to spoil a trace at event i, each with what that event has to be.
var spoils = []struct {
	what string
	fits func(*trace.Event) bool
	do   func(d dice, r *run, i int)
}{

	{"a callback is missing", isCallback, func(_ dice, r *run, i int) { r.drop(r.trace.Events[i].Op) }},
	{"a callback comes earlier", isCallback, func(d dice, r *run, i int) {
		e := r.trace.Events[i]
		to := i - 1 - d.roll(min(i, 6), "earlier")
		r.trace.Events = slices.Insert(slices.Delete(r.trace.Events, i, i+1), to, e)
	}},
	{"a callback comes twice", isCallback, func(_ dice, r *run, i int) {
		enter, exit := r.trace.Events[i], trace.Event{Ph: trace.Exit, Op: "again", Fn: r.trace.Events[i].Fn, Thr: "t"}
		enter.Op = "again"
		r.trace.Events = slices.Insert(r.trace.Events, i, enter, exit)
	}},
	{"a completion ends otherwise", delivers, func(d dice, r *run, i int) {
		results := r.trace.Events[i].Results
		results[len(results)-1].Status = r.status(model.Outcome(d.roll(3, "status")))
	}},
	{"two completions change places", func(e *trace.Event) bool { return len(e.Results) > 1 }, func(_ dice, r *run, i int) {
		slices.Reverse(r.trace.Events[i].Results)
	}},
	{"a poll delivers less", delivers, func(_ dice, r *run, i int) {
		r.trace.Events[i].Results = r.trace.Events[i].Results[1:]
	}},
	{"an arm is missing", isArm, func(_ dice, r *run, i int) { r.drop(r.trace.Events[i].Op) }},
	{"an arm has another type", isArm, func(d dice, r *run, i int) {
		e := &r.trace.Events[i]
		if e.SolicitedOnly != nil {
			e.SolicitedOnly = word(!*e.SolicitedOnly)
			return
		}
		e.Type = model.Arm(1 + d.roll(3, "type")).String()
	}},
	{"a flush is missing", func(e *trace.Event) bool { return e.Ph == trace.Call && calls.KindOf(e) == calls.FlushQp },
		func(_ dice, r *run, i int) { r.drop(r.trace.Events[i].Op) }},
	{"a resize ends otherwise", answersResize, func(_ dice, r *run, i int) { r.answerOtherwise(&r.trace.Events[i]) }},
	{"the provider is at rest", func(e *trace.Event) bool { return true }, func(_ dice, r *run, i int) {
		r.trace.Events = slices.Insert(r.trace.Events, i, trace.Event{Ph: trace.Point, Fn: "quiesce", Thr: "t"})
	}},
}

func isCallback(e *trace.Event) bool {
	return e.Ph == trace.Enter && e.Fn == "NdkCqNotificationCallback"
}

func delivers(e *trace.Event) bool { return len(e.Results) > 0 }

func isArm(e *trace.Event) bool { return e.Ph == trace.Call && calls.KindOf(e) == calls.ArmCq }

func (r *run) drop(op string) {
	r.trace.Events = slices.DeleteFunc(r.trace.Events, func(e trace.Event) bool { return e.Op == op })
}

// spoil breaks one thing of the trace, and says what.
func spoil(d dice, r *run) string {
	type place struct{ way, event int }
	places := map[int][]place{}
	var ways []int
	for w, way := range spoils {
		for i := range r.trace.Events {
			if way.fits(&r.trace.Events[i]) {
				places[w] = append(places[w], place{w, i})
			}
		}
		if len(places[w]) > 0 {
			ways = append(ways, w)
		}
	}
	w := ways[d.roll(len(ways), "way")]
	spoils[w].do(d, r, places[w][d.roll(len(places[w]), "place")].event)
	for i := range r.trace.Events {
		r.trace.Events[i].Seq, r.trace.Events[i].Line = uint64(i+1), i+2
	}
	return spoils[w].what
}

// connection reports whether the trace holds both ends of a connection. The judge looks at each end by itself, and only
// then at what it knows of the messages: it can accept what the whole does not allow.
func (r *run) connection() bool {
	return slices.ContainsFunc(r.c.Qps, func(b model.Binding) bool { return b.Peer >= 0 })
}

// conclude ends a run, at rest or not, and perhaps spoils it: what says how.
func (r *run) conclude(d dice) (quiescent bool, what string) {
	quiescent = d.roll(4, "quiescent") > 0
	if quiescent {
		r.rest()
		r.drain()
	}
	r.report()
	what = "nothing"
	if d.roll(5, "spoilt") > 0 {
		what = spoil(d, r)
	}
	r.trace.End = &trace.End{Events: uint64(len(r.trace.Events)), Quiescent: quiescent}
	return quiescent, what
}

// On short traces, legal and spoilt, the judge's reductions leave the verdict of plain search as it is.
func TestSameVerdictAsPlainSearch(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			verdicts := map[bool]int{}
			rapid.Check(t, func(t *rapid.T) {
				r := newRun(shrinking{t}, d)
				r.walk(rapid.IntRange(0, 18).Draw(t, "steps"))
				quiescent, what := r.conclude(shrinking{t})
				way, known, at := plainly(r.c.Dialect, r.trace, quiescent, mostConfigs)
				if !known {
					t.Skip("too many states for a referee")
				}
				report := Check(context.Background(), r.trace, Options{MaxMemory: 64 << 20, DeviceLevel: d.FailsAsFlushed})
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
