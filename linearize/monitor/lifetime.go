package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// lifetime checks when the consumer uses an object, and when it closes one: LIFE-01, LIFE-02, LIFE-06 and LIFE-13.
type lifetime struct {
	nothing
	m                                  *Monitor
	uses, closesCalled, closed, nested *int
}

var _ = decides(
	rule{ID: "LIFE-01", On: on{"a call names an object"}, Undefined: "about the creation and lifetime of objects: the contract begins with them"},
	rule{ID: "LIFE-02", On: on{"a close of an object is called"}, Undefined: "about overlapping calls: in the contract a call is one step"},
	rule{ID: "LIFE-06", On: on{"a close of an object is accepted"}},
	rule{ID: "LIFE-13", On: on{"NdkCloseAdapter is called"}, OnlyNdk: true, Undefined: "adapters have no state, and a call is one step: none blocks"},
)

func newLifetime(m *Monitor) checks {
	return &lifetime{m: m, uses: m.counter("LIFE-01"), closesCalled: m.counter("LIFE-02"), closed: m.counter("LIFE-06"), nested: m.counter("LIFE-13")}
}

func (l *lifetime) begin(c *Call, e *trace.Event) {
	if c.Entered {
		return
	}
	if isUse(c.Fn) {
		for _, o := range c.objects {
			l.checkUse(o, c)
		}
	}
	if o := c.creates; o != nil && o.early != nil {
		l.tooEarly(o)
	}
	if c.role.closes != NoKind {
		l.checkClose(c)
	}
}

// checkUse is LIFE-01 and LIFE-06 for an object that a call uses.
func (l *lifetime) checkUse(o *object, c *Call) {
	switch {
	case o.created:
		if *l.uses++; !o.exists {
			o.exists = true // or each use would be told
			l.breach("LIFE-01", c.Begun, o, c.named(), nil, uncreated, c.Fn, o.Name)
		}
	case o.early == nil:
		o.early = &use{c.Begun, c.Fn, c.named()}
	}
	if len(o.closes) > 0 && isOverAtClose(c.Fn, o.Kind) {
		l.checkOpen(o, c)
	}
}

const uncreated = "%s was called, and the creation of %s had not succeeded"

// tooEarly is LIFE-01 for an object that was used before its creation was called, as that call shows.
func (l *lifetime) tooEarly(o *object) {
	o.exists = true
	l.breach("LIFE-01", o.early.Place, o, o.early.named, []int{l.m.now.Line}, uncreated, o.early.fn, o.Name)
	o.early = nil
}

// checkOpen is LIFE-06 for an object whose close was called. While the close is running it may yet be refused, and then it was none.
func (l *lifetime) checkOpen(o *object, c *Call) {
	if by := o.accepted(); by != nil {
		if !o.told {
			o.told = true
			l.breach("LIFE-06", c.Begun, o, c.named(), []int{by.Begun.Line}, afterClose, c.Fn, by.Fn, o.Name)
		}
		return
	}
	for i := range o.closes {
		if o.closes[i].used == nil {
			o.closes[i].used = &use{c.Begun, c.Fn, c.named()}
		}
	}
}

const afterClose = "%s was called after %s of %s"

// checkClose is LIFE-02 and LIFE-13 for a close that is called.
func (l *lifetime) checkClose(c *Call) {
	*l.closesCalled++
	if c.Fn == "NdkCloseAdapter" {
		if *l.nested++; c.within >= 0 {
			l.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "LIFE-13", Objects: c.named(), Follows: true,
				Message: c.name() + " was called within a callback, and it waits until all callbacks have returned"})
		}
	}
	own := c.own()
	if own == nil {
		return
	}
	runs := func(f *Call) bool { return f.role.closes == NoKind && !c.nestsIn(f) }
	if i := slices.IndexFunc(own.running, runs); i >= 0 {
		l.closedWhile(own, c, own.running[i])
	}
}

// end looks at the return of a function of an object, and of a close.
func (l *lifetime) end(c *Call, e *trace.Event) {
	if own := c.own(); own != nil && c.role.closes == NoKind {
		for _, f := range own.running {
			if f.role.closes != NoKind && f.nestsIn(c) { // it goes on though c returns: it is not nested in c
				l.closedWhile(own, f, c)
			}
		}
	}
	l.closeReturned(c, e)
}

// closedWhile is LIFE-02.
func (l *lifetime) closedWhile(o *object, closing, running *Call) {
	l.breach("LIFE-02", closing.Begun, o, nil, []int{running.Begun.Line}, "%s of %s was called while %s was running", closing.Fn, o.Name, running.Fn)
}

// closeReturned is LIFE-06 for what began while a close was running that is known now not to be refused.
func (l *lifetime) closeReturned(c *Call, e *trace.Event) {
	if c.role.closes == NoKind || c.own() == nil || calls.IsRefusal(c.Verbs, e) {
		return
	}
	for _, closed := range c.own().closes {
		if closed.by == c {
			*l.closed++
			l.usedWhile(closed, c.own())
		}
	}
}

// finish is LIFE-06 where a close has not returned by rest: it was not refused. One that runs where the trace is cut may yet be.
func (l *lifetime) finish() {
	if !l.m.atRest() {
		return
	}
	for _, c := range l.m.open.All() {
		if o := c.own(); c.role.closes != NoKind && o != nil && len(o.closes) > 0 && o.closes[0].by == c {
			l.usedWhile(o.closes[0], o)
		}
	}
}

func (l *lifetime) usedWhile(c closing, o *object) {
	if c.used != nil && !o.told {
		o.told = true
		l.breach("LIFE-06", c.used.Place, o, c.used.named, []int{c.by.Begun.Line}, afterClose, c.used.fn, c.by.Fn, o.Name)
	}
}

// breach reports a breach that is of o. The provider is not blamed for what comes of it, of the other objects that the call names.
func (l *lifetime) breach(rule string, at Place, o *object, named []Object, see []int, format string, args ...any) {
	of := []Object{o.Object}
	for _, other := range named {
		if other != o.Object {
			of = append(of, other)
		}
	}
	l.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: rule, Place: at, See: see, Objects: of, Follows: true,
		Message: fmt.Sprintf(format, args...)})
}
