package conformance

import (
	"fmt"

	"ndkoracle/ndk"
)

// b makes tokens; a invalidates them with its messages. Whether the receive is fetched with NdkGetCqResults or with
// NdkGetCqResultsEx, the token must be invalid (POLL-07), which b's own NdkInvalidate then shows (POLL-08). That, and a
// token that names nothing, end the connection, and so the world.
func sendAndInvalidate(r *Run) error {
	if !r.info.RemoteInvalidate {
		return fmt.Errorf("NdkSendAndInvalidate: %w", ErrUnsupported)
	}
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		a, b := w.a, w.b
		return w.rounds(3, func() error {
			g, err := b.register(0)
			if err != nil {
				return err
			}
			if err := w.settle(); err != nil || g == nil {
				return err
			}
			if r.chance(2) {
				b.receive.arm(b.receive.cq, r.anyNotifyType())
			}
			token := g.token
			switch r.random.IntN(6) {
			case 0:
				token = r.unknownToken()
			case 1: // invalid already, by its owner
				b.invalidate(g, 0)
				if err := w.settle(); err != nil {
					return err
				}
				a.broken, b.broken = true, true
			}
			a.broken = a.broken || token != g.token
			a.provide()
			a.sendAndInvalidate(a.qp, a.anySendFlags(), token)
			if err := w.rest(); err != nil {
				return err
			}
			extended := r.chance(2)
			for _, q := range w.queues {
				q.drainBy(q.cq, extended)
			}
			switch {
			case a.broken: // nothing more can succeed (INV-05)
				a.transfer(0)
			case r.chance(2):
				b.invalidate(g, 0)
				a.broken, b.broken = true, true
			}
			return nil
		})
	})
}

// drainBy is drain by one of the two polls alone.
func (q *queue) drainBy(cq ndk.Cq, extended bool) {
	for left := 4 * q.depth; left > 0; left-- {
		if q.get(cq, 2, extended) == 0 {
			return
		}
	}
}
