package tlcjudge

import "slices"

// findUnclear finds the CQs of which nobody can tell what they hold.
func (h *history) findUnclear() {
	for _, q := range h.cqList {
		if !q.created {
			q.leaveOpen("the trace does not hold the creation of " + q.name + ", so nobody knows how it was armed and what it held")
		}
	}
	h.findFed()
	h.findResizedTwice()
	for _, c := range h.calls {
		switch c.kind {
		case "unsettle":
			h.unsettle(c)
		case "device event":
			h.findFailed(c)
		}
	}
}

// findFed finds the CQs that receives of a shared receive queue may complete into: those of the QPs that were created with one, or
// any where the trace does not tell of such a QP.
func (h *history) findFed() {
	if len(h.shared) == 0 {
		return
	}
	takes := func(p *qp) bool { return p.created != nil && p.created.first.Srq != "" }
	told := slices.ContainsFunc(h.qpList, takes)
	for _, q := range h.cqList {
		if !told || slices.ContainsFunc(h.qpList, func(p *qp) bool { return takes(p) && p.receive == q }) {
			q.leaveOpen("receives of a shared receive queue may complete into " + q.name)
		}
	}
}

// firstStranger returns the first post on a QP whose creation the trace does not hold, or nil.
func (h *history) firstStranger() *call {
	i := slices.IndexFunc(h.calls, func(c *call) bool { return c.kind == "post" && c.qp.created == nil })
	if i < 0 {
		return nil
	}
	return h.calls[i]
}

func (p *qp) unbound() string {
	return "the trace does not hold the creation of " + p.name + ", so nobody knows where its requests complete"
}

// unsettle takes a call that put a QP into a state in which requests are dropped, or wait.
func (h *history) unsettle(c *call) {
	p := h.qps[c.first.Qp]
	if p == nil || p.created == nil {
		return // nothing is posted on it, or nobody knows its CQs
	}
	connected := p.connected != nil && p.connected.place < c.place
	if !connected && (len(p.requests) == 0 || p.requests[0].post.place > c.place) {
		return // it had nothing to lose
	}
	p.conn = "" // which messages reach its peer, or it, nobody knows
	for _, q := range []*cq{p.initiator, p.receive} {
		q.leaveOpen(p.name + " was put into the state " + c.first.State + ", which this engine does not follow")
	}
}

// findFailed finds the CQs that may have lost completions by an asynchronous event: the one that it names, those of its QP, or else
// all of the device.
func (h *history) findFailed(c *call) {
	e := c.last
	if e == nil || e.Type != "CQ_ERR" && e.Type != "QP_FATAL" && e.Type != "DEVICE_FATAL" {
		return
	}
	p := h.qps[e.Qp]
	for _, q := range h.cqList {
		if e.Cq == q.name || e.Cq == "" && (p == nil || p.initiator == q || p.receive == q) {
			q.leaveOpen("the device reported " + e.Type + ": " + q.name + " may have lost completions")
		}
	}
}

// leaveOpen notes why nobody can tell what q holds. The first reason stays.
func (q *cq) leaveOpen(why string) {
	if q.reason == "" {
		q.reason = why
	}
}
