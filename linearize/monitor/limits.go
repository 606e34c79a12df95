package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// limits checks requests against what the creation of their queue pair allows: POST-06 and FLAG-05.
type limits struct {
	seldom
	noRequest
	s       *requests
	certain bool // it is known when a place becomes free
	inline  *int // FLAG-05
	queues  *int // POST-06
}

var _ = decides(
	rule{ID: "POST-06", On: on{"a request is posted on a queue of known depth"}},
	rule{ID: "FLAG-05", On: on{"a request has NDK_OP_FLAG_INLINE, and its queue pair a limit"}, Undefined: "about an argument of one call, compared with the creation of the QP"},
)

func newLimits(m *Monitor) checks {
	return &limits{s: m.requests, certain: m.dialect.A12 == model.A12Polled, inline: m.counter("FLAG-05"), queues: m.counter("POST-06")}
}

// called is FLAG-05.
func (l *limits) called(r *workRequest, c *Call, flags []string) {
	p := r.queue.qp
	if p == nil || r.op == model.ReceiveOp || p.inline == unknown || r.bytes == unknown {
		return
	}
	if !slices.Contains(flags, "INLINE") && !(c.Verbs && calls.HasVerbsFlag(flags, "INLINE")) {
		return
	}
	if *l.inline++; r.bytes > p.inline && p.once("FLAG-05") {
		l.s.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "FLAG-05", See: []int{p.limitedAt}, Objects: []Object{{Qp, p.name}}, Follows: true,
			Message: fmt.Sprintf("%s has %d bytes of inline data, and %s takes %d at most", r.wr, r.bytes, p.name, p.inline)})
	}
}

// answered is POST-06. A place is free when the completion of its request is polled, or of a later one behind a silent request (A12): polls that
// are under way may have taken as many as they have room for.
func (l *limits) answered(p *posting, _ bool) {
	q := p.queue
	if !l.certain || q.depth == unknown || q.uncertain {
		return
	}
	*l.queues++
	if q.outstanding-l.s.roomOf(q.cq) <= q.depth || !q.qp.once("POST-06 "+p.call.Fn) {
		return
	}
	what := "initiator requests"
	if q.kind == model.Receive {
		what = "receives"
	}
	l.s.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "POST-06", Place: p.call.Begun, See: []int{q.requests.next.place.Line}, Objects: []Object{{Qp, q.name}}, Follows: true,
		Message: fmt.Sprintf("%d %s of %s are outstanding, and its queue has room for %d: no completion of one of them was polled",
			q.outstanding, what, q.name, q.depth)})
}
