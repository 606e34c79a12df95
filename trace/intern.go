package trace

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// arena makes strings in few allocations: each is a part of a chunk, which is never written again once it is in use. A
// string that is kept keeps its chunk.
type arena struct{ chunk strings.Builder }

const arenaChunk = 4096 // bytes

func (a *arena) text(text []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(text) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(arenaChunk, len(text)))
	}
	start := a.chunk.Len()
	a.chunk.Write(text)
	return a.chunk.String()[start:]
}

// words gives equal texts one string, as long as not too many others come between.
type words struct {
	slots [1024]string // by hash
	arena arena
}

func (w *words) text(text []byte) string { return *w.slot(text) }

// slot returns the place of a text, which is there then.
func (w *words) slot(text []byte) *string {
	slot := &w.slots[hash(text)%uint64(len(w.slots))]
	if *slot != string(text) {
		*slot = w.arena.text(text)
	}
	return slot
}

// hash is of the first and the last eight bytes of a text: ids differ at their ends.
func hash(text []byte) uint64 {
	var start, end uint64
	if len(text) >= 8 {
		start, end = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[len(text)-8:])
	} else if cap(text) >= 8 {
		start = binary.LittleEndian.Uint64(text[:8]) &^ (math.MaxUint64 << (8 * len(text)))
	} else {
		for i, c := range text {
			start |= uint64(c) << (8 * i)
		}
	}
	const odd = 0x9E3779B97F4A7C15
	return (start*odd ^ end) * odd >> 32
}

// slab makes values and lists in few allocations. None is used for another later, so they can be kept; one that is keeps
// its slab.
type slab[T any] struct{ free []T }

const slabLength = 128

func (s *slab[T]) value(v T) *T {
	if len(s.free) == 0 {
		s.free = make([]T, slabLength)
	}
	place := &s.free[0]
	s.free = s.free[1:]
	*place = v
	return place
}

// list returns a copy that is never nil.
func (s *slab[T]) list(values ...T) []T {
	n := len(values)
	if n == 0 {
		return []T{}
	}
	if n > slabLength/4 {
		return slices.Clone(values)
	}
	if n > len(s.free) {
		s.free = make([]T, slabLength)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	copy(list, values)
	return list
}

// keySet is a set of keys, which have to stay as they are.
type keySet struct {
	few  [][]byte
	many map[string]struct{} // all, when they are more than a few
}

// add reports whether key is new.
func (s *keySet) add(key []byte) bool {
	const few = 8
	if s.many != nil {
		n := len(s.many)
		s.many[string(key)] = struct{}{}
		return len(s.many) > n
	}
	for _, other := range s.few {
		if string(other) == string(key) {
			return false
		}
	}
	s.few = append(s.few, key)
	if len(s.few) > few {
		s.many = map[string]struct{}{}
		for _, key := range s.few {
			s.many[string(key)] = struct{}{}
		}
	}
	return true
}
