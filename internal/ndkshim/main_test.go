package ndkshim

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/trace"
)

const (
	root      = "../.."
	shim      = root + "/c"
	cprovider = root + "/internal/cprovider"
)

// program returns a program that the tests need.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed; make install, or make test, installs it", name)
	}
	return path
}

// depend reads what programs are built from: Go keeps the results of tests as long as the files that they read are the same.
func depend(t testing.TB) {
	t.Helper()
	for _, pattern := range []string{shim + "/ndk*", "testdata/*", cprovider + "/*", root + "/refimpl/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", pattern, len(files), err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// compiled compiles a program in C of testdata.
func compiled(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	depend(t)
	to := filepath.Join(t.TempDir(), "program.exe")
	args := append([]string{"-std=gnu99", "-g", "-Wall", "-Wextra", "-Werror", "-I", shim, "-I", cprovider, "-o", to, "testdata/" + source}, flags...)
	run(t, exec.Command(program(t, compiler), args...))
	return to
}

// run runs a command, which has to succeed, and returns what it says.
func run(t testing.TB, command *exec.Cmd) string {
	t.Helper()
	var said bytes.Buffer
	command.Stderr = &said
	command.WaitDelay = 100 * time.Millisecond // what Wine starts beside a program keeps these open for seconds
	out, err := command.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%q: %v\n%s%s", command.Args, err, out, said.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// read reads the trace that a program has written.
func read(t testing.TB, file string) *trace.Trace {
	t.Helper()
	whole, err := trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// sanitizers are the builds that every test of memory or threads is run with.
var sanitizers = []struct {
	name  string
	flags []string
}{
	{"plain", []string{"-O2"}},
	{"AddressSanitizer", []string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}},
	{"ThreadSanitizer", []string{"-O1", "-fsanitize=thread"}},
}

// with is the environment and one setting more.
func with(command *exec.Cmd, setting string) *exec.Cmd {
	command.Env = append(os.Environ(), setting)
	return command
}
