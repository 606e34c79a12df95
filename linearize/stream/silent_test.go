package stream_test

import (
	"fmt"
	"strconv"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// What succeeds silently, and nothing follows: rounds of requests on a, which is connected to b, a moment of rest after each, and a poll that finds
// nothing.
var silent = []struct {
	name  string
	round func(l *notation.Load)
}{
	{"writes", func(l *notation.Load) { l.Silent("NdkWrite", nil) }},
	{"sends", func(l *notation.Load) {
		l.Post("NdkReceive", "b", "r"+strconv.Itoa(l.Posted))
		l.Silent("NdkSend", nil)
		l.Result("r"+strconv.Itoa(l.Posted-1), "b", "STATUS_SUCCESS")
	}},
	{"one token", func(l *notation.Load) {
		token := uint32(1)
		l.Silent("NdkFastRegister", &token)
		l.Silent("NdkInvalidate", &token)
	}},
}

// newConnection creates and connects the QPs a and b, each with its CQ, which the trace may hold the creation of.
func newConnection(take func(*trace.Event), created bool) *notation.Load {
	l := &notation.Load{Take: take}
	l.Call("NdkCreateMr", trace.Event{Mr: "mr"}, notation.Success)
	for _, qp := range []string{"a", "b"} {
		if created {
			l.Call("NdkCreateCq", trace.Event{Cq: "of " + qp, Depth: notation.Number(64)}, notation.Success)
		}
		l.Call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "of " + qp, InitiatorCq: "of " + qp}, notation.Success)
	}
	l.Call("NdkConnect", trace.Event{Qp: "a", Conn: "c"}, notation.Success)
	l.Call("NdkAccept", trace.Event{Qp: "b", Conn: "c"}, notation.Success)
	return l
}

// What has succeeded silently, as a poll shows that finds nothing after a moment of rest, is over though nothing follows it: ten times as many
// take no more memory, all are counted once a later one is told (FLAG-02), and one of the latest that fails afterwards is late (DEF-04).
func TestStreamForgetsWhatSucceededSilently(t *testing.T) {
	for _, of := range silent {
		t.Run(of.name, func(t *testing.T) {
			s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
			l := newConnection(s.Take, true)
			round := func() {
				of.round(l)
				l.RestsEmpty()
			}
			before := heapAfter(1_000, round)
			after := heapAfter(10_000, round)
			if after > before+1<<20 {
				t.Errorf("%d KiB after 1,000 rounds, %d KiB after 10,000 more", before>>10, after>>10)
			}
			l.Post("NdkWrite", "a", "told")
			l.Result("told", "a", "STATUS_SUCCESS")
			told := l.Posted
			of.round(l)
			l.RestsEmpty()
			l.Result("w"+strconv.Itoa(l.Posted-1), "a", "STATUS_IO_DEVICE_ERROR")
			r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
			if s.Finish(nil, r); len(r.Findings) == 0 || r.Findings[0].Rule != "FLAG-02" {
				t.Errorf("%+v", r.Findings)
			}
			if n := r.Rules["FLAG-02"].Count; n < told || n > l.Posted+1 { // the last one breaks it, too
				t.Errorf("FLAG-02 %+v, %d requests were told to have succeeded silently", r.Rules["FLAG-02"], told)
			}
		})
	}
}

// A silent request of which it was found that it had succeeded, long ago, and which is delivered all the same: it had not completed by the moment of
// rest (FLAG-02), or succeeded and has a completion (FLAG-01). It is not taken for delivered twice (POLL-04).
func TestStreamTellsOfWhatIsSettled(t *testing.T) {
	for status, rule := range map[string]string{"STATUS_IO_DEVICE_ERROR": "FLAG-02", "STATUS_CANCELLED": "FLAG-02", "STATUS_SUCCESS": "FLAG-01"} {
		s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
		l := newConnection(s.Take, true)
		for range 200 {
			l.Silent("NdkWrite", nil)
			l.RestsEmpty()
		}
		l.Result("w0", "a", status)
		r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
		if s.Finish(nil, r); len(r.Findings) == 0 || r.Findings[0].Rule != rule || r.Findings[0].Verdict != verdict.ProviderViolation {
			t.Errorf("%s: %+v, want %s", status, r.Findings, rule)
		}
	}
}

// What an event takes where silent requests pile up, the same for a long trace.
func BenchmarkSilent(b *testing.B) {
	for _, of := range silent {
		for _, rounds := range []int{1_000, 4_000, 16_000} {
			b.Run(fmt.Sprintf("%s/rounds=%d", of.name, rounds), func(b *testing.B) {
				var events []trace.Event
				l := newConnection(func(e *trace.Event) { events = append(events, *e) }, true)
				for range rounds {
					of.round(l)
					l.RestsEmpty()
				}
				streamRate(b, events)
			})
		}
	}
}

// Where the CQs are left open, as the trace does not hold their creation, neither what succeeds silently nor QPs that are closed are kept: four times
// as many take no more memory (but for the latest: 1,024 QPs are known by name, and 4,096 requests of a queue are kept).
func TestStreamForgetsOfWhatIsLeftOpen(t *testing.T) {
	closes := func(l *notation.Load) {
		l.Posted++
		n := strconv.Itoa(l.Posted)
		for _, qp := range []string{"p" + n, "o" + n} {
			l.Call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "of a", InitiatorCq: "of a"}, notation.Success)
			l.Call("NdkConnect", trace.Event{Qp: qp, Conn: "conn:" + n}, notation.Success)
			l.Post("NdkReceive", qp, "r"+qp)
		}
		l.Post("NdkSend", "p"+n, "s"+n)
		l.Call("NdkGetCqResults", trace.Event{Cq: "of a", N: notation.Number(8)}, trace.Event{Results: []trace.Result{
			{Wr: "s" + n, Qp: "p" + n, Status: "STATUS_SUCCESS"}, {Wr: "ro" + n, Qp: "o" + n, Status: "STATUS_SUCCESS"}}})
		for _, qp := range []string{"p" + n, "o" + n} {
			l.ClosesEarly("NdkCloseQp", trace.Event{Qp: qp})
		}
	}
	rounds := map[string]func(*notation.Load){"closed QPs": closes}
	for _, of := range silent[:2] {
		rounds[of.name] = of.round
	}
	for name, of := range rounds {
		t.Run(name, func(t *testing.T) {
			s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
			l := newConnection(s.Take, false)
			round := func() {
				of(l)
				l.RestsEmpty()
			}
			before := heapAfter(5_000, round)
			if after := heapAfter(15_000, round); after > before+3<<20 {
				t.Errorf("%d KiB after 5,000 rounds, %d KiB after 15,000 more", before>>10, after>>10)
			}
			r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
			if s.Finish(nil, r); r.Verdict == verdict.ProviderViolation || r.Verdict == verdict.ConsumerViolation {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}
