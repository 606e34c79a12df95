//go:build unix

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// SIGTERM ends each command that reads, as an interrupt does.
func TestTerminatedCommands(t *testing.T) {
	for _, args := range [][]string{
		{"-"}, {"--join", plainTrace, "-"}, {"--engine", "porcupine", "-"}, {"--minimize", "/dev/null", "-"}, {"stats", "-"},
		{"verify-witness", "-", plainTrace}, {"verify-witness", plainTrace, "-"}, {"convert", "--to", "tla", "-", "/nowhere"}, {"fix", "-", "/dev/null"},
	} {
		command := process(t, args...)
		stdin, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		var stderr bytes.Buffer
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds has gone when the program reads. By then it has long been prepared for signals.
		if _, err := io.WriteString(stdin, "{"+strings.Repeat(" ", 80_000)); err != nil {
			t.Fatal(err)
		}
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := exitCode(t, command.Wait()); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%q: exit %d, stderr %q", args, code, &stderr)
		}
	}
}

// Opening a pipe without a writer is under the time limit, in each command, for each of its inputs (exit 4).
func TestPipeWithoutWriter(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "trace.ndktrace.jsonl")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{pipe}, {filepath.Dir(pipe)}, {"--engine", "stream", pipe}, {"--engine", "porcupine", pipe}, {"--join", plainTrace, pipe}, {"--jobs", "2", pipe, pipe},
		{"--minimize", "/dev/null", "--witness", "/dev/null", pipe}, {"stats", pipe}, {"verify-witness", pipe, plainTrace}, {"verify-witness", plainTrace, pipe},
		{"convert", "--to", "tla", pipe, "/nowhere"}, {"fix", pipe, "/dev/null"},
	} {
		args = append(args, "--timeout", "50ms")
		code, out, errors := shipped(t, args...)
		if code != exitInconclusive || !strings.Contains(out+errors, "the time limit was reached after") {
			t.Errorf("%q: exit %d, %s%s", args, code, out, errors)
		}
	}
}
