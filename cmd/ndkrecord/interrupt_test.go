package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ndkoracle/trace"
)

// asProgram is set in the environment of a test binary that is to be ndkrecord.
const asProgram = "NDK_NDKRECORD_ARGS"

// TestMain lets the tests run the program as a process of its own, with signals and pipes.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(asProgram); ok {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	os.Exit(m.Run())
}

// endless starts a recording that does not end by itself.
func endless(t *testing.T, stdout *os.File, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	args = append([]string{"--scenario", "mixed", "--seed", "1", "--ops", "1000000000"}, args...)
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), asProgram+"="+strings.Join(args, "\n"))
	command.Stderr = &stderr
	if stdout != nil {
		command.Stdout = stdout
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, &stderr
}

// An interrupt, or SIGTERM, ends a recording where it is: it says how far it came, exits with 130, and leaves what can be read and is not at rest.
func TestInterruptedProcess(t *testing.T) {
	for name, signal := range map[string]os.Signal{"plain.jsonl": syscall.SIGTERM, "packed.jsonl.zst": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name)
			command, stderr := endless(t, nil, "-o", file)
			for { // until something is written
				if info, err := os.Stat(file); err == nil && info.Size() > 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			command.Wait()
			if code := command.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted after ") ||
				!strings.Contains(stderr.String(), " of 1000000000 requests") {
				t.Errorf("%v, stderr %q", command.ProcessState, stderr)
			}
			recorded, err := trace.ReadFile(file, 0)
			if err != nil {
				t.Fatal(err)
			}
			if recorded.End == nil || recorded.End.Quiescent || recorded.End.Dropped > 0 || len(recorded.Events) == 0 {
				t.Errorf("%d events, and the end is %+v", len(recorded.Events), recorded.End)
			}
		})
	}
}

// Two hosts are told apart of what was recorded before the interrupt.
func TestInterruptedHosts(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errInterrupted) })
	first, second := filepath.Join(folder, "first.jsonl"), filepath.Join(folder, "second.jsonl.zst")
	var stdout, stderr bytes.Buffer
	args := []string{"--scenario", "mixed", "--seed", "1", "--ops", "1000000000", "-o", first, "--peer", second}
	if code := run(ctx, args, &stdout, &stderr); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted after ") {
		t.Errorf("exit code %d, %q", code, &stderr)
	}
	for _, file := range []string{first, second} {
		recorded, err := trace.ReadFile(file, 0)
		if err != nil {
			t.Fatal(err)
		}
		if recorded.End == nil || recorded.End.Quiescent {
			t.Errorf("%s: the end is %+v", file, recorded.End)
		}
	}
}

// A reader of the recording that goes away is an error of writing, which ends the run: not the death by a signal.
func TestClosedPipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	command, stderr := endless(t, write, "-o", "-")
	if _, err := bufio.NewReaderSize(read, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	command.Wait()
	if code := command.ProcessState.ExitCode(); code != exitFailure || !strings.Contains(stderr.String(), "broken pipe") {
		t.Errorf("%v, stderr %q", command.ProcessState, stderr)
	}
}
