//go:build !seededbugs

package conformance_test

import (
	"strings"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/linearize/verdict"
)

// The reference provider keeps every rule that the judge checks, in every scenario, whatever choice its seed makes where
// the contract leaves one.
func TestReferenceProviderIsConformant(t *testing.T) {
	for _, s := range conformance.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds(t) {
				if r := judge(t, s, seed); r.Verdict != verdict.Conformant {
					t.Error(describe(s, seed, r))
				}
			}
		})
	}
}

// The same where each of the two hosts of a connection has a trace of its own, and both are judged together.
func TestReferenceProviderIsConformantOnTwoHosts(t *testing.T) {
	for _, s := range conformance.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			apart := 0 // traces in which something was joined
			for seed := range seeds(t) {
				reports := judgeHosts(t, s, seed)
				if reports[0].Verdict == verdict.Inconclusive && strings.Contains(reports[0].Findings[0].Message, "nothing to join") {
					continue // all QPs of this seed share their CQs with their peers
				}
				apart++
				for _, r := range reports {
					if r.Verdict != verdict.Conformant {
						t.Error(describe(s, seed, r))
					}
				}
			}
			if apart == 0 {
				t.Error("no seed has its QPs on two hosts")
			}
		})
	}
}
