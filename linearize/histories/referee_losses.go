package histories

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// breakPeers returns, of each queue pair, the calls behind which it may end the connection at its other end, too, a bit each. Of libibverbs only an
// initiator request that fails does: a receive that fails, or a move to the error state, fails the message that it keeps from being received (RES-11).
func (ref *referee) breakPeers() []uint64 {
	if !ref.c.Dialect.ErrorState {
		return nil
	}
	all := make([]uint64, len(ref.c.Qps))
	for qp, b := range ref.c.Qps {
		cqs := []int{b.InitiatorCq, b.ReceiveCq}
		for i, s := range ref.spans {
			if ref.breaksPeer(s, qp, cqs) {
				all[qp] |= 1 << i
			}
		}
	}
	return all
}

// mayBreakPeer reports whether one of these calls has taken effect.
func (ref *referee) mayBreakPeer(k config, qp int) bool {
	return !ref.c.Dialect.ErrorState || ref.breaking[qp]&k.done != 0
}

// breaksPeer reports whether a call posted a request for the initiator queue of a queue pair that may have failed, or changes what room its CQs have.
func (ref *referee) breaksPeer(s *interval, qp int, cqs []int) bool {
	switch s.kind {
	case calls.Post:
		id := idOf(s.begin.Wrs[0].Wr)
		return index(s.begin.Qp) == qp && ref.accepted(s) && ref.posts[id].request.Op != model.ReceiveOp && (ref.told[id] == "" || ref.tells(ref.told[id], model.FAILED))
	case calls.CreateCq, calls.ResizeCq:
		cq := index(s.begin.Cq)
		return slices.Contains(cqs, cq) && ref.mostOutstanding(cq) > int(*s.begin.Depth)
	}
	return false
}

// mostOutstanding returns how many requests may complete into a CQ at a time, at most: each from the call of its post to the return of the poll that
// delivers it.
func (ref *referee) mostOutstanding(cq int) int {
	over, posts := map[int]int{}, map[int]int{} // by id: the events
	for _, s := range ref.spans {
		switch {
		case s.kind == calls.PollCq && s.returned():
			for i := range s.end.Results {
				over[idOf(s.end.Results[i].Wr)] = s.ret
			}
		case s.kind == calls.Post:
			id, b := idOf(s.begin.Wrs[0].Wr), ref.c.Qps[index(s.begin.Qp)]
			into := b.InitiatorCq
			if ref.posts[id].request.Op == model.ReceiveOp {
				into = b.ReceiveCq
			}
			if into == cq {
				posts[id] = s.call
			}
		}
	}
	most := 0
	for _, at := range posts {
		n := 0
		for id, call := range posts {
			if ret, told := over[id]; call <= at && (!told || at < ret) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
