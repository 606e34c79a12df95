package stream

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// In an undecided group the provider is no longer judged, so what its polls fetch is not removed from its queues: it counts as outstanding, and
// explains what an outstanding request may. This state must not grow with the length of the trace. Once it is large, the other end, which it might
// explain, becomes undecided as well, and the state is dropped.

// mostFetched is how many requests of a queue are kept that polls of a CQ that is left open have fetched.
const mostFetched = 1 << 12

// fetched handles what polls of the CQ, which is undecided, have fetched.
func (q *cq) fetched(polls []*poll) {
	for _, p := range polls {
		if p.foundNothing() && p.rested > q.fetchedBy {
			q.fetchedBy = p.rested
			q.fetchedNothing(p)
		}
		for i := range p.results {
			r := q.s.request(q, p.results[i].Wr)
			if r == nil {
				delete(q.s.shared.wrs, p.results[i].Wr)
			}
			if r == nil || r.wq.cq != q || r.fetched {
				continue
			}
			r.fetched = true
			if r.wq.fetched++; r.wq.fetched == mostFetched {
				r.wq.forgetFetched()
			}
		}
	}
}

// fetchedNothing handles a poll that found nothing after a moment of rest. The silent requests that may have been over by then are assumed to have
// succeeded. If the other end is also undecided, it does not matter which those are.
func (q *cq) fetchedNothing(p *poll) {
	for _, l := range q.wqs {
		if l.queue != model.Initiator {
			continue
		}
		for _, r := range slices.Backward(l.waiting) {
			if r.fetched {
				break // as those before it
			}
			by := r.rested
			if l.qp.unclear != "" {
				by = r.returned
			}
			if r.silent && by != 0 && by <= p.rested && r.place == 0 {
				r.fetched = true
				l.fetched++
			}
		}
		if l.fetched >= mostFetched {
			l.forgetFetched()
		}
	}
}

// forgetFetched forgets the requests of a queue that polls have fetched, and the silent ones before them.
func (l *workQueue) forgetFetched() {
	l.qp.leaveOpen(fmt.Sprintf("%s is left open, and more of its requests were fetched than this engine keeps%sporcupine", l.qp.name, verdict.Shorter))
	silentTo := 0
	for i, r := range l.waiting {
		if r.fetched {
			silentTo = i
		}
	}
	forgotten := func(r *request) bool { return r.fetched }
	for _, r := range l.waiting[:silentTo] {
		r.fetched = r.fetched || r.silent && r.returned != 0
	}
	for _, r := range l.waiting {
		if r.fetched {
			delete(l.qp.s.byName, r.wr)
		}
	}
	for _, of := range []*[]*request{(*[]*request)(&l.waiting), &l.messages, &l.taken, &l.guessed} {
		*of = slices.DeleteFunc(*of, forgotten)
	}
	l.cq.points = slices.DeleteFunc(l.cq.points, forgotten)
	l.fetched = 0
}
