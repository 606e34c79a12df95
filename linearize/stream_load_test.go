package linearize

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A load is a long recording of a provider that keeps the contract, made up: rounds of arms, posts, a callback and polls on one
// QP whose consumer keeps up to depth requests outstanding.
type load struct {
	random  *rand.Rand
	depth   int
	take    func(*trace.Event)
	n, ops  int
	posted  int
	waiting []string // wr of what has not been polled, oldest first
}

func newLoad(depth int, take func(*trace.Event)) *load {
	l := &load{random: rand.New(rand.NewPCG(1, uint64(depth))), depth: depth, take: take}
	l.call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: number(int64(2 * depth))}, success)
	l.call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, success)
	l.call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, success)
	return l
}

func (l *load) event(ph trace.Phase, op, fn string, e trace.Event) {
	l.n++
	e.Ph, e.Op, e.Fn, e.Thr, e.Seq, e.Line = ph, op, fn, "t", uint64(l.n), l.n+1
	l.take(&e)
}

func (l *load) op() string {
	l.ops++
	return strconv.Itoa(l.ops)
}

func (l *load) call(fn string, call, ret trace.Event) {
	op := l.op()
	l.event(trace.Call, op, fn, call)
	l.event(trace.Ret, op, fn, ret)
}

func (l *load) poll(room int) {
	n := min(room, len(l.waiting))
	results := make([]trace.Result, n)
	for i, wr := range l.waiting[:n] {
		results[i] = trace.Result{Wr: wr, Qp: "qp1", Status: "STATUS_SUCCESS"}
	}
	l.waiting = l.waiting[n:]
	l.call("NdkGetCqResults", trace.Event{Cq: "cq1", N: number(int64(room))}, trace.Event{Results: results})
}

// round adds one round of events.
func (l *load) round() {
	l.call("NdkArmCq", trace.Event{Cq: "cq1", Type: []string{"ANY", "SOLICITED", "ANY"}[l.random.IntN(3)]}, trace.Event{})
	armed := l.random.IntN(2) == 0
	if armed {
		l.call("NdkArmCq", trace.Event{Cq: "cq1", Type: "ANY"}, trace.Event{})
	}
	for range 1 + l.random.IntN(l.depth-len(l.waiting)) {
		wr := "w" + strconv.Itoa(l.posted)
		l.posted++
		l.waiting = append(l.waiting, wr)
		l.call("NdkWrite", trace.Event{Qp: "qp1", Wr: wr}, success)
	}
	if armed {
		op := l.op()
		l.event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: "STATUS_SUCCESS"})
		l.poll(1 + l.random.IntN(l.depth))
		l.event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
	}
	for len(l.waiting) > 0 && (len(l.waiting) == l.depth || l.random.IntN(3) > 0) {
		l.poll(1 + l.random.IntN(l.depth))
	}
}

// guess adds a round of which nobody knows which of its receives were solicited: depth of them are posted, each while the CQ is
// armed for solicited completions, and half are followed by a callback that does not poll.
func (l *load) guess() {
	for range l.depth {
		l.call("NdkArmCq", trace.Event{Cq: "cq1", Type: "SOLICITED"}, trace.Event{})
		wr := "w" + strconv.Itoa(l.posted)
		l.posted++
		l.waiting = append(l.waiting, wr)
		l.call("NdkReceive", trace.Event{Qp: "qp1", Wr: wr}, success)
		if l.random.IntN(2) == 0 {
			op := l.op()
			l.event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: "STATUS_SUCCESS"})
			l.event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
		}
	}
	for len(l.waiting) > 0 {
		l.poll(1 + l.random.IntN(l.depth))
	}
}

// loaded returns a load of about so many events.
func loaded(depth, events int) *trace.Trace {
	t := &trace.Trace{Name: "load", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}
	l := newLoad(depth, func(e *trace.Event) { t.Events = append(t.Events, *e) })
	for len(t.Events) < events {
		l.round()
	}
	t.End = &trace.End{Events: uint64(len(t.Events))}
	return t
}

// finish ends a trace of which nothing but its end is left open.
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
	s := stream.New(trace.Header{Side: "provider"}, dialects()[0], 0)
	l := newLoad(16, s.Take)
	before := heapAfter(2_000, l.round)
	after := heapAfter(20_000, l.round)
	finish(t, s)
	if after > before+4<<20 {
		t.Errorf("%d KiB after 2,000 rounds, %d KiB after 20,000 more", before>>10, after>>10)
	}
}

// Events that are in memory, and how many in a second of one processor's time. From the second 200,000 on a stream has met
// nearly all that it meets, as it has in a long trace: those come again and again. Of a hard trace nobody knows which receives
// were solicited, and so which of them each callback was for.
func BenchmarkStream(b *testing.B) {
	for _, kind := range []struct {
		name  string
		round func(*load)
	}{{"typical", (*load).round}, {"hard", (*load).guess}} {
		for _, depth := range []int{4, 32} {
			var events []trace.Event
			l := newLoad(depth, func(e *trace.Event) { events = append(events, *e) })
			created := len(events)
			for len(events) < 200_000 || len(l.waiting) > 0 {
				kind.round(l)
			}
			newStream := func() *stream.Stream { return stream.New(trace.Header{Side: "provider"}, dialects()[0], 0) }
			take := func(s *stream.Stream, events []trace.Event) {
				for i := range events {
					s.Take(&events[i])
				}
			}
			b.Run(fmt.Sprintf("%s/depth=%d/first", kind.name, depth), func(b *testing.B) {
				b.ReportAllocs()
				start := processorTime(b)
				var s *stream.Stream
				for b.Loop() {
					s = newStream()
					take(s, events)
				}
				reportRate(b, len(events), processorTime(b)-start)
				finish(b, s)
			})
			b.Run(fmt.Sprintf("%s/depth=%d/later", kind.name, depth), func(b *testing.B) {
				s := newStream()
				take(s, events)
				b.ReportAllocs()
				start := processorTime(b)
				for b.Loop() {
					take(s, events[created:])
				}
				reportRate(b, len(events)-created, processorTime(b)-start)
				finish(b, s)
			})
		}
	}
}

func reportRate(b *testing.B, events int, took time.Duration) {
	b.ReportMetric(float64(events)*float64(b.N)/took.Seconds()/1e6, "Mevents/processor-s")
}

// processorTime is what this process has used so far, the collection of garbage included.
func processorTime(b testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The engines on one trace of about 10,000 operations, which does not end at rest. Where porcupine gives up, what it says of that is
// logged, and its time is that until then. What counts on a busy machine is processor time.
func BenchmarkEngines(b *testing.B) {
	for _, depth := range []int{4, 32} {
		traced := loaded(depth, 13_000)
		for _, engine := range []Engine{Streaming, Porcupine} {
			b.Run(fmt.Sprintf("depth=%d/%s", depth, engine), func(b *testing.B) {
				operations, start := 0, processorTime(b)
				for b.Loop() {
					r := Check(context.Background(), traced, Options{Engine: engine, Timeout: timeLimit, MaxMemory: memoryLimit})
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
				b.ReportMetric((processorTime(b)-start).Seconds()*1000/float64(b.N), "processor-ms")
			})
		}
	}
}

// What porcupine may take for one trace of the benchmark: nanoseconds, and bytes.
const (
	timeLimit   = 120e9
	memoryLimit = 12 << 30
)
