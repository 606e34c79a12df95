package monitor

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// channels checks that an event of a CQ arrives on the completion channel with which the CQ was created, and that a CQ without a channel has no events
// (ARM-01).
type channels struct {
	nothing
	m        *Monitor
	channels trace.Channels
	waiters  map[string]trace.Waiter // by op
}

func newChannels(m *Monitor) checks {
	if !m.dialect.EventsAreRead {
		return nothing{}
	}
	return &channels{m: m, waiters: map[string]trace.Waiter{}}
}

func (g *channels) begin(c *Call, e *trace.Event) {
	g.channels.Take(e)
	if c.Kind == calls.ReadEvent {
		g.waiters[c.Op] = g.channels.WaiterOf(e)
	}
}

func (g *channels) end(c *Call, e *trace.Event) {
	g.channels.Take(e)
	if c.Kind != calls.ReadEvent {
		return
	}
	w := g.waiters[c.Op]
	delete(g.waiters, c.Op)
	if e.Cq == "" {
		return
	}
	if why, astray := g.channels.Astray(w, e.Cq); astray {
		off := breach.OffChannel(e.Cq, why)
		g.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: off.Rule, See: []int{c.Begun.Line}, Objects: []Object{{Cq, e.Cq}}, Follows: true,
			Message: off.Message})
	}
}
