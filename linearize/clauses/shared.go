package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
)

// Receives of a shared receive queue complete into the CQ of whichever queue pair took them. Which did is not followed, nor which message: a queue pair that
// names such a queue has no peer here. What they may hold of the room of a CQ is counted.

// sharedQueues are the shared receive queues that queue pairs name.
type sharedQueues struct {
	srqs map[string]*sharedQueue
	of   map[string]*sharedQueue // by request, until a poll delivers it

	unpairedNames map[string]int // by connection: the call of the first message of an unpaired end that names a token
}

type sharedQueue struct {
	cqs         []*completionQueue // into which its receives may complete
	outstanding int
}

func (s *sharedQueues) srq(name string) *sharedQueue {
	if s.srqs == nil {
		s.srqs, s.of = map[string]*sharedQueue{}, map[string]*sharedQueue{}
	}
	q := s.srqs[name]
	if q == nil {
		q = &sharedQueue{}
		s.srqs[name] = q
	}
	return q
}

// takesShared records that receives of a shared queue may complete into a CQ.
func (e *Engine) takesShared(srq string, q *completionQueue) {
	e.tokensAreUnknown() // a receive may end one
	s := e.srq(srq)
	s.cqs = slices.DeleteFunc(s.cqs, func(o *completionQueue) bool { return o.closed })
	if !slices.Contains(s.cqs, q) {
		s.cqs = append(s.cqs, q)
		q.outstanding += s.outstanding
		e.mayOverflow(q)
	}
}

// SharedPosted records that a receive is posted to a shared queue.
func (e *Engine) SharedPosted(m facts.Moment, srq, wr string) {
	e.now, e.quiet = m, false
	s := e.srq(srq)
	if e.of[wr] != nil {
		return
	}
	e.of[wr] = s
	s.outstanding++
	for _, q := range s.cqs {
		q.outstanding++
		e.mayOverflow(q)
	}
}

// deliversShared handles the result of a receive of a shared queue, and reports whether it is of one.
func (e *Engine) deliversShared(wr string) bool {
	s := e.of[wr]
	if s == nil {
		return false
	}
	delete(e.of, wr)
	s.outstanding--
	for _, q := range s.cqs {
		q.outstanding--
	}
	return true
}
