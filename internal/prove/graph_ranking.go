package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/internal/prove/smt"
)

// compiledHelper is a helper whose formulas can be evaluated.
type compiledHelper struct {
	name  string
	helps smt.Compiled // and something is waited for
	paths []compiledPath
}

// checkRanking adds the conditions of a ranking.
func (x *explorer) checkRanking(paths []compiledPath) error {
	p, waits := x.proof, x.proof.ranking.waits
	given := func(condition *smt.Term) evaluation {
		return func(name string, now, next map[string]value) (*smt.Term, error) {
			t, err := p.formula(name, now, next)
			return smt.Implies(condition, t), err
		}
	}
	property := func(paths []compiledPath, of []path, name string, condition *smt.Term) (err error) {
		for i := range paths {
			if paths[i].checks, err = x.checks(given(condition), []string{name}, p.state, of[i].next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := property(paths, p.paths, keepsName, waits); err != nil {
		return err
	}
	var some []*smt.Term
	for _, h := range p.ranking.helpers {
		some = append(some, h.helps)
		helps := smt.And(waits, h.helps)
		c := compiledHelper{name: h.name}
		var err error
		if c.helps, err = x.layout.Compile(helps); err != nil {
			return err
		}
		if c.paths, err = x.compile(h.paths); err != nil {
			return err
		}
		if err := property(c.paths, h.paths, lowersName, helps); err != nil {
			return err
		}
		x.helpers = append(x.helpers, c)
	}
	always, err := x.layout.Compile(smt.Implies(waits, smt.Or(some...)))
	x.invariants = []check{{helpersName, always}}
	return err
}

// help sees that each helper that helps in a state can do so, and lowers the rank: if one does not, it is the step further on that is broken.
func (x *explorer) help(instance, state, next []int64) (further int, err error) {
	for _, h := range x.helpers {
		copy(instance, state)
		if h.helps(instance) == 0 {
			continue
		}
		can := false
		for i := range h.paths {
			copy(instance, state)
			if err := x.take(&h.paths[i], instance, next, func(string) { can = true }); err != nil || x.broken != "" {
				return 1, err
			}
		}
		if !can {
			x.breaks(helpsPrefix + h.name)
		}
	}
	return 0, nil
}

// Run explores the states of a claim that must fail, with the constants of TLC's configuration, until one breaks its property, or a step
// does, and returns how many states are on the shortest way there: of a ranking, one of its conditions. A constant of the claim that may be any number is each one that is no
// larger than the largest of the configuration; the shortest way of all counts. It is 0 if there is none.
func (c *Checker) Run(ctx context.Context, claim Claim) (shortest int, err error) {
	var own configuration
	if err := own.read("CONSTANTS " + claim.Constants); err != nil {
		return 0, fmt.Errorf("%s: %w", claim.Name, err)
	}
	claim.Over, claim.Verdict = "", ""
	names := slices.DeleteFunc(sortedKeys(own.constants), func(k string) bool { return !own.constants[k].unknown })
	values := make([]int64, len(names))
	for i := range values {
		values[i] = 1
	}
	for {
		known := claim
		for i, k := range names {
			known.Constants = strings.Replace(known.Constants, k+" = "+k, fmt.Sprintf("%s = %d", k, values[i]), 1)
		}
		p, err := c.Load(ctx, known)
		if err != nil {
			return 0, err
		}
		p.Properties = slices.DeleteFunc(p.Properties, func(n string) bool { return n != claim.Property }) // the others are of what happens in the end
		if p.ranking == nil && !slices.Contains(p.Properties, claim.Property) {
			p.Invariants = append(p.Invariants, claim.Property) // one of proof/
		}
		largest := p.Largest()
		g, broken, err := p.run(largest, claim.Property)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", claim.Name, err)
		}
		if broken != "" && (shortest == 0 || g.Depth < shortest) {
			shortest = g.Depth
		}
		i := 0
		for ; i < len(values) && values[i] == largest; i++ {
			values[i] = 1
		}
		if i == len(values) {
			return shortest, ctx.Err()
		}
		values[i]++
	}
}
