package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// waiting names the calls that have not returned at the end of a trace, the latest first, and no others (DEF-04 is undecided there).
func TestWaiting(t *testing.T) {
	r := &result{trace: &trace.Trace{}, report: &verdict.Report{}}
	event := func(ph trace.Phase, op string) {
		n := len(r.trace.Events)
		r.trace.Events = append(r.trace.Events, trace.Event{Line: n + 2, Ph: ph, Op: op, Fn: "NdkFlush", Qp: "q" + op, Thr: "t"})
	}
	for n := range 7 {
		event(trace.Call, fmt.Sprint(n))
	}
	event(trace.Ret, "6")
	event(trace.Enter, "c")
	event(trace.Exit, "c")
	r.report.Events = len(r.trace.Events)
	got := waiting(r)
	if len(got) != mostWaiting+1 || !strings.HasPrefix(got[0], "line 7: NdkFlush call") || !strings.HasSuffix(got[0], " had not returned") ||
		got[mostWaiting] != "and 2 others" || slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "op=6") }) {
		t.Errorf("%q", got)
	}
	r.report.Events++ // an event was not kept: it may be the return
	if got := waiting(r); got != nil {
		t.Errorf("%q, though not all events are known", got)
	}
}
