package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/conformance"
	"ndkoracle/internal/commandline"
	"ndkoracle/internal/outfile"
)

// options are the flags of ndkrecord record.
type options struct {
	provider, device, scenario string
	seed                       uint64
	ops                        int
	output, peer, verbsTrace   string
	zstd, list                 bool
}

// How record is called, where it is named and where it is not.
const recordUse = "[--provider refimpl|verbs|exec:PROGRAM] --scenario NAME [flags] -o FILE"

// ofRecording are the details of record.
func ofRecording() commandline.Details {
	return commandline.Details{See: []commandline.Document{aboutRecording, aboutScenarios, aboutExec}, Exits: []commandline.Exit{
		{Code: "0", Meaning: "recorded"}, {Code: "1", Meaning: "the run failed or could not be recorded"}, {Code: "2", Meaning: "usage"},
		{Code: "3", Meaning: "skipped: the provider lacks what the scenario needs"}, {Code: "130", Meaning: "interrupted: the recording up to then is readable"},
	}}
}

// recordCommand runs a scenario on a provider and records the provider's boundary.
func (l *commandLine) recordCommand() *cobra.Command {
	o := options{}
	var c *cobra.Command
	c = l.command("record "+recordUse, "record a scenario on an NDK provider (the default command)",
		"record runs a scenario on an NDK provider and records the provider's calls, returns and callbacks.",
		"  ndkrecord --list\n  ndkrecord --scenario drain --seed 7 -o drain.ndktrace.jsonl.zst\n"+
			"  ndkrecord --provider verbs --device rxe0 --scenario mixed -o ndk.ndktrace.jsonl --verbs-trace verbs.ndktrace.jsonl\n"+
			"  ndkrecord record --provider \"exec:./provider\" --scenario arm-merge -o merge.ndktrace.jsonl",
		func(ctx context.Context, args []string) (int, error) {
			if !c.Flags().Changed("seed") {
				o.seed = uint64(rand.Uint32())
			}
			if err := o.check(args); err != nil {
				return exitUsage, commandline.UsageError("%w", err)
			}
			if err := o.distinct(); err != nil {
				return exitUsage, commandline.UsageError("%w", err)
			}
			if o.list {
				return ended(list(l.out))
			}
			return ended(record(ctx, o, l.stderr))
		})
	flags := c.Flags()
	flags.StringVar(&o.provider, "provider", "refimpl", "`NAME` of the provider: refimpl, verbs, or exec: and a provider program with its arguments")
	flags.StringVar(&o.device, "device", "", "`NAME` of the RDMA device for verbs; the first one if not given")
	flags.StringVar(&o.scenario, "scenario", "", "`NAME` of the scenario; --list shows them")
	flags.Uint64Var(&o.seed, "seed", 0, "`N` is the seed of all random choices; a new one if not given")
	flags.IntVar(&o.ops, "ops", 100, "`N` requests to post; rounds are completed, so a few more may be posted")
	outputFlag(flags, &o.output, "`FILE` to record into, - for standard output; compressed when it ends in .zst")
	flags.StringVar(&o.peer, "peer", "", "`FILE` to record the host that accepts connections into; -o then records the host that connects, for tracecheck --join")
	flags.StringVar(&o.verbsTrace, "verbs-trace", "", "`FILE` to record the calls of libibverbs beneath the provider into")
	flags.BoolVar(&o.zstd, "zstd", false, "compress the files, whatever their names")
	flags.BoolVar(&o.list, "list", false, "list the scenarios")
	commandline.Complete(c, "provider", "refimpl", "verbs", "exec:")
	commandline.Complete(c, "scenario", names()...)
	c.ValidArgsFunction = cobra.NoFileCompletions
	return l.Describe(c, ofRecording())
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
