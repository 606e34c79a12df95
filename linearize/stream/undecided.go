package stream

import (
	"cmp"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// openQuestions says what is not known of a QP and of its peer.
type openQuestions struct {
	unclear string // why nothing more can be said of it and of its peer, or ""
	doubt   string // what may explain whatever has no other explanation of them, or ""
}

// What this engine does not follow leaves open all that rests on it, before a violation could be reported that does.

// leaveOpen records why nothing more can be said of p, nor of its peer, as each message is of both.
func (p *qp) leaveOpen(reason string) {
	if p.shadow != nil && p.unclear == "" {
		defer p.shadow.peer.leaveOpen(reason)
	}
	p.unclear = cmp.Or(p.unclear, reason)
	p.group.leaveOpen(reason)
	if p.peer != nil {
		p.peer.group.leaveOpen(reason)
	}
}

// leaveInDoubt records what may explain whatever has no other explanation of p, or of its peer.
func (p *qp) leaveInDoubt(reason string) {
	if p.shadow != nil && p.doubt == "" {
		defer p.shadow.peer.leaveInDoubt(reason)
	}
	p.doubt = cmp.Or(p.doubt, reason)
	p.group.leaveInDoubt(reason)
	if p.peer != nil {
		p.peer.group.leaveInDoubt(reason)
	}
}

// leaveInDoubt records what may explain whatever has no other explanation in a group. The first reason stays.
func (g *group) leaveInDoubt(reason string) {
	g = g.root()
	g.doubt = cmp.Or(g.doubt, reason)
}

// shareDoubts lets the ends of a connection that was found just now share what leaves one of them open.
func (p *qp) shareDoubts() {
	for _, end := range []*qp{p, p.peer} {
		if end.unclear != "" {
			end.leaveOpen(end.unclear)
		}
		if end.doubt != "" {
			end.leaveInDoubt(end.doubt)
		}
	}
}

// postBegins records that a post on a queue of p is under way from now on.
func (p *qp) postBegins(u *underWay) {
	if p.running[u.Queue] > 0 {
		p.leaveInDoubt("posts on one queue of " + p.name + " overlap, and which of them came first " + verdict.NotFollowed)
	}
	p.running[u.Queue]++
	p.flushOverlaps = p.flushOverlaps || p.flushing > 0 && u.Queue == model.Initiator
}

// connectionEnds handles a disconnect event, or the close of a connector: an abort of the connection, which may have cancelled
// requests (A23). The event comes at some time after the abort.
func (s *Stream) connectionEnds(u *underWay, qp, conn string) {
	for _, p := range s.qpsInOrder {
		if p.connected == 0 || qp != "" && qp != p.name || conn != "" && conn != p.conn {
			continue
		}
		if u.entered {
			p.connectionLost(u.fn)
		} else {
			p.breaks(s.at)
		}
	}
}

// overlaps reports whether r was posted first, and the post of o, another one, was called before that of r had returned.
func (r *request) overlaps(o *request) bool {
	return r.called != o.called && (r.returned == 0 || r.returned > o.called)
}
