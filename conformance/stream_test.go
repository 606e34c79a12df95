package conformance_test

import (
	"context"
	"testing"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// streamedOps is how many requests a recording posts that the streaming engine judges: far more than a search takes.
const streamedOps = 1500

// The streaming engine by itself finds that the reference provider keeps every rule that a scenario exercises, however long it is
// recorded. What an unreported overflow may have lost (ARM-16, ARM-17) is undecided.
func TestStreamAcceptsLongRecordings(t *testing.T) {
	for _, s := range conformance.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range uint64(2) {
				recorded, err := conformance.RecordTrace(t.Context(), s, conformance.Refimpl(), seed, streamedOps)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				r := linearize.Check(context.Background(), recorded, linearize.Options{Engine: linearize.Streaming})
				left := s.Name == "overflow" && r.Verdict == verdict.Inconclusive
				if r.Verdict != verdict.Conformant && !left {
					t.Error(describe(s, seed, r))
				}
			}
		})
	}
}
