package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// shared checks where a receive of a shared receive queue completes: SRQ-10. The result has to name a queue pair of which the trace tells the
// shared receive queue.
type shared struct {
	noRequest
	s     *requests
	count *int
}

var _ = decides(
	rule{ID: "SRQ-10", On: on{"a receive of a shared receive queue completes"}},
)

func newShared(s *requests) requestRule { return &shared{s: s, count: s.m.counter("SRQ-10")} }

func (h *shared) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.queue.qp != nil || r.queue.kind != model.Receive || result.Qp == "" {
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
