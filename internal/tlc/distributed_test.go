package tlc

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Server and workers find the same distinct states as one process, and what is broken they find broken (ARM-12: it is the
// consumer who sleeps).
func TestRunDistributed(t *testing.T) {
	r := runner(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tla)); err != nil {
		t.Fatal(err)
	}
	r.Dir = dir
	for name, want := range map[string]struct {
		verdict Verdict
		workers int // as many as surely register before all states have been looked at
	}{"use/ndkpi": {Pass, 2}, "use/arm-solicited-ndkpi": {Fail, 1}} {
		c := configuration(t, name)
		cfg, err := os.ReadFile(filepath.Join(dir, c.Cfg()))
		if err != nil {
			t.Fatal(err)
		}
		c.Name = strings.ReplaceAll(name, "/", "-")
		safety := strings.Replace(string(cfg), "Liveness", "Safety", 1)
		safety, _, _ = strings.Cut(safety, "PROPERTIES")
		if err := os.WriteFile(filepath.Join(dir, c.Cfg()), []byte(safety+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := r.RunDistributed(t.Context(), c, want.workers)
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != want.verdict || want.verdict == Pass && got.States != c.States {
			t.Errorf("%s: %s, %d states; want %s, %d: %q", name, got.Verdict, got.States, want.verdict, c.States, got.Errors)
		}
	}
}

// What the distributed mode can't do is said; what it can't start or finish ends, with its processes.
func TestRunDistributedErrors(t *testing.T) {
	r := runner(t)
	if _, err := r.RunDistributed(t.Context(), configuration(t, "use/ndkpi"), 2); err == nil || !strings.Contains(err.Error(), "from a folder") {
		t.Errorf("a configuration in a folder: %v", err)
	}
	c := configuration(t, "QP-ndkpi")
	c.Module = "MCNothing"
	if got, err := r.RunDistributed(t.Context(), c, 2); err != nil || got.Verdict != Error {
		t.Errorf("a module that is not there: %s, %v", got.Verdict, err)
	}
	for _, limit := range []time.Duration{1, time.Second} { // over before the server starts, and while it runs
		r.Timeout = limit
		want := "no answer within " + limit.String()
		if _, err := r.RunDistributed(t.Context(), configuration(t, "QP-ndkpi"), 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after its time limit: %v, want %q", err, want)
		}
	}
}

// A worker that registers while the server already takes leave of another is noticed: the server's error is none of the contract's.
func TestWorkerRegistersLate(t *testing.T) {
	registered, leave := fmt.Sprintf("%s%d:0\n", startMarker, msgWorkerRegistered), fmt.Sprintf("%s%d:0\n", startMarker, msgWorkerStatistics)
	for output, late := range map[string]bool{
		registered + registered + leave + leave: false,
		registered + leave + registered + leave: true,
	} {
		var pool workerPool
		if err := pool.follow(strings.NewReader(output), io.Discard, 2); err != nil || pool.late != late {
			t.Errorf("%q: late %t, %v; want %t", output, pool.late, err, late)
		}
	}
}
