package monitor

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// overlaps checks which calls of one object the consumer does not make at the same time: POLL-01, POST-01, POST-02 and MOD-02. libibverbs
// serialises by itself.
type overlaps struct {
	nothing
	m      *Monitor
	counts [len(serials)]*int
}

// A serial is a kind of calls of one object that do not overlap: its place in serials.
type serial uint8

const (
	notSerial serial = iota
	polls
	initiates
	receives
	moderates
)

// serials lists the rules.
var serials = [...]string{polls: "POLL-01", initiates: "POST-01", receives: "POST-02", moderates: "MOD-02"}

var _ = decides(
	rule{ID: "POLL-01", On: on{"a CQ is polled"}, OnlyNdk: true, Undefined: "about overlapping calls: in the contract a call is one step"},
	rule{ID: "POST-01", On: on{"an initiator request is posted"}, OnlyNdk: true, Undefined: "about overlapping calls: in the contract a call is one step"},
	rule{ID: "POST-02", On: on{"a receive is posted"}, OnlyNdk: true, Undefined: "about overlapping calls: in the contract a call is one step"},
	rule{ID: "MOD-02", On: on{"the moderation of a CQ is changed"}, OnlyNdk: true},
)

func newOverlaps(m *Monitor) checks {
	o := &overlaps{m: m}
	for i := polls; i <= moderates; i++ {
		o.counts[i] = m.counter(serials[i])
	}
	return o
}

// serialOf returns of which kind a call is.
func serialOf(c *Call) serial {
	switch {
	case c.Verbs || c.Entered:
		return notSerial
	case c.Kind == calls.PollCq || c.Kind == calls.ArmCq:
		return polls
	case c.Kind == calls.PostShared, c.Kind == calls.Post && c.Queue == model.Receive:
		return receives
	case c.Kind == calls.Post:
		return initiates
	case c.Fn == "NdkControlCqInterruptModeration":
		return moderates
	}
	return notSerial
}

func (o *overlaps) begin(c *Call, e *trace.Event) {
	kind := serialOf(c)
	if kind == notSerial || c.own() == nil {
		return
	}
	*o.counts[kind]++
	own := c.own()
	if i := slices.IndexFunc(own.running, func(f *Call) bool { return serialOf(f) == kind && !c.nestsIn(f) }); i >= 0 {
		o.breach(serials[kind], c, own.running[i])
	}
}

// PostsWithinPost reports whether a post that is called now was called from a callback within another one on its queue (A27).
func (m *Monitor) PostsWithinPost(op string) bool {
	c := m.open.Find(op)
	if c == nil || c.within < 0 || c.own() == nil {
		return false
	}
	return slices.ContainsFunc(c.own().running, func(f *Call) bool { return serialOf(f) == serialOf(c) && c.nestsIn(f) })
}

// end looks for calls that a callback made within c, and that go on though c returns: they are not nested in it.
func (o *overlaps) end(c *Call, e *trace.Event) {
	kind := serialOf(c)
	if kind == notSerial || c.own() == nil {
		return
	}
	for _, f := range c.own().running {
		if serialOf(f) == kind && f.nestsIn(c) {
			o.breach(serials[kind], f, c)
		}
	}
}

func (o *overlaps) breach(rule string, c, running *Call) {
	of := "of"
	if strings.HasPrefix(rule, "POST") {
		of = "on"
	}
	o.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: rule, Place: c.Begun, See: []int{running.Begun.Line}, Objects: []Object{c.own().Object},
		Follows: true, Message: fmt.Sprintf("%s %s %s was called while %s was running", c.Fn, of, c.own().Name, running.Fn)})
}
