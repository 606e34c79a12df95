package linearize_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// timed makes a trace in a partial order of a script: an event a word, on thread main unless it is of a callback, at these times.
func timed(t *testing.T, text string, times ...int64) *trace.Trace {
	t.Helper()
	traced := notation.Script(t, text)
	begun := len(traced.Events) - len(times)
	traced.Header.Order = "partial"
	for i := range traced.Events {
		e := &traced.Events[i]
		if e.Thr = "main"; e.Ph == trace.Enter || e.Ph == trace.Exit {
			e.Thr = "callback"
		}
		if i >= begun {
			e.T = times[i-begun]
		}
	}
	return traced
}

// Times tell the order of two threads. Where they are one, every order is possible, and what is wrong in each is told by the
// first; where there are too many, or some accuse the provider and others the consumer, the answer stays open.
func TestPartialOrder(t *testing.T) {
	many := "arm ANY; cb<; cb>" + strings.Repeat("; get", 4) + "; post 1; get 1"
	for _, test := range []struct {
		name    string
		traced  *trace.Trace
		verdict verdict.Verdict
		says    string
	}{
		{"later lines are earlier", timed(t, "arm ANY; post 1; get 1; cb<; cb>", 1, 2, 3, 4, 7, 8, 5, 6), verdict.Conformant, ""},
		{"earlier lines are later", timed(t, "cb<; cb>; arm ANY; post 1; get 1", 5, 6, 1, 2, 3, 4, 7, 8), verdict.Conformant, ""},
		{"a callback before its arm", timed(t, "arm ANY; post 1; get 1; cb<; cb>", 2, 3, 4, 5, 6, 7, 1, 8), verdict.ProviderViolation, "no callback is owed"},
		{"a callback with its arm", timed(t, "cb<; cb>; arm ANY; post 1; get 1", 2, 6, 2, 3, 1, 4, 7, 8), verdict.Inconclusive, "runs backwards"},
		{"a post that may overlap the arm's callback", timed(t, "cb<; cb>; post 1; arm ANY; get 1", 4, 6, 1, 2, 4, 5, 7, 8), verdict.Conformant, ""},
		{"owed in no order", timed(t, "cb<; cb>; cb<; cb>; post 1; arm ANY; get 1", 4, 6, 7, 9, 1, 2, 4, 5, 7, 8), verdict.ProviderViolation, "each other order"},
		{"too many orders", timed(t, many, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), verdict.Inconclusive, "no more are tried"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine, linearize.Auto} {
				r := linearize.Check(context.Background(), test.traced, linearize.Options{Engine: engine})
				if r.Verdict != test.verdict || test.says != "" && !strings.Contains(r.Findings[0].Message, test.says) {
					t.Errorf("%q: %s, want %s %q: %+v", engine, r.Verdict, test.verdict, test.says, r.Findings)
				}
				for id, c := range r.Rules {
					if c.Coverage == verdict.Checked && r.Verdict == verdict.Inconclusive {
						t.Errorf("%s counts as checked in what is not judged", id)
					}
				}
			}
		})
	}
}

// Of what has several orders no case is counted: another one may have met others (DEF-06, ARM-07).
func TestCasesOfAPartialOrder(t *testing.T) {
	for _, test := range []struct {
		traced  *trace.Trace
		counted bool
	}{
		{timed(t, "arm ANY; post 1; get 1; cb<; cb>", 1, 2, 3, 4, 7, 8, 5, 6), true},
		{timed(t, "arm ANY; post 1; get 1; cb<; cb>", 1, 2, 3, 4, 7, 8, 5, 7), false},
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Auto} {
			r := linearize.Check(context.Background(), test.traced, linearize.Options{Engine: engine})
			if r.Verdict != verdict.Conformant || (r.Cases != nil) != test.counted {
				t.Errorf("%q: %s, and cases are counted: %v, want %v", engine, r.Verdict, r.Cases != nil, test.counted)
			}
		}
	}
}

// Events that come before what they follow, by their times, have no order.
func TestPartialOrderThatContradictsItself(t *testing.T) {
	traced := timed(t, "arm ANY; post 1; get 1", 1, 2, 3, 4, 6, 5)
	traced.Events[len(traced.Events)-1].Thr = "another"
	r := linearize.Check(context.Background(), traced, linearize.Options{})
	if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, "before op") {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}

// The stream reads lines in file order. Where that is not the order of their times it reports nothing, and behind events of several threads at one
// time it reports no violation.
func TestStreamOfAPartialOrder(t *testing.T) {
	for _, test := range []struct {
		name    string
		traced  *trace.Trace
		verdict verdict.Verdict
		says    string
	}{
		{"in order", timed(t, "arm ANY; post 1; cb<; cb>; get 1", 1, 2, 3, 4, 5, 6, 7, 8), verdict.Conformant, ""},
		{"one time, and allowed", timed(t, "arm ANY; post 1; cb<; cb>; get 1", 1, 2, 3, 4, 4, 6, 7, 8), verdict.Conformant, ""},
		{"wrong in order", timed(t, "arm ANY; cb<; cb>; post 1; get 1", 1, 2, 3, 4, 5, 6, 7, 8), verdict.ProviderViolation, ""},
		{"wrong before one time", timed(t, "cb<; cb>; arm ANY; post 1; cb<; cb>", 1, 2, 3, 4, 5, 6, 6, 7), verdict.ProviderViolation, ""},
		{"wrong behind one time", timed(t, "arm ANY; cb<; cb>; post 1; get 1", 1, 2, 2, 4, 5, 6, 7, 8), verdict.Inconclusive, "were the order another"},
		{"out of order", timed(t, "arm ANY; post 1; get 1; cb<; cb>", 1, 2, 3, 4, 7, 8, 5, 6), verdict.Inconclusive, "before that of the line before"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
			d, err := linearize.Options{}.ResolveDialect("ndkpi")
			if err != nil {
				t.Fatal(err)
			}
			stream.New(test.traced.Header, d, 0).Judge(context.Background(), test.traced, r)
			r.Conclude(d)
			if r.Verdict != test.verdict || test.says != "" && !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("%s, want %s %q: %+v", r.Verdict, test.verdict, test.says, r.Findings)
			}
		})
	}
}

// Of posts on one queue that two threads called at one time either may be the first, in libibverbs, and the completions tell
// which: no order of the calls is left out for being the same as another.
func TestPostsOfOneTimeInEitherOrder(t *testing.T) {
	s := &notation.Scripted{Trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "verbs", Side: "provider", Order: "partial"}}}
	s.Call("ibv_create_cq", trace.Event{Cq: "cq1", Depth: notation.Number(16)}, trace.Event{})
	s.Call("ibv_create_qp", trace.Event{Qp: "qp1", InitiatorCq: "cq1", ReceiveCq: "cq1", SqSigAll: notation.Bool(true), QpType: "RC"}, trace.Event{})
	s.Call("ibv_modify_qp", trace.Event{Qp: "qp1", State: "RTR", Conn: "c"}, trace.Event{})
	post := func(wr, op string) trace.Event {
		return trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: wr, Opcode: op, Flags: []string{"SIGNALED"}}}}
	}
	s.Event(trace.Call, "a", "ibv_post_send", post("w1", "RDMA_READ"))
	s.Event(trace.Call, "b", "ibv_post_send", post("w2", "RDMA_WRITE"))
	s.Event(trace.Ret, "a", "ibv_post_send", trace.Event{})
	s.Event(trace.Ret, "b", "ibv_post_send", trace.Event{})
	s.Call("ibv_poll_cq", trace.Event{Cq: "cq1", N: notation.Number(8)}, trace.Event{Results: []trace.Result{
		{Wr: "w2", Status: "IBV_WC_SUCCESS"}, {Wr: "w1", Status: "IBV_WC_SUCCESS"}}})
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		if e.T, e.Thr = int64(i), "main"; e.Op == "b" {
			e.Thr = "another"
		}
		if e.Op == "a" || e.Op == "b" {
			if e.T = 6; e.Ph == trace.Ret {
				e.T = 7
			}
		}
	}
	s.Trace.End = &trace.End{Events: uint64(len(s.Trace.Events)), Quiescent: true}
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		if r := linearize.Check(context.Background(), s.Trace, linearize.Options{Engine: engine}); r.Verdict != verdict.Conformant {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}

// Of a trace in a partial order what is missing may come before what is there: where the recorder dropped events, and where the trace has no end
// record and its lines are not in the order of time (ARM-01 and POST-08 would be told of these).
func TestWhatIsMissingInAPartialOrder(t *testing.T) {
	whole, err := trace.ReadFile("../traces/accept/partial-order-one-time.ndktrace.jsonl", 0)
	if err != nil {
		t.Fatal(err)
	}
	without := func(fn string) []trace.Event {
		return slices.DeleteFunc(slices.Clone(whole.Events), func(e trace.Event) bool { return e.Fn == fn })
	}
	for name, less := range map[string]trace.Trace{
		"dropped": {Header: whole.Header, Events: without("NdkConnect"), End: &trace.End{Dropped: 2, Quiescent: true}},
		"cut":     {Header: whole.Header, Events: whole.Events[:6]},
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			if r := linearize.Check(context.Background(), &less, linearize.Options{Engine: engine}); r.Verdict != verdict.Inconclusive {
				t.Errorf("%s: %s: %s: %+v", name, engine, r.Verdict, r.Findings)
			}
		}
	}
}
