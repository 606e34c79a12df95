package timeline

const (
	circleAfter  = 1024 // raises, before a propagation looks for a circle
	mostOnCircle = 256
)

// raiseCircle raises a variable of the circle that i is on, if it is on one, as far as that leads: that which has the earliest deadline, as it is what a
// propagation step by step would come to first.
func (s *Solver) raiseCircle(i int32) {
	if end, first := s.endOfCircle(i); end > 0 {
		if first != i {
			end, _ = s.endOfCircle(first)
		}
		s.raise(first, end, s.nodes[first].whyLower)
	}
}

// endOfCircle returns up to when a circle raises a variable that is raised by clauses which lead back to it with a step between, or 0; and the variable of
// the circle that has the earliest deadline. No time but Never keeps edges that do: a propagation would raise it step by step up to its deadline. A OneOf is
// part of the circle until another of its alternatives is the least. The reasons of the latest bounds lead along the circle, if there is one.
func (s *Solver) endOfCircle(i int32) (end Time, first int32) {
	at, sum := i, Time(0)
	end, first = Never, i
	for range mostOnCircle {
		from := s.nodes[at].whyLower.From
		if !s.Alive(from) {
			return 0, i
		}
		by, until, is := s.leads(from, at)
		if !is {
			return 0, i
		}
		if until < Never {
			end = min(end, s.after(until, sum))
		}
		sum += by
		switch at = from.index; {
		case at != i && s.nodes[at].upper < s.nodes[first].upper:
			first = at
		case at == i && sum > 0:
			return end, first
		case at == i:
			return 0, i
		}
	}
	return 0, i
}

// leads returns the greatest number of steps that an edge from one variable to another demands. Without an edge, it returns the steps that a OneOf demands
// while the other variable is earlier than until. is reports whether there is either.
func (s *Solver) leads(from Var, to int32) (steps, until Time, is bool) {
	var one *choice
	for k := s.nodes[from.index].out; k != 0; k = s.clauses[k].next {
		switch c := &s.clauses[k]; {
		case c.to != to:
		case c.kind == edge:
			steps, is = max(steps, c.by), true
		case c.kind == oneOf && s.isWatched(c, from):
			one = &s.choices[c.choice]
		}
	}
	if is || one == nil {
		return steps, Never, is
	}
	until = Never
	for k, a := range one.alts {
		if k != one.watched {
			until = min(until, s.value(a))
		}
	}
	return one.alts[one.watched].Steps, until, true
}
