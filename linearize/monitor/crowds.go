package monitor

// A crowd counts the requests that complete into a CQ. Where there were ever more than it holds it may have overflowed, which nobody sees: it has
// lost completions then, and has broken its queue pairs.
type crowd struct {
	depth       int64 // or 0, as long as the trace does not record it
	outstanding int64 // posted, and not over
	full        bool
}

func (s *requests) crowd(cq string) *crowd {
	if s.crowds[cq] == nil {
		s.crowds[cq] = &crowd{}
	}
	return s.crowds[cq]
}

// mayOverflow reports whether a CQ may have overflowed.
func (s *requests) mayOverflow(cq string) bool { return s.crowds[cq] != nil && s.crowds[cq].full }

// joins counts a request that was posted.
func (c *crowd) joins() {
	c.outstanding++
	c.full = c.full || c.outstanding > c.depth
}
