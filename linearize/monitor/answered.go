package monitor

import (
	"fmt"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// answered checks that a read, or an atomic operation, which succeeds was posted while somebody could answer it: RES-14. A read that was posted before
// may have had its data in time, which is for the engines to say.
type answered struct {
	nothing
	noRequest
	n         *ends
	elsewhere map[string]bool                  // queue pairs that were connected by two names, or reset: the other end is not known
	joined    map[string]bool                  // queue pairs that were connected
	gone      map[string]gone                  // by connection: the end that is closed
	asked     map[*qpArguments]map[string]gone // by queue pair and wr: reads that nobody answers
	counter   *int
}

// gone is an end of a connection that answers nobody, and since when.
type gone struct {
	what string
	at   Place
}

var _ = group(newAnswered, rule{ID: "RES-14", On: on{"a read is posted, and the queue pair at the other end is closed, or in its error state"}})

func newAnswered(m *Monitor) checks {
	if m.ends == nil || m.header.Order == "partial" {
		return nothing{} // what was posted behind an end is not known
	}
	a := &answered{n: m.ends, elsewhere: map[string]bool{}, joined: map[string]bool{}, gone: map[string]gone{}, asked: map[*qpArguments]map[string]gone{}, counter: m.counter("RES-14")}
	m.requests.rules = append(m.requests.rules, a)
	return a
}

func (*answered) finish() {}

func (a *answered) begin(c *Call, e *trace.Event) {
	if p := a.n.s.qps.get(e.Qp); p != nil && (c.Kind == calls.ConnectQp || c.Kind == calls.UnsettleQp) {
		a.elsewhere[e.Qp] = a.elsewhere[e.Qp] || c.Kind == calls.UnsettleQp || e.Conn != "" && e.Conn != p.conn
		delete(a.gone, p.conn)
		delete(a.gone, e.Conn)
	}
}

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
	g, asked := a.asked[r.queue.qp][r.wr]
	if delete(a.asked[r.queue.qp], r.wr); asked && calls.OutcomeOf(result.Status) == model.SUCCESS {
		a.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "RES-14", See: []int{g.at.Line, r.place.Line}, Objects: []Object{r.queue.object(), {Cq, c.Cq}},
			Message: fmt.Sprintf("%s succeeded, and the other end of its connection can't have answered: %[1]s was posted after %[2]s", r.wr, g.what)})
	}
}

func (a *answered) dropped(p *qpArguments, closed bool) {
	delete(a.asked, p)
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
}
