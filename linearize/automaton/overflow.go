package automaton

import (
	"slices"

	"ndkoracle/model"
)

// A CQ overflows when one completion too many is placed, which is a hidden step. The explanations in which it has overflowed are followed beside
// the others: there the CQ has as many completions as fit, accepts no more, and one request never completes.

// Values of the depth that stand for what is known of the room in a CQ.
const (
	NotFollowed = 0  // it is not known when it may have overflowed: that is tried where a callback reports an overflow
	HasRoom     = -1 // it can't overflow now; each time at which it could was recorded
)

// MayOverflow records that the CQ has room for depth completions, and that more are on their way. It may overflow before each event from now on.
// The depth is also HasRoom or NotFollowed.
func (q *Queue) MayOverflow(depth int) { q.depth = depth }

// HasFailed reports whether the CQ has failed in all explanations.
func (q *Queue) HasFailed() bool {
	return q.Alive() && !slices.ContainsFunc(q.set.alive, func(x explanation) bool { return x.health == model.OK })
}

// mayComeAfterOverflow reports whether it matters to the event if the CQ has overflowed before it. For the others it may overflow later.
func (e *event) mayComeAfterOverflow() bool {
	switch e.what {
	case armReturned, armRefused, callbackEntered, callbackExited, delivered, foundEmpty, rested, notified:
		return true
	case resized:
		return !e.is
	}
	return false
}

// overflown returns the successors of y when the CQ overflows just now: the CQ is full. The caller knows that there are
// requests for that many completions now, and one more.
func (m *Machine) overflown(y explanation, depth int, now uint16) ([]explanation, error) {
	next, _ := m.step(y.control, act{name: model.Overflow}, 0, 0)
	if len(next) == 0 {
		return nil, nil
	}
	n := depth
	for _, c := range y.cells {
		n -= inside(c.form == one || c.form == point)
	}
	full, err := y.filled(nil, 0, n)
	var all []explanation
	for _, z := range full {
		z = m.with(z, cell{form: dropped, by: now})
		for _, z.control = range next {
			all = append(all, z)
		}
	}
	return all, err
}

// MostFollowed bounds the depth of a CQ of which an overflow is followed.
const MostFollowed = 64

// filled adds to some explanations y as far as it holds n completions more, in the cells of any number from there on: for each way to share them out.
func (y explanation) filled(all []explanation, from, n int) ([]explanation, error) {
	if n <= 0 {
		return append(all, y), nil
	}
	var err error
	for i, c := range y.cells {
		if i < from || c.form != many {
			continue
		}
		for k := 1; k <= n && err == nil; k++ {
			z := y
			z.cells = slices.Insert(slices.Clone(y.cells), i+1, slices.Repeat([]cell{{form: one, kinds: c.kinds, by: c.by}}, k)...)
			z.old += k * inside(i < y.old)
			all, err = z.filled(all, i+k+1, n-k)
		}
	}
	if len(all) > maxStaged {
		err = ErrTooMany
	}
	return all, err
}

// hasOverflown reports whether x says when the CQ overflowed.
func (x explanation) hasOverflown() bool { return slices.ContainsFunc(x.cells, isDropped) }

func isDropped(c cell) bool { return c.form == dropped }

// plausible returns the explanations in which the CQ has not overflowed unseen, if there are any.
func plausible(alive []explanation) []explanation {
	if seen := slices.DeleteFunc(slices.Clone(alive), explanation.hasOverflown); len(seen) > 0 {
		return seen
	}
	return alive
}
