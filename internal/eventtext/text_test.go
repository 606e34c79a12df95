package eventtext

import (
	"testing"

	"ndkoracle/trace"
)

// A report names an event by its function, phase and fields, in one order whatever the event has.
func TestOf(t *testing.T) {
	n := int64(8)
	poll := &trace.Event{Fn: "NdkGetCqResults", Ph: trace.Ret, Op: "4", Cq: "cq1", N: &n, Thr: "main", Results: []trace.Result{{Wr: "w1", Status: "OK"}, {Wr: "w2"}, {}, {}, {}}}
	if text, want := Of(poll), "NdkGetCqResults ret op=4 cq=cq1 n=8 results=[w1 OK, w2, , , … of 5] thr=main"; text != want {
		t.Errorf("it is told as\n%s, want\n%s", text, want)
	}
	post := &trace.Event{Fn: "ibv_post_recv", Ph: trace.Call, Qp: "q", Wrs: []trace.WorkRequest{{Wr: "w1"}, {Wr: "w2"}}}
	if text, want := Of(post), "ibv_post_recv call qp=q wrs=[w1, w2]"; text != want {
		t.Errorf("it is told as %q, want %q", text, want)
	}
	if text, want := Of(&trace.Event{Fn: "quiesce", Ph: trace.Point}), "quiesce point"; text != want {
		t.Errorf("it is told as %q, want %q", text, want)
	}
}
