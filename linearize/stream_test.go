package linearize

import (
	"context"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

func streaming(traced *trace.Trace, o Options) *verdict.Report {
	o.Engine = Streaming
	return Check(context.Background(), traced, o)
}

// The streaming engine finds what breaks a rule, in the same short traces as porcupine, by that rule or one that says the same.
func TestStreamFindsEachBug(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			r := streaming(script(t, test.text), Options{})
			if r.Verdict != verdict.ProviderViolation {
				t.Fatalf("verdict %s, want a provider violation of %s; %+v", r.Verdict, test.rule, r.Findings)
			}
			if f := r.Findings[0]; !equivalent(f, test.rule) {
				t.Errorf("rule %s (also %v), want %s: %s", f.Rule, f.Also, test.rule, f.Message)
			}
		})
	}
}

// The streaming engine accepts what the contract allows: the liberties of ARM-05, POLL-09, DEF-02 and others.
func TestStreamAcceptsWhatIsAllowed(t *testing.T) {
	for _, test := range kept {
		t.Run(test.name, func(t *testing.T) {
			if r := streaming(script(t, test.text), Options{}); r.Verdict != verdict.Conformant {
				t.Errorf("verdict %s: %+v", r.Verdict, r.Findings)
			}
		})
	}
}
