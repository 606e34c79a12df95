package stream

import "ndkoracle/model"

// A message is received after what it waits for was executed: a read before it, if it is fenced (FLAG-04), and whatever changes a token. Writes
// before it arrive with it, and messages before it. So a flush that was called after its post did not cancel what a message waited for
// that was received: it would have cancelled the message, too.

// A barrier is a request that was cancelled and that messages behind it had waited for.
type barrier struct {
	uncaused
	latest *posting // the latest message behind it that is over, or nil
	open   bool     // one behind it need not have waited
}

// bars remembers u as a barrier, if it is one: the oldest, and the oldest that nothing passes. In verbs it may have failed.
func (l *lane) bars(u *uncaused) {
	switch r := u.request; {
	case r.op == model.Write || r.isMessage() || l.qp.s.verbs:
	case len(l.barriers) == 0, len(l.barriers) == 1 && l.barriers[0].passable && !u.passable:
		l.barriers = append(l.barriers, barrier{uncaused: *u})
	}
}

// follows records that r comes behind b.
func (b *barrier) follows(r *posting) {
	switch {
	case !r.op.IsSend():
	case b.passable && !r.fence:
		b.open = true
	default:
		b.latest = r
	}
	b.passable = b.passable && r.mayBePassed()
}

// checkBarriers holds the receives of the peer that succeeded against the barriers of a queue: more than there are messages before one
// took messages behind it (POLL-05).
func (l *lane) checkBarriers(q *cq, line int) {
	to := l.other()
	if to == nil || l.qp.isRemote() || q.stopped() {
		return
	}
	for i, b := range l.barriers {
		for _, r := range l.waiting {
			b.follows(r)
		}
		if to.took <= b.request.sends || b.open || b.latest == nil || b.latest.returned == 0 {
			continue
		}
		l.barriers = append(l.barriers[:i:i], l.barriers[i+1:]...)
		u := b.uncaused
		u.received = true
		b.latest.excludesFlushes(&u, q, line)
		l.qp.explain(&u)
		return
	}
}
