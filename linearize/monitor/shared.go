package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// shared checks where a receive of a shared receive queue completes: SRQ-10. The result names the queue pair that took it, or it has to be one of
// those whose receives complete there.
type shared struct {
	seldom
	noRequest
	s      *requests
	count  *int
	takers map[taking]*takers
	taken  map[string]bool // shared receive queues that have had queue pairs: one of XRC has none, and says itself where its receives complete
	xrc    bool            // a queue pair may be of XRC
}

// A taking is of queue pairs that take their receives from a shared receive queue, and complete them into a CQ.
type taking struct{ srq, cq string }

type takers struct {
	open   int
	closed int // the index of the event by which the latest was closed that is, or -1
}

var _ = decides(
	rule{ID: "SRQ-10", On: on{"a receive of a shared receive queue completes"}},
)

func newShared(m *Monitor) checks {
	return &shared{s: m.requests, count: m.counter("SRQ-10"), takers: map[taking]*takers{}, taken: map[string]bool{}}
}

func (h *shared) created(p *qpArguments) {
	if p.kind != "RC" && p.kind != "UC" && p.kind != "UD" {
		h.xrc = h.xrc || h.s.m.dialect.EventsAreRead
	}
	if p.srq == "" {
		return
	}
	h.taken[p.srq] = true
	of := taking{p.srq, p.receive.cq}
	if h.takers[of] == nil {
		h.takers[of] = &takers{closed: -1}
	}
	h.takers[of].open++
}

func (h *shared) dropped(p *qpArguments, closed bool) {
	if t := h.takers[taking{p.srq, p.receive.cq}]; closed && t != nil {
		t.open, t.closed = t.open-1, h.s.m.now.Index
	}
}

func (h *shared) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.queue.qp != nil || r.queue.kind != model.Receive {
		return
	}
	if result.Qp == "" {
		h.completedOnAny(r, c)
		return
	}
	p := h.s.qps.get(result.Qp)
	if p == nil || !p.created || p.srq == "" || p.receive.cq == "" {
		return
	}
	*h.count++
	var why string
	switch {
	case p.srq != r.queue.name:
		why = fmt.Sprintf("which takes its receives from %s", p.srq)
	case p.receive.cq != c.Cq:
		why = fmt.Sprintf("whose receives complete into %s", p.receive.cq)
	default:
		return
	}
	h.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-10", See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, {Qp, p.name}, r.queue.object()},
		Message: fmt.Sprintf("%s, a receive of %s, completed on %s as one of %s, %s", r.wr, r.queue.name, c.Cq, p.name, why)})
}

// completedOnAny looks at a receive of which the trace does not say which queue pair took it.
func (h *shared) completedOnAny(r *workRequest, c *Call) {
	isCreated := func(k Kind, name string) bool { o := h.s.m.objects.byName[k].get(name); return o != nil && o.created }
	if h.xrc || !h.taken[r.queue.name] || !isCreated(Srq, r.queue.name) || !isCreated(Cq, c.Cq) {
		return
	}
	*h.count++
	why := "into which no queue pair completes that takes its receives from there"
	if t := h.takers[taking{r.queue.name, c.Cq}]; t != nil {
		if t.open > 0 || t.closed > r.place.Index {
			return
		}
		why = "and the queue pairs of it that complete there had been closed before it was posted"
	}
	h.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-10", See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()},
		Message: fmt.Sprintf("%s, a receive of %s, completed on %s, %s", r.wr, r.queue.name, c.Cq, why)})
}
