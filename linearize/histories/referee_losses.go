package histories

import "ndkoracle/model"

// endsPeer reports whether a queue pair that is over has also ended the connection at its other end. In libibverbs only a failed initiator request
// does that. A failed receive, or a move to the error state, fails the message that can't be received (RES-11).
func (ref *referee) endsPeer(k config, qp int) bool {
	return !ref.c.Dialect.ErrorState || k.failed>>qp&1 == 1
}

// justFailed returns the queue pairs of which a request of the initiator queue fails in a step, a bit each.
func justFailed(before, after model.State) (all uint64) {
	for qp := range before.Qps {
		old, now := before.Qps[qp].Initiator, after.Qps[qp].Initiator
		for i := range min(len(old), len(now)) {
			if old[i].Id == now[i].Id && old[i].Phase < model.Executed && now[i].Phase == model.Executed+model.Phase(model.FAILED) {
				all |= 1 << qp
			}
		}
	}
	return all
}
