package monitor

import (
	"fmt"
	"testing"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A monitor forgets objects and calls that have ended, but for the latest: of those it still says that they are used too late (LIFE-06),
// and that their calls were completed twice (ASY-01).
func TestWhatHasEndedIsForgotten(t *testing.T) {
	m := New(trace.Header{Dialect: "ndkpi"}, model.Ndkpi())
	op := 0
	call := func(fn string, e trace.Event, status string) (string, []Finding) {
		op++
		e.Fn, e.Op, e.Thr, e.Ph = fn, fmt.Sprint(op), "main", trace.Call
		found := append([]Finding(nil), m.Take(&e)...)
		return e.Op, append(found, m.Take(&trace.Event{Fn: fn, Op: e.Op, Thr: "main", Ph: trace.Ret, Status: status})...)
	}
	answer := func(fn, of string) []Finding {
		op++
		found := append([]Finding(nil), m.Take(&trace.Event{Fn: fn, Op: fmt.Sprint(op), For: of, Thr: "dpc", Ph: trace.Enter, Status: "STATUS_SUCCESS"})...)
		return append(found, m.Take(&trace.Event{Fn: fn, Op: fmt.Sprint(op), Thr: "dpc", Ph: trace.Exit})...)
	}
	call("NdkCreatePd", trace.Event{Pd: "pd"}, "STATUS_SUCCESS")
	var last string
	const rounds = 3 * maxOver
	for i := range rounds {
		mr := fmt.Sprint("mr", i)
		call("NdkCreateMr", trace.Event{Mr: mr, Pd: "pd"}, "STATUS_SUCCESS")
		var found []Finding
		if last, found = call("NdkCloseMr", trace.Event{Mr: mr}, "STATUS_PENDING"); len(found) > 0 {
			t.Fatalf("round %d: %+v", i, found)
		}
		if found = answer("NdkCloseCompletion", last); len(found) > 0 {
			t.Fatalf("round %d: %+v", i, found)
		}
	}
	n := 0
	for k := range m.objects.byName {
		n += len(m.objects.byName[k].all)
	}
	if n > maxRetired+1 {
		t.Errorf("%d objects are kept after %d, of which one is open", n, rounds+1)
	}
	if pd := m.objects.get(Pd, "pd"); len(pd.successors) > 0 || pd.ended != rounds {
		t.Errorf("the protection domain keeps %d successors, and has had %d, not %d", len(pd.successors), pd.ended, rounds)
	}
	if n := len(m.pending); n > 0 {
		t.Errorf("%d calls are pending", n)
	}
	if found := answer("NdkCloseCompletion", last); len(found) != 1 || found[0].Rule != "ASY-01" {
		t.Errorf("a second completion of the latest close gives %+v, not ASY-01", found)
	}
	if _, found := call("NdkRegisterMr", trace.Event{Mr: fmt.Sprint("mr", rounds-1)}, "STATUS_SUCCESS"); len(found) != 1 || found[0].Rule != "LIFE-06" {
		t.Errorf("a use of the latest region gives %+v, not LIFE-06", found)
	}
}

// Shared receive queues whose creation failed are forgotten, and so are completion queues beside which a consumer slept (SRQ-07, ARM-25).
func TestFailedCreationsAndSleepersAreForgotten(t *testing.T) {
	m := New(trace.Header{Dialect: "ndkpi"}, model.Ndkpi())
	op := 0
	call := func(fn string, e trace.Event, status string) {
		op++
		e.Fn, e.Op, e.Thr, e.Ph = fn, fmt.Sprint(op), "main", trace.Call
		m.Take(&e)
		m.Take(&trace.Event{Fn: fn, Op: e.Op, Thr: "main", Ph: trace.Ret, Status: status})
	}
	for i := range 100 {
		call("NdkCreateSrq", trace.Event{Srq: fmt.Sprint("srq", i)}, "STATUS_INSUFFICIENT_RESOURCES")
		cq := fmt.Sprint("cq", i)
		call("NdkCreateCq", trace.Event{Cq: cq}, "STATUS_SUCCESS")
		call("NdkArmCq", trace.Event{Cq: cq, Type: "ANY"}, "")
		for _, g := range m.groups {
			if s, is := g.(*sleeps); is {
				s.of[cq].asleep = &slumber{line: i + 1, text: "it sleeps"}
			}
		}
		call("NdkCloseCq", trace.Event{Cq: cq}, "STATUS_SUCCESS")
	}
	for _, g := range m.groups {
		switch g := g.(type) {
		case *srqs:
			if len(g.made) > 0 {
				t.Errorf("%d shared receive queues are kept", len(g.made))
			}
		case *sleeps:
			if len(g.of) > 0 {
				t.Errorf("%d completion queues are kept", len(g.of))
			}
		}
	}
	if advice := m.Advice(); len(advice) != 1 || advice[0].Line != 1 {
		t.Errorf("advice %v", advice)
	}
}
