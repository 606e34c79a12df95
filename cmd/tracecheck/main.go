// Command tracecheck decides whether recorded traces of an NDK provider keep the rules of NDKPI.
//
// docs/tracecheck.md describes its verdicts and exit codes, docs/tracecheck-output.md what it writes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"ndkoracle/internal/memory"
	"ndkoracle/internal/stdio"
	"ndkoracle/internal/tlc"
	"ndkoracle/internal/tlcjudge"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// heapOfTLC is how many MiB Java takes for objects, so that with all else the command stays below its 512 MiB.
const heapOfTLC = 256

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader of the output that goes away is an error of writing, and told as one
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second interrupt ends the program at once
		time.Sleep(patience)
		fmt.Fprintln(os.Stderr, "tracecheck: interrupted while the output was not taken")
		os.Exit(exitInterrupted)
	})
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	memory.SetSoftLimit(softMemory)
	if os.Getenv("GOTRACEBACK") == "" {
		debug.SetTraceback("crash") // what ends the program where it stands, as want of memory does, is a signal, and not exit 2, which means usage
	}
	p := newProgram()
	if stdio.Closed() {
		p.stdout = closed{}
	}
	p.guard = memory.NewGuard(ctx, mostMemory)
	os.Exit(p.run(ctx, os.Args[1:]))
}

// What the process may use, in bytes. Up to the first bound garbage is collected as it pleases the program, which is more often beyond it; a
// search raises it by what it remembers. At the second whatever is being judged is ended. That is below what the program is documented to
// take at most: what is under way goes on for a moment, and the runtime does not know of all.
const (
	softMemory = 192 << 20
	mostMemory = 416 << 20
)

// patience is how long a program that was interrupted may take to end by itself.
const patience = 900 * time.Millisecond

// garbagePercent is how much garbage there may be for what is in use: a stream keeps little, and most of what a trace is decoded into is
// soon garbage.
const garbagePercent = 400

func newProgram() *program {
	return &program{
		console: console{
			stdin: os.Stdin, stdout: os.Stdout, stderr: noCommands{os.Stderr},
			stdoutIsTerminal: isTerminal(os.Stdout), stderrIsTerminal: isTerminal(os.Stderr), getenv: os.Getenv,
		},
		limits: limits{grace: 500 * time.Millisecond},
		engines: engines{
			read: func(ctx context.Context, name string, r io.Reader) (*trace.Trace, error) {
				return trace.ReadContext(ctx, name, r, linearize.Kept)
			},
			scan: trace.Scan, follow: follow, check: linearize.Check, checkable: verdict.Checkable, prepareTlc: prepareTlc,
		},
	}
}

// closed is a standard output that was closed before the program began.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("standard output is closed") }

func follow(ctx context.Context, name string, r io.Reader, so *reading, options func(trace.Header) linearize.Options) (
	*verdict.Report, *trace.Trace, error) {
	in, err := trace.NewReader(name, r)
	if err != nil {
		return nil, &trace.Trace{Name: name}, err
	}
	defer in.Close()
	so.of(in.Events)
	return linearize.CheckReader(ctx, in, name, options(in.Header()))
}

// prepareTlc looks for Java and for TLC's jar, which is kept among the user's cached files.
func prepareTlc(ctx context.Context) (judge, error) {
	if err := tlc.CheckJava(); err != nil {
		return nil, fmt.Errorf("the engine tlc can't run: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("the engine tlc can't keep its jar: %w", err)
	}
	jar, err := tlc.FindJar(ctx, filepath.Join(cache, "ndkoracle"))
	if err != nil {
		return nil, fmt.Errorf("the engine tlc can't run: %w", err)
	}
	return tlcjudge.Judge{Runner: tlc.Runner{Jar: jar, Build: os.TempDir(), Heap: heapOfTLC}}.Check, nil
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
