package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/declared"
	"ndkoracle/model"
)

// rest takes a moment at which the provider had come to rest.
func (s *Stream) rest() {
	owed, open := map[*cq][]*posting{}, map[*cq]int{}
	s.undecided = s.undecided[:0]
	for _, p := range s.qpsInOrder {
		if p.isRemote() {
			p.peer.catchUp()
		}
		if p.group.root().stopped || p.unclear != "" { // nothing more is said of either end
			continue
		}
		p.lanes[model.Receive].findArrived()
		for _, l := range p.lanes {
			for _, r := range l.owe() {
				r.owedLine = s.line()
				l.cq.takeNow(r.notOwed(nil))
				if l.maybeOwed(r) {
					if r.rested = s.at; p.flushedAfter(r) {
						r.unsureAt = 0 // what a flush has ended waits no more
					}
					open[l.cq]++
					continue
				}
				if l.cq.over != 0 && r.called > l.cq.over {
					s.unexplained(p.group, "LIFE-04", 0, []int{r.line}, "%s, posted with success, is to complete into %s, and %s is closed",
						r.wr, l.cq.name, l.cq.name)
					p.allows("first the completion of %s, and then the close of %s", r.wr, l.cq.name)
					r.missed = true
				}
				r.owed, r.rested = s.at, 0
				l.cq.owed++
				if r.place == 0 {
					owed[l.cq] = append(owed[l.cq], r)
				}
			}
			if slices.ContainsFunc(l.waiting, func(r *posting) bool { return !r.silent && r.rested != 0 && r.owed == 0 && !r.missed }) {
				s.undecided = append(s.undecided, l)
			}
		}
	}
	for _, q := range s.inOrder {
		e := sight{what: restful, at: s.at, waiting: q.waits(), n: open[q]}
		for _, r := range owed[q] {
			e.list = append(e.list, uint64(r.called))
		}
		if q.over == 0 {
			s.meets(declared.Resting)
		}
		if q.closed == 0 && q.calling == 0 && len(q.arms) == 0 {
			q.confirm()
		}
		q.restedAt, q.restedLine, q.armedRest = s.at, s.line(), cmp.Or(q.armedRest, s.line())
		q.take(e)
	}
}

// owe returns the requests that must have completed by now and need not have by an earlier moment of rest: those that wait
// for nobody but the provider, silent ones that must have if they fail, and receives whose message has been sent.
func (l *lane) owe() []*posting {
	p := l.qp
	if l.cq == nil || p.closing != 0 || l.cq.failed != 0 {
		return nil
	}
	var due []*posting
	var send, unsure *posting // the first before it, and one which may wait
	waits := false            // something before it does
	flush := p.latestOver()   // what is posted later is not flushed
	for _, r := range l.waiting {
		if send == nil && r.op.IsSend() && r.place == 0 {
			send = r
		}
		if r.owed != 0 || r.missed {
			continue
		}
		flushed := p.flushedAfter(r)
		behind := waits || unsure != nil
		if !waits && !flushed && r.place == 0 {
			switch does, sure := l.waits(r); {
			case does && sure:
				waits = true
			case does:
				unsure = cmp.Or(unsure, r)
				r.mayWaitFor(r)
			case behind:
				r.mayWaitFor(unsure)
			}
		}
		if (waits || unsure != nil) && !flushed && (behind || !r.unsure()) {
			if waits && r.called > flush {
				break
			}
			if r.unsureAt == p.s.at && (!r.silent || r.rested == 0) {
				due = append(due, r)
			}
			continue
		}
		if r.rested == 0 || !l.maybeOwed(r) || flushed && r.unsure() {
			r.ahead, due = send, append(due, r)
		}
	}
	return due
}

// maybeOwed reports whether it is not known yet if r, which waits for nobody but the provider and perhaps a message that has
// been sent, has to complete: a silent request if it fails, a receive if the message has arrived, what may wait for a receive if it does not.
func (l *lane) maybeOwed(r *posting) bool {
	switch {
	case l.queue == model.Receive:
		return r.place == 0 && !l.qp.flushedAfter(r) && r.position >= l.unmet
	case r.mayWaitNow():
		return true
	}
	return r.silent && !r.cancelled && r.place == 0 && (l.maySucceed(r) || r.unsure() && !l.qp.flushedAfter(r))
}

// silentBy returns the moment of rest by which r, a silent request, had succeeded unless it had a completion, or 0.
func (r *posting) silentBy() moment {
	if !r.silent || r.unsure() {
		return 0
	}
	return r.rested
}

// lacksCompletion returns the line by which r, a silent request that did not succeed, had to have completed, and the lines to see: that of a
// moment of rest, or else of the poll that shows it.
func (r *posting) lacksCompletion(poll int) (line int, see []int) {
	if r.owed == 0 && r.silentBy() == 0 {
		return poll, []int{r.line}
	}
	return r.owedLine, []int{r.line, poll}
}

// latestOver returns the call of the flush that was called latest of those that are over, or 0.
func (p *qp) latestOver() moment {
	latest := moment(0)
	for _, f := range p.flushed {
		latest = max(latest, f.call)
	}
	return latest
}

// flushedAfter reports whether a flush is over that was called after r had been posted.
func (p *qp) flushedAfter(r *posting) bool {
	return slices.ContainsFunc(p.flushed, func(f returned) bool { return r.returned != 0 && f.call > r.returned })
}

// findArrived finds the first receive of a queue that is not known to have had a message to take. Of a peer at another host as many sends are known to
// have succeeded as the receives before it can have taken.
func (l *lane) findArrived() {
	arrived := func(r *posting) bool { return r.hadCompleted(l.qp.s.at) }
	if l.qp.isRemote() {
		n := max(l.other().took, l.other().succeeded)
		arrived = func(r *posting) bool { return r.order() < n }
	}
	for _, r := range l.waiting {
		if r.owed == 0 && r.place == 0 && !r.missed && !arrived(r) {
			l.unmet = r.position
			return
		}
	}
	l.unmet = never
}

// missing reports a request that had to have completed at a moment of rest before a poll that found nothing.
func (q *cq) missing(p *poll) {
	var first *posting
	for _, qp := range q.s.qpsInOrder {
		for _, l := range qp.lanes {
			for _, r := range l.waiting {
				if l.cq != q {
					break
				}
				by := r.dueBy()
				due := by != 0 && by <= p.call.call && r.place == 0 && !r.missed && (qp.over == 0 || qp.stayed && r.owed != 0)
				if due && (first == nil || by < first.dueBy()) {
					first = r
				}
			}
		}
	}
	if first != nil {
		q.reportLate(first, p.line)
	} else if q.mayOwe <= p.call.call {
		q.mayOwe = 0
	}
}

// dueBy returns the moment of rest at which r had to have completed, if it waited for no receive, or 0.
func (r *posting) dueBy() moment {
	if r.owed != 0 || r.silent {
		return r.owed
	}
	return r.unsureAt
}

// flushedBy reports whether a flush was over at a moment that cancelled r, be it by the reading of A15.
func (r *posting) flushedBy(at moment) bool {
	p := r.lane.qp
	return p.cancelsAll != 0 && p.cancelsAll <= at || slices.ContainsFunc(p.flushed, func(f returned) bool {
		return r.returned != 0 && f.call > r.returned && f.ret <= at
	})
}

// reportLate reports a request that had not completed at a moment of rest, as a poll shows.
func (q *cq) reportLate(r *posting, poll int) {
	q.reportLateBy(r, cmp.Or(r.dueBy(), r.rested), r.owedLine, poll)
}

// reportLateBy does the same of a moment of rest, and the line of that.
func (q *cq) reportLateBy(r *posting, by moment, line, poll int) {
	qp := r.lane.qp
	if qp.closing != 0 && !qp.stayed {
		qp.leaveVanishedOpen(q)
		return
	}
	if m := r.mayHaveWaited(by); m != nil {
		qp.leaveOpen(m.leavesOpen())
		return
	}
	r.isBlamed()
	rule, why := "DEF-04", r.wr+", posted with success, had not completed"
	if r.silent { // it has not succeeded
		rule, why = "FLAG-02", r.wr+", a silent request that failed or was cancelled, had not completed"
	}
	switch {
	case qp.stayed:
		why += ", or is not delivered though the completions of " + qp.name + " did not vanish when that was closed"
	case r.silent:
	case qp.flushedAfter(r) && r.flushedBy(by):
		rule, why = "FLUSH-02", r.wr+", pending when a flush or the end of the connection cancelled it, had not completed"
	case r.refusal:
		rule, why = "DEF-05", r.wr+", deferred before a post that was refused, had not been indicated and completed"
	}
	untold := q.group.root().without == q && q.armed != model.NONE
	if untold {
		rule, why = "ARM-08", why+", and if "+q.name+" had overflowed, no callback told of it"
	}
	// An earlier loss of the connection would not explain any of that.
	if resize := q.lostByResize(by); resize != 0 && !untold {
		q.s.unless("", q.group, "RSZ-02", poll, []int{r.line, line, resize},
			"the provider was at rest before %s was resized, and its completions afterwards lack that of %s", q.name, r.wr)
		q.s.notes(r, nil)
		q.s.also(rule)
	} else {
		q.s.unless("", q.group, rule, line, []int{r.line, poll}, "the provider was at rest, and %s: what %s shows afterwards", why, q.name)
		q.s.notes(r, nil)
		q.alsoByResize(r.line, "POLL-03")
	}
	q.s.restsOnReceive(r, by)
	if untold {
		q.alsoByResize(r.line, "POLL-03", "DEF-04")
	}
	qp.allows("first the completion of %s", r.wr)
	for _, behind := range r.lane.waiting { // a queue completes in order
		behind.missed = behind.missed || behind == r || behind.owed != 0 && behind.owed <= q.emptied
	}
	q.queue.Resume()
}
