package automaton

import (
	"math"
	"slices"

	"ndkoracle/model"
)

// control is an explanation without the contents of the CQ. The number of owed callbacks is an interval: a satisfied arm may merge with an owed
// callback or add one (A2), and each number in the interval is possible.
type control struct {
	arm                         model.Arm
	health                      model.Health
	open                        model.Openness
	errorDue, running, reported bool
	uncounted                   bool       // nothing counts as fresh yet (A26)
	taken                       model.Arms // which completions match that are polled, but fresh (A25)
	waiting                     uint32
	least, most                 uint32 // callbacks owed
	done                        uint8  // which of the calls under way have taken effect, a bit each
	ahead                       uint8  // callbacks that were entered, and that the trace has not recorded yet
	aheadOfError                bool   // the same of the one that reports an error
	unread                      bool   // a callback was owed at a moment of rest at which no thread waited, and has not been entered since
}

// cq returns the model's CQ, with n callbacks owed.
func (c control) cq(n uint32, entries []model.Completion, fresh int) model.Cq {
	return model.Cq{Entries: entries, Fresh: fresh, Arm: c.arm, Waiting: int(c.waiting), Due: int(n), ErrorDue: c.errorDue,
		Running: c.running, Health: c.health, Reported: c.reported, Open: c.open, Uncounted: c.uncounted, Taken: c.taken}
}

// became returns c after a step of the model led to q.
func (c control) became(q model.Cq) control {
	c.arm, c.health, c.open = q.Arm, q.Health, q.Open
	c.errorDue, c.running, c.reported = q.ErrorDue, q.Running, q.Reported
	c.uncounted, c.taken = q.Uncounted, q.Taken
	c.waiting, c.least, c.most = uint32(q.Waiting), uint32(q.Due), uint32(q.Due)
	return c
}

// An act is an action of the model, as far as it differs from others of one CQ.
type act struct {
	name   model.Name
	arm    model.Arm    // NdkArmCq
	status model.Health // NdkCqNotificationCallbackEnter
	found  uint8        // NdkGetCqResults with room for one: how many it returned
	kind   Kinds        // Place
}

// action returns the model's action.
func (a act) action() model.Action {
	action := model.Action{Name: a.name, Type: a.arm, CqStatus: a.status, Completion: completions[a.kind]}
	if a.name == model.NdkGetCqResults {
		action.N, action.K = 1, int(a.found)
	}
	return action
}

// A question is one that the model was asked: what may follow c by an act, for a CQ that holds nothing, or one completion.
type question struct {
	control
	act
	holds Kinds // of that completion, or 0
	fresh int
}

type answer struct {
	next    []control // never changed
	refusal *model.Refusal
}

// step returns what may follow c, for a CQ that holds one completion of a kind, or nothing. What the model answered is remembered.
func (m *Machine) step(c control, a act, holds Kinds, fresh int) ([]control, *model.Refusal) {
	q := question{c, a, holds, fresh}
	known, found := m.answers[q]
	if !found {
		known.next, known.refusal = m.ask(c, a, holds, fresh)
		if len(m.answers) >= maxRemembered {
			clear(m.answers)
		}
		m.answers[q] = known
	}
	return known.next, known.refusal
}

// ask asks the model. The counts of callbacks owed that one outcome allows are an interval again, so its ends are asked for,
// and one more than the least: only zero is special, and the bound of A24, which is 2 at most.
func (m *Machine) ask(c control, a act, holds Kinds, fresh int) ([]control, *model.Refusal) {
	var next []control
	var refusal *model.Refusal
	var entries []model.Completion
	if holds != 0 {
		entries = []model.Completion{completions[holds]}
	}
	for i, n := range [...]uint32{c.least, c.least + 1, c.most} {
		if n > c.most || i == 2 && n <= c.least+1 {
			continue
		}
		state := model.State{Cqs: []model.Cq{c.cq(n, entries, fresh)}}
		successors, refused := m.contract.Step(state, a.action())
		if refused != nil {
			refusal = refused
		}
		for _, s := range successors {
			next = join(next, c.became(s.Cqs[0]))
		}
	}
	return next, refusal
}

// join adds c to controls, or widens the interval of one that differs in nothing else.
func join(controls []control, c control) []control {
	i := slices.IndexFunc(controls, func(d control) bool {
		d.least, d.most = c.least, c.most
		return d == c
	})
	if i < 0 {
		return append(controls, c)
	}
	controls[i].least = min(controls[i].least, c.least)
	controls[i].most = max(controls[i].most, c.most)
	return controls
}

// placing says what it does to place one more completion: nothing, for the kinds of loop, so that any number of them may be
// placed; or a change.
type placing struct {
	of      control
	loop    Kinds
	changes []change
	ways    []way // what ways returns, once it was asked for
}

type change struct {
	kinds Kinds
	to    control
}

// placing returns what placing does, in a CQ whose room has no end: the caller knows from when on there was room.
func (m *Machine) placing(c control) *placing {
	latest := &m.latest[(c.most+c.least<<3+uint32(c.arm)<<5)%uint32(len(m.latest))]
	if p := *latest; p != nil && p.of == c {
		return p
	}
	if p := m.places[c]; p != nil {
		*latest = p
		return p
	}
	p := &placing{of: c}
	AnyKind.each(func(kind Kinds) {
		next, _ := m.ask(c, act{name: model.Place, kind: kind}, 0, 0)
		for _, to := range next {
			if to == c {
				p.loop |= kind
				continue
			}
			i := slices.IndexFunc(p.changes, func(other change) bool { return other.to == to })
			if i < 0 {
				i = len(p.changes)
				p.changes = append(p.changes, change{to: to})
			}
			p.changes[i].kinds |= kind
		}
	})
	m.places[c], *latest = p, p
	return p
}

// forgetPlaces bounds the memory of placing. It numbers the classes anew, so no caller may keep one across the call.
func (m *Machine) forgetPlaces() {
	if len(m.places) >= maxRemembered {
		clear(m.places)
		clear(m.classes)
		clear(m.latest[:])
	}
}

// A way leads to a control state by placing: nothing, or what is in the steps.
type way struct {
	to    place
	steps []cell
}

// A place is a control state: its interval, and a class that is the same for those that differ by that only.
type place struct {
	class       int
	least, most uint32
}

// ways returns how placing goes on from a control state, up to the first change of it and whatever is placed after that.
func (m *Machine) ways(c control) []way {
	p := m.placing(c)
	if p.ways == nil {
		p.ways = []way{{m.placeOf(c), later(p.loop)}}
		for _, change := range p.changes {
			steps := append(later(p.loop), cell{form: one, kinds: change.kinds, by: anyTime})
			p.ways = append(p.ways, way{m.placeOf(change.to), append(steps, later(m.placing(change.to).loop)...)})
		}
	}
	return p.ways
}

// placeOf numbers the control states without their intervals.
func (m *Machine) placeOf(c control) place {
	p := place{least: c.least, most: c.most}
	c.least, c.most = 0, 0
	class, known := m.classes[c]
	if !known {
		class = len(m.classes)
		m.classes[c] = class
	}
	p.class = class
	return p
}

// anyTime is the deadline of what is placed now or later: later than all others.
const anyTime = ^uint16(0)

func later(loop Kinds) []cell {
	if loop == 0 {
		return nil
	}
	return []cell{{form: many, kinds: loop, by: anyTime}}
}

// maxRemembered bounds the tables of placings and of answers.
const maxRemembered = 1 << 12

// unlimited is a depth that no CQ reaches.
const unlimited = math.MaxInt
