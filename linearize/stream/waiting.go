package stream

import (
	"slices"

	"ndkoracle/model"
)

// waits reports whether r waits at a moment of rest for sure: for the consumer, or for a message, or a receive, that was not posted. What the trace does
// not record of a peer is not known.
func (l *workQueue) waits(r *request) bool {
	p := l.qp
	switch {
	case r.returned == 0, r.deferred && r.ended == 0:
		return true
	case l.queue == model.Receive:
		return p.peer == nil || r.order() >= p.peer.wqs[model.Initiator].sends
	case !r.op.IsSend() || !p.kind.isLosable:
		return false
	}
	return p.peer == nil || p.peer.connects || r.sends-l.failedSends() >= p.peer.wqs[model.Receive].posted()
}

// mayFail reports whether r, which waits for a receive or a message that was not posted, may have ended otherwise: what a poll finds behind a moment of rest may
// tell that it had by then, where the other end is in the trace. Of receives the first stands for all.
func (l *workQueue) mayFail(r *request) bool {
	p := l.qp
	if p.peer == nil || p.isRemote() || p.peer.connects || r.silent || r.returned == 0 || r.deferred && r.ended == 0 {
		return false
	}
	return l.queue == model.Initiator || r == l.waiting[0]
}

// hadCompleted reports whether r is known to have completed by the present moment of rest, or had to: a silent request, if it has a completion. The
// clauses decide that, except for connections with another host, queue pairs that they no longer follow, and CQs that may have overflowed. There the
// requests ahead of r on its queue must also have completed.
func (l *workQueue) hadCompleted(r *request, before bool) bool {
	if r.hadCompleted(l.qp.s.at) {
		return true
	}
	byHand := l.qp.isRemote() || l.cq.window.from != 0 || !l.qp.s.hidden.engine.Follows(l.qp.name)
	return byHand && (l.qp.flushedAfter(r) || before && !l.waits(r) && l.hadMet(r))
}

// hadMet reports whether r, which was posted with all that it waits for, is known to have met it.
func (l *workQueue) hadMet(r *request) bool {
	other := l.other()
	switch {
	case l.queue == model.Receive:
		return r.order() < max(other.took, other.succeeded)
	case !r.op.IsSend() || !l.qp.kind.isLosable:
		return true
	}
	return other.successes() > r.sends || l.qp.isRemote() && !l.qp.mayHaveEnded()
}

// mayHaveEnded reports whether the connection of p, whose peer is known, may have ended by now, or a receive of the peer.
func (p *qp) mayHaveEnded() bool {
	if p.mayBeBroken() || p.peer.mayBeBroken() {
		return true
	}
	l := p.peer.wqs[model.Receive]
	return l.cq != nil && l.cq.shown > 0 &&
		slices.ContainsFunc(l.waiting, func(r *request) bool { return r.place != 0 && r.outcome != model.SUCCESS })
}

// failedSends counts the sends that have a recorded outcome other than success: they took no receive, or ended their receive as well.
func (c *endedCounts) failedSends() int { return c.sendsDone - c.took }

// posted counts the receives that had been posted, but for those that are known to have taken no message.
func (l *workQueue) posted() int { return l.returned - l.lost }

// successes counts the requests of a queue that are known to have succeeded, or placed.
func (l *workQueue) successes() int {
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
