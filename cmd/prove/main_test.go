package main

import (
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/mutate"
	"ndkoracle/internal/prove"
	"ndkoracle/internal/tlc"
)

func parse(t *testing.T, args ...string) options {
	t.Helper()
	o, err := parseOptions(append([]string{"-tla", filepath.Join("..", "..", "tla"), "-build", filepath.Join("..", "..", "build", "tlc")}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOptionErrors(t *testing.T) {
	for arg, want := range map[string]string{"claim": "selected with -run", "-run=(": "-run", "-timeout=x": "timeout", "-timeout=0s": "a millisecond at least"} {
		if _, err := parseOptions([]string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", arg, err, want)
		}
	}
	if _, err := parseOptions([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v", err)
	}
	if _, err := run(t.Context(), parse(t, "-run", "^no such claim$")); err == nil || !strings.Contains(err.Error(), "no claim") {
		t.Errorf("got %v", err)
	}
}

// A claim that is as it says makes no claim bad, and neither does a comparison with TLC, with ones that must fail (ARM-07, INV-05).
func TestRun(t *testing.T) {
	for _, args := range [][]string{{"-run", "^CQ-ndspi-reading-A24-1$"}, {"-graph", "-run", "^(CQ-ndspi-reading-A24-1|Ndk-token-dies|wrong/last-arm-wins|wrong/token-outlives|wrong/flush-strands-last|wrong/resize-unanswered)$"}} {
		if bad, err := run(t.Context(), parse(t, args...)); bad != 0 || err != nil {
			t.Errorf("%q: %d, %v", args, bad, err)
		}
	}
}

// The auxiliary invariants of each claim are checked by TLC in some configuration; those that are not are told.
func TestAuxiliaries(t *testing.T) {
	o := parse(t)
	claims, err := prove.ReadManifest(filepath.Join(o.dir, "proof"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := tlc.ReadManifest(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	checker := &prove.Checker{Folder: o.dir}
	found, err := auxiliaries(checker, claims, manifest)
	if err != nil {
		t.Fatal(err)
	}
	for configuration, names := range map[string][]string{
		"QP-two-posts": {"FlushedWasAccepted", "NumbersRise"}, "QP-verbs": {"RefusalLeavesNoneDeferred"},
		"CQ-ndkpi-readings-one-must": {"OneIsOwed"}, "CQ-reading-A26-old": {"UncountedIsOld"},
	} {
		for _, name := range names {
			if !slices.ContainsFunc(found[configuration], func(list prove.Auxiliary) bool { return slices.Contains(list.Invariants, name) }) {
				t.Errorf("%s does not check %s", configuration, name)
			}
		}
	}
	large := slices.Clone(manifest)
	for i := range large {
		large[i].States = mostStates + 1
	}
	other := prove.Claim{Name: "Other", Kind: prove.Ranking, Verdict: prove.Proved, Modules: []string{"M"}, Over: "proof/CQ", Constants: "INVARIANT Other"}
	for want, f := range map[string]func() (map[string][]prove.Auxiliary, error){
		"no configuration of TLC checks the auxiliary invariants of proof/CQ with Other, which Other supposes": func() (map[string][]prove.Auxiliary, error) {
			return auxiliaries(checker, append(claims, other), manifest)
		},
		"TLC has no such configuration of up to 60000 states": func() (map[string][]prove.Auxiliary, error) { return auxiliaries(checker, claims, large) },
		"to be checked in Ndk-tokens, and TLC has no such ":   func() (map[string][]prove.Auxiliary, error) { return auxiliaries(checker, claims, manifest[:1]) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Each edit that a claim covers is taken: of those that are the same for a reason, all but the ones of a shared receive queue.
func TestMutantsWithClaims(t *testing.T) {
	o := parse(t)
	claims, err := prove.ReadManifest(filepath.Join(o.dir, "proof"))
	if err != nil {
		t.Fatal(err)
	}
	edits, err := mutate.ReadEdits(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		of, err := claimsOn(&prove.Checker{Folder: o.dir}, claims, e)
		if err != nil {
			t.Fatal(err)
		}
		if want := e.Module != "SharedReceiveQueue"; !e.IsFound() && (len(of) > 0) != want {
			t.Errorf("%s, which is the same: %d claims", e, len(of))
		}
		if e.Module == "SharedReceiveQueue" && len(of) > 0 {
			t.Errorf("%s has the claim %s", e, of[0].Name)
		}
	}
}

// What comes of items is handed over in their order.
func TestEach(t *testing.T) {
	var got []int
	each([]int{5, 3, 8, 1}, func(n int) int { return 2 * n }, func(n, twice int) { got = append(got, n, twice) })
	if !slices.Equal(got, []int{5, 10, 3, 6, 8, 16, 1, 2}) {
		t.Errorf("got %v", got)
	}
}
