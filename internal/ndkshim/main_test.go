package ndkshim

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ndkoracle/internal/programs"
	"ndkoracle/trace"
)

const (
	root      = "../.."
	shim      = root + "/c"
	cprovider = root + "/internal/cprovider"
)

// depend reads what programs are built from.
func depend(t testing.TB) {
	t.Helper()
	programs.Depend(t, shim+"/ndk*", "testdata/*", cprovider+"/*", root+"/refimpl/*.go")
}

// compiled compiles a program in C of testdata.
func compiled(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	depend(t)
	to := filepath.Join(t.TempDir(), "program.exe")
	args := append([]string{"-std=gnu99", "-g", "-Wall", "-Wextra", "-Werror", "-I", shim, "-I", cprovider, "-o", to, "testdata/" + source}, flags...)
	programs.Run(t, exec.Command(programs.Path(t, compiler), args...))
	return to
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
