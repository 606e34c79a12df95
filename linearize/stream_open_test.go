package linearize_test

import (
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// What the streaming engine does not follow it leaves open, by a reason that says so, and never accuses the provider of: each
// of these is legal (POST-04, DISC-01, DISC-08, A15, A23).
var notTold = []struct{ name, reason, text string }{
	{"posts that overlap, and one never returned", "posts on one queue of qp1 overlap", "verbs;a< post qp1 w1; post qp1 w2; get cq1 w2; rest; get cq1"},
	{"an empty poll that overlaps another", "polls of cq1 overlap",
		"verbs;post qp1 w1; rest; a< get cq1; b< get cq1; b> w1; a>; rest; get cq1"},
}

func TestStreamLeavesOpenWhatItDoesNotFollow(t *testing.T) {
	for _, test := range notTold {
		t.Run(test.name, func(t *testing.T) {
			r := judging.Stream(notation.Overlapped(t, test.text), linearize.Options{})
			if r.Verdict != verdict.Inconclusive || !strings.Contains(r.Findings[0].Message, test.reason) ||
				!strings.Contains(r.Findings[0].Message, verdict.NotFollowed) {
				t.Errorf("verdict %s, want inconclusive as %q: %+v", r.Verdict, test.reason, r.Findings)
			}
		})
	}
}

// Of calls that overlap, and of others in one trace with them (POST-04, DISC-08, A23), the streaming engine says what porcupine
// says, or leaves it open: in libibverbs alone, whose posts and polls may overlap, and where an abort is told after what it
// cancelled.
func TestStreamOnOverlappingCalls(t *testing.T) {
	mayBeOpen := func(text string) bool {
		return strings.HasPrefix(text, "verbs;") || strings.Contains(text, "r1c; event")
	}
	for _, test := range eitherOrder {
		t.Run(test.name, func(t *testing.T) {
			if r := judging.Stream(notation.Overlapped(t, test.text), linearize.Options{}); r.Verdict != test.verdict && (r.Verdict != verdict.Inconclusive || !mayBeOpen(test.text)) {
				t.Errorf("verdict %s, want %s: %+v", r.Verdict, test.verdict, r.Findings)
			}
		})
	}
}

// A violation is told all the same where it does not rest on what is left open: before it (FLUSH-02, RES-10, DEF-04), or of
// posts one after the other (POLL-09).
func TestStreamTellsWhatIsNotLeftOpen(t *testing.T) {
	for _, test := range []struct{ name, rule, text string }{
		{"missing before the close", "DEF-04", "NdkWrite qp1 w1; rest; get cq1; NdkCloseQp qp1"},
		{"missing, and the peer is closed", "DEF-04", "NdkWrite qp1 w1; rest; NdkCloseQp qp2; get cq1"},
		{"cancelled, and the connection went on before the connector was closed", "RES-10", "NdkWrite qp1 w1; get cq1 w1c; NdkWrite qp1 w2; get cq1 w2; NdkCloseConnector -"},
		{"missing before the disconnect is pending", "FLUSH-02",
			"NdkReceive qp1 r1; NdkFlush qp1; rest; get cq1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_SUCCESS"},
		{"posts on two queues overlap", "DEF-04", "verbs;a< post qp1 w1; recv qp1 r1; a>; rest; get cq1"},
		{"posts one after the other, beside others", "POLL-09", "verbs;a< post qp1 w1; post qp1 w2; a>; post qp1 w3; get cq1 w1 w3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := judging.Stream(notation.Overlapped(t, test.text), linearize.Options{})
			if r.Verdict != verdict.ProviderViolation || r.Findings[0].Rule != test.rule {
				t.Errorf("verdict %s, want a provider violation of %s: %+v", r.Verdict, test.rule, r.Findings)
			}
		})
	}
}
