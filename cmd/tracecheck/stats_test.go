package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"ndkoracle/trace"
)

func TestStats(t *testing.T) {
	b := newBench(t)
	if code := b.do("stats", files(t, "conformant")[0]); code != 0 ||
		!strings.Contains(b.out.String(), "CQs: 1, QPs: 0, requests posted: 0, completions delivered: 1") ||
		!strings.Contains(b.out.String(), "      1 NdkArmCq") {
		t.Errorf("exit %d\n%s", code, &b.out)
	}
	if !strings.Contains(b.out.String(), ", by a producer 2\n") {
		t.Errorf("the producer is not told as it is:\n%s", &b.out)
	}
	if code := b.do("stats", files(t, "anonymous")[0]); code != 0 || strings.Contains(b.out.String(), "by") {
		t.Errorf("exit %d, and nobody is told as\n%s", code, &b.out)
	}
	if code := b.do("stats", files(t, "malformed")[0]); code != exitMalformed || !strings.Contains(b.errors.String(), ":7: seq 3") {
		t.Errorf("exit %d, stderr %q", code, &b.errors)
	}
}

// stats counts each event of a trace, however many there are, and names of which there are too many together.
func TestStatsOfLongTraces(t *testing.T) {
	b := newBench(t)
	b.scan = func(_ context.Context, name string, _ io.Reader, take func(*trace.Event)) (*trace.Trace, error) {
		for i := range 2 * maxNames {
			take(&trace.Event{Ph: trace.Point, Fn: fmt.Sprint("F", i), Cq: fmt.Sprint("c", i%10)})
		}
		return &trace.Trace{Name: name, More: 2 * maxNames}, nil
	}
	b.do("stats", files(t, "conformant")[0])
	for _, want := range []string{fmt.Sprintf("%d events, no end record", 2*maxNames), "CQs: 10, QPs: 0,", fmt.Sprintf("%7d of other functions", maxNames)} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%.400s", want, &b.out)
		}
	}
}
