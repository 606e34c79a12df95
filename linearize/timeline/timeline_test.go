package timeline

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const rule Rule = 1

func (s *Solver) at(event int) Var {
	return s.New(Label{'X', fmt.Sprint(event)}, At(event), rule, event)
}

// Each kind of clause raises what it says, and no further, and a deadline below that is a conflict.
func TestClausesRaiseBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(s *Solver, x, y Var)
		want Time
	}{
		{"an edge", func(s *Solver, x, y Var) { s.Edge(x, y, 1, rule, 9) }, At(5) + 1},
		{"an edge to what is later", func(s *Solver, x, y Var) { s.Edge(x, y, -4096*4, rule, 9) }, At(2)},
		{"a rest that x passes", func(s *Solver, x, y Var) { s.Rest(4, 4); s.Resting(x, y, At(1), rule, 9) }, At(4)},
		{"a rest behind x", func(s *Solver, x, y Var) { s.Rest(6, 6); s.Resting(x, y, At(1), rule, 9) }, At(2)},
		{"a rest before it counts", func(s *Solver, x, y Var) { s.Rest(4, 4); s.Resting(x, y, At(4), rule, 9) }, At(2)},
		{"a rest that does not concern y", func(s *Solver, x, y Var) { s.RestsUntil(y, At(4)); s.Rest(4, 4); s.Resting(x, y, At(1), rule, 9) }, At(2)},
		{"the least of two", func(s *Solver, x, y Var) { s.OneOf(y, []Alt{{V: x, Steps: 1}, {V: s.at(3)}}, rule, 9) }, At(3)},
		{"a floor", func(s *Solver, x, y Var) { s.OneOf(y, []Alt{{V: x, Floor: At(7)}, {Floor: At(6)}}, rule, 9) }, At(6)},
		{"no alternative", func(s *Solver, x, y Var) { s.OneOf(y, nil, rule, 9) }, Never},
	} {
		for _, deadline := range []Time{c.want, c.want - 1} {
			s := NewSolver()
			x, y := s.at(5), s.at(2)
			c.add(s, x, y)
			s.NotAfter(y, deadline, rule, 10)
			conflict := s.Solve()
			if got := s.Lower(y); conflict == nil && got != c.want {
				t.Errorf("%s: y is no earlier than %d, want %d", c.name, got, c.want)
			}
			if (conflict != nil) != (deadline < c.want) {
				t.Errorf("%s: deadline %d: conflict %v", c.name, deadline-c.want, conflict)
			}
		}
	}
}

// Variables that follow each other in a circle, one of them a step later, have no time but Never, and no propagation climbs to a deadline that is far.
func TestACircleHasNoTime(t *testing.T) {
	for _, deadline := range []Time{At(1_000_000), Never} {
		s := NewSolver()
		x, y := s.at(5), s.at(2)
		s.NotAfter(y, deadline, rule, 10)
		s.Edge(x, y, 1, rule, 9)
		s.Edge(y, x, 0, rule, 9)
		if c := s.Solve(); (c != nil) != (deadline < Never) || s.GaveUp > 0 || s.Raises > 2*circleAfter {
			t.Errorf("deadline %d: conflict %v after %d raises, gave up %d times", deadline, c, s.Raises, s.GaveUp)
		}
		if deadline == Never && (s.Lower(x) != Never || s.Lower(y) != Never) {
			t.Errorf("%d and %d, want Never", s.Lower(x), s.Lower(y))
		}
	}
}

// A OneOf is part of a circle until another alternative is the least: the circle raises its variable up to that, and no further.
func TestACircleLeadsToTheNextAlternative(t *testing.T) {
	for _, other := range []Time{At(1_000_000), Never} {
		for _, deadline := range []Time{At(1_000_000) - 1, At(1_000_000), At(2_000_000)} {
			s := NewSolver()
			x, y := s.at(5), s.at(2)
			s.NotAfter(x, deadline, rule, 10)
			s.Edge(x, y, 1, rule, 9)
			s.OneOf(x, []Alt{{V: y}, {Floor: other}}, rule, 9)
			if c := s.Solve(); (c != nil) != (deadline < other) || s.GaveUp > 0 || s.Raises > 2*circleAfter {
				t.Errorf("another alternative at %d, deadline %d: conflict %v after %d raises, gave up %d times", other, deadline, c, s.Raises, s.GaveUp)
			}
			if deadline >= other && (s.Lower(x) != other || s.Lower(y) != other+1) {
				t.Errorf("deadline %d: %d and %d, want %d and one more", deadline, s.Lower(x), s.Lower(y), other)
			}
		}
	}
}

func TestTwoThatWaitForEachOtherAtRest(t *testing.T) {
	for event, want := range map[int]bool{1: false, 3: true, 4: false} { // since At(2); y is at 3
		s := NewSolver()
		x, y := s.at(5), s.at(3)
		s.Rest(event, event)
		s.NotBoth(x, y, At(2), rule, 9)
		if got := s.Solve() != nil; got != want {
			t.Errorf("a rest at event %d: conflict %v, want %v", event, got, want)
		}
	}
}

// The chain of a conflict names each bound, its line and where it comes from.
func TestAConflictIsExplained(t *testing.T) {
	s := NewSolver()
	x, y := s.at(5), s.at(2)
	s.NotAfter(y, Before(5), 2, 11)
	s.Edge(x, y, 1, 3, 12)
	c := s.Solve()
	if c == nil || c.Rule != 2 || len(c.Chain) != 3 {
		t.Fatalf("conflict %+v", c)
	}
	if l := c.Chain[1]; c.Chain[0].At != Before(5) || !c.Chain[0].Deadline || l.Of != "2" || l.At != At(5)+1 || l.Reason != (Reason{3, 12, x}) || c.Chain[2].Reason.Line != 5 {
		t.Errorf("chain %+v", c.Chain)
	}
}

// A variable that was collected is not mistaken for the one that took its place.
func TestReuseWhileReferencedIsCaught(t *testing.T) {
	s := NewSolver()
	x := s.at(1)
	s.Settle(x)
	s.Collect()
	y := s.at(2)
	if s.Alive(x) || !s.Alive(y) || y.index != x.index {
		t.Fatalf("%v alive %v, %v alive %v", x, s.Alive(x), y, s.Alive(y))
	}
	defer func() {
		if recover() == nil {
			t.Error("the first variable was used after it was collected")
		}
	}()
	s.Edge(x, y, 0, rule, 3)
}

// Long chains between two events stay before the next one.
func TestMoreVariablesThanSteps(t *testing.T) {
	s := NewSolver()
	last := s.at(1)
	for range 2 * mostSteps {
		next := s.at(1)
		s.Edge(last, next, 1, rule, 1)
		last = next
	}
	s.NotAfter(last, Before(2), rule, 2)
	if c := s.Solve(); c != nil {
		t.Errorf("conflict %v", c.Rule)
	}
}

// A random problem of few variables, at whole events, as clauses and as a predicate of schedules.
type problem struct {
	n     int
	rests []int
	add   []func(s *Solver, v []Var)
	holds []func(at []Time) bool
}

func drawProblem(t *rapid.T) *problem {
	p := &problem{n: rapid.IntRange(1, 3).Draw(t, "variables")}
	event := rapid.IntRange(1, 5)
	p.rests = rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 0, 3, rapid.ID[int]).Draw(t, "rests")
	which := rapid.IntRange(0, p.n-1)
	for range rapid.IntRange(1, 9).Draw(t, "clauses") {
		a, b, c, e, steps := which.Draw(t, "a"), which.Draw(t, "b"), which.Draw(t, "c"), event.Draw(t, "event"), Time(rapid.IntRange(0, 1).Draw(t, "steps"))
		anyRest := func(holds func(r Time) bool) bool {
			for _, r := range p.rests {
				if At(r) > At(e) && !holds(At(r)) {
					return false
				}
			}
			return true
		}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			p.clause(func(s *Solver, v []Var) { s.NotBefore(v[a], At(e), rule, e, None) }, func(at []Time) bool { return at[a] >= At(e) })
		case 1:
			p.clause(func(s *Solver, v []Var) { s.NotAfter(v[a], Before(e), rule, e) }, func(at []Time) bool { return at[a] <= Before(e) })
		case 2:
			if a != b {
				p.clause(func(s *Solver, v []Var) { s.Edge(v[a], v[b], steps, rule, e) }, func(at []Time) bool { return at[b] >= min(at[a]+steps, Never) })
			}
		case 3:
			p.clause(func(s *Solver, v []Var) { s.Resting(v[a], v[b], At(e), rule, e) },
				func(at []Time) bool { return anyRest(func(r Time) bool { return at[a] < r || at[b] >= r }) })
		case 4:
			p.clause(func(s *Solver, v []Var) { s.NotBoth(v[a], v[b], At(e), rule, e) },
				func(at []Time) bool { return anyRest(func(r Time) bool { return at[a] < r || at[b] < r }) })
		case 5:
			p.clause(func(s *Solver, v []Var) {
				s.OneOf(v[a], []Alt{{V: v[b], Steps: 1}, {V: v[c], Floor: At(e)}}, rule, e)
			}, func(at []Time) bool { return at[a] >= min(at[b]+1, max(at[c], At(e)), Never) })
		}
	}
	return p
}

// solver returns a solver with the variables and the moments of rest of p, and no clause.
func (p *problem) solver() (s *Solver, v []Var) {
	s = NewSolver()
	for range p.n {
		v = append(v, s.New(Label{}, 0, rule, 0))
	}
	for e := range 6 {
		for _, r := range p.rests {
			if r == e {
				s.Rest(e, e)
			}
		}
	}
	return s, v
}

func (p *problem) clause(add func(s *Solver, v []Var), holds func(at []Time) bool) {
	p.add, p.holds = append(p.add, add), append(p.holds, holds)
}

// keptBy reports whether a schedule keeps all clauses.
func (p *problem) keptBy(at []Time) bool {
	for _, holds := range p.holds {
		if !holds(at) {
			return false
		}
	}
	return true
}

// brute returns the pointwise minimum of all schedules among few times, or nil where there is none.
func (p *problem) brute() []Time {
	var times []Time
	for e := range 6 {
		for k := range p.n + 1 {
			times = append(times, At(e)+Time(k))
		}
	}
	times = append(times, Never)
	var least []Time
	at := make([]Time, p.n)
	var try func(i int)
	try = func(i int) {
		if i < p.n {
			for _, at[i] = range times {
				try(i + 1)
			}
			return
		}
		if !p.keptBy(at) {
			return
		}
		if least == nil {
			least = append([]Time(nil), at...)
		}
		for k := range at {
			least[k] = min(least[k], at[k])
		}
	}
	try(0)
	return least
}

// The solver finds the least schedule where there is one, whatever the order of the clauses, and a conflict where there is none; the
// pointwise minimum of all schedules is a schedule.
func TestTheLeastScheduleDecides(t *testing.T) {
	conflicts, schedules := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		least := p.brute()
		s, v := p.solver()
		var conflict *Conflict
		for _, i := range rapid.Permutation(indices(len(p.add))).Draw(t, "order") {
			if p.add[i](s, v); conflict == nil {
				conflict = s.Solve()
			}
		}
		if s.GaveUp > 0 { // a circle without a deadline leads to Never, one step after the other
			return
		}
		if (conflict == nil) != (least != nil) {
			t.Fatalf("conflict %v, and the least schedule is %v", conflict, least)
		}
		if conflict != nil {
			conflicts++
			return
		}
		schedules++
		if !p.keptBy(least) {
			t.Fatalf("the minimum %v of all schedules is none", least)
		}
		for i := range v {
			if s.Lower(v[i]) != least[i] && s.Lower(v[i]) < Never {
				t.Fatalf("variable %d: %d, want %d of %v", i, s.Lower(v[i]), least[i], least)
			}
		}
	})
	if conflicts == 0 || schedules == 0 {
		t.Errorf("%d conflicts, %d schedules", conflicts, schedules)
	}
}

// A probe says of a time what no schedule has, and leaves the solver as it was: what is added later leads to the same.
func TestAProbeSaysWhatNoScheduleHas(t *testing.T) {
	excluded, possible := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		s, v := p.solver()
		for _, add := range p.add {
			add(s, v)
		}
		if s.Solve() != nil || s.GaveUp > 0 {
			return
		}
		for i := range v {
			for e := 1; e <= 6; e++ {
				later := &problem{n: p.n, rests: p.rests, holds: append(slices.Clone(p.holds), func(at []Time) bool { return at[i] >= At(e) })}
				want := later.brute() == nil
				if got := s.Excludes(v[i], At(e)); got != want {
					t.Fatalf("variable %d at event %d: excluded %v, want %v", i, e, got, want)
				}
				if want {
					excluded++
				} else {
					possible++
				}
			}
		}
		a, e := rapid.IntRange(0, p.n-1).Draw(t, "raised"), rapid.IntRange(1, 5).Draw(t, "to")
		p.clause(func(s *Solver, v []Var) { s.NotBefore(v[a], At(e), rule, e, None) }, func(at []Time) bool { return at[a] >= At(e) })
		p.add[len(p.add)-1](s, v)
		conflict, least := s.Solve(), p.brute()
		if s.GaveUp > 0 {
			return
		}
		if (conflict == nil) != (least != nil) {
			t.Fatalf("behind probes: conflict %v, and the least schedule is %v", conflict, least)
		}
		for i := range v {
			if conflict == nil && s.Lower(v[i]) != least[i] && s.Lower(v[i]) < Never {
				t.Fatalf("behind probes: variable %d: %d, want %d of %v", i, s.Lower(v[i]), least[i], least)
			}
		}
	})
	if excluded == 0 || possible == 0 {
		t.Errorf("%d excluded, %d possible", excluded, possible)
	}
}

// The first moment of rest by which a variable is over is found among many, also of one whose deadline was taken from another.
func TestWhatIsOverByRest(t *testing.T) {
	s := NewSolver()
	x, y := s.at(1), s.at(1)
	for event := 2; event < 20; event += 2 {
		s.Rest(event, event)
	}
	s.NotAfter(x, Before(11), rule, 11)
	s.NotBehind(y, x, 0, rule, 11)
	if s.Solve() != nil || s.OverByRest(x, 0) != 12 || s.OverByRest(y, 0) != 12 {
		t.Errorf("over by rest at events %d and %d, want 12", s.OverByRest(x, 0), s.OverByRest(y, 0))
	}
}

// Collection changes no verdict: whatever is settled, and not kept, later facts about the others lead to the same.
func TestCollectionLosesNothing(t *testing.T) {
	collected := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 40 {
			collectsWithoutLoss(t, &collected)
		}
	})
	if collected == 0 {
		t.Error("nothing was collected")
	}
}

func collectsWithoutLoss(t *rapid.T, collected *int) {
	p := drawProblem(t)
	first := rapid.IntRange(0, len(p.add)).Draw(t, "before")
	deadlines := rapid.SliceOfN(rapid.IntRange(1, 7), p.n, p.n).Draw(t, "deadlines")
	floors := rapid.SliceOfN(rapid.IntRange(1, 5), p.n, p.n).Draw(t, "floors")
	settled := rapid.SliceOfN(rapid.Bool(), p.n, p.n).Draw(t, "settled")
	var verdicts []string
	for _, collects := range []bool{false, true} {
		s, v := p.solver()
		for _, add := range p.add[:first] {
			add(s, v)
		}
		conflict := s.Solve()
		for i := range v {
			if settled[i] && conflict == nil {
				s.NotAfter(v[i], Before(deadlines[i]), rule, 1)
			}
		}
		if conflict == nil {
			conflict = s.Solve()
		}
		for i := range v {
			if settled[i] {
				s.Settle(v[i])
			}
		}
		if collects && conflict == nil {
			s.Collect()
		}
		for i := range v {
			if settled[i] {
				if !s.Alive(v[i]) {
					*collected++
				}
				continue
			}
			if conflict == nil {
				s.NotBefore(v[i], At(floors[i]), rule, 1, None)
				s.NotAfter(v[i], Before(deadlines[i]), rule, 1)
				conflict = s.Solve()
			}
		}
		if s.GaveUp > 0 {
			return
		}
		verdicts = append(verdicts, fmt.Sprint(conflict == nil))
	}
	if verdicts[0] != verdicts[1] {
		t.Fatalf("without collection %s, with it %s", verdicts[0], verdicts[1])
	}
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// What a variable that is over forbids another stays forbidden when it is collected.
func TestCollectionKeepsWhatIsForbidden(t *testing.T) {
	for _, event := range []int{3, 5} {
		s := NewSolver()
		x, y := s.at(4), s.at(1)
		s.Rest(4, 4)
		s.NotBoth(x, y, At(2), rule, 9)
		s.Settle(x)
		s.Collect()
		s.NotBefore(y, At(event), rule, event, None)
		if got := s.Solve() != nil; got != (event > 4) || s.Alive(x) {
			t.Errorf("y at event %d, where x was pending at rest at event 4: conflict %v, x alive %v", event, got, s.Alive(x))
		}
	}
}
