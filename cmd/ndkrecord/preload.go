package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/internal/commandline"
)

// The files that make build puts beside ndkrecord where libibverbs' headers are.
const (
	preloadLibrary = "ndkrecord-preload.so"
	preloadWorker  = "ndkrecord-worker"
)

// grace is how long a program may take to end by itself after an interrupt: a terminal interrupts it as well.
const grace = 500 * time.Millisecond

// preloadOptions are the flags and the arguments of ndkrecord run.
type preloadOptions struct {
	output  string
	rest    time.Duration
	program []string
}

// recorded is a trace that the worker has ended.
type recorded struct {
	file            string
	events, dropped int64
	atRest          bool
	problem         syscall.Errno // why it could not be written; 0 where it was
}

// ofRun are the details of run.
var ofRun = commandline.Details{See: []commandline.Document{aboutPrograms}, Exits: []commandline.Exit{
	{Code: "0", Meaning: "recorded"}, {Code: "1", Meaning: "PROGRAM failed or could not be recorded"}, {Code: "2", Meaning: "usage"},
	{Code: "130", Meaning: "interrupted: the recording up to then is readable"},
}}

// runCommand records an unmodified program of libibverbs.
func (l *commandLine) runCommand() *cobra.Command {
	o := preloadOptions{}
	c := l.command("run -o FILE [--rest DURATION] -- PROGRAM [ARGUMENT...]", "record what a program does with libibverbs",
		"run records what PROGRAM, and each process that it starts, does with libibverbs. PROGRAM need not be changed. "+
			"The first process that opens an RDMA device is recorded into FILE, each other process into a file with its process number in the name.",
		"  ndkrecord run -o pingpong.ndktrace.ctf -- ibv_rc_pingpong -d rxe0 -g 1 server\n  ndkrecord run -o script.ndktrace.ctf --rest 0 -- bash script.sh",
		func(ctx context.Context, args []string) (int, error) {
			o.program = args
			if err := o.check(); err != nil {
				return exitUsage, commandline.UsageError("%w", err)
			}
			folder, err := beside()
			if err != nil {
				return ended(err)
			}
			return ended(runRecorded(ctx, o, folder, l.streams))
		})
	flags := c.Flags()
	outputFlag(flags, &o.output, "`FILE` to record into: a binary trace, usually NAME.ndktrace.ctf")
	flags.DurationVar(&o.rest, "rest", 300*time.Millisecond, "`DURATION` of silence after which the provider counts as at rest; 0 never waits, and the trace then has no moments of rest")
	return l.Describe(c, ofRun)
}

// check refuses what makes no sense together.
func (o *preloadOptions) check() error {
	switch {
	case o.output == "":
		return errors.New("-o is missing: the file to record into")
	case o.output == "-":
		return errors.New("-o -: standard output is PROGRAM's; name a file")
	case strings.HasSuffix(o.output, ".zst") || strings.HasSuffix(o.output, ".jsonl"):
		return fmt.Errorf("-o %s: the trace is binary and not compressed; name it NAME.ndktrace.ctf, and convert it afterwards (tracecheck convert)", o.output)
	case !isRest(o.rest):
		return fmt.Errorf("--rest %s: from 0 to 1m", o.rest)
	case len(o.program) == 0:
		return errors.New("PROGRAM is missing: the program to record, after --")
	}
	return nil
}

// beside returns the folder of this program, where its library and worker are.
func beside() (string, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	return filepath.Dir(program), err
}

func runRecorded(ctx context.Context, o preloadOptions, folder string, s streams) (failed error) {
	if runtime.GOOS != "linux" {
		return errors.New("run records programs of Linux only")
	}
	library, worker := filepath.Join(folder, preloadLibrary), filepath.Join(folder, preloadWorker)
	for _, file := range []string{library, worker} {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("%s is missing: make build puts it there where a C compiler and the headers of libibverbs are (make install)", file)
		}
	}
	program, err := exec.LookPath(o.program[0])
	if err != nil {
		return err
	}
	out, err := create(o.output, false, func() {})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, out.close()) }() // which removes it where nothing was recorded
	temporary, err := os.MkdirTemp("", "ndkrecord")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	w, err := startWorker(worker, filepath.Join(temporary, "socket"), o.output, s.stderr)
	if err != nil {
		return err
	}
	command := exec.Command(program, o.program[1:]...)
	command.Args[0] = o.program[0]
	command.Stdin, command.Stdout, command.Stderr = s.stdin, s.stdout, s.stderr
	command.Env = environment(os.Environ(), library, w.socket, o.rest)
	failure := runProgram(ctx, command)
	traces, err := w.finish(s.stderr)
	if info, err := os.Stat(o.output); err == nil && info.Size() > 0 || len(traces) > 0 {
		out.remove = ""
	}
	return errors.Join(failure, err, report(o, traces, s.stderr))
}

// environment returns the environment of the program. What it preloads itself comes behind the library, which stands before it.
func environment(env []string, library, socket string, rest time.Duration) []string {
	preload := library
	kept := env[:0:0]
	for _, e := range env {
		if own, found := strings.CutPrefix(e, "LD_PRELOAD="); found {
			if own != "" {
				preload += ":" + own
			}
			continue
		}
		if !strings.HasPrefix(e, "NDKRECORD_") {
			kept = append(kept, e)
		}
	}
	return append(kept, "LD_PRELOAD="+preload, "NDKRECORD_SOCKET="+socket, "NDKRECORD_REST_MS="+strconv.FormatInt(rest.Milliseconds(), 10))
}

// runProgram runs the program to its end. An interrupt ends it: by the terminal, which interrupts it as well, or else by SIGTERM.
func runProgram(ctx context.Context, command *exec.Cmd) error {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a signal that is ignored would be by the program as well
	err := command.Start()
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
			command.Process.Signal(syscall.SIGTERM)
			err = <-ended
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("%s: %w", command.Args[0], err)
	}
	return nil
}

// report says what was recorded, and returns what is wrong with it.
func report(o preloadOptions, traces []recorded, stderr io.Writer) error {
	var wrong []error
	for _, t := range traces {
		if t.problem != 0 {
			wrong = append(wrong, fmt.Errorf("%s: %w", t.file, t.problem))
			continue
		}
		note := ""
		if t.dropped > 0 {
			note += fmt.Sprintf(", %d dropped", t.dropped)
		}
		if !t.atRest {
			note += ", not at rest"
		}
		fmt.Fprintf(stderr, "ndkrecord: %s: %d events%s\n", t.file, t.events, note)
	}
	if len(traces) == 0 {
		wrong = append(wrong, fmt.Errorf("nothing was recorded: no process of %s opened an RDMA device through libibverbs.so.1 (or it was linked statically, or is setuid)", o.program[0]))
	}
	return errors.Join(wrong...)
}

// preloadServer is the running worker.
type preloadServer struct {
	command *exec.Cmd
	socket  string
	stdin   io.Closer
	lines   *bufio.Scanner
}

// startWorker starts the worker, and waits until programs can connect to it.
func startWorker(file, socket, output string, stderr io.Writer) (*preloadServer, error) {
	command := exec.Command(file, socket, output)
	command.Stderr = stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	w := &preloadServer{command: command, socket: socket, stdin: stdin, lines: bufio.NewScanner(stdout)}
	if !w.lines.Scan() || w.lines.Text() != "ready" {
		stdin.Close()
		return nil, errors.Join(fmt.Errorf("%s did not start", file), command.Wait())
	}
	return w, nil
}

// finish waits until no process is recorded any more, and returns the traces.
func (w *preloadServer) finish(stderr io.Writer) (traces []recorded, err error) {
	w.stdin.Close()
	defer time.AfterFunc(patience, func() {
		fmt.Fprintln(stderr, "ndkrecord: the program has ended; a process that it started is still being recorded (interrupt to leave it)")
	}).Stop()
	for w.lines.Scan() {
		var t recorded
		var rest, problem int
		fields := strings.SplitN(w.lines.Text(), " ", 5)
		if _, err := fmt.Sscan(w.lines.Text(), &t.events, &t.dropped, &rest, &problem); err != nil || len(fields) < 5 {
			return traces, fmt.Errorf("%s said %q", preloadWorker, w.lines.Text())
		}
		t.file, t.atRest, t.problem = fields[4], rest == 1, syscall.Errno(problem)
		traces = append(traces, t)
	}
	if err := w.command.Wait(); err != nil {
		return traces, fmt.Errorf("%s: %w: what it had not written is lost", preloadWorker, err)
	}
	return traces, nil
}
