//go:build linux

// Linux counts resident memory in KiB.

package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// mostResident is what docs/tracecheck.md says that the command takes at most, in bytes.
const mostResident = 512 << 20

// answers are the exit codes of a command that was called rightly: conformant, violated, malformed, inconclusive.
var answers = []int{0, 1, 3, 4}

// largest are the kinds that take more than is documented when nothing bounds the process: 648 to 877 MiB, by auto and by stream.
var largest = []string{"queue pairs that all are connected", "creations that are pending"}

// No trace that a stranger sends has tracecheck take more memory than is documented, whatever the engine, or end as if it had been called in a
// wrong way, or break down (of no rule). Those of largest are as large as it hurts, the others a small part of that; NDK_MEMORY=all takes all as large
// as it hurts, by each engine, which is twenty minutes.
func TestMemory(t *testing.T) {
	all := os.Getenv("NDK_MEMORY") == "all"
	tracecheck := built(t)
	for _, kind := range Kinds() {
		t.Run(strings.ReplaceAll(kind.Name, " ", "-"), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "trace")
			file, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			size, engines := kind.Size, []string{"auto", "stream", "porcupine"}
			if !all && !slices.Contains(largest, kind.Name) {
				size, engines = max(1, size/128), engines[:1]
			}
			if err := kind.Write(file, size); err != nil {
				t.Fatal(err)
			}
			for _, engine := range engines {
				resident(t, tracecheck, "--timeout", "10s", "--engine", engine, "--quiet", name)
			}
			resident(t, tracecheck, "stats", "--timeout", "10s", name)
		})
	}
}

// built returns the path of tracecheck, built for a test.
func built(t *testing.T) string {
	t.Helper()
	tracecheck := filepath.Join(t.TempDir(), "tracecheck")
	if out, err := exec.Command("go", "build", "-o", tracecheck, "ndkoracle/cmd/tracecheck").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tracecheck
}

// together are kinds that take 100 to 877 MiB each when nothing bounds the process.
var together = []string{"queue pairs that all are connected", "creations that are pending", "completion queues without end", "queue pairs without end",
	"regions and their tokens", "objects of every other kind", "threads with a post each that never returns", "windows that are bound and never invalidated"}

// Eight traces that are judged at a time share the memory that the command may take.
func TestMemoryOfJobs(t *testing.T) {
	args := []string{"--jobs", fmt.Sprint(len(together)), "--timeout", "10s", "--engine", "stream", "--quiet"}
	for _, kind := range Kinds() {
		if !slices.Contains(together, kind.Name) {
			continue
		}
		name := filepath.Join(t.TempDir(), "trace")
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := kind.Write(file, kind.Size); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	if len(args) != 7+len(together) {
		t.Fatalf("a kind of %q is none: %q", together, args)
	}
	resident(t, built(t), args...)
}

// resident runs a command, and fails where it takes more memory than is documented, or ends as it must not.
func resident(t *testing.T, program string, args ...string) {
	t.Helper()
	command := exec.Command(program, args...)
	var told bytes.Buffer
	command.Stdout, command.Stderr = &limited{out: &told, room: 4 << 10}, &limited{out: &told, room: 4 << 10}
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	state := command.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%q: exit %d, %d MiB, %v", args, state.ExitCode(), peak>>20, state.UserTime()+state.SystemTime())
	if !slices.Contains(answers, state.ExitCode()) {
		t.Errorf("%q: exit %d\n%s", args, state.ExitCode(), &told)
	}
	if peak > mostResident {
		t.Errorf("%q: %d MiB, and at most %d MiB are documented", args, peak>>20, mostResident>>20)
	}
}

// limited keeps the beginning of what is written.
type limited struct {
	out  *bytes.Buffer
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	l.out.Write(p[:min(len(p), max(0, l.room-l.out.Len()))])
	return len(p), nil
}
