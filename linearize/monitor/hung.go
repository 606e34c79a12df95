package monitor

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// hung checks the calls and the callbacks that have not returned where the trace ends at rest: POST-10, ARM-06, ARM-20, LIFE-11 and LIFE-14.
type hung struct {
	seldom
	m *Monitor
}

func newHung(m *Monitor) checks { return &hung{m: m} }

// finish looks at the last call of each thread: the others wait for it.
func (h *hung) finish() {
	if !h.m.atRest() {
		return
	}
	open := h.m.open.All()
	within := map[string][]*Call{}
	for _, c := range open {
		within[c.Thr] = append(within[c.Thr], c)
	}
	last := slices.DeleteFunc(slices.Clone(open), func(c *Call) bool {
		on := within[c.Thr]
		return on[len(on)-1] != c
	})
	held := false
	for _, c := range last {
		if c.Entered {
			held = true
			h.undecided(c, "%s never returned: that is the consumer's, and without the exit of %s what waits for it can't be judged")
		}
	}
	if held {
		return
	}
	for _, c := range last {
		on := within[c.Thr]
		h.check(c, on[:len(on)-1], len(open))
	}
}

// check says which rule a call breaks that never returned, if one says that it does return. Called from within a callback of its CQ it
// keeps that callback from returning: such a deadlock is the provider's (A27).
func (h *hung) check(c *Call, around []*Call, open int) {
	inCallback := slices.ContainsFunc(around, func(o *Call) bool { return o.Kind == calls.Callback && o.Cq == c.Cq && c.Cq != "" })
	see := []int{c.Begun.Line}
	for _, o := range around {
		see = append(see, o.Begun.Line)
	}
	switch {
	case strings.HasPrefix(c.Fn, "ibv_get_"):
		// It waits for an event.
	case c.Fn == "NdkCloseAdapter":
		if open == 1 && h.m.isEmpty() {
			h.report(c, "LIFE-14", see, "%s never returned, though everything that was opened is closed and no callback is running", c.name())
		}
	case (c.Kind == calls.Post || c.Kind == calls.PostShared) && !c.Verbs:
		h.report(c, "POST-10", see[:1], "%s never returned: a post answers at once", c.name())
	case (c.Kind == calls.ArmCq || c.Kind == calls.PollCq) && inCallback:
		h.report(c, "ARM-06", see, "%s, called within a callback of %s, never returned: the callback can't return either, and none can follow it", c.name(), c.Cq)
	case c.Kind == calls.CloseCq && inCallback:
		h.report(c, "ARM-20", see, "%s, called within a callback of %s, never returned: it is to stay pending until the callback has returned", c.name(), c.Cq)
	case c.role.closes != NoKind && open == 1 && !c.Verbs && h.m.waitsForProvider(c):
		h.report(c, "LIFE-11", see, "%s never returned, though nothing is left that it has to wait for", c.name())
	case trace.Known(c.Fn):
		h.undecided(c, "%s never returned: without the ret of %s what became of it, and of what waits for it, can't be judged")
	}
}

func (h *hung) report(c *Call, rule string, see []int, format string, args ...any) {
	h.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, See: see, Objects: c.named(), Follows: true, Message: fmt.Sprintf(format, args...)})
}

func (h *hung) undecided(c *Call, format string) {
	h.m.report(Finding{Verdict: verdict.Inconclusive, Place: c.Begun, Message: fmt.Sprintf(format, c.name(), c.Fn)})
}
