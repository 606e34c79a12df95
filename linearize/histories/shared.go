package histories

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// withSharedReceives returns a trace whose queue pairs take their receives from shared queues, one each, or nil where there is none that may: what succeeds
// then, and in which order, is what it was, but no flush cancels a receive that waits.
func withSharedReceives(t *trace.Trace, several bool) *trace.Trace {
	posted := map[string]bool{} // receives that were posted, by queue pair
	qpOf, apart := map[string]string{}, map[string]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		for _, wr := range receivesOf(e) {
			posted[e.Qp], qpOf[wr] = true, e.Qp
		}
		for _, res := range e.Results {
			if qp := qpOf[res.Wr]; qp != "" && calls.OutcomeOf(res.Status) != model.SUCCESS {
				apart[qp] = true
			}
		}
		if qp := qpOf[e.Wr]; e.Ph == trace.Point && qp != "" {
			apart[qp] = true
		}
	}
	srq := func(qp string) string {
		if several {
			return "srq"
		}
		return "srq of " + qp
	}
	shares := func(qp string) bool { return posted[qp] && !apart[qp] }
	changed, shared := false, *t
	shared.Events = slices.Clone(t.Events)
	functions := map[string]string{} // by op
	for i := range shared.Events {
		e := &shared.Events[i]
		switch {
		case e.Ph == trace.Ret && functions[e.Op] != "":
			e.Fn = functions[e.Op]
		case e.Ph != trace.Call || !shares(e.Qp):
		case calls.KindOf(e) == calls.CreateQp:
			e.Srq, changed = srq(e.Qp), true
		case len(receivesOf(e)) > 0:
			functions[e.Op] = map[string]string{"NdkReceive": "NdkSrqReceive", "ibv_post_recv": "ibv_post_srq_recv"}[e.Fn]
			e.Fn, e.Srq, e.Qp = functions[e.Op], srq(e.Qp), ""
		}
	}
	if !changed {
		return nil
	}
	return &shared
}

// receivesOf returns the names of the receives that a call posts.
func receivesOf(e *trace.Event) (wrs []string) {
	switch {
	case e.Ph != trace.Call:
	case e.Fn == "NdkReceive":
		return []string{e.Wr}
	case e.Fn == "ibv_post_recv":
		for _, w := range e.Wrs {
			wrs = append(wrs, w.Wr)
		}
	}
	return wrs
}
