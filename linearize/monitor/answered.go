package monitor

import (
	"fmt"

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
	elsewhere map[string]bool // queue pairs that were connected by two names, or reset: the other end is not known
	joined    map[string]bool // queue pairs that were connected
	gone      map[string]gone // by queue pair: its peer, which is closed
	asked     map[string]gone // by wr: reads that nobody answers
	counter   *int
}

// gone is a queue pair that answers nobody, and since when.
type gone struct {
	conn, what string
	at         Place
}

var _ = group(newAnswered, rule{ID: "RES-14", On: on{"a read is posted, and the queue pair at the other end is closed, or in its error state"}})

func newAnswered(m *Monitor) checks {
	if m.ends == nil || m.header.Order == "partial" {
		return nothing{} // what was posted behind an end is not known
	}
	a := &answered{n: m.ends, elsewhere: map[string]bool{}, joined: map[string]bool{}, gone: map[string]gone{}, asked: map[string]gone{}, counter: m.counter("RES-14")}
	m.requests.rules = append(m.requests.rules, a)
	return a
}

func (*answered) finish() {}

func (a *answered) begin(c *Call, e *trace.Event) {
	if p := a.n.s.qps.get(e.Qp); p != nil && (c.Kind == calls.ConnectQp || c.Kind == calls.UnsettleQp) {
		a.elsewhere[e.Qp] = a.elsewhere[e.Qp] || c.Kind == calls.UnsettleQp || e.Conn != "" && e.Conn != p.conn
		for qp, g := range a.gone {
			if qp == e.Qp || e.Conn == g.conn {
				delete(a.gone, qp)
			}
		}
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
	if r.op != model.Read || p == nil || len(a.asked) >= maxRequests || a.n.endBehind(r) != nil {
		return
	}
	g, isGone := a.gone[p.name]
	if peer := a.n.s.peer(p); !isGone && a.n.verbs() && peer != nil && a.areConnected(p, peer) {
		if e := a.n.of[peer.name]; e != nil && e.rule == "FLUSH-06" {
			g, isGone = gone{what: e.what, at: e.at}, true
		}
	}
	if isGone {
		*a.counter++
		a.asked[r.wr] = g
	}
}

func (a *answered) completed(r *workRequest, c *Call, result *trace.Result) {
	g, asked := a.asked[r.wr]
	if delete(a.asked, r.wr); asked && calls.OutcomeOf(result.Status) == model.SUCCESS {
		a.n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "RES-14", See: []int{g.at.Line, r.place.Line}, Objects: []Object{r.queue.object(), {Cq, c.Cq}},
			Message: fmt.Sprintf("%s succeeded, and the other end of its connection can't have answered: %[1]s was posted after %[2]s", r.wr, g.what)})
	}
}

func (a *answered) dropped(p *qpArguments, closed bool) {
	if peer := a.n.s.peer(p); closed && peer != nil && a.areConnected(p, peer) {
		a.gone[peer.name] = gone{p.conn, p.name + " was closed", a.n.s.m.now}
	}
	if closed {
		delete(a.elsewhere, p.name)
		delete(a.joined, p.name)
		delete(a.gone, p.name)
	}
	for wr := range a.asked {
		if r := a.n.s.byWr[wr]; r == nil || r.queue.qp == p {
			delete(a.asked, wr)
		}
	}
}
