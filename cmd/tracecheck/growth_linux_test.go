package main

import (
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ndkoracle/internal/synthetic"
)

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
