package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/release"
)

const about = `ndkrecord records the calls, returns and callbacks of an RDMA provider. tracecheck judges the recording.

record runs a scenario on an NDK provider. run records a program that uses libibverbs, attach records kernel code, and guest runs a program in a virtual machine with Soft-RoCE. A first argument that is not a command is a flag of record.`

var (
	aboutRecording = commandline.Document{File: "recording.md", About: "recording on Linux"}
	aboutKernel    = commandline.Document{File: "recording.md#kernel-code", About: "recording kernel code"}
	aboutPrograms  = commandline.Document{File: "recording.md#programs", About: "recording a program"}
	aboutScenarios = commandline.Document{File: "recording.md#scenarios", About: "scenarios"}
	aboutExec      = commandline.Document{File: "exec-provider.md", About: "a provider that is a program"}
)

// streams are the standard streams, which a recorded program gets as they are.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// commandLine is one command line. What ndkrecord itself prints goes to out.
type commandLine struct {
	streams
	*commandline.Line
	out *bufio.Writer
}

// newCommandLine returns the command line, with all commands.
func newCommandLine(s streams, out *bufio.Writer) *commandLine {
	l := &commandLine{streams: s, out: out, Line: commandline.New(commandline.Program{
		Use: "ndkrecord [record] " + recordUse, Short: "record the calls and callbacks of an RDMA provider", Long: about,
		Example: "  ndkrecord --scenario drain -o drain.ndktrace.jsonl\n  ndkrecord run -o pingpong.ndktrace.ctf -- ibv_rc_pingpong -d rxe0 -g 1 server\n" +
			"  sudo ndkrecord attach --kernel -o nvme.ndktrace.jsonl.zst -- nvme connect -t rdma -a 192.0.2.1 -n store",
		Version: release.Version(), OneDash: true, Failure: exitFailure, Details: ofRecording(),
	}, out, s.stderr)}
	l.Add(l.recordCommand(), l.runCommand(), l.attachCommand(), l.guestCommand(), l.versionCommand())
	return l
}

// command returns a command whose flags end at the first argument that is not one: a program to run has flags of its own.
func (l *commandLine) command(use, short, long, example string, do commandline.Work) *cobra.Command {
	c := l.Command(use, short, long, example, do)
	c.DisableFlagsInUseLine = true
	c.Flags().SetInterspersed(false)
	return c
}

// outputFlag adds -o.
func outputFlag(flags *pflag.FlagSet, file *string, usage string) {
	flags.StringVarP(file, "output", "o", "", usage)
}

func (l *commandLine) versionCommand() *cobra.Command {
	c := l.command("version", "print the version", "version prints the version of the program and of the trace format.", "  ndkrecord version",
		func(_ context.Context, args []string) (int, error) {
			if len(args) > 0 {
				return exitUsage, commandline.UsageError("version takes no argument")
			}
			fmt.Fprintf(l.out, "ndkrecord %s, trace format 1, %s\n", release.Version(), runtime.Version())
			return exitSuccess, nil
		})
	return l.Describe(c, commandline.Details{See: []commandline.Document{aboutRecording},
		Exits: []commandline.Exit{{Code: "0", Meaning: "printed"}, {Code: "1", Meaning: "the output could not be written"}, {Code: "2", Meaning: "usage"}}})
}
