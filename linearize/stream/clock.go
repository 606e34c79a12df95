package stream

import (
	"cmp"
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A clock watches the times of a trace in a partial order that is too long to be put in order: its lines have to be. Where
// events of several threads have one time, theirs is one order of several: what it allows is allowed, and what it does not is
// left open.
type clock struct {
	t       int64      // of the latest event
	thr     string     // of the first of this time
	tied    int        // the line up to which the order is certain, or 0 while it is
	certain eventIndex // the event from which on the order is not certain
}

// watch handles the time of the next event.
func (s *Stream) watch(e *trace.Event) {
	c := s.clock
	switch {
	case e.T < c.t:
		s.unfit = cmp.Or(s.unfit, fmt.Sprintf("the time of line %d is before that of the line before it, and a trace in a partial order "+
			"that is as long as this one is not put in order", e.Line))
	case e.T > c.t || c.thr == "":
		c.t, c.thr = e.T, e.Thr
	case e.Thr != c.thr && c.tied == 0:
		c.tied, c.certain = e.Line, s.at
	}
}

// doubt leaves open what rests on an order that is not certain.
func (c *clock) doubt(findings []finding) {
	if c == nil || c.tied == 0 {
		return
	}
	for i := range findings {
		if f := &findings[i]; f.at >= c.certain && f.Verdict != verdict.Inconclusive {
			f.Verdict = verdict.Inconclusive
			f.Message += fmt.Sprintf("; but line %d has one time with another thread's, and were the order another, it might be allowed", c.tied)
		}
	}
}
