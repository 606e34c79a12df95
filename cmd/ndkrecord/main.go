// Command ndkrecord runs a scenario on an NDK provider and records what happens at the provider's boundary; or, as ndkrecord run,
// what an unmodified program does with libibverbs; or, as ndkrecord attach, what kernel code does with its verbs. tracecheck judges the recording. ndkrecord guest
// runs a program, recorded or not, where there is no RDMA device.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/internal/commandline"
)

// Exit codes.
const (
	exitSuccess     = 0
	exitFailure     = 1
	exitUsage       = commandline.ExitUsage
	exitUnsupported = 3
	exitInterrupted = 130
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader of the recording that goes away is an error of writing, and told as one
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		<-interrupted
		signal.Reset(os.Interrupt, syscall.SIGTERM) // a second interrupt ends the program at once
		cancel(errInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// patience is how long a program that was interrupted may take to end its recording.
const patience = 900 * time.Millisecond

// The reasons why a run is stopped before its end.
var (
	errInterrupted = errors.New("interrupted")
	errUnwritten   = errors.New("stopped")
)

// ended returns the exit code of a recording that ended so, with its error.
func ended(err error) (int, error) {
	switch {
	case err == nil:
		return exitSuccess, nil
	case errors.Is(err, errInterrupted):
		return exitInterrupted, err
	case errors.Is(err, conformance.ErrUnsupported):
		return exitUnsupported, err
	}
	return exitFailure, err
}

// isRest reports whether a time of silence may be taken for rest.
func isRest(silence time.Duration) bool { return silence >= 0 && silence <= time.Minute }

// run carries out one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	l := newCommandLine(streams{os.Stdin, stdout, stderr}, out)
	code, err := l.Run(ctx, args)
	if err != nil {
		if !commandline.IsUsage(err) {
			err = errors.New(explain(err))
		}
		fmt.Fprint(stderr, commandline.Complaint("ndkrecord", err))
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintf(stderr, "ndkrecord: the output can't be written: %s\n", explain(err))
		return exitFailure
	}
	return code
}

// explain adds what helps where the system's own words do not.
func explain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	switch {
	case errors.Is(err, syscall.ENOSPC):
		text += " (free some space, or write elsewhere with -o)"
	case errors.Is(err, os.ErrPermission):
		text += " (choose another file with -o, or run as a user who may use it)"
	}
	return text
}
