package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Receives of a shared receive queue complete into the CQ of whichever queue pair took them, in no order (SRQ-10, A9). Each posted receive may complete at
// any time into any CQ of the queue pairs that name the queue: it may explain a callback there, but is never owed. Which message it took is not followed: the
// other ends of the queue pairs are judged as if they were not in the trace.

// A shared is what is known of shared receive queues.
type shared struct {
	queues map[string]*sharedQueue
	wrs    map[string]*sharedReceive // that were posted to one, and that no poll has delivered; nil while none was
	named  bool                      // a queue pair was created that names the one that it takes its receives from
}

// A sharedQueue is a shared receive queue, and the CQs into which what it holds may complete.
type sharedQueue struct {
	fed         []fed
	outstanding int
}

// A fed is a CQ of queue pairs that take their receives from a shared queue, and since when.
type fed struct {
	cq   *cq
	from eventIndex
}

// feedsSince returns since when a CQ may have taken receives of the queue, or 0.
func (queue *sharedQueue) feedsSince(q *cq) eventIndex {
	for _, f := range queue.fed {
		if f.cq == q {
			return f.from
		}
	}
	return 0
}

type sharedReceive struct {
	request
	queue *sharedQueue
}

func (s *Stream) sharedQueue(name string) *sharedQueue {
	if s.shared.queues == nil {
		s.shared.queues = map[string]*sharedQueue{}
	}
	q := s.shared.queues[name]
	if q == nil {
		q = &sharedQueue{}
		s.shared.queues[name] = q
	}
	return q
}

// postsShared handles the post of receives to a shared queue.
func (s *Stream) postsShared(u *underWay, e *trace.Event) {
	first := s.shared.wrs == nil
	if first {
		s.shared.wrs = map[string]*sharedReceive{}
	}
	queue := s.sharedQueue(e.Srq)
	if len(e.Wrs) == 0 {
		queue.add(s, u, e, e.Wr)
	}
	for _, w := range e.Wrs {
		queue.add(s, u, e, w.Wr)
	}
	if first {
		for _, p := range s.qpsInOrder {
			p.mayShare()
		}
	}
}

func (queue *sharedQueue) add(s *Stream, u *underWay, e *trace.Event, wr string) {
	if s.shared.wrs[wr] == nil {
		queue.outstanding++
		queue.feeds(1)
	}
	r := &sharedReceive{queue: queue}
	r.wr, r.op, r.function, r.line, r.called, r.bytes = wr, model.ReceiveOp, u.Function, e.Line, s.at, monitor.Unknown
	s.shared.wrs[wr] = r
}

// feeds lets n receives more, or fewer, be on their way into the CQs.
func (queue *sharedQueue) feeds(n int) {
	for _, f := range queue.fed {
		f.cq.isFed(n)
	}
}

func (q *cq) isFed(n int) {
	if q.pending += n; n > 0 {
		q.added = q.s.at
		q.checkRoom()
	} else {
		q.hasRoom()
	}
}

// takesFrom records that p takes its receives from a shared queue.
func (p *qp) takesFrom(name string) {
	queue, q := p.s.sharedQueue(name), p.wqs[model.Receive].cq
	p.s.shared.named, p.takes = true, queue
	queue.fed = slices.DeleteFunc(queue.fed, func(f fed) bool { return f.cq.over != 0 }) // its queue pairs are closed
	if queue.feedsSince(q) == 0 {
		queue.fed = append(queue.fed, fed{q, p.s.at})
		q.isFed(queue.outstanding)
	}
}

// sharesReceives reports whether the receives of a queue are of a shared one.
func (l *workQueue) sharesReceives() bool { return l.queue == model.Receive && l.qp.takes != nil }

// mayShare makes the CQ of p's receives undecided: they may be of a shared queue, because no queue pair names one.
func (p *qp) mayShare() {
	if q := p.wqs[model.Receive].cq; q != nil && p.s.shared.wrs != nil && !p.s.shared.named {
		q.group.leaveOpen(verdict.TakesShared(q.name, false, p.s.dialect.Name))
	}
}

// deliversShared handles the result of a receive of a shared queue, and reports whether it is of one that completes into q.
func (q *cq) deliversShared(out *[]observation, p *poll, result *trace.Result) bool {
	r, l := q.s.shared.wrs[result.Wr], q.receiver(result.Qp)
	if r == nil || l == nil || r.queue.feedsSince(q) == 0 {
		return false
	}
	counted := max(r.called, r.queue.feedsSince(q))
	for _, f := range r.queue.fed {
		if f.cq != q {
			f.cq.take(observation{what: gone, at: q.s.at, counted: max(r.called, f.from), request: &r.request})
		}
	}
	delete(q.s.shared.wrs, r.wr)
	q.s.past.add(overRequest{wr: r.wr, lines: [2]int{r.line, q.s.line()}})
	r.queue.outstanding--
	r.queue.feeds(-1)
	if r.wq = l; q.failed.at != 0 && !q.mayHaveLost(&r.request, p.line) {
		return true
	}
	kinds, outcome := automaton.Plain|automaton.Solicited, calls.OutcomeOf(result.Status)
	l.qp.took(r, outcome)
	switch outcome {
	case model.CANCELLED:
		kinds = automaton.Cancelled
	case model.FAILED:
		kinds = automaton.Failed
	}
	q.placedSince(r.called, r.called)
	q.countDelivered(p, &r.request, kinds)
	*out = append(*out, observation{what: delivered, kinds: kinds, from: r.called, counted: counted, request: &r.request})
	return true
}

// receiver returns the queue of the receives of a queue pair that takes them from a shared queue: of the one that a result names, or of any.
func (q *cq) receiver(name string) *workQueue {
	i := slices.IndexFunc(q.wqs, func(l *workQueue) bool {
		return l.queue == model.Receive && l.qp.takes != nil && (name == "" || l.qp.name == name)
	})
	if i < 0 {
		return nil
	}
	return q.wqs[i]
}

// took records what the completion of a receive of a shared queue says of p.
func (p *qp) took(r *sharedReceive, outcome model.Outcome) {
	if outcome == model.SUCCESS {
		p.carried(&r.request)
		p.succeeds = p.succeeds || p.connected != 0
		return
	}
	if p.lossTold = true; p.connected != 0 {
		p.breaks(max(r.called, p.connected))
	}
}
