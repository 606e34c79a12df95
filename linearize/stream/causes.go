package stream

import "ndkoracle/model"

// From when on something that the trace shows may have cancelled requests of a QP: a request of it that failed, a flush, the loss of its connection, or
// what happened to its peer. What cancelled a request, and whether anything did (RES-10), the clauses over hidden times decide.

// breaks records that requests of p, and of its peer, may be cancelled from an event on.
func (p *qp) breaks(from eventIndex) {
	p.mayBeLost(from)
	if p.peer != nil {
		p.peer.mayBeLostByPeer(from)
	}
	p.breaksAcross(from)
}

// breaksAcross records what it means for the other host that p breaks from an event on.
func (p *qp) breaksAcross(from eventIndex) {
	if p.shadow != nil {
		known := eventIndex(1)
		if from == p.s.at {
			known = max(known, p.s.knows)
		}
		p.shadow.peer.mayBeLost(known)
	}
}

// mayBeLost records that requests of p may be cancelled from an event on.
func (p *qp) mayBeLost(from eventIndex) {
	if p.broken == 0 || from < p.broken {
		p.broken = from
	}
}

// mayBeLostByPeer records that requests of p may be cancelled by what happened to its peer, from an event on, but not before it was
// connected. Nothing that happens to its peer ends an unreliable QP.
func (p *qp) mayBeLostByPeer(from eventIndex) {
	if p.kind.isLosable {
		p.mayBeLost(max(from, p.connected))
	}
}

// isEnding reports whether a flush of p is under way, or its close was called. Until they return they may be refused.
func (p *qp) isEnding() bool { return p.flushing > 0 || p.closing != 0 }

// mayBeBroken reports whether something that is known may have cancelled requests of p by now.
func (p *qp) mayBeBroken() bool {
	return p.broken != 0 || p.isEnding() || p.peer != nil && p.kind.isLosable && p.peer.isEnding()
}

// undelivered handles the completions of p that points placed and no poll delivered.
func (p *qp) undelivered() {
	for _, l := range p.wqs {
		for _, r := range l.waiting {
			switch {
			case r.place == 0 || l.cq.stopped():
			case r.outcome == model.FAILED:
				p.breaks(r.called)
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
