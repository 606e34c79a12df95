package search

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
)

// A consumer that breaks its own rules gets what it gets: what follows is not the provider's fault. checkConsumer reports
// each breach that boundary events show.
func (h *history) checkConsumer() {
	h.checkCreations()
	h.checkCloses()
	h.checkUsesAfterClose()
	for _, q := range h.cqs {
		h.checkSerialised(q)
		h.checkArms(q)
	}
	for _, p := range h.qps {
		h.checkPosts(p)
		h.checkChains(p)
	}
}

func (h *history) consumer(rule string, at moment, see []*span, format string, args ...any) {
	h.report(verdict.ConsumerViolation, rule, at, see, format, args...)
}

// overlapping returns each span that began while an earlier one was under way, with that one, unless it is nested in it.
func overlapping(spans []*span) (pairs [][2]*span) {
	var longest *span
	for _, s := range spans {
		if longest != nil && s.overlaps(longest) && !s.nestsIn(longest) {
			pairs = append(pairs, [2]*span{longest, s})
		}
		if longest == nil || s.ret > longest.ret {
			longest = s
		}
	}
	return pairs
}

func inOrder(groups ...[]*span) []*span {
	all := slices.Concat(groups...)
	slices.SortFunc(all, func(a, b *span) int { return cmp.Compare(a.call, b.call) })
	return all
}

// checkSerialised is POLL-01. libibverbs serialises by itself.
func (h *history) checkSerialised(q *cq) {
	all := inOrder(q.polls, q.arms)
	if len(all) == 0 || strings.HasPrefix(all[0].fn, "ibv_") {
		return
	}
	h.exercised("POLL-01")
	for _, pair := range overlapping(all) {
		h.consumer("POLL-01", pair[1].call, pair[:1], "%s of %s was called while %s was running", pair[1].fn, q.name, pair[0].fn)
	}
}

// checkArms is ARM-13.
func (h *history) checkArms(q *cq) {
	for _, s := range q.arms {
		h.exercised("ARM-13")
		if _, ok := calls.ArmOf(s.begin); !ok {
			h.consumer("ARM-13", s.call, nil, "%s was armed with type %q, and there are ERRORS, ANY and SOLICITED", q.name, s.begin.Type)
		}
	}
}

// checkPosts is POST-01, POST-02 and DEF-01.
func (h *history) checkPosts(p *qp) {
	if len(p.posts) == 0 || strings.HasPrefix(p.posts[0].fn, "ibv_") {
		return
	}
	var initiator, receive []*span
	for _, s := range p.posts {
		if s.fn == "NdkReceive" {
			receive = append(receive, s)
			if slices.Contains(s.begin.Flags, "DEFER") {
				h.consumer("DEF-01", s.call, nil, "NdkReceive takes no DEFER")
			}
			continue
		}
		initiator = append(initiator, s)
	}
	h.checkOnePoster("POST-01", p, initiator)
	h.checkOnePoster("POST-02", p, receive)
}

func (h *history) checkOnePoster(rule string, p *qp, posts []*span) {
	if len(posts) > 0 {
		h.exercised(rule)
	}
	for _, pair := range overlapping(posts) {
		h.consumer(rule, pair[1].call, pair[:1], "%s on %s was called while %s was running", pair[1].fn, p.name, pair[0].fn)
	}
}

// checkChains is DEF-06: at rest every chain has ended, unless a flush, a disconnect or a close ended it (A11).
func (h *history) checkChains(p *qp) {
	end := len(h.trace.Events)
	if !slices.Contains(h.marks, end) {
		return
	}
	var deferred []*request
	for _, r := range p.initiator {
		if !r.deferred {
			continue
		}
		deferred = append(deferred, r)
	}
	if len(deferred) == 0 {
		return
	}
	h.exercised("DEF-06")
	last := deferred[len(deferred)-1]
	if last.delivery != nil || last.indicated < end || p.closed != nil {
		return
	}
	for _, s := range p.flushes {
		if s.call > last.post.call {
			return
		}
	}
	h.consumer("DEF-06", last.post.call, nil,
		"the chain that %s belongs to was never ended: no request without DEFER followed", last.wr)
}
