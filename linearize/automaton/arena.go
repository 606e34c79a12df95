package automaton

// An arena is memory for the cells of explanations on the way to the next set. That copies what it keeps, so the memory is used again.
type arena struct{ all, free []cell }

const maxArena = 1 << 16 // cells that are kept for the next set

// empty returns cells of which there are none yet, with room for n.
func (a *arena) empty(n int) []cell {
	if n > len(a.free) {
		a.all = make([]cell, max(n, min(2*len(a.all), maxArena), 1<<8))
		a.free = a.all
	}
	cells := a.free[:0:n]
	a.free = a.free[n:]
	return cells
}

// reset frees all memory for reuse.
func (a *arena) reset() { a.free = a.all }
