package monitor

import (
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// arguments checks the arguments of single calls and callbacks: ARM-13 and ARM-15.
type arguments struct {
	nothing
	m               *Monitor
	arms, callbacks *int
}

var _ = decides(
	rule{ID: "ARM-13", On: on{"a CQ is armed"}, OnlyNdk: true, Rests: declared.OwnWords, Undefined: "about an argument of one call, independent of earlier calls"},
	rule{ID: "ARM-15", On: on{"a callback of a CQ is entered"}, OnlyNdk: true, Rests: declared.OwnWords},
)

func newArguments(m *Monitor) checks {
	return &arguments{m: m, arms: m.counter("ARM-13"), callbacks: m.counter("ARM-15")}
}

func (a *arguments) begin(c *Call, e *trace.Event) {
	switch {
	case c.Kind == calls.ArmCq && !c.Verbs:
		a.checkArm(e)
	case c.Kind == calls.Callback:
		a.checkStatus(e)
	}
}

// checkArm is ARM-13.
func (a *arguments) checkArm(e *trace.Event) {
	*a.arms++
	if _, ok := calls.ArmOf(e); !ok {
		a.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "ARM-13", Objects: []Object{{Cq, e.Cq}}, Follows: true,
			Message: fmt.Sprintf("%s was armed with type %q, and there are ERRORS, ANY and SOLICITED", e.Cq, e.Type)})
	}
}

// checkStatus is ARM-15.
func (a *arguments) checkStatus(e *trace.Event) {
	*a.callbacks++
	if _, ok := calls.HealthOf(e.Status); !ok {
		a.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-15", Objects: []Object{{Cq, e.Cq}}, Follows: true,
			Message: fmt.Sprintf("the callback of %s reports %s, which is not a status of a notification callback", e.Cq, e.Status)})
	}
}
