package linearize

import (
	"bytes"
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// splitByHost puts the events of a run with two QPs into two traces: what is of the second QP and its CQ is of the second host,
// a quiesce mark of both. Each has its own numbers.
func splitByHost(t fataler, whole *trace.Trace) [2]*trace.Reader {
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

type fataler interface{ Fatalf(string, ...any) }

// joined judges a trace as those of two hosts.
func joined(t fataler, whole *trace.Trace, o Options) [2]*verdict.Report {
	var hosts [2]*Host
	for i, in := range splitByHost(t, whole) {
		hosts[i] = &Host{In: in, Name: []string{"A", "B"}[i], Options: o}
	}
	CheckJoined(context.Background(), hosts)
	for _, h := range hosts {
		if h.Err != nil {
			t.Fatalf("%v", h.Err)
		}
	}
	return [2]*verdict.Report{hosts[0].Report, hosts[1].Report}
}

// sharesTokens reports whether a run has a token of both hosts: in the contract a token is of neither, and in two traces each
// host has its own.
func sharesTokens(r *run) bool {
	owner := map[uint32]string{} // the QP that makes it valid and invalid
	shared := false
	note := func(token *uint32, qp string, message bool) {
		if token == nil {
			return
		}
		if message {
			qp = map[string]string{"qp1": "qp2", "qp2": "qp1"}[qp]
		}
		shared = shared || owner[*token] != "" && owner[*token] != qp
		owner[*token] = qp
	}
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		note(e.Token, e.Qp, e.Fn == "NdkSendAndInvalidate")
		for _, w := range e.Wrs {
			note(w.Token, e.Qp, w.Opcode == "SEND_WITH_INV")
		}
	}
	return shared
}

// drawConnection draws a random history of a connection, legal or spoilt, that two hosts may have taken down, each its own part.
func drawConnection(t dice, d model.Dialect) (r *run, o Options, spoilt string) {
	for {
		r = newRunOf(t, d, "connection", "tokens")
		if t.roll(4, "depth") > 0 {
			r.deepen(64)
		}
		for range 1 + t.roll(3, "rounds") {
			r.walk(t.roll(31, "steps"))
			if flip(t, "rest") {
				r.rest()
				r.drain()
			}
		}
		if _, spoilt = r.conclude(t); !sharesTokens(r) {
			return r, Options{Engine: Streaming, DeviceLevel: d.FailsAsFlushed}, spoilt
		}
	}
}

// What the contract does on a connection is no violation where each of its hosts took its own part down, and is conformant
// where the whole was: two traces leave no more open than one. Most of what breaks a rule of the whole still does.
func TestJoinedRuns(t *testing.T) {
	t.Logf("seed %v: -rapid.seed chooses another", flag.Lookup("rapid.seed").Value)
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			verdicts := map[verdict.Verdict]int{}
			broken, seen := 0, 0 // of the whole, and of its parts too
			rapid.Check(t, func(t *rapid.T) {
				r, o, spoilt := drawConnection(shrinking{t}, d)
				whole, parts := streaming(r.trace, o), joined(t, r.trace, o)
				rejected := false
				for i, part := range parts {
					verdicts[part.Verdict]++
					rejected = rejected || part.Verdict == verdict.ProviderViolation
					if rejected && spoilt == "nothing" {
						t.Fatalf("host %d: %+v\n%s", i, part.Findings, r)
					}
					if whole.Verdict == verdict.Conformant && spoilt == "nothing" && part.Verdict != verdict.Conformant && !unmet(part) {
						t.Fatalf("host %d: %+v, and the whole is conformant\n%s", i, part.Findings, r)
					}
				}
				if whole.Verdict == verdict.ProviderViolation {
					if broken++; rejected {
						seen++
					}
				}
			})
			t.Logf("%v; of %d violations %d are seen in two traces", verdicts, broken, seen)
			if verdicts[verdict.Conformant] == 0 || 2*seen < broken || seen == 0 {
				t.Error("two traces tell too little")
			}
		})
	}
}

// unmet reports whether the trace of another host had no other end.
func unmet(r *verdict.Report) bool {
	return len(r.Findings) > 0 && strings.Contains(r.Findings[0].Message, "there is nothing to join")
}

// byHand is a trace of two hosts, each with a CQ and a QP, and of what they do next: a call, its return, and so on.
func byHand(events ...trace.Event) *trace.Trace {
	r := &run{trace: &trace.Trace{Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}, End: &trace.End{Quiescent: true}}}
	for i := range 2 {
		r.atOnce("NdkCreateCq", trace.Event{Cq: cqName(i), Depth: number(8)}, success)
		r.atOnce("NdkCreateQp", trace.Event{Qp: qpName(i), InitiatorCq: cqName(i), ReceiveCq: cqName(i)}, success)
	}
	for _, e := range events {
		r.event(e.Ph, e.Op, e.Fn, e)
	}
	return r.trace
}

func callOf(op, fn string, e trace.Event) trace.Event {
	e.Ph, e.Op, e.Fn = trace.Call, op, fn
	return e
}

func returnOf(op, fn string, e trace.Event) trace.Event {
	e.Ph, e.Op, e.Fn = trace.Ret, op, fn
	return e
}

// A connect that fails after the other host has accepted leaves nothing joined: what was posted meanwhile is judged as if alone
// (POST-09, RES-10).
func TestJoinedConnectFails(t *testing.T) {
	whole := byHand(
		callOf("a", "NdkConnect", trace.Event{Qp: "qp2", Conn: "c"}),
		callOf("b", "NdkAccept", trace.Event{Qp: "qp1", Conn: "c"}),
		callOf("c", "NdkReceive", trace.Event{Qp: "qp1", Wr: "r1"}), returnOf("c", "NdkReceive", success),
		returnOf("b", "NdkAccept", success),
		returnOf("a", "NdkConnect", trace.Event{Status: "STATUS_CONNECTION_REFUSED"}),
		callOf("d", "NdkFlush", trace.Event{Qp: "qp1"}), returnOf("d", "NdkFlush", success),
		callOf("e", "NdkGetCqResults", trace.Event{Cq: "cq1", N: number(1)}),
		returnOf("e", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "r1", Status: "STATUS_CANCELLED"}}}))
	for i, r := range joined(t, whole, Options{}) {
		if !unmet(r) || r.Violated() {
			t.Errorf("host %d: %s: %+v", i, r.Verdict, r.Findings)
		}
	}
}

// Where the other host's receives may come from a shared receive queue, a send that no receive of the QP can have taken is left
// open (POLL-05).
func TestJoinedSharedReceives(t *testing.T) {
	connected := []trace.Event{
		callOf("a", "NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}), returnOf("a", "NdkConnect", success),
		callOf("b", "NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}), returnOf("b", "NdkAccept", success)}
	send := []trace.Event{
		callOf("c", "NdkSend", trace.Event{Qp: "qp1", Wr: "s1"}), returnOf("c", "NdkSend", success),
		callOf("d", "NdkGetCqResults", trace.Event{Cq: "cq1", N: number(1)}),
		returnOf("d", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "s1", Status: "STATUS_SUCCESS"}}})}
	shared := []trace.Event{
		callOf("e", "NdkSrqReceive", trace.Event{Srq: "cq2", Wr: "x1", Cq: "cq2"}), returnOf("e", "NdkSrqReceive", success)}
	if r := joined(t, byHand(slices.Concat(connected, send)...), Options{})[0]; r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POLL-05" {
		t.Errorf("no receive at all: %s: %+v", r.Verdict, r.Findings)
	}
	if r := joined(t, byHand(slices.Concat(connected, shared, send)...), Options{})[0]; r.Verdict != verdict.Inconclusive {
		t.Errorf("a shared receive: %s: %+v", r.Verdict, r.Findings)
	}
}

// What a host tells is judged by what the other one tells of it, whichever of the two is followed first: here that a message with a bad
// token had ended the connection, which cancelled the receive, before the write was posted (INV-05).
func TestJoinedCauseIsToldByTheOther(t *testing.T) {
	bad := uint32(99)
	for i := range 2 {
		mine, its := string('1'+rune(i)), string('2'-rune(i))
		whole := byHand(
			callOf("a", "NdkConnect", trace.Event{Qp: "qp" + mine, Conn: "c"}), returnOf("a", "NdkConnect", success),
			callOf("b", "NdkAccept", trace.Event{Qp: "qp" + its, Conn: "c"}), returnOf("b", "NdkAccept", success),
			callOf("c", "NdkReceive", trace.Event{Qp: "qp" + mine, Wr: "r1"}), returnOf("c", "NdkReceive", success),
			callOf("d", "NdkGetCqResults", trace.Event{Cq: "cq" + mine, N: number(1)}),
			returnOf("d", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "r1", Status: "STATUS_CANCELLED"}}}),
			callOf("e", "NdkWrite", trace.Event{Qp: "qp" + mine, Wr: "w1"}), returnOf("e", "NdkWrite", success),
			callOf("f", "NdkGetCqResults", trace.Event{Cq: "cq" + mine, N: number(1)}),
			returnOf("f", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "w1", Status: "STATUS_SUCCESS"}}}),
			callOf("g", "NdkSendAndInvalidate", trace.Event{Qp: "qp" + its, Wr: "s1", Token: &bad}), returnOf("g", "NdkSendAndInvalidate", success),
			callOf("h", "NdkGetCqResults", trace.Event{Cq: "cq" + its, N: number(1)}),
			returnOf("h", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "s1", Status: "STATUS_SUCCESS"}}}))
		if r := joined(t, whole, Options{}); r[i].Describe() != "provider violation of INV-05" || r[1-i].Verdict != verdict.Conformant {
			t.Errorf("host %d: %s: %+v; the other: %s: %+v", i, r[i].Verdict, r[i].Findings, r[1-i].Verdict, r[1-i].Findings)
		}
	}
}
