package monitor

import (
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// unsent checks that a receive of an unreliable connection, of type UC, took a message of its peer: POLL-05. Such a connection loses messages, so the
// engines pair none with a receive. It makes none: where both ends are in the trace, no more receives succeed than the peer has posted messages. A
// datagram may come from anywhere.
type unsent struct {
	nothing
	noRequest
	n  *ends
	of map[*qpArguments]*balance
}

// A balance counts the messages of a queue pair.
type balance struct {
	posted, received int
	uncertain        bool // it may hear of others than its peer
	reported         bool
}

var _ = group(newUnsent)

func newUnsent(m *Monitor) checks {
	if m.ends == nil || !m.ends.verbs() || m.header.Order == "partial" {
		return nothing{}
	}
	u := &unsent{n: m.ends, of: map[*qpArguments]*balance{}}
	m.requests.rules = append(m.requests.rules, u)
	return u
}

func (*unsent) finish() {}

func (u *unsent) balanceOf(p *qpArguments) *balance {
	b := u.of[p]
	if b == nil {
		b = &balance{}
		u.of[p] = b
	}
	return b
}

func (u *unsent) begin(c *Call, e *trace.Event) {
	if p := u.n.s.qps.get(e.Qp); p != nil && (c.Kind == calls.UnsettleQp || c.Kind == calls.ConnectQp && (e.Conn == "" || e.Conn != p.conn)) {
		u.balanceOf(p).uncertain = true
	}
}

func (u *unsent) called(r *workRequest, _ *Call, _ []string) {
	if p := r.queue.qp; p != nil && (r.op.IsSend() || r.op != model.ReceiveOp && r.opcode == "") {
		u.balanceOf(p).posted++
	}
}

func (u *unsent) completed(r *workRequest, c *Call, result *trace.Result) {
	p := r.queue.qp
	if p == nil || r.op != model.ReceiveOp || p.kind != "UC" || calls.OutcomeOf(result.Status) != model.SUCCESS {
		return
	}
	b, peer := u.balanceOf(p), u.n.s.peer(p)
	b.received++
	if b.uncertain = b.uncertain || peer == nil || !p.created || !peer.created || peer.kind != "UC" || u.balanceOf(peer).uncertain; b.uncertain || b.reported {
		return
	}
	if sent := u.balanceOf(peer).posted; b.received > sent {
		b.reported = true
		u.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "POLL-05", See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()},
			Message: fmt.Sprintf("%s completed with success, and more receives of %s did than %s has posted messages (%d)", r.wr, p.name, peer.name, sent)})
	}
}

func (u *unsent) dropped(p *qpArguments, closed bool) {
	if closed {
		delete(u.of, p)
	}
}
