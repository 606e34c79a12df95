package linearize_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Of a violation that both engines tell, each by its own rule and line, the stream says what may only follow from it (ARM-03,
// POLL-04).
func TestAutoTellsWhatFollows(t *testing.T) {
	for _, text := range []string{"post 1; get 1 1; get 77", "arm ANY; post 1; rest; cb<; get 1; cb>; get 77"} {
		r := linearize.Check(context.Background(), notation.Script(t, text), linearize.Options{})
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
	open := notation.Overlapped(t, "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1")
	if r := linearize.Check(context.Background(), open, linearize.Options{}); r.Verdict != verdict.Conformant {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
	if r := linearize.Check(context.Background(), notation.Script(t, "post 1; get 1; rest"), linearize.Options{}); r.Operations == 0 || r.Cases == nil || r.Cases[cases.PollFewer].AtLeast != 1 {
		t.Errorf("porcupine's report, of %d operations, has not the cases that the stream counted: %v", r.Operations, r.Cases)
	}
	short := notation.Loaded(4, 1_000)
	if r := linearize.Check(context.Background(), short, linearize.Options{}); r.Operations == 0 || r.Rules["ARM-09"].Count == 0 {
		t.Errorf("porcupine was not asked for what a short trace exercises: %+v", r.Rules["ARM-09"])
	}
	r, _ := judgedWhileRead(t, notation.Loaded(4, linearize.MaxEvents+1_000))
	if r.Operations > 0 || r.Events <= linearize.MaxEvents || len(r.Findings) != 1 || r.Findings[0].Message != verdict.NotAtRest {
		t.Errorf("%d operations of %d events: %+v", r.Operations, r.Events, r.Findings)
	}
}

// What auto leaves open is not to be asked of the streaming engine, which it has asked.
func TestAutoAdvisesNoEngineThatItAsked(t *testing.T) {
	advised := 0
	for _, row := range judging.Corpus(t) {
		if row.Verdict != string(verdict.Inconclusive) {
			continue
		}
		traced, o := row.Read(t), row.Options()
		advises := func(e linearize.Engine) bool {
			o.Engine, o.MaxMemory = e, 1
			return slices.ContainsFunc(linearize.Check(context.Background(), traced, o).Findings, func(f verdict.Finding) bool {
				return f.Verdict == verdict.Inconclusive && strings.HasSuffix(f.Message, "--engine stream")
			})
		}
		if advises(linearize.Porcupine) {
			advised++
		}
		if advises(linearize.Auto) {
			t.Errorf("%s: auto advises to ask the streaming engine", row.File)
		}
	}
	if advised == 0 {
		t.Error("porcupine never advises to ask the streaming engine")
	}
}

// A trace that is long enough for the streaming engine alone is judged to its end, from its beginning: POLL-04 of its last event.
func TestAutoFollowsLongTraces(t *testing.T) {
	long := notation.Loaded(4, linearize.MaxEvents+1_000)
	last := long.Events[len(long.Events)-1]
	twice := []trace.Event{last, last}
	twice[0] = trace.Event{Ph: trace.Call, Op: "again", Fn: "NdkGetCqResults", Thr: "t", Cq: "cq1", N: notation.Number(1)}
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
	r, kept, err := linearize.CheckReader(context.Background(), in, "load", linearize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, kept
}
