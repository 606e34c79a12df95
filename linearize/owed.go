package linearize

import (
	"slices"

	"ndkoracle/model"
)

// owedAt reports whether r must have completed by a moment at which the provider was at rest.
func (r *request) owedAt(mark moment) bool {
	p := r.qp
	if r.post.ret >= mark || p.closed != nil && p.closed.call < mark {
		return false
	}
	for _, s := range p.flushes {
		if s.call > r.post.call && s.ret < mark {
			return true
		}
	}
	if r.queue == model.Receive {
		return r.tookMessageBefore(mark)
	}
	return r.indicatedBefore(mark) && !p.waitsForPeer(r, mark)
}

// tookMessageBefore reports whether the peer's send for this receive, or a later one, is known to have succeeded by then.
func (r *request) tookMessageBefore(mark moment) bool {
	if r.qp.peer == nil {
		return false
	}
	sends := r.qp.peer.sends
	if r.position >= len(sends) {
		return false
	}
	for i, s := range sends {
		switch {
		case failed(s):
			return false
		case i >= r.position && s.delivery != nil && (s.delivery.poll.ret < mark || s.owedAt(mark)):
			return true
		}
	}
	return false
}

// indicatedBefore reports whether the chain of a deferred request has ended by then: with a request without DEFER or with
// one that was refused (DEF-05, A11).
func (r *request) indicatedBefore(mark moment) bool {
	if !r.deferred {
		return true
	}
	for _, s := range r.qp.posts {
		if s.call < r.post.call || s.ret >= mark || s.fn == "NdkReceive" {
			continue
		}
		if !s.succeeded() || !slices.Contains(s.begin.Flags, "DEFER") {
			return true
		}
	}
	return false
}

// waitsForPeer reports whether r, or a send before it, may be waiting for a receive that the peer has not posted, or of
// which the trace does not tell.
func (p *qp) waitsForPeer(r *request, mark moment) bool {
	if p.ended < mark {
		return false
	}
	receives := 0
	if p.peer != nil {
		for _, posted := range p.peer.receive {
			if posted.post.ret < mark {
				receives++
			}
		}
	}
	for _, s := range p.sends {
		if s.position > r.position {
			break
		}
		if receives--; receives < 0 && (s.delivery == nil || s.delivery.poll.ret > mark) {
			return true
		}
	}
	return false
}

// firstOwed returns the first moment of rest at which r must have completed, or never. After the last event of its QP and
// of the peer nothing changes that any more.
func (h *history) firstOwed(r *request) moment {
	last := r.qp.last
	if r.qp.peer != nil {
		last = max(last, r.qp.peer.last)
	}
	for _, q := range []*cq{r.qp.initiatorCq, r.qp.receiveCq} {
		if q != nil && len(q.polls) > 0 {
			last = max(last, q.polls[len(q.polls)-1].call)
		}
	}
	i, _ := slices.BinarySearch(h.marks, r.post.call)
	for _, mark := range h.marks[i:] {
		if r.owedAt(mark) {
			return mark
		}
		if mark > last {
			break
		}
	}
	return never
}

// findOverruns finds, for each CQ, the first moment at which more completions could be on their way into it than it has
// room for.
func (h *history) findOverruns() {
	outstanding := map[*cq]int{}
	for _, q := range h.cqs {
		q.overrun = never
	}
	count := func(r *request, n int, at moment) {
		q := r.qp.cq(r.queue)
		if q == nil || !r.mayComplete() {
			return
		}
		outstanding[q] += n
		if outstanding[q] > q.depth {
			q.overrun = min(q.overrun, at)
		}
	}
	bySpan := map[moment]*span{}
	for _, s := range h.spans {
		if s.kind == post {
			bySpan[s.call] = s
		} else if s.kind == pollCq && s.returned() {
			bySpan[s.ret] = s
		}
	}
	for at := range h.trace.Events {
		s := bySpan[at]
		if s == nil {
			continue
		}
		for _, r := range s.requests {
			count(r, 1, at)
		}
		if s.kind == pollCq {
			for i := range s.end.Results {
				if r := h.byWr[s.end.Results[i].Wr]; r != nil {
					count(r, -1, at)
				}
			}
		}
	}
}

// emptyAfter reports whether a poll that began after the moment found the CQ empty.
func (q *cq) emptyAfter(mark moment) bool {
	for _, poll := range q.polls {
		if poll.call > mark && poll.foundEmpty() {
			return true
		}
	}
	return false
}

// foundEmpty reports whether a poll had room and returned nothing.
func (s *span) foundEmpty() bool {
	return s.end != nil && len(s.end.Results) == 0 && (s.begin.N == nil || *s.begin.N > 0)
}
