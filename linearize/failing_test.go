package linearize_test

import (
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// A receive may fail by itself at any time, and break its QP, whatever the peer has sent: that explains what is cancelled (RES-10) and a callback
// (ARM-21), told or not. By a moment of rest it has completed, as a poll shows. What must have completed is owed all the same (FLUSH-02).
func TestReceivesFailByThemselves(t *testing.T) {
	for _, test := range []struct{ name, rules, text string }{
		{"and are delivered behind what they cancelled", "", "NdkWrite qp1 w1; NdkReceive qp1 r1; NdkReceive qp1 r2; get cq1 w1c r1x r2c"},
		{"… which the peer's messages did not meet", "", "NdkSend qp2 s1; NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 w1c; get cq1 r1x"},
		{"and are never delivered", "", "NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 w1c"},
		{"… at the other end", "", "NdkReceive qp2 r1; NdkWrite qp1 w1; get cq1 w1c"},
		{"… after a rest", "", "NdkReceive qp1 r1; rest; get cq1; NdkWrite qp1 w1; get cq1 w1c"},
		{"… behind the write", "", "NdkWrite qp1 w1; NdkReceive qp1 r1; get cq1 w1c"},
		{"but had not failed by a rest, and the connection may have been lost", "", "NdkReceive qp1 r1; NdkWrite qp1 w1; get cq1 w1c; rest; get cq1"},
		{"… at the other end", "", "NdkReceive qp2 r1; NdkWrite qp1 w1; get cq1 w1c; rest; get cq2"},
		{"but come too late where the connection goes on", "RES-10", "NdkWrite qp1 w1; get cq1 w1c; NdkReceive qp1 r1; NdkWrite qp1 w2; get cq1 w2 r1x"},
		{"and explain a callback", "", "NdkArmCq cq1 ANY; NdkReceive qp1 r1; enter cq1"},
		{"… of an arm for errors", "", "NdkArmCq cq1 ERRORS; NdkReceive qp1 r1; enter cq1"},
		{"… before what lies in the CQ at the end", "", "NdkArmCq cq1 ANY; NdkReceive qp1 r1; enter cq1; NdkWrite qp1 w1"},
		{"… but not where a poll finds nothing", "POLL-03 ARM-21", "NdkArmCq cq1 ANY; NdkReceive qp1 r1; enter cq1; rest; get cq1"},
		{"and excuse no flush", "FLUSH-02", "NdkReceive qp2 r1; NdkReceive qp1 r2; NdkReceive qp1 r3; NdkFlush qp1; rest; get cq1 r2c; get cq1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, test.text), linearize.Options{Engine: engine})
				if test.rules == "" && r.Verdict != verdict.Conformant ||
					test.rules != "" && (r.Verdict != verdict.ProviderViolation || !strings.Contains(test.rules, r.Findings[0].Rule)) {
					t.Errorf("%s: %s, want %q: %+v", engine, r.Verdict, test.rules, r.Findings)
				}
			}
		})
	}
}
