package monitor

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// rooms looks whether a CQ holds the completions of all requests that complete into it and are outstanding: POST-14. Polls that are under way may
// have taken as many as they have room for. A CQ that was resized is left alone.
type rooms struct {
	nothing
	noRequest
	m     *Monitor
	count *int
	depth map[string]int64
}

var _ = group(newRooms,
	rule{ID: "POST-14", On: on{"a request is accepted that completes into a CQ of known depth"}},
)

func newRooms(m *Monitor) checks {
	return &rooms{m: m, count: m.counter("POST-14"), depth: map[string]int64{}}
}

func (r *rooms) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.ResizeCq, calls.CloseCq:
		delete(r.depth, e.Cq)
	case calls.CreateCq:
		if e.Depth != nil {
			r.depth[e.Cq] = *e.Depth
		}
	}
}

// end records the depth in the return of a creation.
func (r *rooms) end(c *Call, e *trace.Event) {
	if c.Kind == calls.CreateCq && e.Depth != nil {
		r.depth[c.Cq] = *e.Depth
	}
}

func (r *rooms) answered(p *posting, refused bool) {
	depth := r.depth[p.queue.cq]
	if refused || depth <= 0 || len(p.requests) == 0 || p.queue.uncertain {
		return
	}
	*r.count++
	if n := p.queue.crowd.outstanding - r.m.requests.roomOf(p.queue.cq); n > depth {
		r.m.advise("POST-14", "%d requests are outstanding, and %s, into which all of them complete, holds %d", n, p.queue.cq, depth)
	}
}
