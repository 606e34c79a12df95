package stream

// When the close of a QP completes, the completions of it that its CQs hold stay there, or vanish (A21).

// vanishes takes that the completions of p in q may have vanished: its close has completed. While its call was running they may have
// at any moment, since the last of them was placed.
func (p *qp) vanishes(q *cq) {
	vanished, seen := sight{what: vanishing, at: p.over}, q.latest
	since := p.closing
	for _, l := range p.lanes {
		if l.cq != q {
			continue
		}
		for _, r := range l.waiting {
			switch {
			case r.place != 0:
				vanished.list = append(vanished.list, uint64(r.place))
				since = max(since, r.place)
			case r.owed != 0 && !r.missed:
				q.take(sight{what: frees, at: p.over, owed: r.owed, posting: r})
				r.freed, q.fenced = true, append(q.fenced, r)
				fallthrough
			default:
				vanished.known = true
			}
		}
	}
	switch {
	case vanished.list == nil && !vanished.known:
	case p.closed == p.over && seen > since:
		p.leaveInDoubt(p.mayVanishFrom(q))
	default:
		q.left = p
		q.take(vanished)
	}
}

func (p *qp) mayVanishFrom(q *cq) string {
	return p.name + " was closed, and which of its completions " + q.name + " still held this engine does not follow"
}

// mayVanish leaves open what completions of a QP explain that vanish while the call of its close is running. It reports whether that
// is so.
func (q *cq) mayVanish() bool {
	for _, l := range q.lanes {
		if p := l.qp; p.closing != 0 && p.closed == 0 && p.over == 0 && len(l.waiting) > 0 {
			p.leaveOpen(p.mayVanishFrom(q))
			return true
		}
	}
	return false
}

// hasVanished takes that the first completions of which points told were not there from a moment on: they have vanished with their QPs. It
// leaves open what became of those of a QP of which the close has not completed.
func (q *cq) hasVanished(from moment) {
	for len(q.points) > 0 {
		r := q.points[0]
		switch p := r.lane.qp; {
		case p.over != 0 && p.over >= from:
			return // the poll may have come first
		case p.over != 0:
			r.vanished, q.points = true, q.points[1:]
			q.shown--
		case p.closing != 0:
			p.leaveOpen(p.mayVanishFrom(q))
			return
		default:
			return
		}
	}
}
