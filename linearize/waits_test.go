package linearize_test

import (
	"slices"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
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
		{"… and where the loss of the connection cancelled both", "POLL-05",
			"NdkFlush qp2; NdkReceive qp2 r1; NdkFastRegister qp1 f1#7; NdkSend qp1 s1; get cq1 f1c s1c; get cq2 r1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, test.text), linearize.Options{Engine: engine})
				if test.rule == "" && r.Verdict != verdict.Conformant || test.rule != "" && (r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != test.rule) {
					t.Errorf("%s: %s, want %q: %+v", engine, r.Verdict, test.rule, r.Findings)
				}
			}
		})
	}
}

// A send may wait for a receive on a connection that has ended as on any other (A15). So neither the send nor what is behind it need have completed
// by a moment of rest (DEF-04), and no callback is owed for it (ARM-03). A write waits for the provider alone, and under the other reading of A15 no
// request waits after a flush. A silent send whose receive failed by itself owes nothing either (FLAG-02), and need not have ended the connection by
// the bad token that it names (FLUSH-02, INV-05).
func TestSendsWaitOnAnEndedConnection(t *testing.T) {
	for _, test := range []struct {
		name   string
		want   verdict.Verdict
		assume string // of A15
		text   string
	}{
		{"no receive is posted", verdict.Conformant, "FREE", "NdkFlush qp1; NdkSend qp1 s1; rest; get cq1"},
		{"… of a silent send", verdict.Conformant, "FREE", "NdkFlush qp1; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq1; get cq2; rest"},
		{"… and a write is behind it", verdict.Conformant, "FREE", "NdkFlush qp1; NdkSend qp1 s1; NdkWrite qp1 w1; rest; get cq1"},
		{"… until later", verdict.Conformant, "FREE",
			"NdkFlush qp1; NdkSend qp1 s1; rest; NdkReceive qp2 r1; get cq2 r1; get cq1 s1"},
		{"… and a callback is for it then", verdict.Conformant, "FREE",
			"NdkFlush qp1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; NdkReceive qp2 r1; enter cq1; get cq2 r1; get cq1 s1"},
		{"… until a flush", verdict.Conformant, "FREE",
			"NdkWrite qp1 w1; get cq1 w1x; NdkSend qp1 s1; rest; NdkFlush qp1; get cq1; rest; get cq1 s1c"},
		{"… of a peer that the trace does not hold", verdict.Conformant, "FREE",
			"new qp3; NdkConnect qp3 d; NdkFlush qp3; NdkSend qp3 s1; rest; get cq1"},
		{"a failure ended it", verdict.Conformant, "FREE", "NdkWrite qp1 w1; get cq1 w1x; NdkSend qp1 s1; rest; get cq1"},
		{"the peer's receive was flushed", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkFlush qp2; NdkSend qp1 s1; rest; get cq1; get cq2 r1c"},
		{"… and the CQ was armed", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkFlush qp2; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest; get cq1; get cq2 r1c"},
		{"the peer's receive may have been cancelled", verdict.ProviderViolation, "FREE",
			"NdkFlush qp1; NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; get cq2 r1c"},
		{"the peer's receive failed, as is told later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; get cq2 r1x"},
		{"… and the CQ was armed", verdict.Conformant, "FREE",
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq2 r1x; get cq1"},
		{"… and the chain of the send ended only after the receive had been pending", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1 DEFER; rest; get cq2; NdkWrite qp1 w1; rest; get cq2 r1x; get cq1; get cq2; rest"},
		{"… and the send failed before that was told", verdict.Conformant, "FREE",
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp1 r9; enter cq1; get cq1 s1x; rest; get cq1; get cq2 r1x"},
		{"… and nothing was called since", verdict.ProviderViolation, "FREE",
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest; enter cq1; get cq1 s1x; rest; get cq1; get cq2 r1x"},
		{"… as a point tells before", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; placed cq2 r1x; rest; get cq1; get cq2 r1x; get cq2"},
		{"… and the send had been deferred while it was pending", verdict.Conformant, "FREE",
			"NdkFlush qp1; NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1 DEFER; rest; get cq2; NdkSend qp1 s2; rest; NdkReceive qp1 r9; enter cq1; get cq1 s1c s2c; " +
				"get cq1; get cq2 r1x; get cq2"},
		{"the peer's receive failed, and the send is silent", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; get cq1; get cq2 r1x; get cq2; rest; get cq1; get cq2"},
		{"… and names a bad token", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; rest; get cq2 r1x; get cq1; get cq2"},
		{"… and that is told later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; rest; get cq1; get cq2 r1x; get cq2; rest"},
		{"… and so is that the message failed, after it had seemed to have ended the connection", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; rest; get cq1; get cq1 s1x; get cq2 r1x; get cq2"},
		{"… which was posted before the receive", verdict.ProviderViolation, "FREE",
			"NdkReceive qp1 r2; NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; NdkReceive qp2 r1; rest; get cq1; get cq1 s1x; get cq2 r1x; get cq2"},
		{"… and a send is behind it", verdict.Conformant, "FREE",
			"NdkSendAndInvalidate qp1 s1#7 SILENT_SUCCESS; NdkSend qp1 s2 SILENT_SUCCESS; NdkReceive qp2 r1; NdkArmCq cq1 ANY; rest; " +
				"get cq1; get cq2 r1x; get cq1; get cq2"},
		{"the peer's receive was flushed after the rest, and the send is silent", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; rest; NdkFlush qp2; get cq2 r1c; get cq1; get cq2"},
		{"the peer's receive is pending", verdict.ProviderViolation, "FREE",
			"NdkFlush qp1; NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq2; get cq1"},
		{"… and so is a write behind the send, which failed later", verdict.ProviderViolation, "FREE",
			"NdkFlush qp1; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq2; get cq1 s1x; get cq1"},
		{"… as is told later", verdict.ProviderViolation, "FREE",
			"NdkFlush qp1; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq1 s1x; get cq1; get cq2"},
		{"… of a send that may have waited", verdict.ProviderViolation, "FREE",
			"NdkFlush qp1; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq2 r1c; get cq1 s1x; get cq1; rest; get cq1 w1"},
		{"the peer's receive failed, and the send, and what is behind it was not there", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; NdkRead qp1 x1; rest; get cq1 s1x; get cq1; get cq2 r1x; get cq2; rest"},
		{"… and a callback is for the send, which failed later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkArmCq cq1 ANY; NdkSend qp1 s1 SILENT_SUCCESS; rest; NdkReceive qp1 r9; get cq2 r1x; enter cq1; get cq1 s1x; get cq1; get cq2; rest"},
		{"… or was cancelled later, as is told behind it", verdict.Conformant, "FREE",
			"NdkReceive qp1 r2; NdkArmCq cq1 ERRORS; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp1 r9; enter cq1; get cq1 s1c; get cq1"},
		{"… as is told before", verdict.Conformant, "FREE",
			"NdkReceive qp1 r2; NdkArmCq cq1 ERRORS; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp1 r9; get cq2 r1x; enter cq1; get cq1 s1c; get cq1"},
		{"… as is told behind another one that failed", verdict.Conformant, "FREE",
			"NdkReceive qp1 r2; NdkArmCq cq1 ERRORS; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp1 r9; enter cq1; get cq1 r2x; get cq1 s1c; get cq1"},
		{"… for which the callback was", verdict.Conformant, "FREE",
			"NdkReceive qp1 r2; NdkArmCq cq1 SOLICITED; NdkReceive qp2 r1; NdkSend qp1 s1; rest; NdkReceive qp1 r9; enter cq1; get cq1 r2x; get cq1 s1c; get cq1"},
		{"… and the callback for it came later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkArmCq cq1 SOLICITED; NdkSend qp1 s1; rest; NdkReceive qp1 r9; get cq1 s1x; get cq1; enter cq1"},
		{"the peer's receive was pending, and took the message later", verdict.ProviderViolation, "FREE",
			"NdkFlush qp2; NdkReceive qp1 r1; NdkSend qp2 s1; rest; get cq1; get cq1 r1; get cq1; get cq2 s1x; get cq2; rest; get cq1; get cq2"},
		{"… or that of another send, which was posted later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq2; NdkSend qp1 s2; get cq2 r1; get cq1 s1x s2; rest; get cq1; get cq2"},
		{"a send before it failed, and left it its receive", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; NdkSend qp1 s2; rest; get cq1 s1x s2; get cq1; get cq2"},
		{"a message before it was received", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkReceive qp2 r2; NdkWrite qp2 v1; placed cq2 v1x; placed cq2 r1; rest; get cq2 v1x r1; " +
				"get cq2; get cq1; NdkWrite qp1 w1 SILENT_SUCCESS; rest; placed cq1 w1x; get cq1 w1x"},
		{"a flush ended a silent send, and no receive took it", verdict.ProviderViolation, "FREE",
			"NdkSend qp1 s1 SILENT_SUCCESS; NdkFlush qp2; NdkReceive qp2 r1; rest; get cq1; get cq2 r1x; get cq2; a< NdkFlush qp1; NdkReceive qp2 r2; " +
				"NdkFlush qp2; a>; rest; get cq1; get cq2 r2c; get cq2"},
		{"the peer's receive may have failed, and no poll of its CQ tells", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1"},
		{"… and the CQ was armed", verdict.Conformant, "FREE", "NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest"},
		{"… and a write is behind the send", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest; get cq1"},
		{"… and the send succeeded, with another that was posted later", verdict.Conformant, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; NdkReceive qp2 r2; get cq1 s1"},
		{"… or with that one", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; get cq1 s1"},
		{"… and a poll tells that it succeeded", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; get cq2 r1"},
		{"… or that it was pending", verdict.ProviderViolation, "FREE",
			"NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq1; get cq2"},
		{"a write", verdict.ProviderViolation, "FREE", "NdkFlush qp1; NdkWrite qp1 w1; rest; get cq1"},
		{"nothing waits", verdict.ProviderViolation, "CANCELLED", "NdkFlush qp1; NdkSend qp1 s1; rest; get cq1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, test.text), linearize.Options{Engine: engine, Assume: map[string]string{"A15": test.assume}})
				if r.Verdict != test.want || test.want == verdict.ProviderViolation && !slices.Contains([]string{"DEF-04", "FLAG-02", "FLUSH-02", "ARM-09"}, r.Findings[0].Rule) {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.want, r.Findings)
				}
			}
		})
	}
}

// So a callback that a consumer never tells of need not have been entered, unless what waited for no receive makes one due (A15, ARM-03).
func TestWhatMayHaveWaitedAsAConsumerTells(t *testing.T) {
	for _, test := range []struct {
		name string
		want verdict.Verdict
		text string
	}{
		{"the peer's receive may have failed", verdict.Conformant, "NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest"},
		{"… and the message names a token", verdict.Conformant,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSendAndInvalidate qp1 s1#7; rest"},
		{"… and the CQ was armed again", verdict.Conformant,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; NdkArmCq cq1 ANY; rest"},
		{"… and a write is behind a silent send", verdict.Conformant,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1 SILENT_SUCCESS; NdkWrite qp1 w1; rest"},
		{"… and a write is before the send", verdict.ProviderViolation,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkWrite qp1 w1; NdkSend qp1 s1; rest"},
		{"… and a callback was for that", verdict.Conformant,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkWrite qp1 w1; enter cq1; NdkArmCq cq1 ANY; NdkSend qp1 s1; rest"},
		{"… and a poll tells that it was pending", verdict.ProviderViolation,
			"NdkArmCq cq1 ANY; NdkReceive qp2 r1; NdkSend qp1 s1; rest; get cq2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Overlapped(t, test.text)
			traced.Header.Side = "consumer"
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
				if r.Verdict != test.want || test.want == verdict.ProviderViolation && !judging.Equivalent(r.Findings[0], "ARM-03") {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.want, r.Findings)
				}
			}
		})
	}
}

// A silent send whose receive is told to have succeeded was over by the moment of rest by which both had been posted, also behind another one that
// may have waited then: as it was cancelled, the callback for it was due by then (ARM-11), and no poll found nothing after that (FLAG-02).
func TestASilentSendThatWasReceivedHadNotWaited(t *testing.T) {
	const two = "NdkReceive qp1 r1; NdkReceive qp1 r2; NdkSend qp2 s1 SILENT_SUCCESS; NdkSend qp2 s2 SILENT_SUCCESS; rest; "
	for _, test := range []struct{ name, side, rule, text string }{
		{"behind another one", "provider", "ARM-11", "NdkFlush qp2; NdkArmCq cq2 SOLICITED; " + two + "enter cq2; get cq1 r1 r2; get cq2 s2c"},
		{"… and the callback is never told of", "consumer", "ARM-11", "NdkFlush qp2; NdkArmCq cq2 SOLICITED; " + two + "get cq1 r1 r2; get cq2 s2c"},
		{"by itself, and the callback is never told of", "consumer", "ARM-11",
			"NdkFlush qp2; NdkArmCq cq2 SOLICITED; NdkReceive qp1 r1; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1; get cq2 s1c"},
		{"… where an earlier rest shows that the receive was pending", "consumer", "ARM-11",
			"NdkFlush qp2; NdkArmCq cq2 SOLICITED; NdkReceive qp1 r1; rest; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1; get cq2 s1c"},
		{"… and the callback is told of later", "consumer", "",
			"NdkFlush qp2; NdkArmCq cq2 SOLICITED; NdkReceive qp1 r1; NdkSend qp2 s1 SILENT_SUCCESS; rest; get cq1 r1; get cq2 s1c; enter cq2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Overlapped(t, test.text)
			traced.Header.Side, traced.End.Quiescent = test.side, false
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
				if r.Violated() != (test.rule != "") || r.Violated() && r.Findings[0].Rule != test.rule {
					t.Errorf("%s: %s, want %s: %+v", engine, r.Verdict, test.rule, r.Findings)
				}
			}
		})
	}
}

// In traces of libibverbs the first request that is reported as flushed may be one that failed. A message that is fenced behind it had not been
// sent by then, so it is not received (FLUSH-06).
func TestAFlushedReadMayHaveFailed(t *testing.T) {
	traced := notation.Overlapped(t, "verbs;recv qp2 r1; post qp1 x1; post qp1 s1; err qp1; get cq1 x1c s1c; get cq2 r1")
	for i := range traced.Events {
		for j := range traced.Events[i].Wrs {
			switch w := &traced.Events[i].Wrs[j]; w.Wr {
			case "x1":
				w.Opcode = "RDMA_READ"
			case "s1":
				w.Flags = append(w.Flags, "FENCE")
			}
		}
	}
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine}); r.Describe() != "provider violation of FLUSH-06" {
			t.Errorf("%s: %s: %+v", engine, r.Verdict, r.Findings)
		}
	}
}

// … and so may a receive. A silent message that names a bad token is over by a moment of rest all the same, and has ended the connection or failed itself:
// porcupine finds that neither has a completion, and the stream does not follow it (DEF-04, INV-05, A15).
func TestAFlushedReceiveMayHaveFailed(t *testing.T) {
	for text, streamed := range map[string]verdict.Verdict{
		"verbs;recv qp2 r1; post qp2 s1; post qp1 i2; rest; get cq1; get cq2 r1c; get cq2":                           verdict.ProviderViolation, // s1 was to be over
		"verbs;recv qp2 r1; recv qp1 r2; post qp2 i2; rest; get cq1 r2c; get cq1; get cq2":                           verdict.Inconclusive,
		"verbs;recv qp2 r1; recv qp1 r2; post qp2 i2; rest; get cq2; get cq1 r2c; get cq1":                           verdict.Inconclusive,
		"verbs;recv qp2 r1; recv qp1 r2; post qp2 i2; rest; get cq2; get cq2; get cq1 r2c; get cq1":                  verdict.Inconclusive,
		"verbs;recv qp2 r1; recv qp1 r2; recv qp1 r3; post qp2 i2; rest; get cq2; get cq1 r2c r3c; get cq1; get cq2": verdict.Inconclusive,
	} {
		traced := notation.Overlapped(t, text)
		traced.End.Quiescent = false
		for i := range traced.Events {
			e := &traced.Events[i]
			if e.SqSigAll != nil {
				e.SqSigAll = notation.Bool(false)
			}
			for j := range e.Wrs {
				if w := &e.Wrs[j]; w.Wr[0] == 'i' {
					token := uint32(7)
					w.Opcode, w.Token = "SEND_WITH_INV", &token
				}
			}
		}
		for engine, want := range map[linearize.Engine]verdict.Verdict{linearize.Streaming: streamed, linearize.Porcupine: verdict.ProviderViolation} {
			if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine}); r.Verdict != want {
				t.Errorf("%s: %s: %s: %+v", text, engine, r.Verdict, r.Findings)
			}
		}
	}
}
