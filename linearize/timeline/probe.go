package timeline

import "sort"

// A trail holds what a probe has changed.
type trail struct {
	laid    bool
	raised  []raised
	watched []watched
}

type raised struct {
	node  int32
	lower Time
	why   Reason
}

type watched struct {
	choice int32
	alt    int
}

func (t *trail) raises(i int32, n *node) {
	if t.laid {
		t.raised = append(t.raised, raised{i, n.lower, n.whyLower})
	}
}

func (t *trail) watches(i int32, o *choice) {
	if t.laid {
		t.watched = append(t.watched, watched{i, o.watched})
	}
}

// unexplained is the conflict of a probe.
var unexplained Conflict

// mostProbed bounds the propagation of a probe.
const mostProbed = 1 << 10

// Excludes reports whether no schedule has v at t or later. It assumes that bound, propagates, and undoes both. Propagation decides the clauses: a conflict
// means that no schedule keeps the bound; without a conflict, the least schedule that keeps it exists. Excludes may be called once Solve has found no
// conflict. If the propagation would take long, the answer is false.
func (s *Solver) Excludes(v Var, t Time) bool {
	n := s.node(v)
	if t <= n.lower || len(s.work) > 0 || s.conflict != nil {
		return false
	}
	raises := s.Raises
	s.trail.laid = true
	s.raise(v.index, t, Reason{})
	s.propagate(mostProbed)
	excluded := s.conflict != nil
	s.conflict = nil
	s.takeBack()
	s.Raises = raises
	return excluded
}

// takeBack undoes what a probe has changed, the latest first.
func (s *Solver) takeBack() {
	t := &s.trail
	for i := len(t.raised) - 1; i >= 0; i-- {
		n := &s.nodes[t.raised[i].node]
		n.lower, n.whyLower = t.raised[i].lower, t.raised[i].why
	}
	for i := len(t.watched) - 1; i >= 0; i-- {
		s.choices[t.watched[i].choice].watched = t.watched[i].alt
	}
	t.laid, t.raised, t.watched = false, t.raised[:0], t.watched[:0]
}

// OverByRest returns the first moment of rest at which v is over in every schedule in which a scope has not ended by then, as an event, or 0.
func (s *Solver) OverByRest(v Var, in Scope) int {
	lower, end := s.node(v).lower, s.scopes[in]
	first := sort.Search(len(s.rests), func(k int) bool { return s.rests[k].at > lower })
	left := s.rests[first:]
	k := sort.Search(len(left), func(k int) bool {
		s.scopes[in] = max(end, left[k].at+1)
		return s.Excludes(v, left[k].at)
	})
	s.scopes[in] = end
	if k == len(left) {
		return 0
	}
	return left[k].at.Event()
}
