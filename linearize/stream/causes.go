package stream

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// A breakage is from when on something may have cancelled requests of a QP.
type breakage struct {
	broken eventIndex         // from when on something that the trace shows may have cancelled requests, or 0
	lost   [causes]eventIndex // … by what, each
}

// From when on something that the trace shows may have cancelled requests of a QP: a request of it that failed, a flush, the loss of its connection, or
// what happened to its peer. What cancelled a request, and whether anything did (RES-10), the clauses over hidden times decide.

// A cause is what may have cancelled requests of a QP.
type cause uint8

const (
	byEvent     cause = iota // that is certain
	byFlushCall              // a flush, or its close, that has not returned, and may yet be refused
	byPeerCall               // … of its peer
	causes
)

// breaks notes that requests of p, and of its peer, may be cancelled from an event on.
func (p *qp) breaks(from eventIndex) {
	p.mayBeLost(from, byEvent)
	if p.peer != nil {
		p.peer.mayBeLostByPeer(from)
	}
	p.breaksAcross(from)
}

// breaksAcross notes what it means for the other host that p breaks from an event on.
func (p *qp) breaksAcross(from eventIndex) {
	if p.shadow != nil {
		known := eventIndex(1)
		if from == p.s.at {
			known = max(known, p.s.knows)
		}
		p.shadow.peer.mayBeLost(known, byEvent)
	}
}

// flushesFrom takes the call of a flush, or of the close, of p: unless it is refused, requests may be cancelled from now on.
func (p *qp) flushesFrom() {
	p.mayBeLost(p.s.at, byFlushCall)
	if p.peer != nil {
		p.peer.mayBeLost(max(p.s.at, p.peer.connected), byPeerCall)
	}
	p.breaksAcross(p.s.at)
}

// flushAnswers takes the return of a flush, or of the close, that was called at an event.
func (p *qp) flushAnswers(call eventIndex, refused bool) {
	if !refused {
		p.breaks(call)
	} else if p.flushCalled == call {
		p.flushCalled = 0
	}
	running := eventIndex(0)
	for _, u := range p.s.open.All() {
		if running == 0 && u.qp == p && (u.Kind == calls.FlushQp || u.Kind == calls.CloseQp) {
			running = u.call
		}
	}
	p.lost[byFlushCall] = running
	p.broken = p.brokenSince()
	if p.peer != nil {
		if p.peer.lost[byPeerCall] = running; running != 0 {
			p.peer.lost[byPeerCall] = max(running, p.peer.connected)
		}
		p.peer.broken = p.peer.brokenSince()
	}
}

// brokenSince returns from when on something that is known may have cancelled requests of p, or 0.
func (b *breakage) brokenSince() eventIndex {
	since := eventIndex(0)
	for _, from := range b.lost {
		if from != 0 && (since == 0 || from < since) {
			since = from
		}
	}
	return since
}

// brokeBefore reports whether something that is known may have cancelled requests of p before an event.
func (b *breakage) brokeBefore(at eventIndex) bool { return b.broken != 0 && b.broken < at }

// mayBeLost notes that requests of p may be cancelled from an event on.
func (b *breakage) mayBeLost(from eventIndex, by cause) {
	if b.broken == 0 || from < b.broken {
		b.broken = from
	}
	if b.lost[by] == 0 || from < b.lost[by] {
		b.lost[by] = from
	}
}

// mayBeLostByPeer notes that requests of p may be cancelled by what happened to its peer, from an event on, but not before it was
// connected. Nothing that happens to its peer ends an unreliable QP.
func (p *qp) mayBeLostByPeer(from eventIndex) {
	if p.kind.isLosable {
		p.mayBeLost(max(from, p.connected), byEvent)
	}
}

// cancelledFrom returns from when on r, if it is cancelled, can have been: a receive that was pending at a moment of rest not before that.
func (r *request) cancelledFrom() eventIndex {
	if r.wq.queue == model.Initiator {
		return r.called // it may have passed a read, which kept it from completing
	}
	return max(r.called, r.pendingAt())
}

// undelivered handles the completions of p that points placed and no poll delivered.
func (p *qp) undelivered() {
	for _, l := range p.wqs {
		for _, r := range l.waiting {
			switch {
			case r.place == 0 || l.cq.stopped():
			case r.outcome == model.FAILED:
				p.breaks(max(r.called, r.pended))
			case r.outcome == model.CANCELLED && p.peer != nil:
				p.peer.mayBeLostByPeer(r.called)
			}
		}
	}
}

// mayHaveBroken reports whether an outstanding request may have ended the connection unseen: it may have failed,
// or have named a bad token, though it succeeded (INV-05).
func (l *workQueue) mayHaveBroken(r *request) bool {
	return r.mayHaveAborted() || r.place == 0 && l.mayHaveEnded(r)
}

// mayHaveAborted reports whether an outstanding request may have ended the connection though it succeeded, with no completion
// to tell of it: a silent message that names a bad token, if its peer had a receive for it, which is not told to have succeeded (INV-05).
func (r *request) mayHaveAborted() bool {
	if r.op != model.SendAndInvalidate || !r.silent && r.place == 0 {
		return false
	}
	to := r.wq.other()
	return to == nil || r.index() >= r.wq.known || r.index() < to.next && to.successes() <= r.index()
}
