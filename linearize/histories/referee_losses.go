package histories

import (
	"slices"

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
