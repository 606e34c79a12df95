package linearize

import (
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// cramped is a script whose cq1 has room for two completions.
func cramped(t *testing.T, text string) *trace.Trace {
	traced := script(t, text)
	for i := range traced.Events {
		if e := &traced.Events[i]; e.Fn == "NdkCreateCq" && e.Cq == "cq1" {
			e.Depth = number(2)
		}
	}
	return traced
}

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
			verdict.Inconclusive, verdict.Conformant, ""},
		{"cancelled, and the CQ took more later", "recv 1; recv 2; write 3; write 4; get 3 4; get 1c; get 2c; rest; peerget",
			verdict.ProviderViolation, verdict.ProviderViolation, "RES-08"},
		{"room for all", "write 1; write 2; rest; get 1; get", verdict.ProviderViolation, verdict.ProviderViolation, "DEF-04"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for engine, want := range map[Engine]verdict.Verdict{Streaming: test.stream, Porcupine: test.search} {
				r := Check(t.Context(), cramped(t, test.text), Options{Engine: engine})
				if r.Verdict != want || test.rule != "" && !equivalent(r.Findings[0], test.rule) {
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
		for _, engine := range []Engine{Streaming, Porcupine} {
			r := Check(t.Context(), cramped(t, text), Options{Engine: engine})
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
		for _, engine := range []Engine{Streaming, Porcupine} {
			r := Check(t.Context(), cramped(t, test.text), Options{Engine: engine, Assume: test.assume})
			if r.Verdict != test.want || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("%s: %s %v: %s, want %s of %s: %+v", engine, test.text, test.assume, r.Verdict, test.want, test.rule, r.Findings)
			}
		}
	}
}
