package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// After a violation a stream goes on from what is most plausible. What it finds later of the same objects may be a breach of its
// own, or may only follow from the first: nobody can tell, and so each is marked.

// MaxFollowing is how many findings are told of a group after the first.
const MaxFollowing = 100

// markFollowing says of each finding from which violation, of its group or of the QPs at the other end of a connection, it may
// follow.
func (s *Stream) markFollowing() {
	first := map[*group]int{} // finding of each group that others may follow from
	peers := map[*group][]*group{}
	for _, p := range s.qpsInOrder {
		if g := p.group.root(); p.peer != nil && p.peer.group.root() != g {
			peers[g] = append(peers[g], p.peer.group.root())
		}
	}
	for i := range s.findings {
		f := &s.findings[i]
		if f.of == nil {
			continue
		}
		g := f.of.root()
		origin, follows := first[g]
		for _, peer := range peers[g] {
			if at, broken := first[peer]; !follows && broken && s.findings[at].Verdict == verdict.ProviderViolation {
				origin, follows = at, true
			}
		}
		if follows && s.findings[origin].Verdict == verdict.Inconclusive && f.hidden {
			follows = false // the clauses go on from nothing that was assumed
		}
		switch elsewhere := s.elsewhere(g, f.turn); {
		case !follows && elsewhere != nil:
			f.Follows = elsewhere
			continue
		case follows:
			f.Follows = &verdict.Origin{Rule: s.findings[origin].Rule, Line: s.findings[origin].Line}
		case f.stops():
			origin = i
		default:
			continue
		}
		if _, known := first[g]; !known {
			first[g] = origin
			s.findings[origin].More += g.untold
		}
	}
}

// elsewhere returns a violation in the other host's trace from which what was found of a group in turn may follow, or nil.
func (s *Stream) elsewhere(g *group, turn int) *verdict.Origin {
	if s.other == nil {
		return nil
	}
	for i := range s.other.findings {
		f := &s.other.findings[i]
		if f.of == nil || f.turn > turn || f.Verdict != verdict.ProviderViolation || !f.stops() {
			continue
		}
		for _, p := range s.qpsInOrder {
			if p.isRemote() && p.group.root() == g && p.peer.remote.of.group.root() == f.of.root() {
				return &verdict.Origin{Rule: f.Rule, File: s.other.name, Line: f.Line}
			}
		}
	}
	return nil
}

// goOn takes what is left of what was held, and the polls that had not had their effect when no explanation was left. What was
// wrong is told.
func (q *cq) goOn(polls []*poll, done uint, held []sight) {
	if q.stopped() {
		return
	}
	left := slices.DeleteFunc(slices.Clone(held), func(e sight) bool { return e.what == nothing })
	for i, p := range polls {
		if done>>i&1 == 0 {
			left = append(left, p.delivered...)
		}
	}
	slices.SortStableFunc(left, func(a, b sight) int { return cmp.Compare(a.at, b.at) })
	for i := range left {
		if !q.show(q.queue, &left[i]) {
			q.queue.Resume()
		}
	}
}

// delivers takes the completion of r from those of which points of the trace told.
func (q *cq) delivers(r *posting) {
	if q.points[0] == r {
		q.points = q.points[1:]
		return
	}
	q.points = slices.DeleteFunc(q.points, func(o *posting) bool { return o == r })
}

// lose handles r, whose completion is missing: r succeeded, or a flush cancelled it.
func (s *Stream) lose(out []sight, q *cq, r *posting) []sight {
	outcome := model.SUCCESS
	if r.cancelled || r.lane.qp.flushedAfter(r) {
		outcome = model.CANCELLED
		r.lane.failed(r)
	} else {
		s.meet(q, s.line(), r, nil)
	}
	if r.place != 0 {
		return s.over(out, r, outcome, r.called, &sight{what: delivered, kinds: r.kinds, known: true})
	}
	return s.over(out, r, outcome, r.called, &sight{what: gone})
}

// loses records that another CQ delivered the completion of r.
func (q *cq) loses(r *posting) {
	r.lane.waiting.moveUp(r)
	for _, e := range q.s.lose(nil, q, r) {
		e.at = q.s.at
		q.take(e)
	}
}
