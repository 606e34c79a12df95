package linearize

import (
	"slices"
	"testing"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// breakPeers finds the queue pairs that may end the connection at its other end, too. Of libibverbs a receive that fails does not: the message that
// it took fails there (RES-11).
func (ref *referee) breakPeers() []int {
	var all []int
	for qp, b := range ref.c.Qps {
		cqs := []int{b.InitiatorCq, b.ReceiveCq}
		if !ref.c.Dialect.ErrorState || slices.ContainsFunc(ref.spans, func(s *interval) bool { return ref.breaksPeer(s, qp, cqs) }) {
			all = append(all, qp)
		}
	}
	return all
}

// breaksPeer reports whether a call moves or closes a queue pair, posted a request for its initiator queue that need not have succeeded, or changes
// what room its CQs have.
func (ref *referee) breaksPeer(s *interval, qp int, cqs []int) bool {
	switch s.kind {
	case calls.FlushQp, calls.CloseQp, calls.UnsettleQp:
		return index(s.begin.Qp) == qp
	case calls.Post:
		id := idOf(s.begin.Wrs[0].Wr)
		return index(s.begin.Qp) == qp && ref.accepted(s) && ref.posts[id].request.Op != model.ReceiveOp && !ref.tells(ref.told[id], model.SUCCESS)
	case calls.CreateCq, calls.ResizeCq:
		return slices.Contains(cqs, index(s.begin.Cq)) && len(ref.posts) > int(*s.begin.Depth)
	}
	return false
}

// In libibverbs a queue pair whose receive fails does not end the connection for its peer, and a flush or a failed request does.
func TestWhatEndsTheOtherEnd(t *testing.T) {
	for text, allowed := range map[string]bool{
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0c; post qp2 s2; get cq2 s2x; get cq1 r1x": false,
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0x; post qp2 s2; get cq2 s2c; get cq1 r1x": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3c": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3":  false,
		"verbs; post qp2 s0; recv qp1 r1; a< err qp1; get cq2 s0c; a>; get cq1 r1c":           true,
	} {
		traced := overlapped(t, text)
		if way, known, at := plainly(model.Verbs(), traced, true, configsOfAccusation); !known || (way != nil) != allowed {
			t.Errorf("%s: known %v, allowed %v at %d", text, known, way != nil, at)
		}
	}
}
