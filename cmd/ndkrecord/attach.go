package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/kernelrecord"
	"ndkoracle/internal/release"
	"ndkoracle/trace"
)

// attachOptions are the flags and the arguments of ndkrecord attach.
type attachOptions struct {
	kernelrecord.Options
	kernel   bool
	output   string
	duration time.Duration
	command  []string
}

// ofAttach are the details of attach.
var ofAttach = commandline.Details{See: []commandline.Document{aboutKernel}, Exits: []commandline.Exit{
	{Code: "0", Meaning: "recorded"}, {Code: "1", Meaning: "COMMAND failed or nothing could be recorded"}, {Code: "2", Meaning: "usage"},
	{Code: "130", Meaning: "interrupted before its end: the recording up to then is readable"},
}}

// attachCommand records kernel code.
func (l *commandLine) attachCommand() *cobra.Command {
	o := attachOptions{}
	c := l.command("attach --kernel -o FILE [--device NAME] [--rest DURATION] [--duration DURATION] [-- COMMAND [ARGUMENT...]]",
		"record what kernel code does with RDMA",
		"attach records what kernel code does with the verbs of an RDMA device: nvme-rdma, NFS over RDMA, RDS, SMB Direct. It needs root. "+
			"Recording ends with COMMAND, after DURATION, or at an interrupt. With neither DURATION nor COMMAND, the exit code after an interrupt is 0.",
		"  sudo ndkrecord attach --kernel -o nvme.ndktrace.jsonl.zst -- nvme connect -t rdma -a 192.0.2.1 -n store\n"+
			"  sudo ndkrecord attach --kernel -o nfs.ndktrace.jsonl --duration 30s",
		func(ctx context.Context, args []string) (int, error) {
			o.command = args
			if err := o.check(); err != nil {
				return exitUsage, commandline.UsageError("%w", err)
			}
			return ended(attach(ctx, o, l.streams))
		})
	flags := c.Flags()
	flags.BoolVar(&o.kernel, "kernel", false, "record the kernel's consumers; to record user programs, use ndkrecord run")
	outputFlag(flags, &o.output, "`FILE` to record into, usually NAME.ndktrace.jsonl; compressed when it ends in .zst")
	flags.StringVar(&o.Device, "device", "", "`NAME` of the RDMA device; not needed if there is only one")
	flags.DurationVar(&o.Rest, "rest", 700*time.Millisecond, "`DURATION` of silence that is recorded as rest, which is a guess; choose it longer than interrupt moderation and retries take; 0 records none")
	flags.DurationVar(&o.duration, "duration", 0, "`DURATION` after which recording ends")
	return l.Describe(c, ofAttach)
}

// check refuses what makes no sense together.
func (o *attachOptions) check() error {
	switch {
	case !o.kernel:
		return errors.New("--kernel is missing: attach records kernel code; ndkrecord run records a user program")
	case o.output == "":
		return errors.New("-o is missing: the file to record into")
	case o.output == "-" && len(o.command) > 0:
		return errors.New("-o -: standard output is COMMAND's; name a file")
	case strings.HasSuffix(o.output, ".ctf"):
		return fmt.Errorf("-o %s: the trace is JSON Lines; name it NAME.ndktrace.jsonl or NAME.ndktrace.jsonl.zst, and convert it afterwards (tracecheck convert)", o.output)
	case !isRest(o.Rest):
		return fmt.Errorf("--rest %s: from 0 to 1m", o.Rest)
	case o.duration < 0:
		return fmt.Errorf("--duration %s: a time that passes", o.duration)
	}
	return nil
}

// attach records kernel code until the command, the time or an interrupt ends it.
func attach(ctx context.Context, o attachOptions, s streams) (failed error) {
	if len(o.command) > 0 {
		program, err := exec.LookPath(o.command[0])
		if err != nil {
			return err
		}
		o.command[0] = program
	}
	recorder, err := kernelrecord.Open(o.Options)
	if err != nil {
		return err
	}
	defer recorder.Close()
	out, err := create(o.output, false, func() {})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, out.close()) }()
	h := recorder.Header()
	h.Producer.Version = release.Number
	writer, err := trace.NewWriter(out, h)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "ndkrecord: recording the kernel's use of %s\n", h.Adapter["device"])

	recording, end := context.WithCancelCause(ctx)
	defer end(nil)
	if o.duration > 0 {
		defer time.AfterFunc(o.duration, func() { end(kernelrecord.ErrEnded) }).Stop()
	}
	command := make(chan error, 1)
	if len(o.command) > 0 {
		go func() {
			c := exec.Command(o.command[0], o.command[1:]...)
			c.Stdin, c.Stdout, c.Stderr = s.stdin, s.stdout, s.stderr
			command <- runProgram(recording, c)
			end(kernelrecord.ErrEnded)
		}()
	} else {
		command <- nil
	}
	report, err := recorder.Run(recording, writer.Write)
	end(err)
	err = errors.Join(err, writer.Close(trace.End{Dropped: report.Dropped, Quiescent: report.AtRest}))
	if failure := <-command; failure != nil && !errors.Is(failure, kernelrecord.ErrEnded) && !errors.Is(failure, errInterrupted) {
		err = errors.Join(err, failure)
	}
	err = errors.Join(err, reportKernel(o, report, s.stderr))
	if context.Cause(ctx) != nil && (o.duration > 0 || len(o.command) > 0) {
		err = errors.Join(err, context.Cause(ctx))
	}
	return err
}

// reportKernel says what was recorded, and returns an error where it was nothing.
func reportKernel(o attachOptions, r kernelrecord.Report, stderr io.Writer) error {
	note := ""
	if r.Dropped > 0 {
		note += fmt.Sprintf(", %d dropped", r.Dropped)
	}
	if !r.AtRest {
		note += ", not at rest"
	}
	fmt.Fprintf(stderr, "ndkrecord: %s: %d events, %d completion queues, %d queue pairs%s\n", o.output, r.Events, r.Cqs, r.Qps, note)
	if r.Rests > 0 {
		fmt.Fprintf(stderr, "ndkrecord: rest is a guess: %s of silence (--rest)\n", o.Rest)
	}
	if r.OlderQps > 0 {
		fmt.Fprintf(stderr, "ndkrecord: %d queue pairs are left out: their completion queues were created before ndkrecord was attached\n", r.OlderQps)
	}
	if r.PartlyQps > 0 {
		fmt.Fprintf(stderr, "ndkrecord: %d queue pairs are left out and counted as dropped: one of their queues was created before ndkrecord was attached\n", r.PartlyQps)
	}
	for _, name := range r.Missing {
		fmt.Fprintf(stderr, "ndkrecord: the completion handler %s was not recorded: load its module before ndkrecord is attached\n", name)
	}
	if os.Getenv("NDKRECORD_STATISTICS") != "" {
		fmt.Fprintf(stderr, "ndkrecord: %d functions, %d calls passed by the first copy of a program, %d of them recorded by the second, %d duplicates, %d returns lost, %d completions of no known request\n",
			r.Attached, r.Missed, r.Rescued, r.Duplicates, r.LostReturns, r.Unidentified)
	}
	if r.Events == 0 {
		return errors.New("nothing was recorded: no kernel code created a completion queue meanwhile (what was created before is left out: attach first, then connect or mount)")
	}
	return nil
}
