// Command tracecheck decides whether recorded traces of an NDK provider keep the rules of NDKPI.
//
// docs/tracecheck.md describes its verdicts, exit codes and output.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/trace"
)

//go:generate sh -c "go run . rules --format markdown >../../docs/rules.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(newProgram().run(ctx, os.Args[1:]))
}

func newProgram() *program {
	return &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		stdoutIsTerminal: isTerminal(os.Stdout), stderrIsTerminal: isTerminal(os.Stderr),
		getenv: os.Getenv, grace: 500 * time.Millisecond,
		read: func(ctx context.Context, name string, r io.Reader) (*trace.Trace, error) {
			return trace.ReadContext(ctx, name, r, linearize.MaxEvents)
		},
		check: linearize.Check, checkable: linearize.Checkable, schema: trace.Schema,
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
