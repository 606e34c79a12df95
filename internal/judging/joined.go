package judging

import (
	"bytes"
	"context"
	"strings"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// SplitByHost puts the events of a run with two QPs into two traces: what is of the second QP and its CQ is of the second host,
// a quiesce mark of both. Each has its own numbers.
func SplitByHost(t Fataler, whole *trace.Trace) [2]*trace.Reader {
	second := map[string]bool{"cq2": true, "qp2": true}
	of := map[string]int{} // of each op
	for i := range whole.Events {
		e := &whole.Events[i]
		if e.Ph != trace.Point && (second[e.Cq] || second[e.Qp]) {
			of[e.Op] = 1
		}
		if e.For != "" {
			of[e.Op] = of[e.For]
		}
	}
	var readers [2]*trace.Reader
	for host := range readers {
		var file bytes.Buffer
		w, err := trace.NewWriter(&file, whole.Header)
		if err != nil {
			t.Fatalf("%v", err)
		}
		n := uint64(0)
		for _, e := range whole.Events {
			at := of[e.Op]
			if e.Ph == trace.Point && (second[e.Cq] || second[e.Qp]) {
				at = 1
			}
			if at != host && e.Fn != "quiesce" {
				continue
			}
			n++
			e.Seq = n
			if err := w.Write(&e); err != nil {
				t.Fatalf("%v", err)
			}
		}
		if whole.End != nil {
			if err := w.Close(*whole.End); err != nil {
				t.Fatalf("%v", err)
			}
		}
		if readers[host], err = trace.NewReader([]string{"A", "B"}[host], &file); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return readers
}

// A Fataler ends a test.
type Fataler interface{ Fatalf(string, ...any) }

// Joined judges a trace as those of two hosts.
func Joined(t Fataler, whole *trace.Trace, o linearize.Options) [2]*verdict.Report {
	var hosts [2]*linearize.Host
	for i, in := range SplitByHost(t, whole) {
		hosts[i] = &linearize.Host{In: in, Name: []string{"A", "B"}[i], Options: o}
	}
	linearize.CheckJoined(context.Background(), hosts)
	for _, h := range hosts {
		if h.Err != nil {
			t.Fatalf("%v", h.Err)
		}
	}
	return [2]*verdict.Report{hosts[0].Report, hosts[1].Report}
}

// Unmet reports whether the trace of another host had no other end.
func Unmet(r *verdict.Report) bool {
	return len(r.Findings) > 0 && strings.Contains(r.Findings[0].Message, "there is nothing to join")
}
