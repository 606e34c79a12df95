package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// answers checks that a call which returned STATUS_PENDING is completed by one callback of its kind, and no other call by any: ASY-01,
// ASY-02, ASY-07, MOD-05 and POST-10; and that a pending close completes in the end: LIFE-11.
type answers struct {
	nothing
	m      *Monitor
	over   map[string]overCall // calls that wait for no callback any more, by op: the latest
	order  []string            // of them
	posts  []postCall          // the latest of the calls that are frequent, a ring
	next   int
	closed int // pending closes that have completed since the latest moment of rest

	answered, once, atOnce, posted, ended *int // ASY-01, ASY-02, ASY-07, POST-10, LIFE-11
}

// An overCall waits for no completion callback.
type overCall struct {
	call     *Call
	returned int // the line on which it returned, or was completed
	answer   string
	pended   bool // it returned STATUS_PENDING: it was to have one callback
	answered int  // the line of that
	late     bool // the callback was reported missing, and has not come
}

// A postCall is a frequent one: a post, a poll, an arm.
type postCall struct {
	op, fn, wr string
	of         Object
	line       int
}

// maxOver is how many calls that are over are remembered, and maxPosts how many frequent ones.
const (
	maxOver  = 4096
	maxPosts = 1024
)

var _ = decides(
	rule{ID: "ASY-01", On: on{"a call returns STATUS_PENDING"}, OnlyNdk: true, Eventual: true, Alone: true},
	rule{ID: "ASY-02", On: on{"a call returns that could have returned STATUS_PENDING, or a completion callback is of none that did"}, OnlyNdk: true, Alone: true, Rests: declared.OwnWords},
	rule{ID: "ASY-07", On: on{"a call returns that takes no completion callback"}, OnlyNdk: true},
	rule{ID: "MOD-05", On: on{"NdkControlCqInterruptModeration returns"}, OnlyNdk: true},
	rule{ID: "POST-10", On: on{"a post returns"}, OnlyNdk: true, Rests: declared.OwnWords, Undefined: "what a call returns: in the contract it is one step"},
	rule{ID: "LIFE-11", On: on{"a pending close completes, or waits for nothing at a moment of rest"}, OnlyNdk: true, Eventual: true, Rests: declared.Children},
)

func newAnswers(m *Monitor) checks {
	a := &answers{m: m, over: map[string]overCall{}, answered: m.counter("ASY-01"), once: m.counter("ASY-02"), atOnce: m.counter("ASY-07"),
		posted: m.counter("POST-10"), ended: m.counter("LIFE-11")}
	return a
}

// end looks at what a call returns.
func (a *answers) end(c *Call, e *trace.Event) {
	if c.Entered {
		return
	}
	pends := calls.Pending(e)
	if c.Kind == calls.Post && !c.Verbs {
		*a.posted++
	}
	switch {
	case c.Kind == calls.Post && pends:
		a.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "POST-10", Objects: c.named(), Follows: true,
			Message: c.name() + " returned STATUS_PENDING: a post answers at once", Instead: c.Fn + " succeeds, or is refused"})
	case c.MayPend && pends:
		*a.answered++
		if c.answers > 0 {
			a.isOver(c, calls.StatusPending, c.answered.Line, false)
		}
		return
	case c.answers > 0:
		*a.once++
		a.report("ASY-02", c.named(), []int{c.Begun.Line, c.answered.Line}, false, "%s returned %s, and %s came all the same", c.name(), c.answer(e), c.byFn)
	case c.MayPend:
		*a.once++
	case pends && neverPends(c.Fn):
		rule := "ASY-07"
		if c.Fn == "NdkControlCqInterruptModeration" {
			rule = "MOD-05"
		}
		a.report(rule, c.named(), []int{c.Begun.Line}, false, "%s returned STATUS_PENDING, and has no completion callback that could answer later", c.name())
	case neverPends(c.Fn):
		*a.atOnce++
	}
	switch {
	case frequent(c.Kind):
		a.isPosted(c)
	case c.MayPend || c.answers > 0 || trace.Known(c.Fn):
		a.isOver(c, c.answer(e), 0, false)
	}
}

// neverPends reports whether a function answers at once: it takes no completion callback.
func neverPends(fn string) bool {
	switch fn {
	case "NdkReject", "NdkGetConnectionData", "NdkQueryAdapterInfo", "NdkQueryExtension", "NdkGetLocalAddress", "NdkGetPeerAddress",
		"NdkGetListenerLocalAddress", "NdkGetSharedEndpointLocalAddress", "NdkGetLocalTokenFromMr", "NdkGetRemoteTokenFromMr",
		"NdkGetRemoteTokenFromMw", "NdkGetPrivilegedMemoryRegionToken", "NdkControlCqInterruptModeration", "NdkSrqReceive",
		"NdkControlConnectEvents", "NdkArmCq", "NdkGetCqResults", "NdkGetCqResultsEx", "NdkFlush", "NdkReleaseLAM", "NdkCloseAdapter":
		return true
	}
	return false
}

// frequent reports whether calls of a kind are so frequent that each may cost no more than a place in a ring.
func frequent(k calls.Kind) bool {
	return k == calls.Post || k == calls.PostShared || k == calls.PollCq || k == calls.ArmCq || k == calls.ReadEvent
}

// isPosted records a frequent call that has returned.
func (a *answers) isPosted(c *Call) {
	p := postCall{op: c.Op, fn: c.Fn, wr: c.Wr, line: c.Begun.Line}
	if own := c.own(); own != nil {
		p.of = own.Object
	}
	if len(a.posts) < maxPosts {
		a.posts = append(a.posts, p)
		return
	}
	a.posts[a.next] = p
	a.next = (a.next + 1) % maxPosts
}

// isOver records that a call waits for no callback any more.
func (a *answers) isOver(c *Call, answer string, answered int, late bool) {
	if _, known := a.over[c.Op]; !known {
		a.order = append(a.order, c.Op)
	}
	a.over[c.Op] = overCall{call: c, returned: a.m.now.Line, answer: answer, pended: answer == calls.StatusPending && c.MayPend, answered: answered, late: late}
	if len(a.order) > maxOver {
		delete(a.over, a.order[0])
		a.order = a.order[1:]
	}
}

// begin looks at a completion callback.
func (a *answers) begin(c *Call, e *trace.Event) {
	if e.For == "" {
		return
	}
	of := c.completes
	if of == nil {
		a.checkOther(e)
		return
	}
	if of.answers > 0 {
		a.twice(of.named(), of.name(), of.Begun.Line, of.answered.Line)
		return
	}
	if wanted := completionOf(of); wanted != "" && wanted != c.Fn {
		a.report("ASY-01", of.named(), []int{of.Begun.Line}, false, "%s was completed by %s, and its completion callback is %s", of.name(), c.Fn, wanted)
	}
	if of.pends {
		a.isOver(of, calls.StatusPending, e.Line, false)
	}
}

// completionOf returns which callback completes a call, or "" where any may.
func completionOf(c *Call) string {
	switch {
	case !c.MayPend:
		return ""
	case c.role.closes != NoKind:
		return "NdkCloseCompletion"
	case c.role.creates != NoKind && c.role.creates != Lam: // NDK_FN_BUILD_LAM takes an NDK_FN_REQUEST_COMPLETION: a LAM is not an object with a header
		return "NdkCreateCompletion"
	}
	return "NdkRequestCompletion"
}

// checkOther looks at a completion callback of a call that waits for none.
func (a *answers) checkOther(e *trace.Event) {
	switch o, known := a.over[e.For]; {
	case !known:
		a.checkFrequent(e)
	case o.late:
		o.late, o.answered = false, e.Line
		a.over[e.For] = o
	case o.pended:
		a.twice(o.call.named(), o.call.name(), o.call.Begun.Line, o.answered)
	default:
		*a.once++
		a.report("ASY-02", o.call.named(), []int{o.call.Begun.Line, o.returned}, false, "%s returned %s, and %s came all the same", o.call.name(), o.answer, e.Fn)
	}
}

// checkFrequent is ASY-02 for a completion callback of a post, a poll or an arm. One that the trace holds too far back is not known.
func (a *answers) checkFrequent(e *trace.Event) {
	for i := range a.posts {
		p := &a.posts[i]
		if p.op != e.For {
			continue
		}
		*a.once++
		name := p.fn
		switch {
		case p.wr != "":
			name += " of " + p.wr
		case p.of.Name != "":
			name += " of " + p.of.Name
		}
		var of []Object
		if p.of.Name != "" {
			of = []Object{p.of}
		}
		a.report("ASY-02", of, []int{p.line}, false, "%s takes no completion callback, and %s came for it", name, e.Fn)
		return
	}
}

func (a *answers) twice(of []Object, name string, lines ...int) {
	a.report("ASY-01", of, lines, false, "%s was completed a second time", name)
}

// done records a pending close that completes.
func (a *answers) done(c *Call, succeeded bool) {
	if c.role.closes != NoKind && c.answers > 0 {
		a.closed++
	}
}

// rest looks for calls that wait for the provider alone. While a callback runs, the consumer may delay the provider.
func (a *answers) rest() {
	if a.m.threads.running() {
		return
	}
	*a.ended += a.closed
	a.closed = 0
	var waiting []*Call
	for _, c := range a.m.pending {
		if a.m.waitsForProvider(c) {
			waiting = append(waiting, c)
		}
	}
	slices.SortFunc(waiting, func(x, y *Call) int { return x.Begun.Index - y.Begun.Index })
	for _, c := range waiting {
		rule, also := "ASY-01", []string(nil)
		if c.role.closes != NoKind {
			rule, also = "LIFE-11", []string{"ASY-01"}
			*a.ended++
		}
		a.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, Also: also, See: []int{c.Begun.Line}, Objects: c.named(), Follows: rule != "ASY-01",
			Message: fmt.Sprintf("the provider was at rest, and %s, which returned STATUS_PENDING, had not completed, "+
				"though nothing is left that it has to wait for", c.name())})
		delete(a.m.pending, c.Op)
		a.isOver(c, calls.StatusPending, 0, true)
	}
}

func (a *answers) report(rule string, of []Object, see []int, follows bool, format string, args ...any) {
	a.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, See: see, Objects: of, Follows: follows, Message: fmt.Sprintf(format, args...)})
}
