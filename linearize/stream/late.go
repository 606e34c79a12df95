package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// What is known later of a moment of rest: a request that was outstanding then had to have completed, or had not.

// cancelUnmet notes, once a flush has returned, that it cancelled the sends for which the peer had posted no receive, unless they had
// failed.
func (p *qp) cancelUnmet(flush moment) {
	l := p.lanes[model.Initiator]
	if p.peer == nil || p.isRemote() || l.cq == nil {
		return
	}
	unmet := false
	for _, r := range l.waiting {
		if r.returned == 0 || r.returned >= flush {
			return
		}
		unmet = unmet || r.op.IsSend() && r.index() < l.known && r.sends == l.sendsDone && r.index() >= p.peer.lanes[model.Receive].next
		if unmet && r.silent && r.op.IsSend() {
			r.cancelled = true
			l.cq.takeNow(r.wasOwed(nil))
		}
	}
}

// A leftBehind is a receive that was delivered after a poll that had found nothing, or that a point of the trace placed.
type leftBehind struct {
	receive *posting
	order   int    // how many receives before it may have taken a message
	emptied moment // the call of that poll, or the point
}

// leave remembers a receive that is over, after a poll had found nothing since a moment of rest that came after its post, or
// whose place is known.
func (q *cq) leave(r *posting) {
	sends, emptied := r.lane.other(), r.place
	if sends == nil || r.lane.qp.isRemote() || r.owed != 0 && r.place == 0 || r.returned == 0 {
		return
	}
	if r.returned < q.emptyAtRest {
		emptied = max(emptied, q.emptied)
	}
	if emptied != 0 && len(sends.left) < MaxFollowing {
		sends.left = append(sends.left, leftBehind{r, r.order(), emptied})
	}
}

// drop forgets the receives that were left behind, but for those after the first n.
func (l *lane) drop(n int) {
	l.left = slices.DeleteFunc(l.left, func(b leftBehind) bool { return b.order < n })
}

// order returns how many receives before r, which is outstanding, may have taken a message: one that failed took none, but one that names a bad
// token (INV-05).
func (r *posting) order() int { return r.orderBehind(nil) }

// orderBehind does the same where the messages up to m have succeeded, or wait: where none of them names a token, none has ended the connection.
func (r *posting) orderBehind(m *posting) int {
	p := r.lane.qp
	if p.isRemote() {
		return r.position
	}
	if first := p.peer.mayEnd; first != nil && (m == nil || m.sends >= first.sends) {
		return r.position
	}
	return r.position - r.lane.lost
}

// A sentBy is a moment of rest by which so many sends had succeeded, or waited for a receive, and one of them.
type sentBy struct {
	send *posting
	mark moment
	sent int
}

// arrivedAfterAll handles a receive that failed: the receives behind it took the messages that it did not take.
func (l *lane) arrivedAfterAll(out []sight) []sight {
	sends := l.other()
	if sends == nil {
		return out
	}
	for _, a := range []sentBy{sends.sentBy, sends.toldBy} {
		if a.send != nil {
			out = a.send.arrivedBy(out, l.cq, a.mark, a.sent)
		}
	}
	return out
}

// toldByRest notes the sends that were told to have succeeded before the present moment of rest: as many receives had.
func (l *lane) toldByRest() {
	if m := l.latest; m != nil && l.other() != nil && l.other().qp.closing == 0 {
		m.owedLine = l.qp.s.line()
		l.toldBy, l.latest = sentBy{m, l.qp.s.at, l.took}, nil
	}
}

// succeededBy returns a moment of rest by which r, a send that is told to have succeeded, had, or 0. What is polled after its CQ failed had
// been placed before (ARM-17).
func (r *posting) succeededBy() moment {
	if q := r.lane.cq; r.owed == 0 && q.failed != 0 && q.failed < q.restedAt {
		r.owedLine = q.restedLine
		return q.restedAt
	}
	if by := r.dueBy(); by != 0 || r.lane.took == r.sends {
		return by // where it waited, no receive was pending that it could take
	}
	return r.lackedAt // sends before it failed, and left it their receives
}

// arrivedBy notes that r and other sends, so many in all, had succeeded by a moment of rest, and so as many receives were
// over. What that means for the CQ q is added to out.
func (r *posting) arrivedBy(out []sight, q *cq, mark moment, sent int) []sight {
	l := r.lane.other()
	if l == nil || l.cq == nil || l.qp.isRemote() {
		return out
	}
	if r.lane.sentBy.sent < sent {
		r.lane.sentBy = sentBy{r, mark, sent}
	}
	for _, b := range r.lane.left {
		if b.order < sent && b.receive.returned < mark && mark <= b.emptied {
			b.receive.owedLine = r.owedLine
			l.cq.reportLate(b.receive, r.owedLine)
			return out
		}
	}
	for _, to := range l.waiting {
		if to.orderBehind(r) >= sent || to.returned == 0 || to.returned >= mark {
			break
		}
		var more bool
		if out, more = to.hadEnded(out, q, mark, r.owedLine); !more {
			break
		}
	}
	return out
}

// hadEnded notes that r was over by a moment of rest, and so had completed. What that means for the CQ q is added to out. It reports
// whether r may have.
func (r *posting) hadEnded(out []sight, q *cq, mark moment, line int) ([]sight, bool) {
	home := r.lane.cq
	if r.place > mark || r.owed == 0 && r.place == 0 && home.emptied >= mark {
		r.owedLine = line
		home.reportLate(r, line)
		return out, false
	}
	if r.owed != 0 || r.place != 0 {
		return out, true
	}
	var seen []sight
	if r.rested == mark {
		seen = r.wasOwed(nil)
	} else {
		seen = r.notOwed(nil)
		r.owed, r.owedLine = mark, line
		home.owed++
	}
	if home == q {
		out = append(out, seen...)
	} else {
		home.takeNow(seen)
	}
	return out, true
}

// takeNow takes sights that come with the present event.
func (q *cq) takeNow(seen []sight) {
	for _, e := range seen {
		e.at = q.s.at
		q.take(e)
	}
}

// pendedInVain returns the latest moment of rest at which r, a receive that succeeded, is known to have been pending though all messages had been
// posted by then, or 0: none was left for it. A flush may have ended it later, and then it had to have completed by a later rest anyhow.
func (r *posting) pendedInVain() moment {
	home, sends, by := r.lane.cq, r.lane.other(), r.pendingAt()
	if sends == nil || r.place != 0 || r.returned == 0 || r.returned >= by || home.failed != 0 || home.crowded.from != 0 || !sends.allIndicatedBy(by) {
		return 0
	}
	return by
}

// allIndicatedBy reports whether nothing but what came before it, or the want of a receive, kept the provider from executing any send of an
// initiator queue by a moment: all had been posted, on a connection, and all their chains had ended.
func (l *lane) allIndicatedBy(at moment) bool {
	p := l.qp
	isSend := func(r *posting) bool { return r.op.IsSend() }
	return !p.isRemote() && p.peer != nil && !p.peer.isRemote() && p.standsAt(at) && p.peer.standsAt(at) &&
		p.posting[l.queue] == 0 && !slices.ContainsFunc(p.deferred, isSend) && l.indicated < at && l.cq != nil && l.cq.failed == 0 && l.cq.crowded.from == 0
}

// standsAt reports whether p had been connected by a moment, and was not being closed: after a close nothing is owed (A21).
func (p *qp) standsAt(at moment) bool {
	return p.connectedBy != 0 && p.connectedBy < at && (p.closing == 0 || p.closing > at)
}

// mayHold reports whether an explanation is left in which r, which the poll delivers, had been placed by the moment of rest at which that
// was open. Behind others of a poll during which more was seen only what came before it is asked.
func (q *cq) mayHold(p *poll, r *posting, kinds automaton.Kinds) bool {
	return q.holds(q.queue.Clone(), p, r, kinds)
}

// mayHoldTold does the same where a consumer has told of all callbacks that were entered by now.
func (q *cq) mayHoldTold(p *poll, r *posting, kinds automaton.Kinds) bool {
	a := q.queue.Clone()
	if q.s.consumer {
		a.Readers(0, automaton.Moment(q.s.at))
	}
	return q.holds(a, p, r, kinds)
}

func (q *cq) holds(a *automaton.Queue, p *poll, r *posting, kinds automaton.Kinds) bool {
	at := automaton.Moment(q.s.at)
	rested, from := automaton.Moment(r.rested), automaton.Moment(r.called)
	if !a.Owe(rested, from, at) || len(p.delivered) > 0 && p.to > 0 {
		return a.Alive()
	}
	for _, before := range p.delivered {
		before.at, before.pending = q.s.at, -1
		if !q.show(a, &before) {
			return false
		}
	}
	return a.Delivered(automaton.Delivery{Kinds: kinds, From: from, Counted: automaton.Moment(r.countedFrom()), Called: from, Owed: rested}, at)
}

// wasOwed notes that r had to have completed at the moment of rest at which that was open.
func (r *posting) wasOwed(out []sight) []sight {
	if r.rested == 0 || r.owed != 0 {
		return out
	}
	r.owed = r.rested
	r.lane.cq.owed++
	return append(out, sight{what: owes, owed: r.rested, posting: r, pending: -1})
}

// notOwed records that r need not have completed at the moment of rest at which that was undecided.
func (r *posting) notOwed(out []sight) []sight {
	if r.rested == 0 || r.owed != 0 {
		return out
	}
	return append(out, sight{what: owesNot, owed: r.rested, posting: r, pending: -1})
}
