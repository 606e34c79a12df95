package preload

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const root = "../.."

// parts are ndkrecord with its library and worker, the stand-in for libibverbs, and the programs that are recorded.
var parts = struct {
	once    sync.Once
	folder  string
	problem string
}{}

// TestMain builds the parts once, where they are needed, and removes them.
func TestMain(m *testing.M) {
	code := m.Run()
	if parts.folder != "" {
		os.RemoveAll(parts.folder)
	}
	os.Exit(code)
}

// built returns the folder of the parts. The tests are skipped where the headers of libibverbs are not: there is nothing to record then.
func built(t testing.TB) string {
	t.Helper()
	if exec.Command(root+"/scripts/has-verbs.sh").Run() != nil {
		t.Skip("no cgo, or no headers of libibverbs; make install installs them")
	}
	parts.once.Do(func() {
		folder, err := os.MkdirTemp("", "preload-test")
		if err != nil {
			parts.problem = err.Error()
			return
		}
		parts.folder = folder
		flags := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread"}
		for _, command := range [][]string{
			{"go", "build", "-o", folder + "/ndkrecord", "ndkoracle/cmd/ndkrecord"},
			{root + "/scripts/preload.sh", folder},
			append([]string{"gcc", "-fPIC", "-shared", "-Wl,-soname,libibverbs.so.1", "-Wl,--version-script=testdata/standin.map",
				"-o", folder + "/libibverbs.so.1", "testdata/standin.c"}, flags...),
			append([]string{"gcc", "-o", folder + "/program", "testdata/program.c", "-L" + folder, "-l:libibverbs.so.1", "-Wl,-rpath," + folder, "-ldl"}, flags...),
		} {
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				parts.problem = strings.Join(command, " ") + ": " + err.Error() + "\n" + string(out)
				return
			}
		}
	})
	if parts.problem != "" {
		t.Fatal(parts.problem)
	}
	return parts.folder
}

// ran is a run of ndkrecord that has ended.
type ran struct {
	code           int
	stdout, stderr string
	folder, file   string
}

// record runs ndkrecord run with the program, and waits for its end.
func record(t testing.TB, flags []string, program ...string) ran {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.ndktrace.ctf")
	parts := built(t)
	if program[0] == "program" {
		program = append([]string{parts + "/program"}, program[1:]...)
	}
	command := exec.Command(parts+"/ndkrecord", append(append(append([]string{"run", "-o", file}, flags...), "--"), program...)...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	command.Run()
	return ran{command.ProcessState.ExitCode(), out.String(), errs.String(), folder, file}
}

// quick finds rest after a time that is too short for a device, and enough for the stand-in.
var quick = []string{"--rest", "2ms"}

// read returns a trace, and fails where it has been left incomplete.
func read(t testing.TB, file string) *trace.Trace {
	t.Helper()
	whole, err := trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func whole(t testing.TB, r ran) *trace.Trace {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	recorded := read(t, r.file)
	if recorded.End == nil || recorded.End.Dropped > 0 || !recorded.End.Quiescent {
		t.Errorf("the end is %+v\n%s", recorded.End, r.stderr)
	}
	return recorded
}

func count(recorded *trace.Trace, fn string, ph trace.Phase) (n int) {
	for _, e := range recorded.Events {
		if e.Fn == fn && e.Ph == ph {
			n++
		}
	}
	return n
}

func conformant(t testing.TB, recorded *trace.Trace) {
	t.Helper()
	report := linearize.Check(context.Background(), recorded, linearize.Options{})
	if report.Verdict != verdict.Conformant {
		t.Errorf("%v\n%+v", report.Verdict, report.Findings)
	}
}
