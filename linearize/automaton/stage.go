package automaton

import (
	"slices"

	"ndkoracle/model"
)

// stage returns what x can have become by the moment before an event, by hidden steps and by calls that are under way. What
// is placed on the way is placed by now. Placings without effect are a cell of any number, so that there is an end to it.
func (m *Machine) stage(s *set, x explanation, now uint16) ([]explanation, error) {
	all := m.staged[:0]
	m.staged = nil // until all that is staged was taken
	var seen map[string]bool
	add := func(y explanation) {
		y = m.extended(y, now)
		if len(all) < few {
			if !slices.ContainsFunc(all, y.equal) {
				all = append(all, y)
			}
			return
		}
		if seen == nil {
			seen = map[string]bool{}
			for _, x := range all {
				seen[string(x.appendKey(nil))] = true
			}
		}
		if key := y.appendKey(nil); !seen[string(key)] {
			seen[string(key)] = true
			all = append(all, y)
		}
	}
	add(x)
	for i := 0; i < len(all); i++ {
		switch {
		case len(all) > maxStaged:
			return nil, ErrTooMany
		case m.Halted():
			return nil, ErrHalted
		}
		y := all[i]
		for _, c := range m.placing(y.control).changes {
			z := m.with(y, cell{form: one, kinds: c.kinds, by: now})
			z.control = c.to
			add(z)
		}
		for f, arm := range s.flights {
			if y.done>>f&1 == 0 {
				for _, z := range m.armed(y, arm) {
					z.done |= 1 << f
					add(z)
				}
			}
		}
		if s.readers > 0 {
			for _, z := range m.enteredAhead(y, s.readers) {
				add(z)
			}
		}
		if m.contract.Dialect.ExtraEvent && y.nullable() {
			next, _ := m.step(y.control, act{name: model.ExtraEvent}, 0, 0)
			for _, c := range next {
				z := y.emptied()
				z.control = c
				add(z)
			}
		}
	}
	return all, nil
}

// few is how many explanations are as soon compared one by one.
const few = 16

// armed returns the successors of x when an arm of type t takes effect.
func (m *Machine) armed(x explanation, t model.Arm) []explanation {
	return m.looks(x, act{name: model.NdkArmCq, arm: t}, model.Stronger(x.arm, t))
}

// exited returns the successors of x when its callback returns. What the CQ holds may be old only from then on (A3), and an arm
// may look at it only then (A28).
func (m *Machine) exited(x explanation) []explanation {
	all := m.looks(x, act{name: model.NdkCqNotificationCallbackExit}, x.arm)
	if m.contract.Dialect.A3 == model.A3Return {
		for i := range all {
			all[i].old = len(all[i].cells)
		}
	}
	return all
}

// looks returns the successors of x by an act that may look, for an arm of type a, at what the CQ holds: until it is asked the next time.
func (m *Machine) looks(x explanation, by act, a model.Arm) []explanation {
	all := m.found[:0]
	for _, o := range m.outcomes(look{x.control, by, a}) {
		n := len(all)
		all = m.restrict(all, x, a, o.least, o.most)
		for i := range all[n:] {
			all[n+i].control = o.to
		}
	}
	m.found = all[:0]
	return all
}

// A look is an act that may look, for an arm of a type, at what a CQ holds, and where it is taken.
type look struct {
	control
	act
	a model.Arm
}

// An outcome is a successor of a control state after a look, if the contents of the CQ have a strength from least to most.
type outcome struct {
	to          control
	least, most int
}

// outcomes asks the model for a CQ of each strength, and remembers what it answers. Where two strengths have one outcome, they are
// not distinguished.
func (m *Machine) outcomes(l look) []outcome {
	outcomes, known := m.looked[l]
	if known {
		return outcomes
	}
	for level, holds := range m.examples(l.a) {
		if level != holdsNothing && holds == 0 {
			continue // nothing counts for that much
		}
		next, _ := m.ask(l.control, l.act, holds, inside(level >= mayMatch))
		for _, to := range next {
			i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.to == to })
			if i < 0 {
				outcomes = append(outcomes, outcome{to, level, level})
				continue
			}
			outcomes[i].most = level
		}
	}
	if len(m.looked) >= maxRemembered {
		clear(m.looked)
	}
	m.looked[l] = outcomes
	return outcomes
}

// examples returns, for each strength, the kind of what a CQ may hold that has it for an arm of type a: 0 where there is no such
// completion.
func (m *Machine) examples(a model.Arm) [levels]Kinds {
	holds := [levels]Kinds{noMatch: Plain}
	AnyKind.each(func(kind Kinds) {
		if level := m.strength(a, kind); level >= mayMatch {
			holds[level] = kind
		}
	})
	return holds
}

// enteredAhead returns the successors of x when a callback is entered that the trace records only later: a consumer takes
// the entry down when its own function begins, and an event has been read when the call that reads it returns.
func (m *Machine) enteredAhead(x explanation, readers uint8) []explanation {
	var all []explanation
	if x.ahead < readers && x.ahead < anyReaders-1 {
		for _, y := range m.entered(x, model.OK) {
			y.ahead++
			all = append(all, y)
		}
	}
	if readers == anyReaders && !x.aheadOfError && x.health != model.OK {
		for _, y := range m.entered(x, x.health) {
			y.aheadOfError = true
			all = append(all, y)
		}
	}
	return all
}

// entered returns the successors of x when a callback is entered. There may be none on an empty CQ (A6).
func (m *Machine) entered(x explanation, status model.Health) []explanation {
	x.unread = false
	all := m.looks(x, act{name: model.NdkCqNotificationCallbackEnter, status: status}, x.arm)
	if m.agesAtEntry {
		for i := range all {
			all[i].old = len(all[i].cells)
		}
	}
	return all
}
