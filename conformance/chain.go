package conformance

import "ndkoracle/ndk"

// anySendFlags draws flags that change neither whether nor when a send completes.
func (e *endpoint) anySendFlags() ndk.OpFlags {
	var flags ndk.OpFlags
	if e.run.chance(3) {
		flags |= ndk.NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT
	}
	if e.inline > 0 && e.run.chance(3) {
		flags |= ndk.NDK_OP_FLAG_INLINE
	}
	if e.run.chance(4) {
		flags |= ndk.NDK_OP_FLAG_READ_FENCE
	}
	return flags
}

// Nothing is posted after the failure within the round, so that only the failure can have indicated the requests before
// it (DEF-05). Every fifth chain ends as chains should.
func chainInlineFailure(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		return w.rounds(3, func() error {
			if r.chance(2) {
				w.a.initiator.arm(w.a.initiator.cq, r.anyNotifyType())
			}
			length := 1 + r.random.IntN(5)
			failure := r.random.IntN(length) // its position
			whole := r.chance(5)
			for position := range length {
				flags := w.a.anySendFlags()
				if r.chance(5) {
					flags |= ndk.NDK_OP_FLAG_SILENT_SUCCESS
				}
				last := position == length-1
				if !whole && position == failure {
					if r.chance(2) {
						flags |= ndk.NDK_OP_FLAG_DEFER
					}
					w.a.sendRefused(w.a.qp, flags)
					return nil
				}
				if !last {
					flags |= ndk.NDK_OP_FLAG_DEFER
				}
				w.a.transfer(flags)
			}
			return nil
		})
	})
}

// A silent request that succeeds leaves no completion (FLAG-01); one that fails or is flushed does (FLAG-02).
func silentSuccess(r *Run) error {
	const silent = ndk.NDK_OP_FLAG_SILENT_SUCCESS
	return r.worlds(r.anyLayout, func(w *world) error {
		w.maybeDrainInCallbacks()
		a := w.a
		return w.rounds(3, func() error {
			if r.chance(2) {
				a.initiator.arm(a.initiator.cq, r.anyNotifyType())
			}
			for range r.random.IntN(3) {
				flags := silent | a.anySendFlags()
				if r.chance(2) {
					flags |= ndk.NDK_OP_FLAG_DEFER
				}
				a.transfer(flags)
			}
			switch r.random.IntN(5) {
			case 0: // silence to the end
				a.transfer(silent)
			case 1, 2: // only a later completion tells that the silent ones are done (FLAG-03)
				a.transfer(0)
			case 3:
				a.endChain()
				if err := w.rest(); err != nil {
					return err
				}
				a.sendBadly(a.qp, silent)
				a.sendUnmet(silent)
				a.sendUnmet(0) // comes back cancelled: so one before it failed
			case 4:
				a.endChain()
				if err := w.rest(); err != nil {
					return err
				}
				a.sendUnmet(0) // comes back cancelled: so none behind it succeeded
				a.sendUnmet(silent)
				a.sendUnmet(silent | ndk.NDK_OP_FLAG_DEFER)
				a.flush()
			}
			return nil
		})
	})
}
