package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// These events show that a token was made invalid: an invalidation that succeeded or was refused, a receive, and the close of its memory.

// invalidates records that a token was valid when r made it invalid, by a clause if any, and that it was invalid from then on.
func (e *Engine) invalidates(name *uint32, r *request, rule timeline.Rule, m facts.Moment) {
	if e.anyToken || name == nil {
		return
	}
	t, u := e.token(*name), use{r.x, r, rule, m.Line}
	if rule != 0 {
		e.needsValid(t, u)
		e.uses(t, u)
	}
	if r.ends { // as its result told
		return
	}
	r.ends = true
	e.Solver.Keep(r.x)
	e.isOver(t, tokenEnd{use: u})
}

// isOver adds an end, which those that are behind it need a registration after.
func (e *Engine) isOver(t *token, end tokenEnd) {
	for i := range t.ends {
		if later := t.ends[i].use; later.rule != 0 && end.precedes(e.Solver, later) {
			defer e.needsValid(t, later)
		}
	}
	if t.ends = append(t.ends, end); len(t.ends) > mostTokenEnds {
		t.ends[0].release(e.Solver)
		t.ends = t.ends[1:]
	}
}

// TokensDied handles the close of memory, which makes its tokens invalid.
func (e *Engine) TokensDied(since, m facts.Moment, tokens []uint32) {
	if e.now = m; e.anyToken {
		return
	}
	s := e.Solver
	for _, name := range tokens {
		x := s.Keep(s.New(timeline.Label{Deed: endedAt, Of: "memory"}, timeline.At(since.At), tokenDead, since.Line))
		s.NotAfter(x, timeline.Before(m.At), tokenDead, m.Line)
		s.Settle(x)
		e.isOver(e.token(name), tokenEnd{use: use{at: x}})
	}
}

// FarMessage handles a receive of a queue pair, delivered by a poll, that took a message of the other host. The message names a token of this host. posted
// is the event of the receive's post. given is the latest event by which a call may have given memory a token that the trace does not record, or 0.
func (e *Engine) FarMessage(qp, receive string, posted int, plainly bool, token uint32, given int, m facts.Moment) {
	p := e.qp(qp)
	if e.now = m; e.anyToken || e.open || p.open {
		return
	}
	s, t := e.Solver, e.token(token)
	t.given, t.old = max(t.given, given), t.old || !t.named && given > 0
	x := s.Keep(s.New(timeline.Label{Deed: executedAt, Of: receive}, timeline.At(posted)+1, delivered, m.Line))
	s.NotAfter(x, timeline.Before(m.At), delivered, m.Line)
	s.Settle(x)
	u := use{x, &request{wr: receive, op: model.ReceiveOp, naming: naming{plainly: plainly}}, badToken, m.Line}
	e.needsValid(t, u)
	e.uses(t, u)
	e.isOver(t, tokenEnd{use: u})
	e.solve(p)
}

// tellsOfToken handles a receive that succeeded and tells which token its message made invalid. Whether that was valid its message tells, if it is
// known.
func (e *Engine) tellsOfToken(r *request, res *trace.Result, m facts.Moment) {
	if r.queue.kind != model.Receive || r.outcome != model.SUCCESS {
		return
	}
	e.anyEnded = e.anyEnded || r.queue.qp.peer == nil && res.Type != "Receive" && res.Token == nil
	if res.Type != "ReceiveAndInvalidate" || res.Token == nil || r.queue.qp.open || e.anyToken {
		return
	}
	e.invalidates(res.Token, r, 0, m)
}

// took states what a receive did to the token that its message names. Where the receive names another (RES-03), that is not known.
func (e *Engine) took(receive, send *request, m facts.Moment) {
	if send.names != nil && receive.isCounted && (receive.named == nil || *receive.named == *send.names) {
		if s := e.Solver; s.Alive(send.a) && s.Alive(receive.x) {
			s.Edge(send.a, receive.x, 0, tookMessage, m.Line)
		}
		e.invalidates(send.names, receive, badToken, m)
		send.names = nil
		send.queue.qp.namesNone(send)
	}
}

// messageEnds handles a send that succeeded: by then its message had made its token invalid, or the token was invalid before.
func (e *Engine) messageEnds(r *request, m facts.Moment) {
	s := e.Solver
	if r.names == nil || e.anyToken || !s.Alive(r.x) || !s.Alive(r.a) {
		return
	}
	e.isOver(e.token(*r.names), tokenEnd{use: use{at: s.Keep(r.x), of: r, line: m.Line}, since: s.Keep(r.a)})
}

// tokenOf returns the token that a message names, or nil if something else may have made it invalid.
func (e *Engine) tokenOf(r *request) *token {
	if r.names == nil || e.anyToken || e.anyEnded {
		return nil
	}
	t := e.token(*r.names)
	if t.users > 1 || slices.ContainsFunc(t.ends, func(end tokenEnd) bool { return end.of != r }) {
		return nil
	}
	return t
}

// hadValidToken reports whether a message certainly named a valid token.
func (e *Engine) hadValidToken(r *request) bool {
	t := e.tokenOf(r)
	return t != nil && e.Solver.Alive(r.a) && slices.ContainsFunc(t.made, func(g *registration) bool { return e.Solver.Upper(g.v) < e.Solver.Lower(r.a) })
}

// hadNoToken reports whether a message named a token that nothing had made valid.
func (e *Engine) hadNoToken(r *request) bool {
	if r.names == nil || e.anyToken {
		return false
	}
	t := e.token(*r.names)
	if t.registrations > 0 || len(e.unnamed) > 0 || t.old || t.given > 0 || t.dropped != (interval{}) {
		return false
	}
	t.relied = true
	return true
}

// hadBadToken records that the token of r, which has ended its connection, was not valid then. If nothing else may have made the token invalid, its
// registrations came later.
func (e *Engine) hadBadToken(r *request, m facts.Moment) {
	t := e.tokenOf(r)
	if t == nil {
		return
	}
	for _, g := range t.made {
		if e.Solver.Alive(g.v) { // which is never, if the registration fails
			e.Solver.Edge(r.x, g.v, 1, badToken, m.Line)
		}
	}
}

// areEach reports whether a receive certainly took a send, where each is the next that succeeded: in each queue the outcome of all requests ahead
// of it is known.
func areEach(receive, send *request) bool {
	return send.isCounted && send.queue.messages.failures == 0 && !receive.queue.messages.vanished
}

// counts records whether the outcome of all requests ahead of r on its queue is known when r succeeds.
func (r *request) counts() {
	r.isCounted = !r.loose
	for _, o := range r.queue.waiting {
		if o != r && !o.told {
			r.isCounted = r.isCounted && o.number > r.number
			return
		}
	}
}

// answeredInvalidate states that a token was valid when the post of its invalidation was answered as A8 has it for one that is: unless a request
// before it may yet make it valid.
func (e *Engine) answeredInvalidate(r *request, accepted bool, m facts.Moment) {
	if r.op != model.Invalidate || r.names == nil || e.anyToken ||
		!(accepted && e.dialect.A8 == model.A8Inline || !accepted && e.dialect.A8 == model.A8Completion) {
		return
	}
	t := e.token(*r.names)
	for _, g := range slices.Concat(t.made, e.unnamed) {
		if o := g.of; o != nil && o.queue == r.queue && (o.number < r.number || o.loose) && !(o.told && !o.gone && o.toldAt < r.called) {
			return
		}
	}
	s := e.Solver
	p := s.New(timeline.Label{Deed: answeredAt, Of: r.wr}, timeline.At(r.called), posted, r.line)
	e.needsValid(t, use{p, nil, deadAnswered, m.Line})
	s.NotAfter(p, timeline.Before(m.At), deadAnswered, m.Line)
	s.Settle(p)
	e.solve(r.queue.qp)
}
