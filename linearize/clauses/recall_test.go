package clauses

import (
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// By which moment of rest a request had completed, whatever becomes of it later: what a late completion contradicts, and what a CQ that may have failed
// would owe if it had not (DEF-04, DEF-05, ARM-17, A21).
func TestRecallsWhatIsOwed(t *testing.T) {
	for text, want := range map[string]int{ // of request 1: the number of the moment of rest, or 0
		"write 1; rest; get 1":                                               1,
		"write 1; rest; get; get 1":                                          1,
		"write 1; rest; rest; recv 2; get; rest; get 1":                      1,
		"write 1 D; rest; write 2; rest":                                     2,
		"recv 1; rest; peer send 7; rest":                                    0, // 7 may fail by itself
		"recv 1; rest; get; peer send 7; get; get 1; rest":                   2,
		"recv 1; rest":                                                       0,
		"room 1; write 2; write 1; rest; get 2":                              1,
		"write 1; rest; fail internal; get":                                  1,
		"write 1; close; rest":                                               0,
		"recv 1; peer send 7; peer fail internal; rest; get; peer get 7":     0, // the poll came first, and says that it is late
		"recv 1; peer send 7; rest; peer fail internal; get; peer get 7":     0,
		"peer recv 7; begin send 2; write 1; rest; end send 2 F; get; rest":  1,
		"begin send 2; write 1; rest; end send 2; rest; rest":                0,
		"write 1 D; begin write 2; end write 2 F; rest; get; recv 9; get 1x": 1,
	} {
		d, traced := notation.Scene(t, "ndkpi", text)
		rested := []int{0}
		for i := range traced.Events {
			if calls.KindOf(&traced.Events[i]) == calls.Quiesce {
				rested = append(rested, i+1)
			}
		}
		if owed := Recall(d, traced).OwedBy("1"); owed != rested[want] {
			t.Errorf("%s: owed by event %d, want %d of %v", text, owed, rested[want], rested)
		}
	}
}

// A point behind a moment of rest contradicts that its request was over by then, and the request was owed all the same (DEF-04).
func TestRecallsWhatAPointContradicts(t *testing.T) {
	d, traced := notation.Scene(t, "ndkpi", "write 1; rest")
	last := traced.Events[len(traced.Events)-1]
	traced.Events = append(traced.Events, trace.Event{Seq: last.Seq + 1, Line: last.Line + 1, Thr: last.Thr, Ph: trace.Point, Fn: "CqePlaced",
		Cq: "cq1", Wr: "1", Status: "STATUS_SUCCESS"})
	if owed := Recall(d, traced).OwedBy("1"); owed != len(traced.Events)-1 {
		t.Errorf("owed by event %d, want %d", owed, len(traced.Events)-1)
	}
}
