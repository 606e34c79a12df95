package stream_test

import (
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A CQ that had too little room may have overflowed unseen (ARM-16, A35). What that may explain is left open, until a
// completion shows that nothing was lost (ARM-17): then it is told. Porcupine, which looks at the whole trace, says the same
// where the stream decides.
func TestStreamOnUnseenOverflows(t *testing.T) {
	for _, test := range []struct {
		name, text     string
		stream, search verdict.Verdict
		rule           string
	}{
		{"nothing is missing", "post 1; post 2; post 3; rest; get 1 2 3; get", verdict.Conformant, verdict.Conformant, ""},
		{"one is missing", "write 1; write 2; write 3; rest; get 1 2; get", verdict.Inconclusive, verdict.Conformant, ""},
		{"a poll finds nothing, and a later one what had failed (A33)", "write 1; write 2; write 3; get 1; rest; get; get 2x; get",
			verdict.Inconclusive, verdict.Conformant, ""},
		{"one is missing, though others came later", "write 1; write 2; write 3; rest; get 1 2; get; peer 7; recv 4; rest; get 4",
			verdict.ProviderViolation, verdict.ProviderViolation, "ARM-17"},
		{"one is missing of those that had room", "write 1; write 2; write 3; get 1 2 3; write 4; get 4; write 5; rest; get",
			verdict.ProviderViolation, verdict.ProviderViolation, "DEF-04"},
		{"two crowds, and one is missing of the second", "write 1; write 2; write 3; get 1 2 3; write 4; write 5; write 6; rest; get 4 5; get",
			verdict.Inconclusive, verdict.Conformant, ""},
		{"a callback too many, long after a crowd", "post 1; post 2; post 3; get 1 2 3; post 4; get 4; cb<; cb>",
			verdict.ProviderViolation, verdict.ProviderViolation, "ARM-01"},
		{"receives that messages may have filled", "recv 1; recv 2; recv 3; peer 7; peer 8; peer 9; rest; peerget 7 8 9; get 1 2; get",
			verdict.Conformant, verdict.Conformant, ""},
		{"cancelled, and the CQ took more later", "recv 1; recv 2; write 3; write 4; get 3 4; get 1c; get 2c; rest; peerget",
			verdict.Conformant, verdict.Conformant, ""},
		{"a silent one is missing behind one that was cancelled", "write 1; write 2; post 3 Q; rest; get 1; get 2c; get", verdict.Conformant, verdict.Conformant, ""},
		{"… where there was room", "write 1; get 1; write 2; post 3 Q; rest; get 2c; get", verdict.ProviderViolation, verdict.ProviderViolation, "FLAG-02"},
		{"room for all", "write 1; write 2; rest; get 1; get", verdict.ProviderViolation, verdict.ProviderViolation, "DEF-04"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for engine, want := range map[linearize.Engine]verdict.Verdict{linearize.Streaming: test.stream, linearize.Porcupine: test.search} {
				r := linearize.Check(t.Context(), notation.Cramped(t, test.text), linearize.Options{Engine: engine})
				if r.Verdict != want || test.rule != "" && !judging.Equivalent(r.Findings[0], test.rule) {
					t.Errorf("%s: %s, want %s of %s: %+v", engine, r.Verdict, want, test.rule, r.Findings)
				}
				if want == verdict.Inconclusive && !strings.Contains(r.Findings[0].Message, "more completions were on their way into cq1") {
					t.Errorf("%s: no reason: %+v", engine, r.Findings)
				}
			}
		})
	}
}

// An overflow that was reported has lost a completion of what had been posted by then: when all of that is delivered there was
// none (ARM-16, ARM-17).
func TestReportedOverflowLosesACompletion(t *testing.T) {
	const overflow = "arm ANY; post 1; post 2; post 3; cb< STATUS_BUFFER_OVERFLOW; cb>; "
	for text, want := range map[string]verdict.Verdict{
		overflow + "get 1 2; rest":   verdict.Conformant,
		overflow + "get 1 2 3; rest": verdict.ProviderViolation,
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), notation.Cramped(t, text), linearize.Options{Engine: engine})
			if r.Verdict != want || want == verdict.ProviderViolation && r.Findings[0].Rule != "ARM-17" {
				t.Errorf("%s: %s: %s, want %s: %+v", engine, text, r.Verdict, want, r.Findings)
			}
		}
	}
}

// What no overflow explains is not left open where one may have come unseen.
func TestNoUnseenOverflowExplains(t *testing.T) {
	const told = "write 1; write 2; write 3; cb< STATUS_BUFFER_OVERFLOW; cb>"
	exact := map[string]string{"A35": "EXACT"}
	for _, test := range []struct {
		text   string
		assume map[string]string
		want   verdict.Verdict
		rule   string
	}{
		{"arm ERRORS; " + told, nil, verdict.Conformant, ""},
		{told, nil, verdict.ProviderViolation, "ARM-01"},
		{"write 1; write 2; write 3; get 1 2 3", nil, verdict.Conformant, ""},
		{"write 1; write 2; write 3; get 1 2 3", exact, verdict.ProviderViolation, "ARM-16"},
	} {
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), notation.Cramped(t, test.text), linearize.Options{Engine: engine, Assume: test.assume})
			if r.Verdict != test.want || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("%s: %s %v: %s, want %s of %s: %+v", engine, test.text, test.assume, r.Verdict, test.want, test.rule, r.Findings)
			}
		}
	}
}

// lonely is a script of a QP whose peer is not in the trace, and of its CQ, which has room for two completions.
func lonely(t *testing.T, text string) *trace.Trace {
	s := &notation.Scripted{Trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}}
	s.Call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: notation.Number(2)}, notation.Success)
	s.Call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, notation.Success)
	s.Call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, notation.Success)
	return s.Play(t, text)
}

// An overflow of a CQ is a hidden step. Where all its requests complete by the provider alone, and into it alone, each moment is followed at which
// it can have happened: what it explains is allowed, and what it does not explain is a violation.
func TestStreamFollowsOverflows(t *testing.T) {
	const three = "write 1; write 2; write 3; "
	for _, test := range []struct {
		name, text, assume string
		want               verdict.Verdict
		rule               string
	}{
		{"one is missing", three + "rest; get 1 2; get", "", verdict.Conformant, ""},
		{"… of those that had room", "write 1; write 2; rest; get 1; get", "", verdict.ProviderViolation, "DEF-04"},
		{"… and the CQ delivers what came later", three + "rest; get 1 2; get; write 4; get 4", "", verdict.ProviderViolation, "ARM-17"},
		{"… and two of three", three + "rest; get 1; get", "", verdict.Conformant, ""},
		{"… by a reading that leaves nothing in a CQ", three + "rest; get 1; get", "A33 ALL", verdict.ProviderViolation, "POLL-03"},
		{"one is late", three + "get 1; rest; get; get 2x; get", "", verdict.Conformant, ""},
		{"all of them are, and none was lost", three + "get 1; rest; get; get 2; get 3", "", verdict.ProviderViolation, "POLL-03"},
		{"one is missing, and an arm asked for errors", "arm ERRORS; " + three + "rest; get 1 2; get", "", verdict.ProviderViolation, "ARM-08"},
		{"… and it was told", "arm ERRORS; " + three + "cb< STATUS_BUFFER_OVERFLOW; cb>; rest; get 1 2; get", "", verdict.Conformant, ""},
		{"… by an arm that comes later", three + "rest; arm ANY; get 1 2; cb< STATUS_BUFFER_OVERFLOW; cb>; rest; get", "", verdict.Conformant, ""},
		{"… which asks for nothing that was lost", three + "rest; arm ANY; get 1 2; cb<; cb>; rest; get", "A1 LOST", verdict.Conformant, ""},
		{"… and finds what is left", three + "rest; get; arm ANY; rest", "A1 LOST", verdict.ProviderViolation, "ARM-04"},
		{"told as another error", three + "rest; get 1; get; arm ERRORS; cb< STATUS_INTERNAL_ERROR; cb>; rest", "", verdict.Inconclusive, ""},
		{"told when there is room again", "arm ERRORS; " + three + "get 1 2; cb< STATUS_BUFFER_OVERFLOW; cb>; rest; get", "", verdict.Conformant, ""},
		{"told when nothing is missing", "arm ERRORS; " + three + "get 1 2 3; write 4; cb< STATUS_BUFFER_OVERFLOW; cb>", "",
			verdict.ProviderViolation, "ARM-16"},
		{"told by the callback that is owed", "arm ANY; " + three + "cb< STATUS_BUFFER_OVERFLOW; cb>; get 1 2; get", "A2 ONE", verdict.Conformant, ""},
		{"… and owed for a completion", "arm ANY; " + three + "cb< STATUS_BUFFER_OVERFLOW; cb>; get 1 2; get", "A2 TWO",
			verdict.ProviderViolation, "ARM-01"},
		{"a callback for one that completed by a moment of rest", "write 1; arm SOLICITED; rest; cb<; cb>; arm ERRORS; recv 2; write 3 Q", "",
			verdict.ProviderViolation, "ARM-12"},
		{"a callback for the third", "write 1; write 2; arm SOLICITED; rest; recv 3; rest; cb<; cb>; get", "", verdict.ProviderViolation, "POLL-03"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assume := map[string]string{}
			if reading, choice, ok := strings.Cut(test.assume, " "); ok {
				assume[reading] = choice
			}
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), lonely(t, test.text), linearize.Options{Engine: engine, Assume: assume})
				if engine == linearize.Porcupine && test.want == verdict.Inconclusive {
					test.want = verdict.Conformant // it sees from the beginning that the CQ had that error
				}
				if r.Verdict != test.want || test.rule != "" && !judging.Equivalent(r.Findings[0], test.rule) {
					t.Errorf("%s: %s, want %s of %s: %+v", engine, r.Verdict, test.want, test.rule, r.Findings)
				}
			}
		})
	}
}

// What is on its way into a CQ makes it overflow, and nothing else does: no request that was refused, and no depth that was (ARM-16, RSZ-03). One
// that failed may be lost by that, and cancel others all the same; where none did, the connection may have been lost (RES-10).
func TestWhatCrowds(t *testing.T) {
	const ends = "new qp3 cq3; new qp4 cq4; NdkConnect qp3 d; NdkConnect qp4 d; "
	const two = "NdkWrite qp3 a1; NdkWrite qp3 a2; NdkWrite qp4 w1; "
	const other = "new qp5 cq3; new qp6 cq5; NdkConnect qp5 e; NdkConnect qp6 e; "
	for _, test := range []struct {
		name    string
		verdict verdict.Verdict
		rule    string
		text    string
	}{
		{"as many as there is room for", verdict.Conformant, "", two + "rest; get cq3 a1 a2; get cq3; get cq4 w1c; get cq4"},
		{"one more", verdict.Conformant, "", two + "NdkWrite qp3 a3; rest; get cq3 a1 a2; get cq3; get cq4 w1c; get cq4"},
		{"one more, which is refused", verdict.Conformant, "",
			two + "a< NdkWrite qp3 a3; a> STATUS_INSUFFICIENT_RESOURCES; rest; get cq3 a1 a2; get cq3; get cq4 w1c; get cq4"},
		{"less room", verdict.Conformant, "",
			two + "a< NdkResizeCq cq3 1; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq3 a1; get cq3; get cq4 w1c; get cq4"},
		{"less room, which is refused", verdict.Conformant, "",
			two + "a< NdkResizeCq cq3 1; a> STATUS_PENDING; get cq3; a! STATUS_DATA_ERROR; rest; get cq3 a1 a2; get cq3; get cq4 w1c; get cq4"},
		{"a deferred write of the other end failed, and is lost", verdict.Conformant, "",
			"new qp5; new qp6; NdkConnect qp5 e; NdkConnect qp6 e; NdkReceive qp5 r1; NdkResizeCq cq1 1; NdkWrite qp6 w6 DEFER; NdkWrite qp5 w5; rest; get cq1 w5c; get cq1; NdkWrite qp6 w7"},
		{"a silent send failed, and is lost", verdict.Conformant, "", "NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkReceive qp4 r4; NdkWrite qp3 w1; " +
			"NdkSend qp3 s1 SILENT_SUCCESS; rest; get cq3 w1; get cq3; get cq4"},
		{"a silent send failed, and can't be lost", verdict.ProviderViolation, "DEF-04", "NdkReceive qp4 r4; NdkWrite qp3 w1; " +
			"NdkSend qp3 s1 SILENT_SUCCESS; rest; get cq3 w1; get cq3; get cq4"},
		{"receives that have no message, which a silent write cancelled, and is lost", verdict.Conformant, "", "NdkResizeCq cq3 1; NdkReceive qp3 r1; " +
			"NdkReceive qp3 r2; NdkWrite qp3 w1 SILENT_SUCCESS; rest; get cq3 r1c; get cq3; rest; get cq3; get cq4"},
		{"receives that have no message, which a silent write cancelled, and can't be lost", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkWrite qp3 w1 SILENT_SUCCESS; rest; get cq3 r1c; get cq3; rest; get cq3; get cq4"},
		{"receives that have no message, cancelled by a silent write of the other end", verdict.Conformant, "", "NdkResizeCq cq3 1; NdkReceive qp3 r1; " +
			"NdkReceive qp3 r2; NdkWrite qp4 w4 SILENT_SUCCESS; rest; get cq3 r1c; get cq3; rest; get cq3"},
		{"a read that a write cancelled which had not failed by a moment of rest", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkWrite qp4 w4 DEFER; NdkRead qp3 w1; rest; get cq3 w1c; get cq3; get cq4; rest; get cq3; get cq4; NdkWrite qp4 w5"},
		{"… or a receive that failed by itself, and is lost", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkResizeCq cq3 1; NdkWrite qp4 w4 DEFER; NdkRead qp3 w1; rest; get cq3 w1c; get cq3; get cq4; rest; get cq3; get cq4; NdkWrite qp4 w5"},
		{"a receive that was cancelled, and is delivered, takes no room", verdict.Conformant, "", other +
			"NdkReceive qp3 r1; NdkWrite qp4 w4 SILENT_SUCCESS; rest; get cq3 r1c; get cq3; NdkWrite qp5 a1; NdkWrite qp5 a2; NdkWrite qp6 b1; rest; get cq3 a1 a2; get cq3; get cq5 b1c; get cq5"},
		{"a receive that has no message failed by itself, and is lost", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkResizeCq cq3 1; NdkWrite qp3 w1; rest; get cq3 w1c; get cq3; get cq4"},
		{"… and can't be lost", verdict.Conformant, "", "NdkReceive qp3 r1; NdkWrite qp3 w1; rest; get cq3 w1c; get cq3; get cq4"},
		{"… and it is the one behind a silent write", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkResizeCq cq3 1; NdkWrite qp3 w1 SILENT_SUCCESS; NdkWrite qp3 w2; rest; get cq3 w2c; get cq3; get cq4"},
		{"a receive that has no message failed by itself, and stays in its CQ, which has overflowed", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkWrite qp4 w4; rest; NdkWrite qp3 a1; NdkWrite qp3 a2; get cq3; get cq4 w4c"},
		{"… which can't have overflowed, as it delivers what came later", verdict.ProviderViolation, "RES-10",
			"NdkReceive qp3 r1; NdkWrite qp4 w4; rest; NdkWrite qp3 a1; NdkWrite qp3 a2; get cq3; get cq3 a1 a2; get cq4 w4c; rest; get cq3"},
		{"… which has room", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkWrite qp4 w4; rest; NdkWrite qp3 a1; get cq3; get cq4 w4c"},
		{"a write is missing, of a CQ that is crowded by receives", verdict.Conformant, "",
			"NdkReceive qp3 r1; NdkReceive qp3 r2; NdkReceive qp3 r3; NdkWrite qp3 w1; rest; get cq3; get cq4"},
		{"… and delivers one whose message came later", verdict.ProviderViolation, "",
			"NdkReceive qp3 r1; NdkReceive qp3 r2; NdkReceive qp3 r3; NdkWrite qp3 w1; rest; get cq3; NdkSend qp4 s1; get cq3 r1; get cq4 s1"},
		{"receives that a silent write of the other end cancelled, more than there is room for", verdict.Conformant, "", other +
			"NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp4 w4 SILENT_SUCCESS; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5"},
		{"… as many as there is room for", verdict.Conformant, "", other +
			"NdkResizeCq cq3 2; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp4 w4 SILENT_SUCCESS; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5"},
		{"receives that one cancelled which failed by itself, more than there is room for", verdict.Conformant, "", other +
			"NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5"},
		{"… and their CQ delivers a write that came later", verdict.Conformant, "", other +
			"NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5; get cq3; NdkWrite qp3 w1; rest; get cq3 w1"},
		{"… or a receive whose message did", verdict.Conformant, "", other +
			"NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkReceive qp3 r2; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5; get cq3; NdkSend qp4 s1; get cq3 r1; get cq4 s1; rest"},
		{"… no more than there is room for", verdict.Conformant, "", other +
			"NdkResizeCq cq3 1; NdkReceive qp3 r1; NdkWrite qp6 b1; rest; get cq5 b1c; get cq5"},
		{"a deferred write of the other end failed, and can't be lost", verdict.Conformant, "",
			"new qp5; new qp6; NdkConnect qp5 e; NdkConnect qp6 e; NdkReceive qp5 r1; NdkWrite qp6 w6 DEFER; NdkWrite qp5 w5; rest; get cq1 w5c; get cq1; NdkWrite qp6 w7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
				r := linearize.Check(t.Context(), notation.Overlapped(t, ends+test.text), linearize.Options{Engine: engine})
				open := engine == linearize.Streaming && test.verdict == verdict.Conformant && r.Verdict == verdict.Inconclusive
				if r.Verdict != test.verdict && !open || test.rule != "" && !judging.Equivalent(r.Findings[0], test.rule) {
					t.Errorf("%s: %s, want %s of %s: %+v", engine, r.Verdict, test.verdict, test.rule, r.Findings)
				}
			}
		})
	}
}
