package verdict

import (
	"slices"
	"testing"
)

// The verdict is that of the first finding: what may only follow from another one comes after all that the verdict rests on, the provider's too.
func TestFirstFindingHasTheVerdict(t *testing.T) {
	consumer := Finding{Verdict: ConsumerViolation, Rule: "POLL-01", Line: 3}
	follows := Finding{Verdict: ProviderViolation, Rule: "POLL-05", Line: 2, Follows: &Origin{Rule: "POLL-01", Line: 3}}
	open := Finding{Verdict: Inconclusive, Line: 1}
	r := &Report{Findings: []Finding{open, follows, consumer}}
	r.Settle()
	var order []Verdict
	for _, f := range r.Findings {
		order = append(order, f.Verdict)
	}
	if want := []Verdict{ConsumerViolation, ProviderViolation, Inconclusive}; !slices.Equal(order, want) || r.Verdict != ConsumerViolation {
		t.Errorf("%s by %v, want %v", r.Verdict, order, want)
	}
	if r.Describe() != "consumer violation of POLL-01" {
		t.Errorf("it is described as %s", r.Describe())
	}
}
