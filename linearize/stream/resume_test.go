package stream_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// After a violation the streaming engine goes on from what is most plausible: what comes after it and is right is accused of
// nothing, and a second bug on the same objects is told, as one that may only follow from the first.
func TestStreamGoesOnAfterAViolation(t *testing.T) {
	const fine, wrong = "; arm ANY; post 91; cb<; get 91; cb>; rest; get; arm SOLICITED; post 92; rest; get 92; rest", "; get 91"
	for _, test := range []struct{ name, rule, text string }{
		{"a callback without an arm", "ARM-01", "cb<; cb>"},
		{"a second callback of one arm", "ARM-02", "arm ANY; post 1; cb<; get 1; cb>; cb<; cb>"},
		{"a callback that an unsolicited completion gave", "ARM-12", "arm SOLICITED; post 1; rest; cb<; get 1; cb>"},
		{"a callback with an impossible status", "ARM-15", "arm ANY; post 1; cb< STATUS_NONSENSE; get 1; cb>"},
		{"a callback is missing", "ARM-09", "arm ANY; post 1; rest; get 1"},
		{"a callback is missing, and comes late", "ARM-09", "arm ANY; write 1; rest; cb<; get 1; cb>; rest"},
		{"a completion is missing", "DEF-04", "write 1; rest; get"},
		{"a completion is missing, and comes late", "DEF-04", "write 1; rest; get; get 1"},
		{"completions are missing, and one behind them comes", "DEF-04", "write 1; write 2; rest; get; write 3; get 3"},
		{"completions of one queue change places", "POLL-09", "post 1; post 2; get 2 1"},
		{"a completion twice", "POLL-04", "post 1; get 1 1"},
		{"a completion of nothing", "POLL-05", "get 77"},
		{"a completion of a post that was refused", "DEF-03", "post 1 F; get 1"},
		{"a silent request that succeeded is reported", "FLAG-01", "post 1 Q; get 1"},
		{"what was deferred before a refused post is missing", "DEF-05", "write 1 D; write 2 F; rest; get"},
		{"more completions than room", "POLL-02", "post 1; post 2; post 3; post 4; post 5; post 6; post 7; post 8; post 9; get 1 2 3 4 5 6 7 8 9"},
		{"a receive without a message", "POLL-05", "recv 1; get 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			goesOn(t, test.rule, notation.Script(t, test.text+fine))
			goesOn(t, test.rule+" POLL-04*", notation.Script(t, test.text+fine+wrong))
		})
	}
}

// The same of what requests and calls do, of two QPs that are connected.
func TestStreamGoesOnAfterAViolationOfARequest(t *testing.T) {
	const fine, wrong = "; NdkReceive qp1 r91; NdkSend qp2 s91; get cq2 s91; get cq1 r91; rest; get cq1", "; get cq1 r91"
	for _, test := range []struct{ name, rule, text string }{
		{"a bad token is accepted", "INV-05", "NdkReceive qp1 r1; NdkSendAndInvalidate qp2 s1#7; get cq2 s1; get cq1 r1"},
		{"a token is invalidated twice", "POLL-07", notation.Registered + "NdkInvalidate qp1 i1#7; NdkSendAndInvalidate qp2 s1#7; get cq1 r1; get cq2 s1; get cq1 i1"},
		{"a flush leaves a receive behind", "FLUSH-02", "NdkReceive qp1 r1; NdkFlush qp1; rest; get cq1"},
		{"a silent send without a receive has no completion", "FLAG-02",
			"NdkSend qp1 s1 SILENT_SUCCESS; NdkFlush qp1; NdkWrite qp1 w1; get cq1 w1"},
		{"success after the flush", "FLUSH-01", "NdkReceive qp1 r1; NdkFlush qp1; NdkSend qp2 s1; get cq1 r1; get cq2 s1"},
		{"a completion in the other CQ", "POLL-05", "NdkWrite qp1 w1; get cq2 w1"},
		{"a post pends", "POST-10", "a< NdkWrite qp1 w1; a> STATUS_PENDING; get cq1 w1"},
		{"a close that is answered late", "LIFE-11", "new qp3; a< NdkCloseQp qp3; a> STATUS_PENDING; rest; a! STATUS_SUCCESS"},
		{"a post without a connection", "POST-08", "new qp3; NdkWrite qp3 w1; get cq1 w1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			goesOn(t, test.rule, notation.Overlapped(t, test.text+fine))
			goesOn(t, test.rule+" POLL-04*", notation.Overlapped(t, test.text+fine+wrong))
		})
	}
}

// goesOn looks for findings of these rules, a star behind those that may only follow from the first.
func goesOn(t *testing.T, want string, traced *trace.Trace) {
	t.Helper()
	var rules []string
	r := judging.Stream(traced, linearize.Options{})
	for i, f := range r.Findings {
		if i == 0 {
			rules = append(rules, f.Rule)
			continue
		}
		rules = append(rules, f.Rule+"*")
		if f.Follows == nil || *f.Follows != (verdict.Origin{Rule: r.Findings[0].Rule, Line: r.Findings[0].Line}) {
			t.Errorf("not marked: %+v", f)
		}
	}
	if have := strings.Join(rules, " "); have != want || r.Verdict != verdict.ProviderViolation {
		t.Errorf("%s, want %s: %+v", have, want, r.Findings)
	}
}

// What follows from a violation is marked: of objects that share something one alone is not, and no consumer that keeps its
// rules is accused, whatever the provider does, again and again (all rules; histories of all dialects, spoilt in up to four
// places).
func TestStreamMarksWhatFollows(t *testing.T) {
	t.Logf("seed %v: -rapid.seed chooses another", flag.Lookup("rapid.seed").Value)
	marked := 0
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(histories.Dialects()).Draw(t, "dialect")
		r := histories.NewRun(histories.Shrinking{T: t}, d)
		r.Overlaps = rapid.Bool().Draw(t, "overlaps")
		for range 2 {
			r.Walk(rapid.IntRange(10, 40).Draw(t, "steps"))
			r.Rest()
			r.Drain()
		}
		r.Report()
		r.Trace.End = &trace.End{Quiescent: true}
		o := linearize.Options{DeviceLevel: d.FailsAsFlushed}
		for range rapid.IntRange(1, 4).Draw(t, "spoils") {
			histories.Spoil(histories.Shrinking{T: t}, r)
		}
		report, unmarked := judging.Stream(r.Trace, o), 0
		for _, f := range report.Findings {
			switch {
			case f.Verdict == verdict.ConsumerViolation && f.Rule != "DEF-06": // random consumers do leave chains open
				t.Fatalf("the consumer is accused: %+v\n%s", report.Findings, r)
			case f.Follows != nil:
				marked++
			case f.Verdict == verdict.ProviderViolation && !declared.IsAlone(f.Rule):
				unmarked++
			}
		}
		if unmarked > report.Components {
			t.Fatalf("%d findings are not marked, of %d components: %+v\n%s", unmarked, report.Components, report.Findings, r)
		}
	})
	if t.Logf("%d findings were marked", marked); marked == 0 {
		t.Error("nothing ever followed")
	}
}

// Of one group so many findings are told that may only follow from the first, which says how many more there were.
func TestStreamTellsSoManyFindings(t *testing.T) {
	const wrong = stream.MaxFollowing + 50
	r := judging.Stream(notation.Script(t, "cb<; cb>"+strings.Repeat("; get 77", wrong)), linearize.Options{})
	if len(r.Findings) != 1+stream.MaxFollowing || r.Findings[0].More != wrong-stream.MaxFollowing {
		t.Errorf("%d findings, and %d more; want %d, and %d", len(r.Findings), r.Findings[0].More, 1+stream.MaxFollowing, wrong-stream.MaxFollowing)
	}
}

// After a breach of the consumer's nothing is held against the provider of the same objects; of the consumer the next one is
// told (POLL-01). After one of the provider's, a consumer's breach may only follow from it.
func TestStreamTellsWhoseBreachFollows(t *testing.T) {
	const overlap = "; a< get cq1; b< get cq1; b>; a>"
	for text, want := range map[string][]verdict.Verdict{
		"NdkWrite qp1 w1" + overlap + "; get cq1 w9; get cq1 w1 w1; c< NdkWrite qp1 w2; c> STATUS_PENDING" + overlap: {
			verdict.ConsumerViolation, verdict.ConsumerViolation},
		"get cq1 w9" + overlap + "; get cq1 w9": {verdict.ProviderViolation, verdict.ConsumerViolation},
	} {
		r := judging.Stream(notation.Overlapped(t, text), linearize.Options{})
		var have []verdict.Verdict
		for i, f := range r.Findings {
			if have = append(have, f.Verdict); f.Follows == nil != (i == 0) {
				t.Errorf("finding %d is marked as it should not: %+v", i, f)
			}
		}
		if !slices.Equal(have, want) || r.Verdict != want[0] {
			t.Errorf("%v, want %v: %+v", have, want, r.Findings)
		}
	}
}

// What is wrong at the other end of a connection may follow, too; of a QP that has nothing to do with it it does not.
func TestStreamMarksThePeer(t *testing.T) {
	for _, text := range []string{"get cq1 w9; get cq2 w9", "get cq2 w9; get cq1 w9"} {
		r := judging.Stream(notation.Overlapped(t, text), linearize.Options{})
		if len(r.Findings) != 2 || r.Findings[0].Follows != nil || r.Findings[1].Follows == nil {
			t.Errorf("%s: %+v", text, r.Findings)
		}
	}
	apart := notation.Overlapped(t, "get cq1 w9; get cq2 w9")
	for i := range apart.Events {
		apart.Events[i].Conn = ""
	}
	if r := judging.Stream(apart, linearize.Options{}); len(r.Findings) != 2 || r.Findings[1].Follows != nil {
		t.Errorf("without a connection: %+v", r.Findings)
	}
}

// What comes later and may explain a violation takes back what may only follow from it, too.
func TestStreamTakesBackWhatFollows(t *testing.T) {
	const text = "arm ANY; post 1; rest; get 1; get 77"
	if r := judging.Stream(notation.Script(t, text), linearize.Options{}); len(r.Findings) != 2 {
		t.Fatalf("%+v", r.Findings)
	}
	r := judging.Stream(notation.Script(t, text+"; cb< STATUS_INTERNAL_ERROR; cb>"), linearize.Options{})
	if r.Verdict != verdict.Inconclusive || len(r.Findings) != 1 {
		t.Errorf("%+v", r.Findings)
	}
}

// What the clauses over hidden times find does not follow from what the stream leaves undecided: they assume nothing to go on (POLL-05).
func TestTheClausesFollowNothingUndecided(t *testing.T) {
	traced := notation.Overlapped(t, "NdkResizeCq cq1 1; NdkReceive qp2 r7; NdkSend qp1 s1; NdkSend qp1 s2; rest; get cq2 r7; get cq2; get cq1 s1 s2; get cq1")
	if r := judging.Stream(traced, linearize.Options{}); r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POLL-05" || r.Findings[0].Follows != nil {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}
