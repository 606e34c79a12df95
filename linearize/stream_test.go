package linearize_test

import (
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// The streaming engine finds what breaks a rule, in the same short traces as porcupine, by that rule or one that says the same.
func TestStreamFindsEachBug(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			r := judging.Stream(notation.Script(t, test.text), linearize.Options{})
			if r.Verdict != verdict.ProviderViolation {
				t.Fatalf("verdict %s, want a provider violation of %s; %+v", r.Verdict, test.rule, r.Findings)
			}
			if f := r.Findings[0]; !judging.Equivalent(f, test.rule) {
				t.Errorf("rule %s (also %v), want %s: %s", f.Rule, f.Also, test.rule, f.Message)
			}
		})
	}
}

// The streaming engine accepts what the contract allows: the liberties of ARM-05, POLL-09, DEF-02 and others.
func TestStreamAcceptsWhatIsAllowed(t *testing.T) {
	for _, test := range kept {
		t.Run(test.name, func(t *testing.T) {
			if r := judging.Stream(notation.Script(t, test.text), linearize.Options{}); r.Verdict != verdict.Conformant {
				t.Errorf("verdict %s: %+v", r.Verdict, r.Findings)
			}
		})
	}
}
