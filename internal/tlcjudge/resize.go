package tlcjudge

import (
	"math"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// tellsOfResize reports whether c is the callback that answers a resize (ASY-01).
func (c *call) tellsOfResize() bool {
	d := c.completes
	return d != nil && d.completion == c && d.kind == "resize" && d.answer() != "SUCCESS" && c.fn == "NdkRequestCompletion"
}

// isRefused reports whether a resize is known to have failed by its completion callback. One whose return tells that is none of this
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
			h.cq(name).leaveOpen(verdict.ResizedTwice(name, h.trace.Header.Dialect))
		}
		over[name] = max(over[name], c.answeredAt())
	}
}

// showLoss moves a finding of RSZ-02 from the moment of rest to the first poll behind the resize, which finds nothing and shows it.
func (q *question) showLoss(t *trace.Trace, f *verdict.Finding, rest int) {
	for _, c := range q.cqs {
		poll := slices.IndexFunc(c.polls, func(p *call) bool { return p.begin > rest && p.isEmpty() })
		if poll < 0 {
			continue
		}
		at := c.polls[poll]
		resize := slices.IndexFunc(c.resizes, func(r *call) bool { return r.begin > rest && r.begin < at.begin && !r.isRefused() })
		if resize >= 0 {
			f.See = append(f.See, c.resizes[resize].first.Line, f.Line)
			f.Line, f.Seq = q.place(t, at.end)
			return
		}
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
