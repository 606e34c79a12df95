package main

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"ndkoracle/conformance"
	"ndkoracle/internal/processor"
	"ndkoracle/internal/synthetic"
	"ndkoracle/linearize/stream"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// typical are traces of four CQs with two connected pairs of QPs each.
func typical(events uint64) synthetic.Options {
	return synthetic.Options{Seed: 1, Events: events, Cqs: 4, Pairs: 2, Depth: 8}
}

// The whole command beside only decoding the same file, taking turns: how many times as much time it takes, by the clock and of processors.
// Decoding and judging have a processor each, where there are two.
func BenchmarkBesideDecoding(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	const events = 300_000
	var plain, compressed bytes.Buffer
	w, err := zstd.NewWriter(&compressed)
	if err != nil {
		b.Fatal(err)
	}
	if err := synthetic.Write(io.MultiWriter(&plain, w), typical(events)); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for _, file := range []struct {
		name string
		text []byte
	}{{"plain", plain.Bytes()}, {"zstd", compressed.Bytes()}} {
		b.Run(file.name, func(b *testing.B) {
			var decoding, whole spent
			for b.Loop() {
				decoding.by(b, func() { decode(b, file.text) })
				whole.by(b, func() {
					if code, out, _ := streamed(context.Background(), file.text); code != exitConformant {
						b.Fatal(out)
					}
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(whole.clock)/float64(decoding.clock), "x-clock")
			b.ReportMetric(float64(whole.processors)/float64(decoding.processors), "x-processors")
			b.ReportMetric(float64(whole.processors)/float64(b.N)/events, "processor-ns/event")
		})
	}
}

// The stream alone, on events in memory. An irregular trace is of a provider that does whatever the contract allows, to a consumer that does: two CQs, arms
// of all types, silent and deferred requests, failures, closes. In threads and mixed, queue pairs and CQs come and go.
func BenchmarkJudge(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	recorded := func(scenario string) func(io.Writer) error {
		s, _ := conformance.Find(scenario)
		return func(w io.Writer) error {
			return conformance.Record(b.Context(), s, conformance.Refimpl(), 1, 20_000, w)
		}
	}
	for _, kind := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"tracegen", func(w io.Writer) error { return synthetic.Write(w, typical(200_000)) }},
		{"irregular", func(w io.Writer) error {
			return synthetic.WriteIrregular(w, synthetic.Options{Seed: 1, Events: 200_000})
		}},
		{"threads", recorded("threads")},
		{"mixed", recorded("mixed")},
	} {
		var text bytes.Buffer
		if err := kind.write(&text); err != nil {
			b.Fatal(err)
		}
		traced, err := trace.Read(kind.name, &text, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(kind.name, func(b *testing.B) { judgedInMemory(b, traced) })
	}
}

func judgedInMemory(b *testing.B, traced *trace.Trace) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processor.Time()
	for b.Loop() {
		s := stream.New(traced.Header, model.Ndkpi(), 0)
		for i := range traced.Events {
			s.Take(&traced.Events[i])
		}
	}
	took, taken := processor.Time()-start, len(traced.Events)*b.N
	runtime.ReadMemStats(&after)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took.Nanoseconds())/float64(taken), "processor-ns/event")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(taken), "allocs/event")
}

func decode(b *testing.B, text []byte) {
	in, err := trace.NewReader("f", bytes.NewReader(text))
	var e trace.Event
	for err == nil {
		err = in.Next(&e)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
}

// spent is time, of which several processors may spend more than the clock.
type spent struct{ clock, processors time.Duration }

func (s *spent) by(b *testing.B, work func()) {
	start, used := time.Now(), processor.Time()
	work()
	s.clock += time.Since(start)
	s.processors += processor.Time() - used
}
