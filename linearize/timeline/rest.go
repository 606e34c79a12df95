package timeline

import "sort"

// A rest is a moment at which the provider had come to rest.
type rest struct {
	at   Time
	line int
}

// Rest adds a moment of rest. The caller passes over one that nothing precedes since the last.
func (s *Solver) Rest(event, line int) { s.rests = append(s.rests, rest{At(event), line}) }

// latestRest returns the latest moment of rest no later than by, later than since and before until.
func (s *Solver) latestRest(by, since, until Time) (rest, bool) {
	if by >= until {
		by = until - 1
	}
	if by <= since {
		return rest{}, false
	}
	i := len(s.rests)
	if i > 0 && s.rests[i-1].at > by {
		i = sort.Search(len(s.rests), func(k int) bool { return s.rests[k].at > by })
	}
	if i == 0 || s.rests[i-1].at <= since {
		return rest{}, false
	}
	return s.rests[i-1], true
}

// firstRest returns the first moment of rest later than since.
func (s *Solver) firstRest(since Time) (rest, bool) {
	i := sort.Search(len(s.rests), func(k int) bool { return s.rests[k].at > since })
	if i == len(s.rests) {
		return rest{}, false
	}
	return s.rests[i], true
}

// RestLine returns the line of the first moment of rest later than since, or 0.
func (s *Solver) RestLine(since Time) int {
	r, _ := s.firstRest(since)
	return r.line
}

// RestedBy returns the latest moment of rest that counts for v, no later than by and later than since, and its line.
func (s *Solver) RestedBy(v Var, by, since Time) (at Time, line int, ok bool) {
	r, ok := s.latestRest(by, since, s.restsFor(s.node(v)))
	return r.at, r.line, ok
}

// OverBy adds that v is over by the first moment of rest later than since, if that has come and counts for v.
func (s *Solver) OverBy(v Var, since Time, rule Rule) {
	if r, ok := s.firstRest(since); ok && r.at < s.restsFor(s.node(v)) {
		s.NotAfter(v, r.at-1, rule, r.line)
	}
}

// A Scope has an end, and moments of rest from there on say nothing of its variables. The zero Scope has no end.
type Scope int32

// NewScope returns a scope without an end.
func (s *Solver) NewScope() Scope {
	if n := len(s.freeScopes); n > 0 {
		in := s.freeScopes[n-1]
		s.freeScopes = s.freeScopes[:n-1]
		return in
	}
	s.scopes = append(s.scopes, Never)
	return Scope(len(s.scopes) - 1)
}

// FreeScope gives back a scope without an end. Of variables that are still in it fewer moments of rest may count from now on.
func (s *Solver) FreeScope(in Scope) { s.freeScopes = append(s.freeScopes, in) }

// Within puts v into a scope.
func (s *Solver) Within(v Var, in Scope) { s.node(v).scope = in }

// EndScope moves the end of a scope: to an end that is later, or from none to one behind all moments of rest so far. A clause of
// a variable follows it once the variable rises, or Again.
func (s *Solver) EndScope(in Scope, t Time) { s.scopes[in] = t }

// Again concludes anew from what is known of v, as more moments of rest count for it.
func (s *Solver) Again(v Var) {
	if n := s.node(v); !n.queued {
		n.queued = true
		s.work = append(s.work, v.index)
	}
}

// restsFor returns from when on moments of rest say nothing of a variable.
func (s *Solver) restsFor(n *node) Time { return min(n.restsUntil, s.scopes[n.scope]) }

// Rests returns how many moments of rest are kept.
func (s *Solver) Rests() int { return len(s.rests) }

const (
	mostRests = 4096 // kept; beyond it the oldest half is dropped, which loses conflicts
)

// collectRests drops the moments of rest before everything that may still rise.
func (s *Solver) collectRests() {
	oldest := Never
	for i := 1; i < len(s.nodes); i++ {
		if n := &s.nodes[i]; n.used && n.reach >= 0 {
			oldest = min(oldest, n.lower)
		}
	}
	k := 0
	for k < len(s.rests)-1 && s.rests[k+1].at <= oldest {
		k++
	}
	if len(s.rests)-k > mostRests {
		k = len(s.rests) - mostRests/2
	}
	s.rests = append(s.rests[:0], s.rests[k:]...)
}
