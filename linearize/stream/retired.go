package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/cases"
)

// Objects that are closed for good are retired, so that a stream iterates over, and keeps, live objects only. A QP is retired together with the other
// end of its connection: until that is also closed, its events may concern the QP. The latest retired objects are kept by name: a use after their
// close (LIFE-06) restores them.

// retired has the objects that are closed for good.
type retired struct {
	lately     int       // objects that have ended since they were last looked for
	latest     []retiree // a ring
	next       int
	components int      // groups of which no object is left
	unclear    []*group // those of the groups in which something is undecided
	cases      cases.Counts
	met        bool // a QP whose connection had its other end at another host
}

// A retiree is a CQ or a QP that has ended.
type retiree struct {
	cq *cq
	qp *qp
}

// maxRetired is how many are kept by name.
const maxRetired = 1024

// endsLife handles an object that is gone: its close has completed, or its creation was refused. It looks for such objects once they are half of
// all.
func (s *Stream) endsLife() {
	if s.retired.lately++; s.retired.lately >= (len(s.cqsInOrder)+len(s.qpsInOrder))/2 {
		s.retired.lately = 0
		s.retire()
	}
}

// retire puts aside what has ended.
func (s *Stream) retire() {
	busyCqs, busyQps := map[*cq]bool{}, map[*qp]bool{}
	for _, of := range []*Stream{s, s.other} {
		if of == nil {
			continue
		}
		for _, u := range of.open.All() {
			busyCqs[u.cq], busyQps[u.qp], busyQps[u.closes] = true, true, true
		}
	}
	quiet := func(p *qp) bool { return !busyQps[p] && p.isQuiet() }
	s.qpsInOrder = slices.DeleteFunc(s.qpsInOrder, func(p *qp) bool {
		return quiet(p) && p.peerIs(quiet) && p.retire()
	})
	s.cqsInOrder = slices.DeleteFunc(s.cqsInOrder, func(q *cq) bool { return !busyCqs[q] && q.retire() })
}

// isQuiet reports whether p has ended and no more is expected of it: all its completions were delivered, or no poll is possible any more, or polls
// are not judged.
func (p *qp) isQuiet() bool {
	if !(p.gone && p.over != 0 || p.refused) || p.group.root().broken {
		return false
	}
	guessed := func(m *request) bool { return !m.over && !m.hasSucceeded() } // of one that has failed the groups are in doubt
	leftOpen := p.group.root().unclear != ""
	return !slices.ContainsFunc(p.wqs[:], func(l *workQueue) bool {
		return slices.ContainsFunc(l.guessed, guessed) || l.cq != nil && l.cq.over == 0 && !leftOpen && len(l.waiting) > 0
	})
}

// peerIs reports whether the other end of the connection of p is also quiet. An end at another host must have nothing left to report. If no other end
// is known, the trace of the other host may still have it.
func (p *qp) peerIs(quiet func(*qp) bool) bool {
	switch {
	case p.peer == nil:
		return p.s.other == nil || p.conn == ""
	case !p.isRemote():
		return quiet(p.peer)
	}
	of := p.peer.remote.of
	followed := func(g *group) bool { return !g.stopped && g.unclear == "" }
	return quiet(of) && followed(p.group.root()) && followed(of.group.root()) && p.receivable() && of.receivable()
}

// retire puts p aside, unless something is found of it then.
func (p *qp) retire() bool {
	p.neverConnected()
	if p.undelivered(); p.group.root().broken {
		return false
	}
	s := p.s
	p.countRetired(1)
	for _, l := range p.wqs {
		if l.cq != nil {
			l.cq.wqs = slices.DeleteFunc(l.cq.wqs, func(o *workQueue) bool { return o == l })
			l.cq.forgetUncalled(func(u *missingCallback) bool { return u.request.wq == l })
		}
		for _, r := range l.waiting {
			delete(s.byName, r.wr)
		}
	}
	if ends := s.conns[p.conn]; len(ends) <= 2 {
		gone := func(o *qp) bool { return o == p || p.isRemote() && o == p.peer.remote.of }
		if ends = slices.DeleteFunc(ends, gone); len(ends) == 0 {
			delete(s.conns, p.conn)
		} else {
			s.conns[p.conn] = ends
		}
	}
	if latest := &s.latestQps[endOf(p.name)]; *latest == p {
		*latest = nil
	}
	p.retired = true
	s.retired.met = s.retired.met || p.isRemote()
	s.retired.add(s, p.group, retiree{qp: p})
	return true
}

// retire puts q aside, if it has ended and its QPs are put aside, unless something is found of it then.
func (q *cq) retire() bool {
	if q.over == 0 && !q.refused || len(q.wqs)+len(q.polls.list)+len(q.arms.underWay)+q.readers > 0 || q.queue.Err() != nil || q.group.root().broken {
		return false
	}
	s := q.s
	if s.consumer {
		if q.readersAre(0); q.group.root().broken { // its callbacks had returned before its close completed (LIFE-09)
			return false
		}
	}
	q.countedAs = q.certainty()
	q.arms.cases.sum(&s.retired.cases, q.countedAs, 1)
	if latest := &s.latestCqs[endOf(q.name)]; *latest == q {
		*latest = nil
	}
	q.retired = true
	s.retired.add(s, q.group, retiree{cq: q})
	return true
}

// countRetired counts p for its CQs, if it was one.
func (p *qp) countRetired(n int) {
	for _, q := range p.cqs() {
		if p.exists {
			q.closedQps.retired += n
		}
	}
}

func (a *retired) add(s *Stream, g *group, o retiree) {
	if g = g.root(); g.objects == 1 {
		a.ended(g)
	}
	g.objects--
	if len(a.latest) < maxRetired {
		a.latest = append(a.latest, o)
		return
	}
	switch old := a.latest[a.next]; {
	case old.qp != nil && old.qp.retired:
		delete(s.qps, old.qp.name)
	case old.cq != nil && old.cq.retired:
		delete(s.cqs, old.cq.name)
	}
	a.latest[a.next] = o
	a.next = (a.next + 1) % maxRetired
}

// returns handles a new use of an object of the group.
func (a *retired) returns(g *group) {
	g = g.root()
	if g.objects++; g.endedIn != nil {
		a.goesOn(g)
	}
}

// ended records that no object of a group is left.
func (a *retired) ended(g *group) {
	g.endedIn = a
	if a.components++; g.unclear != "" {
		a.unclear = append(a.unclear, g)
	}
}

// goesOn records that an object of a group is left after all: it is used again, or a token joins it to others.
func (a *retired) goesOn(g *group) {
	g.endedIn = nil
	a.components--
	a.unclear = slices.DeleteFunc(a.unclear, func(o *group) bool { return o == g })
}

// bringBack handles a use of p after its close.
func (p *qp) bringBack() {
	s := p.s
	p.retired = false
	p.countRetired(-1)
	s.retired.returns(p.group)
	i, _ := slices.BinarySearchFunc(s.qpsInOrder, p.number, func(o *qp, n int) int { return cmp.Compare(o.number, n) })
	s.qpsInOrder = slices.Insert(s.qpsInOrder, i, p)
	for _, l := range p.wqs {
		if l.cq != nil {
			l.cq.wqs = append(l.cq.wqs, l)
		}
		for _, r := range l.waiting {
			if s.byName != nil {
				s.byName[r.wr] = r
			}
		}
	}
	if ends := s.conns[p.conn]; p.conn != "" && !slices.Contains(ends, p) {
		s.conns[p.conn] = append(ends, p)
	}
}

// bringBack handles a use of q after its close.
func (q *cq) bringBack() {
	s := q.s
	q.retired = false
	s.retired.returns(q.group)
	i, _ := slices.BinarySearchFunc(s.cqsInOrder, q.number, func(o *cq, n int) int { return cmp.Compare(o.number, n) })
	s.cqsInOrder = slices.Insert(s.cqsInOrder, i, q)
	q.arms.cases.sum(&s.retired.cases, q.countedAs, -1)
}
