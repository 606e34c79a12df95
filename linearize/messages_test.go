package linearize_test

import (
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// A receive succeeds after a message for it was sent, wherever that it has succeeded is told, and a send finds a receive that the flush or
// the close of its QP had not cancelled before (POLL-05).
func TestWhatTellsOfAMessage(t *testing.T) {
	for _, test := range []struct {
		name, rule, text string
		line             int // of the breach
	}{
		{"a point before the message", "POLL-05", "NdkReceive qp2 r1; placed cq2 r1; NdkSend qp1 s1; get cq1 s1; get cq2 r1", 16},
		{"a point, and no message", "POLL-05", "NdkReceive qp2 r1; placed cq2 r1", 16},
		{"a point while the message is posted", "", "NdkReceive qp2 r1; b< NdkSend qp1 s1; placed cq2 r1; b>; get cq1 s1; get cq2 r1", 0},
		{"a poll before the message", "POLL-05", "NdkReceive qp2 r1; get cq2 r1; NdkSend qp1 s1; get cq1 s1", 17},
		{"a receive that was flushed before", "POLL-05", "NdkReceive qp1 r1; NdkFlush qp1; NdkSend qp2 s1; get cq2 s1", 21},
		{"… and one that was not", "", "NdkReceive qp1 r1; NdkFlush qp1; NdkReceive qp1 r2; NdkSend qp2 s1; get cq2 s1; get cq1 r1c r2", 0},
		{"… and two messages", "POLL-05",
			"NdkReceive qp1 r1; NdkFlush qp1; NdkReceive qp1 r2; NdkSend qp2 s1; NdkSend qp2 s2; get cq2 s1 s2; get cq1 r1c r2", 25},
		{"a receive that was flushed meanwhile", "", "NdkReceive qp1 r1; b< NdkFlush qp1; NdkSend qp2 s1; b>; get cq2 s1", 0},
		{"a receive that was closed before", "POLL-05", "NdkReceive qp1 r1; NdkCloseQp qp1; NdkSend qp2 s1; get cq2 s1", 21},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, test.text), linearize.Options{Engine: engine})
				switch {
				case test.rule == "" && r.Verdict != verdict.Conformant:
					t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
				case test.rule != "" && (r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != test.rule || r.Findings[0].Line != test.line):
					t.Errorf("%s: %s, want %s at line %d: %+v", engine, r.Verdict, test.rule, test.line, r.Findings)
				}
			}
		})
	}
}
