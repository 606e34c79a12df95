package monitor

import "slices"

// A crowd counts the requests that complete into a CQ. Once there were more than its depth, the CQ may have overflowed, which is a hidden step: it
// lost completions then, and broke its queue pairs. A refused request never takes room, so a post counts only when it has returned, together with
// all requests that may have been outstanding beside it.
type crowd struct {
	depth       int64 // or 0, as long as the trace does not record it
	outstanding int64 // accepted, and not over
	unanswered  int64 // of posts that have not returned, over or not
	left        int64 // are over since the first of these posts was called
	most        int64 // that there were at a time
	full        bool
	fed         []*crowd // of the shared receive queues from which receives may complete into the CQ
}

// load is how many may complete into the CQ whose posts have returned.
func (c *crowd) load() int64 {
	n := c.outstanding
	for _, shared := range c.fed {
		n += shared.most
	}
	return n
}

// enters counts a request that is being posted.
func (c *crowd) enters() {
	c.unanswered++
	c.most = max(c.most, c.outstanding+c.unanswered)
}

// isFedBy records that receives of a shared queue may complete into the CQ.
func (c *crowd) isFedBy(shared *crowd) {
	if !slices.Contains(c.fed, shared) {
		c.fed = append(c.fed, shared)
	}
}

func (s *requests) crowd(cq string) *crowd {
	if s.crowds[cq] == nil {
		s.crowds[cq] = &crowd{}
	}
	return s.crowds[cq]
}

// mayOverflow reports whether a CQ may have overflowed.
func (s *requests) mayOverflow(cq string) bool {
	c := s.crowds[cq]
	return c != nil && (c.full || c.load()+c.unanswered+c.left > c.depth)
}

// leaves counts a request that is over.
func (c *crowd) leaves(r *workRequest) {
	if r.accepted {
		c.outstanding--
	}
	if c.unanswered > 0 {
		c.left++
	}
}

// answered counts n requests whose post has returned. Those that it refused were counted as over, and never were there.
func (c *crowd) answered(n, refused int) {
	c.left -= int64(refused)
	c.unanswered -= int64(n)
	c.full = c.full || refused < n && c.load()+c.left > c.depth
	if c.unanswered == 0 {
		c.left = 0
	}
}
