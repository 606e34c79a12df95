package linearize

import (
	"cmp"
	"slices"

	"ndkoracle/model"
)

// What this engine does not follow leaves open all that rests on it, before a violation could be reported that does.

// leaveOpen notes why nothing more can be said of p, nor of its peer, as each message is of both.
func (p *streamQp) leaveOpen(reason string) {
	p.unclear = cmp.Or(p.unclear, reason)
	p.group.leaveOpen(reason)
	if p.peer != nil {
		p.peer.group.leaveOpen(reason)
	}
}

// leaveInDoubt notes what may explain whatever has no other explanation of p, or of its peer.
func (p *streamQp) leaveInDoubt(reason string) {
	p.doubt = cmp.Or(p.doubt, reason)
	p.group.leaveInDoubt(reason)
	if p.peer != nil {
		p.peer.group.leaveInDoubt(reason)
	}
}

// leaveInDoubt notes what may explain whatever has no other explanation in a group. The first reason stays.
func (g *group) leaveInDoubt(reason string) {
	g = g.root()
	g.doubt = cmp.Or(g.doubt, reason)
}

// shareDoubts lets the ends of a connection that was found just now share what leaves one of them open.
func (p *streamQp) shareDoubts() {
	for _, end := range []*streamQp{p, p.peer} {
		if end.unclear != "" {
			end.leaveOpen(end.unclear)
		}
		if end.doubt != "" {
			end.leaveInDoubt(end.doubt)
		}
	}
}

// postBegins takes that a post on a queue of p is under way from now on.
func (p *streamQp) postBegins(u *underWay) {
	queue := queueOf(u.fn)
	if p.flushing > 0 {
		p.leaveOpen(u.fn + " of " + p.name + overlapsFlush)
	}
	if p.posting[queue] > 0 {
		p.leaveInDoubt("posts on one queue of " + p.name + " overlap, and which of them came first this engine does not follow")
	}
	p.posting[queue]++
}

// flushBegins takes that a flush, a disconnect or a close of p is under way from now on.
func (p *streamQp) flushBegins(u *underWay) {
	if p.posting[model.Initiator]+p.posting[model.Receive] > 0 {
		p.leaveOpen(u.fn + " of " + p.name + overlapsPost)
	}
	p.flushing++
}

const (
	overlapsFlush = " overlaps a flush, a disconnect or the close of it, and which of the two came first this engine does not follow"
	overlapsPost  = " overlaps a post on it, and which of the two came first this engine does not follow"
)

// queueOf returns the queue that a function posts on.
func queueOf(fn string) model.Queue {
	if fn == "NdkReceive" || fn == "ibv_post_recv" {
		return model.Receive
	}
	return model.Initiator
}

// connectionEnds takes a disconnect event, or the close of a connector: an abort of the connection, which may have cancelled
// requests (A23). The event comes at some time after the abort.
func (s *Stream) connectionEnds(u *underWay, qp, conn string) {
	for _, p := range s.qpsInOrder {
		if p.connected == 0 || qp != "" && qp != p.name || conn != "" && conn != p.conn {
			continue
		}
		explains := u.entered && (s.reopen(p.group) || len(p.unexplained) > 0)
		if explains || p.outstanding() {
			p.leaveOpen(u.fn + " may tell of an abort of " + p.name + ", and what that cancels this engine does not follow")
			continue
		}
		p.breaks(s.at)
	}
}

// overlaps reports whether r was posted first, and the post of o, another one, was called before that of r had returned.
func (r *posting) overlaps(o *posting) bool {
	return r.called != o.called && (r.returned == 0 || r.returned > o.called)
}

// outstanding reports whether a request of p or of its peer is not over.
func (p *streamQp) outstanding() bool {
	waits := func(l *lane) bool { return len(l.waiting) > 0 }
	return slices.ContainsFunc(p.lanes[:], waits) || p.peer != nil && slices.ContainsFunc(p.peer.lanes[:], waits)
}
