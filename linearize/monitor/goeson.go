package monitor

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// goesOn checks that a connection which has cancelled a request does not go on: RES-10. In NDKPI and NDSPI a connection may be lost without a cause
// in the trace. So a completion with CANCELLED, on a queue pair that was not flushed and of which no request failed, shows such a loss. What is
// posted afterwards does not succeed, and neither do the other end's reads, writes and sends. The engines themselves check the requests behind it
// on its own queue.
type goesOn struct {
	nothing
	noRequest
	n        *ends
	troubled map[string]bool          // queue pairs of which something else may have cancelled requests
	open     map[string]*cancellation // the first of a queue pair
	tried    map[string]bool          // queue pairs that were to be connected
	named    map[string]int           // by queue pair: messages that name a token, but for those that are reported as cancelled
	looks    map[string]bool          // by op: the polls under way that would find what a CQ holds
	rested   int                      // the index of the latest moment of rest
	proven   []*cancellation          // behind which something succeeded
	far      map[string]bool          // queue pairs whose peer another trace records, and so the tokens that it names
}

// A cancellation is one that only the loss of the connection explains, once nothing that was posted before it was told has failed.
type cancellation struct {
	request *workRequest
	place   Place // of the poll that showed it
	waits   []*workRequest
	excused bool     // one of them failed: that may have broken the queue pair, which goes on
	finding *Finding // as soon as something succeeded
}

func newGoesOn(m *Monitor) checks {
	if m.ends == nil || m.ends.verbs() || m.dialect.A9 != model.A9Ordered {
		return nothing{}
	}
	g := &goesOn{n: m.ends, troubled: map[string]bool{}, open: map[string]*cancellation{},
		tried: map[string]bool{}, named: map[string]int{}, looks: map[string]bool{}, far: map[string]bool{}, rested: -1}
	m.goesOn = g
	return g
}

func (g *goesOn) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.FlushQp, calls.CloseQp:
		g.isTroubled(e.Qp)
	case calls.ConnectQp:
		if g.tried[e.Qp] { // which attempt failed does not matter
			g.isTroubled(e.Qp)
		}
		g.tried[e.Qp] = true
	case calls.PollCq:
		if len(g.open)+len(g.proven) > 0 && e.N != nil && *e.N > 0 {
			g.looks[c.Op] = true
		}
	}
}

// isTroubled records that, from now on, a cancelled request of the queue pair does not prove a loss.
func (g *goesOn) isTroubled(qp string) {
	g.troubled[qp] = true
	delete(g.open, qp)
}

// ended handles an event that may have aborted an attempt to connect. Such a queue pair can cancel requests after it is connected.
func (g *goesOn) ended(p *qpArguments) {
	if !g.n.isJoined(p.name) {
		g.isTroubled(p.name)
	}
}

func (g *goesOn) rest() { g.rested = g.n.s.m.now.Index }

func (g *goesOn) called(r *workRequest, _ *Call, _ []string) {
	if r.op == model.SendAndInvalidate {
		g.named[r.queue.name]++
	}
}

func (g *goesOn) dropped(p *qpArguments, closed bool) {
	if closed {
		delete(g.troubled, p.name)
		delete(g.tried, p.name)
		delete(g.named, p.name)
	}
}

func (g *goesOn) completed(r *workRequest, c *Call, result *trace.Result) {
	p := r.queue.qp
	if p == nil {
		return
	}
	outcome := calls.OutcomeOf(result.Status)
	for _, s := range g.proven {
		s.ends(r, outcome)
	}
	if s := g.open[p.name]; s != nil {
		s.ends(r, outcome)
	}
	switch outcome {
	case model.FAILED:
		g.troubled[p.name] = true
	case model.CANCELLED:
		if r.op == model.SendAndInvalidate {
			g.named[p.name]--
		}
		g.cancelled(r)
	case model.SUCCESS:
		g.succeeded(r, c, p.name)
		if peer := g.n.s.peer(p); peer != nil && (r.op.IsSend() || r.op == model.Read || r.op == model.Write) {
			g.succeeded(r, c, peer.name)
		}
	}
}

// cancelled records the first request of a queue pair that is reported as cancelled, where it may have been lost.
func (g *goesOn) cancelled(r *workRequest) {
	p := r.queue.qp
	if g.troubled[p.name] || g.open[p.name] != nil || !p.created || !g.n.isJoined(p.name) {
		return
	}
	s := &cancellation{request: r, place: g.n.s.m.now}
	for _, q := range []*requestQueue{p.initiator, p.receive} {
		first := q.requests.next
		if q == r.queue {
			if first = r.next; r.op != model.Read {
				continue // what is behind it was executed after it
			}
		}
		for o := first; o != &q.requests; o = o.next {
			s.waits = append(s.waits, o)
		}
	}
	g.open[p.name] = s
}

// ends handles the outcome of a request that may have broken the queue pair before.
func (s *cancellation) ends(r *workRequest, outcome model.Outcome) {
	if outcome == model.FAILED {
		s.excused = s.excused || slices.Contains(s.waits, r)
	} else {
		s.waits = slices.DeleteFunc(s.waits, func(o *workRequest) bool { return o.queue == r.queue && o.position <= r.position })
	}
}

// succeeded checks a request that has succeeded against a request of a queue pair whose cancellation was recorded before its post.
func (g *goesOn) succeeded(r *workRequest, c *Call, qp string) {
	s := g.open[qp]
	if s == nil || r.place.Index < s.place.Index || r.queue == s.request.queue && s.request.op != model.Read {
		return
	}
	p := s.request.queue.qp
	if peer := g.n.s.peer(p); g.named[qp] > 0 || peer != nil && g.named[peer.name] > 0 {
		return // a bad token may have ended the connection, and the engines follow those (INV-05)
	}
	g.isTroubled(qp)
	wentOn := breach.WentOn(s.request.wr, r.wr)
	s.finding = &Finding{Verdict: verdict.ProviderViolation, Rule: wentOn.Rule, Place: g.n.s.m.now, See: []int{s.request.place.Line, s.place.Line, r.place.Line},
		Objects: []Object{s.request.queue.object(), {Cq, c.Cq}}, Follows: true, Message: wentOn.Message}
	g.proven = append(g.proven, s)
}

// end handles a poll that found nothing after a moment of rest. No request that completes into this CQ had failed by then.
func (g *goesOn) end(c *Call, e *trace.Event) {
	if !g.looks[c.Op] {
		return
	}
	if delete(g.looks, c.Op); len(e.Results) > 0 || calls.IsRefusal(c.Verbs, e) || g.n.s.roomOf(c.Cq) > 0 || c.Begun.Index < g.rested {
		return
	}
	found := func(s *cancellation) {
		if s.place.Index < g.rested {
			s.waits = slices.DeleteFunc(s.waits, func(o *workRequest) bool { return o.queue.cq == c.Cq })
		}
	}
	for _, s := range g.open {
		found(s)
	}
	for _, s := range g.proven {
		found(s)
	}
}

// finish reports what has turned out to be sure: no CQ had failed, as a callback may tell late, nor a request that was pending.
func (g *goesOn) finish() {
	for _, s := range g.proven {
		p := s.request.queue.qp
		if len(s.waits) == 0 && !s.excused && !g.far[p.name] && !g.n.mayFail(p.initiator.cq) && !g.n.mayFail(p.receive.cq) {
			g.n.s.m.report(*s.finding)
		}
	}
	g.proven = nil
}
