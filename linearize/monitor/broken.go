package monitor

import (
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// broken checks that no request waits behind one that shows that its connection has ended: DEF-04, and FLAG-02 for a silent request. Such a request
// failed, or was cancelled without a flush.
type broken struct {
	nothing
	noRequest
	n       *ends
	tried   map[string]bool // queue pairs that were to be connected
	flushed map[string]bool // queue pairs of which NdkFlush or NdkDisconnect was called, or that were to be connected before, behind which requests may wait (A15)
	rested  Place           // the latest moment of rest, or none
	acted   int             // the index of the latest call since which a provider at rest may have something to do
	latest  map[*requestQueue]delivery
}

// A delivery is the latest completion of a queue: the index of its poll, and the position of its request.
type delivery struct{ index, position int }

func newBroken(m *Monitor) checks {
	if m.ends == nil {
		return nothing{}
	}
	return &broken{n: m.ends, tried: map[string]bool{}, flushed: map[string]bool{}, acted: -1, latest: map[*requestQueue]delivery{}}
}

func (b *broken) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.PollCq, calls.ArmCq, calls.Callback, calls.ReadEvent:
		return
	case calls.FlushQp:
		b.flushed[e.Qp] = true
	case calls.ConnectQp:
		if b.tried[e.Qp] && !c.Verbs { // which attempt failed does not matter
			b.flushed[e.Qp] = true
		}
		b.tried[e.Qp] = true
	case calls.CloseQp:
		delete(b.flushed, e.Qp)
		delete(b.tried, e.Qp)
	}
	if c.Fn != "ibv_ack_cq_events" {
		b.acted = b.n.s.m.now.Index
	}
}

func (b *broken) rest() {
	if b.rested = b.n.s.m.now; len(b.n.s.posts) > 0 {
		b.rested = Place{} // what is being posted need not have completed
	}
}

func (b *broken) called(r *workRequest, _ *Call, flags []string) {
	if r.queue.kind == model.Initiator && !isDeferred(flags) {
		r.queue.indicated = r.position
	}
}

func (b *broken) dropped(p *qpArguments, _ bool) { delete(b.latest, p.initiator) }

// completed looks for requests behind r, which shows that the connection has ended. They have to complete by the next moment of rest.
// The connection had already ended by the latest moment of rest if no function other than a poll has been called since then. That holds if both ends are
// in the trace, or if r was the oldest of its queue and waited for no peer.
func (b *broken) completed(r *workRequest, c *Call, result *trace.Result) {
	q, outcome := r.queue, calls.OutcomeOf(result.Status)
	before, told := b.latest[q]
	if q.qp != nil && q.kind == model.Initiator {
		b.latest[q] = delivery{b.n.s.m.now.Index, r.position}
	}
	wasOldest := !q.uncertain && (!told && r.position == 0 || told && r.position == before.position+1 && before.index < b.rested.Index)
	ends := outcome == model.CANCELLED && !c.Verbs || b.n.endsQueue(r, outcome)
	if q.qp == nil || q.kind != model.Initiator || outcome == model.SUCCESS || !ends || b.flushed[q.name] || r.overlaps {
		return
	}
	end := b.n.of[q.name]
	switch {
	case end == nil:
		end = &qpEnd{sends: true, what: fmt.Sprintf("a poll had shown that %s ended with %s", r.wr, result.Status), at: b.n.s.m.now}
	case end.at != b.n.s.m.now:
		return // what is behind is known to be flushed
	}
	quiet := b.rested != (Place{}) && c.Begun.Index >= b.rested.Index && b.acted < b.rested.Index && (b.n.s.peer(q.qp) != nil || wasOldest && !r.op.IsSend())
	for o := r.next; o != &q.requests; o = o.next {
		mayBeOver := o.silent && (r.op == model.Read || b.n.s.m.dialect.A9 != model.A9Ordered) // it passed r, and succeeded
		if o.overlaps || mayBeOver || !o.accepted || o.position > q.indicated || len(b.n.behind) >= maxRequests {
			continue
		}
		l := b.n.behind[o.wr]
		if l == nil {
			l = &late{request: o, end: end, pending: true}
			b.n.behind[o.wr] = l
		}
		if quiet && l.owed == (Place{}) {
			l.owed = b.rested
			b.n.owing[q.cq]++
		}
	}
}
