package monitor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// arrivals counts receives against messages where one of the two ends takes its receives from a shared queue: no more receives of a queue pair succeed than
// its peer has posted messages (POLL-05), and at rest as many have completed as messages had succeeded (DEF-04). Which of them took which is not followed.
type arrivals struct {
	nothing
	noRequest
	n     *ends
	any   bool                    // a queue pair takes its receives from a shared queue
	of    map[*qpArguments]*flow  // of these queue pairs, and of their peers
	takes map[string]*qpArguments // by shared queue: the only queue pair that takes from it, or nil where there are several
	still Place                   // the latest moment of rest, if nothing was called since then but polls and arms
}

// A flow is what a queue pair has sent and received.
type flow struct {
	sent      int // messages, posted or being posted
	succeeded int // messages that polls have shown to have succeeded
	latest    int // the line of the post of the latest of these
	received  int // receives that polls showed to have succeeded
	uncertain bool
	reported  bool
	owed      int // receives that had to have completed by a moment of rest
	owedAt    Place
}

var _ = group(newArrivals)

func newArrivals(m *Monitor) checks {
	if m.ends == nil {
		return nothing{}
	}
	return &arrivals{n: m.ends, of: map[*qpArguments]*flow{}, takes: map[string]*qpArguments{}}
}

func (v *arrivals) flow(p *qpArguments) *flow {
	f := v.of[p]
	if f == nil {
		f = &flow{}
		v.of[p] = f
	}
	return f
}

// created records which queue pairs take from a shared queue. What others sent before the first of them was created is not counted.
func (v *arrivals) created(p *qpArguments) {
	if p.srq == "" {
		return
	}
	if !v.any {
		for _, o := range v.n.s.qps.all {
			v.flow(o).uncertain = o.initiator.posted > 0
		}
	}
	v.any = true
	if _, several := v.takes[p.srq]; several {
		v.takes[p.srq] = nil
	} else {
		v.takes[p.srq] = p
	}
}

// isUncertain records that receives of a queue pair, or of its peer, may be lost, or take other messages.
func (v *arrivals) isUncertain(p *qpArguments) {
	if p == nil || !v.any {
		return
	}
	v.flow(p).uncertain = true
	if peer := v.n.s.peer(p); peer != nil {
		v.flow(peer).uncertain = true
	}
}

func (v *arrivals) ended(p *qpArguments) { v.isUncertain(p) }

func (v *arrivals) dropped(p *qpArguments, closed bool) {
	if v.isUncertain(p); closed {
		delete(v.of, p)
	}
}

func (v *arrivals) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.PollCq, calls.ArmCq, calls.Callback, calls.ReadEvent:
	default:
		v.still = Place{}
	}
	if v.any && v.n.mayLose(c) {
		v.isUncertain(v.n.s.qps.get(e.Qp))
	}
}

// called counts a message. One that names a token may succeed without a receive (INV-05).
func (v *arrivals) called(r *workRequest, _ *Call, _ []string) {
	if !v.any || r.queue.qp == nil || r.queue.kind != model.Initiator {
		return
	}
	f := v.flow(r.queue.qp)
	unknown := v.n.verbs() && r.opcode == ""
	if f.uncertain = f.uncertain || unknown || r.op == model.SendAndInvalidate; r.op.IsSend() || unknown || r.opcode == "RDMA_WRITE_WITH_IMM" {
		f.sent++
	}
}

func (v *arrivals) completed(r *workRequest, c *Call, result *trace.Result) {
	if !v.any {
		return
	}
	p := r.queue.qp
	if p == nil {
		if p = v.taker(r.queue.name, result.Qp); p != nil && p.receive.cq != c.Cq {
			return // SRQ-10
		}
	}
	switch {
	case p == nil:
	case calls.OutcomeOf(result.Status) != model.SUCCESS:
		v.isUncertain(p)
	case r.queue.kind == model.Receive:
		v.receives(p, r, c)
	case r.op.IsSend():
		f := v.flow(p)
		f.succeeded++
		f.latest = r.place.Line
		if peer := v.n.s.peer(p); peer != nil && v.still != (Place{}) {
			v.owes(peer, v.still) // it had by then
		}
	}
}

// taker returns the queue pair that took a receive of a shared queue, or nil where the trace does not say which did: then it may have been any of them.
func (v *arrivals) taker(srq, named string) *qpArguments {
	if named != "" {
		if p := v.n.s.qps.get(named); p == nil || p.srq == srq {
			return p
		}
		return nil // SRQ-10
	}
	if only := v.takes[srq]; only != nil {
		return only
	}
	for p, f := range v.of {
		f.uncertain = f.uncertain || p.srq == srq
	}
	return nil
}

// receives is POLL-05: a receive of p succeeded, and more have than its peer has posted messages.
func (v *arrivals) receives(p *qpArguments, r *workRequest, c *Call) {
	f := v.flow(p)
	f.received++
	peer := v.peer(p)
	if peer == nil || f.uncertain || f.reported || v.flow(peer).uncertain || f.received <= v.flow(peer).sent {
		return
	}
	f.reported = true
	b := breach.MoreReceived(r.wr, p.name, peer.name, v.flow(peer).sent, false)
	v.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: b.Rule, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, p.receive.object(), r.queue.object()},
		Message: b.Message})
}

// peer returns the queue pair whose messages p receives, where both ends are in the trace, and no message may be lost, or nil.
func (v *arrivals) peer(p *qpArguments) *qpArguments {
	peer := v.n.s.peer(p)
	if peer == nil || !p.created || !peer.created || p.srq == "" && peer.srq == "" || p.kind != peer.kind || v.n.verbs() && p.kind != "RC" {
		return nil
	}
	return peer
}

// rest records how many receives of each queue pair had to have completed by now.
func (v *arrivals) rest() {
	v.still = v.n.s.m.now
	for p := range v.of {
		v.owes(p, v.still)
	}
}

// owes records that a receive of p has to have completed by a moment of rest for each message of its peer that had succeeded.
func (v *arrivals) owes(p *qpArguments, at Place) {
	f, peer := v.flow(p), v.peer(p)
	if peer == nil || f.uncertain || v.flow(peer).uncertain {
		return
	}
	if n := v.flow(peer).succeeded; n > f.owed {
		f.owed, f.owedAt = n, at
	}
}

// foundNothing is DEF-04: a poll that began after a moment of rest found nothing, and receives that had to have completed by then were not delivered.
func (v *arrivals) foundNothing(c *Call) {
	byName := func(a, b *qpArguments) int { return cmp.Compare(a.name, b.name) }
	for _, p := range slices.SortedFunc(maps.Keys(v.of), byName) {
		f, peer := v.of[p], v.peer(p)
		if peer == nil || f.uncertain || v.flow(peer).uncertain || p.receive.cq != c.Cq || f.received >= f.owed || f.owedAt.Index > c.Begun.Index {
			continue
		}
		f.uncertain = true
		objects := []Object{p.receive.object(), {Cq, c.Cq}}
		if p.srq != "" {
			objects = append(objects, Object{Srq, p.srq})
		}
		v.n.loses(lostRequest{Finding{Verdict: verdict.ProviderViolation, Rule: breach.Overdue{}.Breach().Rule, Place: f.owedAt, See: []int{v.flow(peer).latest, v.n.s.m.now.Line},
			Objects: objects, Follows: true,
			Message: fmt.Sprintf("the provider was at rest, and a receive of %s had not completed: %s of %s had succeeded, and %s of %s", cmp.Or(p.srq, p.name),
				verdict.Counted(f.owed, "message"), peer.name, verdict.Counted(f.received, "receive"), p.name)}, []string{c.Cq}})
	}
}
