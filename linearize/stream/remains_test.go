package stream_test

import (
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// What must have completed by the end, and no poll delivered, lies in its CQ: both engines know of which kind it can be, and hold
// callbacks against that (ARM-08, ARM-10, ARM-11, ARM-12).
func TestEnginesKnowWhatIsLeftInACq(t *testing.T) {
	for _, test := range []struct {
		name    string
		verdict verdict.Verdict
		rule    string
		text    string
	}{
		{"a flush cancelled it, without a callback", verdict.ProviderViolation, "ARM-11", "arm SOLICITED; recv q1; flush; rest"},
		{"… with one", verdict.Conformant, "", "arm SOLICITED; recv q1; flush; cb<; cb>; rest"},
		{"its message was solicited, without a callback", verdict.ProviderViolation, "ARM-10",
			"recv q1; peer s1 S; peerget s1; arm SOLICITED; rest"},
		{"… with one", verdict.Conformant, "", "recv q1; peer s1 S; peerget s1; arm SOLICITED; cb<; cb>; rest"},
		{"its message was not, with a callback", verdict.ProviderViolation, "ARM-12",
			"arm SOLICITED; recv q1; peer s1; peerget s1; rest; cb<; cb>; rest"},
		{"… without one", verdict.Conformant, "", "arm SOLICITED; recv q1; peer s1; peerget s1; rest"},
		{"what failed at the peer may have cancelled it", verdict.Conformant, "", "arm ERRORS; recv q1; peerwrite w1; cb<; cb>; rest"},
		{"a silent send may have failed, and nothing have arrived", verdict.Conformant, "", "arm ANY; recv q1; peer s1 Q; rest"},
		{"it may be cancelled: a flush came, and it has no message", verdict.Conformant, "",
			"arm ERRORS; recv q1; recv q2; peer s1; peerget s1; flush; cb<; cb>; rest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Script(t, test.text)
			for i := range traced.Events {
				if e := &traced.Events[i]; e.Depth != nil {
					e.Depth = notation.Number(64) // no receive of the peer may overflow its CQ
				}
			}
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
				if r.Verdict != test.verdict || test.rule != "" && !judging.Equivalent(r.Findings[0], test.rule) {
					t.Errorf("%s: %s, want %s of %s: %+v", engine, r.Verdict, test.verdict, test.rule, r.Findings)
				}
			}
		})
	}
}

// It does so whether or not the trace ends at rest, where the QP is closed before, and whatever has not returned of other objects (ARM-11, ARM-12).
func TestWhatIsLeftInACqOfATraceThatGoesOn(t *testing.T) {
	for _, test := range []struct{ name, rule, text string }{
		{"a flush cancelled it, without a callback", "ARM-11", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; rest"},
		{"… and more is posted", "ARM-11", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; rest; NdkWrite qp1 w1"},
		{"… and a call of another CQ has not returned", "ARM-11", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; rest; new qp3 cq3; a< get cq3"},
		{"… with one", "", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; enter cq1; rest; NdkWrite qp1 w1"},
		{"… and the QP is closed", "ARM-11", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; rest; NdkCloseQp qp1"},
		{"… with one, and the QP is closed", "", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; enter cq1; rest; NdkCloseQp qp1"},
		{"… and a poll had taken it before the QP is closed", "", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; NdkFlush qp1; enter cq1; rest; get cq1 r1c; NdkCloseQp qp1"},
		{"a flush came after the rest", "", "NdkArmCq cq1 SOLICITED; NdkReceive qp1 r1; rest; NdkFlush qp1"},
		{"a callback is for what came after the rest", "", "NdkArmCq cq1 SOLICITED; NdkWrite qp1 w1; rest; NdkReceive qp1 r1; NdkFlush qp1; enter cq1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Overlapped(t, test.text)
			traced.End.Quiescent = false
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
				if test.rule == "" && r.Verdict != verdict.Inconclusive ||
					test.rule != "" && (r.Verdict != verdict.ProviderViolation || !judging.Equivalent(r.Findings[0], test.rule)) {
					t.Errorf("%s: %s, want %q: %+v", engine, r.Verdict, test.rule, r.Findings)
				}
			}
		})
	}
}
