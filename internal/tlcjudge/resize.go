package tlcjudge

import "math"

// tellsOfResize reports whether c is the callback that answers a resize (ASY-01).
func (c *call) tellsOfResize() bool {
	d := c.completes
	return d != nil && d.completion == c && d.kind == "resize" && d.answer() != "SUCCESS" && c.fn == "NdkRequestCompletion"
}

// isRefused reports whether a resize is told to have failed by its completion callback. One whose return tells that is none of this
// kind: it changed nothing (RSZ-03).
func (c *call) isRefused() bool {
	return c.answer() != "SUCCESS" && c.completion != nil && !c.completion.reportsSuccess()
}

// newDepth is the depth that a resize gives its CQ: that for which it made room, as its return tells, or else what was asked for.
func (c *call) newDepth() int64 {
	if c.last != nil && c.last.Depth != nil {
		return *c.last.Depth
	}
	return *c.first.Depth
}

// answeredAt is the place in the trace by which a resize is over: its return, or, of one that is pending, that of its completion callback.
func (c *call) answeredAt() int {
	switch answer := c.answer(); {
	case answer != "PENDING" && answer != "NEVER":
		return c.lastPlace
	case c.completion != nil:
		return c.completion.lastPlace
	}
	return math.MaxInt
}

// findResizedTwice finds the CQs of which a resize is called while another one is pending.
func (h *history) findResizedTwice() {
	over := map[string]int{}
	for _, c := range h.calls {
		if kindOf(c.first) != "resize" {
			continue
		}
		name := c.first.Cq
		if c.place < over[name] {
			h.cq(name).leaveOpen(name + " is resized while another resize of it is pending, and nothing says which of them counts")
		}
		over[name] = max(over[name], c.answeredAt())
	}
}

// leastDepth is the least depth that the CQ may have at any moment, or less: a resize that is pending may yet be refused.
func (q *cq) leastDepth() int64 {
	least := q.firstDepth()
	for _, c := range q.resizes {
		least = min(least, c.newDepth())
	}
	return least
}

func (q *cq) firstDepth() int64 {
	if q.depth == nil {
		return math.MaxInt64
	}
	return *q.depth
}

// tight reports whether more requests complete into the CQ than it has room for at its least depth.
func (q *cq) tight() bool { return int64(q.requests) > q.leastDepth() }

// enough is a depth, or more than will ever complete into the CQ, if that is less: numbers of TLC have 32 bits.
func (q *cq) enough(depth int64) int64 { return min(depth, int64(q.requests)+1) }
