package monitor

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// failing looks at what a consumer does with a CQ after a callback has reported an error: ARM-19. It may poll what came before (A1).
type failing struct {
	nothing
	noRequest
	m     *Monitor
	count *int
	told  map[string]int   // the line of the exit of the callback, by CQ
	tells map[*Call]string // callbacks that tell of an error, and run
}

var _ = group(newFailing,
	rule{ID: "ARM-19", On: on{"a callback that reports an error of the CQ returns"}, OnlyNdk: true, Undefined: "advice that follows from other rules"},
)

func newFailing(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // what came after a callback is not known
	}
	return &failing{m: m, count: m.counter("ARM-19"), told: map[string]int{}, tells: map[*Call]string{}}
}

func (f *failing) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.Callback:
		if health, ok := calls.HealthOf(e.Status); ok && health != model.OK {
			f.tells[c] = e.Cq
		}
	case calls.ArmCq:
		f.check(c, e.Cq)
	case calls.CreateCq, calls.CloseCq:
		delete(f.told, e.Cq)
	}
}

func (f *failing) end(c *Call, e *trace.Event) {
	if cq, tells := f.tells[c]; tells {
		delete(f.tells, c)
		f.told[cq] = e.Line
		*f.count++
	}
}

func (f *failing) called(r *workRequest, c *Call, _ []string) {
	if p := r.queue.qp; p != nil && len(f.told) > 0 {
		f.check(c, p.initiator.cq)
		f.check(c, p.receive.cq)
	}
}

func (f *failing) check(c *Call, cq string) {
	if line := f.told[cq]; line > 0 {
		f.m.advise("ARM-19", "%s is called after a callback of %s reported an error (line %d): nothing is left but to close the CQ", c.name(), cq, line)
	}
}
