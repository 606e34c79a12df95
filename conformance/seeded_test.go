//go:build seededbugs

package conformance_test

import (
	"slices"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/linearize/verdict"
	"ndkoracle/refimpl"
)

// within is the number of seeds that must be enough to find a bug.
const within = 200

// broken is the rule that each seeded bug breaks.
var broken = map[string]string{
	"error-not-solicited":       "ARM-11",
	"solicit-bit-ignored":       "ARM-10",
	"last-arm-wins":             "ARM-07",
	"merge-equality":            "ARM-07",
	"disarm-after-callback":     "ARM-09",
	"arm-takes-effect-at-get":   "ARM-09",
	"third-arm-breaks":          "ARM-07",
	"second-arm-dropped":        "ARM-07",
	"no-fire-at-arm":            "ARM-04",
	"fire-again-for-reported":   "ARM-21",
	"two-callbacks-one-arm":     "ARM-02",
	"callback-never-armed":      "ARM-01",
	"callbacks-overlap":         "ARM-06",
	"refused-post-no-doorbell":  "DEF-05",
	"refused-post-completes":    "DEF-03",
	"failure-swallowed":         "DEF-04",
	"duplicate-completion":      "POLL-04",
	"silent-failure-lost":       "FLAG-02",
	"flush-misses-last":         "FLUSH-02",
	"overflow-continues":        "ARM-17",
	"wrong-invalidated-token":   "RES-03",
	"token-survives-plain-poll": "POLL-07",
	"bad-token-accepted":        "INV-05",
	"callback-after-close":      "ARM-20",
	"swap-completions":          "POLL-09",
}

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

func breaks(r *verdict.Report, rule string) bool {
	return slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
		return f.Verdict == verdict.ProviderViolation && f.Rule == rule
	})
}
