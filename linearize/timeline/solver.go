package timeline

// A Rule is the place of a rule in the table of the caller.
type Rule uint8

// A Var names a hidden time; the zero Var names none. The generation tells it from an earlier variable in the same place.
type Var struct {
	index      int32
	generation uint32
}

// None is the Var of no hidden time.
var None Var

// A Reason says why a bound holds: the rule of the clause, the line of the fact, and the variable whose bound it follows from, or None.
type Reason struct {
	Rule Rule
	Line int
	From Var
}

// A Label says what a variable is the time of, in one letter, and of which object.
type Label struct {
	Deed byte
	Of   string
}

// A node holds what is known of a variable.
type node struct {
	Label
	lower, upper       Time
	restsUntil         Time // moments of rest from here on say nothing of it
	scope              Scope
	whyLower, whyUpper Reason
	out                int32 // the first clause that it is a premise of
	generation         uint32
	keepers            int32
	open               bool // more may be said of it
	used, queued       bool
	reach              Time // how late it may still become; collection
}

// Stats counts what a solver did and holds.
type Stats struct {
	Live, Most  int // variables
	Unbalanced  int // Releases without a Keep
	Clauses     int
	Raises      int
	Collections int
	GaveUp      int // propagations that were cut short, which loses conflicts
}

// A Solver holds variables and clauses.
type Solver struct {
	Stats
	Eager bool // collect whenever asked: for tests

	nodes       []node
	clauses     []clause
	choices     []choice
	freeNodes   []int32
	freeClauses int32
	freeChoices []int32
	made        int // choices so far
	work        []int32
	rests       []rest
	scopes      []Time // the ends, by Scope
	freeScopes  []Scope
	conflict    *Conflict
	trail       trail

	liveBefore, restsBefore int // after the latest collection
	settled                 int // variables since then
}

// NewSolver returns a solver without variables.
func NewSolver() *Solver {
	return &Solver{nodes: make([]node, 1, 64), clauses: make([]clause, 1, 128), choices: make([]choice, 1, 4), scopes: []Time{Never}}
}

// New returns a variable that is no earlier than a time. Facts about it may come until Settle.
func (s *Solver) New(label Label, lower Time, rule Rule, line int) Var {
	var i int32
	if n := len(s.freeNodes); n > 0 {
		i, s.freeNodes = s.freeNodes[n-1], s.freeNodes[:n-1]
	} else {
		s.nodes = append(s.nodes, node{})
		i = int32(len(s.nodes) - 1)
	}
	n := &s.nodes[i]
	*n = node{Label: label, lower: lower, upper: Never, restsUntil: Never, generation: n.generation, open: true, used: true,
		whyLower: Reason{Rule: rule, Line: line}}
	s.Live++
	s.Most = max(s.Most, s.Live)
	return Var{i, n.generation}
}

// Alive reports whether v still names a variable.
func (s *Solver) Alive(v Var) bool {
	return v != None && s.nodes[v.index].used && s.nodes[v.index].generation == v.generation
}

// node returns the node of v. A Var that outlives its variable is a mistake of the caller, which would otherwise speak of another.
func (s *Solver) node(v Var) *node {
	if !s.Alive(v) {
		panic("timeline: a variable is used after it was collected")
	}
	return &s.nodes[v.index]
}

func (s *Solver) name(i int32) Var {
	if i == 0 {
		return None
	}
	return Var{i, s.nodes[i].generation}
}

// Lower returns the least time that v can have.
func (s *Solver) Lower(v Var) Time { return s.node(v).lower }

// WhyLower returns why v can't be earlier than that.
func (s *Solver) WhyLower(v Var) Reason { return s.node(v).whyLower }

// Upper returns the deadline of v, or Never.
func (s *Solver) Upper(v Var) Time { return s.node(v).upper }

// Settle says that no more facts about these variables will come: they change only with others. It passes over None.
func (s *Solver) Settle(vs ...Var) {
	for _, v := range vs {
		if v != None {
			s.node(v).open = false
			s.settled++
		}
	}
}

// Keep keeps v from being collected until Release, and returns it.
func (s *Solver) Keep(v Var) Var {
	s.node(v).keepers++
	return v
}

// Release undoes one Keep. It ignores None. One Release too many is the caller's mistake, and is counted: the variable could be collected while
// another caller keeps it.
func (s *Solver) Release(v Var) {
	if v == None {
		return
	}
	if n := s.node(v); n.keepers > 0 {
		n.keepers--
	} else {
		s.Unbalanced++
	}
}

// RestsUntil says that moments of rest from t on do not concern v.
func (s *Solver) RestsUntil(v Var, t Time) {
	n := s.node(v)
	n.restsUntil = min(n.restsUntil, t)
}

// NotBefore adds that v is no earlier than a time, which follows from the bound of another variable, or None.
func (s *Solver) NotBefore(v Var, t Time, rule Rule, line int, from Var) {
	s.node(v)
	s.raise(v.index, t, Reason{rule, line, from})
}

// NotAfter adds that v is no later than a time.
func (s *Solver) NotAfter(v Var, t Time, rule Rule, line int) {
	n := s.node(v)
	if t >= n.upper {
		return
	}
	n.upper, n.whyUpper = t, Reason{Rule: rule, Line: line}
	if n.lower > t {
		s.fail(v.index, v.index, n.whyUpper)
	}
}

// NotBehind adds that v is no later than the deadline of another variable, and some steps.
func (s *Solver) NotBehind(v, other Var, steps Time, rule Rule, line int) {
	n, o := s.node(v), s.node(other)
	if t := o.upper + steps; t < n.upper {
		s.NotAfter(v, t, rule, line)
	}
}

func (s *Solver) raise(i int32, t Time, why Reason) {
	n := &s.nodes[i]
	if t <= n.lower || s.conflict != nil {
		return
	}
	s.trail.raises(i, n)
	n.lower, n.whyLower = t, why
	s.Raises++
	if t > n.upper {
		s.fail(i, i, n.whyUpper)
		return
	}
	if !n.queued {
		n.queued = true
		s.work = append(s.work, i)
	}
}

// mostWork bounds one propagation. Only a circle of clauses whose deadline is far away needs as much.
const mostWork = 1 << 18

// Solve propagates, and returns a conflict if there is no schedule.
func (s *Solver) Solve() *Conflict {
	if !s.propagate(mostWork) {
		s.GaveUp++
	}
	c := s.conflict
	s.conflict = nil
	return c
}

// propagate concludes all that follows from the bounds that have risen, and reports whether it came to an end. The order is first come, first served:
// chains beside each other rise together, where a stack would raise the end of each again and again.
func (s *Solver) propagate(most int) bool {
	at := 0
	for ; at < len(s.work) && at < most && s.conflict == nil; at++ {
		i := s.work[at]
		if s.nodes[i].queued = false; at%circleAfter == circleAfter-1 {
			s.raiseCircle(i)
		}
		for c := s.nodes[i].out; c != 0; {
			next := s.clauses[c].next
			s.fire(i, &s.clauses[c])
			c = next
		}
	}
	whole := at == len(s.work) || s.conflict != nil
	for _, i := range s.work[at:] {
		s.nodes[i].queued = false
	}
	s.work = s.work[:0]
	return whole
}
