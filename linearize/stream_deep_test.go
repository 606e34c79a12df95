package linearize

import (
	"fmt"
	"strconv"
	"testing"

	"ndkoracle/linearize/stream"
	"ndkoracle/trace"
)

// Deep queues: an event costs no more where many requests are outstanding. Each is what is posted on two QPs that are connected
// to each other, a and b, and on one whose peer the trace does not hold, lone; so many requests on each queue that it uses.
var deep = []struct {
	name  string
	trace func(l *load, depth int)
}{
	{"cancelled", func(l *load, depth int) {
		for i := range depth {
			for _, qp := range []string{"a", "b"} {
				l.post("NdkReceive", qp, "r"+qp+strconv.Itoa(i))
				l.post("NdkSend", qp, "s"+qp+strconv.Itoa(i))
			}
		}
		l.call("NdkFlush", trace.Event{Qp: "a"}, success)
		l.call("NdkFlush", trace.Event{Qp: "b"}, success)
		for i := range depth {
			for _, qp := range []string{"a", "b"} {
				l.result("r"+qp+strconv.Itoa(i), qp, "STATUS_CANCELLED")
				l.result("s"+qp+strconv.Itoa(i), qp, "STATUS_CANCELLED")
			}
		}
	}},
	{"lone", func(l *load, depth int) {
		for i := range depth {
			l.post("NdkReceive", "lone", "r"+strconv.Itoa(i))
		}
		for i := range depth {
			l.result("r"+strconv.Itoa(i), "lone", "STATUS_SUCCESS")
		}
	}},
	{"messages", func(l *load, depth int) {
		for i := range depth {
			l.post("NdkReceive", "b", "r"+strconv.Itoa(i))
			l.post("NdkSend", "a", "s"+strconv.Itoa(i))
		}
		for i := range depth {
			l.result("r"+strconv.Itoa(i), "b", "STATUS_SUCCESS")
		}
		for i := range depth {
			l.result("s"+strconv.Itoa(i), "a", "STATUS_SUCCESS")
		}
	}},
}

func (l *load) post(fn, qp, wr string) { l.call(fn, trace.Event{Qp: qp, Wr: wr}, success) }

// result polls one completion.
func (l *load) result(wr, qp, status string) {
	l.call("NdkGetCqResults", trace.Event{Cq: "of " + qp, N: number(1)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: status}}})
}

// deepLoad returns the events of one of them.
func deepLoad(of func(*load, int), depth int) (events []trace.Event) {
	l := &load{take: func(e *trace.Event) { events = append(events, *e) }}
	for _, qp := range []string{"a", "b", "lone"} {
		l.call("NdkCreateCq", trace.Event{Cq: "of " + qp, Depth: number(int64(2 * depth))}, success)
		l.call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "of " + qp, InitiatorCq: "of " + qp}, success)
	}
	l.call("NdkConnect", trace.Event{Qp: "a", Conn: "c"}, success)
	l.call("NdkAccept", trace.Event{Qp: "b", Conn: "c"}, success)
	l.call("NdkConnect", trace.Event{Qp: "lone", Conn: "d"}, success)
	of(l, depth)
	return events
}

func BenchmarkDeepQueues(b *testing.B) {
	for _, d := range deep {
		for _, depth := range []int{250, 1_000, 4_000} {
			events := deepLoad(d.trace, depth)
			b.Run(fmt.Sprintf("%s/depth=%d", d.name, depth), func(b *testing.B) {
				start := processorTime(b)
				var s *stream.Stream
				for b.Loop() {
					s = stream.New(trace.Header{Side: "provider"}, dialects()[0], 0)
					for i := range events {
						s.Take(&events[i])
					}
				}
				took := processorTime(b) - start
				finish(b, s)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*len(events)), "processor-ns/event")
			})
		}
	}
}
