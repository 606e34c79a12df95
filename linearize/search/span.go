package search

import (
	"math"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// A moment is the index of an event in the trace. Moments order everything: they are seq without its gaps.
type moment = int

// never is the moment of what did not happen in the trace.
const never moment = math.MaxInt

// A span is a call or a callback with both its ends.
type span struct {
	fn         string
	kind       calls.Kind
	call, ret  moment // ret is never when the trace ends before
	begin, end *trace.Event
	within     *span      // the callback that was running on this thread
	requests   []*request // of a post
}

func (s *span) returned() bool { return s.end != nil }

// overlaps reports whether two spans were under way at the same time.
func (s *span) overlaps(t *span) bool { return s.call < t.ret && t.call < s.ret }

// nestsIn reports whether s was called from a callback that ran, on the same thread, within the call t: the provider may call
// back from within a call, and the consumer may call from within a callback (A27).
func (s *span) nestsIn(t *span) bool {
	return s.begin.Thr == t.begin.Thr && s.within != nil && s.within.call > t.call && s.ret <= t.ret
}

// pairUp joins the events of a trace into spans, in the order of their beginnings. Points are spans of one moment.
func pairUp(events []trace.Event) []*span {
	var spans []*span
	open := map[string]*span{}
	running := map[string][]*span{} // callbacks, by thread
	for i := range events {
		e := &events[i]
		switch e.Ph {
		case trace.Call, trace.Enter:
			s := &span{fn: e.Fn, kind: calls.KindOf(e), call: i, ret: never, begin: e}
			spans = append(spans, s)
			open[e.Op] = s
			inner := running[e.Thr]
			for len(inner) > 0 && inner[len(inner)-1].returned() {
				inner = inner[:len(inner)-1]
			}
			if len(inner) > 0 {
				s.within = inner[len(inner)-1]
			}
			if e.Ph == trace.Enter {
				inner = append(inner, s)
			}
			running[e.Thr] = inner
		case trace.Ret, trace.Exit:
			if s := open[e.Op]; s != nil {
				s.ret, s.end = i, e
				delete(open, e.Op)
				if s.refused() && s.kind != calls.Post && s.kind != calls.ResizeCq && s.kind != calls.PostShared && s.kind != calls.ReadEvent && s.fn != "NdkDisconnect" {
					s.kind = calls.Other // it did nothing; a disconnect that fails may have flushed all the same (DISC-08)
				}
			}
		case trace.Point:
			spans = append(spans, &span{fn: e.Fn, kind: calls.KindOf(e), call: i, ret: i, begin: e, end: e})
		}
	}
	return spans
}

// succeeded reports whether the call returned, and returned success.
func (s *span) succeeded() bool { return s.returned() && calls.IsSuccess(s.verbs(), s.end) }

func (s *span) verbs() bool { return strings.HasPrefix(s.fn, "ibv_") }

// refused reports whether the call returned, and returned failure.
func (s *span) refused() bool { return s.returned() && calls.IsRefusal(s.verbs(), s.end) }

// pending reports whether the call returned STATUS_PENDING.
func (s *span) pending() bool { return s.returned() && calls.Pending(s.end) }

// doneAt returns the moment at which a call had succeeded: at its return, or when its completion callback was entered; or never.
func (h *history) doneAt(s *span) moment {
	switch {
	case s == nil:
		return never
	case s.succeeded() && !s.pending():
		return s.ret
	case s.pending() && len(h.answers[s.begin.Op]) > 0:
		if by := h.answers[s.begin.Op][0]; by.fn == "NdkCloseCompletion" || calls.ReportsSuccess(by.begin) { // a close can't fail then
			return by.call
		}
	}
	return never
}
