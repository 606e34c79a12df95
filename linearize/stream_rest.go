package linearize

import (
	"slices"

	"ndkoracle/model"
)

// rest takes a moment at which the provider had come to rest.
func (s *Stream) rest() {
	owed := map[*streamCq][]*posting{}
	for _, p := range s.qpsInOrder {
		if p.group.root().stopped {
			continue
		}
		for _, l := range p.lanes {
			for _, r := range l.owe() {
				r.owed, r.owedLine = s.at, s.line()
				l.cq.owed++
				owed[l.cq] = append(owed[l.cq], r)
			}
		}
	}
	for _, q := range s.inOrder {
		e := sight{what: restful, at: s.at, waiting: q.waits()}
		for _, r := range owed[q] {
			e.list = append(e.list, uint64(r.called))
		}
		if s.verbs && e.waiting && q.readers == 0 && !s.finished {
			q.readersAre(q.namedReads() + s.unnamedReads())
		}
		q.restedAt, q.restedLine = s.at, s.line()
		q.take(e)
	}
	s.checkAnswers()
}

// owe returns the requests that must have completed by now and need not have by an earlier moment of rest: those that wait
// for nobody but the provider.
func (l *lane) owe() []*posting {
	p := l.qp
	if l.cq == nil || p.closing != 0 {
		return nil
	}
	var due []*posting
	for _, r := range l.waiting {
		if r.owed != 0 {
			continue
		}
		if r.returned == 0 || !l.waitsForNobody(r) && !p.flushedAfter(r) {
			break
		}
		switch {
		case r.place != 0:
		case !r.silent || r.cancelled:
			due = append(due, r)
		case r.rested == 0:
			r.rested, r.owedLine = p.s.at, p.s.line() // owed by now, if it fails
		}
	}
	return due
}

// flushedAfter reports whether a flush that was called after r has returned.
func (p *streamQp) flushedAfter(r *posting) bool {
	return slices.ContainsFunc(p.flushed, func(f returned) bool { return f.call > r.called })
}

// waitsForNobody reports whether r can complete without the consumer, and without a peer of whom the trace does not tell.
func (l *lane) waitsForNobody(r *posting) bool {
	p := l.qp
	if l.queue == model.Receive {
		return p.peer != nil && r.place == 0 && l.arrived(r)
	}
	if r.deferred && r.ended == 0 {
		return false
	}
	sends := r.sends
	if r.op.IsSend() {
		sends++
	}
	return p.ended != 0 || sends <= l.sendsDone || p.peer != nil && sends <= p.peer.lanes[model.Receive].returned
}

// arrived reports whether the peer's send for r, or for a later receive, is known to have succeeded.
func (l *lane) arrived(r *posting) bool {
	return r.position < l.other().succeeded
}

// cancelBehind notes that the flush which cancelled r cancelled the silent requests behind it, too.
func (l *lane) cancelBehind(r *posting, flush moment) {
	if r.returned == 0 || r.returned >= flush {
		return
	}
	for _, after := range l.waiting[1:] {
		if after.silent && after.returned != 0 && after.returned < flush {
			after.cancelled = true
			if after.rested != 0 && after.owed == 0 {
				after.owed = after.rested
				l.cq.owed++
			}
		}
	}
}

// missing reports a request that had to have completed at a moment of rest before a poll that found nothing.
func (q *streamCq) missing(p *poll) bool {
	var first *posting
	for _, qp := range q.s.qpsInOrder {
		for _, l := range qp.lanes {
			for _, r := range l.waiting {
				if l.cq != q || r.owed == 0 {
					break
				}
				if r.place == 0 && r.owed <= p.call.call && (first == nil || r.owed < first.owed) {
					first = r
				}
			}
		}
	}
	if first == nil {
		return false
	}
	q.reportLate(first, p.line)
	return true
}

// reportLate reports a request that had not completed at a moment of rest, as a poll shows.
func (q *streamCq) reportLate(r *posting, poll int) {
	qp := r.lane.qp
	rule, why := "DEF-04", r.wr+", posted with success, had not completed"
	switch {
	case r.cancelled:
		rule, why = "FLAG-02", r.wr+", a silent request that a flush cancelled, had not completed"
	case qp.flushedAfter(r):
		rule, why = "FLUSH-02", r.wr+", pending when its queue was flushed, had not completed"
	case r.refusal:
		rule, why = "DEF-05", r.wr+", deferred before a post that was refused, had not been indicated and completed"
	}
	q.s.unexplained(q.group, rule, r.owedLine, []int{r.line, poll},
		"the provider was at rest, and %s: a poll of %s found nothing afterwards", why, q.name)
	q.s.also("POLL-03")
}
