package search

import (
	"slices"

	"ndkoracle/linearize/resets"
	"ndkoracle/trace"
)

// A queue pair of unknown type is judged as RC. UC allows more: it may lose a message. So where the search accuses, it asks again as if each were UC. What is
// accepted then rests on which messages arrived, and package doubts leaves it open where one may be lost.

// asUC returns a trace with UC as the type of each queue pair of libibverbs whose creation does not record it, or nil where there is none.
func asUC(t *trace.Trace) *trace.Trace {
	untyped := func(e trace.Event) bool {
		return e.Ph == trace.Call && (e.Fn == "ibv_create_qp" || e.Fn == "ibv_create_qp_ex" || e.Fn == resets.ToInit) && e.QpType == ""
	}
	if !slices.ContainsFunc(t.Events, untyped) {
		return nil
	}
	other := *t
	other.Events = slices.Clone(t.Events)
	for i := range other.Events {
		if untyped(other.Events[i]) {
			other.Events[i].QpType = "UC"
		}
	}
	return &other
}
