package monitor

import (
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// private checks the messages that a queue pair sends whose own receives come from a shared queue, to a peer that has receives of its own: POLL-05 and
// DEF-04. Which receives of a shared queue a queue pair has taken is not followed, so the engines pair no messages of such a connection. In this
// direction all receives are in the trace: no more messages succeed than receives were posted, and one that has a receive completes by rest.
type private struct {
	nothing
	noRequest
	n  *ends
	of map[string]*fed // by name of the queue pair that sends
}

// A fed queue pair takes its receives from a shared queue.
type fed struct {
	p         *qpArguments
	sent      int
	succeeded int
	pending   []numbered // the messages that were not told, and are to complete
	tokens    bool       // a message names a token: it may have succeeded without a receive (INV-05)
	uncertain bool       // what else completes its messages, or uses the receives of its peer, is not followed
	reported  bool
	received  int // receives of its peer that were known to have succeeded
	rest      resting
}

// A resting queue pair is what it was at the latest moment of rest. By then as many messages had completed as receives were posted, unless a receive had
// failed, and that did not end the connection (A40).
type resting struct {
	at                 Place
	messages, receives int  // posted by then
	unfailed           bool // a poll that began after it found the receive CQ of the peer empty
	late               missingMessage
}

// A missingMessage is one that a poll has found missing.
type missingMessage struct {
	wr           string
	number, line int
	at           Place // of the poll
}

// A numbered message is the first of its queue pair, or the second, or …
type numbered struct {
	request *workRequest
	number  int
}

// mostFollowed is how many messages of a queue pair are followed that have not completed.
const mostFollowed = 256

var _ = group(newPrivate)

func newPrivate(m *Monitor) checks {
	if m.ends == nil || m.dialect.A9 != model.A9Ordered {
		return nothing{}
	}
	return &private{n: m.ends, of: map[string]*fed{}}
}

// fed returns what is followed of a queue pair, which is nil where that has receives of its own.
func (v *private) fed(p *qpArguments) *fed {
	if p == nil || p.srq == "" || !p.created || v.n.verbs() && p.kind != "RC" {
		return nil
	}
	if v.of[p.name] == nil {
		v.of[p.name] = &fed{p: p}
	}
	return v.of[p.name]
}

// both calls f with what is followed of a queue pair, and of its peer.
func (v *private) both(p *qpArguments, f func(*fed)) {
	if p == nil {
		return
	}
	for _, one := range []*qpArguments{p, v.n.s.peer(p)} {
		if x := v.fed(one); x != nil {
			f(x)
		}
	}
}

func (v *private) isUncertain(p *qpArguments) { v.both(p, func(x *fed) { x.uncertain = true }) }

func (v *private) ended(p *qpArguments) { v.isUncertain(p) }

func (v *private) dropped(p *qpArguments, closed bool) {
	if v.isUncertain(p); closed {
		delete(v.of, p.name)
	}
}

func (v *private) begin(c *Call, e *trace.Event) {
	if v.n.mayLose(c) {
		v.isUncertain(v.n.s.qps.get(e.Qp))
	}
}

func (v *private) called(r *workRequest, _ *Call, flags []string) {
	x := v.fed(r.queue.qp)
	if x == nil || r.op == model.ReceiveOp {
		return
	}
	x.uncertain = x.uncertain || r.overlaps || v.n.verbs() && r.opcode == ""
	if !r.op.IsSend() {
		return
	}
	x.sent++
	x.tokens = x.tokens || r.op == model.SendAndInvalidate
	if r.silent || isDeferred(flags) {
		return
	}
	x.uncertain = x.uncertain || len(x.pending) == mostFollowed
	if !x.uncertain {
		x.pending = append(x.pending, numbered{r, x.sent})
	}
}

func (v *private) answered(p *posting, refused bool) {
	q := p.queue
	if q.qp == nil {
		return
	}
	if refused {
		v.isUncertain(q.qp)
	}
	if q.kind == model.Receive {
		if x := v.fed(v.n.s.peer(q.qp)); x != nil {
			x.uncertain = x.uncertain || q.uncertain
		}
	}
}

func (v *private) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.queue.qp == nil {
		return
	}
	if calls.OutcomeOf(result.Status) != model.SUCCESS {
		v.isUncertain(r.queue.qp)
		return
	}
	if x := v.fed(v.n.s.peer(r.queue.qp)); x != nil && r.queue.kind == model.Receive {
		x.received++
		v.isLate(x)
	}
	x := v.fed(r.queue.qp)
	if x == nil || !r.op.IsSend() {
		return
	}
	x.succeeded++
	for len(x.pending) > 0 && x.pending[0].request.position <= r.position {
		x.pending = x.pending[1:]
	}
	peer := v.peer(x)
	if peer == nil || x.tokens || x.uncertain || x.reported || x.succeeded <= peer.receive.posted {
		return
	}
	x.reported = true
	b := breach.TooManySent(r.wr, fmt.Sprintf("more messages of %s did than %s has posted receives (%d)", x.p.name, peer.name, peer.receive.posted))
	v.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: b.Rule, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()}, Message: b.Message})
}

// peer returns the queue pair that x sends to, or nil. Both have to be connected, and all receives of the peer its own and in the trace.
func (v *private) peer(x *fed) *qpArguments {
	peer := v.n.s.peer(x.p)
	if peer == nil || !peer.created || peer.srq != "" || peer.receive.uncertain || peer.kind != x.p.kind || !v.connected(x.p) || !v.connected(peer) {
		return nil
	}
	return peer
}

// connected reports whether a queue pair is connected. In libibverbs it is once it may receive: what it sends is accepted only later.
func (v *private) connected(p *qpArguments) bool {
	if v.n.verbs() {
		return p.conn != "" && len(v.n.moving) == 0
	}
	return v.n.isJoined(p.name)
}

// rest records what each queue pair and its peer had posted by now, unless a message was missing before.
func (v *private) rest() {
	for _, x := range v.of {
		if x.rest.late != (missingMessage{}) {
			continue
		}
		x.rest = resting{}
		if peer := v.peer(x); peer != nil && x.p.initiator.posting == 0 && peer.receive.posting == 0 {
			x.rest = resting{at: v.n.s.m.now, messages: x.sent, receives: peer.receive.posted}
		}
	}
}

// foundNothing handles a poll that began after a moment of rest, and found nothing.
func (v *private) foundNothing(c *Call) {
	for _, name := range slices.Sorted(maps.Keys(v.of)) {
		x := v.of[name]
		peer := v.peer(x)
		if r := &x.rest; peer != nil && r.at != (Place{}) && r.at.Index <= c.Begun.Index {
			if x.p.initiator.cq == c.Cq && r.late == (missingMessage{}) && len(x.pending) > 0 && x.pending[0].number <= min(r.messages, r.receives) {
				first := x.pending[0]
				r.late = missingMessage{first.request.wr, first.number, first.request.place.Line, v.n.s.m.now}
			}
			r.unfailed = r.unfailed || peer.receive.cq == c.Cq
			v.isLate(x)
		}
	}
}

// isLate is DEF-04: a message was missing behind a moment of rest, and its receive had not failed by then.
func (v *private) isLate(x *fed) {
	m, peer := x.rest.late, v.peer(x)
	if x.uncertain || peer == nil || m == (missingMessage{}) || !x.rest.unfailed && x.received < m.number && !v.n.s.m.dialect.FailureEnds {
		return
	}
	x.uncertain = true
	cq := x.p.initiator.cq
	v.n.loses(lostRequest{Finding{Verdict: verdict.ProviderViolation, Rule: breach.Overdue{}.Breach().Rule, Place: x.rest.at, See: []int{m.line, m.at.Line},
		Objects: []Object{x.p.initiator.object(), {Cq, cq}}, Follows: true,
		Message: fmt.Sprintf("the provider was at rest, and %s had not completed: %s has a receive for it", m.wr, peer.name)}, []string{cq, peer.receive.cq}})
}
