package stream

import (
	"cmp"
	"fmt"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/verdict"
)

// A cq is a completion queue as a stream follows it.
type cq struct {
	object
	occupancy
	emptiness
	notifications
	queue     *automaton.Queue
	wqs       []*workQueue // the queues that complete into it
	arms      arming
	missed    missedCallbacks
	polls     pollsUnderWay
	deadEnd   deadEnd
	resizes   resizes
	window    overflowWindow
	failed    failure
	closedQps closedQps
	closed    eventIndex // when a close had returned
	over      eventIndex // when it had completed
	misplaced earlier    // the first point of it before its creation was called
	countedAs certainty  // once it was put aside
}

func (s *Stream) cq(name string) *cq {
	latest := &s.latestCqs[endOf(name)]
	if *latest != nil && (*latest).name == name {
		return *latest
	}
	q := s.cqs[name]
	if q == nil {
		s.objectCount++
		q = &cq{object: object{s: s, name: name, number: s.objectCount, group: newGroup(s.objectCount)}, occupancy: occupancy{depth: unlimitedDepth},
			queue: s.machine.NewQueue(s.consumer)}
		s.cqs[name] = q
		s.cqsInOrder = append(s.cqsInOrder, q)
	} else if q.retired {
		q.bringBack()
	}
	*latest = q
	return q
}

// unlimitedDepth is the depth of a CQ whose creation the trace does not record.
const unlimitedDepth = int(^uint32(0) >> 1)

// stopped reports whether nothing more is said of the CQ.
func (q *cq) stopped() bool {
	g := q.group.root()
	return g.stopped || g.unclear != ""
}

func (q *cq) unclear(format string) {
	g := q.group.root()
	g.unclear = cmp.Or(g.unclear, fmt.Sprintf(format, q.name))
}

// used makes a CQ undecided that was created before the trace began.
func (q *cq) used() {
	if !q.created {
		q.group.leaveOpen(verdict.CqOfBefore(q.name, q.s.dialect.Name))
	}
}
