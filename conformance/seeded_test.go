//go:build seededbugs

package conformance_test

import (
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/refimpl"
)

// Each bug of the field, switched on in the reference provider, is found, and by the rule that it breaks. Where an earlier
// event of a recording shows another rule broken by it, the next seed is tried.
func TestSeededBugsAreFound(t *testing.T) {
	bugs := refimpl.Bugs()
	if len(bugs) == 0 {
		t.Fatal("this build has no seeded bugs")
	}
	for _, bug := range bugs {
		t.Run(bug, func(t *testing.T) {
			t.Setenv("NDK_SEEDED_BUG", bug)
			s, ok := conformance.Find(conformance.Reveals[bug])
			if !ok {
				t.Fatalf("no scenario reveals %s", bug)
			}
			for seed := range uint64(within) {
				if r := judge(t, s, seed); breaks(r, broken[bug]) {
					t.Logf("found at seed %d", seed)
					return
				}
			}
			t.Errorf("scenario %s: no violation of %s in %d seeds", s.Name, broken[bug], within)
		})
	}
}

// A bug that takes both ends of a connection to be seen is found, too, where each host has a trace of its own, and both are judged together
// (ARM-10, RES-03, POLL-07, INV-05).
func TestSeededBugsAreFoundOnTwoHosts(t *testing.T) {
	for bug, rule := range map[string]string{
		"solicit-bit-ignored":       "ARM-03", // the callback that ARM-10 makes due
		"wrong-invalidated-token":   "RES-03",
		"token-survives-plain-poll": "POLL-07",
		"bad-token-accepted":        "INV-05",
	} {
		t.Run(bug, func(t *testing.T) {
			t.Setenv("NDK_SEEDED_BUG", bug)
			s, _ := conformance.Find(conformance.Reveals[bug])
			for seed := range uint64(within) {
				if reports := judgeHosts(t, s, seed); breaks(reports[0], rule) || breaks(reports[1], rule) {
					t.Logf("found at seed %d", seed)
					return
				}
			}
			t.Errorf("scenario %s: no violation of %s in %d seeds", s.Name, rule, within)
		})
	}
}
