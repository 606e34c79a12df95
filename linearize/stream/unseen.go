package stream

import (
	"slices"

	"ndkoracle/model"
)

// A receive that failed by itself before a moment of rest broke its connection, and left the send that it would have taken waiting (A15). Its
// completion tells of that once it is polled. Until then the receive is taken to have been there; if the trace ends before that is known, what
// was found is left open.

// An awaited is a send that is taken to have had a receive at a moment of rest.
type awaited struct {
	send   *posting
	rested moment
	had    bool // a receive was pending then, as a poll showed
}

// restsOnReceive notes that the latest finding rests on what r had to have done by a moment of rest, unless it, or a send before it, waited for
// a receive then. It reports whether that may be.
func (s *Stream) restsOnReceive(r *posting, rested moment) bool {
	to := r.lane.other()
	if s.muted || r.lane.queue != model.Initiator || to == nil || to.cq == nil || r.lane.qp.isRemote() {
		return false
	}
	var send *posting
	for _, m := range append([]*posting{r.ahead}, r.lane.waiting...) {
		if m != nil && m.position <= r.position && m.mayHaveHadNone(rested) {
			send = m
		}
	}
	if send == nil {
		return false
	}
	f := &s.findings[len(s.findings)-1]
	f.awaited = append(f.awaited, awaited{send: send, rested: rested})
	return true
}

// restsOnReceives does that for what a sight of q has led to: at a moment of rest, for all that had to have completed.
func (q *cq) restsOnReceives(e *sight) {
	switch {
	case e.posting != nil && e.owed != 0:
		q.s.restsOnReceive(e.posting, e.owed)
	case e.what == restful && !q.s.muted:
		for _, l := range q.lanes {
			for _, r := range l.waiting {
				if r.owed == e.at && r.place == 0 && !q.s.restsOnReceive(r, e.at) {
					q.s.findings[len(q.s.findings)-1].awaited = nil
					return
				}
			}
		}
	}
}

// showPending takes that a poll found nothing after a moment of rest: it shows which receives had not ended by then, and so which sends had.
func (q *cq) showPending(p *poll) {
	for i := range q.s.findings {
		for k := range q.s.findings[i].awaited {
			a := &q.s.findings[i].awaited[k]
			a.had = a.had || a.send.hadReceive(a.rested)
		}
	}
	for _, l := range q.lanes {
		if sends := l.other(); l.queue == model.Receive && sends != nil && sends.cq != nil && !l.qp.isRemote() && !sends.cq.stopped() {
			if sends.lacked(p); l.lost > 0 && sends.cq != q {
				sends.cq.silentByRest(p)
			}
		}
	}
}

// lacked reports a send that had to have completed, as it turns out now, since the peer had a receive which one before it had left.
func (l *lane) lacked(p *poll) {
	for _, r := range l.waiting {
		if by := r.dueBy(); by != 0 && by == r.lackedAt && by <= l.emptyAtRest() && r.place == 0 && !r.missed && l.cq.failed == 0 {
			l.cq.reportLate(r, p.line)
			return
		}
	}
}

// open reports whether nothing tells that the send had a receive: a poll that showed one to be pending, receives that succeeded, or the
// success of the send, if none was posted later or sends took all there were.
func (a awaited) open() bool {
	to := a.send.lane.other()
	later := func(r *posting) bool { return r.returned == 0 || r.returned > a.rested }
	succeeded := a.send.over && a.send.outcome == model.SUCCESS && !slices.ContainsFunc(to.waiting, later)
	return !a.had && !succeeded && to.successes() <= a.send.sends && to.next-to.lost > a.send.lane.took
}

// lacked returns a send on which a finding rests, if each of them may have waited for a receive, or nil.
func (f *finding) lacked() *posting {
	if len(f.awaited) == 0 || slices.ContainsFunc(f.awaited, func(a awaited) bool { return !a.open() }) {
		return nil
	}
	return f.awaited[0].send
}
