package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/memory"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// The exit codes. Of several traces the worst decides, in the order of worst below.
const (
	exitConformant   = 0
	exitViolation    = 1
	exitUsage        = 2
	exitMalformed    = 3
	exitInconclusive = 4
	exitInternal     = 5
	exitInterrupted  = 130
)

// program is tracecheck with everything that it touches, so that tests can stand in for it.
type program struct {
	console
	limits
	engines
}

// console is where a program reads and writes.
type console struct {
	stdin                              io.Reader
	stdout, stderr                     io.Writer
	stdoutIsTerminal, stderrIsTerminal bool
	getenv                             func(string) string
	bytesRead                          atomic.Int64 // of inputs
}

// limits are what bounds a program in time and memory.
type limits struct {
	grace time.Duration // how long an interrupted check may take to give up
	guard *memory.Guard // ends checks when there is no memory for them; nil where memory is not watched
	alone sync.RWMutex  // locked by a check that has all of the memory
}

// engines are what reads traces and judges them.
type engines struct {
	// read returns what it has read so far when ctx ends it, with ctx's cause.
	read func(ctx context.Context, name string, r io.Reader) (*trace.Trace, error)
	// scan does that, and keeps no event: it hands each to take.
	scan func(ctx context.Context, name string, r io.Reader, take func(*trace.Event)) (*trace.Trace, error)
	// follow judges a trace while it is read, and lets so tell how far. It returns what it has read so far when ctx ends the reading,
	// with ctx's cause.
	follow func(ctx context.Context, name string, r io.Reader, so *reading, options func(trace.Header) linearize.Options) (
		*verdict.Report, *trace.Trace, error)
	check     func(context.Context, *trace.Trace, linearize.Options) *verdict.Report
	checkable func() []string
	// prepareTlc finds what the engine tlc needs. The error says what is missing.
	prepareTlc func(context.Context) (judge, error)
}

// run carries out one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	out := bufio.NewWriter(p.stdout)
	code, err := p.recovered(ctx, out, args)
	if flushErr := out.Flush(); flushErr != nil {
		fmt.Fprintf(p.stderr, "tracecheck: the output can't be written: %v\n", flushErr)
		return exitInternal
	}
	if err != nil {
		fmt.Fprint(p.stderr, printable(commandline.Complaint("tracecheck", err)))
	}
	return code
}

// recovered runs the program, and reports a panic as a mistake in this program.
func (p *program) recovered(ctx context.Context, out *bufio.Writer, args []string) (code int, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			code, err = exitInternal, fmt.Errorf("internal error: %v\n%s", problem, debug.Stack())
		}
	}()
	return p.line(out).Run(ctx, args)
}
