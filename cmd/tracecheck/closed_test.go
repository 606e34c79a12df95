//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// entryFlag is how make links tracecheck, so that it begins with a look at its standard output.
const entryFlag = "-ldflags=-E=ndkoracle/internal/stdio.entry"

// A standard output that is closed is an error of writing (exit 5) in each command and format that has something to say; /dev/null is not, however it
// was opened.
func TestClosedStandardOutput(t *testing.T) {
	if makefile, err := os.ReadFile("../../Makefile"); err != nil || !strings.Contains(string(makefile), entryFlag) {
		t.Fatalf("make does not link with %s (%v)", entryFlag, err)
	}
	program, witness := filepath.Join(t.TempDir(), "tracecheck"), filepath.Join(t.TempDir(), "witness")
	build := exec.Command("go", "build", entryFlag, "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shipped(t, "--witness", witness, plainTrace)
	commands := [][]string{{"rules"}, {"rules", "--format", "markdown"}, {"explain", "ARM-04"}, {"schema"}, {"version"}, {"help"}, {"stats", plainTrace},
		{"verify-witness", witness, plainTrace}, {"convert", "--to", "tla", plainTrace, filepath.Join(t.TempDir(), "modules")}, {"--join", plainTrace, brokenTrace}}
	for _, format := range formatNames {
		commands = append(commands, []string{"--format", format, brokenTrace})
	}
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, args := range commands {
		var stderr bytes.Buffer
		closed := exec.Command("sh", append([]string{"-c", `exec "$0" "$@" >&-`, program}, args...)...)
		closed.Stderr = &stderr
		if code := exitCode(t, closed.Run()); code != exitInternal || !strings.Contains(stderr.String(), "standard output is closed") {
			t.Errorf("%q: exit %d, stderr %q", args, code, &stderr)
		}
		dropped := exec.Command(program, args...)
		dropped.Stdout = null
		if code := exitCode(t, dropped.Run()); code != exitConformant && code != exitViolation {
			t.Errorf("%q: exit %d to /dev/null", args, code)
		}
	}
	quiet := exec.Command("sh", "-c", `exec "$0" --quiet "$1" >&-`, program, plainTrace)
	if code := exitCode(t, quiet.Run()); code != exitConformant {
		t.Errorf("exit %d where nothing is to be said", code)
	}
}
