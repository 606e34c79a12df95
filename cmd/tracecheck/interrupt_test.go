package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An interrupt does not drop the violation of a trace that was judged beside the one it interrupts.
func TestInterruptKeepsWhatWasJudgedAhead(t *testing.T) {
	b := newBench(t)
	ctx, stop := context.WithCancel(context.Background())
	judged, check := make(chan struct{}), b.check
	b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
		if strings.Contains(t.Name, "1-") {
			defer close(judged)
			return check(ctx, t, o)
		}
		<-judged
		stop()
		<-ctx.Done()
		return check(ctx, t, o)
	}
	code := b.run(ctx, append(files(t, "conformant", "provider"), "--jobs", "2", "--format", "json"))
	var run jsonRun
	if err := json.Unmarshal(b.out.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	if code != exitInterrupted || !run.Interrupted || len(run.Traces) != 1 || run.Traces[0].Verdict != string(verdict.ProviderViolation) {
		t.Errorf("exit %d, output %+v", code, run)
	}
	if says := b.errors.String(); !strings.Contains(says, "interrupted in trace 1 of 2") || strings.Contains(says, "trace 2 of 2") {
		t.Errorf("stderr %q", says)
	}
}

// An interrupt ends the run with 130 and says how far it came, also when the engine does not give up.
func TestInterrupt(t *testing.T) {
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	for name, arrange := range map[string]func(b *bench, stop func()){
		"an engine that gives up": func(b *bench, stop func()) {
			check := b.check
			b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
				if strings.Contains(t.Name, "1-") {
					stop()
					<-ctx.Done()
				}
				return check(ctx, t, o)
			}
		},
		"an engine that does not": func(b *bench, stop func()) {
			b.grace = time.Millisecond
			check := b.check
			b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
				if strings.Contains(t.Name, "1-") {
					stop()
					<-released
				}
				return check(ctx, t, o)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, stop := context.WithCancel(context.Background())
			arrange(b, stop)
			// One at a time: else the second may begin, and be interrupted, before the first has ended.
			code := b.run(ctx, append(files(t, "provider", "conformant", "conformant"), "--jobs", "1", "--format", "json"))
			var run jsonRun
			if err := json.Unmarshal(b.out.Bytes(), &run); err != nil {
				t.Fatal(err)
			}
			if code != exitInterrupted || run.Exit != exitInterrupted || !run.Interrupted || len(run.Traces) != 1 {
				t.Errorf("exit %d, output %+v", code, run)
			}
			if !strings.Contains(b.errors.String(), "interrupted in trace 2 of 3") {
				t.Errorf("stderr %q", &b.errors)
			}
		})
	}
}

// --engine tlc asks TLC. What it lacks is told before anything is read, and what breaks down is an internal error.
func TestEngineTlc(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.ndktrace.jsonl")
	if err := os.WriteFile(name, []byte("conformant"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.prepareTlc = func(context.Context) (judge, error) { return nil, errors.New("java is missing") }
	if code := b.do("--engine", "tlc", name); code != exitUsage || b.errors.String() != "tracecheck: java is missing\n" {
		t.Errorf("without Java: exit %d, %q", code, b.errors.String())
	}
	var breaksDown error
	b.prepareTlc = func(context.Context) (judge, error) {
		return func(_ context.Context, t *trace.Trace, o linearize.Options) (*verdict.Report, error) {
			return fakeReport(t), breaksDown
		}, nil
	}
	if code := b.do("--engine", "tlc", name); code != exitConformant || len(b.asked) != 0 {
		t.Errorf("exit %d, the other engine was asked %d times", code, len(b.asked))
	}
	breaksDown = errors.New("TLC broke down")
	if code := b.do("--engine", "tlc", name); code != exitInternal || !strings.Contains(b.out.String(), "TLC broke down") {
		t.Errorf("broken down: exit %d, %q", code, b.out.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	b.prepareTlc = func(context.Context) (judge, error) {
		return func(ctx context.Context, _ *trace.Trace, _ linearize.Options) (*verdict.Report, error) {
			stop()
			return nil, ctx.Err()
		}, nil
	}
	if code := b.run(ctx, []string{"--engine", "tlc", name}); code != exitInterrupted || !strings.Contains(b.errors.String(), name+" after reading ") {
		t.Errorf("interrupted: exit %d, %q", code, &b.errors)
	}
}

// The engine tlc says what is missing where there is no Java.
func TestPrepareTlc(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := prepareTlc(t.Context()); err == nil || !strings.Contains(err.Error(), "java is missing") {
		t.Errorf("without java: %v", err)
	}
}
