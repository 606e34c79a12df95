package calls

import (
	"maps"
	"slices"
)

// Open is the set of calls and callbacks that have not returned, by op. Usually few are outstanding: a linear search covers the newest, and a map
// has the older ones.
type Open[C any] struct {
	newest []opened[C] // at most maxNewest, oldest first
	older  map[string]opened[C]
	begun  int // number of calls that began so far
}

type opened[C any] struct {
	op   string
	turn int
	call *C
}

const maxNewest = 16

// Begin adds a call that begins.
func (o *Open[C]) Begin(op string, call *C) {
	if len(o.newest) == maxNewest {
		if o.older == nil {
			o.older = map[string]opened[C]{}
		}
		o.older[o.newest[0].op] = o.newest[0]
		o.newest = slices.Delete(o.newest, 0, 1)
	}
	o.begun++
	o.newest = append(o.newest, opened[C]{op, o.begun, call})
}

// Find returns the outstanding call of an op, or nil.
func (o *Open[C]) Find(op string) *C {
	if i := o.among(op); i >= 0 {
		return o.newest[i].call
	}
	return o.older[op].call
}

// among returns the index of an op in newest, or -1.
func (o *Open[C]) among(op string) int {
	i := len(o.newest) - 1
	for i >= 0 && o.newest[i].op != op {
		i--
	}
	return i
}

// End removes the call of an op and returns it, or nil if there is none.
func (o *Open[C]) End(op string) *C {
	if i := o.among(op); i >= 0 {
		call := o.newest[i].call
		o.newest = slices.Delete(o.newest, i, i+1)
		return call
	}
	call := o.older[op].call
	delete(o.older, op)
	return call
}

// All returns the outstanding calls in the order in which they began.
func (o *Open[C]) All() []*C {
	sorted := slices.SortedFunc(maps.Values(o.older), func(a, b opened[C]) int { return a.turn - b.turn })
	all := make([]*C, 0, len(sorted)+len(o.newest))
	for _, c := range append(sorted, o.newest...) {
		all = append(all, c.call)
	}
	return all
}
