package tlcjudge

import (
	"slices"

	"ndkoracle/linearize/verdict"
)

// findUnclear finds the CQs whose contents are not known.
func (h *history) findUnclear() {
	for _, q := range h.cqList {
		if !q.created {
			q.leaveOpen(verdict.CqOfBefore(q.name, h.trace.Header.Dialect))
		}
	}
	h.findFed()
	h.findResizedTwice()
	h.findMovedTwice()
	for _, c := range h.calls {
		switch c.kind {
		case "unsettle":
			h.unsettle(c)
		case "device event":
			h.findFailed(c)
		}
	}
}

// findFed finds the CQs that receives of a shared receive queue may complete into where the trace does not record a QP that was created with one: any.
func (h *history) findFed() {
	if len(h.shared) == 0 {
		return
	}
	told := slices.ContainsFunc(h.qpList, isFed)
	for _, q := range h.cqList {
		if !told {
			q.leaveOpen(verdict.TakesShared(q.name, told, h.trace.Header.Dialect))
		}
	}
}

// firstStranger returns the first post on a QP whose creation the trace does not record, or nil.
func (h *history) firstStranger() *call {
	i := slices.IndexFunc(h.calls, func(c *call) bool { return c.kind == "post" && c.qp.created == nil })
	if i < 0 {
		return nil
	}
	return h.calls[i]
}

func (p *qp) unbound(dialect string) string {
	return verdict.QpOfBefore(p.name, dialect)
}

// unsettle handles a call that put a QP into a state in which requests are dropped, or wait.
func (h *history) unsettle(c *call) {
	p := h.qps[c.first.Qp]
	if p == nil || p.created == nil {
		return // nothing is posted on it, or its CQs are not known
	}
	connected := p.connected != nil && p.connected.place < c.place
	if !connected && (len(p.requests) == 0 || p.requests[0].post.place > c.place) {
		return // it had nothing to lose
	}
	p.conn = "" // it is not known which messages reach it or its peer
	p.leaveOpen(verdict.Unsettled(p.name, c.first.State))
}

// findMovedTwice finds the QPs that two calls of ibv_modify_qp move at the same time, one of them into an error state: either may be the last.
func (h *history) findMovedTwice() {
	for i, c := range h.calls {
		for _, d := range h.calls[i+1:] {
			if d.place > c.lastPlace {
				break
			}
			if c.moves() && d.moves() && c.first.Qp == d.first.Qp && (c.kind == "flush") != (d.kind == "flush") {
				h.qp(c.first.Qp).leaveOpen("two calls of ibv_modify_qp move " + c.first.Qp + " at the same time, and the trace does not record which was the last")
			}
		}
	}
}

// moves reports whether a call that did not fail moves a QP of libibverbs into another state.
func (c *call) moves() bool { return c.fn == "ibv_modify_qp" && c.answer() != "FAILURE" }

// leaveOpen makes the contents of the CQs of a QP undecided.
func (p *qp) leaveOpen(why string) {
	for _, q := range []*cq{p.initiator, p.receive} {
		if q != nil {
			q.leaveOpen(why)
		}
	}
}

// findFailed finds what an asynchronous event tells of CQs: the one that it names has failed, and those of its QP, or else all of the device, may have
// lost completions.
func (h *history) findFailed(c *call) {
	e := c.last
	if e == nil || e.Type != "CQ_ERR" && e.Type != "QP_FATAL" && e.Type != "DEVICE_FATAL" {
		return
	}
	if q := h.cqs[e.Cq]; q != nil && e.Type == "CQ_ERR" {
		c.kind, c.cq = "CQ fails", q
	}
	if e.Cq != "" {
		return
	}
	p := h.qps[e.Qp]
	for _, q := range h.cqList {
		if p == nil || p.initiator == q || p.receive == q {
			q.leaveOpen(verdict.DeviceFailed(e.Type, q.name))
		}
	}
}

// leaveOpen records why the contents of q are not known. The first reason stays.
func (q *cq) leaveOpen(why string) {
	if q.reason == "" {
		q.reason = why
	}
}

// findBadlyNamed finds the QPs with receives that may wait as a bad token has ended their connection: one that a message may have named of a peer that takes its
// own receives from a shared queue. In libibverbs none waits behind that.
func (h *history) findBadlyNamed() {
	waits := func(r *request) bool { return r.op == "Receive" && r.poll == nil && r.post.fn == "NdkReceive" }
	names := func(r *request) bool { return r.op == "SendAndInvalidate" }
	for _, p := range h.qpList {
		for _, peer := range h.qpList {
			if p != peer && p.conn != "" && p.conn == peer.conn && isFed(peer) && slices.ContainsFunc(p.requests, waits) && slices.ContainsFunc(peer.requests, names) {
				p.leaveOpen(verdict.MayNameBadToken(peer.name))
			}
		}
	}
}

// isFed reports whether a QP takes its receives from a shared queue.
func isFed(p *qp) bool { return p.lane == nil && p.created != nil && p.created.first.Srq != "" }
