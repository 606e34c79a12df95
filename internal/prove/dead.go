package prove

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ndkoracle/internal/prove/smt"
)

// Dead returns the steps of the paths that no state with all invariants can take. A path that neither can be taken nor cannot, as
// far as the solver knows, is an error.
func (p *Proof) Dead(ctx context.Context, solver smt.Solver, limit time.Duration) (dead []string, err error) {
	hypothesis, err := p.hypothesis()
	if err != nil {
		return nil, err
	}
	session, err := p.session(ctx, solver, limit)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	session.Assert(hypothesis...)
	session.Assert(p.engine.about(hypothesis...)...)
	for i := range p.paths {
		answer, err := p.canBeTaken(session, &p.paths[i])
		if err != nil {
			return nil, err
		}
		switch answer {
		case smt.Unsat:
			dead = append(dead, p.paths[i].label())
		case smt.Unknown:
			return nil, fmt.Errorf("%s: whether a path of %s can be taken is not decided", p.Name, p.paths[i].label())
		}
	}
	return dead, ctx.Err()
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
const deadName = "dead.tsv"

// ReadDead reads the reasons why a path of a step cannot be taken.
func ReadDead(folder string) (map[string]string, error) {
	text, err := ReadText(folder, deadName)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		step, why, ok := strings.Cut(line, "\t")
		if !ok || why == "" || reasons[step] != "" {
			return nil, fmt.Errorf("%s:%d: a step and the reason are expected, each step once", filepath.Join(folder, deadName), i+1)
		}
		reasons[step] = why
	}
	return reasons, nil
}
