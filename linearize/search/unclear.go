package search

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// An object that the trace does not record, or that the contract does not specify, makes all objects undecided that share something with it.

// findUnclear finds the CQs whose contents are not known.
func (h *history) findUnclear() {
	for _, q := range h.cqs {
		if q.created == nil {
			q.leaveOpen(verdict.CqOfBefore(q.name, h.dialect.Name))
		}
	}
	h.findFed()
	h.findStrangers()
	h.findOldTokens()
	for _, p := range h.qps {
		if p.untold != "" && p.created != nil {
			p.leaveOpen(p.untold)
		}
	}
	for _, s := range h.unsettled {
		p := h.qp(s.begin.Qp)
		unused := (p.connected == nil || p.connected.call > s.call) && (len(p.posts) == 0 || p.posts[0].call > s.call)
		if unused || p.created == nil {
			continue // it had nothing to lose, or its CQs are not known
		}
		p.leaveOpen(verdict.Unsettled(p.name, s.begin.State))
	}
	for _, s := range h.failures {
		for _, q := range h.cqs {
			p := h.qpByName[s.end.Qp]
			if s.end.Cq == q.name || s.end.Cq == "" && (p == nil || p.initiatorCq == q || p.receiveCq == q) {
				q.leaveOpen(verdict.DeviceFailed(s.end.Type, q.name))
			}
		}
	}
}

// findFed finds the CQs that receives of a shared receive queue may complete into in an order that is not known: any, where the trace records no QP that
// was created with one.
func (h *history) findFed() {
	if len(h.shared) == 0 {
		return
	}
	told := slices.ContainsFunc(h.qps, isFed)
	for _, q := range h.cqs {
		if !told || h.unsorted[q.name] {
			q.leaveOpen(verdict.TakesShared(q.name, told, h.dialect.Name))
		}
	}
}

// findStrangers finds the CQs that a QP whose creation the trace does not record may complete into: all that there were when something was
// posted on it.
func (h *history) findStrangers() {
	for _, p := range h.qps {
		if p.created != nil || len(p.posts) == 0 {
			continue
		}
		from := p.posts[0].call
		for _, q := range h.cqs {
			if q.created != nil && q.created.call < from {
				q.strangers = earlier(q.strangers, &doubt{matters: from, untold: p.unbound(h.dialect.Name)})
			}
		}
	}
}

func (p *qp) unbound(dialect string) string {
	return verdict.QpOfBefore(p.name, dialect)
}

// leaveOpen records why it is not known what becomes of the requests of p, nor which messages reach p or its peer.
func (p *qp) leaveOpen(why string) {
	p.conn = ""
	for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
		q.leaveOpen(why)
	}
}

// leaveOpen records why the contents of q are not known. The first reason stays.
func (q *cq) leaveOpen(why string) { q.unclear = cmp.Or(q.unclear, why) }

// findOldTokens finds the tokens that may have been made valid before the trace began: a request makes it invalid, none before
// it makes it valid, and the trace does not have the creation of its object.
func (h *history) findOldTokens() {
	made, given := map[string]bool{}, never // objects, and from when on there may be a token that the trace does not record
	for _, s := range h.spans {
		if s.kind == calls.CreateRegion {
			made[s.begin.Mr+s.begin.Mw] = true
		}
		if calls.GivesUntoldToken(s.fn) && !s.refused() {
			given = min(given, s.call)
		}
	}
	registered := map[uint32]bool{} // by the first request that names it
	for _, r := range h.requests {
		if r.token == nil {
			continue
		}
		if _, known := registered[*r.token]; !known {
			registered[*r.token] = r.op == model.FastRegister || r.op == model.Bind
		}
		old := r.op == model.Invalidate && !made[r.post.begin.Mr+r.post.begin.Mw]
		if !registered[*r.token] && (old || given < r.post.ret) {
			h.oldTokens[*r.token] = true
		}
	}
}
