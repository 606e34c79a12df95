//go:build unix

package trace_test

import (
	"bytes"
	"io"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"ndkoracle/internal/synthetic"
	"ndkoracle/trace"
)

// The same events from JSON Lines and from slots, taking turns: processor time an event with all that a reader checks, how many times as fast
// slots are, what they take without those checks, and how large the files are, as they are and compressed.
func BenchmarkForms(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as tracecheck has it
	const events = 300_000
	var lines, slots bytes.Buffer
	if err := synthetic.Write(&lines, synthetic.Options{Seed: 1, Events: events, Cqs: 4, Pairs: 2, Depth: 8}); err != nil {
		b.Fatal(err)
	}
	r, err := trace.NewReader("lines", bytes.NewReader(lines.Bytes()))
	if err == nil {
		err = trace.ConvertToCtf(&slots, r)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range []struct {
		name     string
		compress func([]byte) []byte
	}{{"plain", func(file []byte) []byte { return file }}, {"zstd", compressed}} {
		b.Run(form.name, func(b *testing.B) {
			fromLines, fromSlots := form.compress(lines.Bytes()), form.compress(slots.Bytes())
			var ofLines, ofSlots, unchecked time.Duration
			for b.Loop() {
				ofLines += decoding(b, fromLines, (*trace.Reader).Next)
				ofSlots += decoding(b, fromSlots, (*trace.Reader).Next)
				unchecked += decoding(b, fromSlots, (*trace.Reader).NextUnchecked)
			}
			all := float64(events * b.N)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(ofLines.Nanoseconds())/all, "lines-ns/event")
			b.ReportMetric(float64(ofSlots.Nanoseconds())/all, "slots-ns/event")
			b.ReportMetric(float64(unchecked.Nanoseconds())/all, "unchecked-slots-ns/event")
			b.ReportMetric(float64(ofLines)/float64(ofSlots), "x-faster")
			b.ReportMetric(float64(ofLines)/float64(unchecked), "x-faster-unchecked")
			b.ReportMetric(float64(len(fromLines))/events, "lines-B/event")
			b.ReportMetric(float64(len(fromSlots))/events, "slots-B/event")
			b.ReportMetric(float64(len(fromSlots))/float64(len(fromLines)), "x-size")
		})
	}
}

func compressed(file []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return w.EncodeAll(file, nil)
}

// decoding returns how much processor time it takes to read all events of a trace.
func decoding(b *testing.B, file []byte, next func(*trace.Reader, *trace.Event) error) time.Duration {
	b.Helper()
	start := processorTime(b)
	r, err := trace.NewReader("f", bytes.NewReader(file))
	var e trace.Event
	for err == nil {
		err = next(r, &e)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
	return processorTime(b) - start
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
