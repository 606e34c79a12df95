package conformance_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/execprovider"
	"ndkoracle/linearize/verdict"
)

// python is the provider in Python, as a program.
func python(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is missing: scripts/install.sh installs it")
	}
	return []string{"python3", filepath.Join("..", "examples", "exec-provider", "provider.py")}
}

// programmed is a provider that is a program, and ends with the test.
func programmed(t *testing.T, command []string) conformance.Provider {
	return conformance.Provider{Name: command[0], Open: func(seed uint64, _ func() bool) (conformance.Adapter, error) {
		a, err := execprovider.Open(context.Background(), execprovider.Options{Command: command, Stderr: os.Stderr, Failed: func(err error) { t.Error(err) }}, seed)
		if err == nil {
			t.Cleanup(a.Release)
		}
		return a, err
	}}
}

// A provider in another language keeps every rule that the judge checks, in every scenario.
func TestProgramIsConformant(t *testing.T) {
	p := programmed(t, python(t))
	for _, s := range conformance.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range uint64(2) {
				if r, err := recordAndJudge(t, p, s, seed); r.Verdict != verdict.Conformant || err != nil {
					t.Errorf("%s\n%v", describe(s, seed, r), err)
				}
			}
		})
	}
}

// Its bugs are found as those of the reference provider are, each by the rule that it breaks.
func TestSeededBugsOfAProgramAreFound(t *testing.T) {
	command := python(t)
	out, err := exec.CommandContext(t.Context(), command[0], append(slices.Clone(command[1:]), "--bugs")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	bugs := strings.Fields(string(out))
	if len(bugs) < 12 {
		t.Errorf("%d bugs: the example has more", len(bugs))
	}
	for _, bug := range bugs {
		t.Run(bug, func(t *testing.T) {
			t.Setenv("NDK_SEEDED_BUG", bug)
			s, ok := conformance.Find(conformance.Reveals[bug])
			if !ok || broken[bug] == "" {
				t.Fatalf("no scenario reveals %s", bug)
			}
			p := programmed(t, command)
			for seed := range uint64(within) {
				if breaks(judgeOf(t, p, s, seed), broken[bug]) {
					t.Logf("found at seed %d", seed)
					return
				}
			}
			t.Errorf("scenario %s: no violation of %s in %d seeds", s.Name, broken[bug], within)
		})
	}
}
