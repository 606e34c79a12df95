package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"ndkoracle/internal/memory"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
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
	stdin                              io.Reader
	stdout, stderr                     io.Writer
	stdoutIsTerminal, stderrIsTerminal bool
	getenv                             func(string) string
	grace                              time.Duration // how long an interrupted check may take to give up
	guard                              *memory.Guard // ends checks when there is no memory for them; nil where nobody looks
	alone                              sync.RWMutex  // locked by a check that has all of the memory

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
	schema     func() []byte
}

const usage = `tracecheck decides whether recorded traces of an NDK provider keep the rules of NDKPI.

  tracecheck [check] [flags] FILE|DIR|GLOB|- …   judge traces; - is standard input
  tracecheck --join [flags] FILE FILE            judge the traces of the two hosts of a connection together
  tracecheck explain RULE|READING …              what a rule such as ARM-04, or a reading such as A4, says
  tracecheck rules [--format text|markdown] [GROUP …]
                                                 list the rules
  tracecheck stats [--timeout 60s] FILE          count what a trace holds
  tracecheck verify-witness [--timeout 60s] WITNESS TRACE
                                                 replay a witness, which --witness wrote, with the model alone
  tracecheck convert --to jsonl|ctf [--timeout 60s] TRACE FILE
                                                 write a trace in another form: JSON Lines, or binary
  tracecheck convert --to tla [--timeout 60s] TRACE FOLDER
                                                 write a trace as the TLA+ modules by which TLC decides it
  tracecheck schema [--of jsonl|ctf]             print the JSON Schema of traces, or the metadata of binary ones
  tracecheck version

Exit: 0 conformant, 1 violation, 2 usage, 3 unreadable or malformed, 4 inconclusive, 5 internal error,
130 interrupted, by SIGTERM too. All traces are checked; the worst decides, in the order 5, 3, 1, 4, 0.

Flags of check:
`

// errUsage marks an error of the command line.
var errUsage = errors.New("usage")

func usageError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUsage}, args...)...)
}

// run carries out one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	out := bufio.NewWriter(p.stdout)
	code, err := p.recovered(ctx, out, args)
	if errors.Is(err, flag.ErrHelp) {
		code, err = exitConformant, nil
		p.help(out)
	}
	if flushErr := out.Flush(); flushErr != nil {
		fmt.Fprintf(p.stderr, "tracecheck: the output can't be written: %v\n", flushErr)
		return exitInternal
	}
	switch {
	case errors.Is(err, errUsage):
		message := strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
		fmt.Fprintf(p.stderr, "tracecheck: %s\nRun \"tracecheck help\" for the usage.\n", printable(message))
		return exitUsage
	case err != nil:
		fmt.Fprintf(p.stderr, "tracecheck: %s\n", printable(err.Error()))
	}
	return code
}

// recovered tells of a mistake in this program as of one.
func (p *program) recovered(ctx context.Context, out *bufio.Writer, args []string) (code int, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			code, err = exitInternal, fmt.Errorf("internal error: %v\n%s", problem, debug.Stack())
		}
	}()
	return p.dispatch(ctx, out, args)
}

func (p *program) dispatch(ctx context.Context, out *bufio.Writer, args []string) (int, error) {
	command := "check"
	if len(args) > 0 {
		switch args[0] {
		case "check", "explain", "rules", "stats", "verify-witness", "convert", "schema", "version", "help":
			command, args = args[0], args[1:]
		}
	}
	if command != "check" {
		var stop context.CancelFunc
		ctx, stop = p.guard.Watch(ctx)
		defer stop()
	}
	switch command {
	case "explain":
		return exitConformant, p.explain(out, args)
	case "rules":
		return exitConformant, p.listRules(out, args)
	case "stats":
		return p.stats(ctx, out, args)
	case "verify-witness":
		return p.verifyWitness(ctx, out, args)
	case "convert":
		return p.convert(ctx, out, args)
	case "schema":
		return p.printSchema(out, args)
	case "version":
		if len(args) > 0 {
			return exitUsage, usageError("version takes no argument")
		}
		fmt.Fprintf(out, "tracecheck %s, trace format 1, %d rules, %s\n", version(), len(rules.All()), runtime.Version())
		return exitConformant, nil
	case "help":
		p.help(out)
		return exitConformant, nil
	}
	return p.checkCommand(ctx, out, args)
}

func (p *program) printSchema(out io.Writer, args []string) (int, error) {
	of := "jsonl"
	set := flag.NewFlagSet("schema", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Var(oneOf(&of, "jsonl", "ctf"), "of", "the `form` of traces: jsonl, ctf")
	others, err := parse(set, args)
	switch {
	case err != nil:
		return exitUsage, err
	case len(others) > 0:
		return exitUsage, usageError("schema takes no argument")
	case of == "ctf":
		_, err = io.WriteString(out, trace.CtfMetadata())
	default:
		_, err = out.Write(p.schema())
	}
	return exitConformant, err
}

func (p *program) help(out io.Writer) {
	io.WriteString(out, usage)
	set, _ := checkFlags()
	set.SetOutput(out)
	set.PrintDefaults()
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	at := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if info.Main.Version == "(devel)" && at >= 0 {
		return "of commit " + info.Settings[at].Value
	}
	return info.Main.Version
}
