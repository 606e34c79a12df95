package linearize

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"testing"

	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// churn adds a round of a recording in which nothing lives long: a region of memory, a CQ and two connected QPs of it and of the first CQ, which
// lasts. Some requests are cancelled as the QPs are closed, some are never polled. The provider is at rest at the end.
func (l *load) churn() {
	l.posted++
	n := strconv.Itoa(l.posted)
	cq, a, b, mr, token := "cq:"+n, "qpa:"+n, "qpb:"+n, "mr:"+n, uint32(l.posted)
	l.call("NdkCreateCq", trace.Event{Cq: cq, Depth: number(16)}, success)
	l.call("NdkCreateMr", trace.Event{Mr: mr}, success)
	for _, qp := range []string{a, b} {
		l.call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "cq1", InitiatorCq: cq}, success)
		l.call("NdkConnect", trace.Event{Qp: qp, Conn: "conn:" + n}, success)
	}
	l.call("NdkFastRegister", trace.Event{Qp: a, Wr: "f" + n, Mr: mr, Token: &token}, success)
	l.call("NdkInvalidate", trace.Event{Qp: a, Wr: "i" + n, Mr: mr, Token: &token, Flags: []string{"SILENT_SUCCESS"}}, success)
	l.call("NdkReceive", trace.Event{Qp: b, Wr: "r" + n}, success)
	l.call("NdkReceive", trace.Event{Qp: b, Wr: "q" + n}, success)
	l.call("NdkSend", trace.Event{Qp: a, Wr: "s" + n}, success)
	l.call("NdkGetCqResults", trace.Event{Cq: cq, N: number(8)}, trace.Event{Results: []trace.Result{
		{Wr: "f" + n, Qp: a, Status: "STATUS_SUCCESS"}, {Wr: "s" + n, Qp: a, Status: "STATUS_SUCCESS"}}})
	l.call("NdkGetCqResults", trace.Event{Cq: "cq1", N: number(8)}, trace.Event{Results: []trace.Result{{Wr: "r" + n, Qp: b, Status: "STATUS_SUCCESS"}}})
	l.call("NdkWrite", trace.Event{Qp: b, Wr: "w" + n}, success) // never polled
	l.call("NdkFlush", trace.Event{Qp: b}, success)
	l.event(trace.Point, "", "quiesce", trace.Event{})
	l.call("NdkGetCqResults", trace.Event{Cq: "cq1", N: number(8)}, trace.Event{Results: []trace.Result{{Wr: "q" + n, Qp: b, Status: "STATUS_CANCELLED"}}})
	l.call("NdkCloseQp", trace.Event{Qp: a}, success)
	l.closesEarly("NdkCloseQp", trace.Event{Qp: b})
	l.closesEarly("NdkCloseCq", trace.Event{Cq: cq})
	l.call("NdkCloseMr", trace.Event{Mr: mr}, success)
}

// closesEarly adds a close that is completed before its call has returned STATUS_PENDING.
func (l *load) closesEarly(fn string, e trace.Event) {
	op, by := l.op(), l.op()
	l.event(trace.Call, op, fn, e)
	l.event(trace.Enter, by, "NdkCloseCompletion", trace.Event{For: op, Status: "STATUS_SUCCESS"})
	l.event(trace.Exit, by, "NdkCloseCompletion", trace.Event{})
	l.event(trace.Ret, op, fn, trace.Event{Status: "STATUS_PENDING"})
}

// What is closed is kept no longer than it may matter: ten times as many objects take no more memory (LIFE-06: those that were closed last are
// kept, as they may be used).
func TestStreamForgetsWhatIsClosed(t *testing.T) {
	s := stream.New(trace.Header{Side: "provider"}, dialects()[0], 0)
	l := newLoad(4, s.Take)
	before := heapAfter(3_000, l.churn)
	after := heapAfter(30_000, l.churn)
	if after > before+16<<20 { // the tokens take some 300 bytes each
		t.Errorf("%d KiB after 3,000 rounds, %d KiB after 30,000 more", before>>10, after>>10)
	}
	l.call("NdkArmCq", trace.Event{Cq: "cq:" + strconv.Itoa(l.posted), Type: "ANY"}, trace.Event{})
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	if s.Finish(nil, r); len(r.Findings) == 0 || r.Findings[0].Rule != "LIFE-06" {
		t.Errorf("%+v", r.Findings)
	}
	if r.Components == 0 || r.Rules["LIFE-04"].Count != 2*33_000 {
		t.Errorf("%d components, LIFE-04 %+v", r.Components, r.Rules["LIFE-04"])
	}
}

// What both hosts of connections have closed is kept no longer either, but what was closed last.
func TestJoinForgetsWhatBothHostsClosed(t *testing.T) {
	var hosts [2]*Host
	var before, after uint64
	for i := range hosts {
		read, write := io.Pipe()
		go func() {
			w, err := trace.NewWriter(write, trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"})
			l := newLoad(4, func(e *trace.Event) { err = cmp.Or(err, w.Write(e)) })
			round := func() { l.churnHalf(i == 0) }
			if i == 0 {
				before, after = heapAfter(1_000, round), heapAfter(10_000, round)
			} else {
				heapAfter(11_000, round)
				l.call("NdkFlush", trace.Event{Qp: "qp:11000"}, success)
			}
			l.event(trace.Point, "", "quiesce", trace.Event{})
			write.CloseWithError(cmp.Or(err, w.Close(trace.End{Events: uint64(l.n), Quiescent: true})))
		}()
		in, err := trace.NewReader("", read)
		if err != nil {
			t.Fatal(err)
		}
		hosts[i] = &Host{In: in, Name: []string{"A", "B"}[i]}
	}
	CheckJoined(t.Context(), hosts)
	for i, want := range []string{"conformant", "consumer violation of LIFE-06"} {
		r := hosts[i].Report
		if hosts[i].Err != nil || r.Describe() != want || len(hosts[i].Lone) > 0 || r.Components != 11_001 || r.Rules["LIFE-04"].Count != 11_000 {
			t.Errorf("%v, %s of %d components, %+v, %+v", hosts[i].Err, r.Verdict, r.Components, r.Rules["LIFE-04"], r.Findings[:min(3, len(r.Findings))])
		}
	}
	if after > before+8<<20 {
		t.Errorf("%d KiB after 1,000 connections, %d KiB after 10,000 more", before>>10, after>>10)
	}
}

// churnHalf adds what one of two hosts tells of a connection that does not live long, on which it sends or receives.
func (l *load) churnHalf(sends bool) {
	l.posted++
	n := strconv.Itoa(l.posted)
	cq, qp, wr, fn := "cq:"+n, "qp:"+n, "w"+n, "NdkReceive"
	if sends {
		fn = "NdkSend"
	}
	l.call("NdkCreateCq", trace.Event{Cq: cq, Depth: number(16)}, success)
	l.call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: cq, InitiatorCq: cq}, success)
	l.call("NdkConnect", trace.Event{Qp: qp, Conn: "conn:" + n}, success)
	l.call(fn, trace.Event{Qp: qp, Wr: wr}, success)
	l.call("NdkReceive", trace.Event{Qp: qp, Wr: "never" + n}, success)
	l.call("NdkGetCqResults", trace.Event{Cq: cq, N: number(8)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: "STATUS_SUCCESS"}}})
	l.closesEarly("NdkCloseQp", trace.Event{Qp: qp})
	l.closesEarly("NdkCloseCq", trace.Event{Cq: cq})
}

// What an event takes of a recording in which nothing lives long, the same for a long one.
func BenchmarkChurn(b *testing.B) {
	for _, rounds := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			var events []trace.Event
			l := newLoad(4, func(e *trace.Event) { events = append(events, *e) })
			for range rounds {
				l.churn()
			}
			streamRate(b, events)
		})
	}
}

// streamRate streams the events of a trace, again and again, and reports the rate.
func streamRate(b *testing.B, events []trace.Event) {
	start := processorTime(b)
	for b.Loop() {
		s := stream.New(trace.Header{Side: "provider"}, dialects()[0], 0)
		for i := range events {
			s.Take(&events[i])
		}
	}
	reportRate(b, len(events), processorTime(b)-start)
}
