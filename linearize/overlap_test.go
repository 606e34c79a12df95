package linearize_test

import (
	"context"
	"testing"
	"time"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// Calls that overlap took effect in either order: what some order allows is conformant, what none allows is rejected.
var eitherOrder = []struct {
	name    string
	verdict verdict.Verdict
	rule    string
	text    string
}{
	// POST-04, A15: a flush that overlaps a post comes before it or after it.
	{"a flush within a receive's post, before it", verdict.Conformant, "",
		"a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; NdkSend qp2 s1; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"a flush within a receive's post, after it", verdict.Conformant, "", "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1 r1c; get cq1"},
	{"a flush within a receive's post, nothing follows", verdict.Conformant, "", "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1"},
	{"a flush that crosses a deferred post", verdict.Conformant, "",
		"a< NdkWrite qp1 w1 DEFER; b< NdkFlush qp1; a>; b>; rest; get cq1; NdkWrite qp1 w2; get cq1 w1 w2; rest; get cq1"},
	{"a flush within a send's post: it waits for a receive", verdict.Conformant, "",
		"a< NdkSend qp1 s1; NdkFlush qp1; a>; rest; get cq1; NdkReceive qp2 r1; get cq1 s1; get cq2 r1; rest; get cq1"},
	{"a flush within a write's post does not excuse it", verdict.ProviderViolation, "DEF-04", "a< NdkWrite qp1 w1; NdkFlush qp1; a>; rest; get cq1"},
	{"a flush called after the post returned", verdict.ProviderViolation, "FLUSH-02", "NdkReceive qp1 r1; NdkFlush qp1; rest; get cq1"},
	{"of two flushes the second overlaps no more", verdict.ProviderViolation, "FLUSH-02",
		"a< NdkReceive qp1 r1; NdkFlush qp1; a>; NdkFlush qp1; rest; get cq1"},

	// DISC-01, DISC-08: a disconnect that is pending flushes at some moment before it completes.
	{"a send succeeds while a disconnect is pending", verdict.Conformant, "",
		"NdkSend qp1 s1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; NdkReceive qp2 r1; get cq1 s1; get cq2 r1; a! STATUS_SUCCESS; rest; get cq1"},
	{"a message comes while a disconnect is pending", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; NdkSend qp2 s1; rest; get cq1 r1; get cq2 s1; a! STATUS_SUCCESS; rest; get cq1"},
	{"a disconnect pending at rest has not flushed yet", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; get cq1; a! STATUS_SUCCESS; rest; get cq1 r1c; rest; get cq1"},
	{"a disconnect pending has flushed already", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; get cq1 r1c; get cq1; a! STATUS_SUCCESS"},
	{"a disconnect that completed has flushed", verdict.ProviderViolation, "FLUSH-02",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq1"},
	{"a message sent after the disconnect completed", verdict.ProviderViolation, "FLUSH-01",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_SUCCESS; NdkSend qp2 s1; get cq1 r1"},
	{"a disconnect that failed in the end need not flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_IO_TIMEOUT; rest; get cq1"},
	{"a disconnect that failed in the end may flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_IO_TIMEOUT; rest; get cq1 r1c"},
	{"a disconnect that failed at once need not flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_IO_TIMEOUT; rest; get cq1"},
	{"a disconnect that failed at once may flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_IO_TIMEOUT; rest; get cq1 r1c"},
	{"a disconnect that succeeded at once has flushed", verdict.ProviderViolation, "FLUSH-02", "NdkReceive qp1 r1; NdkDisconnect qp1; rest; get cq1"},

	// A23: an abort of the connection, which an event tells or a closed connector causes, may cancel requests.
	{"a disconnect event of an abort", verdict.Conformant, "", "NdkReceive qp1 r1; event; rest; get cq1 r1c; get cq1; get cq2"},
	{"the abort comes before its event", verdict.Conformant, "", "NdkReceive qp1 r1; get cq1 r1c; event; rest; get cq1; get cq2"},
	{"a closed connector", verdict.Conformant, "", "NdkReceive qp1 r1; NdkCloseConnector -; rest; get cq1 r1c; get cq1; get cq2"},
	{"cancelled before the connector was closed", verdict.Conformant, "", "NdkReceive qp1 r1; get cq1 r1c; NdkCloseConnector -"},
	{"nothing tells of an abort: the connection may have been lost", verdict.Conformant, "", "NdkReceive qp1 r1; rest; get cq1 r1c; get cq1; get cq2"},

	// RES-10 of what points tell, and no poll delivers.
	{"a point says cancelled, without a cause", verdict.Conformant, "", "NdkWrite qp1 w1; placed cq1 w1c"},
	{"… before the flush", verdict.Conformant, "", "NdkWrite qp1 w1; placed cq1 w1c; NdkFlush qp1"},
	{"… behind the flush", verdict.Conformant, "", "NdkWrite qp1 w1; NdkFlush qp1; placed cq1 w1c"},
	{"… behind one that failed", verdict.Conformant, "", "NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w1x; placed cq1 w2c"},
	{"… of a read, and one behind it failed", verdict.Conformant, "", "NdkRead qp1 x1; NdkWrite qp1 w1; placed cq1 x1c; placed cq1 w1x"},
	{"… of a read, and one behind it that is fenced failed", verdict.Conformant, "",
		"NdkRead qp1 x1; NdkWrite qp1 w1 READ_FENCE; placed cq1 x1c; placed cq1 w1x"},

	// POLL-05, DEF-04: where no arm and no callback is, none is named (ARM-02, ARM-09).
	{"a poll delivers what was posted after another one was placed", verdict.ProviderViolation, "POLL-05",
		"new qp3; NdkConnect qp3 d; NdkWrite qp3 v1; placed cq1 v1; NdkWrite qp1 w1; get cq1 w1 v1"},

	// POLL-03, POLL-09, A21: the completions of a QP that is closed vanish together, or stay together.
	{"one vanishes and one stays", verdict.ProviderViolation, "POLL-09",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3; get cq2 r1c"},
	{"one stays and one vanishes", verdict.ProviderViolation, "POLL-03",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq2 r1c; get cq3"},
	{"both vanish", verdict.Conformant, "",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3; get cq2"},
	{"both stay", verdict.Conformant, "",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3 w1; get cq2 r1c"},

	// libibverbs is thread-safe: posts on one queue, and polls of one CQ, may overlap.
	{"posts overlap, the second is first", verdict.Conformant, "", "verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; get cq1 w2 w1; rest; get cq1"},
	{"the first post is passed by while it runs", verdict.Conformant, "",
		"verbs;a< post qp1 w1; post qp1 w2; get cq1 w2; rest; get cq1; a>; rest; get cq1 w1; get cq1"},
	{"lists overlap", verdict.Conformant, "", "verbs;a< post qp1 w1 w2; b< post qp1 w3 w4; b>; a>; get cq1 w3 w4 w1 w2; rest; get cq1"},
	{"lists mix", verdict.Inconclusive, "POLL-09", "verbs;a< post qp1 w1 w2; b< post qp1 w3 w4; b>; a>; get cq1 w1 w3 w2 w4"},
	{"receives overlap, and one message comes", verdict.Conformant, "",
		"verbs;a< recv qp1 r1; b< recv qp1 r2; b>; a>; post qp2 s1; get cq1 r2; get cq2 s1; rest; get cq1; get cq2"},
	{"posts one after the other", verdict.ProviderViolation, "POLL-09", "verbs;post qp1 w1; post qp1 w2; get cq1 w2 w1"},
	{"posts overlap, and one never completes", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; get cq1 w2; rest; get cq1"},
	{"posts overlap, and none ever completes", verdict.ProviderViolation, "DEF-04", "verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; rest; get cq1"},
	{"posts overlap, and the later one's completion is ahead of its time", verdict.ProviderViolation, "POLL-05",
		"verbs;a< post qp1 w1; get cq1 w2; b< post qp1 w2; b>; a>; get cq1 w1"},
	{"polls overlap, the second is first", verdict.Conformant, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; b< get cq1; b> w1; a> w2; rest; get cq1"},
	{"polls overlap, and the first never returns: it may have taken what is missing", verdict.Inconclusive, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; get cq1 w2"},
	{"… or what had been placed by an earlier rest", verdict.Inconclusive, "",
		"verbs;post qp1 w1; rest; post qp1 w2; a< get cq1; get cq1 w2"},
	{"polls overlap, the first is first and returns last", verdict.Conformant, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; b< get cq1; b> w2; a> w1; rest; get cq1"},
	{"polls overlap, and what one delivers was posted after the other", verdict.Conformant, "",
		"verbs;post qp1 w1; a< get cq1; b< get cq1; b> w1; post qp1 w2; a> w2; rest; get cq1"},
	{"an empty poll overlaps the one that delivers", verdict.Conformant, "",
		"verbs;post qp1 w1; rest; a< get cq1; b< get cq1; b> w1; a>; rest; get cq1"},
	{"polls of two queues' completions overlap: either may be first", verdict.Conformant, "",
		"verbs;post qp1 w1; recv qp1 r1; post qp2 s1; a< get cq1; b< get cq1; b> r1; a> w1; get cq2 s1; rest; get cq1"},
	{"three polls overlap, of which the last to be called is the first, and the second is of another queue", verdict.Conformant, "",
		"verbs;recv qp1 r1; post qp1 w1; err qp1; a< get cq1; b< get cq1; c< get cq1; c> w1c; post qp1 w2; a> w2c; b> r1c; rest; get cq1"},
	{"polls one after the other", verdict.ProviderViolation, "POLL-09", "verbs;post qp1 w1; post qp1 w2; get cq1 w2; get cq1 w1"},
	{"polls overlap, and deliver one completion twice", verdict.ProviderViolation, "POLL-04", "verbs;post qp1 w1; a< get cq1; b< get cq1; b> w1; a> w1"},
	{"an empty poll before the one that delivers", verdict.ProviderViolation, "DEF-04", "verbs;post qp1 w1; rest; get cq1; get cq1 w1"},
	{"a send that waits may have been posted before a read", verdict.Conformant, "",
		"verbs;a< post qp1 w1; b< post qp1 s1; b>; a>; rest; get cq1"},
	{"posts and polls overlap, and a third is missing afterwards", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; c< get cq1; d< get cq1; d> w2; c> w1; post qp1 w3; rest; get cq1"},
	{"an error state overlaps a receive, which stays", verdict.ProviderViolation, "DEF-04", "verbs;a< recv qp1 r1; err qp1 -; a>; rest; get cq1"},
}

func TestOverlappingCalls(t *testing.T) {
	for _, test := range eitherOrder {
		t.Run(test.name, func(t *testing.T) {
			r := linearize.Check(context.Background(), notation.Overlapped(t, test.text), linearize.Options{Timeout: 20 * time.Second})
			if r.Verdict != test.verdict || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("verdict %s, want %s %s: %+v", r.Verdict, test.verdict, test.rule, r.Findings)
			}
		})
	}
}
