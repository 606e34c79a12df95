package conformance

// Each round arms, completes a few requests, polls after one of several patterns, and arms again: with nothing left
// there must be no callback (ARM-21), with old completions left there may be one (ARM-05).
func drainPatterns(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		return w.rounds(3, func() error {
			q := w.queues[r.random.IntN(len(w.queues))]
			if !r.chance(4) {
				q.arm(q.cq, r.anyNotifyType())
			}
			n := 1 + r.random.IntN(3)
			for range n {
				w.bring(r.anySuccess())
			}
			if err := w.rest(); err != nil {
				return err
			}
			switch r.random.IntN(5) {
			case 0: // one by one
				q.drain(q.cq, 1)
			case 1: // more room than there are completions: one poll may be enough
				q.drain(q.cq, 4*n)
			case 2: // exact room: only a further poll tells that the CQ is empty
				q.poll(q.cq, n)
			case 3: // the rest stays
				q.poll(q.cq, 1)
			case 4: // all stay
			}
			q.arm(q.cq, r.anyNotifyType())
			return nil
		})
	})
}
