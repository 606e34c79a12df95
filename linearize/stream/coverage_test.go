package stream_test

import (
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// A rule that something may have exercised, and the streaming engine can't count, is told as inconclusive; one that nothing can
// have exercised as vacuous; what it counts as checked (ARM-04, ARM-05, ARM-07 to ARM-12, ARM-16, ARM-17).
func TestStreamCoverageIsHonest(t *testing.T) {
	for _, test := range []struct {
		text                        string
		checked, vacuous, undecided []string
	}{
		{"arm ANY; post 1; cb<; get 1; cb>; get; rest", []string{"ARM-01", "ARM-03", "POLL-03", "POLL-05", "DEF-04", "ARM-09"},
			[]string{"ARM-04", "ARM-05", "ARM-07", "ARM-08", "ARM-10", "ARM-11", "ARM-12", "ARM-16", "ARM-17"}, nil},
		{"arm SOLICITED; arm ANY; post 1; cb<; get 1; cb>; rest", []string{"ARM-07"}, []string{"ARM-04", "ARM-08"}, []string{"ARM-10", "ARM-12"}},
		{"arm ERRORS; post 1; get 1; arm ANY; post 2; cb<; get 2; cb>; rest", []string{"ARM-07"}, []string{"ARM-10"}, nil},
		{"arm ANY; post 1; arm ANY; cb<; get 1; cb>; rest", nil, []string{"ARM-16"}, []string{"ARM-07", "ARM-04", "ARM-05"}},
		{"arm ANY; post 1; cb<; get 1; cb>; arm ANY; rest", nil, []string{"ARM-07"}, nil},
	} {
		r := judging.Stream(notation.Script(t, test.text), linearize.Options{})
		for want, ids := range map[verdict.Coverage][]string{verdict.Checked: test.checked, verdict.Vacuous: test.vacuous, verdict.Undecided: test.undecided} {
			for _, id := range ids {
				if have := r.Rules[id]; r.Verdict != verdict.Conformant || have.Coverage != want || (have.Count > 0) != (want == verdict.Checked) {
					t.Errorf("%s: %s, %s is %+v, want %s: %+v", test.text, r.Verdict, id, have, want, r.Findings)
				}
			}
		}
	}
}

// What arms exercise is counted where it is certain: ARM-04, ARM-05, ARM-08 to ARM-12, and of QPs that are not connected
// POST-08 and POST-09.
func TestStreamCountsWhatIsCertain(t *testing.T) {
	for id, text := range map[string]string{
		"ARM-04": "write 1; rest; arm ANY; cb<; get 1; cb>; rest",
		"ARM-05": "write 1; rest; arm ANY; cb<; cb>; arm ANY; get 1; rest",
		"ARM-08": "arm ERRORS; post 1; get 1; rest",
		"ARM-09": "arm ANY; post 1; cb<; get 1; cb>; rest",
		"ARM-10": "arm SOLICITED; recv 1; peer 7 S; cb<; get 1; cb>; peerget 7; rest",
		"ARM-11": "arm SOLICITED; post 1; cb<; get 1x; cb>; rest",
		"ARM-12": "arm SOLICITED; post 1; get 1; rest",
	} {
		r := judging.Stream(notation.Script(t, text), linearize.Options{})
		if r.Verdict != verdict.Conformant || r.Rules[id].Coverage != verdict.Checked {
			t.Errorf("%s: %s, %+v; %+v", id, r.Verdict, r.Rules[id], r.Findings)
		}
	}
	for id, text := range map[string]string{
		"POST-08": "new qp3; a< NdkWrite qp3 w1; a> STATUS_CONNECTION_INVALID; rest",
		"POST-09": "new qp3; NdkReceive qp3 r1; rest",
	} {
		if r := judging.Stream(notation.Overlapped(t, text), linearize.Options{}); r.Verdict != verdict.Conformant || r.Rules[id].Coverage != verdict.Checked {
			t.Errorf("%s: %s, %+v; %+v", id, r.Verdict, r.Rules[id], r.Findings)
		}
	}
}
