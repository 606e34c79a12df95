package prove

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ndkoracle/internal/prove/smt"
)

// Dead returns the steps of the paths that no state with all invariants can take, and of those that neither can be taken nor cannot,
// as far as the solver knows. Of the latter it is asked once more, with a longer limit.
func (p *Proof) Dead(ctx context.Context, solver smt.Solver, limit time.Duration) (dead, undecided []string, err error) {
	open := make([]*path, len(p.paths))
	for i := range p.paths {
		open[i] = &p.paths[i]
	}
	for _, limit := range []time.Duration{limit, longer * limit} {
		var found []*path
		if found, open, err = p.dead(ctx, solver, limit, open); err != nil {
			return nil, nil, err
		}
		for _, w := range found {
			dead = append(dead, w.label())
		}
	}
	for _, w := range open {
		undecided = append(undecided, w.label())
	}
	return dead, undecided, ctx.Err()
}

// dead looks at some paths, in one session.
func (p *Proof) dead(ctx context.Context, solver smt.Solver, limit time.Duration, paths []*path) (dead, undecided []*path, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	hypothesis, err := p.hypothesis()
	if err != nil {
		return nil, nil, err
	}
	session, err := p.session(ctx, solver, limit)
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	session.Assert(hypothesis...)
	session.Assert(p.engine.about(hypothesis...)...)
	for _, w := range paths {
		answer, err := p.canBeTaken(session, w)
		if err != nil {
			return nil, nil, err
		}
		switch answer {
		case smt.Unsat:
			dead = append(dead, w)
		case smt.Unknown:
			undecided = append(undecided, w)
		}
	}
	return dead, undecided, nil
}

// canBeTaken looks for a state at large first, and then in small instances.
func (p *Proof) canBeTaken(session *smt.Session, w *path) (smt.Answer, error) {
	session.Push()
	defer session.Pop()
	session.Assert(w.guard)
	session.Assert(p.engine.about(w.guard)...)
	answer, err := session.Ask()
	for n := int64(1); n <= mostSmall && answer == smt.Unknown && err == nil; n++ {
		session.Push()
		session.Assert(p.small(n)...)
		if answer, err = session.Ask(); answer == smt.Unsat {
			answer = smt.Unknown // a larger instance may take it
		}
		session.Pop()
	}
	return answer, err
}

// small bounds the constants and the lengths by a number.
func (p *Proof) small(n int64) (list []*smt.Term) {
	bound := func(t *smt.Term) { list = append(list, smt.LessOrEqual(t, smt.Number(n))) }
	for _, k := range sortedKeys(p.engine.constants) {
		if v, ok := p.engine.constants[k].(scalar); ok && v.Sort == smt.Int {
			bound(v.Term)
		}
	}
	var visit func(v value)
	visit = func(v value) {
		switch v := v.(type) {
		case *record:
			for _, k := range v.keys {
				visit(v.fields[k])
			}
		case *sequence:
			bound(v.length)
		}
	}
	for _, k := range sortedKeys(p.state) {
		visit(p.state[k])
	}
	return list
}

// deadName is the list, in tla/proof, of the steps of which a path cannot be taken, with the reasons.
const (
	deadName   = "dead.tsv"
	deadHeader = "step\twhy a path of it cannot be taken"
)

// ReadDead reads the reasons why a path of a step cannot be taken.
func ReadDead(folder string) (map[string]string, error) {
	text, err := ReadText(folder, deadName)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	header, rows, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	if header != deadHeader {
		return nil, fmt.Errorf("%s:1: the header is not %q", filepath.Join(folder, deadName), deadHeader)
	}
	for i, line := range strings.Split(rows, "\n") {
		step, why, ok := strings.Cut(line, "\t")
		if !ok || why == "" || reasons[step] != "" {
			return nil, fmt.Errorf("%s:%d: a step and the reason are expected, each step once", filepath.Join(folder, deadName), i+2)
		}
		reasons[step] = why
	}
	return reasons, nil
}

// Stale returns the steps that have a reason, and of which each path can be taken.
func Stale(reasons map[string]string, dead map[string]bool) (list []string) {
	for _, step := range sortedKeys(reasons) {
		if !dead[step] {
			list = append(list, step)
		}
	}
	return list
}
