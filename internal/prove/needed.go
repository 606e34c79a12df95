package prove

import (
	"context"
	"slices"

	"ndkoracle/internal/prove/smt"
)

// Need says which claim cannot be proved without an auxiliary invariant, and why.
type Need struct {
	Invariant string
	Claim     string // "" if each can be proved without it
	Failure   Failure
}

// Needs looks for each auxiliary invariant of the claims over a file for a claim that has a counter-example to induction without it.
func (c *Checker) Needs(ctx context.Context, claims []Claim, over string) ([]Need, error) {
	auxiliary, err := c.Auxiliary(over)
	if err != nil {
		return nil, err
	}
	var needs []Need
	for _, name := range auxiliary {
		if name == shapeName || name == boundsName {
			continue
		}
		need := Need{Invariant: name}
		for _, claim := range claims {
			if claim.Over != over || claim.Verdict != Proved {
				continue
			}
			failure, err := c.without(ctx, claim, name)
			if err != nil {
				return nil, err
			}
			if failure != nil {
				need.Claim, need.Failure = claim.Name, *failure
				break
			}
		}
		needs = append(needs, need)
	}
	return needs, nil
}

// without decides a claim without one of its invariants, and returns the first failure.
func (c *Checker) without(ctx context.Context, claim Claim, name string) (*Failure, error) {
	p, err := c.Load(ctx, claim)
	if err != nil {
		return nil, err
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
