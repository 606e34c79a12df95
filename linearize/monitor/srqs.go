package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// srqs checks the notification callbacks of shared receive queues: SRQ-04, SRQ-08 and SRQ-11.
type srqs struct {
	seldom
	m                     *Monitor
	counted, named, apart *int
	of                    map[*object]*srqArms // of each queue that was created in the trace, until it is closed
}

// srqArms counts what arms a shared receive queue. NdkModifySrq may leave the arm as it is (SRQ-05), and the creation may arm (A19).
type srqArms struct {
	arms, notified int
	latest         int // the line of the latest callback
}

var _ = group(newSrqs,
	rule{ID: "SRQ-04", On: on{"a low-water callback of a shared receive queue is entered"}, OnlyNdk: true},
	rule{ID: "SRQ-08", On: on{"an error callback of a shared receive queue is entered"}, OnlyNdk: true},
	rule{ID: "SRQ-11", On: on{"a callback of a shared receive queue is entered"}, OnlyNdk: true},
)

func newSrqs(m *Monitor) checks {
	return &srqs{m: m, counted: m.counter("SRQ-04"), named: m.counter("SRQ-08"), apart: m.counter("SRQ-11"), of: map[*object]*srqArms{}}
}

func (s *srqs) begin(c *Call, e *trace.Event) {
	switch c.Fn {
	case "NdkModifySrq":
		if o := c.own(); o != nil && o.created {
			s.arms(o).arms++
		}
	case "NdkCloseSrq":
		if o := c.own(); o != nil {
			delete(s.of, o)
		}
	case "NdkSrqNotificationCallback":
		s.entered(c, e)
	}
}

func (s *srqs) arms(o *object) *srqArms {
	a := s.of[o]
	if a == nil {
		a = &srqArms{arms: 1}
		s.of[o] = a
	}
	return a
}

// checkApart reports callbacks of one SRQ that overlap (SRQ-11). A partial order does not show that two callbacks overlap.
func (s *srqs) checkApart(c *Call, e *trace.Event) {
	*s.apart++
	if o := s.m.objects.byName[Srq].get(e.Srq); o != nil && s.m.header.Order != "partial" {
		for _, other := range o.events {
			s.m.advise("SRQ-11", "%s of %s is entered while another one runs (line %d)", c.Fn, e.Srq, other.Begun.Line)
		}
	}
}

// entered is SRQ-08, and SRQ-04 for a callback that says that the threshold was passed.
func (s *srqs) entered(c *Call, e *trace.Event) {
	s.checkApart(c, e)
	*s.named++
	srq := Object{Srq, e.Srq}
	if e.Status != "STATUS_SUCCESS" {
		if e.Status != "STATUS_INTERNAL_ERROR" {
			s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-08", Objects: []Object{srq},
				Message: fmt.Sprintf("%s of %s reports %s, which no SrqStatus can be", c.Fn, e.Srq, e.Status)})
		}
		return
	}
	o := s.m.objects.byName[Srq].get(e.Srq)
	if o == nil || !o.created || o.closing {
		return
	}
	*s.counted++
	a := s.arms(o)
	if a.notified++; a.notified > a.arms {
		s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-04", See: []int{a.latest}, Objects: []Object{srq},
			Message: fmt.Sprintf("%s of %s was entered %s, and its creation and %s can have armed it no more than %s", c.Fn, e.Srq,
				verdict.Counted(a.notified, "time"), verdict.Counted(a.arms-1, "NdkModifySrq"), verdict.Counted(a.arms, "time"))})
		a.notified = a.arms // or each later one would be told
	}
	a.latest = e.Line
}
