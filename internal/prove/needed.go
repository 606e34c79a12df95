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

// Need looks among the claims over a file for one that has a counter-example to induction without an auxiliary invariant.
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
	failures, err := p.solve(ctx, c.Solvers[0], min(c.Limit, searchLimit), conditions, (*smt.Session).Ask, true)
	if i := slices.IndexFunc(failures, func(f Failure) bool { return f.Answer == smt.Sat }); i >= 0 {
		return &failures[i], err
	}
	return nil, err
}
