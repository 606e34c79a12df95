package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// acks checks LIFE-08 in libibverbs: ibv_destroy_cq waits until each event of the CQ that was read has been acknowledged, as a close in NDKPI waits for
// callbacks. A trace that never records an acknowledgement does not decide it: code in the kernel has none.
type acks struct {
	nothing
	m         *Monitor
	count     *int
	cqs       map[string]*acknowledged
	destroyed int  // of cqs
	recorded  bool // the trace has an acknowledgement, of whichever CQ
}

// An acknowledged CQ is one of which an event was read, or acknowledged.
type acknowledged struct {
	read, acked int64
	line        int   // of the latest read
	destroyed   Place // where the call returned that destroyed it, while events had not been acknowledged
	called      int   // the line of the call that destroyed it, or 0
}

// mostDestroyed is how many destroyed CQs are kept whose events were not acknowledged.
const mostDestroyed = 1024

var _ = decides(
	rule{ID: "LIFE-08", On: on{"the close of an object completes that had event callbacks, or of a CQ of libibverbs of which events were read"}},
)

func newAcks(m *Monitor) checks {
	if !m.dialect.EventsAreRead {
		return nothing{}
	}
	return &acks{m: m, count: m.counter("LIFE-08"), cqs: map[string]*acknowledged{}}
}

func (a *acks) of(cq string) *acknowledged {
	q := a.cqs[cq]
	if q == nil {
		q = &acknowledged{}
		a.cqs[cq] = q
	}
	return q
}

func (a *acks) forget(cq string) {
	if q := a.cqs[cq]; q != nil && q.called != 0 {
		a.destroyed--
	}
	delete(a.cqs, cq)
}

func (a *acks) begin(c *Call, e *trace.Event) {
	switch {
	case c.Kind == calls.CreateCq:
		a.forget(c.Cq)
	case c.Fn == "ibv_ack_cq_events" && e.N != nil && *e.N > 0:
		a.record()
		a.of(c.Cq).acked += *e.N
	}
}

// record handles the first acknowledgement of the trace: CQs that were destroyed before had events without one.
func (a *acks) record() {
	if a.recorded {
		return
	}
	a.recorded = true
	var early []string
	for cq, q := range a.cqs {
		if q.called != 0 {
			early = append(early, cq)
		}
	}
	slices.SortFunc(early, func(x, y string) int { return a.cqs[x].called - a.cqs[y].called })
	for _, cq := range early {
		a.breach(cq, a.cqs[cq])
	}
}

func (a *acks) end(c *Call, e *trace.Event) {
	if c.Kind != calls.ReadEvent || e.Cq == "" {
		return
	}
	if q := a.of(e.Cq); q.called == 0 {
		q.read, q.line = q.read+1, e.Line
	}
}

// done looks at the destruction of a CQ. Where nothing was acknowledged so far, an acknowledgement that comes later shows that the trace records them.
func (a *acks) done(c *Call, succeeded bool) {
	q := a.cqs[c.Cq]
	if c.Kind != calls.CloseCq || !succeeded || q == nil || q.called != 0 {
		return
	}
	if a.recorded {
		*a.count++
	}
	switch q.called, q.destroyed = c.Begun.Line, a.m.now; {
	case q.read <= q.acked:
		delete(a.cqs, c.Cq)
	case a.recorded:
		a.destroyed++
		a.breach(c.Cq, q)
	case a.destroyed < mostDestroyed:
		a.destroyed++
	default:
		delete(a.cqs, c.Cq)
	}
}

func (a *acks) breach(cq string, q *acknowledged) {
	a.m.report(Finding{Place: q.destroyed, Verdict: verdict.ProviderViolation, Rule: "LIFE-08", See: []int{q.called, q.line}, Objects: []Object{{Cq, cq}},
		Follows: true, Message: fmt.Sprintf("ibv_destroy_cq of %s returned, and %d of the %d events of it that were read had not been acknowledged", cq, q.read-q.acked, q.read)})
	a.forget(cq)
}
