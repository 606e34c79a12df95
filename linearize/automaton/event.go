package automaton

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// An event is all that matters of something that was seen.
type event struct {
	what   what
	arm    model.Arm
	status model.Health
	kinds  Kinds
	is     bool   // of delivered: its place is known; of rested: a completion is owed; of resized: it was refused
	rank   uint16 // of delivered: the first by which it can have been placed; of pruned, voided, fenceGone: the one in question
	n      int    // of armReturned: which call; of readersAre, pruned: the number; of callbackEntered: callbacks of the debt that may also be owed
	depth  int    // for how many completions the CQ has room, if it may have overflowed just before; or HasRoom, or NotFollowed
}

type what uint8

const (
	armCalled what = iota
	armReturned
	armRefused
	callbackEntered
	callbackExited
	delivered
	foundEmpty
	rested
	notified // rested, where a callback that is owed would have been entered
	placed
	resized
	closeCalled
	closeDone
	readersAre
	noEvent
	cqFailed // an error of the CQ is told that gives no callback
	pruned
	voided
	fenceGone
	fenceShut
	fenceOpened
	raised // what lower took away comes back
)

// after returns the step of an event from s.
func (m *Machine) after(s *set, e *event) *step {
	if next := s.next.find(e); next != nil {
		return next
	}
	next := m.compute(s, *e)
	m.remember(100)
	s.next.add(*e, next)
	return next
}

// steps are the steps that are known from one set. Few events are met again and again: the latest are looked through first, and of most sets there are
// no others.
type steps struct {
	latest [4]struct {
		event event
		to    *step
	}
	place int
	all   map[event]*step // nil as long as they are the latest
}

func (s *steps) find(e *event) *step {
	for i := range s.latest {
		if s.latest[i].event == *e && s.latest[i].to != nil {
			return s.latest[i].to
		}
	}
	to := s.all[*e]
	if to != nil {
		s.keep(*e, to)
	}
	return to
}

func (s *steps) keep(e event, to *step) {
	l := &s.latest[s.place]
	l.event, l.to = e, to
	s.place = (s.place + 1) % len(s.latest)
}

func (s *steps) add(e event, to *step) {
	if s.all == nil && s.latest[s.place].to != nil {
		s.all = map[event]*step{}
		for _, l := range s.latest {
			s.all[l.event] = l.to
		}
	}
	if s.all != nil {
		s.all[e] = to
	}
	s.keep(e, to)
}

func (m *Machine) compute(s *set, e event) *step {
	m.arena.reset()
	t := transition{machine: m, alive: m.taken[:0], set: s, event: e, now: uint16(len(s.need)), flights: s.flights, readers: s.readers}
	for _, x := range s.alive {
		if e.what == callbackEntered {
			x.most += uint32(e.n)
		}
		if t.take(x); t.err != nil {
			return &step{err: t.err}
		}
	}
	if m.Halted() {
		return &step{err: ErrHalted}
	}
	t.end()
	if cap(t.alive) <= maxStaged {
		m.taken = t.alive[:0]
	}
	alive := t.alive
	if !e.onlyDrops() {
		alive = m.uncovered(alive)
	}
	next := m.lowered(alive, t.flights, t.readers, t.now+1)
	if m.Halted() {
		return &step{err: ErrHalted}
	}
	if len(t.alive) == 0 {
		next.why = t.why
	}
	return next
}

// onlyDrops reports whether the event drops explanations, and changes none.
func (e event) onlyDrops() bool {
	return e.what == armCalled || e.what == readersAre || e.what == noEvent || e.what == pruned
}

// A transition is what an event makes of a set, while it is computed.
type transition struct {
	machine *Machine
	set     *set
	event   event
	now     uint16
	alive   []explanation
	flights []model.Arm
	readers uint8
	why     []*model.Refusal
	err     error
}

func (t *transition) keep(x explanation) { t.alive = append(t.alive, x) }

func (t *transition) refuse(r *model.Refusal) {
	if r != nil && !slices.Contains(t.why, r) {
		t.why = append(t.why, r)
	}
}

// staged calls f with all that x can have become by now.
func (t *transition) staged(x explanation, f func(explanation)) {
	all, err := t.machine.stage(t.set, x, t.now)
	if err != nil {
		t.err = err
	}
	for _, y := range all {
		f(y)
	}
	t.machine.staged = all[:0]
}

// take applies the event to x, and to what x becomes if the CQ has overflowed just before.
func (t *transition) take(x explanation) {
	t.takeFrom(x)
	if t.event.depth > 0 && x.health == model.OK {
		t.staged(x, func(y explanation) {
			all, err := t.machine.overflown(y, t.event.depth, t.now)
			if err != nil {
				t.err = err
			}
			for _, z := range all {
				t.takeFrom(z)
			}
		})
	}
}

func (t *transition) takeFrom(x explanation) {
	switch t.event.what {
	case armCalled, readersAre:
		if t.event.what == armCalled || x.ahead <= uint8(t.event.n) && !x.aheadOfError {
			t.keep(x)
		}
	case noEvent:
		if x.unread {
			t.refuse(breach.CallbackDue)
			return
		}
		t.keep(x)
	case armReturned, armRefused:
		t.returned(x)
	case callbackEntered:
		t.enter(x)
	case cqFailed:
		t.fail(x)
	case callbackExited:
		if t.machine.looksAtEntry {
			t.simple(x, model.NdkCqNotificationCallbackExit)
			return
		}
		t.staged(x, func(y explanation) { t.alive = append(t.alive, t.machine.exited(y)...) })
	case resized:
		if !t.event.is || x.health == model.OK {
			t.keep(x)
			return
		}
		t.refuse(breach.WasNotResized)
	case closeCalled:
		t.simple(x, model.NdkCloseCq)
	case closeDone:
		t.simple(x.emptied(), model.NdkCloseCompletion)
	case delivered:
		if len(t.set.flights) == 0 && t.set.readers == 0 {
			t.deliver(x)
			return
		}
		t.staged(x, t.deliver)
	case foundEmpty:
		if len(t.set.flights) == 0 && t.set.readers == 0 {
			t.empty(x)
			return
		}
		t.staged(x, t.empty)
	case rested, notified:
		t.rest(x)
	case placed:
		t.staged(x, t.place)
	case pruned:
		if t.event.n >= placedBy(x, t.event.rank) {
			t.keep(x)
			return
		}
		t.refuse(breach.TooFew)
	case voided:
		t.keep(x.withNothingBy(t.event.rank))
	case fenceGone:
		t.keep(x.withoutFence(t.event.rank))
	case fenceShut:
		t.keep(x.withFence(t.event.rank, fence))
	case fenceOpened:
		t.keep(x.withFence(t.event.rank, openFence))
	}
}

// withNothingBy returns x where any number of completions that had been placed by a moment are none.
func (x explanation) withNothingBy(rank uint16) explanation {
	kept, old := make([]cell, 0, len(x.cells)), x.old
	for i, c := range x.cells {
		if c.form == many && c.by <= rank {
			old -= inside(i < x.old)
			continue
		}
		kept = append(kept, c)
	}
	x.cells, x.old = kept, old
	return x
}

// withoutFence returns x without the fence of a moment.
func (x explanation) withoutFence(rank uint16) explanation {
	i := slices.IndexFunc(x.cells, func(c cell) bool { return c.form.isFence() && c.by == rank })
	if i >= 0 {
		x.cells = slices.Delete(slices.Clone(x.cells), i, i+1)
		x.old -= inside(i < x.old)
	}
	return x
}

// withFence returns x with another form of the fence of a moment.
func (x explanation) withFence(rank uint16, to form) explanation {
	i := slices.IndexFunc(x.cells, func(c cell) bool { return c.form.isFence() && c.by == rank })
	if i >= 0 {
		x.cells = slices.Clone(x.cells)
		x.cells[i].form = to
	}
	return x
}

// end changes what the explanations share.
func (t *transition) end() {
	switch t.event.what {
	case armCalled:
		t.flights = append(slices.Clone(t.flights), t.event.arm)
		if len(t.flights) > 8 {
			t.err = ErrTooMany
		}
	case armReturned, armRefused:
		t.flights = slices.Delete(slices.Clone(t.flights), t.event.n, t.event.n+1)
	case readersAre:
		t.readers = uint8(t.event.n)
	}
}

// simple performs a step that does not depend on the contents of the CQ.
func (t *transition) simple(x explanation, name model.Name) {
	next, refusal := t.machine.step(x.control, act{name: name}, 0, 0)
	t.refuse(refusal)
	for _, to := range next {
		x.control = to
		t.keep(x)
	}
}
