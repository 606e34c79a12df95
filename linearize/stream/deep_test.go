package stream_test

import (
	"fmt"
	"strconv"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/internal/processor"
	"ndkoracle/linearize/histories"
	"ndkoracle/linearize/stream"
	"ndkoracle/trace"
)

// Deep queues: an event costs no more where many requests are outstanding. Each is what is posted on two QPs that are connected
// to each other, a and b, and on one whose peer the trace does not hold, lone; so many requests on each queue that it uses.
var deep = []struct {
	name  string
	trace func(l *notation.Load, depth int)
}{
	{"cancelled", func(l *notation.Load, depth int) {
		for i := range depth {
			for _, qp := range []string{"a", "b"} {
				l.Post("NdkReceive", qp, "r"+qp+strconv.Itoa(i))
				l.Post("NdkSend", qp, "s"+qp+strconv.Itoa(i))
			}
		}
		l.Call("NdkFlush", trace.Event{Qp: "a"}, notation.Success)
		l.Call("NdkFlush", trace.Event{Qp: "b"}, notation.Success)
		for i := range depth {
			for _, qp := range []string{"a", "b"} {
				l.Result("r"+qp+strconv.Itoa(i), qp, "STATUS_CANCELLED")
				l.Result("s"+qp+strconv.Itoa(i), qp, "STATUS_CANCELLED")
			}
		}
	}},
	{"lone", func(l *notation.Load, depth int) {
		for i := range depth {
			l.Post("NdkReceive", "lone", "r"+strconv.Itoa(i))
		}
		for i := range depth {
			l.Result("r"+strconv.Itoa(i), "lone", "STATUS_SUCCESS")
		}
	}},
	{"messages", func(l *notation.Load, depth int) {
		for i := range depth {
			l.Post("NdkReceive", "b", "r"+strconv.Itoa(i))
			l.Post("NdkSend", "a", "s"+strconv.Itoa(i))
		}
		for i := range depth {
			l.Result("r"+strconv.Itoa(i), "b", "STATUS_SUCCESS")
		}
		for i := range depth {
			l.Result("s"+strconv.Itoa(i), "a", "STATUS_SUCCESS")
		}
	}},
}

// deepLoad returns the events of one of them.
func deepLoad(of func(*notation.Load, int), depth int) (events []trace.Event) {
	l := &notation.Load{Take: func(e *trace.Event) { events = append(events, *e) }}
	for _, qp := range []string{"a", "b", "lone"} {
		l.Call("NdkCreateCq", trace.Event{Cq: "of " + qp, Depth: notation.Number(int64(2 * depth))}, notation.Success)
		l.Call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "of " + qp, InitiatorCq: "of " + qp}, notation.Success)
	}
	l.Call("NdkConnect", trace.Event{Qp: "a", Conn: "c"}, notation.Success)
	l.Call("NdkAccept", trace.Event{Qp: "b", Conn: "c"}, notation.Success)
	l.Call("NdkConnect", trace.Event{Qp: "lone", Conn: "d"}, notation.Success)
	of(l, depth)
	return events
}

func BenchmarkDeepQueues(b *testing.B) {
	for _, d := range deep {
		for _, depth := range []int{250, 1_000, 4_000} {
			events := deepLoad(d.trace, depth)
			b.Run(fmt.Sprintf("%s/depth=%d", d.name, depth), func(b *testing.B) {
				start := processor.Time()
				var s *stream.Stream
				for b.Loop() {
					s = stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
					for i := range events {
						s.Take(&events[i])
					}
				}
				took := processor.Time() - start
				finish(b, s)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*len(events)), "processor-ns/event")
			})
		}
	}
}
