package linearize_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Each rule counts where a trace exercises it, and nowhere else.
func TestRulesCountWhereTheyAreExercised(t *testing.T) {
	for rule, text := range map[string]string{
		"ARM-02":   "arm ANY; post 1; cb<; get 1; cb>",
		"ARM-04":   "get; post 1; rest; arm ANY; cb<; get 1; cb>",
		"ARM-05":   "arm ANY; post 1; cb<; cb>; arm ANY; rest; get 1; get",
		"ARM-07":   "arm SOLICITED; arm ANY; post 1; cb<; get 1; cb>",
		"ARM-08":   "arm ERRORS; post 1; rest; get 1; get",
		"ARM-09":   "arm ANY; post 1; cb<; get 1; cb>",
		"ARM-10":   "recv 1; arm SOLICITED; peer 7 S; cb<; get 1; cb>; rest; get; peerget 7",
		"ARM-11":   "arm SOLICITED; post 1; cb<; get 1x; cb>",
		"ARM-12":   "arm SOLICITED; post 1; rest; get 1; get",
		"DEF-05":   "post 1 D; post 2 F; rest; get 1; get",
		"FLAG-01":  "post 1 Q; post 2; get 2; get",
		"FLAG-02":  "post 1 Q; get 1x; get",
		"FLUSH-01": "recv 1; flush; get 1c",
		"LIFE-04":  "close-qp; close",
		"LIFE-09":  "close-qp; close",
		"RES-10":   "recv 1; flush; get 1c",
	} {
		with, without := check(t, text), check(t, "get")
		if with.Verdict != verdict.Conformant || with.Rules[rule].Coverage != verdict.Checked || with.Rules[rule].Count == 0 {
			t.Errorf("%s: %s of %q: %+v; %+v", rule, with.Verdict, text, with.Rules[rule], with.Findings)
		}
		if without.Rules[rule].Coverage != verdict.Vacuous {
			t.Errorf("%s counts where nothing exercises it: %+v", rule, without.Rules[rule])
		}
	}
}

// What must happen in the end is undecided where the trace does not end at rest, and decided where it does.
func TestEventualRulesNeedRest(t *testing.T) {
	const text = "arm ANY; post 1; post 2 D; post 3 F; cb<; get 1 2; cb>; get"
	resting, cut := check(t, text), check(t, text+"; cut")
	if resting.Verdict != verdict.Conformant || cut.Verdict != verdict.Inconclusive {
		t.Fatalf("%s at rest, %s when cut: %+v %+v", resting.Verdict, cut.Verdict, resting.Findings, cut.Findings)
	}
	for _, id := range []string{"ARM-09", "DEF-04", "DEF-05"} {
		if resting.Rules[id].Coverage != verdict.Checked || cut.Rules[id].Coverage != verdict.Undecided || cut.Rules[id].Why == "" {
			t.Errorf("%s: at rest %+v, when cut %+v", id, resting.Rules[id], cut.Rules[id])
		}
	}
	if cut.Rules["POLL-04"].Coverage != verdict.Checked {
		t.Errorf("POLL-04 needs no rest: %+v", cut.Rules["POLL-04"])
	}
}

// Of two components that have nothing to do with each other one breaks a rule: the finding names that one only, and what the
// other exercised is counted as if it were alone, by each engine (POLL-05 beside ARM-01, ARM-21, POLL-04, POLL-09).
func TestBrokenComponentAlone(t *testing.T) {
	apart := func(text string) *trace.Trace {
		traced := notation.Script(t, text)
		for i := range traced.Events {
			traced.Events[i].Conn = "" // of no connection: their QPs are not peers
		}
		return traced
	}
	const fine = "arm ANY; post 1; cb<; get 1; cb>; rest; get"
	for _, engine := range []linearize.Engine{linearize.Auto, linearize.Streaming, linearize.Porcupine} {
		o := linearize.Options{Engine: engine}
		alone, beside := linearize.Check(t.Context(), apart(fine), o), linearize.Check(t.Context(), apart("peerget 77; "+fine), o)
		if alone.Verdict != verdict.Conformant || beside.Verdict != verdict.ProviderViolation || beside.Components != 2 {
			t.Fatalf("%s: %s alone, %s of %d components: %+v", engine, alone.Verdict, beside.Verdict, beside.Components, beside.Findings)
		}
		for _, f := range beside.Findings {
			if f.Follows != nil || !strings.Contains(f.Message, "cq2") || strings.Contains(f.Message, "cq1") {
				t.Errorf("%s: %+v", engine, f)
			}
		}
		for _, id := range []string{"ARM-01", "ARM-21", "POLL-04", "POLL-09"} {
			if have, want := beside.Rules[id], alone.Rules[id]; have != want || have.Count == 0 {
				t.Errorf("%s: %s: %+v, want %+v", engine, id, have, want)
			}
		}
	}
}

// What follows a consumer's breach is not blamed on the provider, and what came before it still is (LIFE-06, ARM-20, POLL-04).
func TestConsumerBreach(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"the provider's after the consumer's", "arm ANY; post 1; close-qp; close; get; cb<; cb>", []string{"consumer violation LIFE-06"}},
		{"the provider's before the consumer's", "arm ANY; post 1; get 1; get 1; close-qp; close; get",
			[]string{"provider violation POLL-04", "consumer violation LIFE-06"}},
		{"found by searching, before the consumer's", "post 1; cb<; cb>; close-qp; close; get",
			[]string{"provider violation ARM-01", "consumer violation LIFE-06"}},
		{"the consumer's on other objects", "post 1; cb<; cb>; get 1; peer 1 D",
			[]string{"provider violation ARM-01", "consumer violation DEF-06"}},
		{"a chain left open excuses what is stranded in it", "post 1 D; rest; get", []string{"consumer violation DEF-06"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, test.text)
			var have []string
			for _, f := range r.Findings {
				have = append(have, string(f.Verdict)+" "+f.Rule)
			}
			if !slices.Equal(have, test.want) {
				t.Errorf("%v, want %v: %+v", have, test.want, r.Findings)
			}
		})
	}
}

// A consumer takes a callback down late: the provider may have entered it before. In user mode each arm has a callback of
// its own, and the second arm finds nothing fresh only if the first callback was entered by then (ARM-04).
func TestConsumerSeesCallbacksLate(t *testing.T) {
	traced := notation.Script(t, "arm ANY; post 1; arm ANY; cb<; cb>; rest; get 1; get")
	for side, want := range map[string]verdict.Verdict{"provider": verdict.ProviderViolation, "consumer": verdict.Conformant} {
		traced.Header.Side = side
		if r := linearize.Check(context.Background(), traced, linearize.Options{Dialect: "ndspi"}); r.Verdict != want {
			t.Errorf("%s: %s, want %s: %+v", side, r.Verdict, want, r.Findings)
		}
	}
}

// A callback that is owed may have been entered, and not told of yet. It is missing only if it was owed by a moment of rest: not for a send that
// may have waited then for another receive than the one that failed (A15, ARM-03), but for one of which a poll shows that it had that, or which failed with
// nothing called since.
func TestConsumerSeesCallbacksOfSendsThatWaited(t *testing.T) {
	for text, violated := range map[string]bool{
		"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; NdkReceive qp1 r2; get cq1 s1x":                       false,
		"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; NdkReceive qp1 r2; get cq2 r1x; get cq2; get cq1 s1x": false,
		"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; get cq1 s1x":                                          true,
		"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; get cq1 s1x; get cq2":                                 true,
	} {
		traced := notation.Overlapped(t, text)
		traced.Header.Side, traced.End.Quiescent = "consumer", false
		r := judging.Stream(traced, linearize.Options{})
		if violated && r.Findings[0].Rule != "ARM-09" {
			t.Errorf("%s: %+v", text, r.Findings)
		}
		if s := linearize.Check(context.Background(), traced, linearize.Options{Engine: linearize.Porcupine}); s.Violated() != violated || r.Violated() != violated {
			t.Errorf("%s: stream %s, porcupine %s", text, r.Verdict, s.Verdict)
		}
	}
}

// A callback that was due by a moment of rest may be told later, or never: then it is missing (ARM-11), also for a receive, where a
// silent message that names a bad token had ended the connection (INV-05).
func TestConsumerTellsOfCallbacksLaterOrNever(t *testing.T) {
	const cancelled = "NdkFlush qp2; NdkArmCq cq1 SOLICITED; NdkSend qp1 s1; NdkReceive qp2 r1; rest; get cq1 s1c; "
	const silent = "NdkFlush qp2; NdkArmCq cq1 SOLICITED; NdkSend qp1 s1 SILENT_SUCCESS; NdkReceive qp2 r1; rest; get cq1 s1c; "
	const aborted = "NdkReceive qp1 r1; NdkArmCq cq1 SOLICITED; NdkSendAndInvalidate qp2 s1#7 SILENT_SUCCESS; rest; get cq1 r1c; get cq2"
	for _, test := range []struct{ text, want string }{
		{cancelled + "get cq2", "ARM-11"},
		{cancelled + "get cq2; enter cq1", verdict.NotAtRest},
		{cancelled + "enter cq1; get cq2", verdict.NotAtRest},
		{silent + "get cq2", "ARM-11"},
		{silent + "get cq2; enter cq1", verdict.NotAtRest},
		{aborted, "ARM-11"},
		{aborted + "; enter cq1", verdict.NotAtRest},
	} {
		traced := notation.Overlapped(t, test.text)
		traced.Header.Side, traced.End.Quiescent = "consumer", false
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			if f := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine}).Findings[0]; !strings.Contains(f.Rule+" "+f.Message, test.want) {
				t.Errorf("%s: %s: %+v", test.text, engine, f)
			}
		}
	}
}

// In user mode callbacks may overlap, so that the second may have been entered while the first was running.
func TestConsumerSeesOverlappingCallbacksLate(t *testing.T) {
	traced := notation.Script(t, "arm ANY; arm ANY; post 1; cb<; post 2; arm ANY; cb>; cb<; cb>; rest; get 1 2; get")
	for side, want := range map[string]verdict.Verdict{"provider": verdict.ProviderViolation, "consumer": verdict.Conformant} {
		traced.Header.Side = side
		if r := linearize.Check(context.Background(), traced, linearize.Options{Dialect: "ndspi"}); r.Verdict != want {
			t.Errorf("%s: %s, want %s: %+v", side, r.Verdict, want, r.Findings)
		}
	}
}

// A point says when a completion was placed, and how it ended: what could explain the trace without it no longer does
// (ARM-04, FLAG-02).
func TestPointsNarrow(t *testing.T) {
	for _, test := range []struct {
		name, text string
		without    verdict.Verdict
		with       verdict.Verdict
		wr, status string
		at         string // the point comes before the first event of this function, after the post
	}{
		{"placed before the arm", "post 1; arm ANY; rest; get 1; get; post 2; get 2", verdict.ProviderViolation, verdict.ProviderViolation, "1", "STATUS_SUCCESS", "NdkArmCq"},
		{"placed after the poll that found nothing", "post 1; get; arm SOLICITED; rest; get 1; get", verdict.Conformant, verdict.Conformant, "1", "STATUS_SUCCESS", "NdkArmCq"},
		{"placed before a poll that found nothing", "post 1; get; get 1; get", verdict.Conformant, verdict.ProviderViolation, "1", "STATUS_SUCCESS", "NdkGetCqResults"},
		{"a silent failure that no poll delivered", "post 1 Q; rest", verdict.Conformant, verdict.Conformant, "1", "STATUS_ACCESS_VIOLATION", "quiesce"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Script(t, test.text)
			if r := linearize.Check(context.Background(), traced, linearize.Options{}); r.Verdict != test.without {
				t.Errorf("without the point %s, want %s: %+v", r.Verdict, test.without, r.Findings)
			}
			i := slices.IndexFunc(traced.Events, func(e trace.Event) bool { return e.Fn == test.at })
			traced.Events = slices.Insert(traced.Events, i, trace.Event{Ph: trace.Point, Fn: "CqePlaced", Cq: "cq1", Wr: test.wr, Status: test.status})
			if r := linearize.Check(context.Background(), traced, linearize.Options{}); r.Verdict != test.with {
				t.Errorf("with the point %s, want %s: %+v", r.Verdict, test.with, r.Findings)
			}
		})
	}
}

// What was not judged is never vacuous: where a trace was not searched, or not to its end, a rule that it may have exercised is
// undecided, and says why; one that nothing in it exercises stays vacuous.
func TestWhatWasNotJudgedIsUndecided(t *testing.T) {
	const text = "arm SOLICITED; arm ANY; post 1 DQ; post 2; flush; cb<; get 2; cb>"
	for _, test := range []struct {
		name string
		do   func(*trace.Trace, *linearize.Options)
		text string
	}{
		{"in no order", func(traced *trace.Trace, _ *linearize.Options) {
			traced.Header.Order, traced.Events[0].T = "partial", 1
		}, text},
		{"with events dropped", func(traced *trace.Trace, _ *linearize.Options) { traced.End.Dropped = 1 }, text},
		{"too many operations", func(_ *trace.Trace, o *linearize.Options) { o.MaxOperations = 3 }, text},
		{"too much memory", func(_ *trace.Trace, o *linearize.Options) { o.MaxMemory = 1 }, text},
		{"a CQ from before", func(traced *trace.Trace, _ *linearize.Options) { traced.Events = traced.Events[2:] }, text},
		{"behind a violation without a search", func(*trace.Trace, *linearize.Options) {}, "post 8; get 8 8; " + text},
		{"behind a violation found by searching", func(*trace.Trace, *linearize.Options) {}, "cb<; cb>; " + text},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced, o := notation.Script(t, test.text), linearize.Options{Engine: linearize.Porcupine}
			test.do(traced, &o)
			r := linearize.Check(context.Background(), traced, o)
			for _, id := range []string{"ARM-07", "ARM-09", "ARM-10", "DEF-02", "FLAG-02", "FLUSH-01"} {
				if c := r.Rules[id]; c.Coverage != verdict.Undecided || c.Why == "" {
					t.Errorf("%s: %+v, want inconclusive; %+v", id, c, r.Findings)
				}
			}
			for _, id := range []string{"ARM-08", "LIFE-09", "INV-05", "DEF-05"} {
				if c := r.Rules[id]; c.Coverage != verdict.Vacuous {
					t.Errorf("%s, which nothing exercises: %+v", id, c)
				}
			}
		})
	}
}
