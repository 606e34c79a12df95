package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ndkoracle/internal/prove/sany"
	"ndkoracle/internal/prove/smt"
)

// overSuffix ends the names of the files that override configurations: they are no configurations of TLC.
const overSuffix = ".proof"

// Checker decides claims.
type Checker struct {
	Folder  string // of the configurations: tla/
	Reader  sany.Reader
	Solvers []smt.Solver  // each has to refute each condition
	Limit   time.Duration // for one question

	reading sync.Mutex
	modules map[string]*sany.Module
}

// Result is what was found of a claim.
type Result struct {
	Paths, Conditions int
	Dead              []string  // steps of the paths that cannot be taken
	Undecided         []string  // steps of the paths of which that is not decided
	Failures          []Failure // of a claim that should fail: those of the named property
	Elapsed           time.Duration
}

// module reads modules, once.
func (c *Checker) module(ctx context.Context, names []string) (*sany.Module, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	key := strings.Join(names, " ")
	if m := c.modules[key]; m != nil {
		return m, nil
	}
	m, err := c.Reader.Read(ctx, names...)
	if err != nil {
		return nil, err
	}
	if c.modules == nil {
		c.modules = map[string]*sany.Module{}
	}
	c.modules[key] = m
	return m, nil
}

// Load reads the modules and the configurations of a claim, and evaluates it.
func (c *Checker) Load(ctx context.Context, claim Claim) (*Proof, error) {
	module, err := c.module(ctx, claim.Modules)
	if err != nil {
		return nil, err
	}
	texts, err := c.texts(claim)
	if err != nil {
		return nil, err
	}
	longest := int64(0)
	if claim.Verdict == Fails {
		longest = mostSmall // Break looks no further
	}
	p, err := Load(claim.Name, claim.Kind, longest, module, texts...)
	if err == nil && claim.Verdict == Proved && p.engine.longest > 0 {
		return nil, fmt.Errorf("%s: all constants are known, so that no sequence is longer than %d: it would not be proved for every depth", claim.Name, p.engine.longest)
	}
	if err == nil && claim.Verdict == Fails { // no other property is asked, and one of what happens in the end has no rule
		p.Properties = slices.DeleteFunc(p.Properties, func(n string) bool { return n != claim.Property })
	}
	return p, err
}

// texts returns the configurations of a claim, of which a later one overrides constants.
func (c *Checker) texts(claim Claim) ([]string, error) {
	text, err := ReadText(c.Folder, claim.Configuration+".cfg")
	if err != nil {
		return nil, err
	}
	texts := []string{text}
	if claim.Over != "" { // or else it is of TLC's configuration itself
		over, err := ReadText(c.Folder, claim.Over+overSuffix)
		if err != nil {
			return nil, err
		}
		texts = append(texts, over)
	}
	if claim.Constants != "" {
		texts = append(texts, "CONSTANTS "+claim.Constants)
	}
	return texts, nil
}

// searchLimit is how long a solver looks for a state in one go. It looks again, in other instances.
const searchLimit = 2 * time.Second

// longer is by how much the limit grows for what was not decided: the limits are of the clock, and a busy machine needs more of it.
const longer = 6

// Check decides a claim.
func (c *Checker) Check(ctx context.Context, claim Claim) (r Result, err error) {
	begun := time.Now()
	defer func() { r.Elapsed = time.Since(begun) }()
	p, err := c.Load(ctx, claim)
	if err != nil {
		return r, err
	}
	if claim.Kind == Apart {
		r.Paths = p.Paths()
		r.Conditions, r.Failures, err = p.Apart()
		return r, err
	}
	conditions, err := p.Conditions()
	if err != nil {
		return r, fmt.Errorf("%s: %w", claim.Name, err)
	}
	r.Paths, r.Conditions = p.Paths(), len(conditions)
	if claim.Verdict == Fails {
		conditions = slices.DeleteFunc(conditions, func(x Condition) bool { return x.Property != claim.Property })
		if len(conditions) == 0 {
			return r, fmt.Errorf("%s: there is no condition of %s", claim.Name, claim.Property)
		}
	}
	if len(c.Solvers) == 0 {
		return r, errors.New("no solver")
	}
	for i, solver := range c.Solvers {
		if claim.Verdict == Fails && i > 0 {
			break // one model is enough
		}
		decide := p.prove
		limit := c.Limit
		if claim.Verdict == Fails {
			decide, limit = p.refute, min(limit, searchLimit)
		}
		failures, err := decide(ctx, solver, limit, conditions)
		if err != nil {
			return r, fmt.Errorf("%s: %w", claim.Name, err)
		}
		r.Failures = append(r.Failures, failures...)
	}
	if claim.Verdict == Proved && claim.Kind == Safety && len(r.Failures) == 0 {
		r.Dead, r.Undecided, err = p.Dead(ctx, c.Solvers[0], min(c.Limit, searchLimit))
	}
	return r, err
}

// prove asks a solver for each condition, and once more, in a session of their own, for those that it did not decide.
func (p *Proof) prove(ctx context.Context, solver smt.Solver, limit time.Duration, conditions []Condition) ([]Failure, error) {
	failures, err := p.Solve(ctx, solver, limit, conditions)
	if err != nil {
		return nil, err
	}
	var again []Condition
	failures = slices.DeleteFunc(failures, func(f Failure) bool {
		if f.Answer == smt.Unknown {
			again = append(again, f.Condition)
		}
		return f.Answer == smt.Unknown
	})
	if len(again) == 0 || len(failures) > 0 {
		return append(failures, undecided(solver, again)...), nil
	}
	return p.Solve(ctx, solver, longer*limit, again)
}

func undecided(solver smt.Solver, conditions []Condition) (list []Failure) {
	for _, c := range conditions {
		list = append(list, Failure{Condition: c, Solver: solver.Name, Answer: smt.Unknown})
	}
	return list
}

// refute looks for a step that breaks a condition, and once more if it finds none.
func (p *Proof) refute(ctx context.Context, solver smt.Solver, limit time.Duration, conditions []Condition) ([]Failure, error) {
	found, err := p.Break(ctx, solver, limit, conditions)
	if err != nil || len(found) > 0 {
		return found, err
	}
	return p.Break(ctx, solver, longer*limit, conditions)
}

// Complaints says in what a result is not what the claim says; nothing when it is.
func (claim Claim) Complaints(r Result) (found []string) {
	switch claim.Verdict {
	case Proved:
		for _, f := range r.Failures {
			text := fmt.Sprintf("%s may break %s: %s says %s", f.Step, f.Property, f.Solver, f.Answer)
			if f.Answer == smt.Unknown {
				text = fmt.Sprintf("%s of %s is not decided: %s says unknown, or did not answer in time", f.Property, f.Step, f.Solver)
			}
			found = append(found, text)
		}
		for _, step := range r.Undecided {
			found = append(found, fmt.Sprintf("whether a path of %s can be taken is not decided", step))
		}
	case Fails:
		if !slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Answer == smt.Sat }) {
			found = append(found, fmt.Sprintf("%s must not be provable, and no solver has a step that breaks it", claim.Property))
		}
	}
	for _, pin := range []struct {
		what         string
		found, known int
		pinned       bool
	}{
		{"paths", r.Paths, claim.Paths, claim.Paths > 0},
		{"conditions", r.Conditions, claim.Conditions, claim.Conditions > 0},
		{"paths that cannot be taken", len(r.Dead), claim.Dead, claim.Dead >= 0},
	} {
		switch {
		case !pin.pinned:
			found = append(found, fmt.Sprintf("the number of %s is not pinned: %d", pin.what, pin.found))
		case pin.found != pin.known:
			found = append(found, fmt.Sprintf("%d %s, pinned are %d", pin.found, pin.what, pin.known))
		}
	}
	return found
}

// Pin sets the pinned counts to those that were found.
func (claim *Claim) Pin(r Result) {
	claim.Paths, claim.Conditions, claim.Dead = r.Paths, r.Conditions, len(r.Dead)
}

// Breaks looks for a step that breaks any condition of a claim, first for one that breaks a property, and says which, or "".
func (c *Checker) Breaks(ctx context.Context, claim Claim, property string) (string, error) {
	p, err := c.Load(ctx, claim)
	if err != nil {
		return "", err
	}
	conditions, err := p.Conditions()
	if err != nil {
		return "", fmt.Errorf("%s: %w", claim.Name, err)
	}
	var of, others []Condition
	for _, x := range conditions {
		if x.Property == property {
			of = append(of, x)
		} else {
			others = append(others, x)
		}
	}
	for _, list := range [][]Condition{of, others} {
		found, err := p.Break(ctx, c.Solvers[0], min(c.Limit, searchLimit), list)
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return found[len(found)-1].Step + " breaks " + found[len(found)-1].Property, nil
		}
	}
	return "", nil
}
