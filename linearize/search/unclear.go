package search

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// What the trace does not tell of an object, or the contract does not say of it, leaves open all that shares something with it.

// findUnclear finds the CQs of which nobody can tell what they hold.
func (h *history) findUnclear() {
	for _, q := range h.cqs {
		if q.created == nil {
			q.leaveOpen("the trace does not hold the creation of %s, so nobody knows how it was armed and what it held", q.name)
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
			continue // it had nothing to lose, or nobody knows its CQs
		}
		p.leaveOpen(p.name + " was put into the state " + s.begin.State + ", which this engine does not follow")
	}
	for _, s := range h.failures {
		for _, q := range h.cqs {
			p := h.qpByName[s.end.Qp]
			if s.end.Cq == q.name || s.end.Cq == "" && (p == nil || p.initiatorCq == q || p.receiveCq == q) {
				q.leaveOpen("the device reported %s: %s may have lost completions", s.end.Type, q.name)
			}
		}
	}
}

// findFed finds the CQs that receives of a shared receive queue may complete into: those of the QPs that were created with
// one, or any where the trace does not tell of such a QP.
func (h *history) findFed() {
	if len(h.shared) == 0 {
		return
	}
	takes := func(p *qp) bool { return p.created != nil && p.created.begin.Srq != "" }
	told := slices.ContainsFunc(h.qps, takes)
	for _, q := range h.cqs {
		if !told || slices.ContainsFunc(h.qps, func(p *qp) bool { return takes(p) && p.receiveCq == q }) {
			q.leaveOpen("receives of a shared receive queue may complete into %s", q.name)
		}
	}
}

// findStrangers finds the CQs that a QP whose creation the trace does not hold may complete into: all that there were when something was
// posted on it.
func (h *history) findStrangers() {
	for _, p := range h.qps {
		if p.created != nil || len(p.posts) == 0 {
			continue
		}
		from := p.posts[0].call
		for _, q := range h.cqs {
			if q.created != nil && q.created.call < from {
				q.strangers = earlier(q.strangers, &doubt{matters: from, untold: p.unbound()})
			}
		}
	}
}

func (p *qp) unbound() string {
	return "the trace does not hold the creation of " + p.name + ", so nobody knows where its requests complete"
}

// leaveOpen notes why nobody can tell what becomes of the requests of p, nor which messages reach its peer, or it.
func (p *qp) leaveOpen(why string) {
	p.conn = ""
	for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
		q.leaveOpen("%s", why)
	}
}

// leaveOpen notes why nobody can tell what q holds. The first reason stays.
func (q *cq) leaveOpen(format string, args ...any) {
	if q.unclear == "" {
		q.unclear = fmt.Sprintf(format, args...)
	}
}

// findOldTokens finds the tokens that may have been made valid before the trace began: a request makes it invalid, none before
// it makes it valid, and the trace does not hold the creation of its object.
func (h *history) findOldTokens() {
	made := map[string]bool{} // objects
	for _, s := range h.spans {
		if s.kind == calls.CreateRegion {
			made[s.begin.Mr+s.begin.Mw] = true
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
		if r.op == model.Invalidate && !registered[*r.token] && !made[r.post.begin.Mr+r.post.begin.Mw] {
			h.oldTokens[*r.token] = true
		}
	}
}
