package explain

import (
	"slices"
	"testing"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A finding names the rule, the line that shows it, and the lines of its reasons, and says them in the order of causes (FLUSH-02).
func TestFinding(t *testing.T) {
	depth, room := int64(8), int64(8)
	made := &trace.Trace{Header: trace.Header{Dialect: "ndkpi"}, End: &trace.End{}}
	event := func(e trace.Event) {
		e.Line, e.Seq = len(made.Events)+2, uint64(len(made.Events)+1)
		made.Events = append(made.Events, e)
	}
	call := func(op, fn string, e, ret trace.Event) {
		e.Ph, e.Op, e.Fn, ret.Ph, ret.Op, ret.Fn = trace.Call, op, fn, trace.Ret, op, fn
		event(e)
		event(ret)
	}
	success := trace.Event{Status: "STATUS_SUCCESS"}
	call("1", "NdkCreateCq", trace.Event{Cq: "c", Depth: &depth}, success)
	call("2", "NdkCreateQp", trace.Event{Qp: "q", InitiatorCq: "c", ReceiveCq: "c"}, success)
	call("3", "NdkReceive", trace.Event{Qp: "q", Wr: "r"}, success)
	call("4", "NdkFlush", trace.Event{Qp: "q"}, success)
	event(trace.Event{Ph: trace.Point, Fn: "quiesce"})
	call("5", "NdkGetCqResults", trace.Event{Cq: "c", N: &room}, trace.Event{})
	event(trace.Event{Ph: trace.Point, Fn: "quiesce"})

	e := clauses.Judge(model.Ndkpi(), made)
	if len(e.Findings) != 1 {
		t.Fatalf("%+v", e.Findings)
	}
	f := Finding(&e.Findings[0], 13, 12)
	if f.Verdict != verdict.ProviderViolation || f.Rule != "FLUSH-02" || f.Line != 13 || f.Seq != 12 || !slices.Equal(f.See, []int{8, 9, 10, 11}) {
		t.Errorf("%+v", f)
	}
	const want = "a flush did not end r: a poll found nothing (line 11); what has been executed has completed by rest (line 10); " +
		"the flush takes effect between its call and its return (line 9)"
	if f.Message != want {
		t.Errorf("%q, want %q", f.Message, want)
	}
}
