package linearize

import (
	"slices"
	"testing"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// breakPeers finds the queue pairs that may end the connection at its other end, too. Of libibverbs only an initiator request that fails does: a
// receive that fails, or a move to the error state, fails the message that it keeps from being received (RES-11).
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

// breaksPeer reports whether a call posted a request for the initiator queue of a queue pair that may have failed, or changes what room its CQs have.
func (ref *referee) breaksPeer(s *interval, qp int, cqs []int) bool {
	switch s.kind {
	case calls.Post:
		id := idOf(s.begin.Wrs[0].Wr)
		return index(s.begin.Qp) == qp && ref.accepted(s) && ref.posts[id].request.Op != model.ReceiveOp && (ref.told[id] == "" || ref.tells(ref.told[id], model.FAILED))
	case calls.CreateCq, calls.ResizeCq:
		return slices.Contains(cqs, index(s.begin.Cq)) && len(ref.posts) > int(*s.begin.Depth)
	}
	return false
}

// In libibverbs a queue pair whose receive fails, or that is moved to its error state, does not end the connection for its peer, and a request that
// failed does (RES-10, RES-11).
func TestWhatEndsTheOtherEnd(t *testing.T) {
	for text, allowed := range map[string]bool{
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0c; post qp2 s2; get cq2 s2x; get cq1 r1x": false,
		"verbs; post qp2 s0; recv qp1 r1; get cq2 s0x; post qp2 s2; get cq2 s2c; get cq1 r1x": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3x": true,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3c": false,
		"verbs; post qp2 s0; recv qp1 r1; post qp1 w3; get cq2 s0c; get cq1 r1x; get cq1 w3":  false,
		"verbs; post qp2 s0; recv qp1 r1; a< err qp1; get cq2 s0c; a>; get cq1 r1c":           false,
		"verbs; post qp2 s0; recv qp1 r1; a< err qp1; get cq2 s0x; a>; get cq1 r1c":           true,
		"verbs; recv qp2 r0; a< err qp1; a>; get cq2 r0c":                                     false,
	} {
		traced := overlapped(t, text)
		if way, known, at := plainly(model.Verbs(), traced, true, configsOfAccusation); !known || (way != nil) != allowed {
			t.Errorf("%s: known %v, allowed %v at %d", text, known, way != nil, at)
		}
	}
}
