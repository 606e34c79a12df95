package search

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// mayFail reports whether q may have had an error, after which completions are lost, as nobody knows of one that is not known.
func (h *history) mayFail(q *cq) bool {
	return q == nil || q.unclear != "" || q.reports || q.overrun != never
}

// failsFrom returns from when on q may have had an error, or never.
func (h *history) failsFrom(q *cq) moment {
	if q.unclear != "" || q.reports {
		return 0
	}
	return q.overrun
}

// reportsError reports whether a callback says that its CQ failed.
func reportsError(s *span) bool {
	h, ok := calls.HealthOf(s.begin.Status)
	return ok && h != model.OK
}

// findOverruns finds, for each CQ, the first moment at which more completions could be on their way into it than it may have
// room for: while a resize is under way, as few as before it or after it. What only waits for a message is on its way, too, as it may fail by itself.
func (h *history) findOverruns() {
	outstanding, room := map[*cq]int{}, map[*cq]int{}
	resized := map[moment]*resize{}
	for _, q := range h.cqs {
		q.overrun, room[q] = never, q.depth
		for _, r := range q.resizes {
			resized[r.span.call], resized[r.by] = r, r
		}
	}
	look := func(q *cq, at moment) {
		if outstanding[q] > room[q] {
			q.overrun = min(q.overrun, at)
		}
	}
	count := func(r *request, n int, at moment) {
		if q := r.qp.cq(r.queue); q != nil && r.accepted {
			outstanding[q] += n
			look(q, at)
		}
	}
	bySpan := map[moment]*span{}
	for _, s := range h.spans {
		if s.kind == calls.Post {
			bySpan[s.call] = s
		} else if s.kind == calls.PollCq && s.returned() {
			bySpan[s.ret] = s
		}
	}
	for at := range h.trace.Events {
		if r := resized[at]; r != nil {
			q := h.cqByName[r.span.begin.Cq]
			if room[q] = min(room[q], r.depth); at == r.by {
				room[q] = r.depth
			}
			look(q, at)
		}
		s := bySpan[at]
		if s == nil {
			continue
		}
		for _, r := range s.requests {
			count(r, 1, at)
		}
		if s.kind == calls.PollCq {
			for i := range s.end.Results {
				if r := h.byWr[s.end.Results[i].Wr]; r != nil {
					count(r, -1, at)
				}
			}
		}
	}
}
