package timeline

type clauseKind uint8

const (
	edge clauseKind = iota
	resting
	notBoth
	oneOf
)

// A clause hangs from its premise. Of an edge `by` is a number of steps, of the clauses about rest the time from which it counts.
type clause struct {
	by     Time
	next   int32 // of the same premise
	to     int32
	choice int32 // of oneOf
	line   int32
	rule   Rule
	kind   clauseKind
}

// A choice is a OneOf. It watches the alternative that is the least at present, and moves when that rises.
type choice struct {
	to      int32
	alts    []Alt
	watched int
	line    int
	id      int
	rule    Rule
	used    bool
	marked  bool
}

// An Alt is an alternative of OneOf: no earlier than V and some steps, and no earlier than Floor. Where V is None it is Floor alone.
type Alt struct {
	V     Var
	Steps Time
	Floor Time
	hangs bool // a clause hangs from V
}

// A Choice names a OneOf.
type Choice struct {
	at int32
	id int
}

func (s *Solver) add(from int32, c clause) {
	c.next = s.nodes[from].out
	i := s.freeClauses
	if i != 0 {
		s.freeClauses = s.clauses[i].next
		s.clauses[i] = c
	} else {
		s.clauses = append(s.clauses, c)
		i = int32(len(s.clauses) - 1)
	}
	s.nodes[from].out = i
	s.Clauses++
}

func (s *Solver) addAndFire(from int32, c clause) {
	s.add(from, c)
	s.fire(from, &s.clauses[s.nodes[from].out])
}

// Edge adds to ≥ from + steps.
func (s *Solver) Edge(from, to Var, steps Time, rule Rule, line int) {
	f, t := s.node(from), s.node(to)
	if f.upper < Never && f.upper+steps <= t.lower {
		return // it is kept, whatever comes
	}
	s.addAndFire(from.index, clause{kind: edge, to: to.index, by: steps, rule: rule, line: int32(line)})
}

// Resting adds that where from has not happened by a moment of rest after since, to has not either.
func (s *Solver) Resting(from, to Var, since Time, rule Rule, line int) {
	s.node(from)
	s.node(to)
	s.addAndFire(from.index, clause{kind: resting, to: to.index, by: since, rule: rule, line: int32(line)})
}

// NotBoth adds that at no moment of rest after since both are still to happen. The two may be one.
func (s *Solver) NotBoth(a, b Var, since Time, rule Rule, line int) {
	if s.node(a).upper <= since || s.node(b).upper <= since {
		return
	}
	s.addAndFire(a.index, clause{kind: notBoth, to: b.index, by: since, rule: rule, line: int32(line)})
	if a != b {
		s.addAndFire(b.index, clause{kind: notBoth, to: a.index, by: since, rule: rule, line: int32(line)})
	}
}

// OneOf adds that to is no earlier than the least of some alternatives, of which it keeps a copy.
func (s *Solver) OneOf(to Var, alts []Alt, rule Rule, line int) Choice {
	s.node(to)
	s.made++
	var i int32
	if n := len(s.freeChoices); n > 0 {
		i, s.freeChoices = s.freeChoices[n-1], s.freeChoices[:n-1]
	} else {
		s.choices = append(s.choices, choice{})
		i = int32(len(s.choices) - 1)
	}
	o := &s.choices[i]
	*o = choice{to: to.index, alts: append(o.alts, alts...), watched: -1, line: line, id: s.made, rule: rule, used: true}
	s.choose(i)
	return Choice{i, s.made}
}

// Undecided reports whether a OneOf may still raise its variable.
func (s *Solver) Undecided(c Choice) bool { return s.choices[c.at].used && s.choices[c.at].id == c.id }

// Also adds an alternative to a OneOf that is undecided. It must be no earlier than the variable is already known to be, so that
// what was concluded stays true.
func (s *Solver) Also(c Choice, a Alt) { s.choices[c.at].alts = append(s.choices[c.at].alts, a) }

func (s *Solver) value(a Alt) Time {
	if a.V == None {
		return a.Floor
	}
	return max(s.after(s.node(a.V).lower, a.Steps), a.Floor)
}

// choose raises the variable of a OneOf to the least alternative, and watches that.
func (s *Solver) choose(i int32) {
	o := &s.choices[i]
	least, at := Never, -1
	for k, a := range o.alts {
		if t := s.value(a); t < least {
			least, at = t, k
		}
	}
	from := None
	if at >= 0 {
		s.trail.watches(i, o)
		o.watched = at
		if from = o.alts[at].V; from != None && !o.alts[at].hangs {
			o.alts[at].hangs = true
			s.add(from.index, clause{kind: oneOf, to: o.to, choice: i, rule: o.rule, line: int32(o.line)})
		}
	}
	s.raise(o.to, least, Reason{o.rule, o.line, from})
}

// fire concludes from a clause and the lower bound of its premise.
func (s *Solver) fire(i int32, c *clause) {
	n := &s.nodes[i]
	switch c.kind {
	case edge:
		s.raise(c.to, s.after(n.lower, c.by), Reason{c.rule, int(c.line), s.name(i)})
	case resting:
		if r, ok := s.latestRest(n.lower, c.by, min(s.restsFor(n), s.restsFor(&s.nodes[c.to]))); ok {
			s.raise(c.to, r.at, Reason{c.rule, r.line, s.name(i)})
		}
	case notBoth:
		o := &s.nodes[c.to]
		if r, ok := s.latestRest(min(n.lower, o.lower), c.by, min(s.restsFor(n), s.restsFor(o))); ok {
			s.fail(i, c.to, Reason{Rule: c.rule, Line: r.line})
		}
	case oneOf:
		if s.isWatched(c, s.name(i)) {
			s.choose(c.choice)
		}
	}
}

// isWatched reports whether the OneOf of a clause watches the alternative that has a variable.
func (s *Solver) isWatched(c *clause, v Var) bool {
	o := &s.choices[c.choice]
	return o.used && o.to == c.to && o.watched >= 0 && o.alts[o.watched].V == v
}

// freeChoice gives back a OneOf, and keeps the memory of its alternatives for the next one.
func (s *Solver) freeChoice(i int32) {
	s.choices[i] = choice{alts: s.choices[i].alts[:0]}
	s.freeChoices = append(s.freeChoices, i)
}

// Drop removes a OneOf. The bounds that it has raised stay.
func (s *Solver) Drop(c Choice) {
	if s.Undecided(c) {
		s.freeChoice(c.at)
	}
}
