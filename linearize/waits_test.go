package linearize

import (
	"testing"

	"ndkoracle/linearize/verdict"
)

// A message is received after what it has to wait for was executed: a read before it, where it is fenced (FLAG-04), and what changes a
// token. So a flush that cancelled that cancelled the message, too, and no receive took it (POLL-05). Writes arrive with it, and what is
// posted after the flush may be received.
func TestWhatAMessageWaitsFor(t *testing.T) {
	for _, test := range []struct{ name, rule, text string }{
		{"a read before a fenced message", "POLL-05", "NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1 READ_FENCE; NdkFlush qp1; get cq1 x1c s1c; get cq2 r1"},
		{"… and the receive is told first", "POLL-05", "NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1 READ_FENCE; NdkFlush qp1; get cq2 r1; get cq1 x1c s1c"},
		{"… and the message is not told", "POLL-05", "NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1 READ_FENCE; NdkFlush qp1; get cq1 x1c; get cq2 r1"},
		{"a read before a fenced write", "POLL-05",
			"NdkReceive qp2 r1; NdkRead qp1 x1; NdkWrite qp1 w1 READ_FENCE; NdkSend qp1 s1; NdkFlush qp1; get cq1 x1c w1c s1c; get cq2 r1"},
		{"a read before a message without a fence", "", "NdkReceive qp2 r1; NdkRead qp1 x1; NdkSend qp1 s1; NdkFlush qp1; get cq1 x1c s1c; get cq2 r1"},
		{"a read behind the message", "", "NdkReceive qp2 r1; NdkSend qp1 s1; NdkRead qp1 x1 READ_FENCE; NdkFlush qp1; get cq1 s1c x1c; get cq2 r1"},
		{"a write before the message", "", "NdkReceive qp2 r1; NdkWrite qp1 w1; NdkSend qp1 s1; NdkFlush qp1; get cq1 w1c s1c; get cq2 r1"},
		{"a token made valid before the message", "POLL-05",
			"NdkReceive qp2 r1; NdkFastRegister qp1 f1#7; NdkSend qp1 s1; NdkFlush qp1; get cq1 f1c s1c; get cq2 r1"},
		{"… and a message that was received before", "",
			"NdkReceive qp2 r1; NdkSend qp1 s1; NdkFastRegister qp1 f1#7; NdkSend qp1 s2; NdkFlush qp1; get cq1 s1c f1c s2c; get cq2 r1"},
		{"… and two receives", "POLL-05",
			"NdkReceive qp2 r1; NdkReceive qp2 r2; NdkSend qp1 s1; NdkFastRegister qp1 f1#7; NdkSend qp1 s2; NdkFlush qp1; get cq1 s1c f1c s2c; get cq2 r1 r2"},
		{"… and one that was posted after the flush", "",
			"NdkReceive qp2 r1; NdkFastRegister qp1 f1#7; NdkSend qp1 s1; NdkFlush qp1; NdkSend qp1 s2; get cq1 f1c s1c s2; get cq2 r1"},
		{"… and the loss of the connection may have cancelled it alone", "",
			"NdkFlush qp2; NdkReceive qp2 r1; NdkFastRegister qp1 f1#7; NdkSend qp1 s1; get cq1 f1c s1c; get cq2 r1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []Engine{Streaming, Porcupine} {
				r := Check(t.Context(), overlapped(t, test.text), Options{Engine: engine})
				if test.rule == "" && r.Verdict != verdict.Conformant || test.rule != "" && (r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != test.rule) {
					t.Errorf("%s: %s, want %q: %+v", engine, r.Verdict, test.rule, r.Findings)
				}
			}
		})
	}
}
