package linearize_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

func check(t *testing.T, text string) *verdict.Report {
	t.Helper()
	return linearize.Check(context.Background(), notation.Script(t, text), linearize.Options{Timeout: 20 * time.Second})
}

// Every bug of the field that boundary events of one CQ can show, in its shortest trace, with the rule it breaks.
var broken = []struct{ name, rule, text string }{
	{"error does not match SOLICITED", "ARM-11", "arm SOLICITED; post 1; rest; get 1x; get"},
	{"solicited receive ignored", "ARM-10", "recv 1; arm SOLICITED; peer 7 S; rest; get 1; get; peerget 7"},
	{"last arm wins", "ARM-07", "arm ANY; arm SOLICITED; post 1; rest; get 1; get"},
	{"merge by equality", "ARM-07", "arm SOLICITED; arm ANY; post 1; rest; get 1; get"},
	{"re-arm in the callback clobbered", "ARM-09", "arm ANY; post 1; cb<; arm ANY; get 1; cb>; post 2; rest; get 2; get"},
	{"arm takes effect at the next poll", "ARM-09", "arm ANY; post 1; rest; get 1; get"},
	{"third arm breaks arming", "ARM-09", "arm ANY; arm ANY; arm ANY; post 1; rest; get 1; get"},
	{"nothing at the arm for a fresh completion", "ARM-04", "get; post 1; rest; arm ANY; rest; get 1; get"},
	{"again for what was reported and removed", "ARM-21", "arm ANY; post 1; cb<; get 1; cb>; arm ANY; cb<; cb>"},
	{"one arm, two callbacks", "ARM-02", "arm ANY; post 1; cb<; cb>; post 2; cb<; cb>; get 1 2"},
	{"never armed", "ARM-01", "post 1; cb<; cb>; get 1"},
	{"callbacks overlap", "ARM-06", "arm ANY; post 1; cb<; arm ANY; post 2; cb<; get 1 2"},
	{"refused post does not indicate", "DEF-05", "write 1 D; write 2 F; rest; get"},
	{"refused post completes", "DEF-03", "post 1 F; get 1"},
	{"failure swallowed", "DEF-04", "write 1; rest; get"},
	{"completion twice", "POLL-04", "post 1; get 1; get 1"},
	{"completion twice in one poll", "POLL-04", "post 1; get 1 1"},
	{"silent failure not reported", "FLAG-02", "write 1; write 2 Q; flush; rest; get 1c; get; peerget"},
	{"flush misses the last posted", "FLUSH-02", "recv 1; recv 2; flush; rest; get 1c; get"},
	{"message sent after the flush", "FLUSH-01", "recv 1; flush; peer 7; get 1"},
	{"callback after the close", "ARM-20", "arm ANY; post 1; close-qp; close; cb<; cb>"},
	{"completions of one queue swapped", "POLL-09", "post 1; post 2; get 2 1"},
	{"invented completion", "POLL-05", "get 9"},
	{"silent success with a completion", "FLAG-01", "post 1 Q; get 1"},
	{"unsolicited completion notifies", "ARM-12", "arm SOLICITED; post 1; cb<; cb>; get 1"},
	{"success notifies an ERRORS arm", "ARM-08", "arm ERRORS; post 1; cb<; cb>; get 1"},
	{"cancelled without a cause", "RES-10", "write 1; get 1c; write 2; get 2; rest; peerget"},
	{"empty-handed poll", "POLL-03", "post 1; post 2; rest; get; get 1 2"},
}

func TestEachBugBreaksItsRule(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, test.text)
			if r.Verdict != verdict.ProviderViolation {
				t.Fatalf("verdict %s, want a provider violation of %s; %+v", r.Verdict, test.rule, r.Findings)
			}
			if f := r.Findings[0]; f.Rule != test.rule && !slices.Contains(f.Also, test.rule) {
				t.Errorf("rule %s (also %v), want %s: %s", f.Rule, f.Also, test.rule, f.Message)
			} else {
				t.Logf("line %d: %s: %s; before: %v; see %v", f.Line, f.Rule, f.Message, f.Before, f.See)
			}
		})
	}
}

// What the contract allows has to be accepted.
var kept = []struct{ name, text string }{
	{"plain", "arm ANY; post 1; cb<; get 1; cb>; get"},
	{"drained before the callback ran", "arm ANY; post 1; get 1; cb<; get; cb>"},
	{"old entries: silent", "arm ANY; post 1; cb<; cb>; arm ANY; rest; get 1; get"},
	{"old entries: satisfied", "arm ANY; post 1; cb<; cb>; arm ANY; cb<; cb>; get 1; get"},
	{"two arms while owed: one callback", "arm ANY; post 1; arm ANY; cb<; cb>; get 1; get"},
	{"two arms while owed: two callbacks", "arm ANY; post 1; arm ANY; cb<; cb>; cb<; cb>; get 1; get"},
	{"deferred executed at once", "post 1 D; get 1; post 2; get 2; get"},
	{"deferred executed at the end", "post 1 D; post 2; rest; get 1 2; get"},
	{"refused post indicates", "post 1 D; post 2 F; rest; get 1; get"},
	{"silent success", "post 1 Q; post 2; rest; get 2; get"},
	{"silent failure reported", "post 1 Q; post 2; rest; get 1x 2c; get"},
	{"refused flush", "recv 1; flush F; rest; get"},
	{"flush cancels", "recv 1; recv 2; flush; rest; get 1c 2c; get"},
	{"failed completion for an ERRORS arm", "arm ERRORS; post 1; cb<; cb>; get 1x; get"},
	{"no callback for a failed completion and an ERRORS arm", "arm ERRORS; post 1; rest; get 1x; get"},
	{"solicited receive", "recv 1; arm SOLICITED; peer 7 S; cb<; get 1; cb>; rest; get; peerget 7"},
	{"unsolicited receive, SOLICITED arm", "recv 1; arm SOLICITED; peer 7; rest; get 1; get; peerget 7"},
	{"arm in the callback with a fresh entry", "arm ANY; post 1; cb<; post 2; arm ANY; cb>; cb<; cb>; get 1 2; get"},
	{"send still waits for the peer", "recv 1; rest; get"},
}

func TestAllowedTracesAreConformant(t *testing.T) {
	for _, test := range kept {
		t.Run(test.name, func(t *testing.T) {
			if r := check(t, test.text); r.Verdict != verdict.Conformant {
				t.Errorf("verdict %s: %+v", r.Verdict, r.Findings)
			}
		})
	}
}

// What the consumer did at one end of a connection does not excuse the other end: POLL-01 of cq1, POST-10 of qp2. Nor does it where messages name
// tokens, and a search takes both ends together.
func TestBreachDoesNotExcuseOtherEnd(t *testing.T) {
	const breach, pends = "a< get cq1; b< get cq1; a>; b>; ", "c< NdkSend qp2 s2; c> STATUS_PENDING"
	for _, text := range []string{breach + pends, breach + notation.Registered + "NdkSendAndInvalidate qp2 s1#7; " + pends} {
		traced := notation.Overlapped(t, text)
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine, linearize.Auto} {
			r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
			blamed := map[string]bool{}
			for _, f := range r.Findings {
				blamed[f.Rule] = true
			}
			if r.Verdict != verdict.ProviderViolation || !blamed["POST-10"] || !blamed["POLL-01"] {
				t.Errorf("%s by %s: %s: %v", text, engine, r.Verdict, blamed)
			}
		}
	}
}
