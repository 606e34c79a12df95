package tlcjudge

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/lanes"
	"ndkoracle/linearize/verdict"
)

// maxLanes bounds the lanes of a shared receive queue: they double the behaviours.
const maxLanes = 4

// takeShared makes a QP of each lane of receives of shared receive queues (package lanes): it is connected from the beginning, and has no peer that the trace
// records. A call that posts such receives posts them on the QPs of their lanes.
func (h *history) takeShared() {
	sorted := lanes.Of(h.trace)
	of := map[string]int{} // lanes, by shared receive queue
	for _, l := range sorted.All {
		of[l.Srq]++
	}
	for _, l := range sorted.All {
		p := h.qp(l.Name)
		p.lane, p.initiator, p.receive = l, h.cq(l.Cq), h.cq(l.Cq)
		p.created = h.calls[slices.IndexFunc(h.calls, func(c *call) bool { return c.first == l.Creation })]
		for _, c := range h.calls {
			if c.fn == "NdkSrqReceive" && c.first.Srq == l.Srq || c.fn == "ibv_post_srq_recv" && c.first.Srq == l.Srq {
				h.takeInto(p, c)
			}
		}
		if of[l.Srq] > maxLanes || !h.hasRoom(p.receive) {
			sorted.Open[l.Cq] = true // there are too many behaviours
		}
		if l.Vanishes || l.Cancelled && isVerbs(p.created.fn) { // what a close or an error state does to such receives is not followed
			sorted.Open[l.Cq] = true
		}
	}
	for name, open := range sorted.Open {
		if open {
			h.cq(name).leaveOpen(verdict.TakesShared(name, true, h.trace.Header.Dialect))
		}
	}
}

// takeInto takes what a call posts on the QP of a lane.
func (h *history) takeInto(p *qp, c *call) {
	for _, r := range requestsOf(c, true) {
		if !p.lane.Wrs[r.wr] || p.lane.Left && len(p.requests) > p.lane.Told && h.hasRoom(p.receive) {
			continue // more than these explain nothing
		}
		r.op, r.qp = "Receive", p
		c.kind, c.qp = "post", cmp.Or(c.qp, p)
		c.requests, p.requests = append(c.requests, r), append(p.requests, r)
		if h.byWr[r.wr] == nil {
			h.byWr[r.wr] = r
		}
	}
}

// hasRoom reports whether a CQ has room for the completions of all requests that the trace posts.
func (h *history) hasRoom(q *cq) bool {
	if q.depth == nil {
		return true
	}
	posted := int64(0)
	for _, c := range h.calls {
		if c.kind == "post" || c.kind == "shared post" {
			posted += int64(max(1, len(c.first.Wrs)))
		}
	}
	return posted <= *q.depth
}
