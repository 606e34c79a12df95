package automaton

import (
	"slices"

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
	n      int    // of armReturned: which call; of readersAre, pruned: the number; of callbackEntered: callbacks of the debt that may be owed, too
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
	pruned
	voided
	fenceGone
	fenceShut
	fenceOpened
	raised // what lower took away comes back
)

// after returns the step that an event takes from s, whose explanations refer to so many moments.
func (m *Machine) after(s *set, e *event) *step {
	if next := s.next.find(e); next != nil {
		return next
	}
	next := m.compute(s, *e)
	m.remember(100)
	s.next.add(*e, next)
	return next
}

// steps are the steps that are known from one set. Few events are met again and again: the latest are looked through first.
type steps struct {
	latest [4]struct {
		event event
		to    *step
	}
	place int
	all   map[event]*step
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
	if s.all == nil {
		s.all = map[event]*step{}
	}
	s.all[e] = to
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
	if e.onlyDrops() {
		alive = slices.Clone(alive)
	} else {
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

// take takes the event from x, and from what x becomes if the CQ has overflowed just before.
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
			t.refuse(CallbackDue)
			return
		}
		t.keep(x)
	case armReturned, armRefused:
		t.returned(x)
	case callbackEntered:
		t.enter(x)
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
		t.refuse(WasNotResized)
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
		t.refuse(TooFew)
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

// simple takes a step that looks at nothing of what the CQ holds.
func (t *transition) simple(x explanation, name model.Name) {
	next, refusal := t.machine.step(x.control, model.Action{Name: name}, nil, 0)
	t.refuse(refusal)
	for _, to := range next {
		x.control = to
		t.keep(x)
	}
}

// returned keeps the courses on which the arm has taken effect, or, where it was refused, those on which it has not.
func (t *transition) returned(x explanation) {
	f, done := t.event.n, uint8(1)
	if t.event.what == armRefused {
		done = 0
	}
	finish := func(y explanation) {
		if y.done>>f&1 == done {
			low := y.done & (1<<f - 1)
			y.done = low | y.done>>(f+1)<<f
			t.keep(y)
		}
	}
	if done == 0 || x.done>>f&1 == 1 {
		finish(x)
		return
	}
	t.staged(x, finish)
	if len(t.alive) == 0 {
		_, refusal := t.machine.step(x.control, model.Action{Name: model.NdkArmCq, Type: t.set.flights[f]}, nil, 0)
		t.refuse(refusal)
	}
}

// enter takes the entry of a callback, which may have happened before the trace tells.
func (t *transition) enter(x explanation) {
	if t.event.status == model.OK && x.ahead > 0 {
		y := x
		y.ahead--
		t.keep(y)
	}
	if t.event.status != model.OK && x.aheadOfError {
		y := x
		y.aheadOfError = false
		t.keep(y)
	}
	t.staged(x, func(y explanation) {
		for _, z := range t.machine.entered(y, t.event.status) {
			t.keep(z)
		}
		if t.event.status == model.InternalError || t.event.status != model.OK && t.event.depth == NotFollowed {
			for _, z := range t.machine.failed(y, t.event.status) {
				for _, told := range t.machine.entered(z, t.event.status) {
					t.keep(told)
				}
			}
		}
		if len(t.alive) == 0 {
			action := model.Action{Name: model.NdkCqNotificationCallbackEnter, CqStatus: t.event.status}
			_, refusal := t.machine.step(y.control, action, t.machine.example(y), 0)
			if refusal == nil {
				_, refusal = t.machine.step(y.control, action, nil, 0) // of an empty CQ (A6)
			}
			t.refuse(refusal)
		}
	})
}

// failed returns what becomes of y when the CQ fails just before that is told. One that overflows holds as much as it has room
// for: the caller knows that there is so much, and y has to have a place for it.
func (m *Machine) failed(y explanation, status model.Health) []explanation {
	name := model.CqInternalError
	if status == model.BufferOverflow {
		if name = model.Overflow; !slices.ContainsFunc(y.cells, func(c cell) bool { return c.form == many }) {
			return nil
		}
	}
	next, _ := m.step(y.control, model.Action{Name: name}, nil, 0)
	var all []explanation
	for _, to := range next {
		z := y
		z.control = to
		all = append(all, z)
	}
	return all
}

// example returns something that a CQ with the content of x may hold.
func (m *Machine) example(x explanation) []model.Completion {
	for _, c := range x.cells {
		for kind := Plain; kind <= Cancelled; kind <<= 1 {
			if c.kinds&kind != 0 {
				return []model.Completion{completions[kind]}
			}
		}
	}
	return nil
}

// pollOne is a poll that returns a completion.
var pollOne = model.Action{Name: model.NdkGetCqResults, N: 1, K: 1}

// deliver takes the oldest completion out: one that the CQ held, or one that is placed only now.
func (t *transition) deliver(x explanation) {
	e, m := t.event, t.machine
	if _, refusal := m.step(x.control, pollOne, m.contractEntry(), 0); refusal != nil {
		t.refuse(refusal)
		return
	}
	for i, c := range x.cells {
		from := x.from(i)
		if !from.holdsThose() {
			t.refuse(OtherExpected)
			return
		}
		fits := c.kinds&e.kinds != 0 && c.by >= e.rank && (c.form == point) == e.is
		switch {
		case c.form == fence:
			t.refuse(BehindFence)
			return
		case c.form == many && fits:
			t.polled(from, c.kinds&e.kinds, i >= x.old)
		case c.form == lost:
			if fits {
				t.polled(from.from(1).isThere(), c.kinds&e.kinds, i >= x.old)
			}
		case c.form == one || c.form == point:
			if fits {
				t.polled(from.from(1), c.kinds&e.kinds, i >= x.old)
			} else {
				t.refuse(OtherExpected)
			}
			return
		}
	}
	if e.is || x.stay > 0 {
		t.refuse(OtherExpected)
		return
	}
	p := m.placing(x.control)
	y := x.emptied()
	t.polled(y, p.loop&e.kinds, !x.uncounted)
	for _, c := range p.changes {
		y.control = c.to
		t.polled(y, c.kinds&e.kinds, !x.uncounted)
	}
	if len(t.alive) == 0 {
		kind := e.kinds & -e.kinds
		_, refusal := m.step(x.control, model.Action{Name: model.Place, Completion: completions[kind]}, nil, 0)
		t.refuse(refusal)
	}
}

// polled keeps what becomes of y by the poll of a completion of one of the kinds, which may count on if it was fresh (A25).
func (t *transition) polled(y explanation, kinds Kinds, wasFresh bool) {
	var next []control
	kinds.each(func(kind Kinds) {
		after, _ := t.machine.step(y.control, pollOne, []model.Completion{completions[kind]}, inside(wasFresh))
		for _, to := range after {
			if !slices.Contains(next, to) {
				next = append(next, to)
			}
		}
	})
	for _, y.control = range next {
		t.keep(y)
	}
}

func (m *Machine) contractEntry() []model.Completion { return []model.Completion{completions[Plain]} }

// from returns x without its first n cells.
func (x explanation) from(n int) explanation {
	x.cells, x.old = x.cells[n:], max(x.old-n, 0)
	return x
}

// empty takes a poll that had room and returned nothing.
func (t *transition) empty(x explanation) {
	m := t.machine
	poll := model.Action{Name: model.NdkGetCqResults, N: 1}
	if _, refusal := m.step(x.control, poll, m.contractEntry(), 0); refusal == nil {
		t.keep(x) // of a CQ that holds something, too
		return
	}
	if !x.nullable() {
		_, refusal := m.step(x.control, poll, m.contractEntry(), 0)
		t.refuse(refusal)
		return
	}
	_, refusal := m.step(x.control, poll, nil, 0)
	if refusal != nil {
		t.refuse(refusal)
		return
	}
	t.keep(x.emptied())
}

// rest takes a moment at which the provider had come to rest: no callback is owed that could be entered, and what must have
// completed has been placed.
func (t *transition) rest(x explanation) {
	settle := func(y explanation) {
		if y.open != model.Closed && !y.running && t.event.what == notified {
			if y.errorDue {
				t.refuse(errorUntold)
				return
			}
			if y.most > 0 && y.nullable() && t.machine.contract.Dialect.A6 == model.A6Never { // what is owed waits for a completion
				z := y.emptied()
				z.least = max(z.least, 1)
				t.settled(z)
			}
			if y.least > 0 {
				t.refuse(CallbackDue)
				return
			}
			y.most = 0
		}
		if t.event.what == rested {
			t.unread(y)
			return
		}
		t.settled(y)
	}
	if t.event.is || t.set.readers > 0 || len(t.set.flights) > 0 {
		t.staged(x, settle)
		return
	}
	settle(x)
}

// unread keeps y at a moment of rest at which nobody waits: what is owed lies in the channel.
func (t *transition) unread(y explanation) {
	if y.open == model.Closed {
		t.settled(y)
		return
	}
	if y.least == 0 {
		none := y
		none.most = 0
		t.settled(none)
	}
	if y.most > 0 {
		y.least, y.unread = max(y.least, 1), true
		t.settled(y)
	}
}

// settled keeps y, with a fence behind what must have been placed by now.
func (t *transition) settled(y explanation) {
	if t.event.is && y.health == model.OK && y.open != model.Closed {
		c := cell{form: openFence, by: t.now}
		if t.event.n > 0 {
			c.form = fence
		}
		y = t.machine.with(y, c)
	}
	t.keep(y)
}

// place takes the knowledge that a completion was placed at this very moment.
func (t *transition) place(x explanation) {
	p := t.machine.placing(x.control)
	if kinds := p.loop & t.event.kinds; kinds != 0 {
		t.keep(t.machine.with(x, cell{form: point, kinds: kinds, by: t.now}))
	}
	for _, c := range p.changes {
		if kinds := c.kinds & t.event.kinds; kinds != 0 {
			y := t.machine.with(x, cell{form: point, kinds: kinds, by: t.now})
			y.control = c.to
			t.keep(y)
		}
	}
	if len(t.alive) == 0 {
		kind := t.event.kinds & -t.event.kinds
		_, refusal := t.machine.step(x.control, model.Action{Name: model.Place, Completion: completions[kind]}, nil, 0)
		t.refuse(refusal)
	}
}

// placedBy counts the completions that x says had been placed by the moment of a rank.
func placedBy(x explanation, rank uint16) int {
	n := 0
	for _, c := range x.cells {
		if c.form.isPlaced() && c.by <= rank {
			n++
		}
	}
	return n
}

// Reasons of this package's own.
var (
	TooFew        = &model.Refusal{Rule: "ARM-21", Why: "what was seen would take more completions than requests were outstanding"}
	BehindFence   = &model.Refusal{Rule: "DEF-04", Why: "a completion that was owed at a moment of rest had not been placed by then"}
	HadEnded      = &model.Refusal{Rule: "ARM-21", Why: "what is still outstanding had ended by a moment of rest"}
	OwedBefore    = &model.Refusal{Rule: "ARM-21", Why: "what is still outstanding had completed by a moment of rest, which calls nobody any more"}
	OtherExpected = &model.Refusal{Rule: "ARM-02", Why: "an earlier callback was for a completion of another kind, or placed earlier"}
	WasNotResized = &model.Refusal{Rule: "RSZ-03", Why: "what was seen is possible only if the CQ had overflowed at the depth that was refused"}
	CallbackDue   = &model.Refusal{Rule: "ARM-03", Why: "a callback is owed and was not entered"}
	errorUntold   = &model.Refusal{Rule: "ARM-08", Why: "the CQ's error was not reported to its arm"}
)
