package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// asProgram is set in the environment of a test binary that is to be tracecheck.
const asProgram = "NDK_TRACECHECK_ARGS"

// TestMain lets the tests run the program as a process of its own, with signals and pipes.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(asProgram); ok {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	os.Exit(m.Run())
}

func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), asProgram+"="+strings.Join(args, "\n"))
	return command
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode() // -1 where a signal ended it
	}
	t.Fatal(err)
	return 0
}

// A full disk is an error that names it, whatever is written: exit 5. The device stands for one.
func TestFullDisk(t *testing.T) {
	commands := [][]string{{"rules"}, {"rules", "--format", "markdown"}, {"explain", "ARM-04"}, {"schema"}, {"version"}, {"help"}, {"--version"}, {"stats", "--help"}, {"completion", "zsh"}, {"fix", plainTrace, "-"},
		{"stats", plainTrace}, {"--witness", "/dev/full", plainTrace}, {"--minimize", "/dev/full", brokenTrace},
		{"--format", "sarif=/dev/full", plainTrace}}
	for _, format := range formatNames {
		commands = append(commands, []string{"--format", format, plainTrace, brokenTrace})
	}
	for _, args := range commands {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		var stderr bytes.Buffer
		command := process(t, args...)
		command.Stdout, command.Stderr = full, &stderr
		if code := exitCode(t, command.Run()); code != exitInternal || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%q: exit %d, stderr %q", args, code, &stderr)
		}
	}
}

// A reader of the output that goes away is an error of writing: exit 5, not the death by a signal.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{
		{"rules"}, {"stats", plainTrace}, {"--format", "text", plainTrace}, {"--format", "json", plainTrace}, {"--format", "table", plainTrace},
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read.Close()
		var stderr bytes.Buffer
		command := process(t, args...)
		command.Stdout, command.Stderr = write, &stderr
		if code := exitCode(t, command.Run()); code != exitInternal || !strings.Contains(stderr.String(), "broken pipe") {
			t.Errorf("%q: exit %d, stderr %q", args, code, &stderr)
		}
		write.Close()
	}
}

// An interrupt ends the process with 130 and a word on how far it came: while standard input never ends, and while the output has no reader.
func TestInterruptedProcess(t *testing.T) {
	t.Run("reading", func(t *testing.T) {
		command := process(t, "--timeout", "1h", plainTrace, "-")
		silent, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		defer writer.Close()
		command.Stdin = silent
		interrupted(t, command, "interrupted in trace 2 of 2")
	})
	t.Run("writing", func(t *testing.T) {
		args := []string{}
		for range 100 { // more than a pipe holds
			args = append(args, brokenTrace)
		}
		interrupted(t, process(t, args...), "interrupted")
	})
}

// interrupted starts a program, interrupts it when it has said something, and reads no more of its output until it has ended.
func interrupted(t *testing.T, command *exec.Cmd, says string) {
	t.Helper()
	stdout, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	defer write.Close()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	command.Stdout, command.Stderr = write, stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(stdout, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	state, err := command.Process.Wait()
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(stderr.Name())
	if err != nil || state.ExitCode() != exitInterrupted || !strings.Contains(string(told), says) {
		t.Errorf("%v, stderr %q, %v", state, told, err)
	}
}

// The time limit holds for an engine that does not look at it, too, and for input that never comes.
func TestTimeLimitHolds(t *testing.T) {
	released := make(chan struct{})
	defer close(released)
	b := newBench(t)
	b.grace = time.Millisecond
	b.check = func(context.Context, *trace.Trace, linearize.Options) *verdict.Report {
		<-released
		return nil
	}
	name := files(t, "conformant")[0]
	if code := b.do("--timeout", "500ms", "--engine", "porcupine", name); code != exitInconclusive ||
		!strings.Contains(b.out.String(), "(3 events)") ||
		!strings.Contains(b.out.String(), "the time limit was reached after reading 3 of its events, and the engine did not end by itself") {
		t.Errorf("exit %d, %s", code, &b.out)
	}
	for _, engine := range []string{"auto", "stream", "porcupine"} {
		silent, writer := io.Pipe()
		p := newProgram()
		var out bytes.Buffer
		p.stdin, p.stdout, p.stderr = silent, &out, &out
		if code := p.run(t.Context(), []string{"--timeout", "10ms", "--engine", engine, "-"}); code != exitInconclusive ||
			!strings.Contains(out.String(), "(0 events)\n  -: inconclusive: the time limit was reached after reading 0 of its events") {
			t.Errorf("%s: exit %d, %s", engine, code, &out)
		}
		writer.Close()
	}
}

// The time limit ends the shrinking of a trace too, and that is said: the verdict stands, whatever the engine does.
func TestTimeLimitEndsShrinking(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small")
	for _, given := range []struct {
		grace  time.Duration
		waits  func(context.Context)
		engine string
	}{
		{time.Hour, func(ctx context.Context) { <-ctx.Done() }, "an engine that ends by itself"},
		{time.Millisecond, func(context.Context) { <-t.Context().Done() }, "an engine that does not"},
	} {
		p, asked := newProgram(), 0
		p.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
			if asked++; asked > 1 {
				given.waits(ctx)
			}
			return linearize.Check(context.WithoutCancel(ctx), t, o)
		}
		var out bytes.Buffer
		p.stdout, p.stderr, p.grace = &out, &out, given.grace
		code := p.run(t.Context(), []string{"--timeout", "3s", "--engine", "porcupine", "--minimize", small, brokenTrace})
		want := brokenTrace + " is not minimized: the time limit was reached"
		if code != exitViolation || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "provider violation") {
			t.Errorf("%s: exit %d, %s", given.engine, code, &out)
		}
	}
}

// An interrupt while a trace is shrunk does not drop the violation that was found, whatever the engine does.
func TestInterruptWhileShrinking(t *testing.T) {
	for _, grace := range []time.Duration{time.Hour, time.Millisecond} {
		ctx, interrupt := context.WithCancel(t.Context())
		p, asked := newProgram(), 0
		p.check = func(within context.Context, whole *trace.Trace, o linearize.Options) *verdict.Report {
			if asked++; asked > 1 {
				interrupt()
				if grace < time.Second {
					<-t.Context().Done()
				}
			}
			return linearize.Check(context.WithoutCancel(within), whole, o)
		}
		var out bytes.Buffer
		p.stdout, p.stderr, p.grace = &out, &out, grace
		code := p.run(ctx, []string{"--timeout", "1h", "--engine", "porcupine", "--minimize", filepath.Join(t.TempDir(), "small"), brokenTrace})
		for _, want := range []string{"interrupted in trace 1 of 1, " + brokenTrace + " after reading ", brokenTrace + ": provider violation",
			brokenTrace + " is not minimized: interrupted"} {
			if code != exitInterrupted || !strings.Contains(out.String(), want) {
				t.Errorf("%v: exit %d, want %q in %s", grace, code, want, &out)
			}
		}
	}
}

// An interrupt says how far the reading came of a trace of which nothing is kept, too, also where the engine does not end.
func TestInterruptTellsHowFar(t *testing.T) {
	for _, given := range []struct {
		engine string
		reads  int // of about 600 events each
		grace  time.Duration
	}{{"auto", 300, time.Hour}, {"stream", 30, time.Hour}, {"porcupine", 30, time.Hour}, {"stream", 30, time.Millisecond}} {
		ctx, interrupt := context.WithCancel(t.Context())
		p := newProgram()
		var out bytes.Buffer
		p.stdin, p.stdout, p.stderr, p.grace = &endless{at: given.reads, then: interrupt}, &out, &out, given.grace
		p.follow = func(ctx context.Context, name string, r io.Reader, so *reading, options func(trace.Header) linearize.Options) (
			*verdict.Report, *trace.Trace, error) {
			report, whole, err := follow(ctx, name, r, so, options)
			if given.grace < time.Second {
				<-t.Context().Done()
			}
			return report, whole, err
		}
		code := p.run(ctx, []string{"--engine", given.engine, "--timeout", "1h", "-"})
		if want := regexp.MustCompile(`, - after reading [1-9]\d* of its events; 0 checked`); code != exitInterrupted || !want.Match(out.Bytes()) {
			t.Errorf("%+v: exit %d, %s", given, code, &out)
		}
	}
}

// An interrupt ends what reads a trace for another purpose, too, and says how far it came.
func TestInterruptedCommands(t *testing.T) {
	for _, args := range [][]string{{"stats", "-"}, {"verify-witness", plainTrace, "-"}, {"verify-witness", "-", plainTrace}} {
		silent, writer := io.Pipe()
		ctx, interrupt := context.WithCancel(t.Context())
		p := newProgram()
		var out bytes.Buffer
		p.stdin, p.stdout, p.stderr = silent, &out, &out
		interrupt()
		if code := p.run(ctx, args); code != exitInterrupted || !strings.Contains(out.String(), "interrupted after 0 ") {
			t.Errorf("%q: exit %d, %s", args, code, &out)
		}
		writer.Close()
	}
}

// An interrupt while what is no trace is read is told as one, and is no mistake of the program.
func TestInterruptedInWhatIsNoTrace(t *testing.T) {
	for _, args := range [][]string{{"stats", "-"}, {"convert", "--to", "tla", "-", "/nowhere"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		b := newBench(t)
		b.read = func(context.Context, string, io.Reader) (*trace.Trace, error) {
			interrupt()
			return nil, &trace.Error{Line: 1, Reason: "no header"}
		}
		if code := b.run(ctx, args); code != exitInterrupted || !strings.Contains(b.errors.String(), "interrupted after 0 events of -") {
			t.Errorf("%q: exit %d, %s", args, code, &b.errors)
		}
	}
}

// verify-witness ends in its time, too, and says how far it came: the witness, or the trace, that never comes is waited for no longer. On a
// busy machine its time is over before it comes to that one.
func TestVerifyWitnessInTime(t *testing.T) {
	want := regexp.MustCompile(`the time limit was reached after \d+ (of the [1-9]\d* )?events of (-|` + regexp.QuoteMeta(plainTrace) + `)\n$`)
	for _, files := range [][]string{{plainTrace, "-"}, {"-", plainTrace}} {
		silent, writer := io.Pipe()
		p := newProgram()
		var out bytes.Buffer
		p.stdin, p.stdout, p.stderr = silent, &out, &out
		code := p.run(t.Context(), append([]string{"verify-witness", "--timeout", "20ms"}, files...))
		if code != exitInconclusive || !want.MatchString(out.String()) {
			t.Errorf("%q: exit %d, %s", files, code, &out)
		}
		writer.Close()
	}
}

// The same input gives the same bytes and the same files with any number of traces judged at a time.
func TestJobs(t *testing.T) {
	for _, format := range formatNames {
		var first string
		for _, jobs := range []string{"1", "7"} {
			folder := t.TempDir()
			code, out, errors := shipped(t, "--jobs", jobs, "--format", format, "--minimize", folder, "--witness", folder,
				"../../traces/accept", "../../traces/reject/[a-c]*", "../../traces/malformed/[a-k]*")
			all := strings.ReplaceAll(out+errors, folder, "FOLDER") + contents(t, folder)
			if first == "" {
				first = all
			}
			if code != exitMalformed || all != first {
				t.Errorf("%s, --jobs %s: exit %d, and the output differs", format, jobs, code)
			}
		}
	}
}

func contents(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all.WriteString(strings.TrimPrefix(name, folder))
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
