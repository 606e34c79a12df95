package prove

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/prove/smt"
)

// fake makes a solver of a script.
func fake(t *testing.T, script string) smt.Solver {
	t.Helper()
	path := filepath.Join(t.TempDir(), "z3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	solver := smt.Z3
	solver.Path = path
	return solver
}

// A solver that is missing, of another version, silent or undecided proves nothing, and a message says why.
func TestSolversThatDoNotAnswer(t *testing.T) {
	missing := smt.Z3
	missing.Path = filepath.Join(t.TempDir(), "nothing")
	for _, c := range []struct {
		solver smt.Solver
		want   string
	}{
		{missing, "z3 is missing"},
		{fake(t, "echo Z3 version 4.8.13 - 64 bit"), "z3 is of version 4.8.13, and the proofs are pinned to 4.8.12"},
		{fake(t, "echo hello"), "does not say a version"},
		{fake(t, "exit 3"), "exit status 3"},
	} {
		if err := c.solver.Check(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if err := fake(t, "exec sleep 60").Check(t.Context(), time.Millisecond); err == nil || !strings.Contains(err.Error(), "--version does not answer within 1ms") {
		t.Errorf("got %v", err)
	}
	p := load(t, counter, "INVARIANT Small")
	conditions, err := p.Conditions()
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"while true; do echo unsat; done": "z3 says unsat of 1 <= x, which has a model",
		"exec sleep 60":                   "z3 does not answer within 10ms",
		"exit 0":                          "z3",
		"echo '(error \"bad\")'; exec cat > /dev/null":      "in the place of an answer",
		"echo '(error \"canceled\")'; exec cat > /dev/null": "the time limit of 10ms is too short",
	} {
		if _, err := p.Solve(t.Context(), fake(t, script), 10*time.Millisecond, conditions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", script, err, want)
		}
	}
	unknown := fake(t, "echo sat; while true; do echo unknown; done")
	failures, err := p.Solve(t.Context(), unknown, 5*time.Second, conditions)
	if err != nil || len(failures) != len(conditions) {
		t.Errorf("%d of %d conditions are not proved, %v", len(failures), len(conditions), err)
	}
	claim := Claim{Name: "counter", Verdict: Proved, Paths: 3, Conditions: len(conditions), Dead: 0}
	complaints := claim.Complaints(Result{Paths: 3, Conditions: len(conditions), Failures: failures})
	if len(complaints) != len(conditions) || !strings.Contains(complaints[0], "is not decided") {
		t.Errorf("the complaints are %q", complaints)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Solve(ended, smt.Z3, time.Second, conditions); err == nil {
		t.Error("a run that was ended has proved something")
	}
}
