package automaton

import "slices"

// A consumer that arms all the time can build up a debt of callbacks that may be owed, without end. What follows a set does not
// depend on how many, so long as all its explanations have some: the explanations say a few, and the Queue knows how many more.
// Otherwise hardly a set would ever come again.

// mostOwed is how many callbacks the explanation says that may owe the fewest, once there is a debt beside it.
const mostOwed = 8

// lower removes callbacks that may be owed from all explanations, the same number from each, and returns that number.
func lower(alive []explanation) uint32 {
	least := fewest(alive)
	if least <= mostOwed {
		return 0
	}
	shift := least - mostOwed
	for i := range alive {
		if alive[i].least > mostOwed {
			return 0 // they are owed, and are counted
		}
	}
	for i := range alive {
		alive[i].most -= shift
	}
	return shift
}

// fewest returns how many callbacks that explanation may owe which may owe the fewest.
func fewest(alive []explanation) uint32 {
	if len(alive) == 0 {
		return 0
	}
	least := alive[0].most
	for _, x := range alive[1:] {
		least = min(least, x.most)
	}
	return least
}

// due returns how many callbacks of the debt an entry needs, so that after it the explanation that may owe the fewest says mostOwed again: while
// there is a debt, sets differ by no more than what tells their explanations apart.
func (q *Queue) due() uint32 {
	if q.debt == 0 {
		return 0
	}
	return min(q.debt, mostOwed+1-min(mostOwed+1, fewest(q.set.alive)))
}

// raise gives n callbacks back that may be owed.
func (q *Queue) raise(n uint32) {
	if n == 0 || q.err != nil || !q.Alive() {
		return
	}
	e := event{what: raised, n: int(n)}
	next := q.set.next.find(&e)
	if next == nil {
		alive := slices.Clone(q.set.alive)
		for i := range alive {
			alive[i].most += n
		}
		next = q.machine.known(alive, q.set.flights, q.set.readers, uint16(len(q.moments)))
		q.machine.remember(100)
		q.set.next.add(e, next)
	}
	q.debt -= n
	q.set = next.to
}
