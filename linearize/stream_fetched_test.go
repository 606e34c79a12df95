package linearize

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// What the polls of a CQ that is left open fetch is not kept for good, and what it might have explained of the other end of a connection is left
// open: a cancelled receive (RES-10).
func TestStreamForgetsWhatIsFetchedOfWhatIsLeftOpen(t *testing.T) {
	isLeftBy := func(reason string) func(verdict.Finding) bool {
		return func(f verdict.Finding) bool { return strings.Contains(f.Message, reason) }
	}
	for _, rounds := range []int{1_000, 100_000} {
		t.Run(strconv.Itoa(rounds), func(t *testing.T) {
			s := stream.New(trace.Header{Side: "provider"}, dialects()[0], 0)
			l := newLoad(4, s.Take)
			l.call("NdkCreateCq", trace.Event{Cq: "cq2", Depth: number(16)}, success)
			l.call("NdkCreateQp", trace.Event{Qp: "qpa", ReceiveCq: "created before", InitiatorCq: "created before"}, success)
			l.call("NdkCreateQp", trace.Event{Qp: "qpb", ReceiveCq: "cq2", InitiatorCq: "cq2"}, success)
			for _, qp := range []string{"qpa", "qpb"} {
				l.call("NdkConnect", trace.Event{Qp: qp, Conn: "conn"}, success)
			}
			polls := func(cq, qp, wr, status string) {
				l.call("NdkGetCqResults", trace.Event{Cq: cq, N: number(1)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: status}}})
			}
			round := func() {
				l.posted++
				n := strconv.Itoa(l.posted)
				l.call("NdkReceive", trace.Event{Qp: "qpb", Wr: "r" + n}, success)
				l.call("NdkWrite", trace.Event{Qp: "qpa", Wr: "w" + n, Flags: []string{"SILENT_SUCCESS"}}, success)
				l.call("NdkSend", trace.Event{Qp: "qpa", Wr: "s" + n}, success)
				polls("created before", "qpa", "s"+n, "STATUS_SUCCESS")
				polls("cq2", "qpb", "r"+n, "STATUS_SUCCESS")
			}
			before := heapAfter(rounds/10, round)
			if after := heapAfter(rounds, round); after > before+8<<20 {
				t.Errorf("%d KiB after %d rounds, %d KiB after %d more", before>>10, rounds/10, after>>10, rounds)
			}
			l.call("NdkReceive", trace.Event{Qp: "qpb", Wr: "r"}, success)
			polls("cq2", "qpb", "r", "STATUS_CANCELLED")
			r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
			s.Finish(nil, r)
			if !slices.ContainsFunc(r.Findings, isLeftBy("the creation of created before")) ||
				slices.ContainsFunc(r.Findings, isLeftBy("requests were fetched than this engine keeps")) != (rounds == 100_000) {
				t.Errorf("%+v", r.Findings)
			}
			if slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return f.Verdict != verdict.Inconclusive }) {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}
