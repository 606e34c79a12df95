package timeline

const (
	circleAfter  = 1024 // raises, before a propagation looks for a circle
	mostOnCircle = 256
)

// isOnCircle reports whether a variable is raised by edges that lead back to it with a step between. No time but Never keeps those: a propagation
// would raise it step by step up to its deadline. The reasons of the latest bounds lead along the circle, if there is one.
func (s *Solver) isOnCircle(i int32) bool {
	at, sum := i, Time(0)
	for range mostOnCircle {
		from := s.nodes[at].whyLower.From
		if !s.Alive(from) {
			return false
		}
		by, is := s.edge(from.index, at)
		if sum += by; !is {
			return false
		}
		if at = from.index; at == i {
			return sum > 0
		}
	}
	return false
}

// edge returns the most steps that an edge from one variable to another asks for, and whether there is one.
func (s *Solver) edge(from, to int32) (steps Time, is bool) {
	for k := s.nodes[from].out; k != 0; k = s.clauses[k].next {
		if c := &s.clauses[k]; c.kind == edge && c.to == to {
			steps, is = max(steps, c.by), true
		}
	}
	return steps, is
}
