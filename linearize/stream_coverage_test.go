package linearize

import (
	"slices"
	"testing"

	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
)

// A rule that the streaming engine can't count is told as inconclusive, never as vacuous; what it counts is told as checked.
func TestStreamCoverageIsHonest(t *testing.T) {
	r := streaming(script(t, "arm ANY; post 1; cb<; get 1; cb>; get; rest"), Options{})
	if r.Verdict != verdict.Conformant {
		t.Fatalf("%s: %+v", r.Verdict, r.Findings)
	}
	for _, id := range verdict.Checkable() {
		have := r.Rules[id].Coverage
		if slices.Contains(stream.Uncounted(), id) && have == verdict.Vacuous {
			t.Errorf("%s is told as vacuous", id)
		}
	}
	for _, id := range []string{"ARM-01", "ARM-03", "POLL-03", "POLL-05", "DEF-04"} {
		if r.Rules[id].Coverage != verdict.Checked || r.Rules[id].Count == 0 {
			t.Errorf("%s: %+v, want checked", id, r.Rules[id])
		}
	}
}

// What arms exercise is counted where it is certain: ARM-04, ARM-05, ARM-08 to ARM-12, and of QPs that are not connected POST-08 and POST-09.
func TestStreamCountsWhatIsCertain(t *testing.T) {
	for id, text := range map[string]string{
		"ARM-04": "post 1; rest; arm ANY; cb<; get 1; cb>; rest",
		"ARM-05": "post 1; rest; arm ANY; cb<; cb>; arm ANY; get 1; rest",
		"ARM-08": "arm ERRORS; post 1; get 1; rest",
		"ARM-09": "arm ANY; post 1; cb<; get 1; cb>; rest",
		"ARM-10": "arm SOLICITED; recv 1; peer 7 S; cb<; get 1; cb>; peerget 7; rest",
		"ARM-11": "arm SOLICITED; post 1; cb<; get 1x; cb>; rest",
		"ARM-12": "arm SOLICITED; post 1; get 1; rest",
	} {
		r := streaming(script(t, text), Options{})
		if r.Verdict != verdict.Conformant || r.Rules[id].Coverage != verdict.Checked {
			t.Errorf("%s: %s, %+v; %+v", id, r.Verdict, r.Rules[id], r.Findings)
		}
	}
	for id, text := range map[string]string{
		"POST-08": "new qp3; a< NdkWrite qp3 w1; a> STATUS_CONNECTION_INVALID; rest",
		"POST-09": "new qp3; NdkReceive qp3 r1; rest",
	} {
		if r := streaming(overlapped(t, text), Options{}); r.Verdict != verdict.Conformant || r.Rules[id].Coverage != verdict.Checked {
			t.Errorf("%s: %s, %+v; %+v", id, r.Verdict, r.Rules[id], r.Findings)
		}
	}
}
