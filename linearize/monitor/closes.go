package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// closes checks when the provider completes a close: LIFE-04, LIFE-05, LIFE-07, LIFE-08, LIFE-09 and LIFE-14. What the requests of a queue
// pair and the callbacks of a completion queue have to do with it, the engines decide.
type closes struct {
	seldom
	m      *Monitor
	counts map[string]*int
}

var _ = decides(
	rule{ID: "LIFE-04", On: on{"the close of an object completes that has successors, or had"}},
	rule{ID: "LIFE-05", On: on{"the close of an object completes that had successors, of which the close had a completion callback"}},
	rule{ID: "LIFE-07", On: on{"the close of an object completes that had requests"}},
	rule{ID: "LIFE-09", On: on{"a callback of an object is entered", declared.CqCloses}},
	rule{ID: "LIFE-14", On: on{"NdkCloseAdapter returns"}, OnlyNdk: true, Eventual: true, Rests: declared.Children, Undefined: "about the creation and lifetime of objects: the contract begins with them"},
)

func newCloses(m *Monitor) checks {
	c := &closes{m: m, counts: map[string]*int{}}
	for _, id := range []string{"LIFE-04", "LIFE-05", "LIFE-07", "LIFE-08", "LIFE-09", "LIFE-14"} {
		c.counts[id] = m.counter(id)
	}
	return c
}

// done looks at a close that completes, and at a creation, of what has to be there as long.
func (cl *closes) done(c *Call, succeeded bool) {
	if s := c.creates; s != nil && succeeded && c.pends && s.outlived.at != (Place{}) {
		of := s.outlived
		cl.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "LIFE-04", Place: of.at, See: []int{c.Begun.Line, cl.m.now.Line}, Objects: []Object{of.Object, s.Object}, Follows: true,
			Message: fmt.Sprintf("the close of %s completed while the creation of %s, which uses it, was pending, and that succeeded", of.Name, s.Name)})
	}
	o := c.own()
	if c.role.closes == NoKind || !succeeded || o == nil || o.over {
		return
	}
	cl.checkSuccessors(o)
	cl.checkRequests(o)
	cl.checkEvents(o)
}

// checkSuccessors is LIFE-04 and LIFE-05 for an object whose close completes: so have the closes of its successors, and the callbacks that
// said so have returned. One whose call has not returned may have.
func (cl *closes) checkSuccessors(o *object) {
	*cl.counts["LIFE-04"] += o.ended
	*cl.counts["LIFE-05"] += o.leftBy
	for _, s := range o.successors {
		if !s.exists && !s.refused && s.certainly(o) {
			*cl.counts["LIFE-04"]++
			s.outlived = outlived{o.Object, cl.m.now}
		}
		if !s.exists || !s.certainly(o) || s.Kind == Mw && o.Kind == Mr && cl.m.mayBeUnbound() || cl.m.objects.strangers[s.Kind] {
			continue
		}
		*cl.counts["LIFE-04"]++
		running := func(c closing) bool { return !c.accepted }
		switch {
		case s.closedBy != nil:
			*cl.counts["LIFE-05"]++
			cl.breach("LIFE-05", []string{"LIFE-04"}, []*object{o, s}, []int{s.ender.Begun.Line},
				"the close of %s completed while the callback was running that completed the close of %s, which uses it", o.Name, s.Name)
		case s.over || slices.ContainsFunc(s.closes, running):
		default:
			cl.breach("LIFE-04", nil, []*object{o, s}, []int{s.usedBy.Line}, "the close of %s completed before that of %s, which uses it", o.Name, s.Name)
		}
	}
}

// checkRequests is LIFE-07 for an object whose close completes: its asynchronous requests have completed, and the callbacks that said so
// have returned.
func (cl *closes) checkRequests(o *object) {
	if o.requested || o.Kind == Qp {
		*cl.counts["LIFE-07"]++
	}
	for _, r := range o.requests {
		if r.answers == 0 {
			cl.breach("LIFE-07", nil, []*object{o}, []int{r.Begun.Line}, "the close of %s completed while %s of it was pending", o.Name, r.Fn)
		} else {
			cl.breach("LIFE-07", nil, []*object{o}, []int{r.by.Begun.Line},
				"the close of %s completed while the callback was running that completed %s of it", o.Name, r.Fn)
		}
	}
}

// checkEvents is LIFE-08 for an object whose close completes: its event callbacks have returned. Of libibverbs see acks.
func (cl *closes) checkEvents(o *object) {
	if o.Kind == Cq {
		return // ARM-20
	}
	if o.notified {
		*cl.counts["LIFE-08"]++
	}
	for _, e := range o.events {
		cl.breach("LIFE-08", nil, []*object{o}, []int{e.Begun.Line}, "the close of %s completed while %s of it was running", o.Name, e.Fn)
	}
}

// begin is LIFE-09 for an event callback of an object whose close has completed.
func (cl *closes) begin(c *Call, e *trace.Event) {
	if !c.Entered || c.Kind == calls.Callback {
		return
	}
	o := cl.m.objectOfEvent(e)
	if o == nil {
		return
	}
	o.notified = true
	if *cl.counts["LIFE-09"]++; o.over {
		cl.breach("LIFE-09", nil, []*object{o}, []int{o.ender.Begun.Line}, "%s of %s was entered after its close had completed", c.Fn, o.Name)
	}
}

// end is LIFE-14 for the close of an adapter that returns: no callback runs. One on its own thread is the consumer's fault (LIFE-13).
func (cl *closes) end(c *Call, e *trace.Event) {
	if c.Fn != "NdkCloseAdapter" || c.within >= 0 {
		return
	}
	*cl.counts["LIFE-14"]++
	if cl.m.objects.live[Adapter] > 1 {
		return // the callback may be of another one
	}
	for _, o := range cl.m.open.All() {
		if o.Entered {
			cl.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "LIFE-14", See: []int{c.Begun.Line, o.Begun.Line}, Objects: c.named(), Follows: true,
				Message: fmt.Sprintf("%s returned while %s was running", c.name(), o.name())})
			return
		}
	}
}

func (cl *closes) breach(rule string, also []string, of []*object, see []int, format string, args ...any) {
	f := Finding{Verdict: verdict.ProviderViolation, Rule: rule, Also: also, See: see, Follows: true, Message: fmt.Sprintf(format, args...)}
	for _, o := range of {
		f.Objects = append(f.Objects, o.Object)
	}
	cl.m.report(f)
}
