package histories

import (
	"ndkoracle/internal/notation"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// depths are those that a consumer asks for.
var depths = []int{1, 2, 3, 8, 64}

// resize asks for another depth, also while the CQ is armed or polled (RSZ-05). One resize at a time: what a second one means nothing says.
func (r *Run) resize(i int) {
	asked := depths[r.draw(len(depths), "depth")]
	r.start(r.fn("NdkResizeCq", "ibv_resize_cq"), trace.Event{Cq: CqName(i), Depth: notation.Number(int64(asked))}, func(f *inFlight) {
		r.take(model.Action{Name: model.NdkResizeCq, Cq: i, Depth: asked})
		if !r.verbs() && r.draw(2, "pending") == 1 {
			f.ret = trace.Event{Status: "STATUS_PENDING"}
			return
		}
		r.take(model.Action{Name: model.Resize, Cq: i})
		f.ret = r.resizeTold(i)
	}, "resize "+CqName(i))
}

func isResize(e trace.Event) bool { return e.Fn == "NdkResizeCq" || e.Fn == "ibv_resize_cq" }

// mayResize reports whether no resize of the CQ is under way or pending.
func (r *Run) mayResize(i int) bool {
	return r.resizes && r.s.Cqs[i].Resize == model.NotResizing && !r.busy("resize "+CqName(i))
}

// resizeTold returns the event that reports how a resize ended.
func (r *Run) resizeTold(i int) trace.Event {
	told, outcome := r.ok(), model.SUCCESS
	if r.s.Cqs[i].Resize == model.ResizeRefused {
		told, outcome = r.refused(), model.FAILED
	}
	r.take(model.Action{Name: model.NdkRequestCompletionEnter, Cq: i, Outcome: outcome})
	r.take(model.Action{Name: model.NdkRequestCompletionExit, Cq: i})
	return told
}

func (r *Run) refused() trace.Event {
	if r.verbs() {
		return trace.Event{Errno: "EINVAL"}
	}
	return trace.Event{Status: "STATUS_INSUFFICIENT_RESOURCES"}
}

// answersResize reports whether an event tells how a resize ended.
func answersResize(e *trace.Event) bool {
	return e.Ph == trace.Ret && isResize(*e) && e.Status != "STATUS_PENDING" || e.Ph == trace.Enter && e.Fn == "NdkRequestCompletion"
}

// answerOtherwise reports that a resize was refused which succeeded, or the other way round.
func (r *Run) answerOtherwise(e *trace.Event) {
	told := r.ok()
	if e.Status == told.Status && e.Errno == told.Errno {
		told = r.refused()
	}
	e.Status, e.Errno = told.Status, told.Errno
}

// isResized reports whether a pending resize has ended and its completion has not been reported.
func (r *Run) isResized(i int) bool {
	return !r.busy("resize "+CqName(i)) && (r.s.Cqs[i].Resize == model.ResizeDone || r.s.Cqs[i].Resize == model.ResizeRefused)
}

// resized is the completion of a resize that was pending.
func (r *Run) resized(i int) {
	var of string
	for _, e := range r.Trace.Events {
		if isResize(e) && e.Cq == CqName(i) {
			of = e.Op
		}
	}
	told := r.resizeTold(i)
	told.For = of
	op := r.newOp()
	r.Event(trace.Enter, op, "NdkRequestCompletion", told)
	r.Event(trace.Exit, op, "NdkRequestCompletion", trace.Event{})
}
