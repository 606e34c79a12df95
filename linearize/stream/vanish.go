package stream

import (
	"slices"

	"ndkoracle/linearize/verdict"
)

// closedQps is what is known of the closes of the QPs of a CQ, which may take their completions out of it.
type closedQps struct {
	running     []*qp      // of which the close is called: the call is running
	latest      *qp        // the latest of which completions may have vanished
	outstanding []*request // outstanding requests of QPs whose close has completed
	retired     int        // how many of its QPs were put aside
}

// When the close of a QP completes, the completions of it that its CQs hold stay there, or vanish (A21).

// closeBegins handles the call of the close of p: until it returns, the completions of p may vanish at any moment.
func (p *qp) closeBegins() {
	for _, q := range p.cqs() {
		for _, l := range p.wqs {
			if l.cq == q {
				l.free()
			}
		}
		q.closedQps.running = append(q.closedQps.running, p)
		q.vanish(p)
	}
}

// closeReturns handles the return of the close of p. If the close is pending, or was refused, nothing has vanished.
func (p *qp) closeReturns(done bool) {
	for _, q := range p.cqs() {
		q.closedQps.running = slices.DeleteFunc(q.closedQps.running, func(o *qp) bool { return o == p })
		if !done && p.over == 0 && q.closedQps.latest == p {
			q.take(observation{what: stayed, at: p.s.at})
		}
	}
}

// cqs returns the CQs of p, each once.
func (p *qp) cqs() []*cq {
	var all []*cq
	for _, l := range p.wqs {
		if l.cq != nil && !slices.Contains(all, l.cq) {
			all = append(all, l.cq)
		}
	}
	return all
}

// free records that what had to have completed of l need not be in its CQ any more.
func (l *workQueue) free() {
	if l.cq.stopped() {
		return // its polls tell nothing any more
	}
	for _, r := range l.waiting {
		if r.owed != 0 && r.place == 0 && !r.missed && !r.freed {
			l.cq.take(observation{what: frees, at: l.qp.s.at, owed: r.owed, request: r})
			r.freed, l.cq.closedQps.outstanding = true, append(l.cq.closedQps.outstanding, r)
		}
	}
}

// vanish records that the completions of p in the CQ may have vanished.
func (q *cq) vanish(p *qp) {
	e := observation{what: vanishing, at: q.s.at, again: q.closedQps.latest == p}
	for _, l := range p.wqs {
		if l.cq != q {
			continue
		}
		if l.sharesReceives() {
			e.n += l.qp.takes.outstanding
		}
		for _, r := range l.waiting {
			if r.place != 0 {
				e.list = append(e.list, uint64(r.place))
			} else if !r.foundOver() {
				e.n++
			}
		}
	}
	if e.list != nil || e.n > 0 {
		q.closedQps.latest, e.from = p, q.endedBy()
		q.takeOne(&e)
	}
}

// stays handles r, delivered by a poll that was called after the close of its QP. Nothing has vanished of what its CQs held of that QP. stays adds
// to out what that means for q.
func (r *request) stays(out []observation, q *cq, line int) []observation {
	for _, of := range r.wq.qp.cqs() {
		switch {
		case of.closedQps.latest != r.wq.qp:
		case of == q:
			out = append(out, observation{what: stayed, request: r, pending: -1})
		default:
			of.take(observation{what: stayed, at: q.s.at, request: r})
		}
	}
	if p := r.wq.qp; !p.stayed {
		p.stayed = true
		for _, l := range p.wqs {
			out = l.stayed(out, q, line)
		}
	}
	return out
}

// stayed records that nothing of l has vanished. What had to have completed before the close of its QP lies in its CQ, or a poll broke POLL-03.
// The line is that of the poll which shows it. stayed adds to out what that means for q.
func (l *workQueue) stayed(out []observation, q *cq, line int) []observation {
	for _, o := range l.waiting {
		switch {
		case o.missed:
		case o.freed:
			o.freed, l.cq.closedQps.outstanding = false, without(l.cq.closedQps.outstanding, o)
			if is := (observation{what: owes, owed: o.owed, request: o, pending: -1}); l.cq == q {
				out = append(out, is)
			} else {
				l.cq.takeNow([]observation{is})
			}
		case o.vanished && o.owed != 0 && o.place == 0:
			l.cq.reportLate(o, line)
			return out
		}
	}
	return out
}

// isLast reports whether r is the only request of its QP that its CQ may have held, without a point to tell: where r was placed, or is
// delivered, nothing of the QP had vanished.
func (r *request) isLast() bool {
	l := r.wq
	others := func(o *request) bool { return o != r && o.place == 0 }
	return l.cq.closedQps.latest == l.qp && l.qp.takes == nil && !slices.ContainsFunc(l.qp.wqs[:], func(own *workQueue) bool {
		return own.cq == l.cq && slices.ContainsFunc(own.waiting, others)
	})
}

// leaveVanishedOpen records that it is not known what q still holds of p, whose close is pending.
func (p *qp) leaveVanishedOpen(q *cq) {
	p.leaveOpen(p.name + " was closed, and which of its completions " + q.name + " still held " + verdict.NotFollowed)
}

// hasVanished handles the first placed completions of the CQ, up to until, or all where until is nil. They were not there from an event on, so
// they have vanished with their QPs. Where the close of a QP has not completed, what the CQ holds of it is undecided.
func (q *cq) hasVanished(from eventIndex, until *request) {
	for len(q.points) > 0 && q.points[0] != until {
		r := q.points[0]
		switch p := r.wq.qp; {
		case p.over != 0 && p.over >= from:
			return // the poll may have come first
		case p.over != 0:
			r.vanished, q.points = true, q.points[1:]
			q.shown--
		case p.closing != 0:
			p.leaveVanishedOpen(q)
			return
		default:
			return
		}
	}
}
