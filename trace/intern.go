package trace

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"unsafe"
)

// arena makes strings in few allocations: each is a part of a chunk, which is never written again once it is in use. A
// string that is kept keeps its chunk.
type arena struct{ free []byte }

const arenaChunk = 4096 // bytes

// text is of a text that is not empty.
func (a *arena) text(text []byte) string {
	if len(a.free) < len(text) {
		a.free = make([]byte, max(arenaChunk, len(text)))
	}
	n := copy(a.free, text)
	s := unsafe.String(&a.free[0], n) // these bytes are written no more
	a.free = a.free[n:]
	return s
}

// number is text for a prefix with a decimal behind it.
func (a *arena) number(prefix string, n uint64) string {
	const room = 8 // are written at once, whether or not they are all digits
	if len(a.free) < len(prefix)+20+room {
		a.free = make([]byte, max(arenaChunk, len(prefix)+20+room))
	}
	size := copy(a.free, prefix)
	if n < 1e8 {
		digits, count := decimal(n)
		binary.LittleEndian.PutUint64(a.free[size:], digits)
		size += count
	} else {
		size = len(strconv.AppendUint(a.free[:size], n, 10))
	}
	text := unsafe.String(&a.free[0], size)
	a.free = a.free[size:]
	return text
}

// decimal returns the digits of a number below 10^8, the first in the lowest byte, and how many they are. It is the inverse of eightDigits: each step
// splits numbers into two of half as many digits.
func decimal(n uint64) (digits uint64, count int) {
	v := n/10000 | n%10000<<32
	high := v * 5243 >> 19 & 0x0000007F0000007F
	v = high | (v-high*100)<<16
	high = v * 103 >> 10 & 0x000F000F000F000F
	v = high | (v-high*10)<<8
	zeros := min(bits.TrailingZeros64(v)/8, 7)
	return v>>(8*zeros) + each*'0', 8 - zeros
}

// words gives equal texts one string, as long as not too many others come between. All are plain.
type words struct {
	slots [wordSlots][2]word // by hash, the newer one first
	arena arena
}

// wordSlots is how many pairs of words are remembered: enough that two frequent ones rarely share a slot.
const wordSlots = 1024

// word is a text with its first 16 bytes, of which those behind its end are zero.
type word struct {
	start, next uint64
	text        string
}

// text gives a text its string. One that is not plain is not remembered, nor an empty one.
func (w *words) text(text []byte, form form) string {
	if form != plain || len(text) == 0 {
		return string(text)
	}
	start, next := firstBytes(text)
	return w.find(start, next, text)
}

// find is text for one whose first 16 bytes are known.
func (w *words) find(start, next uint64, text []byte) string {
	slots := &w.slots[wordHash(start, next, text)%wordSlots]
	for i := range slots {
		if slot := &slots[i]; slot.start == start && slot.next == next && slot.text == string(text) {
			return slot.text
		}
	}
	slots[1] = slots[0]
	slots[0] = word{start, next, w.arena.text(text)}
	return slots[0].text
}

// quick finds the word that stands at a place in a window, up to its closing quote. The place behind that is nowhere if it is empty.
func (w *words) quick(text *window, at int) (word string, end int) {
	start, next, n := text.load(at), uint64(0), 0
	if quote := zero(start ^ each*'"'); quote != 0 { // as shortText, which is not inlined
		n = bits.TrailingZeros64(quote) & 56
		start &= 1<<n - 1
		n /= 8
	} else if next = text.load(at + 8); zero(next^each*'"') != 0 {
		n = bits.TrailingZeros64(zero(next^each*'"')) & 56
		next &= 1<<n - 1
		n = 8 + n/8
	} else {
		start = 0
	}
	if start != 0 { // what is equal to a plain word, and as long, is plain, and none of 16 bytes or more is equal to one of fewer
		slots := &w.slots[hash(start, next)%wordSlots]
		if slots[0].start == start && slots[0].next == next && len(slots[0].text) == n {
			return slots[0].text, at + n + 1
		}
		if slots[1].start == start && slots[1].next == next && len(slots[1].text) == n {
			return slots[1].text, at + n + 1
		}
	}
	return w.another(text, at, start, next)
}

// another is quick for a word that is new, or of 16 bytes or more. It may not be plain, or be too long for a word.
func (w *words) another(text *window, at int, start, next uint64) (word string, end int) {
	end = plainEnd(text[:], at)
	if end >= readBuffer || text[end] != '"' || end == at || end-at > maxId {
		return "", nowhere
	}
	if start == 0 {
		start, next = text.load(at), text.load(at+8)
	}
	return w.find(start, next, text[at:end]), end + 1
}

// shortText finds the closing quote of a string of at most 15 bytes and returns those, and zeros behind them; none for a longer one.
func shortText(w *window, at int) (start, next uint64, n int) {
	start = w.load(at)
	if quote := zero(start ^ each*'"'); quote != 0 {
		n = bits.TrailingZeros64(quote) & 56
		return start & (1<<n - 1), 0, n / 8
	}
	next = w.load(at + 8)
	quote := zero(next ^ each*'"')
	if quote == 0 {
		return 0, 0, 0
	}
	n = bits.TrailingZeros64(quote) & 56
	return start, next & (1<<n - 1), 8 + n/8
}

// each has a one in each byte, high the highest bit.
const each, high = 0x0101010101010101, 0x8080808080808080

// zero has the high bit set of the first byte that is zero, and maybe of some behind it; 0 if there is none.
func zero(bytes uint64) uint64 { return (bytes - each) &^ bytes & high }

// firstBytes are 16.
func firstBytes(text []byte) (start, next uint64) {
	var first [16]byte
	copy(first[:], text)
	return load(first[:], 0), load(first[:], 8)
}

// wordHash is hash, but for a long text, of which the end counts as well: ids differ there.
func wordHash(start, next uint64, text []byte) uint64 {
	if len(text) >= 16 {
		next ^= load(text, len(text)-8) << 1
	}
	return hash(start, next)
}

// hash is of the first 16 bytes of a text.
func hash(start, next uint64) uint64 {
	const odd = 0x9E3779B97F4A7C15
	return (start*odd ^ next) * odd >> 32
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

// room returns a list of n zero values.
func (s *slab[T]) room(n int) []T {
	if n == 0 || n > slabLength/4 {
		return make([]T, n)
	}
	if n > len(s.free) {
		s.free = make([]T, slabLength)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

// keySet is a set of keys, which have to stay as they are.
type keySet struct {
	few  [][]byte
	many map[string]struct{} // all, when they are more than a few
}

// errManyKeys reports an object with more keys than any line of a trace has.
var errManyKeys = fmt.Errorf("an object has more than %d keys", maxKeys)

// add adds a key, which has to be new.
func (s *keySet) add(key []byte) error {
	const few = 8
	if s.many != nil {
		n := len(s.many)
		switch s.many[string(key)] = struct{}{}; {
		case len(s.many) == n:
			return errTwice(key)
		case n == maxKeys:
			return errManyKeys
		}
		return nil
	}
	for _, other := range s.few {
		if string(other) == string(key) {
			return errTwice(key)
		}
	}
	s.few = append(s.few, key)
	if len(s.few) > few {
		s.many = map[string]struct{}{}
		for _, key := range s.few {
			s.many[string(key)] = struct{}{}
		}
	}
	return nil
}
