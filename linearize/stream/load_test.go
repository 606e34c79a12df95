package stream_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/notation"
	"ndkoracle/internal/processor"
	"ndkoracle/linearize"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// finish ends a trace, and fails where anything but its end is undecided.
func finish(t testing.TB, s *stream.Stream) {
	t.Helper()
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	if s.Finish(nil, r); len(r.Findings) != 1 || r.Findings[0].Message != verdict.NotAtRest {
		t.Fatalf("%+v", r.Findings)
	}
}

// heapAfter adds rounds, and returns how much memory is in use then, in bytes.
func heapAfter(rounds int, round func()) uint64 {
	for range rounds {
		round()
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What a stream keeps does not grow with the trace: ten times the events, no more memory (but for the bounded tables).
func TestStreamMemoryIsFlat(t *testing.T) {
	s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
	l := notation.NewLoad(16, s.Take)
	before := heapAfter(2_000, l.Round)
	after := heapAfter(20_000, l.Round)
	finish(t, s)
	if after > before+4<<20 {
		t.Errorf("%d KiB after 2,000 rounds, %d KiB after 20,000 more", before>>10, after>>10)
	}
}

// Events that are in memory, and how many in a second of one processor's time. From the second 200,000 on, nearly all states of a
// stream repeat, as they do in a long trace. A hard trace does not record which receives were solicited, so each callback may be for any of them.
func BenchmarkStream(b *testing.B) {
	for _, kind := range []struct {
		name  string
		round func(*notation.Load)
	}{{"typical", (*notation.Load).Round}, {"hard", (*notation.Load).Guess}} {
		for _, depth := range []int{4, 32} {
			var events []trace.Event
			l := notation.NewLoad(depth, func(e *trace.Event) { events = append(events, *e) })
			created := len(events)
			for len(events) < 200_000 || len(l.Waiting) > 0 {
				kind.round(l)
			}
			newStream := func() *stream.Stream { return stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0) }
			take := func(s *stream.Stream, events []trace.Event) {
				for i := range events {
					s.Take(&events[i])
				}
			}
			b.Run(fmt.Sprintf("%s/depth=%d/first", kind.name, depth), func(b *testing.B) {
				b.ReportAllocs()
				start := processor.Time()
				var s *stream.Stream
				for b.Loop() {
					s = newStream()
					take(s, events)
				}
				reportRate(b, len(events), processor.Time()-start)
				finish(b, s)
			})
			b.Run(fmt.Sprintf("%s/depth=%d/later", kind.name, depth), func(b *testing.B) {
				s := newStream()
				take(s, events)
				b.ReportAllocs()
				start := processor.Time()
				for b.Loop() {
					take(s, events[created:])
				}
				reportRate(b, len(events)-created, processor.Time()-start)
				finish(b, s)
			})
		}
	}
}

func reportRate(b *testing.B, events int, took time.Duration) {
	b.ReportMetric(float64(events)*float64(b.N)/took.Seconds()/1e6, "Mevents/processor-s")
}

// The engines on one trace of about 10,000 operations, which does not end at rest. Where porcupine gives up, what it says of that is
// logged, and its time is that until then. What counts on a busy machine is processor time.
func BenchmarkEngines(b *testing.B) {
	for _, depth := range []int{4, 32} {
		traced := notation.Loaded(depth, 13_000)
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			b.Run(fmt.Sprintf("depth=%d/%s", depth, engine), func(b *testing.B) {
				operations, start := 0, processor.Time()
				for b.Loop() {
					r := linearize.Check(context.Background(), traced, linearize.Options{Engine: engine, Timeout: timeLimit, MaxMemory: memoryLimit})
					operations = r.Operations
					for _, f := range r.Findings {
						switch {
						case f.Line != 0:
							b.Fatalf("%s: %+v", r.Verdict, r.Findings)
						case !strings.Contains(f.Message, "the trace does not end with the provider at rest"):
							b.Logf("gives up: %s", f.Message)
						}
					}
				}
				b.ReportMetric(float64(operations), "operations")
				b.ReportMetric((processor.Time()-start).Seconds()*1000/float64(b.N), "processor-ms")
			})
		}
	}
}

// What porcupine may take for one trace of the benchmark: nanoseconds, and bytes.
const (
	timeLimit   = 120e9
	memoryLimit = 12 << 30
)
