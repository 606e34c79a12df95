package automaton

import (
	"slices"

	"ndkoracle/model"
)

// Kinds is a set of kinds of completions: all that an arm can distinguish.
type Kinds uint8

// The kinds.
const (
	Plain     Kinds = 1 << iota // a success that is not solicited
	Solicited                   // a receive whose sender asked for it
	Failed
	Cancelled

	AnyKind = Plain | Solicited | Failed | Cancelled
)

var completions = [Cancelled + 1]model.Completion{
	Plain:     {Queue: model.Receive, Status: model.SUCCESS, Token: model.NoToken},
	Solicited: {Queue: model.Receive, Status: model.SUCCESS, Solicited: true, Token: model.NoToken},
	Failed:    {Queue: model.Receive, Status: model.FAILED, Token: model.NoToken},
	Cancelled: {Queue: model.Receive, Status: model.CANCELLED, Token: model.NoToken},
}

// each calls f with every kind of the set.
func (k Kinds) each(f func(Kinds)) {
	for one := Plain; one <= Cancelled; one <<= 1 {
		if k&one != 0 {
			f(one)
		}
	}
}

// A cell is a part of what an explanation says of the completions that a CQ holds. No cell says which completions they
// are: a poll tells that, later.
type cell struct {
	form  form
	kinds Kinds
	by    uint16 // the rank of the moment by which they had been placed
}

type form uint8

const (
	one       form = iota // exactly one completion, of one of the kinds
	many                  // any number of them, none included
	lost                  // one that may have vanished: it had been placed all the same
	point                 // exactly one, which the trace records as placed at that very moment
	fence                 // none: something that must have been placed by a moment of rest, and is not delivered, stands before it
	openFence             // none: something that may have to have been stands before it
	dropped               // none: a completion for which an overflow left no room
)

func (f form) isFence() bool { return f == fence || f == openFence }

// isPlaced reports whether one completion had come for a cell of the form, and no more than one, whether it is still there or not.
func (f form) isPlaced() bool { return f == one || f == lost || f == dropped }

// mayBeNone reports whether a CQ may hold nothing of a cell of the form.
func (f form) mayBeNone() bool { return f == many || f == lost || f == openFence || f == dropped }

// nullable reports whether a CQ with this content may hold nothing.
func (x explanation) nullable() bool {
	return x.stay == 0 && !slices.ContainsFunc(x.cells, func(c cell) bool { return !c.form.mayBeNone() })
}

// isThere returns x where one of its completions that may have vanished has not.
func (x explanation) isThere() explanation {
	x.stay = max(x.stay-1, 0)
	return x
}

// holdsThose reports whether x still has a cell for each of its completions that have not vanished.
func (x explanation) holdsThose() bool { return x.stay == 0 || x.stay <= tallyOf(x.cells).lost }

// Strengths of the strongest fresh match that a CQ holds: what an arm makes of a CQ depends on nothing else. The levels
// are ordered.
const (
	holdsNothing = iota
	noMatch      // it holds completions, and no fresh one counts
	mayMatch
	mustMatch
	levels
)

// strength returns how much a fresh completion of the kind counts for an arm of type a. It may be that any obliges any arm (A3).
func (m *Machine) strength(a model.Arm, kind Kinds) int {
	if m.contract.Dialect.A3 == model.A3AnyFresh {
		return mustMatch
	}
	return noMatch + int(m.contract.Dialect.Match(a, completions[kind]))
}

// matching returns the kinds that count for an arm of type a as level or more.
func (m *Machine) matching(a model.Arm, level int) Kinds { return m.matches[a][level] }

// restrict adds to all what x holds as far as its level for an arm of type a is one from least to most.
func (m *Machine) restrict(all []explanation, x explanation, a model.Arm, least, most int) []explanation {
	if most == holdsNothing {
		if !x.nullable() {
			return all
		}
		return append(all, x.emptied())
	}
	y, possible := m.without(x, x.old, m.matching(a, most+1))
	switch {
	case !possible:
		return all
	case least == holdsNothing:
		return append(all, y)
	case least == noMatch && slices.ContainsFunc(y.cells, func(c cell) bool { return c.form == fence }):
		return append(all, y)
	case least == noMatch:
		return m.having(all, y, 0, AnyKind)
	}
	return m.having(all, y, y.old, m.matching(a, least))
}

// emptied returns x for an empty CQ.
func (x explanation) emptied() explanation {
	cells := x.cells
	x.cells, x.old = nil, 0
	if i := slices.IndexFunc(cells, isDropped); i >= 0 {
		x.cells = cells[i : i+1 : i+1]
	}
	return x
}

// without returns x without completions of some kinds in the cells from there on; possible is false when one must be.
func (m *Machine) without(x explanation, from int, kinds Kinds) (y explanation, possible bool) {
	y = x
	if kinds == 0 {
		return y, y.holdsThose()
	}
	y.cells = append(m.arena.empty(len(x.cells)), x.cells[:from]...)
	for i, c := range x.cells[from:] {
		if !c.form.isFence() {
			c.kinds &^= kinds
		}
		switch {
		case c.form.isFence() || c.form == dropped || c.kinds != 0:
			y.cells = append(y.cells, c)
		case !c.form.mayBeNone():
			return y, false
		case from+i < x.old:
			y.old--
		}
	}
	return y, y.holdsThose()
}

// having adds to all x as far as it has a completion of some kinds in the cells from there on: for each place where the last
// one of them can be.
func (m *Machine) having(all []explanation, x explanation, from int, kinds Kinds) []explanation {
	for _, c := range x.cells[from:] {
		if !c.form.mayBeNone() && !c.form.isFence() && c.kinds&^kinds == 0 {
			return append(all, x)
		}
	}
	for i := len(x.cells) - 1; i >= from; i-- {
		c := x.cells[i]
		if c.form.isFence() || c.kinds&kinds == 0 {
			continue
		}
		y, possible := m.without(x, i+1, kinds)
		if !possible {
			break
		}
		behind := y.cells[i+1:]
		y.cells = append(m.arena.empty(len(y.cells)+2), x.cells[:i]...)
		last := cell{form: c.form, kinds: c.kinds & kinds, by: c.by}
		if last.form == lost {
			last.form, y = one, y.isThere()
		}
		if c.form == many {
			last.form = one
			y.cells = append(y.cells, c, last)
			y.old += inside(i < x.old)
			if rest := c.kinds &^ kinds; rest != 0 {
				y.cells = append(y.cells, cell{form: many, kinds: rest, by: c.by})
				y.old += inside(i < x.old)
			}
		} else {
			y.cells = append(y.cells, last)
		}
		y.cells = append(y.cells, behind...)
		all = append(all, y)
	}
	return all
}

func inside(old bool) int {
	if old {
		return 1
	}
	return 0
}
