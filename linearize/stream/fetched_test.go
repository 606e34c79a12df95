package stream_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/histories"
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
			s := stream.New(trace.Header{Side: "provider"}, histories.Dialects()[0], 0)
			l := notation.NewLoad(4, s.Take)
			l.Call("NdkCreateCq", trace.Event{Cq: "cq2", Depth: notation.Number(16)}, notation.Success)
			l.Call("NdkCreateQp", trace.Event{Qp: "qpa", ReceiveCq: "created before", InitiatorCq: "created before"}, notation.Success)
			l.Call("NdkCreateQp", trace.Event{Qp: "qpb", ReceiveCq: "cq2", InitiatorCq: "cq2"}, notation.Success)
			for _, qp := range []string{"qpa", "qpb"} {
				l.Call("NdkConnect", trace.Event{Qp: qp, Conn: "conn"}, notation.Success)
			}
			polls := func(cq, qp, wr, status string) {
				l.Call("NdkGetCqResults", trace.Event{Cq: cq, N: notation.Number(1)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: status}}})
			}
			round := func() {
				l.Posted++
				n := strconv.Itoa(l.Posted)
				l.Call("NdkReceive", trace.Event{Qp: "qpb", Wr: "r" + n}, notation.Success)
				l.Call("NdkWrite", trace.Event{Qp: "qpa", Wr: "w" + n, Flags: []string{"SILENT_SUCCESS"}}, notation.Success)
				l.Call("NdkSend", trace.Event{Qp: "qpa", Wr: "s" + n}, notation.Success)
				polls("created before", "qpa", "s"+n, "STATUS_SUCCESS")
				polls("cq2", "qpb", "r"+n, "STATUS_SUCCESS")
			}
			before := heapAfter(rounds/10, round)
			if after := heapAfter(rounds, round); after > before+8<<20 {
				t.Errorf("%d KiB after %d rounds, %d KiB after %d more", before>>10, rounds/10, after>>10, rounds)
			}
			l.Call("NdkReceive", trace.Event{Qp: "qpb", Wr: "r"}, notation.Success)
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
