package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// unsent checks that a receive of an unreliable connection, of type UC, took a message of its peer: POLL-05, and RES-12 and RES-13 for the length of that
// message. Such a connection loses messages, so the engines pair none with a receive. But it creates none. If both ends are in the trace, no more
// receives succeed than the peer has posted messages, and each took a later message than the receive before it. What the peer posts in its error state is
// flushed, so no receive takes it (FLUSH-06). A datagram may come from anywhere.
type unsent struct {
	nothing
	noRequest
	n      *ends
	of     map[*qpArguments]*balance
	length *int // RES-12
}

// A balance counts the messages of a queue pair.
type balance struct {
	posted, received int
	flushed          int       // that it has posted in its error state
	sent             []message // that it has posted, those that a receive may still take, the oldest first
	unordered        bool      // which they are, or in which order, is not known
	latest           int       // the position of the latest receive that succeeded
	uncertain        bool      // it may hear of others than its peer
	reported         bool
}

// A message has a length, and the line of its post.
type message struct {
	length Length
	line   int
}

// mostUntaken is how many messages of a queue pair are kept.
const mostUntaken = 1 << 12

// first returns the index of the first message that a receive can have taken, given the number of bytes in its completion and the size of its buffers, or
// -1. If it took a later one, fewer are left for the receives behind it.
func (b *balance) first(got, room Length) int {
	return slices.IndexFunc(b.sent, func(m message) bool {
		n := m.length.bytes()
		fits := room == Unknown || m.length.isWritten() || n <= room
		return n == Unknown || fits && (got == Unknown || n == got)
	})
}

var _ = group(newUnsent)

func newUnsent(m *Monitor) checks {
	if m.ends == nil || !m.ends.verbs() || m.header.Order == "partial" {
		return nothing{}
	}
	return &unsent{n: m.ends, of: map[*qpArguments]*balance{}, length: m.counter("RES-12")}
}

func (u *unsent) balanceOf(p *qpArguments) *balance {
	b := u.of[p]
	if b == nil {
		b = &balance{latest: -1}
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
	p := r.queue.qp
	if p == nil || !r.op.IsSend() && (r.op == model.ReceiveOp || r.opcode != "") {
		return
	}
	b := u.balanceOf(p)
	if end := u.n.of[p.name]; end != nil && end.sends {
		b.flushed++
		return
	}
	b.posted++
	if p.kind != "UC" {
		return
	}
	if b.unordered = b.unordered || r.overlaps || r.opcode == "" || len(b.sent) == mostUntaken; b.unordered {
		b.sent = nil
		return
	}
	b.sent = append(b.sent, message{lengthOf(r.opcode, r.bytes), r.place.Line})
}

// answered removes the messages whose posts were refused.
func (u *unsent) answered(p *posting, refused bool) {
	if !refused || p.queue.qp == nil || p.queue.kind == model.Receive {
		return
	}
	b := u.balanceOf(p.queue.qp)
	if end := u.n.of[p.queue.qp.name]; end != nil && end.sends {
		b.uncertain = true // it may have ended while the post was under way
		return
	}
	for _, r := range slices.Backward(p.requests) {
		if !r.refused || !r.op.IsSend() && r.opcode != "" {
			continue
		}
		b.posted--
		if n := len(b.sent); n > 0 && b.sent[n-1].line == r.place.Line {
			b.sent = b.sent[:n-1]
		} else {
			b.unordered, b.sent = true, nil
		}
	}
}

// checkLength checks a receive that succeeded against the messages that it can have taken (RES-12, RES-13).
func (u *unsent) checkLength(r *workRequest, c *Call, result *trace.Result, b, sender *balance) {
	got, room := Length(known(result.Bytes)), Length(r.bytes)
	b.unordered = b.unordered || sender.unordered || r.position < b.latest || u.n.s.roomOf(c.Cq) > 0 // polls that overlap
	if b.latest = r.position; b.unordered {
		return
	}
	if got != Unknown {
		*u.length++
	}
	if room != Unknown && got > room {
		room = Unknown // it breaks RES-13 by itself, or a write consumed it
	}
	i := sender.first(got, room)
	if i >= 0 {
		sender.sent = sender.sent[i+1:]
		return
	}
	f := Finding{Verdict: verdict.ProviderViolation, Rule: "RES-12", See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()}}
	switch n := len(sender.sent); {
	case n == 0:
		f.Message = fmt.Sprintf("%s completed with success, and by their lengths the receives before it took the last message of its peer", r.wr)
	case sender.first(got, Unknown) >= 0:
		f.Rule = tooLong
		f.Message = fmt.Sprintf("the receive %s succeeded with buffers of %d bytes, and each message of its peer that it can have taken has more", r.wr, room)
	default:
		f.Message = fmt.Sprintf("the receive %s succeeded with %d bytes, and no message of its peer that it can have taken has as many", r.wr, got)
	}
	for _, m := range sender.sent[:min(len(sender.sent), mostNamed)] {
		f.See = append(f.See, m.line)
	}
	b.reported = true
	u.n.s.m.report(f)
}

// mostNamed is how many messages a finding names.
const mostNamed = 3

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
	sender := u.balanceOf(peer)
	if b.received <= sender.posted {
		u.checkLength(r, c, result, b, sender)
		return
	}
	b.reported = true
	more := breach.MoreReceived(r.wr, p.name, peer.name, sender.posted, b.received <= sender.posted+sender.flushed)
	u.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: more.Rule, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()}, Message: more.Message})
}

func (u *unsent) dropped(p *qpArguments, closed bool) {
	if closed {
		delete(u.of, p)
	}
}
