package timeline

// A Conflict says that there is no schedule.
type Conflict struct {
	Rule  Rule
	Line  int
	Chain []Link // from the bound that is broken back to the facts
}

// A Link is one bound in a chain of reasons.
type Link struct {
	Label
	At       Time
	Deadline bool // no later than At, else no earlier
	Reason   Reason
	Cause    Label // what Reason.From is the time of; of no object, if there is none, or it is not known any more
}

const longestChain = 40

// fail records a conflict: the lower bounds of two variables, which may be one, break a deadline.
func (s *Solver) fail(a, b int32, why Reason) {
	if s.conflict != nil {
		return
	}
	if s.trail.laid {
		s.conflict = &unexplained
		return
	}
	c := &Conflict{Rule: why.Rule, Line: why.Line}
	if n := &s.nodes[a]; a == b && n.upper < Never {
		c.Chain = append(c.Chain, Link{Label: n.Label, At: n.upper, Deadline: true, Reason: n.whyUpper})
	}
	s.explain(c, a)
	if b != a {
		s.explain(c, b)
	}
	s.conflict = c
}

// explain adds the bounds that the lower bound of a variable follows from, as far as they are still known.
func (s *Solver) explain(c *Conflict, i int32) {
	seen := map[int32]bool{}
	for i != 0 && !seen[i] && len(c.Chain) < longestChain {
		seen[i] = true
		n := &s.nodes[i]
		l := Link{Label: n.Label, At: n.lower, Reason: n.whyLower}
		if i = 0; s.Alive(n.whyLower.From) {
			i = n.whyLower.From.index
			l.Cause = s.nodes[i].Label
		}
		c.Chain = append(c.Chain, l)
	}
}
