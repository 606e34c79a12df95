package monitor

import (
	"fmt"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// registrations checks that a memory region is registered when it is used as one: MEM-12, MEM-13 and INV-07.
type registrations struct {
	nothing
	m                              *Monitor
	deregistered, read, invalidate *int
	of                             map[*object]registration // by memory region, until it is closed
}

// A registration is how a memory region was made usable.
type registration struct {
	by   *Call // the NdkRegisterMr or NdkInitializeFastRegisterMr that succeeded last, or else the latest, or nil
	done bool  // it has completed
	ok   bool  // it has completed with success
	over *Call // the NdkDeregisterMr that was called since, or nil
	fast bool  // NdkFastRegister was called, which gives it a token (MEM-05)
}

// holds reports whether the region was registered with success, and is.
func (r registration) holds() bool { return r.ok && r.over == nil }

var _ = decides(
	rule{ID: "INV-07", On: on{"NdkInvalidate names a region"}, OnlyNdk: true, Undefined: "about memory and its registration: contract and judge begin with tokens"},
	rule{ID: "MEM-12", On: on{"a region is deregistered or closed"}, OnlyNdk: true, Undefined: "about memory and its registration: the contract begins with tokens"},
	rule{ID: "MEM-13", On: on{"a token of a region is read"}, OnlyNdk: true, Undefined: "about memory and its registration: the contract begins with tokens"},
)

func newRegistrations(m *Monitor) checks {
	return &registrations{m: m, deregistered: m.counter("MEM-12"), read: m.counter("MEM-13"), invalidate: m.counter("INV-07"),
		of: map[*object]registration{}}
}

// memoryRegion returns the memory region that a call names, where the trace holds its creation, or nil.
func (c *Call) memoryRegion() *object {
	for _, o := range c.objects {
		if o.Kind == Mr && o.created && o.exists {
			return o
		}
	}
	return nil
}

func (g *registrations) begin(c *Call, e *trace.Event) {
	mr := c.memoryRegion()
	if mr == nil || c.Entered {
		return
	}
	r := g.of[mr]
	switch c.Fn {
	case "NdkRegisterMr", "NdkInitializeFastRegisterMr":
		if !r.holds() { // one that is refused changes nothing
			g.of[mr] = registration{by: c}
		}
	case "NdkDeregisterMr":
		*g.deregistered++
		g.checkRegistered("MEM-12", c, mr, r)
		r.over = c
		g.of[mr] = r
	case "NdkGetLocalTokenFromMr", "NdkGetRemoteTokenFromMr":
		*g.read++
		if r.over == nil { // what a region that was deregistered says of its tokens, no text says
			g.checkRegistered("MEM-13", c, mr, r)
		}
	case "NdkFastRegister":
		r.fast = true
		g.of[mr] = r
	case "NdkInvalidate":
		*g.invalidate++
		if r.holds() && r.by.Fn == "NdkRegisterMr" {
			g.breach("INV-07", c, []int{r.by.Begun.Line}, "%s of %s was called, and it is registered by NdkRegisterMr", c.Fn, mr.Name)
		}
	}
}

// checkRegistered is MEM-12 and MEM-13.
func (g *registrations) checkRegistered(rule string, c *Call, mr *object, r registration) {
	switch {
	case r.fast:
	case r.by == nil:
		g.breach(rule, c, nil, "%s of %s was called, and it was never registered", c.Fn, mr.Name)
	case r.over != nil:
		g.breach(rule, c, []int{r.over.Begun.Line}, "%s of %s was called, and it was deregistered before", c.Fn, mr.Name)
	case !r.done:
		g.breach(rule, c, []int{r.by.Begun.Line}, "%s of %s was called, and %s of it had not completed", c.Fn, mr.Name, r.by.Fn)
	case !r.ok:
		g.breach(rule, c, []int{r.by.Begun.Line}, "%s of %s was called, and %s of it had failed", c.Fn, mr.Name, r.by.Fn)
	}
}

func (g *registrations) breach(rule string, c *Call, see []int, format string, args ...any) {
	g.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: rule, See: see, Objects: c.named(), Follows: true, Message: fmt.Sprintf(format, args...)})
}

func (g *registrations) done(c *Call, succeeded bool) {
	mr := c.memoryRegion()
	if mr == nil {
		return
	}
	r := g.of[mr]
	switch {
	case succeeded && c.Fn == "NdkCloseMr":
		delete(g.of, mr)
	case succeeded && (c.Fn == "NdkRegisterMr" || c.Fn == "NdkInitializeFastRegisterMr"):
		r.by, r.done, r.ok = c, true, true
		g.of[mr] = r
	case r.by == c:
		r.done, r.ok = true, false
		g.of[mr] = r
	case r.over == c && !succeeded: // it was not a deregistration
		r.over = nil
		g.of[mr] = r
	}
}
