package prove

import (
	"ndkoracle/internal/prove/smt"
)

// The names by which a module says why something happens in the end. While Outstanding is true, no step raises the rank; of each helper,
// where it helps, its action can be taken, and lowers the rank; and always one helps. What the helpers do is what the specification has
// fairness of. Where a helper with strong fairness helps, whose action ends the wait, NotRaised may be of the other states alone.
const (
	waitsName   = "Outstanding"
	keepsName   = "NotRaised" // or Outstanding has become false
	lowersName  = "Lowered"   // or Outstanding has become false
	helpsPrefix = "Helps"     // before a helper's name: in which states it helps
	doesSuffix  = "Does"      // after it: its action
)

// helpersName is the definition that names the helpers, in a set.
const helpersName = "Helpers"

// ranking is an argument that the number of steps that a helper has yet to take falls.
type ranking struct {
	waits   *smt.Term
	helpers []helper
}

type helper struct {
	name  string
	helps *smt.Term
	paths []path
}

func (p *Proof) loadRanking() error {
	r := &ranking{}
	var err error
	if r.waits, err = p.formula(waitsName, p.state, nil); err != nil {
		return err
	}
	var names []string
	err = p.engine.try(func() { names = p.engine.keys(isSet(p.engine.definition(helpersName, steady{}))) })
	if err != nil {
		return err
	}
	for _, name := range names {
		h := helper{name: name}
		if h.helps, err = p.formula(helpsPrefix+name, p.state, nil); err != nil {
			return err
		}
		if h.paths, err = p.engine.pathsOf(name+doesSuffix, p.state); err != nil {
			return err
		}
		for i := range h.paths { // an action need not say what becomes of the ghost variables
			next := map[string]value{}
			for v, old := range p.state {
				next[v] = old
			}
			for v, changed := range h.paths[i].next {
				next[v] = changed
			}
			h.paths[i].next = next
		}
		r.helpers = append(r.helpers, h)
	}
	p.ranking = r
	return nil
}

// rankingConditions returns that no step raises the rank; that of each helper each path lowers it, and one is enabled; and that some
// helper helps.
func (p *Proof) rankingConditions() (list []Condition, err error) {
	add := func(step, property string, w path, given *smt.Term) error {
		goal, err := p.formula(property, p.state, w.next)
		if err != nil || goal == smt.True {
			return err
		}
		w.guard = smt.And(w.guard, given)
		list = append(list, Condition{step, property, &w, goal, false})
		return nil
	}
	for _, w := range p.paths {
		if err := add(w.label(), keepsName, w, p.ranking.waits); err != nil {
			return nil, err
		}
	}
	var some []*smt.Term
	for _, h := range p.ranking.helpers {
		some = append(some, h.helps)
		helps := smt.And(p.ranking.waits, h.helps)
		var enabled []*smt.Term
		for _, w := range h.paths {
			if len(w.unknowns) > 0 && len(p.engine.about(w.guard)) > 0 { // the symbol would be one for all that the helper may choose
				return nil, unsupported("CHOOSE or SelectSeq in the guard of the helper %s", h.name)
			}
			enabled = append(enabled, smt.Exists(w.unknowns, w.guard))
			if err := add(h.name+": "+w.label(), lowersName, w, helps); err != nil {
				return nil, err
			}
		}
		list = append(list, Condition{h.name + " can help", helpsPrefix + h.name, &path{guard: helps}, smt.Or(enabled...), false})
	}
	return append(list, Condition{"some helper helps", helpersName, &path{guard: p.ranking.waits}, smt.Or(some...), false}), nil
}
