package prove

import (
	"context"
	"slices"

	"ndkoracle/internal/prove/smt"
)

// Need says which claim cannot be proved without an auxiliary invariant, and why.
type Need struct {
	Claim   string // "" if each can be proved without it
	Failure Failure
}

// Need looks among the claims over a file for one of which a condition fails without an auxiliary invariant: it has a counter-example to induction,
// or the first solver does not decide it within the limit.
func (c *Checker) Need(ctx context.Context, claims []Claim, over, invariant string) (Need, error) {
	for _, claim := range claims {
		if claim.Over != over || claim.Verdict != Proved {
			continue
		}
		failure, err := c.without(ctx, claim, invariant)
		if err != nil || failure != nil {
			need := Need{Claim: claim.Name}
			if failure != nil {
				need.Failure = *failure
			}
			return need, err
		}
	}
	return Need{}, nil
}

// without decides a claim without one of its invariants, and returns the first failure.
func (c *Checker) without(ctx context.Context, claim Claim, name string) (*Failure, error) {
	p, err := c.Load(ctx, claim)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.Invariants, name) {
		return nil, nil
	}
	p.Invariants = slices.DeleteFunc(p.Invariants, func(n string) bool { return n == name })
	conditions, err := p.Conditions()
	if err != nil {
		return nil, err
	}
	solver, short := c.Solvers[0], min(c.Limit, searchLimit)
	failures, err := p.solve(ctx, solver, short, conditions, (*smt.Session).Ask, true)
	if i := slices.IndexFunc(failures, func(f Failure) bool { return f.Answer == smt.Sat }); i >= 0 || err != nil || len(failures) == 0 {
		return failureAt(failures, i), err
	}
	var open []Condition
	for _, f := range failures {
		open = append(open, f.Condition)
	}
	if found, err := p.Break(ctx, solver, short, open); len(found) > 0 || err != nil {
		return failureAt(found, 0), err
	}
	failures, err = p.Solve(ctx, solver, c.Limit, open)
	return failureAt(failures, 0), err
}

// failureAt returns a failure, or nil where there is none.
func failureAt(failures []Failure, i int) *Failure {
	if i < 0 || i >= len(failures) {
		return nil
	}
	return &failures[i]
}
