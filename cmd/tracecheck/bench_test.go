package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

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

// Events in memory of a provider that does whatever the contract allows, to a consumer that does: two CQs, arms of all types, silent and deferred
// requests, failures, closes.
func BenchmarkIrregular(b *testing.B) {
	var text bytes.Buffer
	if err := synthetic.WriteIrregular(&text, synthetic.Options{Seed: 1, Events: 200_000}); err != nil {
		b.Fatal(err)
	}
	traced, err := trace.Read("irregular", &text, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	start := processorTime(b)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		s := stream.New(traced.Header, model.Ndkpi(), 0)
		for i := range traced.Events {
			s.Take(&traced.Events[i])
		}
	}
	took, taken := processorTime(b)-start, len(traced.Events)*b.N
	runtime.ReadMemStats(&after)
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
	start, used := time.Now(), processorTime(b)
	work()
	s.clock += time.Since(start)
	s.processors += processorTime(b) - used
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What the command takes for ten times as long a trace, which comes through a pipe while it is made: processor time, and memory at its peak.
// slope is that of the line from the shortest trace, both axes logarithmic: 1 is linear. The engine is named, as the command takes another
// one, too, for the shortest of them.
func BenchmarkGrowth(b *testing.B) {
	program := filepath.Join(b.TempDir(), "tracecheck")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	const shortest, longest = 1e5, 1e7
	first := 0.0 // processor time of the shortest
	for events := shortest; events <= longest; events *= 10 {
		b.Run(fmt.Sprintf("events=%.0e", events), func(b *testing.B) {
			total, peak := 0.0, int64(0)
			for b.Loop() {
				usage := piped(b, program, uint64(events))
				total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
				peak = max(peak, usage.Maxrss)
			}
			took := total / float64(b.N)
			b.ReportMetric(took*1e9/events, "processor-ns/event")
			b.ReportMetric(float64(peak)/1024, "MiB")
			if events == shortest {
				first = took
			} else if first > 0 {
				b.ReportMetric(math.Log(took/first)/math.Log(events/shortest), "slope")
			}
		})
	}
}

// piped has the program judge a trace from a pipe, and returns what it used.
func piped(b *testing.B, program string, events uint64) *syscall.Rusage {
	out, in := io.Pipe()
	go func() { in.CloseWithError(synthetic.Write(in, typical(events))) }()
	command := exec.Command(program, "--engine", "stream", "-")
	command.Stdin = out
	if said, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, said)
	}
	return command.ProcessState.SysUsage().(*syscall.Rusage)
}
