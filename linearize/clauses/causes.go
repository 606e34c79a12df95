package clauses

import (
	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// mostCauses is how many cancelled requests of a queue pair are kept of which it is not known what cancelled them. Of earlier ones
// nothing is asked any more.
const mostCauses = 64

// cancelled states that something had ended what a cancelled request waited for (RES-10).
func (e *Engine) cancelled(r *request, m facts.Moment) {
	p := r.queue.qp
	if p.failedAt != 0 {
		return // the connection that failed may have been made and lost, which leaves the next as behind a flush
	}
	var alts []timeline.Alt
	if p.attempted != never && e.tellsOfLoss(p) {
		alts = append(alts, timeline.Alt{V: e.lossOf(p), Floor: timeline.At(p.attempted)})
	}
	for _, f := range p.flushes {
		if !f.undone {
			alts = append(alts, timeline.Alt{V: f.at})
		}
	}
	for _, w := range p.queues {
		for _, v := range w.failed {
			alts = append(alts, timeline.Alt{V: v, Steps: 1})
		}
		if w.cq != nil && w.cq.overflowed != timeline.None && w.cq != r.queue.cq { // what r completes into had not overflowed
			alts = append(alts, timeline.Alt{V: w.cq.overflowed})
		}
		if w.cq != nil && (w != r.queue || r.op == model.Read || w.mayFailBefore(r)) {
			alts = append(alts, timeline.Alt{V: e.firstFailureOf(w), Steps: 1})
		}
	}
	if len(p.causes) == mostCauses {
		e.Solver.Drop(p.causes[0].choice)
		p.causes = p.causes[1:]
	}
	p.causes = append(p.causes, cause{e.Solver.OneOf(r.x, alts, causedBy, m.Line), r})
}

// mayFailBefore reports whether something waits on the queue that may have failed before r: polls overlap.
func (w *workQueue) mayFailBefore(r *request) bool {
	return len(w.waiting) > 0 && w.waiting[0].called <= r.called
}

// failed adds a request that failed to what may have cancelled others of its queue pair.
func (e *Engine) failed(r *request) {
	w, p := r.queue, r.queue.qp
	if !w.failedAll {
		w.failed = append(w.failed, e.Solver.Keep(r.x))
		w.failedAll = r.op != model.Read && !r.loose
	}
	for _, c := range p.causes {
		if e.Solver.Undecided(c.choice) && (c.of.queue != w || c.of.op == model.Read && r.passesReads() || r.loose || r.called < c.of.called) {
			e.Solver.Also(c.choice, timeline.Alt{V: r.x, Steps: 1})
		}
	}
}

// firstFailureOf returns when the first request of a queue whose outcome is not known may have failed.
func (e *Engine) firstFailureOf(w *workQueue) timeline.Var {
	if w.firstFailure == timeline.None {
		label := timeline.Label{Deed: firstFailure, Of: "the first of " + w.qp.name + " that may have failed"}
		w.firstFailure = e.Solver.New(label, 0, causedBy, e.now.Line)
	}
	e.raiseFirstFailure(w)
	return w.firstFailure
}

// mostLooked is how many of those that wait are looked at for the first failure.
const mostLooked = 64

// raiseFirstFailure brings that time up to date.
func (e *Engine) raiseFirstFailure(w *workQueue) {
	if w.firstFailure == timeline.None {
		return
	}
	least, from := timeline.At(e.now.At), timeline.None
	for i, r := range w.waiting {
		e.isPending(r)
		if t := e.Solver.Lower(r.end()); t < least {
			least, from = t, r.end()
		}
		if i > mostLooked {
			least, from = min(least, timeline.At(w.waiting[0].called)), timeline.None
			break
		}
		if !r.silent && r.op != model.Read && !r.loose {
			break
		}
	}
	e.Solver.NotBefore(w.firstFailure, least, causedBy, e.now.Line, from)
}
