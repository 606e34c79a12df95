package clauses

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A recalled request is one of an engine that forgets none.
type recalled struct {
	of   *request
	owed int // by when it was over, as far as was known before anything told that it was late, which contradicts the clauses
}

// Recall reads a whole trace and forgets nothing of it, so that OwedBy may be asked of each request. It knows from the beginning which CQ reports an error:
// that may have had it at any time before.
func Recall(d model.Dialect, t *trace.Trace) *Engine {
	e := New(d)
	e.kept = map[string]*recalled{}
	for i := range t.Events {
		ev := &t.Events[i]
		if cq, health, is := calls.CqErrorOf(ev); is && health == model.InternalError {
			q := e.cq(cq)
			q.failed = true
			e.cannotTake(q)
		}
	}
	e.Read(withoutVainConnects(d, t))
	return e
}

// withoutVainConnects returns a trace without the connects of libibverbs that failed: such a call does nothing. Read as it comes, one that another
// connect of its queue pair overlaps leaves that undecided.
func withoutVainConnects(d model.Dialect, t *trace.Trace) *trace.Trace {
	connects, vain := map[string]bool{}, map[string]bool{}
	for i := range t.Events {
		switch e := &t.Events[i]; {
		case !d.ErrorState:
		case e.Ph == trace.Call:
			connects[e.Op] = calls.KindOf(e) == calls.ConnectQp
		case e.Ph == trace.Ret && connects[e.Op]:
			vain[e.Op] = calls.IsRefusal(true, e)
		}
	}
	others := *t
	others.Events = slices.Clone(t.Events)
	for i := range others.Events {
		if e := &others.Events[i]; vain[e.Op] {
			*e = trace.Event{Line: e.Line} // so that each other event keeps its number
		}
	}
	return &others
}

// OwedBy returns the first event, a moment of rest, by which a request had completed in every schedule in which its CQ had not failed, or 0: a silent one
// was over. Recall has read the trace.
func (e *Engine) OwedBy(wr string) int {
	k := e.kept[wr]
	if k == nil {
		return 0
	}
	e.recall(k.of)
	return k.owed
}

func (e *Engine) owedBy(r *request) int {
	own, p := r.queue.cq, r.queue.qp
	if p.hasCq(func(q *completionQueue) bool { return q.unsure && (q != own || p.open) }) {
		return 0
	}
	over := r.c
	if r.silent {
		over = r.x
	}
	if by := e.Solver.OverByRest(over, own.scope); by < p.closeCall { // else its completion may have vanished (A21)
		return by
	}
	return 0
}

// recall records by when r is over, as far as is known by now.
func (e *Engine) recall(r *request) {
	k := e.kept[r.wr]
	if k == nil {
		return
	}
	if by := e.owedBy(r); by != 0 && (k.owed == 0 || by < k.owed) {
		k.owed = by
	}
}
