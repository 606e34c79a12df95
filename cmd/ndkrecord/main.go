// Command ndkrecord runs a scenario on an NDK provider and records what happens at the provider's boundary; or, as ndkrecord run,
// what an unmodified program does with libibverbs; or, as ndkrecord attach, what kernel code does with its verbs. tracecheck judges the recording. ndkrecord guest
// runs a program, recorded or not, where there is no RDMA device.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/internal/outfile"
)

// Exit codes.
const (
	exitSuccess     = 0
	exitFailure     = 1
	exitUsage       = 2
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

// exitOf says how the recording of a program, or of the kernel, ended, and returns the exit code.
func exitOf(err error, stderr io.Writer) int {
	if err == nil {
		return exitSuccess
	}
	fmt.Fprintf(stderr, "ndkrecord: %s\n", explain(err))
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	return exitFailure
}

// exitOfParsing says what is wrong with a command line, unless it asks for help, and returns the exit code.
func exitOfParsing(err error, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitSuccess
	}
	fmt.Fprintf(stderr, "ndkrecord: %v\n", err)
	return exitUsage
}

// isRest reports whether a time of silence may be taken for rest.
func isRest(silence time.Duration) bool { return silence >= 0 && silence <= time.Minute }

// options are the command line.
type options struct {
	provider, device, scenario string
	seed                       uint64
	ops                        int
	output, peer, verbsTrace   string
	zstd, list                 bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "run" {
		return recordProcess(ctx, args[1:], os.Stdin, stdout, stderr)
	}
	if len(args) > 0 && args[0] == "attach" {
		return recordKernel(ctx, args[1:], os.Stdin, stdout, stderr)
	}
	if len(args) > 0 && args[0] == "guest" {
		return runGuest(ctx, args[1:], os.Stdin, stdout, stderr)
	}
	o, err := parse(args, stderr)
	if err == nil {
		err = o.distinct()
	}
	if err != nil {
		return exitOfParsing(err, stderr)
	}
	if o.list {
		err = list(stdout)
	} else {
		err = record(ctx, o, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "ndkrecord: %s\n", explain(err))
		switch {
		case errors.Is(err, errInterrupted):
			return exitInterrupted
		case errors.Is(err, conformance.ErrUnsupported):
			return exitUnsupported
		}
		return exitFailure
	}
	return exitSuccess
}

const (
	usage = "usage: ndkrecord [--provider refimpl|verbs|exec:PROGRAM] --scenario NAME [flags] -o FILE\n"
	exits = `ndkrecord run records a program of libibverbs: ndkrecord run --help
ndkrecord attach records kernel code: ndkrecord attach --help
ndkrecord guest runs a program in a virtual machine with Soft-RoCE: ndkrecord guest --help
Exit: 0 recorded, 1 the run failed or could not be recorded, 2 usage, 3 skipped: the provider lacks what the scenario needs, 130 interrupted: what was recorded by then can be read.`
)

// parseFlags parses the flags of a command. Where its arguments ask for help it writes that, and returns flag.ErrHelp.
func parseFlags(set *flag.FlagSet, args []string, usage, exits string, stderr io.Writer) error {
	err := set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		set.SetOutput(stderr)
		fmt.Fprint(stderr, usage)
		set.PrintDefaults()
		fmt.Fprintln(stderr, exits)
	}
	return err
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	set := flag.NewFlagSet("ndkrecord", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.provider, "provider", "refimpl", "`NAME` of the provider: refimpl, verbs, or exec: and a program that is one, with its arguments")
	set.StringVar(&o.device, "device", "", "`NAME` of the RDMA device for verbs; the first one if not given")
	set.StringVar(&o.scenario, "scenario", "", "`NAME` of the scenario; --list tells them")
	set.Uint64Var(&o.seed, "seed", 0, "`N` that all choices are drawn from; a new one if not given")
	set.IntVar(&o.ops, "ops", 100, "`N` requests to post, in whole rounds: a few more may be")
	set.StringVar(&o.output, "o", "", "`FILE` to record into, - for standard output; compressed when it ends in .zst")
	set.StringVar(&o.peer, "peer", "", "`FILE` to record the host that accepts connections into; -o has the one that connects then, for tracecheck --join")
	set.StringVar(&o.verbsTrace, "verbs-trace", "", "`FILE` to record the calls of libibverbs beneath into")
	set.BoolVar(&o.zstd, "zstd", false, "compress whatever the files' names are")
	set.BoolVar(&o.list, "list", false, "list the scenarios")
	if err := parseFlags(set, args, usage, exits, stderr); err != nil {
		return o, err
	}
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["seed"] {
		o.seed = uint64(rand.Uint32())
	}
	return o, o.check(set.Args())
}

// check refuses what makes no sense together. It does not look at the machine.
func (o options) check(rest []string) error {
	_, known := conformance.Find(o.scenario)
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag, and nothing else is expected", rest[0])
	case o.list:
		return nil
	case o.program() != nil && len(o.program()) == 0:
		return errors.New("--provider exec: and no program: the provider is a program, such as exec:./provider")
	case o.program() == nil && o.provider != "refimpl" && o.provider != "verbs":
		return fmt.Errorf("--provider %s: there are refimpl, verbs, and exec: with a program", o.provider)
	case o.scenario == "":
		return errors.New("--scenario is missing: --list tells which there are")
	case !known:
		return fmt.Errorf("--scenario %s: no such scenario; there are %s", o.scenario, strings.Join(names(), ", "))
	case o.ops < 1:
		return fmt.Errorf("--ops %d: at least 1 request is needed", o.ops)
	case o.output == "":
		return errors.New("-o is missing: the file to record into")
	case o.provider != "verbs" && o.device != "":
		return errors.New("--device is for --provider verbs")
	case o.provider != "verbs" && o.verbsTrace != "":
		return errors.New("--verbs-trace is for --provider verbs")
	case o.peer != "" && o.verbsTrace != "":
		return errors.New("--peer and --verbs-trace can't be asked for together")
	case o.output == "-" && (o.peer == "-" || o.verbsTrace == "-"):
		return errors.New("only one trace can be recorded to standard output")
	}
	return nil
}

// distinct refuses to record into one file twice, whatever it is called.
func (o options) distinct() error {
	taken := &outfile.Taken{}
	for _, output := range []struct{ flag, file string }{{"-o", o.output}, {"--peer", o.peer}, {"--verbs-trace", o.verbsTrace}} {
		var err error
		switch output.file {
		case "":
		case "-":
			err = taken.WriteStream(output.flag, os.Stdout)
		default:
			err = taken.Write(output.flag, output.file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func names() (names []string) {
	for _, s := range conformance.Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

func list(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range conformance.Scenarios() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.Doc, strings.Join(s.Rules, " "))
	}
	return table.Flush()
}

// record opens its files, and says how the run can be repeated before it begins, for a run that does not end.
func record(ctx context.Context, o options, stderr io.Writer) (failed error) {
	if o.peer == "" { // where there are two hosts the whole run has to be divided first
		ended := make(chan struct{})
		defer close(ended)
		context.AfterFunc(ctx, func() { giveUp(ended, stderr) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unwritten := func() { cancel(errUnwritten) }
	s, _ := conformance.Find(o.scenario)
	out, err := create(o.output, o.zstd, unwritten)
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, out.close()) }()
	write := func(p conformance.Provider) error { return conformance.Record(ctx, s, p, o.seed, o.ops, out) }
	if o.peer != "" {
		peer, err := create(o.peer, o.zstd, unwritten)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, peer.close()) }()
		write = func(p conformance.Provider) error {
			return conformance.RecordHosts(ctx, s, p, o.seed, o.ops, out, peer)
		}
	}
	var beneath *output
	if o.verbsTrace != "" {
		if beneath, err = create(o.verbsTrace, o.zstd, unwritten); err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, beneath.close()) }()
	}
	fmt.Fprintf(stderr, "ndkrecord: %s on %s, seed %d, %d requests\n", s.Name, o.provider, o.seed, o.ops)
	switch {
	case o.provider == "refimpl":
		return write(conformance.Refimpl())
	case o.provider == "verbs":
		return recordVerbs(o, s, write, beneath)
	}
	return recordProgram(o.program(), write, cancel, stderr)
}

// giveUp ends the program where an interrupted recording does not end by itself.
func giveUp(ended <-chan struct{}, stderr io.Writer) {
	select {
	case <-ended:
	case <-time.After(patience):
		fmt.Fprintln(stderr, "ndkrecord: interrupted while the recording was not taken: it is cut off")
		os.Exit(exitInterrupted)
	}
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
