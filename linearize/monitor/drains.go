package monitor

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// drains looks whether a consumer that depends on an arm has polled the CQ empty since the latest callback: ARM-23. It depends on the arm when nothing
// else is left to happen, at a moment of rest; before that it may poll again.
type drains struct {
	nothing
	m     *Monitor
	count *int
	of    map[string]*drain // by CQ, since its latest callback
}

// A drain is what the consumer has done since a callback.
type drain struct {
	line    int       // of the callback
	armed   bool      // a call that arms was made
	drained bool      // a poll returned fewer than it asked for, or may have
	polls   []polling // that were called since, and run, while it is not drained
}

var _ = group(newDrains,
	rule{ID: "ARM-23", On: on{"the provider comes to rest, and a CQ was armed since its latest callback"}},
)

func newDrains(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // what came after a callback is not known
	}
	return &drains{m: m, count: m.counter("ARM-23"), of: map[string]*drain{}}
}

func (d *drains) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.Callback:
		d.tells(e.Cq, e.Line)
	case calls.ArmCq:
		if q := d.of[e.Cq]; q != nil {
			q.armed = true
		}
	case calls.PollCq:
		if q := d.of[e.Cq]; q != nil && !q.drained && e.N != nil {
			q.polls = append(q.polls, polling{call: c, cq: e.Cq, room: *e.N})
		}
	case calls.CloseCq:
		delete(d.of, e.Cq)
	}
}

// tells records a callback, or an event that is read.
func (d *drains) tells(cq string, line int) {
	q := d.of[cq]
	if q == nil {
		q = &drain{}
		d.of[cq] = q
	}
	*q = drain{line: line, polls: q.polls[:0]}
}

func (d *drains) end(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.ReadEvent:
		if e.Cq != "" {
			d.tells(e.Cq, e.Line)
		}
	case calls.PollCq:
		if q := d.of[c.Cq]; q != nil && !q.drained {
			i := slices.IndexFunc(q.polls, func(p polling) bool { return p.call == c })
			if q.drained = i < 0 || int64(len(e.Results)) < q.polls[i].room; !q.drained {
				q.polls = slices.Delete(q.polls, i, i+1)
			}
		}
	}
}

func (d *drains) rest() {
	for name, q := range d.of {
		if !q.armed {
			continue
		}
		if *d.count++; !q.drained {
			d.m.advise("ARM-23", "%s was armed after a callback (line %d), and no poll since then has found fewer completions than it asked for: no callback comes for what is left", name, q.line)
		}
	}
}
