package documents

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test of docs/go-provider.md passes on a good provider from another module, and names the bug of a bad one, whose trace it keeps.
func TestGoProvider(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "provider_test.go"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "go-provider", name))
		text = []byte(strings.ReplaceAll(string(text), "=> ../..", "=> "+root))
		if err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env ...string) (string, error) {
		test := exec.Command("go", "test", "-count=1", "./...")
		test.Dir, test.Env = folder, append(os.Environ(), env...)
		out, err := test.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	out, err := run("LOSE_NOTIFICATIONS=1")
	if err == nil || !strings.Contains(out, "ARM-09: the provider was at rest") {
		t.Errorf("%v: %s", err, out)
	}
	if kept, err := filepath.Glob(filepath.Join(folder, "*.ndktrace.jsonl")); err != nil || len(kept) == 0 {
		t.Errorf("no trace is kept (%v)", err)
	}
}
