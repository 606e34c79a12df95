package stream

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A CQ that has too little room may overflow without a word in the trace (ARM-16, A35). What is placed in it afterwards is
// lost, and its QPs break (ARM-18). Where nothing but the provider decides what its requests do, the automaton follows each moment
// at which it can have overflowed. Otherwise what nothing else explains is left open, until a completion is delivered that was placed
// later than any overflow could be.

// An overflowWindow is when more completions may have been on their way into a CQ than it has room for.
type overflowWindow struct {
	from    eventIndex // the first at which it may have overflowed, or 0 where none can have been one too many since the last that shows so
	until   eventIndex // from then on there was room, or 0 while there is none
	times   int        // how often it began
	refuted int        // of these, how many are known to have lost nothing
	most    int        // how many were too many at most since the first, as if each request had been posted

	unfollowed bool // since the first, the automaton does not follow each moment at which the CQ may have overflowed
}

// checkRoom records whether, from now on, more completions may be on their way into the CQ than it has room for. Each outstanding request may have
// one, also a receive for which no message came, because it may fail by itself.
func (q *cq) checkRoom() {
	c := &q.window
	if r := q.resizes.open; r != nil && q.load() > r.from {
		r.crowded = true
	}
	if c.from != 0 {
		c.most = max(c.most, q.load()-q.depth)
	}
	if q.failed.at != 0 || q.fits() || c.from != 0 && c.until == 0 {
		return
	}
	c.until = 0
	if c.from != 0 {
		return
	}
	c.from, c.most = q.s.at, q.load()-q.depth
	c.unfollowed = q.s.dialect.A35 == model.A35Exact || q.depth > automaton.MostFollowed
	q.s.may.fails = true
	c.times++
	g := q.group.root()
	if !slices.Contains(g.overflowing, q) {
		g.overflowing = append(g.overflowing, q)
	}
	if q.s.dialect.A35 == model.A35Exact {
		g.leaveOpen(q.overflow())
	}
}

// checkHeld handles a poll that delivered n completions at one moment: the CQ held them (ARM-16).
func (q *cq) checkHeld(n int) {
	if most := q.mostHeld(); q.s.dialect.A35 == model.A35Exact && n > most {
		q.s.tells(q.group, breach.HeldTooMany(q.name, n, most), 0)
	}
}

// hasRoom records that requests are over: there may be room again.
func (q *cq) hasRoom() {
	if r := q.resizes.open; r != nil && q.load() <= r.to {
		r.fits = true
	}
	if q.window.from != 0 && q.window.until == 0 && q.fits() {
		q.window.until = q.s.at
	}
}

// wasNotPosted handles a request that was refused. It was never on its way, and without it there may have been room all the time.
func (q *cq) wasNotPosted(r *request) {
	c := &q.window
	if c.from == 0 || c.from < r.called {
		return
	}
	if c.most--; c.most <= 0 && q.failed.at == 0 {
		q.window.hadRoom()
	}
}

// hadRoom records that the CQ has not overflowed.
func (c *overflowWindow) hadRoom() { *c = overflowWindow{times: c.times, refuted: c.times} }

// placedSince records that a completion was placed in the CQ: as far as is known at from or later, and certainly at inAnyCase or later. By then
// the CQ had not overflowed (ARM-17), and all that it held has been delivered.
func (q *cq) placedSince(from, inAnyCase eventIndex) {
	c := &q.window
	if c.from == 0 {
		return
	}
	if q.unshown < inAnyCase {
		q.emptyAtRest = max(q.emptyAtRest, q.unshown)
	}
	if c.from = max(c.from, inAnyCase); c.until != 0 && from >= c.until {
		q.window.hadRoom()
	}
}

// roomNow returns how much room the CQ has, if it may overflow now, or whether that is followed.
func (q *cq) roomNow() int {
	c := &q.window
	switch {
	case c.from == 0 || c.unfollowed:
		return automaton.NotFollowed
	case c.until != 0:
		return automaton.HasRoom
	case slices.ContainsFunc(q.wqs, (*workQueue).isEntangled) || q.closedQps.retired > 0:
		c.unfollowed = true
		return automaton.NotFollowed
	case q.fits():
		return automaton.HasRoom
	}
	return q.depth
}

// isEntangled reports whether an overflow has effects on a queue that are not followed. That is so if requests may still be refused, succeed silently, or
// wait for others of their chain, or if their QP has more than one CQ, has a peer, or is being closed.
func (l *workQueue) isEntangled() bool {
	p := l.qp
	if p.connected == 0 || p.closing != 0 || p.takes != nil || p.peer != nil || p.remote != nil || p.shadow != nil || p.wqs[0].cq != p.wqs[1].cq {
		return true
	}
	return slices.ContainsFunc(l.waiting, func(r *request) bool { return r.silent || r.returned == 0 || r.deferred && r.ended == 0 })
}

// noticeOverflow records that the CQ has overflowed, if nothing else explains what was seen of it (ARM-16).
func (q *cq) noticeOverflow() {
	if q.window.from == 0 || q.failed.at != 0 || q.group.root().broken || !q.queue.HasFailed() {
		return
	}
	if q.losesAll() {
		q.unclear("%s overflowed before it was known to have, and when that was " + verdict.NotFollowed)
	}
}

// overflowExplains reports whether nothing but an overflow explains that a poll, which was under way alone, found nothing, and notes if not even
// that does.
func (q *cq) overflowExplains(e observation) bool {
	if !q.window.isFollowed() {
		return false
	}
	a := q.queue.Clone()
	alive := q.show(a, &e)
	if !alive {
		q.group.root().without = q
	}
	return alive && a.HasFailed()
}

// mayNotShow reports whether a poll that finds nothing may miss, as the CQ has overflowed, what had completed at an event: it was lost, or stays in
// the CQ, which may keep what it has (A33).
func (q *cq) mayNotShow(at eventIndex) bool {
	from := q.window.from
	return from != 0 && (from <= at || q.s.dialect.A33 != model.A33All)
}

// isFollowed reports whether the automaton follows each moment at which the CQ may have overflowed.
func (c *overflowWindow) isFollowed() bool { return c.from != 0 && !c.unfollowed }

// outstanding counts the requests, silent ones included, that could complete into the CQ now.
func (q *cq) outstanding() int {
	n := 0
	for _, l := range q.wqs {
		for _, r := range l.waiting {
			if r.place == 0 {
				n++
			}
		}
	}
	for _, queue := range q.s.shared.queues {
		if queue.feedsSince(q) != 0 {
			n += queue.outstanding
		}
	}
	return n
}

// overflow says why it is not known what the CQ lost.
func (q *cq) overflow() string {
	return fmt.Sprintf("more completions were on their way into %s than it has room for, and what an overflow loses "+verdict.NotFollowed, q.name)
}

// overflown returns from when on requests of p may have been cancelled as a CQ of it or of its peer overflowed, or 0: another
// CQ than that in which a completion tells so, which would have lost it.
func (p *qp) overflown(other *cq) eventIndex {
	from := eventIndex(0)
	for _, end := range []*qp{p, p.peer} {
		if end == nil {
			continue
		}
		if end.remote != nil && end.remote.of.crowds() {
			from = 1 // the moment of this host is not known
		}
		for _, l := range end.wqs {
			if l.cq != nil && l.cq != other && l.cq.window.from != 0 && (from == 0 || l.cq.window.from < from) {
				from = l.cq.window.from
			}
		}
	}
	return from
}

// crowds reports whether a CQ of p may have overflowed.
func (p *qp) crowds() bool {
	return slices.ContainsFunc(p.wqs[:], func(l *workQueue) bool { return l.cq != nil && l.cq.window.from != 0 })
}

// A restsOn is a CQ, and how often it may have overflowed: a finding stands when it is known not to have.
type restsOn struct {
	q     *cq
	times int
	at    eventIndex // of the finding
}

// mayHaveOverflown returns the CQs of a group that may have overflowed.
func (g *group) mayHaveOverflown() []restsOn {
	var all []restsOn
	for _, q := range g.overflowing {
		if q.window.from != 0 && q != g.without {
			all = append(all, restsOn{q, q.window.times, q.s.at})
		}
	}
	return all
}

// restsOnNoOverflow records that no overflow explains the latest finding.
func (l *findingLog) restsOnNoOverflow() {
	if !l.muted {
		l.findings[len(l.findings)-1].rests = nil
	}
}

// open reports whether it is not known yet if the CQ overflowed.
func (r restsOn) open() bool { return r.q.window.refuted < r.times && r.q.window.from <= r.at }

// leaveOpen makes of findings questions that an overflow may explain, or another guess, and takes back what was found after them.
func (l *findingLog) leaveOpen() {
	open := map[*group]bool{}
	l.findings = slices.DeleteFunc(l.findings, func(f finding) bool {
		if f.of == nil || f.Verdict != verdict.ProviderViolation {
			return false
		}
		if f.isOfAnotherMessage() {
			return true
		}
		before := open[f.of.root()]
		open[f.of.root()] = before || slices.ContainsFunc(f.rests, restsOn.open) || f.guessed() != nil
		return before
	})
	for i := range l.findings {
		f := &l.findings[i]
		if m := f.guessed(); m != nil {
			f.Verdict = verdict.Inconclusive
			f.Message += "; but " + m.wr + " may have failed, and which message was received in its place " + verdict.NotFollowed
		} else if k := slices.IndexFunc(f.rests, restsOn.open); k >= 0 {
			f.Verdict = verdict.Inconclusive
			f.Message += "; but " + f.rests[k].q.overflow()
		} else if len(f.rests) > 0 {
			f.Also = append(f.Also, breach.AfterError.Rule) // or the CQ did overflow, and took completions afterwards
		}
	}
}
