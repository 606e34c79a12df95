package automaton

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/model"
)

// A mark is a moment of rest, with the completions that had to have been placed by then and have not been delivered. In the
// explanations a fence stands for it.
type mark struct {
	at   Moment
	owed []Moment // of each that is known to have been owed: the moment from which on it could have been placed; sorted
	open int      // how many are outstanding of which is not known whether they were owed
}

// Rested records a moment of rest. owed has an entry for each completion that must have been placed by this moment of rest and by no earlier one,
// unless it was delivered: the first moment at which it can have been placed, in order. open more may turn out to have been owed. If no thread
// waits for callbacks, a callback may stay owed.
func (q *Queue) Rested(owed []Moment, open int, waiting bool, at Moment) bool {
	e := event{what: rested, is: len(owed)+open > 0}
	if len(owed) > 0 {
		e.n = 1
	}
	if waiting {
		e.what = notified
	}
	if e.is {
		f := mark{at, slices.Clone(owed), open}
		slices.Sort(f.owed)
		q.fences = append(q.fences, f)
	}
	return q.take(e, at)
}

// Owe records that a completion which was open at the moment of rest was owed by then, and can have been placed from the moment from on.
func (q *Queue) Owe(rested, from, at Moment) bool {
	f := q.fenceAt(rested)
	if f == nil || f.open == 0 {
		return q.Alive()
	}
	f.open--
	i, _ := slices.BinarySearch(f.owed, from)
	if f.owed = slices.Insert(f.owed, i, from); len(f.owed) == 1 {
		return q.turn(fenceShut, rested, at) && q.fence()
	}
	return q.fence()
}

// NotOwed records that one which was open at a moment of rest was not owed by then.
func (q *Queue) NotOwed(rested, at Moment) bool {
	if f := q.fenceAt(rested); f != nil && f.open > 0 {
		if f.open--; f.open == 0 && len(f.owed) == 0 {
			return q.relax(rested, at)
		}
	}
	return q.Alive()
}

func (q *Queue) fenceAt(rested Moment) *mark {
	i := slices.IndexFunc(q.fences, func(f mark) bool { return f.at == rested })
	if i < 0 {
		return nil
	}
	return &q.fences[i]
}

// settle removes a delivered completion from those owed at a moment of rest, and reports whether it was the last one that is known to be owed.
func (q *Queue) settle(from, rested Moment) bool {
	if rested == 0 {
		return false
	}
	f := q.fenceAt(rested)
	if f == nil {
		return false
	}
	i := slices.Index(f.owed, from)
	if i < 0 {
		return false
	}
	f.owed = slices.Delete(f.owed, i, i+1)
	return len(f.owed) == 0
}

// relax opens a fence before which nothing is known to be owed any more, or takes it away.
func (q *Queue) relax(rested, at Moment) bool {
	if f := q.fenceAt(rested); f.open > 0 {
		return q.turn(fenceOpened, rested, at)
	}
	q.fences = slices.DeleteFunc(q.fences, func(f mark) bool { return f.at == rested })
	return q.turn(fenceGone, rested, at)
}

// turn changes the fence of a moment of rest in every explanation that has it.
func (q *Queue) turn(to what, rested, at Moment) bool {
	if rank, ok := slices.BinarySearch(q.moments, rested); ok {
		return q.take(event{what: to, rank: uint16(rank)}, at)
	}
	return q.Alive()
}

// fence drops the explanations in which what was owed at a moment of rest has no place.
func (q *Queue) fence() bool {
	if len(q.fences) == 0 || q.err != nil || !q.Alive() {
		return q.Alive()
	}
	overflowed := func(x explanation) bool { return !x.hasOverflown() || q.hasRequests(x) }
	return q.only(q.hasPlace, breach.CallbackDue) && q.only(overflowed, breach.TooFew)
}

// only keeps the explanations of which something is true; why it has to be is the reason where no other is left.
func (q *Queue) only(holds func(explanation) bool, why *model.Refusal) bool {
	alive := q.set.alive
	first := slices.IndexFunc(alive, func(x explanation) bool { return !holds(x) })
	if first < 0 {
		return true
	}
	kept := slices.Clone(alive[:first])
	for _, x := range alive[first+1:] {
		if holds(x) {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 {
		q.why, q.death = []*model.Refusal{why}, death{set: q.set, event: event{what: fenceGone}}
	}
	q.adopt(q.machine.lowered(kept, q.set.flights, q.set.readers, uint16(len(q.moments))))
	return q.Alive()
}

// Ended records that all requests which could complete, and are not delivered, had ended by a moment of rest. Nothing that the CQ holds was
// placed later.
func (q *Queue) Ended(rested Moment) bool {
	if q.err != nil || !q.Alive() {
		return q.Alive()
	}
	return q.only(func(x explanation) bool { return !q.placedBehind(x, rested) }, breach.HadEnded)
}

// placedBehind reports whether x says that a completion which the CQ holds was placed later than a moment of rest.
func (q *Queue) placedBehind(x explanation, rested Moment) bool {
	return slices.ContainsFunc(x.cells, func(c cell) bool { return c.form.isPlaced() && q.moments[c.by] > rested })
}

// hasPlace reports whether, before each fence, there is room in x for all that is owed by then. A cell of any number takes
// all that could have been placed by its moment; each of the others needs a cell of its own, of a moment that suits it.
func (q *Queue) hasPlace(x explanation) bool {
	if !q.knowsOwed(x) {
		return true
	}
	var owed []Moment // sorted
	next := 0
	for i, c := range x.cells {
		if !c.form.isFence() {
			continue
		}
		for ; next < len(q.fences) && q.fences[next].at < q.moments[c.by]; next++ {
			if len(q.fences[next].owed) > 0 && x.health == model.OK {
				return false // what is behind it was delivered
			}
		}
		if next < len(q.fences) && q.fences[next].at == q.moments[c.by] {
			owed = q.machine.merged(owed, q.fences[next].owed)
			next++
		}
		if !q.takes(x.cells[:i], owed) {
			return false
		}
	}
	for ; next < len(q.fences); next++ {
		if len(q.fences[next].owed) > 0 && x.health == model.OK {
			return false
		}
	}
	return true
}

// merged returns two sorted lists as one, in memory that is used again.
func (m *Machine) merged(a, b []Moment) []Moment {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	inOrder := a[len(a)-1] <= b[0]
	all := append(append(m.owed[:0], a...), b...)
	if m.owed = all; !inOrder {
		slices.Sort(all)
	}
	return all
}

// OwedForGood records that all that was owed at moments of rest, and is not delivered, had to have been placed by then. None of it can turn out
// to have waited, so what was placed later is of other requests.
func (q *Queue) OwedForGood() bool {
	if len(q.fences) == 0 || q.err != nil || !q.Alive() {
		return q.Alive()
	}
	return q.only(q.hasRequests, breach.OwedBefore)
}

// hasRequests reports whether there are requests for all that x says was placed, or lost, behind a fence, beside those that are owed before it.
func (q *Queue) hasRequests(x explanation) bool {
	if !q.knowsOwed(x) {
		return true
	}
	n, fences := 0, 0
	for _, c := range x.cells {
		switch {
		case c.form.isFence():
			n = 0
			for fences < len(q.fences) && q.fences[fences].at <= q.moments[c.by] {
				fences++
			}
			for _, f := range q.fences[:fences] {
				n += len(f.owed)
			}
		case fences > 0 && c.form.isPlaced():
			if n++; n > q.pending[c.by] {
				return false
			}
		}
	}
	return true
}

// knowsOwed reports whether the completions owed by the moments of rest before the fences of x had to be placed. A CQ that failed at an unknown
// time may have lost them.
func (q *Queue) knowsOwed(x explanation) bool {
	return x.open != model.Closed && (x.health == model.OK || x.hasOverflown())
}

// takes reports whether cells have room for completions that could be placed from such moments on, which are sorted.
func (q *Queue) takes(cells []cell, owed []Moment) bool {
	left, own := owed, false
	for j := len(cells) - 1; j >= 0 && len(left) > 0; j-- {
		k, _ := slices.BinarySearch(left, q.moments[cells[j].by])
		switch cells[j].form {
		case many:
			if left = left[k:]; len(left) > 0 {
				return false // what comes before this cell was placed by an earlier moment still
			}
		case one, lost:
			if k > 0 && !own {
				left, own = append(q.machine.owedLeft[:0], left...), true
				q.machine.owedLeft = left
			}
			if k > 0 {
				left = slices.Delete(left, k-1, k)
			}
		}
	}
	return len(left) == 0
}
