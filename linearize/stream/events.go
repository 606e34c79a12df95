package stream

import (
	"slices"

	"ndkoracle/trace"
)

// eventReads holds the calls that wait for an event of a CQ, on a channel.
type eventReads struct {
	reads    []reader // ibv_get_cq_event that have not returned
	channels trace.Channels
}

// A reader is a call of ibv_get_cq_event that has not returned.
type reader struct {
	call   *underWay
	waiter trace.Waiter
}

// readCalled handles the call of ibv_get_cq_event. From now on an event of each CQ that it may read may have been read: what is placed, or armed,
// from now on comes before that or after it, and merges with it or not (A2).
func (s *Stream) readCalled(u *underWay, e *trace.Event) {
	if e.Cq != "" {
		u.cq = s.cq(e.Cq)
	}
	r := reader{u, s.channels.WaiterOf(e)}
	s.reads = append(s.reads, r)
	for _, q := range s.mayBeRead(u) {
		if s.channels.MayRead(r.waiter, q.name) {
			q.readersAre(q.readers + 1)
		}
	}
}

// mayBeRead returns CQs whose events a call may read, among others that it does not.
func (s *Stream) mayBeRead(u *underWay) []*cq {
	if u.cq != nil {
		return []*cq{u.cq}
	}
	return s.cqsInOrder
}

func (q *cq) readersAre(n int) {
	if q.readers == 0 {
		q.readFrom = q.s.at
	}
	q.readers = n
	q.take(observation{what: readers, at: q.s.at, n: n})
}

// readReturned handles the return of ibv_get_cq_event: with an event of a CQ, or with an error.
func (s *Stream) readReturned(u *underWay, e *trace.Event) {
	i := slices.IndexFunc(s.reads, func(r reader) bool { return r.call == u })
	if i < 0 {
		return
	}
	r := s.reads[i]
	s.reads = slices.Delete(s.reads, i, i+1)
	if e.Cq != "" {
		s.readEvent(r.waiter, s.cq(e.Cq))
	}
	for _, q := range s.mayBeRead(u) {
		if n := q.mayBeReadBy(); q.readers > n {
			q.readersAre(n)
		}
	}
	if e.Errno == "EAGAIN" {
		s.foundNoEvent(r)
	}
}

// readEvent handles an event of a CQ that a call has returned.
func (s *Stream) readEvent(w trace.Waiter, q *cq) {
	q.used()
	s.seen[anEvent]++
	q.countEntered()
	q.unreadLine = 0
	q.take(observation{what: read, at: s.at, owes: q.owesForGood(), unnamed: !s.channels.Reads(w, q.name)})
}

// foundNoEvent handles EAGAIN: nothing lay in the channel. What had been owed at a moment of rest before the call was there, unless another
// call has read it.
func (s *Stream) foundNoEvent(r reader) {
	for _, q := range s.cqsInOrder {
		if s.channels.Reads(r.waiter, q.name) && q.restedAt != 0 && q.restedAt < r.call.call && q.mayBeReadBy() == 0 {
			q.take(observation{what: noEvent, at: s.at})
		}
	}
}

// mayBeReadBy counts the calls under way that may read an event of the CQ.
func (q *cq) mayBeReadBy() int {
	n := 0
	for _, r := range q.s.reads {
		if q.s.channels.MayRead(r.waiter, q.name) {
			n++
		}
	}
	return n
}

// waits reports whether a notification that is owed has somewhere to go: an event of the verbs dialect waits in its channel
// until it is read.
func (q *cq) waits() bool {
	return !q.s.dialect.EventsAreRead || slices.ContainsFunc(q.s.reads, func(r reader) bool { return q.s.channels.Reads(r.waiter, q.name) })
}
