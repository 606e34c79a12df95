package linearize_test

import (
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// byHand is a trace of two hosts, each with a CQ and a QP, and of what they do next: a call, its return, and so on.
func byHand(events ...trace.Event) *trace.Trace {
	r := &histories.Run{Trace: &trace.Trace{Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}, End: &trace.End{Quiescent: true}}}
	for i := range 2 {
		r.AtOnce("NdkCreateCq", trace.Event{Cq: histories.CqName(i), Depth: notation.Number(8)}, notation.Success)
		r.AtOnce("NdkCreateQp", trace.Event{Qp: histories.QpName(i), InitiatorCq: histories.CqName(i), ReceiveCq: histories.CqName(i)}, notation.Success)
	}
	for _, e := range events {
		r.Event(e.Ph, e.Op, e.Fn, e)
	}
	return r.Trace
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
		callOf("c", "NdkReceive", trace.Event{Qp: "qp1", Wr: "r1"}), returnOf("c", "NdkReceive", notation.Success),
		returnOf("b", "NdkAccept", notation.Success),
		returnOf("a", "NdkConnect", trace.Event{Status: "STATUS_CONNECTION_REFUSED"}),
		callOf("d", "NdkFlush", trace.Event{Qp: "qp1"}), returnOf("d", "NdkFlush", notation.Success),
		callOf("e", "NdkGetCqResults", trace.Event{Cq: "cq1", N: notation.Number(1)}),
		returnOf("e", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "r1", Status: "STATUS_CANCELLED"}}}))
	for i, r := range judging.Joined(t, whole, linearize.Options{}) {
		if !judging.Unmet(r) || r.Violated() {
			t.Errorf("host %d: %s: %+v", i, r.Verdict, r.Findings)
		}
	}
}

// Where the other host's receives may come from a shared receive queue, a send that no receive of the QP can have taken is left
// open (POLL-05).
func TestJoinedSharedReceives(t *testing.T) {
	connected := []trace.Event{
		callOf("a", "NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}), returnOf("a", "NdkConnect", notation.Success),
		callOf("b", "NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}), returnOf("b", "NdkAccept", notation.Success)}
	send := []trace.Event{
		callOf("c", "NdkSend", trace.Event{Qp: "qp1", Wr: "s1"}), returnOf("c", "NdkSend", notation.Success),
		callOf("d", "NdkGetCqResults", trace.Event{Cq: "cq1", N: notation.Number(1)}),
		returnOf("d", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "s1", Status: "STATUS_SUCCESS"}}})}
	shared := []trace.Event{
		callOf("e", "NdkSrqReceive", trace.Event{Srq: "cq2", Wr: "x1", Cq: "cq2"}), returnOf("e", "NdkSrqReceive", notation.Success)}
	if r := judging.Joined(t, byHand(slices.Concat(connected, send)...), linearize.Options{})[0]; r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != "POLL-05" {
		t.Errorf("no receive at all: %s: %+v", r.Verdict, r.Findings)
	}
	if r := judging.Joined(t, byHand(slices.Concat(connected, shared, send)...), linearize.Options{})[0]; r.Verdict != verdict.Inconclusive {
		t.Errorf("a shared receive: %s: %+v", r.Verdict, r.Findings)
	}
}

// A message of the other host makes the token invalid that it names, though the poll that fetched its receive does not tell (POLL-07), and needs it to
// be valid (INV-05).
func TestJoinedMessageInvalidates(t *testing.T) {
	token := uint32(7)
	post := func(op, fn, qp, wr string, token *uint32) []trace.Event {
		mr := ""
		if strings.HasSuffix(fn, "Register") || fn == "NdkInvalidate" {
			mr = "mr1"
		}
		return []trace.Event{callOf(op, fn, trace.Event{Qp: qp, Wr: wr, Token: token, Mr: mr}), returnOf(op, fn, notation.Success)}
	}
	get := func(op, cq, wr string) []trace.Event {
		return []trace.Event{callOf(op, "NdkGetCqResults", trace.Event{Cq: cq, N: notation.Number(1)}),
			returnOf(op, "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: wr, Status: "STATUS_SUCCESS"}}})}
	}
	connected := []trace.Event{
		callOf("a", "NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}), returnOf("a", "NdkConnect", notation.Success),
		callOf("b", "NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}), returnOf("b", "NdkAccept", notation.Success)}
	registered := slices.Concat(connected, post("c", "NdkFastRegister", "qp1", "f1", &token), get("d", "cq1", "f1"))
	received := func(n string) []trace.Event {
		return slices.Concat(post("e"+n, "NdkReceive", "qp1", "r"+n, nil), post("f"+n, "NdkSendAndInvalidate", "qp2", "s"+n, &token), get("g"+n, "cq1", "r"+n), get("h"+n, "cq2", "s"+n))
	}
	invalidated := slices.Concat(post("i", "NdkInvalidate", "qp1", "i1", &token), get("k", "cq1", "i1"))
	for _, test := range []struct {
		events []trace.Event
		want   string
	}{
		{slices.Concat(registered, invalidated), ""},
		{slices.Concat(registered, received("1")), ""},
		{slices.Concat(registered, received("1"), invalidated), "POLL-07"},
		{slices.Concat(registered, received("1"), received("2")), "INV-05"},
		{slices.Concat(registered, invalidated, received("1")), "INV-05"},
	} {
		r := judging.Joined(t, byHand(test.events...), linearize.Options{})
		switch {
		case test.want == "" && (r[0].Violated() || r[1].Violated()):
			t.Errorf("%s: %+v; %s: %+v", r[0].Verdict, r[0].Findings, r[1].Verdict, r[1].Findings)
		case test.want != "" && r[0].Describe() != "provider violation of "+test.want:
			t.Errorf("%s, want %s: %+v", r[0].Describe(), test.want, r[0].Findings)
		}
	}
}

// What a host tells is judged by what the other one tells of it, whichever of the two is followed first: here that a message with a bad
// token had ended the connection, which cancelled the receive, before the write was posted (INV-05, RES-10).
func TestJoinedCauseIsToldByTheOther(t *testing.T) {
	bad := uint32(99)
	for i := range 2 {
		mine, its := string('1'+rune(i)), string('2'-rune(i))
		whole := byHand(
			callOf("a", "NdkConnect", trace.Event{Qp: "qp" + mine, Conn: "c"}), returnOf("a", "NdkConnect", notation.Success),
			callOf("b", "NdkAccept", trace.Event{Qp: "qp" + its, Conn: "c"}), returnOf("b", "NdkAccept", notation.Success),
			callOf("c", "NdkReceive", trace.Event{Qp: "qp" + mine, Wr: "r1"}), returnOf("c", "NdkReceive", notation.Success),
			callOf("d", "NdkGetCqResults", trace.Event{Cq: "cq" + mine, N: notation.Number(1)}),
			returnOf("d", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "r1", Status: "STATUS_CANCELLED"}}}),
			callOf("e", "NdkWrite", trace.Event{Qp: "qp" + mine, Wr: "w1"}), returnOf("e", "NdkWrite", notation.Success),
			callOf("f", "NdkGetCqResults", trace.Event{Cq: "cq" + mine, N: notation.Number(1)}),
			returnOf("f", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "w1", Status: "STATUS_SUCCESS"}}}),
			callOf("g", "NdkSendAndInvalidate", trace.Event{Qp: "qp" + its, Wr: "s1", Token: &bad}), returnOf("g", "NdkSendAndInvalidate", notation.Success),
			callOf("h", "NdkGetCqResults", trace.Event{Cq: "cq" + its, N: notation.Number(1)}),
			returnOf("h", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "s1", Status: "STATUS_SUCCESS"}}}))
		if r := judging.Joined(t, whole, linearize.Options{}); r[i].Describe() != "provider violation of RES-10" || r[1-i].Verdict != verdict.Conformant {
			t.Errorf("host %d: %s: %+v; the other: %s: %+v", i, r[i].Verdict, r[i].Findings, r[1-i].Verdict, r[1-i].Findings)
		}
	}
}
