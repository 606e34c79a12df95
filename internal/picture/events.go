package picture

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// IsSetUp reports whether an event only prepares what the rules are about.
func IsSetUp(e *trace.Event) bool {
	if e.Ph == trace.Enter || e.Ph == trace.Exit {
		return false
	}
	switch calls.KindOf(e) {
	case calls.Post, calls.PostShared, calls.ArmCq, calls.PollCq, calls.ReadEvent, calls.FlushQp, calls.EndConnection, calls.CloseCq, calls.CloseQp, calls.CloseDone,
		calls.Quiesce, calls.Placed, calls.ResizeCq, calls.UnsettleQp, calls.DeviceEvent:
		return false
	}
	return true
}

// isSetUp reports whether an item only prepares what the rules are about.
func (i *item) isSetUp() bool { return i.kind == event && IsSetUp(i.event) }

// Missing returns the CQ, or the shared receive queue, whose callback was owed at a moment of rest and not entered, or "" where a finding is of something else. It
// is that of the arm which the finding refers to.
func Missing(f *verdict.Finding, t *trace.Trace) string {
	at := EventOn(t, f.Line) // nil at the end of the trace
	if strings.HasPrefix(f.Rule, "SRQ-") && (at == nil || calls.KindOf(at) == calls.Quiesce) {
		for _, line := range f.See {
			if e := EventOn(t, line); e != nil && e.Srq != "" {
				return e.Srq
			}
		}
	}
	if !breach.IsOfMissing(f.Rule) || at != nil && slices.Contains([]calls.Kind{calls.Callback, calls.ReadEvent}, calls.KindOf(at)) {
		return ""
	}
	for _, line := range f.See {
		if e := EventOn(t, line); e != nil && calls.KindOf(e) == calls.ArmCq {
			return e.Cq
		}
	}
	return ""
}

// EventOn returns the event on a line of a trace, or nil where none is kept.
func EventOn(t *trace.Trace, line int) *trace.Event {
	if t == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(t.Events, line, func(e trace.Event, line int) int { return cmp.Compare(e.Line, line) })
	if !found {
		return nil
	}
	return &t.Events[i]
}
