package monitor

import (
	"slices"

	"ndkoracle/trace"
)

// unfinished looks whether a consumer that calls NdkDisconnect has seen the completions of its initiator requests: DISC-11. Silent requests have none
// that could be awaited (A12).
type unfinished struct {
	seldom
	m     *Monitor
	count *int
}

var _ = group(newUnfinished,
	rule{ID: "DISC-11", On: on{"NdkDisconnect of a queue pair is called"}, OnlyNdk: true},
)

func newUnfinished(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // whether a poll came before is not known
	}
	return &unfinished{m: m, count: m.counter("DISC-11")}
}

func (u *unfinished) begin(c *Call, e *trace.Event) {
	p := u.m.requests.qps.get(e.Qp)
	if c.Fn != "NdkDisconnect" || p == nil {
		return
	}
	*u.count++
	polled := slices.ContainsFunc(u.m.requests.polls, func(o polling) bool { return o.cq == p.initiator.cq })
	for r := p.initiator.requests.next; r != &p.initiator.requests && !polled; r = r.next {
		if r.accepted && !r.silent {
			u.m.advise("DISC-11", "NdkDisconnect of %s is called, and %s has no completion yet", p.name, r.wr)
			return
		}
	}
}
