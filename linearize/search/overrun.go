package search

import (
	"sort"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// mayFail reports whether q may have had an error, after which completions are lost. A CQ that is not known may have.
func (h *history) mayFail(q *cq) bool {
	return q == nil || q.unclear != "" || q.reports || q.overrun != never
}

// failsFrom returns the first moment at which q may have had an error, or never.
func (h *history) failsFrom(q *cq) moment {
	if q.unclear != "" || q.reports {
		return 0
	}
	return q.overflows
}

// placedFrom returns the first moment at which the completion of r can have been placed.
func (r *request) placedFrom() moment {
	if r.point != nil {
		return r.point.call
	}
	return max(r.post.call, r.sent)
}

// reportsError reports whether a callback says that its CQ failed.
func reportsError(s *span) bool {
	h, ok := calls.HealthOf(s.begin.Status)
	return ok && h != model.OK
}

// findOverruns finds, for each CQ, the first moment at which more completions could be on their way into it than it may have room for. During a
// resize, its room is the lesser of the old and the new. A receive that waits for a message counts, because it may fail by itself. A CQ had not
// overflowed before it accepted what it delivers (ARM-17), and may have overflowed at the first such moment since.
func (h *history) findOverruns() {
	outstanding, room, takes := map[*cq]int{}, map[*cq]int{}, map[*cq]moment{}
	resized, taking := map[moment]*resize{}, map[moment][]*cq{}
	for _, q := range h.cqs {
		q.findPlaced()
		q.overrun, q.overflows, room[q], takes[q] = never, never, q.depth, q.placedFrom(never)
		taking[takes[q]] = append(taking[takes[q]], q)
		for _, r := range q.resizes {
			resized[r.span.call], resized[r.by] = r, r
		}
	}
	look := func(q *cq, at moment) {
		if outstanding[q] <= room[q] {
			return
		}
		if q.overrun = min(q.overrun, at); at >= takes[q] {
			q.overflows = min(q.overflows, at)
		}
	}
	count := func(r *request, n int, at moment) {
		if q := r.qp.cq(r.queue); q != nil && r.accepted {
			outstanding[q] += n
			look(q, at)
		}
	}
	posts, polls := map[moment][]*span{}, map[moment]*span{}
	for _, s := range h.spans {
		if s.kind == calls.Post {
			posts[s.call] = append(posts[s.call], s)
		} else if s.kind == calls.PollCq && s.returned() {
			polls[s.ret] = s
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
		if s := polls[at]; s != nil {
			for i := range s.end.Results {
				if r := h.byWr[s.end.Results[i].Wr]; r != nil {
					count(r, -1, at)
				}
			}
		}
		for _, s := range posts[at] {
			for _, r := range s.requests {
				count(r, 1, at)
			}
		}
		for _, q := range taking[at] {
			look(q, at)
		}
	}
}

// placed is what polls of a CQ delivered up to one of them: by when they had returned, and from when on the latest can have been placed.
type placed struct{ by, from moment }

// findPlaced finds that for each completion that polls of q delivered.
func (q *cq) findPlaced() {
	q.placed = make([]placed, len(q.delivered))
	latest := placed{}
	for i, r := range q.delivered {
		if latest.by = max(latest.by, r.delivery.poll.ret); r.qp.cq(r.queue) == q {
			latest.from = max(latest.from, r.placedFrom())
		}
		q.placed[i] = latest
	}
}

// placedFrom returns from when on the latest can have been placed of what polls of q delivered that had returned by a moment, or 0.
func (q *cq) placedFrom(until moment) moment {
	i := sort.Search(len(q.placed), func(i int) bool { return q.placed[i].by >= until })
	if i == 0 {
		return 0
	}
	return q.placed[i-1].from
}
