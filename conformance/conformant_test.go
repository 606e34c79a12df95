//go:build !seededbugs

package conformance_test

import (
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
