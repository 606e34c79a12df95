package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A command line of run that makes no sense is refused before anything is done.
func TestRunUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"-o is missing", []string{"--", "true"}},
		{"standard output is PROGRAM's", []string{"-o", "-", "--", "true"}},
		{"the trace is binary and not compressed", []string{"-o", file + ".zst", "--", "true"}},
		{"the trace is binary and not compressed", []string{"-o", "a.ndktrace.jsonl", "--", "true"}},
		{"PROGRAM is missing", []string{"-o", file}},
		{"--rest 2m0s: from 0 to 1m", []string{"-o", file, "--rest", "2m", "--", "true"}},
		{"unknown flag --seed", []string{"--seed", "1", "-o", file, "--", "true"}},
	} {
		code, stdout, stderr := command(append([]string{"run"}, test.args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %q; want %d and %q", test.args, code, stderr, exitUsage, test.want)
		}
	}
	if code, stdout, _ := command("run", "--help"); code != exitSuccess || !strings.Contains(stdout, "Usage:\n  ndkrecord run -o FILE") || !strings.Contains(stdout, "--rest") {
		t.Errorf("the help: exit code %d, %q", code, stdout)
	}
}

// Without the library beside it, run says which file is missing and how it is made, and leaves no file.
func TestRunWithoutItsLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("run records programs of Linux only")
	}
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	code, _, stderr := command("run", "-o", file, "--", "true") // the test's own folder has none
	if code != exitFailure || !strings.Contains(stderr, preloadLibrary+" is missing: make build") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an empty file stays")
	}
}

// What the program preloads itself stays, behind the library; what an outer ndkrecord left does not.
func TestRunEnvironment(t *testing.T) {
	env := environment([]string{"A=1", "LD_PRELOAD=own.so", "NDKRECORD_SOCKET=old", "NDKRECORD_REST_MS=1"}, "/lib.so", "/s", 250*time.Millisecond)
	want := []string{"A=1", "LD_PRELOAD=/lib.so:own.so", "NDKRECORD_SOCKET=/s", "NDKRECORD_REST_MS=250"}
	if strings.Join(env, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", env, want)
	}
}
