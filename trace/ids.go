package trace

import (
	"math/bits"
	"strings"
	"unsafe"
)

// idSet is a set of ids with bounded memory: it keeps the newest, and forgets the oldest. It keeps at least 800,000 ids that end in running numbers, and
// at least 900 others: that many of 256 characters of 4 bytes fill a generation.
type idSet struct {
	young, old generation
	forgot     bool
	hint       *splitId // what add may be asked for, or nil
}

// splitId is an id that was taken apart before.
type splitId struct {
	text  string // as it is in memory: no other text is it, though it be equal
	block numberedIds
	bit   uint64
}

// generationBytes is about what a generation may take.
const (
	generationBytes = 1 << 20
	blockBytes      = 80 // of an entry of numbered
)

// generation is a set of ids. Ids are mostly a prefix and a running number, of which 64 in a row share one entry.
type generation struct {
	numbered map[numberedIds]*uint64
	others   map[string]struct{}
	bytes    int

	newest     numberedIds // the entry that was used last, since the next id is mostly in it
	newestBits *uint64
}

// numberedIds stands for the ids of prefix with the numbers 64*block to 64*block+63, a bit each.
type numberedIds struct {
	prefix string
	block  uint64
}

// add reports whether id is new.
func (s *idSet) add(id string) bool {
	var (
		block    numberedIds
		bit      uint64
		numbered = true
	)
	if h := s.hint; h != nil && unsafe.StringData(h.text) == unsafe.StringData(id) && len(h.text) == len(id) {
		block, bit = h.block, h.bit
	} else {
		block, bit, numbered = split(id)
	}
	if !numbered {
		return s.addOther(id)
	}
	bits := s.young.block(block)
	if bits == nil { // what the old generation knows of a block goes with it, so that nothing else needs to look there
		old := s.old.block(block)
		s.grow(blockBytes + len(block.prefix))
		if bits = s.young.newBlock(block); old != nil {
			*bits = *old
		}
	}
	if *bits&bit != 0 {
		return false
	}
	*bits |= bit
	return true
}

func (s *idSet) addOther(id string) bool {
	if s.young.hasOther(id) || s.old.hasOther(id) {
		return false
	}
	s.grow(48 + len(id))
	if s.young.others == nil {
		s.young.others = map[string]struct{}{}
	}
	s.young.others[strings.Clone(id)] = struct{}{}
	return true
}

// mayHave reports whether id was added, or may have been because old ids are forgotten.
func (s *idSet) mayHave(id string) bool {
	if s.forgot {
		return true
	}
	block, bit, numbered := split(id)
	if !numbered {
		return s.young.hasOther(id) || s.old.hasOther(id)
	}
	for _, g := range []*generation{&s.young, &s.old} {
		if bits := g.block(block); bits != nil && *bits&bit != 0 {
			return true
		}
	}
	return false
}

// remove lets id be new again.
func (s *idSet) remove(id string) {
	block, bit, numbered := split(id)
	for _, g := range []*generation{&s.young, &s.old} {
		if !numbered {
			delete(g.others, id)
		} else if bits := g.block(block); bits != nil {
			*bits &^= bit
		}
	}
}

// grow makes room in the young generation. When that is full it is the old one, and what was is forgotten.
func (s *idSet) grow(bytes int) {
	if s.young.bytes+bytes > generationBytes {
		s.forgot = s.forgot || s.old.bytes > 0
		s.young, s.old = generation{}, s.young
	}
	s.young.bytes += bytes
}

func (g *generation) hasOther(id string) bool {
	_, found := g.others[id]
	return found
}

// block returns the bits of 64 ids, or nil.
func (g *generation) block(ids numberedIds) *uint64 {
	if g.newestBits != nil && g.newest == ids {
		return g.newestBits
	}
	bits := g.numbered[ids]
	if bits != nil {
		g.newest, g.newestBits = ids, bits
	}
	return bits
}

func (g *generation) newBlock(ids numberedIds) *uint64 {
	if g.numbered == nil {
		g.numbered = map[numberedIds]*uint64{}
	}
	ids.prefix = strings.Clone(ids.prefix) // which would keep the whole id's memory
	bits := new(uint64)
	g.numbered[ids] = bits
	g.newest, g.newestBits = ids, bits
	return bits
}

// split splits an id; ok is false when its end is not a number in the usual form, below 10^18.
func split(id string) (block numberedIds, bit uint64, ok bool) {
	digits := lastBytes(id) ^ each*'0'
	others := (digits | (digits&^high + each*(0x80-10))) & high
	count := bits.LeadingZeros64(others) / 8
	n, i := eightDigits(digits>>(64-8*count)<<(64-8*count)), len(id)-count
	if count == 8 {
		for unit := uint64(1e8); i > 0 && '0' <= id[i-1] && id[i-1] <= '9'; i-- {
			if unit == 1e18 {
				return numberedIds{}, 0, false
			}
			n += uint64(id[i-1]-'0') * unit
			unit *= 10
		}
	}
	if i == len(id) || id[i] == '0' && i < len(id)-1 {
		return numberedIds{}, 0, false
	}
	return numberedIds{id[:i], n / 64}, 1 << (n % 64), true
}

// lastBytes are the last eight bytes of a text, the last one highest, with zeros before them in a shorter one.
func lastBytes(text string) (last uint64) {
	if n := len(text); n >= 8 {
		text = text[n-8:]
		return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	}
	for i := range len(text) {
		last = last>>8 | uint64(text[i])<<56
	}
	return last
}
