package automaton

import (
	"cmp"
	"slices"
)

// uncovered returns the explanations that no other covers, each in its shortest form: until it is asked the next time.
func (m *Machine) uncovered(all []explanation) []explanation {
	m.forgetPlaces()
	candidates, order := slices.Grow(m.candidates[:0], len(all)), m.order[:0]
	for i := range all {
		x := &all[i]
		m.normalise(x)
		candidates = append(candidates, candidate{explanation: x, place: i, tally: tallyOf(x.cells), ways: m.ways(x.control)})
		order = append(order, &candidates[i])
	}
	if len(all) <= maxStaged {
		m.candidates, m.order = candidates, order
	}
	slices.SortFunc(order, (*candidate).compare)
	kept := m.kept.none(len(m.classes))
	for i, c := range order {
		if m.Halted() { // one that is needless does no harm
			continue
		}
		if c.needless = m.coversOne(kept.of[c.ways[0].to.class], c); c.needless {
			continue
		}
		self := c.by(0)
		for j := i - 1; j >= 0 && order[j].isLike(c); j-- {
			d := order[j]
			d.needless = d.needless || m.covers(&self, d)
		}
		for w := range c.ways {
			kept.add(c.ways[w].to.class, c.by(w))
		}
	}
	order = slices.DeleteFunc(order, func(c *candidate) bool { return c.needless })
	slices.SortFunc(order, (*candidate).shorter)
	alive := m.alive[:0]
	for _, c := range order {
		alive = append(alive, *c.explanation)
	}
	m.alive = alive
	return alive
}

// A candidate is an explanation with what is looked up once for all that it may cover.
type candidate struct {
	*explanation
	place    int // among all
	needless bool
	tally    tally
	ways     []way
}

// compare orders candidates so that each comes before those that it covers, unless they are alike.
func (c *candidate) compare(d *candidate) int {
	a, b := &c.ways[0].to, &d.ways[0].to
	switch {
	case c.tally.ones != d.tally.ones:
		return cmp.Compare(c.tally.ones, d.tally.ones)
	case a.class != b.class:
		return cmp.Compare(a.class, b.class)
	case a.most != b.most:
		return cmp.Compare(b.most, a.most)
	case a.least != b.least:
		return cmp.Compare(a.least, b.least)
	case c.tally.first != d.tally.first:
		return cmp.Compare(d.tally.first, c.tally.first)
	}
	return c.shorter(d)
}

// shorter orders candidates by their lengths, and then by their places.
func (c *candidate) shorter(d *candidate) int {
	if n := cmp.Compare(len(c.cells), len(d.cells)); n != 0 {
		return n
	}
	return cmp.Compare(c.place, d.place)
}

// isLike reports whether nothing that compare looks at tells which of two may cover the other.
func (c *candidate) isLike(d *candidate) bool {
	return c.ways[0].to == d.ways[0].to && c.tally.ones == d.tally.ones && c.tally.first == d.tally.first
}

// A covering is an explanation with one of its ways. What tells most pairs apart is kept beside it.
type covering struct {
	least, most uint32
	ones        int
	first       uint16
	more        bool // the way places one
	tally       *tally
	steps       []cell
	x           *explanation
}

// coverings are those that are kept, by the classes that they reach.
type coverings struct {
	of      [][]covering
	reached []int // classes of which there are some
}

// none removes all coverings, and returns the memory for the next ones, with the given number of classes.
func (k *coverings) none(classes int) *coverings {
	for _, class := range k.reached {
		clear(k.of[class])
		k.of[class] = k.of[class][:0]
	}
	k.reached = k.reached[:0]
	if n := classes - len(k.of); n > 0 {
		k.of = append(k.of, make([][]covering, n)...)
	}
	return k
}

func (k *coverings) add(class int, c covering) {
	if len(k.of[class]) == 0 {
		k.reached = append(k.reached, class)
	}
	k.of[class] = append(k.of[class], c)
}

func (c *candidate) by(way int) covering {
	w := &c.ways[way]
	return covering{w.to.least, w.to.most, c.tally.ones + inside(way > 0), c.tally.first, way > 0, &c.tally, w.steps, c.explanation}
}

// coversOne reports whether one of those that reach the class of y covers it: the latest are the most like it.
func (m *Machine) coversOne(those []covering, y *candidate) bool {
	to, ones, first := y.ways[0].to, y.tally.ones, y.tally.first
	for i := len(those) - 1; i >= 0; i-- {
		v := &those[i]
		if v.least <= to.least && v.most >= to.most && v.ones <= ones && v.first >= first && m.covers(v, y) {
			return true
		}
	}
	return false
}

// covers reports whether x can take every course that y can still take: by a way to the class of y, and an interval that includes that of y, possibly
// by placing completions only now. It may miss some. Then an explanation is kept that is not needed.
func (m *Machine) covers(v *covering, y *candidate) bool {
	if !v.tally.mayHold(v.more, y.tally) {
		return false
	}
	x := v.x
	if x.gone && !y.gone || x.stay > 0 && (x.stay != y.stay || v.tally.lost != y.tally.lost) {
		return false
	}
	return m.holds(*x, v.steps, *y.explanation)
}

// A tally has the number of cells whose form stands for one completion each, and by when the first of the completions that must be there had been
// placed.
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

// holds reports whether x, followed by the steps, allows all contents of the CQ that y allows.
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
