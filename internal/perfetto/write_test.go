package perfetto

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// python returns a Python that has Perfetto's schema. It is installed once, by pip, with pinned hashes.
func python(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../../build/perfetto-venv")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "bin", "python")
	if exec.Command(program, "-c", "import perfetto").Run() == nil {
		return program
	}
	for _, args := range [][]string{{"python3", "-m", "venv", "--clear", folder},
		{program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", "testdata/requirements.txt"}} {
		if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v (python3 and python3-venv are installed by make install, or make test)\n%s", strings.Join(args, " "), err, said)
		}
	}
	return program
}

// Perfetto's schema knows each field that is written. Slices are balanced, also where they overlap, and times do not run backwards. What never ended stays open: the arm of a
// lost callback, and a request without a completion.
func TestPerfettoReadsIt(t *testing.T) {
	program := python(t)
	for file, open := range map[string][]string{
		"accept/plain":                  {},
		"accept/merge-table":            nil, // whatever
		"reject/deferred-callback-lost": {"queues/cq1 armed: armed ANY"},
		"reject/callbacks-overlap":      {},
		"reject/flush-misses-last":      {"queues/qp1 receives: r2 NdkReceive"},
		"recorded/program-rc-pingpong":  nil,
	} {
		source, err := os.Open(filepath.Join("../../traces", file+".ndktrace.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		r, err := trace.NewReader(file, source)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var out bytes.Buffer
		if err := Convert(&out, r); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(program, "testdata/read.py")
		c.Stdin = &out
		said, err := c.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		if err != nil || lines[0] != "unknown fields: 0" {
			t.Errorf("%s: %v\n%s", file, err, said)
			continue
		}
		if want := "open: " + strings.Join(open, "\nopen: "); open != nil && strings.Join(lines[1:], "\n") != strings.TrimSuffix(want, "open: ") {
			t.Errorf("%s: it leaves\n%s\nwant\n%s", file, strings.Join(lines[1:], "\n"), want)
		}
	}
}
