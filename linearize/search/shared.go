package search

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/lanes"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// The receives of a shared receive queue are searched in lanes (package lanes): each is the receive queue of a queue pair that the trace does not have,
// which is connected from the beginning. So any of them may complete at any time, and none is owed.

// takeShared makes a queue pair of each lane.
func (h *history) takeShared() {
	sorted := lanes.Of(h.trace)
	for _, l := range sorted.All {
		h.takeLane(l)
	}
	h.unsorted = sorted.Open
	h.guessed = len(sorted.All) > 0 // a witness has no steps of queue pairs that the trace does not have
	slices.SortStableFunc(h.spans, func(a, b *span) int { return a.call - b.call })
}

// takeLane makes the queue pair of a lane, its connection and its posts.
func (h *history) takeLane(l *lanes.Lane) {
	p, creation := h.qp(l.Name), *l.Creation
	creation.Qp, creation.Srq = l.Name, ""
	succeeds := &trace.Event{Ph: trace.Ret, Status: "STATUS_SUCCESS"}
	p.lane = l
	p.created = &span{fn: creation.Fn, kind: calls.CreateQp, begin: &creation, end: succeeds}
	p.initiatorCq, p.receiveCq = h.cq(l.Cq), h.cq(l.Cq)
	connects := &trace.Event{Ph: trace.Call, Fn: "NdkConnect", Qp: l.Name}
	if p.created.verbs() {
		connects.Fn, connects.State, succeeds.Status = "ibv_modify_qp", "RTR", ""
	}
	h.spans = append(h.spans, &span{fn: connects.Fn, kind: calls.ConnectQp, begin: connects, end: succeeds})
	if l.Closes != "" && h.dialect.A21 != model.A21Kept {
		h.closeLane(p)
	}
	for _, s := range h.sharedPosts {
		if s.begin.Srq == l.Srq {
			h.takeInto(p, s)
		}
	}
}

// closeLane closes the queue pair of a lane with that which takes its receives: what completed, and was not delivered, may vanish then (A21).
func (h *history) closeLane(p *qp) {
	i := slices.IndexFunc(h.spans, func(s *span) bool { return s.kind == calls.CloseQp && s.begin.Op == p.lane.Closes })
	if i < 0 {
		return
	}
	closes, begin := *h.spans[i], *h.spans[i].begin
	begin.Qp, closes.begin = p.name, &begin
	p.closed = &closes
	h.spans = append(h.spans, p.closed)
}

// takeInto takes what a post on a shared receive queue posts on the queue pair of a lane.
func (h *history) takeInto(p *qp, s *span) {
	begin, end := *s.begin, s.end
	begin.Qp, begin.Fn = p.name, "NdkReceive"
	if s.verbs() {
		begin.Fn, begin.Wrs = "ibv_post_recv", nil
		for _, w := range s.begin.Wrs[:s.stopsAt()] {
			if p.lane.Wrs[w.Wr] {
				begin.Wrs = append(begin.Wrs, w)
			}
		}
		if end != nil {
			end = &trace.Event{Ph: trace.Ret} // of those that were not refused
		}
	}
	if !p.lane.Wrs[begin.Wr] && len(begin.Wrs) == 0 {
		return
	}
	post := &span{fn: begin.Fn, kind: calls.Post, call: s.call, ret: s.ret, begin: &begin, end: end, within: s.within}
	h.spans = append(h.spans, post)
	p.posts = append(p.posts, post)
	h.takePost(p, post)
}
