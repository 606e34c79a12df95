package prove

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// Names that each module in tla/proof defines.
const (
	shapeName  = "Shape"  // what form the values of the variables have: the first invariant
	boundsName = "Bounds" // what is supposed of the constants
)

// The names that the modules for TLC give to their initial predicate and their next-state relation.
const (
	initial  = "MCInit"
	relation = "MCNext"
)

// Proof is a claim that invariants and properties hold in every reachable state of a configuration, whatever the values of the
// constants that are left unknown.
type Proof struct {
	Name       string
	Invariants []string
	Properties []string

	engine *engine
	state  map[string]value
	known  []*smt.Term // of the constants and lengths
	start  []path
	paths  []path

	ranking *ranking // of a proof of progress
}

// Condition is a formula that has to follow from what is known on a path.
type Condition struct {
	Step     string // "Init", or the step
	Property string
	path     *path // its guard is known, and of all but initial ones, that the state before has the invariants
	goal     *smt.Term
	initial  bool
}

// Load evaluates a claim: a module, and the texts of its configurations, of which a later one overrides constants. Where longest is
// not 0, no sequence is longer.
func Load(name string, kind Kind, longest int64, module *sany.Module, texts ...string) (*Proof, error) {
	c, err := readAll(texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e := newEngine(module)
	e.replace, e.longest = c.replace, longest
	p := &Proof{Name: name, engine: e, Properties: c.properties}
	allKnown := true
	for _, k := range sortedKeys(c.constants) {
		if v := c.constants[k]; v.unknown {
			allKnown = false
			e.constants[k] = scalar{smt.Var(k, smt.Int)}
		} else {
			e.constants[k] = v.value
		}
	}
	if allKnown {
		e.longest = p.Largest()
	}
	for _, n := range append([]string{shapeName}, c.invariants...) {
		if !slices.Contains(p.Invariants, n) {
			p.Invariants = append(p.Invariants, n)
		}
	}
	err = p.load()
	if err == nil && kind == Ranking {
		err = p.loadRanking()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}
func (p *Proof) load() error {
	shapes, err := p.engine.shapes(shapeName)
	if err != nil {
		return err
	}
	p.state = map[string]value{}
	err = p.engine.try(func() {
		for _, v := range sortedKeys(shapes) {
			p.state[v] = p.engine.unknown(shapes[v], v)
		}
		p.known = append(lengths(p.state), p.engine.logical(p.engine.definition(boundsName, steady{})))
	})
	if err != nil {
		return err
	}
	if p.start, err = p.engine.pathsOf(initial, nil); err != nil {
		return err
	}
	p.paths, err = p.engine.pathsOf(relation, p.state)
	if err != nil {
		return err
	}
	for _, list := range [][]path{p.start, p.paths} {
		for _, way := range list {
			for _, v := range p.engine.module.Variables {
				if way.next[v] == nil {
					return fmt.Errorf("%s gives %s no value", way.label(), v)
				}
			}
		}
	}
	return nil
}

// label names the step that a path takes.
func (p path) label() string {
	if len(p.calls) == 0 {
		return initial
	}
	return p.calls[0].String()
}

// Paths returns the number of paths of the next-state relation.
func (p *Proof) Paths() int { return len(p.paths) }

// formula evaluates a definition in a state, or in a step.
func (p *Proof) formula(name string, now, next map[string]value) (t *smt.Term, err error) {
	err = p.engine.try(func() { t = p.engine.logical(p.engine.definition(name, steady{now: now, next: next})) })
	return t, err
}

// Hypothesis returns what the induction supposes of a state: the invariants.
func (p *Proof) hypothesis() (list []*smt.Term, err error) {
	for _, n := range p.Invariants {
		t, err := p.formula(n, p.state, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, smt.Conjuncts(t)...)
	}
	return list, nil
}

// Conditions returns the conditions of the induction: that each initial state has each invariant; that each step from a state
// with all invariants leads to one with each, and has each property. What is true by evaluation alone is none.
func (p *Proof) Conditions() ([]Condition, error) {
	if p.ranking != nil {
		return p.rankingConditions()
	}
	var list []Condition
	add := func(c Condition, err error) error {
		if err == nil && c.goal != smt.True {
			list = append(list, c)
		}
		return err
	}
	for i := range p.start {
		for _, n := range p.Invariants {
			goal, err := p.formula(n, p.start[i].next, nil)
			if err := add(Condition{"Init", n, &p.start[i], goal, true}, err); err != nil {
				return nil, err
			}
		}
	}
	for i := range p.paths {
		w := &p.paths[i]
		for _, n := range p.Invariants {
			goal, err := p.formula(n, w.next, nil)
			if err := add(Condition{w.label(), n, w, goal, false}, err); err != nil {
				return nil, err
			}
		}
		for _, n := range p.Properties {
			goal, err := p.property(n, p.state, w.next)
			if err := add(Condition{w.label(), n, w, goal, false}, err); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Failure is a condition that a solver did not refute.
type Failure struct {
	Condition
	Solver string
	Answer smt.Answer
	Model  string // the constants, the state and the step, if the answer is sat
}

// Solve asks a solver for each condition, with a time limit for each.
func (p *Proof) Solve(ctx context.Context, solver smt.Solver, limit time.Duration, conditions []Condition) ([]Failure, error) {
	return p.solve(ctx, solver, limit, conditions, (*smt.Session).Ask, false)
}

// mostSmall bounds the instances in which a step is looked for that breaks a condition.
const mostSmall = 4

// Break looks for a step that breaks one of the conditions in small instances, and returns the first one that it finds.
func (p *Proof) Break(ctx context.Context, solver smt.Solver, limit time.Duration, conditions []Condition) ([]Failure, error) {
	for n := int64(1); n <= mostSmall; n++ {
		found, err := p.solve(ctx, solver, limit, conditions, func(session *smt.Session) (smt.Answer, error) {
			session.Assert(p.small(n)...)
			return session.Ask()
		}, true)
		found = slices.DeleteFunc(found, func(f Failure) bool { return f.Answer != smt.Sat })
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// session starts a solver that supposes what is known of the constants.
func (p *Proof) session(ctx context.Context, solver smt.Solver, limit time.Duration) (*smt.Session, error) {
	session, err := solver.Start(ctx, limit)
	if err != nil {
		return nil, err
	}
	session.Assert(p.known...)
	return session, nil
}

func (p *Proof) solve(ctx context.Context, solver smt.Solver, limit time.Duration, conditions []Condition,
	ask func(*smt.Session) (smt.Answer, error), untilSat bool,
) ([]Failure, error) {
	hypothesis, err := p.hypothesis()
	if err != nil {
		return nil, err
	}
	session, err := p.session(ctx, solver, limit)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var failures []Failure
	var current *path
	supposed := false
	for _, c := range conditions {
		if c.path != current {
			if current != nil {
				session.Pop()
			}
			if !c.initial && !supposed {
				session.Assert(hypothesis...)
				session.Assert(p.engine.about(hypothesis...)...)
				supposed = true
			}
			session.Push()
			session.Assert(c.path.guard)
			current = c.path
		}
		session.Push()
		session.Assert(p.engine.about(c.path.guard, c.goal)...)
		session.Assert(smt.Not(c.goal))
		answer, err := ask(session)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.Step, c.Property, err)
		}
		if answer != smt.Unsat {
			f := Failure{Condition: c, Solver: solver.Name, Answer: answer}
			if answer == smt.Sat {
				f.Model = p.model(session, c)
			}
			failures = append(failures, f)
			if untilSat && answer == smt.Sat {
				break
			}
		}
		session.Pop()
	}
	return failures, ctx.Err()
}

// ReadText returns the text of a file below a folder.
func ReadText(folder, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	return string(text), err
}

// model describes the values that a solver found.
func (p *Proof) model(session *smt.Session, c Condition) string {
	// The symbols of all that is shown have to be there when the solver makes its model: what is shown is first only declared.
	p.describe(c, func(t *smt.Term) string { session.Declare(t); return "4" })
	if answer, err := session.Ask(); answer != smt.Sat {
		return fmt.Sprintf("  no model the second time: %s %v\n", answer, err)
	}
	return p.describe(c, func(t *smt.Term) string {
		text, err := session.Value(t)
		if err != nil {
			return err.Error()
		}
		return text
	})
}

func (p *Proof) describe(c Condition, valueOf func(*smt.Term) string) string {
	var b strings.Builder
	list := func(title string, values map[string]value) {
		for _, k := range sortedKeys(values) {
			fmt.Fprintf(&b, "  %s%s = %s\n", title, k, show(valueOf, values[k]))
		}
	}
	list("", p.engine.constants)
	if !c.initial {
		list("", p.state)
	}
	list("then ", c.path.next)
	return b.String()
}

// shownItems is how many items of a sequence are shown.
const shownItems = 4

// show writes a value as TLA+.
func show(valueOf func(*smt.Term) string, v value) string {
	switch v := v.(type) {
	case scalar:
		return valueOf(v.Term)
	case *record:
		var parts []string
		for _, k := range v.keys {
			parts = append(parts, k+" |-> "+show(valueOf, v.fields[k]))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *sequence:
		n, _ := strconv.Atoi(valueOf(v.length))
		var parts []string
		for i := 1; i <= min(n, shownItems); i++ {
			parts = append(parts, show(valueOf, v.at(smt.Number(int64(i)))))
		}
		if n > shownItems {
			parts = append(parts, fmt.Sprintf("... (%d in all)", n))
		}
		return "<<" + strings.Join(parts, ", ") + ">>"
	case set:
		var parts []string
		for _, b := range v.branches() {
			if len(b.sorts) > 0 {
				return "{...}"
			}
			guard, member := b.at(nil)
			text := show(valueOf, member)
			if valueOf(guard) == "TRUE" {
				parts = append(parts, text)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.describe()
}
