package linearize

import (
	"slices"
	"testing"
)

// A rule that the streaming engine can't count is told as inconclusive, never as vacuous; what it counts is told as checked.
func TestStreamCoverageIsHonest(t *testing.T) {
	r := stream(script(t, "arm ANY; post 1; cb<; get 1; cb>; get; rest"), Options{})
	if r.Verdict != Conformant {
		t.Fatalf("%s: %+v", r.Verdict, r.Findings)
	}
	for _, id := range checkable {
		have := r.Rules[id].Coverage
		if slices.Contains(uncounted, id) && have == Vacuous {
			t.Errorf("%s is told as vacuous", id)
		}
	}
	for _, id := range []string{"ARM-01", "ARM-03", "POLL-03", "POLL-05", "DEF-04"} {
		if r.Rules[id].Coverage != Checked || r.Rules[id].Count == 0 {
			t.Errorf("%s: %+v, want checked", id, r.Rules[id])
		}
	}
}
