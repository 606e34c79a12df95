package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// emptiness is by when a CQ was empty, as moments of rest show, and polls that found nothing after them.
type emptiness struct {
	restedAt    eventIndex // the latest moment of rest
	restedLine  int
	emptied     eventIndex // the call of the latest poll that found nothing
	emptyAtRest eventIndex // the latest moment of rest after which a poll showed that nothing had completed
	unshown     eventIndex // the latest moment of rest before the latest poll that found nothing
	fetchedBy   eventIndex // of one that is left open: the latest after which a poll found nothing
	atRest      atRest     // while a moment of rest is handled
}

// atRest is what a moment of rest says of the requests that complete into a CQ.
type atRest struct {
	owed []uint64 // of each that had to have completed: the call of its post
	open int      // how many may turn out to have had to
}

// rest handles a moment of rest.
func (s *Stream) rest() {
	s.undecided = s.undecided[:0]
	for _, p := range s.qpsInOrder {
		if p.isRemote() {
			p.peer.catchUp()
		}
		if p.group.root().stopped || p.unclear != "" { // nothing more is said of either end
			continue
		}
		for _, l := range p.wqs {
			if l.cq == nil || p.closing != 0 || l.cq.failed.at != 0 {
				continue
			}
			due, undecided := l.owe()
			l.cq.atRest.owed = append(l.cq.atRest.owed, due...)
			if l.cq.atRest.open += undecided; undecided > 0 {
				s.undecided = append(s.undecided, l)
			}
		}
	}
	for _, q := range s.cqsInOrder {
		if q.over == 0 {
			s.seen[aRest]++
		}
		if q.closed == 0 && q.calling == 0 && len(q.arms.underWay) == 0 {
			q.arms.cases.confirm()
		}
		q.restedAt, q.restedLine, q.arms.restLine = s.at, s.line(), cmp.Or(q.arms.restLine, s.line())
		q.take(observation{what: restful, at: s.at, waiting: q.waits(), list: q.atRest.owed, n: q.atRest.open})
		q.atRest = atRest{}
	}
}

// owe finds, at a moment of rest, the requests of a queue that had to complete by it, and not by an earlier one. It counts those for which this may still
// turn out to be so.
func (l *workQueue) owe() (owed []uint64, open int) {
	p, had, asks, waits := l.qp, true, true, false
	flush := p.latestOver() // what is posted later is not flushed
	for _, r := range l.waiting {
		if r.owed != 0 || r.missed || r.place != 0 || r.certain || r.fetched {
			continue
		}
		had = asks && l.hadCompleted(r, had)
		asks = asks && (had || r.silent) // a queue completes in order
		switch {
		case had && (!r.silent || r.cancelled):
			r.isOwed()
			owed = append(owed, uint64(r.called))
		case had:
			if r.rested != 0 {
				l.cq.takeNow(r.notOwed(nil))
				r.rested = 0
			}
			if r.certain = true; r.rested == 0 {
				r.rested, r.owedLine = p.s.at, p.s.line()
				open++
			}
		case r.rested != 0:
		case waits && r.silent: // it waits as well, unless a request ahead of it has failed
		case l.waits(r) && r.called > flush && !l.mayFail(r):
			return owed, open
		case l.waits(r) && !p.flushedAfter(r) && !l.mayFail(r):
			waits = true
		default:
			waits = waits || l.waits(r)
			r.rested, r.owedLine = p.s.at, p.s.line()
			open++
		}
	}
	return owed, open
}

// isOwed records that r had to have completed by the present moment of rest.
func (r *request) isOwed() {
	l := r.wq
	p, q := l.qp, l.cq
	q.takeNow(r.notOwed(nil))
	if q.over != 0 && r.called > q.over {
		p.s.unexplained(p.group, "LIFE-04", 0, []int{r.line}, "%s, posted with success, is to complete into %s, and %s is closed", r.wr, q.name, q.name)
		p.allows("first the completion of %s, and then the close of %s", r.wr, q.name)
		r.missed = true
	}
	r.owed, r.rested, r.owedLine = p.s.at, 0, p.s.line()
	q.owed++
}

// silentBy returns the moment of rest by which r, a silent request, had succeeded unless it had a completion, or 0.
func (r *request) silentBy() eventIndex {
	if !r.silent || r.rested == 0 {
		return 0
	}
	if r.certain = r.certain || r.hadCompleted(r.rested); !r.certain {
		return 0
	}
	return r.rested
}

// lacksCompletion returns the line by which r, a silent request that did not succeed, had to have completed, and the lines to see: that of a
// moment of rest, or else of the poll that shows it.
func (r *request) lacksCompletion(poll int) (line int, see []int) {
	if r.owed == 0 && r.silentBy() == 0 {
		return poll, []int{r.line}
	}
	return r.owedLine, []int{r.line, poll}
}

// missing reports a request that had to have completed at a moment of rest before a poll that found nothing.
func (q *cq) missing(p *poll) {
	if first := q.oldestOwed(p.call.call); first != nil {
		if qp := first.wq.qp; !qp.mayHaveCarried() {
			qp.neverConnected()
		}
		q.reportLate(first, p.line)
	}
}

// oldestOwed returns the undelivered request that had to complete by the earliest moment of rest, if that was not later than an event, or nil.
func (q *cq) oldestOwed(by eventIndex) *request {
	var first *request
	for _, qp := range q.s.qpsInOrder {
		for _, l := range qp.wqs {
			for _, r := range l.waiting {
				if l.cq != q {
					break
				}
				due := r.owed != 0 && r.owed <= by && r.place == 0 && !r.missed && (qp.over == 0 || qp.stayed)
				if due && (first == nil || r.owed < first.owed) {
					first = r
				}
			}
		}
	}
	return first
}

// overdueAt says which rule r breaks that had not completed at a moment of rest.
func (r *request) overdueAt(by eventIndex) breach.Breach {
	overdue := breach.Overdue{Wr: r.wr, Silent: r.silent, Ended: r.silent}
	if qp := r.wq.qp; !qp.stayed {
		overdue.Cancelled, overdue.Refused = qp.flushedAfter(r) && r.flushedBy(by), r.refusal
	}
	return overdue.Breach()
}

// flushedBy reports whether a flush was over at an event that cancelled r, be it by the reading of A15.
func (r *request) flushedBy(at eventIndex) bool {
	p := r.wq.qp
	return p.cancelsAll != 0 && p.cancelsAll <= at || slices.ContainsFunc(p.flushed, func(f returned) bool {
		return r.returned != 0 && f.call > r.returned && f.ret <= at
	})
}

// reportLate reports a request that had not completed at a moment of rest, as a poll shows.
func (q *cq) reportLate(r *request, poll int) {
	q.reportLateBy(r, cmp.Or(r.owed, r.rested), r.owedLine, poll)
}

// reportLateBy does the same of a moment of rest, and the line of that.
func (q *cq) reportLateBy(r *request, by eventIndex, line, poll int) {
	qp := r.wq.qp
	if qp.closing != 0 && !qp.stayed {
		qp.leaveVanishedOpen(q)
		return
	}
	late := r.overdueAt(by)
	if qp.stayed {
		late.Message += ", or is not delivered though the completions of " + qp.name + " did not vanish when that was closed"
	}
	untold := q.group.root().without == q && q.arms.latest != model.NONE
	if untold {
		late = breach.Unreported(q.name, late.Message)
	}
	// An earlier loss of the connection would not explain any of that.
	if resize := q.lostByResize(by); resize != 0 && !untold {
		lost := breach.LostByResize(q.name, r.wr)
		q.s.unless("", q.group, lost.Rule, poll, []int{r.line, line, resize}, "%s", lost.Message)
		q.s.notes(r, nil)
		q.s.also(late.Rule)
	} else {
		q.s.unless("", q.group, late.Rule, line, []int{r.line, poll}, "the provider was at rest, and %s, as a later poll of %s shows", late.Message, q.name)
		q.s.notes(r, nil)
		q.alsoByResize(r.line, late.Also...)
	}
	qp.allows("first the completion of %s", r.wr)
	for _, behind := range r.wq.waiting { // a queue completes in order
		behind.missed = behind.missed || behind == r || behind.owed != 0 && behind.owed <= q.emptied
	}
	q.queue.Resume()
}
