package conformance

import "ndkoracle/ndk"

// sendUnmet posts a send for which the peer has no receive: it stays pending until it is flushed.
//
// Requests that may be on their way are never flushed here. A device can have delivered such a send and not know of it
// yet when the flush cancels it; what the two sides then report is a question of its own.
func (e *endpoint) sendUnmet(flags ndk.OpFlags) ndk.Status { return e.send(e.qp, flags) }

// Good requests first, brought to rest; then one that fails, and some behind it, which are cancelled (RES-10).
func failedRequests(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		a, b := w.a, w.b
		return w.rounds(1, func() error {
			for range r.random.IntN(3) {
				a.transfer(a.anySendFlags())
			}
			if err := w.settle(); err != nil {
				return err
			}
			for _, q := range w.queues {
				if r.chance(2) {
					q.arm(q.cq, r.anyNotifyType())
				}
			}
			switch r.random.IntN(4) {
			case 0:
				a.sendBadly(a.qp, a.anySendFlags())
			case 1:
				a.sendBadly(a.qp, ndk.NDK_OP_FLAG_DEFER)
				a.sendUnmet(0)
			case 2:
				b.acceptInto(b.qp, maxPayload, r.unknownToken())
				a.sendUnmet(0)
				a.broken, b.broken = true, true
			case 3:
				b.acceptInto(b.qp, 1, r.token)
				a.sendLong()
				a.broken, b.broken = true, true
			}
			for range r.random.IntN(2) {
				a.sendUnmet(0)
			}
			if r.chance(2) {
				a.accept(a.qp)
			}
			return nil
		})
	})
}

// Both queues are occupied when the flush comes, with requests that nothing else could complete.
func flush(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		a := w.a
		return w.rounds(1, func() error {
			for range r.random.IntN(2) {
				a.transfer(0)
			}
			if err := w.settle(); err != nil {
				return err
			}
			for range r.random.IntN(3) {
				a.accept(a.qp)
			}
			for range r.random.IntN(3) {
				a.sendUnmet(a.anySendFlags())
			}
			if r.chance(2) {
				a.sendUnmet(ndk.NDK_OP_FLAG_SILENT_SUCCESS)
			}
			for range r.random.IntN(3) {
				a.sendUnmet(ndk.NDK_OP_FLAG_DEFER) // the flush ends the chain (A11)
			}
			for _, q := range []*queue{a.initiator, a.receive} {
				if r.chance(2) {
					q.arm(q.cq, r.anyNotifyType())
				}
			}
			a.flush()
			if r.chance(3) { // after the flush: refused, or cancelled in its turn (FLUSH-05)
				a.send(a.qp, 0)
				a.accept(a.qp)
			}
			return nil
		})
	})
}
