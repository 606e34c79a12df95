package stream_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/internal/processor"
	"ndkoracle/internal/synthetic"
	"ndkoracle/linearize"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// What is closed is kept no longer than it may matter: ten times as many objects take no more memory (LIFE-06: those that were closed last are
// kept, as they may be used).
func TestStreamForgetsWhatIsClosed(t *testing.T) {
	s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
	l := notation.NewLoad(4, s.Take)
	before := heapAfter(3_000, l.Churn)
	after := heapAfter(30_000, l.Churn)
	if after > before+16<<20 { // the tokens take some 300 bytes each
		t.Errorf("%d KiB after 3,000 rounds, %d KiB after 30,000 more", before>>10, after>>10)
	}
	l.Call("NdkArmCq", trace.Event{Cq: "cq:" + strconv.Itoa(l.Posted), Type: "ANY"}, trace.Event{})
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	if s.Finish(nil, r); len(r.Findings) == 0 || r.Findings[0].Rule != "LIFE-06" {
		t.Errorf("%+v", r.Findings)
	}
	if r.Components == 0 || r.Rules["LIFE-04"].Count != 2*33_000 {
		t.Errorf("%d components, LIFE-04 %+v", r.Components, r.Rules["LIFE-04"])
	}
}

// What a stream looks through does not grow with the queue pairs that were closed, also where messages fail that a receive had seemed to take.
func TestClosedQueuePairsArePutAside(t *testing.T) {
	var text bytes.Buffer
	if err := synthetic.WriteIrregular(&text, synthetic.Options{Seed: 1, Events: 50_000}); err != nil {
		t.Fatal(err)
	}
	in, err := trace.Read("irregular", &text, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, created := stream.New(in.Header, histories.Dialects()[0], 0), 0
	for i := range in.Events {
		e := &in.Events[i]
		if s.Take(e); e.Fn == "NdkCreateQp" && e.Ph == trace.Call {
			created++
		}
	}
	if !s.IsInDoubt() {
		t.Error("no message has failed that a receive had seemed to take: the trace asks nothing")
	}
	if kept := s.Followed(); kept > 4 || created < 200 {
		t.Errorf("%d of %d queue pairs are looked through, and two at a time were open", kept, created)
	}
}

// What both hosts of connections have closed is kept no longer either, but what was closed last.
func TestJoinForgetsWhatBothHostsClosed(t *testing.T) {
	var hosts [2]*linearize.Host
	var before, after uint64
	for i := range hosts {
		read, write := io.Pipe()
		go func() {
			w, err := trace.NewWriter(write, trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"})
			l := notation.NewLoad(4, func(e *trace.Event) { err = cmp.Or(err, w.Write(e)) })
			round := func() { l.ChurnHalf(i == 0) }
			if i == 0 {
				before, after = heapAfter(1_000, round), heapAfter(10_000, round)
			} else {
				heapAfter(11_000, round)
				l.Call("NdkFlush", trace.Event{Qp: "qp:11000"}, notation.Success)
			}
			l.Event(trace.Point, "", "quiesce", trace.Event{})
			write.CloseWithError(cmp.Or(err, w.Close(trace.End{Events: uint64(l.N), Quiescent: true})))
		}()
		in, err := trace.NewReader("", read)
		if err != nil {
			t.Fatal(err)
		}
		hosts[i] = &linearize.Host{In: in, Name: []string{"A", "B"}[i]}
	}
	linearize.CheckJoined(t.Context(), hosts)
	for i, want := range []string{"conformant", "consumer violation of LIFE-06"} {
		r := hosts[i].Report
		if hosts[i].Err != nil || r.Describe() != want || len(hosts[i].Lone) > 0 || r.Components != 11_001 || r.Rules["LIFE-04"].Count != 11_000 {
			t.Errorf("%v, %s of %d components, %+v, %+v", hosts[i].Err, r.Verdict, r.Components, r.Rules["LIFE-04"], r.Findings[:min(3, len(r.Findings))])
		}
	}
	// One host is read ahead of the other: 4 to 9 MiB, as the scheduler has it. If nothing were forgotten it would be 140 MiB.
	if after > before+24<<20 {
		t.Errorf("%d KiB after 1,000 connections, %d KiB after 10,000 more", before>>10, after>>10)
	}
}

// What an event takes of a recording in which nothing lives long, the same for a long one.
func BenchmarkChurn(b *testing.B) {
	for _, rounds := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			var events []trace.Event
			l := notation.NewLoad(4, func(e *trace.Event) { events = append(events, *e) })
			for range rounds {
				l.Churn()
			}
			streamRate(b, events)
		})
	}
}

// streamRate streams the events of a trace, again and again, and reports the rate.
func streamRate(b *testing.B, events []trace.Event) {
	start := processor.Time()
	for b.Loop() {
		s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
		for i := range events {
			s.Take(&events[i])
		}
	}
	reportRate(b, len(events), processor.Time()-start)
}
