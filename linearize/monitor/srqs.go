package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// srqs checks the notification callbacks of shared receive queues: SRQ-04, SRQ-07, SRQ-08 and SRQ-11.
type srqs struct {
	seldom
	m                     *Monitor
	counted, named, apart *int
	uncalled              *int                 // SRQ-07
	made                  map[string]*srqArms  // of each whose creation was called, until a later event names it
	of                    map[*object]*srqArms // of each queue that was created in the trace, until it is closed
}

// srqArms counts what arms a shared receive queue. A threshold of 0 arms nothing (SRQ-05), and the creation may arm (A19).
type srqArms struct {
	creation int // 1 where it may arm
	modified int // calls of NdkModifySrq that may
	notified int
	latest   int // the line of the latest callback, or of the creation
	silent   int // the line of a creation that records that there is no callback, or 0
}

func (a *srqArms) arms() int { return a.creation + a.modified }

var _ = group(newSrqs,
	rule{ID: "SRQ-04", On: on{"a low-water callback of a shared receive queue is entered"}, OnlyNdk: true},
	rule{ID: "SRQ-07", On: on{"a shared receive queue has no callback"}, OnlyNdk: true},
	rule{ID: "SRQ-08", On: on{"an error callback of a shared receive queue is entered"}, OnlyNdk: true},
	rule{ID: "SRQ-11", On: on{"a callback of a shared receive queue is entered"}, OnlyNdk: true},
)

func newSrqs(m *Monitor) checks {
	return &srqs{m: m, counted: m.counter("SRQ-04"), named: m.counter("SRQ-08"), apart: m.counter("SRQ-11"), uncalled: m.counter("SRQ-07"), made: map[string]*srqArms{}, of: map[*object]*srqArms{}}
}

func (s *srqs) begin(c *Call, e *trace.Event) {
	switch c.Fn {
	case "NdkCreateSrq":
		s.creates(e)
	case "NdkModifySrq":
		if o := c.own(); o != nil && o.created && !isZero(e.Threshold) && !e.NoEffect {
			s.arms(o).modified++
		}
	case "NdkCloseSrq":
		if o := c.own(); o != nil {
			delete(s.of, o)
			delete(s.made, o.Name)
		}
	case "NdkSrqNotificationCallback":
		s.entered(c, e)
	}
}

// done forgets a creation that failed.
func (s *srqs) done(c *Call, succeeded bool) {
	if o := c.creates; c.Fn == "NdkCreateSrq" && !succeeded && o != nil {
		delete(s.made, o.Name)
	}
}

func (s *srqs) arms(o *object) *srqArms {
	a := s.of[o]
	if a == nil {
		a = s.made[o.Name]
		if delete(s.made, o.Name); a == nil {
			a = &srqArms{creation: 1}
		}
		s.of[o] = a
	}
	return a
}

// creates records what the creation says of callbacks.
func (s *srqs) creates(e *trace.Event) {
	a := &srqArms{creation: 1, latest: e.Line}
	s.made[e.Srq] = a
	if isZero(e.Threshold) {
		a.creation = 0
	}
	if e.Notify != nil && !*e.Notify {
		a.silent = e.Line
		*s.uncalled++
	}
}

// isZero reports whether a trace records a number, which is 0.
func isZero(n *int64) bool { return n != nil && *n == 0 }

// checkApart reports callbacks of one SRQ that overlap (SRQ-11). A partial order does not show that two callbacks overlap.
func (s *srqs) checkApart(c *Call, e *trace.Event) {
	*s.apart++
	if o := s.m.objects.byName[Srq].get(e.Srq); o != nil && s.m.header.Order != "partial" {
		for _, other := range o.events {
			s.m.advise("SRQ-11", "%s of %s is entered while another one runs (line %d)", c.Fn, e.Srq, other.Begun.Line)
		}
	}
}

// entered is SRQ-08, SRQ-07, and SRQ-04 for a callback that says that the threshold was passed.
func (s *srqs) entered(c *Call, e *trace.Event) {
	s.checkApart(c, e)
	*s.named++
	srq := Object{Srq, e.Srq}
	o := s.m.objects.byName[Srq].get(e.Srq)
	if o != nil && s.arms(o).silent > 0 {
		s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-07", See: []int{s.arms(o).silent}, Objects: []Object{srq},
			Message: fmt.Sprintf("%s of %s is entered, which was created without a callback", c.Fn, e.Srq)})
		return
	}
	if e.Status != "STATUS_SUCCESS" {
		if e.Status != "STATUS_INTERNAL_ERROR" {
			s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-08", Objects: []Object{srq},
				Message: fmt.Sprintf("%s of %s reports %s, which no SrqStatus can be", c.Fn, e.Srq, e.Status)})
		}
		return
	}
	if o == nil || !o.created || o.closing {
		return
	}
	*s.counted++
	a := s.arms(o)
	if a.notified++; a.notified > a.arms() {
		why := "nothing has armed it"
		if a.arms() > 0 {
			why = fmt.Sprintf("its creation and %s can have armed it no more than %s", verdict.Counted(a.modified, "NdkModifySrq"), verdict.Counted(a.arms(), "time"))
		}
		s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "SRQ-04", See: []int{a.latest}, Objects: []Object{srq},
			Message: fmt.Sprintf("%s of %s was entered %s, and %s", c.Fn, e.Srq, verdict.Counted(a.notified, "time"), why)})
		a.notified = a.arms() // or each later one would be told
	}
	a.latest = e.Line
}
