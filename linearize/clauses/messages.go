package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// mostUnpaired is how many sends are kept whose peer is not known.
const mostUnpaired = 64

// postMessage adds a send, whose message arrives behind those before it.
func (e *Engine) postMessage(r *request, m facts.Moment) {
	w, s := r.queue, e.Solver
	r.a = s.New(timeline.Label{Deed: arrivedAt, Of: r.wr}, timeline.At(m.At)+1, posted, m.Line)
	w.lastSend = r
	w.messages.sent = append(w.messages.sent, r)
	s.Keep(r.a)
	w.qp.names = w.qp.names || r.op == model.SendAndInvalidate
	if n := len(w.messages.sent); w.qp.peer == nil && n > mostUnpaired {
		w.messages.forget(s, n-1)
	}
}

// forget drops the first sends.
func (g *messages) forget(s *timeline.Solver, n int) {
	for _, r := range g.sent[:n] {
		s.Release(r.a)
	}
	g.base += n
	g.sent = slices.Clone(g.sent[n:])
}

// release drops all that is paired by number.
func (g *messages) release(s *timeline.Solver) {
	for _, r := range g.sent {
		s.Release(r.a)
	}
	for _, r := range slices.Concat(g.met, g.unmet) {
		s.Release(r.x)
	}
	g.sent, g.met, g.unmet = nil, nil, nil
}

// received states which message a receive took that succeeded: the k'th one that succeeds took one that was sent no earlier than
// the k'th, whatever became of the sends. By then the end that sent it had not ended.
func (e *Engine) received(r *request, m facts.Moment) {
	w, s := r.queue, e.Solver
	k := w.messages.succeeded
	w.messages.succeeded++
	if r.queue.qp.peer == nil {
		return
	}
	o := r.queue.qp.peer.queues[model.Initiator]
	if len(w.messages.unmet) > 0 {
		s.Release(w.messages.unmet[0].x)
		w.messages.unmet = w.messages.unmet[1:]
	} else {
		s.Keep(r.x)
		w.messages.met = append(w.messages.met, r)
	}
	i := k - o.messages.base
	if i < 0 {
		return
	}
	if i >= len(o.messages.sent) {
		e.fails(w.qp, tookMessage, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		return
	}
	send := o.messages.sent[i]
	if r.loose {
		o.messages.forget(s, i+1)
		return
	}
	if send.loose { // of all sends, the k'th was posted no earlier than the k'th call
		s.NotBefore(r.x, timeline.At(send.called)+1, tookMessage, m.Line, timeline.None)
		o.messages.forget(s, i+1)
		return
	}
	s.Edge(send.a, r.x, 0, tookMessage, m.Line)
	if i == len(o.messages.sent)-1 && send.flush != nil { // it is the only one that it can have taken
		s.Edge(send.a, send.flush.at, 1, flushSpares, m.Line)
	}
	for _, end := range []timeline.Var{o.qp.ended, o.qp.lost} {
		if end != timeline.None {
			s.Edge(send.a, end, 1, endedLater, m.Line)
		}
	}
	o.messages.forget(s, i+1)
}

// sent states that a send that succeeded had a receive to take.
func (e *Engine) sent(r *request, m facts.Moment) {
	r.queue.messages.succeeded++
	if r.queue.qp.peer == nil {
		return
	}
	to := r.queue.qp.peer.queues[model.Receive]
	if len(to.messages.met) == 0 {
		i := len(to.messages.unmet)
		e.Solver.Keep(r.x)
		to.messages.unmet = append(to.messages.unmet, r)
		e.meets(r, to, i, m)
		return
	}
	j := to.messages.met[0]
	to.messages.met = to.messages.met[1:]
	if r.op != model.SendAndInvalidate && !j.loose && !r.loose {
		e.tookReceive(r, j, m)
	}
	e.Solver.Release(j.x)
}

func (e *Engine) tookReceive(r, j *request, m facts.Moment) {
	e.Solver.NotBefore(r.x, timeline.At(j.called)+1, tookReceive, j.line, timeline.None)
	e.Solver.Edge(j.x, r.x, 0, tookReceive, m.Line)
}

// meets states that a send took no earlier receive than the i'th of those that wait. Where tokens are named, a receive may have
// failed whose send succeeded.
func (e *Engine) meets(r *request, to *workQueue, i int, m facts.Moment) {
	if r.queue.qp.names {
		return
	}
	if i >= len(to.waiting) {
		e.fails(r.queue.qp, tookReceive, r.line, timeline.Label{Deed: executedAt, Of: r.wr})
		return
	}
	if j := to.waiting[i]; !j.loose && !r.loose {
		e.tookReceive(r, j, m)
	}
}

// receiveFailed handles that the oldest receive took no message: the sends that wait for one took the next.
func (e *Engine) receiveFailed(w *workQueue, m facts.Moment) {
	for i, r := range w.messages.unmet {
		if w.qp.open {
			return
		}
		e.meets(r, w, i, m)
	}
}
