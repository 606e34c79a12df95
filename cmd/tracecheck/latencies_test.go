package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// stats says how long the consumer waited, with the line of the longest wait, in both ways to be notified; and why it does not know that.
func TestLatencies(t *testing.T) {
	b := newBench(t)
	unit := "ns"
	b.scan = func(_ context.Context, name string, _ io.Reader, take func(*trace.Event)) (*trace.Trace, error) {
		at := int64(0)
		for i := range 200 {
			at = int64(i) * 1_000_000
			wait := int64(1000 + i)
			for _, e := range []trace.Event{
				{T: at, Ph: trace.Call, Fn: "NdkArmCq", Cq: "c"}, {T: at + 1, Ph: trace.Call, Fn: "NdkArmCq", Cq: "c"}, // the first counts
				{T: at + 5, Ph: trace.Call, Fn: "NdkSend", Qp: "q", Wr: fmt.Sprint("w", i)},
				{T: at + 300, Ph: trace.Point, Fn: "CqePlaced", Cq: "c", Wr: fmt.Sprint("w", i)},
				{T: at + wait, Ph: trace.Enter, Fn: "NdkCqNotificationCallback", Cq: "c", Line: 10 + i},
				{T: at + 5000, Ph: trace.Ret, Fn: "NdkGetCqResults", Results: []trace.Result{{Wr: fmt.Sprint("w", i)}}, Line: 500 + i},
			} {
				take(&e)
			}
		}
		take(&trace.Event{T: at, Ph: trace.Call, Fn: "ibv_req_notify_cq", Cq: "v"})
		take(&trace.Event{T: at + 2_000_000, Ph: trace.Ret, Fn: "ibv_get_cq_event", Cq: "v", Line: 999})
		traced := &trace.Trace{Name: name}
		traced.Header.Clock.Unit = unit
		return traced, nil
	}
	b.do("stats", files(t, "conformant")[0])
	rows := strings.Join(strings.Fields(b.out.String()), " ")
	for _, want := range []string{
		"latency count p50 p99 max", "arm to callback 201 1.103µs 1.199µs 2ms in line 999", "placed to callback 200 803ns 899ns 899ns in line 209",
		"post to completion 200 4.995µs 4.995µs 4.995µs in line 500",
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in %s", want, &b.out)
		}
	}
	b.scan = func(_ context.Context, name string, _ io.Reader, take func(*trace.Event)) (*trace.Trace, error) {
		take(&trace.Event{T: 7, Ph: trace.Call, Fn: "NdkArmCq", Cq: "c"})
		traced := &trace.Trace{Name: name}
		traced.Header.Clock.Unit = unit
		return traced, nil
	}
	if b.do("stats", files(t, "conformant")[0]); !strings.Contains(b.out.String(), "latencies: not known; all events have the same time") {
		t.Error(&b.out)
	}
	unit = ""
	if b.do("stats", files(t, "conformant")[0]); !strings.Contains(b.out.String(), "latencies: not known; the clock of the trace has no unit ns") {
		t.Error(&b.out)
	}
}

// A million waits of different lengths are kept in few buckets.
func TestLatenciesAreBounded(t *testing.T) {
	var s spread
	times := map[string]int64{}
	for i := range int64(1_000_000) {
		first(times, "c", 0)
		s.close(times, "c", &trace.Event{T: i * i})
	}
	if len(s.buckets) > 64<<7 || s.count != 1_000_000 {
		t.Errorf("%d buckets, %d waits", len(s.buckets), s.count)
	}
}
