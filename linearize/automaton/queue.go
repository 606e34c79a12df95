package automaton

import (
	"math/bits"
	"slices"

	"ndkoracle/model"
)

// Moment is a place in the order of what is seen. Moments grow.
type Moment = uint64

// A Queue follows one completion queue. Its methods take what was seen, in order, each with its moment, and report whether
// an explanation is left. After the last has gone, or after an error, they change nothing any more.
type Queue struct {
	machine *Machine
	set     *set
	moments []Moment // that the explanations refer to, by rank
	pending []int    // for each: how many requests, not delivered yet, could have completed by then
	open    int      // how many requests, not delivered yet, could complete now
	fences  []mark
	now     Moment // of the latest event
	debt    uint32 // callbacks that may be owed beside those that the explanations say
	owed    uint32 // callbacks that were owed before the latest event
	depth   int    // as an event has it
	why     []*model.Refusal
	death   death // where no explanation is left
	prior   *set  // before the latest event
	unknown int   // completions whose place was told, and that Resume has forgotten
	err     error
}

// NewQueue returns the queue of a CQ that was just created. Where the consumer writes the trace, callbacks may have been
// entered before it tells of them.
func (m *Machine) NewQueue(consumerSide bool) *Queue {
	x := explanation{control: control{}.became(m.contract.Init().Cqs[0])}
	readers := uint8(0)
	if consumerSide {
		readers = anyReaders
	}
	return &Queue{machine: m, set: m.intern([]explanation{x}, nil, readers, 0).to}
}

// Alive reports whether an explanation is left.
func (q *Queue) Alive() bool { return len(q.set.alive) > 0 }

// MayBeEmpty reports whether, in some explanation, the CQ holds nothing.
func (q *Queue) MayBeEmpty() bool {
	return slices.ContainsFunc(q.set.alive, func(x explanation) bool { return x.nullable() })
}

// Err says why no answer can be given any more, or returns nil.
func (q *Queue) Err() error { return q.err }

// Why returns the reasons for which the last explanations went.
func (q *Queue) Why() []*model.Refusal { return q.why }

// Arm returns what the CQ is armed for, where every explanation says the same.
func (q *Queue) Arm() (arm model.Arm, known bool) {
	return model.Arm(bits.TrailingZeros8(uint8(q.set.arms))), bits.OnesCount8(uint8(q.set.arms)) == 1
}

// Arms returns the types for which the CQ may be armed, NONE included: now, or once more completions may have been placed.
func (q *Queue) Arms(placed bool) model.Arms {
	if placed {
		return q.set.placedArms
	}
	return q.set.arms
}

// Aged returns how many completions the CQ holds at least, none of these fresh, where every explanation says the same, and else 0.
func (q *Queue) Aged() int { return q.set.aged }

// Owes reports whether every explanation says that a callback is owed, and whether one does.
func (q *Queue) Owes() (certain, maybe bool) { return q.set.owes, q.set.mayOwe }

// take handles an event that happens at a moment.
func (q *Queue) take(e event, at Moment) bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	if q.debt > 0 && (e.what == rested || e.what == notified || e.what == closeDone) {
		q.raise(q.debt)
	}
	before := q.set
	if e.mayComeAfterOverflow() {
		e.depth = q.depth
	}
	if e.what == callbackEntered {
		e.n = int(q.due())
	}
	s := q.machine.after(before, &e)
	if s.err != nil {
		q.err = s.err
		return true
	}
	known := len(q.moments)
	if q.now = at; e.what < pruned {
		q.prior, q.owed = before, q.debt
	}
	moments, pending := q.moments[:0], q.pending[:0]
	for _, rank := range s.keep { // in place: ranks only fall
		if int(rank) < known {
			moments, pending = append(moments, q.moments[rank]), append(pending, q.pending[rank])
			continue
		}
		moments, pending = append(moments, at), append(pending, q.open)
	}
	if q.set = s.to; !q.Alive() {
		q.why, q.death = s.why, death{before, e, q.moments, q.pending}
		return false
	}
	q.moments, q.pending = moments, pending
	if q.debt += s.shift; e.what == callbackEntered {
		q.debt -= uint32(e.n)
	}
	return q.prune(at) && q.fence()
}

// prune drops the explanations that would have placed completions of more requests than there are, and what has a place in others though
// there are none.
func (q *Queue) prune(at Moment) bool {
	for rank, n := range q.set.need {
		if n > q.pending[rank] {
			return q.take(event{what: pruned, rank: uint16(rank), n: q.pending[rank]}, at)
		}
	}
	if first := int(q.set.firstMany); first < len(q.pending) && q.pending[first] <= 0 {
		return q.take(event{what: voided, rank: uint16(first)}, at)
	}
	return true
}

// Pending sets the number of requests, not delivered yet, that could complete now.
func (q *Queue) Pending(n int) { q.open = n }

// Gone says that a request which could complete from a moment on never will: it succeeded silently. It no longer counts
// as pending.
func (q *Queue) Gone(from, at Moment) bool {
	q.open--
	q.gone(from)
	return q.prune(at)
}

func (q *Queue) gone(from Moment) { q.NotPlaced(from, 1) }

// NotPlaced says that n requests, of those which could complete from a moment on, had not by now: they count from now on.
func (q *Queue) NotPlaced(from Moment, n int) {
	for i := len(q.moments) - 1; i >= 0 && q.moments[i] > from; i-- {
		q.pending[i] -= n
	}
}

// Untold reports whether a callback has been entered, in every explanation, that the trace has not recorded yet.
func (q *Queue) Untold() bool {
	return q.Alive() && !slices.ContainsFunc(q.set.alive, func(x explanation) bool { return x.ahead == 0 })
}

// ArmCalled handles the call of NdkArmCq. It returns the number of the call, for ArmReturned.
func (q *Queue) ArmCalled(t model.Arm, at Moment) bool {
	return q.take(event{what: armCalled, arm: t}, at)
}

// ArmReturned handles the return of the n'th of the NdkArmCq that are under way, from 0.
func (q *Queue) ArmReturned(n int, at Moment) bool {
	return q.take(event{what: armReturned, n: n}, at)
}

// Entered handles the entry of a callback, or an event that was read.
func (q *Queue) Entered(status model.Health, at Moment) bool {
	return q.take(event{what: callbackEntered, status: status}, at)
}

// Failed handles an error of the CQ that gives no callback.
func (q *Queue) Failed(at Moment) bool { return q.take(event{what: cqFailed}, at) }

// Exited handles the return of a callback.
func (q *Queue) Exited(at Moment) bool { return q.take(event{what: callbackExited}, at) }

// Readers sets the number of outstanding calls that may have read an event of the CQ.
func (q *Queue) Readers(n int, at Moment) bool {
	return q.take(event{what: readersAre, n: min(n, int(anyReaders)-1)}, at)
}

// FoundNoEvent handles a read that found no event after a moment of rest. No event that was owed at that moment is left.
func (q *Queue) FoundNoEvent(at Moment) bool { return q.take(event{what: noEvent}, at) }

// A Delivery is a completion that a poll returned.
type Delivery struct {
	Kinds   Kinds  // one of which it is
	From    Moment // from then on it can have been placed
	Counted Moment // from then on its request counted as pending
	Called  Moment // of its post
	Owed    Moment // the moment of rest at which it was owed, or 0
	Known   bool   // Placed has told its place; its request counted no more
}

// Delivered handles the oldest completion, which a poll returned.
func (q *Queue) Delivered(d Delivery, at Moment) bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	if d.Known && q.unknown > 0 {
		q.unknown--
		return true
	}
	rank, _ := slices.BinarySearch(q.moments, d.From+1)
	if !d.Known {
		q.open--
		q.gone(d.Counted)
	}
	last := q.settle(d.Called, d.Owed)
	if !q.take(event{what: delivered, kinds: d.Kinds, is: d.Known, rank: uint16(rank)}, at) || !last {
		return q.Alive()
	}
	return q.relax(d.Owed, at)
}

// FoundEmpty handles a poll that had room and returned nothing.
func (q *Queue) FoundEmpty(at Moment) bool {
	return q.take(event{what: foundEmpty}, at)
}

// Placed records that a completion of one of the kinds, possible from a moment on, was placed now. It no longer
// counts as pending.
func (q *Queue) Placed(kinds Kinds, from, at Moment) bool {
	q.open--
	q.gone(from)
	return q.take(event{what: placed, kinds: kinds}, at)
}

// Resized handles the answer of a resize: the CQ has other room from now on, or the resize was refused and the CQ has not overflowed.
func (q *Queue) Resized(refused bool, at Moment) bool {
	return q.take(event{what: resized, is: refused}, at)
}

// CloseCalled handles the close of the CQ, CloseDone its completion.
func (q *Queue) CloseCalled(at Moment) bool { return q.take(event{what: closeCalled}, at) }

// CloseDone handles the completion of the close.
func (q *Queue) CloseDone(at Moment) bool { return q.take(event{what: closeDone}, at) }

// ArmRefused handles the return of the n'th of the NdkArmCq that are under way, which did nothing.
func (q *Queue) ArmRefused(n int, at Moment) bool { return q.take(event{what: armRefused, n: n}, at) }

// Clone returns a copy of q, which goes its own way.
func (q *Queue) Clone() *Queue {
	c := *q
	c.moments, c.pending = slices.Clone(q.moments), slices.Clone(q.pending)
	c.fences = slices.Clone(q.fences)
	for i := range c.fences {
		c.fences[i].owed = slices.Clone(c.fences[i].owed)
	}
	return &c
}

// Join adds the explanations of a copy of q that has taken the same in another order.
func (q *Queue) Join(o *Queue) {
	if q.err == nil {
		q.err = o.err
	}
	if q.err != nil {
		return
	}
	q.raise(q.debt)
	o.raise(o.debt)
	moments := slices.Concat(q.moments, o.moments)
	slices.Sort(moments)
	moments = slices.Compact(moments)
	pending := make([]int, len(moments))
	var all []explanation
	for _, from := range []*Queue{q, o} {
		rank := make([]uint16, len(from.moments))
		for i, at := range from.moments {
			r, _ := slices.BinarySearch(moments, at)
			rank[i], pending[r] = uint16(r), from.pending[i]
		}
		for _, x := range from.set.alive {
			x.cells = slices.Clone(x.cells)
			for i := range x.cells {
				x.cells[i].by = rank[x.cells[i].by]
			}
			all = append(all, x)
		}
	}
	s := q.machine.intern(all, q.set.flights, q.set.readers, uint16(len(moments)))
	if s.err != nil {
		q.err = s.err
		return
	}
	q.moments, q.pending = moments, pending
	q.adopt(s)
}
