package monitor

import (
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// issued checks that a remote token can be read as soon as the request that makes it has returned: MEM-05, and MEM-17 of windows. What is read before the request
// completes is what is read afterwards, until something else may change the token.
type issued struct {
	nothing
	m         *Monitor
	counts    map[string]*int
	of        map[*object]*issue // the latest of each memory region, and of each window
	byWr      map[string]*issue
	reads     map[*Call]*issue // by the call that reads a token
	uncertain bool             // a message or a read may have invalidated a token
}

// An issue is a request that makes a token.
type issue struct {
	rule     string
	name, wr string // of the memory region or window, and of the request
	line     int
	returned bool
	told     bool // it was known to have succeeded
	token    *uint32
	from     int // the line that shows the token
	finding  *Finding
}

var _ = group(newIssued,
	rule{ID: "MEM-05", On: on{"the remote token of a region is read twice after one NdkFastRegister"}, OnlyNdk: true, Undefined: "a token's value is not a state: a request may name a token that is not valid yet"},
	rule{ID: "MEM-17", On: on{"the remote token of a window is read twice after one NdkBind"}, OnlyNdk: true, Undefined: "a token's value is not a state: a request may name a token that is not valid yet"},
)

func newIssued(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // which came first is not known
	}
	return &issued{m: m, counts: map[string]*int{"MEM-05": m.counter("MEM-05"), "MEM-17": m.counter("MEM-17")}, of: map[*object]*issue{},
		byWr: map[string]*issue{}, reads: map[*Call]*issue{}}
}

func (g *issued) begin(c *Call, e *trace.Event) {
	if e.NoEffect {
		return
	}
	switch c.Fn {
	case "NdkGetRemoteTokenFromMr", "NdkGetRemoteTokenFromMw":
		if is := g.of[c.own()]; is != nil && is.returned {
			g.reads[c] = is
		}
	case "NdkFastRegister":
		g.posted("MEM-05", c, Mr)
	case "NdkBind":
		g.posted("MEM-17", c, Mw)
	case "NdkSendAndInvalidate":
		g.uncertain = true
	case "NdkRead":
		g.uncertain = g.uncertain || slices.Contains(e.Flags, "RDMA_READ_LOCAL_INVALIDATE")
	case "NdkInvalidate", "NdkRegisterMr", "NdkInitializeFastRegisterMr", "NdkDeregisterMr", "NdkCloseMr", "NdkCloseMw":
		g.forget(g.m.used(c, Mr))
		g.forget(g.m.used(c, Mw))
		for o := range g.of {
			if o.Kind == Mw && c.Fn != "NdkCloseMw" { // it may be bound to that region
				g.forget(o)
			}
		}
	}
}

// posted records a request that makes a token.
func (g *issued) posted(rule string, c *Call, k Kind) {
	o := g.m.used(c, k)
	g.forget(o)
	if o != nil && len(g.of) < maxBindings {
		is := &issue{rule: rule, name: o.Name, wr: c.Wr, line: c.Begun.Line}
		g.of[o], g.byWr[c.Wr] = is, is
	}
}

// forget records that the token of an object may be another from now on.
func (g *issued) forget(o *object) {
	if is := g.of[o]; is != nil {
		delete(g.byWr, is.wr)
		delete(g.of, o)
	}
}

func (g *issued) end(c *Call, e *trace.Event) {
	switch {
	case c.Fn == "NdkFastRegister" || c.Fn == "NdkBind":
		if is := g.byWr[c.Wr]; is != nil {
			is.returned = true
		}
	case c.Kind == calls.PollCq && len(g.byWr) > 0:
		for i := range e.Results {
			g.completed(&e.Results[i])
		}
	}
	if is := g.reads[c]; is != nil {
		if delete(g.reads, c); g.of[c.own()] == is && e.Token != nil {
			g.read(is, c, *e.Token)
		}
	}
}

// read records a token that was read.
func (g *issued) read(is *issue, c *Call, token uint32) {
	if is.token == nil {
		is.token, is.from = &token, g.m.now.Line
		return
	}
	*g.counts[is.rule]++
	if *is.token == token || is.finding != nil {
		return
	}
	is.finding = &Finding{Verdict: verdict.ProviderViolation, Rule: is.rule, Place: g.m.now, See: []int{is.line, is.from, c.Begun.Line}, Objects: c.named(),
		Follows: true, Message: fmt.Sprintf("the remote token of %s was %d and is %d, and nothing has changed it since %s was posted", is.name, *is.token, token, is.wr)}
	g.settle(is)
}

// completed records how a request ended. One that failed may have left any token.
func (g *issued) completed(result *trace.Result) {
	is := g.byWr[result.Wr]
	if is == nil || is.told {
		return
	}
	if calls.OutcomeOf(result.Status) == model.SUCCESS {
		is.told = true
		g.settle(is)
		return
	}
	delete(g.byWr, is.wr)
	maps.DeleteFunc(g.of, func(_ *object, o *issue) bool { return o == is })
}

// settle reports two tokens of one object, once the request is known to have succeeded.
func (g *issued) settle(is *issue) {
	if is.told && is.finding != nil && !g.uncertain && !g.m.mayBeUnbound() {
		g.m.report(*is.finding)
	}
}
