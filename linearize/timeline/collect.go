package timeline

// leastGrowth is how many variables, or moments of rest, must come before a collection is worth its while.
const leastGrowth = 256

// Due reports whether enough was added since the latest collection, so that its amortised cost is constant.
func (s *Solver) Due() bool {
	return s.Eager || s.Live > 2*s.liveBefore+leastGrowth || s.settled > 2*s.liveBefore+leastGrowth || len(s.rests) > 2*s.restsBefore+leastGrowth
}

// Collect drops what no later fact can change. Reference counts would not do: the clauses about rest make circles. So it marks, from
// the variables of which more may be said, whatever they can still raise, and sweeps the rest.
func (s *Solver) Collect() {
	s.Collections++
	s.mark()
	for i := range s.choices {
		if o := &s.choices[i]; o.used && !o.marked {
			s.freeChoice(int32(i))
		}
	}
	s.sweep()
	s.dropClauses()
	s.collectRests()
	s.liveBefore, s.settled, s.restsBefore = s.Live, 0, len(s.rests)
}

// A marker holds the variables whose clauses are still to be followed.
type marker struct {
	s     *Solver
	stack []int32
}

// reach records that a variable may still become as late as t.
func (m *marker) reach(i int32, t Time) {
	n := &m.s.nodes[i]
	if t = min(t, n.upper); t > n.reach {
		n.reach = t
		m.stack = append(m.stack, i)
	}
}

func (s *Solver) mark() {
	m := &marker{s: s}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.reach = -1; n.used && n.open {
			m.reach(int32(i), Never)
		}
	}
	for i := range s.choices {
		s.choices[i].marked = false
	}
	m.follow()
	for again := true; again; {
		again = false
		for i := range s.choices {
			if o := &s.choices[i]; o.used && !o.marked && m.mayRise(o) {
				o.marked, again = true, true
				m.follow()
			}
		}
	}
}

func (m *marker) follow() {
	s := m.s
	for len(m.stack) > 0 {
		i := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		reach := s.nodes[i].reach
		for k := s.nodes[i].out; k != 0; k = s.clauses[k].next {
			switch c := &s.clauses[k]; c.kind {
			case edge:
				if reach+c.by > s.nodes[c.to].lower {
					m.reach(c.to, reach+c.by)
				}
			case resting:
				if reach >= Never {
					m.reach(c.to, Never)
				} else if r, ok := s.latestRest(reach, c.by, Never); ok && r.at > s.nodes[c.to].lower {
					m.reach(c.to, r.at)
				}
			}
		}
	}
}

// mayRise reports whether the alternatives of a OneOf may still raise its variable, and notes how far. One that stays as early as the
// variable is already settles it.
func (m *marker) mayRise(o *choice) bool {
	to, most := &m.s.nodes[o.to], Time(-1)
	for _, a := range o.alts {
		reach := Time(-1)
		if a.V != None {
			reach = m.s.node(a.V).reach
		}
		if reach < 0 && m.s.value(a) <= to.lower {
			return false
		}
		if reach >= 0 {
			most = max(most, reach+a.Steps, a.Floor)
		}
	}
	if most >= 0 {
		m.reach(o.to, most)
	}
	return most >= 0
}

// sweep frees the variables that were not marked and have no keeper.
func (s *Solver) sweep() {
	chosen := map[int32]bool{}
	for i := range s.choices {
		for _, a := range s.choices[i].alts {
			chosen[a.V.index] = true
		}
	}
	for i := int32(1); i < int32(len(s.nodes)); i++ {
		n := &s.nodes[i]
		if !n.used || n.reach >= 0 || n.keepers > 0 || chosen[i] {
			continue
		}
		for k := n.out; k != 0; {
			c := s.clauses[k]
			s.forbid(i, &c)
			s.free(k)
			k = c.next
		}
		n.used, n.out, n.Label = false, 0, Label{}
		n.generation++
		s.freeNodes = append(s.freeNodes, i)
		s.Live--
	}
}

// forbid turns what the last bound of a variable forbids another, by a NotBoth, into a deadline of that.
func (s *Solver) forbid(i int32, c *clause) {
	n, to := &s.nodes[i], &s.nodes[c.to]
	if c.kind != notBoth || i == c.to || !to.used || to.reach < 0 {
		return
	}
	if r, ok := s.firstRest(c.by); ok && r.at <= n.lower && r.at < min(s.restsFor(n), s.restsFor(to)) && r.at-1 < to.upper {
		to.upper, to.whyUpper = r.at-1, Reason{Rule: c.rule, Line: r.line}
	}
}

// dropClauses frees the clauses that can conclude nothing any more.
func (s *Solver) dropClauses() {
	for i := int32(1); i < int32(len(s.nodes)); i++ {
		n := &s.nodes[i]
		if !n.used {
			continue
		}
		for at := &n.out; *at != 0; {
			k := *at
			if c := &s.clauses[k]; s.isSpent(i, c) {
				*at = c.next
				s.free(k)
			} else {
				at = &c.next
			}
		}
	}
}

func (s *Solver) isSpent(i int32, c *clause) bool {
	n, to := &s.nodes[i], &s.nodes[c.to]
	if !to.used || n.reach < 0 && c.kind != notBoth {
		return true
	}
	switch c.kind {
	case edge:
		return n.upper < Never && n.upper+c.by <= to.lower
	case notBoth:
		return n.upper <= c.by || to.upper <= c.by || n.reach < 0 && to.reach < 0
	case oneOf:
		o := &s.choices[c.choice]
		return !o.used || o.to != c.to
	}
	return false
}

func (s *Solver) free(k int32) {
	s.clauses[k] = clause{next: s.freeClauses}
	s.freeClauses = k
	s.Clauses--
}
