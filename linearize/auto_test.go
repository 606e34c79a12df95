package linearize

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// One report is made of each pair of answers (acceptance by one engine is not enough): a violation stands whatever the other engine leaves open;
// what one alone holds against the provider is not a verdict where the other blames the consumer; and where one calls the trace conformant, and the
// other does not, it is never called so.
func TestAutoAgrees(t *testing.T) {
	open := verdict.Finding{Verdict: verdict.Inconclusive, Message: "more than is followed"}
	restless := verdict.Finding{Verdict: verdict.Inconclusive, Message: verdict.NotAtRest}
	provider := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-03", Line: 5}
	consumer := verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 9}
	answers := map[string][]verdict.Finding{
		"conformant": nil, "restless": {restless}, "open": {open},
		"provider": {provider}, "provider, restless": {provider, restless}, "provider, open": {provider, open},
		"consumer": {consumer}, "consumer, restless": {consumer, restless}, "consumer, open": {consumer, open},
	}
	const c, i, p, u = verdict.Conformant, verdict.Inconclusive, verdict.ProviderViolation, verdict.ConsumerViolation
	columns := []string{"conformant", "restless", "open", "provider", "provider, restless", "provider, open", "consumer", "consumer, restless", "consumer, open"}
	for _, row := range []struct {
		streamed string
		searched [9]verdict.Verdict // in the order of the columns
		differ   string             // the columns with which the difference is told: x
	}{
		{"conformant", [9]verdict.Verdict{c, i, c, p, p, p, u, u, u}, ".x.xxxxxx"},
		{"restless", [9]verdict.Verdict{i, i, i, p, p, p, u, u, u}, "x..xxxxxx"},
		{"open", [9]verdict.Verdict{c, i, i, p, p, p, u, u, u}, "........."},
		{"provider", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx....xx."},
		{"provider, restless", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx....xx."},
		{"provider, open", [9]verdict.Verdict{i, p, p, p, p, p, u, u, p}, "xx......."},
		{"consumer", [9]verdict.Verdict{i, u, u, u, u, u, u, u, u}, "xx.xx...."},
		{"consumer, restless", [9]verdict.Verdict{i, u, u, u, u, u, u, u, u}, "xx.xx...."},
		{"consumer, open", [9]verdict.Verdict{i, u, u, p, p, p, u, u, u}, "xx......."},
	} {
		for k, searched := range columns {
			t.Run(row.streamed+" by stream and "+searched+" by porcupine", func(t *testing.T) {
				report := func(engine Engine, findings []verdict.Finding) *verdict.Report {
					r := &verdict.Report{Engine: string(engine), Findings: slices.Clone(findings)}
					r.Settle()
					return r
				}
				r := agree(report(Streaming, answers[row.streamed]), report(Porcupine, answers[searched]))
				if r.Verdict != row.searched[k] {
					t.Errorf("%s, want %s: %+v", r.Verdict, row.searched[k], r.Findings)
				}
				tells := func(f verdict.Finding) bool {
					return strings.Contains(f.Message, "the engines differ") && strings.Contains(f.Message, "by stream") && strings.Contains(f.Message, "by porcupine")
				}
				if told := slices.ContainsFunc(r.Findings, tells); told != (row.differ[k] == 'x') {
					t.Errorf("that the engines differ is told: %t: %+v", told, r.Findings)
				}
			})
		}
	}
}

// What the consumer did first excuses the provider, though the engine that blames it leaves something open (POLL-01), where its rule excuses anything.
func TestAutoExcusesTheProvider(t *testing.T) {
	report := func(findings ...verdict.Finding) *verdict.Report {
		r := &verdict.Report{Findings: findings}
		r.Settle()
		return r
	}
	r := agree(report(verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 4}, verdict.Finding{Verdict: verdict.Inconclusive}),
		report(verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-03", Line: 5}))
	if r.Verdict != verdict.ConsumerViolation {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
	// A chain that was left open excuses nothing (DEF-06).
	r = agree(report(verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "POST-08", Line: 5}),
		report(verdict.Finding{Verdict: verdict.ConsumerViolation, Rule: "DEF-06", Line: 4}, verdict.Finding{Verdict: verdict.Inconclusive}))
	if r.Verdict != verdict.ProviderViolation {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
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
