package prove

import "ndkoracle/internal/prove/smt"

// interval is low..high. A short one that is known is listed member by member.
type interval struct {
	low, high *smt.Term
	places    bool // 1..n where n is the length of a sequence
}

const longestListed = 16

func (interval) describe() string { return "a set" }
func (s interval) branches() []branch {
	if low, high, known := s.known(); known && high-low < longestListed {
		var list []branch
		for n := low; n <= high; n++ {
			list = append(list, single(smt.True, number(n)))
		}
		return list
	}
	return []branch{{[]smt.Sort{smt.Int}, func(u []*smt.Term) (*smt.Term, value) { return s.has(u[0]), scalar{u[0]} }}}
}
func (s interval) known() (low, high int64, known bool) {
	low, known = s.low.Known()
	high, also := s.high.Known()
	return low, high, known && also
}

// size returns how many members an interval that begins at 1 has: none, where its end is before.
func (s interval) size() *smt.Term {
	if s.places {
		return s.high
	}
	return smt.Ite(smt.LessOrEqual(smt.Number(0), s.high), s.high, smt.Number(0))
}
func (s interval) has(n *smt.Term) *smt.Term {
	return smt.And(smt.LessOrEqual(s.low, n), smt.LessOrEqual(n, s.high))
}
func (s interval) contains(e *engine, v value) *smt.Term { return s.has(e.numeric(v)) }
