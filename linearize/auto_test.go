package linearize

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Where one engine has an answer it stands; where both have one, that which says more; where they differ, it is never told that
// the trace is conformant (acceptance by one engine is not enough).
func TestAutoTakesTheAnswerThatThereIs(t *testing.T) {
	conformant := &verdict.Report{Verdict: verdict.Conformant}
	open := verdict.Finding{Verdict: verdict.Inconclusive, Message: "more than is followed"}
	broken := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-03"}
	report := func(findings ...verdict.Finding) *verdict.Report {
		r := &verdict.Report{Findings: findings}
		r.Settle()
		return r
	}
	for _, test := range []struct {
		name               string
		streamed, searched *verdict.Report
		verdict            verdict.Verdict
		findings           int
	}{
		{"both accept", conformant, report(), verdict.Conformant, 0},
		{"the stream leaves it open", report(open), report(), verdict.Conformant, 0},
		{"the search leaves it open", conformant, report(open), verdict.Conformant, 0},
		{"neither knows", report(open, open), report(open), verdict.Inconclusive, 1},
		{"one knows of a violation", report(broken, open), report(open), verdict.ProviderViolation, 2},
		{"both leave open what the end leaves open", report(verdict.Finding{Verdict: verdict.Inconclusive, Message: verdict.NotAtRest}),
			report(verdict.Finding{Verdict: verdict.Inconclusive, Message: verdict.NotAtRest}), verdict.Inconclusive, 1},
		{"only the stream rejects", report(broken), report(), verdict.Inconclusive, 1},
		{"only the search rejects", report(), report(broken), verdict.ProviderViolation, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if r := agree(test.streamed, test.searched); r.Verdict != test.verdict || len(r.Findings) != test.findings {
				t.Errorf("%s, %d findings, want %s, %d: %+v", r.Verdict, len(r.Findings), test.verdict, test.findings, r.Findings)
			}
		})
	}
}

// What the stream found is not lost to a search that does not end when it should (within a second of --timeout or an interrupt), and a
// mistake in that is not taken for an answer.
func TestAutoDoesNotWaitForTheSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answer := &verdict.Report{}
	if r := second(ctx, func() *verdict.Report { return answer }); r != answer {
		t.Errorf("the search has an answer, and it is %v", r)
	}
	cancel()
	if r := second(ctx, func() *verdict.Report { <-t.Context().Done(); return answer }); r != nil {
		t.Errorf("the search has no answer yet, and it is %v", r)
	}
	defer func() {
		if problem := recover(); problem == nil || !strings.Contains(problem.(string), "a mistake\n") {
			t.Errorf("recovered %v", problem)
		}
	}()
	second(ctx, func() *verdict.Report { panic("a mistake") })
	t.Error("the search broke down, and nobody knows")
}

// Of a violation that both engines tell, each by its own rule and line, the stream says what may only follow from it (ARM-03,
// POLL-04).
func TestAutoTellsWhatFollows(t *testing.T) {
	for _, text := range []string{"post 1; get 1 1; get 77", "arm ANY; post 1; rest; cb<; get 1; cb>; get 77"} {
		r := Check(context.Background(), script(t, text), Options{})
		if len(r.Findings) != 2 || r.Operations == 0 {
			t.Fatalf("%s: %+v", text, r.Findings)
		}
		first, second := r.Findings[0], r.Findings[1]
		if second.Rule != "POLL-05" || second.Follows == nil || *second.Follows != (verdict.Origin{Rule: first.Rule, Line: first.Line}) {
			t.Errorf("%s: %+v", text, r.Findings)
		}
	}
}

// Auto decides what the streaming engine leaves open, and a trace that porcupine does not take: ARM-03 in both.
func TestAutoTakesBothEngines(t *testing.T) {
	open := overlapped(t, "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1")
	if r := Check(context.Background(), open, Options{}); r.Verdict != verdict.Conformant {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
	if r := Check(context.Background(), script(t, "post 1; get 1; rest"), Options{}); r.Operations == 0 || r.Cases == nil || r.Cases[cases.PollFewer].AtLeast != 1 {
		t.Errorf("porcupine's report, of %d operations, has not the cases that the stream counted: %v", r.Operations, r.Cases)
	}
	short := loaded(4, 1_000)
	if r := Check(context.Background(), short, Options{}); r.Operations == 0 || r.Rules["ARM-09"].Count == 0 {
		t.Errorf("porcupine was not asked for what a short trace exercises: %+v", r.Rules["ARM-09"])
	}
	r, _ := judgedWhileRead(t, loaded(4, MaxEvents+1_000))
	if r.Operations > 0 || r.Events <= MaxEvents || len(r.Findings) != 1 || r.Findings[0].Message != verdict.NotAtRest {
		t.Errorf("%d operations of %d events: %+v", r.Operations, r.Events, r.Findings)
	}
}

// A trace that is long enough for the streaming engine alone is judged to its end, from its beginning: POLL-04 of its last event.
func TestAutoFollowsLongTraces(t *testing.T) {
	long := loaded(4, MaxEvents+1_000)
	last := long.Events[len(long.Events)-1]
	twice := []trace.Event{last, last}
	twice[0] = trace.Event{Ph: trace.Call, Op: "again", Fn: "NdkGetCqResults", Thr: "t", Cq: "cq1", N: number(1)}
	twice[1] = trace.Event{Ph: trace.Ret, Op: "again", Fn: "NdkGetCqResults", Thr: "t",
		Results: []trace.Result{{Wr: "w0", Qp: "qp1", Status: "STATUS_SUCCESS"}}}
	for i := range twice {
		twice[i].Seq, twice[i].Line = last.Seq+uint64(i)+1, last.Line+i+1
	}
	long.Events = append(long.Events, twice...)
	long.End.Events = uint64(len(long.Events))
	r, kept := judgedWhileRead(t, long)
	if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POLL-05" && r.Findings[0].Rule != "POLL-04" {
		t.Fatalf("%s: %+v", r.Verdict, r.Findings)
	}
	if len(kept.Events) == 0 || len(kept.Events) > 10 || !strings.Contains(r.Findings[0].Message, "w0") {
		t.Errorf("%d events are kept: %+v", len(kept.Events), r.Findings)
	}
}

// judgedWhileRead writes a trace and lets CheckReader read it.
func judgedWhileRead(t *testing.T, traced *trace.Trace) (*verdict.Report, *trace.Trace) {
	t.Helper()
	var text bytes.Buffer
	w, err := trace.NewWriter(&text, traced.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range traced.Events {
		if err := w.Write(&traced.Events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(*traced.End); err != nil {
		t.Fatal(err)
	}
	in, err := trace.NewReader("load", &text)
	if err != nil {
		t.Fatal(err)
	}
	r, kept, err := CheckReader(context.Background(), in, "load", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, kept
}
