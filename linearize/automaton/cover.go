package automaton

import "slices"

// uncovered returns the explanations that no other covers, each in its shortest form.
func (m *Machine) uncovered(all []explanation) []explanation {
	for i := range all {
		all[i] = m.normal(all[i])
	}
	slices.SortStableFunc(all, func(x, y explanation) int { return len(x.cells) - len(y.cells) })
	candidates := make([]candidate, len(all))
	kept := make([]*candidate, 0, len(all))
	for i, x := range all {
		c := &candidates[i]
		*c = candidate{tally: tallyOf(x.cells), ways: m.ways(x.control), explanation: x}
		c.place = c.ways[0].to
		if m.Halted() { // one that is needless does no harm
			kept = append(kept, c)
			continue
		}
		if slices.ContainsFunc(kept, func(d *candidate) bool { return m.covers(d, c) }) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(d *candidate) bool { return m.covers(c, d) })
		kept = append(kept, c)
	}
	alive := make([]explanation, len(kept))
	for i, c := range kept {
		alive[i] = c.explanation
	}
	return alive
}

// A candidate is an explanation with what is looked up once for all that it may cover. What tells most pairs apart comes first.
type candidate struct {
	place place
	tally tally
	ways  []way
	explanation
}

// covers reports whether every course that y can still take, x can take too, perhaps by placing completions only now.
// It may miss some: then an explanation is kept that is not needed.
func (m *Machine) covers(x, y *candidate) bool {
	if x.gone && !y.gone || x.stay > 0 && (x.stay != y.stay || x.tally.lost != y.tally.lost) {
		return false
	}
	for i := range x.ways {
		w := &x.ways[i]
		if w.to.includes(y.place) && x.tally.mayHold(i > 0, y.tally) && m.holds(x.explanation, w.steps, y.explanation) {
			return true
		}
	}
	return false
}

// A tally tells how many cells there are of the forms that stand for a thing each, and by when the first of the completions that
// must be there had been placed.
type tally struct {
	ones, lost, points, fences, openFences int
	first                                  uint16
}

func tallyOf(cells []cell) tally {
	n := tally{first: anyTime}
	for _, c := range cells {
		switch c.form {
		case one:
			n.ones++
			n.first = min(n.first, c.by)
		case lost:
			n.lost++
		case point:
			n.points++
		case fence:
			n.fences++
		case openFence:
			n.openFences++
		}
	}
	return n
}

// mayHold is false where holds is: a cell that stands for a thing needs one of its own, placed no later, and only completions
// may be among any number of them.
func (n tally) mayHold(oneMore bool, of tally) bool {
	n.ones += inside(oneMore)
	return n.ones <= of.ones && n.ones+n.lost <= of.ones+of.lost && (n.ones == 0 || of.first <= n.first) &&
		n.points == of.points && n.fences == of.fences && n.openFences == of.openFences
}

// holds reports whether all that y may hold, x may hold too, when the steps follow it.
func (m *Machine) holds(x explanation, steps []cell, y explanation) bool {
	n := len(x.cells) + len(steps)
	// fits[i]: the cells of y from j on are within those of x from i on; after holds the same for j+1.
	var short [2][64]bool
	after, fits := short[0][:], short[1][:]
	if n >= len(after) {
		after, fits = make([]bool, n+1), make([]bool, n+1)
	}
	after[n] = true
	at := func(i int) (c cell, old bool) {
		if i < len(x.cells) {
			return x.cells[i], i < x.old
		}
		return steps[i-len(x.cells)], x.uncounted
	}
	for i := n - 1; i >= 0; i-- {
		c, _ := at(i)
		after[i] = c.form == many && after[i+1]
	}
	for j := len(y.cells) - 1; j >= 0; j-- {
		d, oldToo := y.cells[j], j < y.old
		fits[n] = false
		for i := n - 1; i >= 0; i-- {
			c, old := at(i)
			ageServes := old == oldToo || old && m.oldServesAsFresh || oldToo && m.freshServesAsOld
			serves := d.kinds&^c.kinds == 0 && d.by <= c.by && ageServes
			switch {
			case c.form == many:
				fits[i] = (d.form == many || d.form.isPlaced()) && serves && after[i] || fits[i+1]
			case c.form == one:
				fits[i] = d.form == one && serves && after[i+1]
			case c.form == lost:
				fits[i] = d.form.isPlaced() && serves && after[i+1]
			case c.form == dropped:
				fits[i] = d.form == dropped && d.by <= c.by && after[i+1]
			default:
				fits[i] = d.form == c.form && d.by == c.by && serves && after[i+1]
			}
		}
		after, fits = fits, after
	}
	return after[0]
}
