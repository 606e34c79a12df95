package monitor

import (
	"fmt"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// answered checks that a read, or an atomic operation, which succeeds ended when there was another end, and was posted while that could answer it: RES-14.
// A read that was posted before the other end was gone may have had its data in time, which is for the engines to say.
type answered struct {
	nothing
	noRequest
	n         *ends
	elsewhere map[string]bool                  // queue pairs that were connected by two names, or reset: the other end is not known
	joined    map[string]bool                  // queue pairs that were connected
	gone      map[string]gone                  // by connection: the end that is closed
	asked     map[*qpArguments]map[string]gone // by queue pair and wr: reads that no peer answers
	early     map[string]early                 // by connection: the first read that succeeded while no other end was known
	met       map[string]bool                  // queue pairs that were to be connected, or were moved to a state in which requests are dropped
	counter   *int
}

// early is a read of a queue pair that had succeeded by a poll.
type early struct {
	of     *qpArguments
	wr     string
	posted Place
	told   Place
	cq     string
}

// gone is an end of a connection that does not answer, and since when.
type gone struct {
	what string
	at   Place
}

var _ = group(newAnswered, rule{ID: "RES-14", On: on{"a read is posted, and the queue pair at the other end is closed, or in its error state", "a read succeeds before the other end is connected"}})

func newAnswered(m *Monitor) checks {
	if m.ends == nil || m.header.Order == "partial" {
		return nothing{} // what was posted behind an end is not known
	}
	return &answered{n: m.ends, elsewhere: map[string]bool{}, joined: map[string]bool{}, gone: map[string]gone{}, asked: map[*qpArguments]map[string]gone{},
		early: map[string]early{}, met: map[string]bool{}, counter: m.counter("RES-14")}
}

func (a *answered) begin(c *Call, e *trace.Event) {
	if p := a.n.s.qps.get(e.Qp); p != nil && (c.Kind == calls.ConnectQp || c.Kind == calls.UnsettleQp) {
		a.elsewhere[e.Qp] = a.elsewhere[e.Qp] || c.Kind == calls.UnsettleQp || e.Conn != "" && e.Conn != p.conn
		delete(a.gone, p.conn)
		delete(a.gone, e.Conn)
		if c.Kind == calls.ConnectQp {
			a.connects(p, e.Conn)
		}
		a.met[e.Qp] = true
	}
	if c.Kind == calls.CloseQp { // the contract does not tell an end that is being closed from one that was in its error state before
		if p := a.n.s.qps.get(e.Qp); p != nil {
			delete(a.asked, a.n.s.peer(p))
		}
	}
}

// connects handles a connect of the other end of a connection: what succeeded before on the connection had no other end.
func (a *answered) connects(p *qpArguments, conn string) {
	first, is := a.early[conn]
	if !is || first.of == p {
		return
	}
	delete(a.early, conn)
	if !p.created || a.met[p.name] || a.elsewhere[first.of.name] {
		return
	}
	*a.counter++
	a.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "RES-14", Place: first.told, See: []int{first.posted.Line, a.n.s.m.now.Line},
		Objects: []Object{first.of.initiator.object(), {Cq, first.cq}},
		Message: fmt.Sprintf("%s succeeded, and the other end of its connection, %s, was connected only later", first.wr, p.name)})
}

// mayAnswer reports whether a queue pair is of a type that has reads, as far as is known.
func (a *answered) mayAnswer(p *qpArguments) bool { return !a.n.verbs() || p.kind == "RC" }

// areConnected reports whether two queue pairs are the ends of one connection of a type that has reads.
func (a *answered) areConnected(p, peer *qpArguments) bool {
	if a.elsewhere[p.name] || a.elsewhere[peer.name] {
		return false
	}
	if a.n.verbs() {
		return p.kind == "RC" && peer.kind == "RC"
	}
	return a.joined[p.name] && a.joined[peer.name]
}

func (a *answered) done(c *Call, succeeded bool) {
	if succeeded && (c.Kind == calls.ConnectQp || c.Kind == calls.CompleteConnection) {
		a.joined[c.Qp] = true
	}
}

func (a *answered) called(r *workRequest, _ *Call, _ []string) {
	p := r.queue.qp
	if r.op != model.Read || p == nil || len(a.asked[p]) >= maxRequests || a.n.endBehind(r) != nil {
		return
	}
	g, isGone := a.gone[p.conn]
	if peer := a.n.s.peer(p); !isGone && a.n.verbs() && peer != nil && a.areConnected(p, peer) {
		if e := a.n.of[peer.name]; e != nil && e.rule == breach.OfErrorState {
			g, isGone = gone{e.what, e.at}, true
		}
	}
	if !isGone {
		return
	}
	if *a.counter++; a.asked[p] == nil {
		a.asked[p] = map[string]gone{}
	}
	a.asked[p][r.wr] = g
}

func (a *answered) completed(r *workRequest, c *Call, result *trace.Result) {
	p := r.queue.qp
	if r.op == model.Read && p != nil && p.conn != "" && a.mayAnswer(p) && calls.OutcomeOf(result.Status) == model.SUCCESS && a.n.s.peer(p) == nil {
		if _, is := a.early[p.conn]; !is {
			a.early[p.conn] = early{p, r.wr, r.place, a.n.s.m.now, c.Cq}
		}
	}
	g, asked := a.asked[r.queue.qp][r.wr]
	if delete(a.asked[r.queue.qp], r.wr); asked && calls.OutcomeOf(result.Status) == model.SUCCESS {
		a.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "RES-14", See: []int{g.at.Line, r.place.Line}, Objects: []Object{r.queue.object(), {Cq, c.Cq}},
			Message: fmt.Sprintf("%s succeeded, and the other end of its connection can't have answered: %[1]s was posted after %[2]s", r.wr, g.what)})
	}
}

func (a *answered) dropped(p *qpArguments, closed bool) {
	delete(a.asked, p)
	if a.early[p.conn].of == p {
		delete(a.early, p.conn)
	}
	if !closed {
		return
	}
	if delete(a.gone, p.conn); p.conn != "" {
		if peer := a.n.s.peer(p); peer != nil && a.areConnected(p, peer) {
			a.gone[p.conn] = gone{p.name + " was closed", a.n.s.m.now}
		}
	}
	delete(a.elsewhere, p.name)
	delete(a.joined, p.name)
	delete(a.met, p.name)
}
