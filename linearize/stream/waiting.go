package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A send waits for a receive of its peer, on a connection that has ended, too (A15), and what is behind it waits with it. So what it had to have
// done by a moment of rest depends on whether a receive was pending then, which is known of a peer that the trace holds, and whose connection
// has not ended. Otherwise it may have waited, until something tells that it had a receive, or had none.

// waits reports whether r itself may wait, and whether it does for sure: for the consumer, or for a peer that the trace does not record. On a
// connection that may have ended, the receives of the peer may have ended as well, and a send may wait for others (A15).
func (l *lane) waits(r *posting) (does, sure bool) {
	p := l.qp
	switch {
	case r.returned == 0:
		return true, true
	case l.queue == model.Receive:
		return p.peer == nil || r.order() >= p.peer.lanes[model.Initiator].sends, true
	case r.deferred && r.ended == 0:
		return true, true
	case !r.op.IsSend() || !p.kind.isLosable || (p.cancelsAll != 0 || p.left != 0) && p.closing == 0 || r.silentBy() != 0 && l.maySucceed(r):
		return false, true
	case p.peer == nil || p.peer.connects:
		return true, true
	case r.sends-l.failedSends() >= p.peer.lanes[model.Receive].posted():
		return true, r.silent || l.other().lost == 0 || p.peer.broken != 0 // else it may have failed, and ended the receive that it had
	case p.peer.lanes[model.Receive].successes() > r.sends:
		return false, true // its message was received, unless it failed
	case !p.mayHaveEnded():
		return false, true
	}
	return true, len(p.peer.lanes[model.Receive].waiting) == 0 && (!r.silent || r.rested == 0)
}

// mayHaveEnded reports whether the connection of p, whose peer is known, may have ended by now, or a receive of the peer.
func (p *qp) mayHaveEnded() bool {
	if p.broken != 0 || p.peer.broken != 0 {
		return true
	}
	l := p.peer.lanes[model.Receive]
	return l.cq != nil && l.cq.shown > 0 &&
		slices.ContainsFunc(l.waiting, func(r *posting) bool { return r.place != 0 && r.outcome != model.SUCCESS })
}

// mayWait reports whether l is a queue of sends, and the trace records the receives that they wait for, and where those complete.
func (l *lane) mayWait() bool {
	to := l.other()
	return l.queue == model.Initiator && to != nil && to.cq != nil && !l.qp.isRemote()
}

// mayWaitFor records that r may wait at this moment of rest: as a send for a receive, or for the send m before it, which does. A silent request is
// then no longer known to be over by the moment of rest at which it was assumed to be.
func (r *posting) mayWaitFor(m *posting) {
	switch s := r.lane.qp.s; {
	case r.silent && r != m:
	case r.silent && r.rested != 0:
		r.unsureAt = r.rested
	case r.unsureAt != 0 && r.unsureAt == r.rested && !r.lane.receivesSince(r.rested):
		// a receive that is pending now was pending then
	default:
		r.ahead, r.unsureAt, r.owedLine, r.lane.cq.mayOwe = m, s.at, s.line(), s.at
	}
}

// mayWaitNow reports whether r, which is not silent, may wait for a receive at the present moment of rest.
func (r *posting) mayWaitNow() bool { return !r.silent && r.unsureAt == r.lane.qp.s.at }

// unsure reports whether r, a silent send, may have waited for a receive at the moment of rest by which it was over otherwise.
func (r *posting) unsure() bool {
	return r.silent && r.unsureAt != 0 && (r.rested == 0 || r.rested == r.unsureAt)
}

// hadReceive reports whether the peer is known to have had a receive that was pending at a moment of rest: a poll shows that it had not ended.
func (r *posting) hadReceive(rested moment) bool {
	to := r.lane.other()
	if to == nil || to.cq == nil || to.emptyAtRest() < rested {
		return false
	}
	return slices.ContainsFunc(to.waiting, func(o *posting) bool { return o.returned != 0 && o.returned < rested && o.place == 0 })
}

// receivesSince reports whether a receive of the peer that may be pending was posted after a moment.
func (l *lane) receivesSince(at moment) bool {
	to := l.other()
	if to == nil {
		return true
	}
	for _, o := range slices.Backward(to.waiting) {
		if o.returned != 0 {
			return o.returned > at
		}
	}
	return false
}

// hasReceive reports whether the peer has posted more receives than are told to have ended otherwise, or took sends that succeeded.
func (l *lane) hasReceive() bool {
	to := l.other()
	return to == nil || to.qp.remote != nil || to.next-to.lost > l.took
}

// maySucceed reports whether an outstanding request of the initiator queue may have succeeded by now: there was a receive for its message.
func (l *lane) maySucceed(r *posting) bool {
	to := l.other()
	if !r.op.IsSend() || to == nil || to.qp.remote != nil {
		return true
	}
	return l.hasReceive() || r.op == model.SendAndInvalidate && to.next > l.took
}

// failedSends counts the sends that are told to have ended otherwise than with success: they left their receives, or ended them, too.
func (l *lane) failedSends() int { return l.sendsDone - l.took }

// posted counts the receives that had been posted, but for those that are told to have taken no message.
func (l *lane) posted() int { return l.returned - l.lost }

// successes counts the requests of a queue that are told to have succeeded, or placed.
func (l *lane) successes() int {
	n := l.took
	if l.cq != nil && l.cq.shown > 0 {
		for _, r := range l.waiting {
			if r.place != 0 && r.outcome == model.SUCCESS {
				n++
			}
		}
	}
	return n
}

// mayHaveHadNone reports whether r is a send that may have had no receive to take at a moment of rest, on a connection that may have ended:
// one that had been posted by then, as is known of what succeeded. UC and UD need none.
func (r *posting) mayHaveHadNone(rested moment) bool {
	had := r.over && r.outcome == model.SUCCESS && r.index() < r.lane.known || r.certain && r.owed == rested
	return !had && r.op.IsSend() && r.lane.qp.kind.isLosable && r.place == 0 && !r.flushedBy(rested) && !r.hadReceive(rested)
}

// mayHaveWaited returns r, or a send before it, if that may have waited for a receive at a moment of rest: on a connection that may have ended
// the receives of the peer may have ended too, and whoever sends may wait for more (A15); of a peer that the trace does not hold nothing is
// known. Or it returns nil.
func (r *posting) mayHaveWaited(rested moment) *posting {
	l := r.lane
	p := l.qp
	if l.queue != model.Initiator || r.certain && r.owed == rested || p.peer != nil && !p.mayHaveEnded() {
		return nil
	}
	waits := func(m *posting) bool { return m.position <= r.position && m.mayHaveHadNone(rested) }
	switch {
	case waits(r):
		return r
	case r.ahead != nil && waits(r.ahead):
		return r.ahead
	}
	if i := slices.IndexFunc(l.waiting, waits); i >= 0 {
		return l.waiting[i]
	}
	return nil
}

// mayHaveWaited returns a send of which it is not known that it had a receive at the moment of rest by which it, or a silent request behind it that
// is outstanding, is taken to have ended, or nil: a receive that nobody polls may have failed.
func (q *cq) mayHaveWaited() *posting {
	for _, l := range q.lanes {
		for _, r := range l.waiting {
			for _, m := range []*posting{r.ahead, r} {
				if m != nil && m.mayHaveHadNone(r.silentBy()) && (l.other() == nil || l.other().successes() <= m.sends) {
					return m
				}
			}
		}
	}
	return nil
}

// isBlamed remembers that something was found that rests on what r had to have done by a moment of rest.
func (r *posting) isBlamed() {
	if l := r.lane; l.queue == model.Initiator && len(l.blamed) < MaxFollowing {
		l.blamed = append(l.blamed, r)
	}
}

// mayHaveWaitedAfterAll handles a receive of the peer that failed or was cancelled. It may have ended before a moment of rest at which a send was
// assumed to have it. That is undecided where something was found, or where a silent send is assumed to have ended the connection. If the receive
// was cancelled, such a send may have ended it (INV-05).
func (l *lane) mayHaveWaitedAfterAll(outcome model.Outcome) {
	if g := l.qp.group.root(); !g.broken || g.unclear != "" {
		return
	}
	failed := outcome == model.FAILED || l.qp.s.verbs // in libibverbs a flush may tell of a failure
	waited := func(m *posting) *posting {
		switch {
		case m.owed != 0:
			return m.mayHaveWaited(m.owed)
		case failed && m.silent && m.rested != 0 && m.op.IsSend() && !m.hadReceive(m.rested):
			return m
		}
		return nil
	}
	var first *posting
	since := never
	for _, m := range slices.Concat(l.blamed, l.waiting[:min(len(l.waiting), MaxFollowing)]) {
		if w := waited(m); w != nil {
			first, since = cmp.Or(first, m), min(since, w.called)
		}
	}
	if first != nil && l.qp.s.reopenSince(l.qp.group, since) {
		l.qp.leaveOpen(waited(first).leavesOpen())
	}
}

// leavesOpen says what of r, a send, is not known.
func (r *posting) leavesOpen() string {
	return r.wr + " may have waited for a receive on a connection that had ended; " + verdict.RecordedBy(r.wr)
}
