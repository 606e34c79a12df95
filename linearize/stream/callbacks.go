package stream

import (
	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// notifications is what is known of the callbacks of a CQ, or of the reads of its events.
type notifications struct {
	calling    int          // callbacks that have been entered and have not returned
	shows      *callbackFor // the oldest callback that shows what no poll has delivered, or nil
	readers    int          // calls under way that may read an event of the CQ
	readFrom   eventIndex   // since when a thread has been waiting for an event, if one is
	unreadLine int          // of the first moment of rest by which an event had been given that nothing has told to be read, or 0
}

// mayBeUnread handles a completion that had been placed by a moment of rest after the arm: an event that has been given by now had been given by
// then, and a thread was waiting for it.
func (q *cq) mayBeUnread(e *observation) {
	if e.what == delivered && q.unreadLine == 0 && q.readers > 0 && q.readFrom < e.owed && q.arms.calledAt < e.owed && q.queue.Untold() {
		q.unreadLine = e.request.owedLine
	}
}

// A callbackFor is a callback of a CQ that was entered, or an event that was read. From then on the CQ has a completion in every explanation.
type callbackFor struct {
	at     eventIndex
	line   int
	latest bool // no other has come since
}

// isFirstShown reports whether the CQ may be empty before a callback, so that it is the first to show a completion.
func (q *cq) isFirstShown() bool {
	if q.shows != nil {
		q.shows.latest = false
		return false
	}
	return q.queue.MayBeEmpty()
}

// entered handles the entry of a callback.
func (s *Stream) entered(u *underWay, e *trace.Event) {
	q := u.cq
	q.calling++
	s.seen[aCallback]++
	status, _ := calls.HealthOf(e.Status)
	q.toldLate()
	if status == model.OK {
		q.countEntered()
	} else if !q.mayReport(e.Status, status) {
		return
	}
	entry := observation{what: enter, at: s.at, status: status}
	if status == model.OK {
		entry.from, entry.owes = q.endedBy(), q.owesForGood()
	}
	if status == model.OK || status == model.BufferOverflow && q.roomNow() != automaton.NotFollowed {
		q.take(entry)
		if status != model.OK && !q.group.root().stopped {
			q.fails(status)
		}
		return
	}
	q.fails(status)
	q.take(entry)
}

// endedBy returns the latest moment of rest by which all that could complete, and is not delivered, had ended, or 0: silent requests, which have
// succeeded since, or failed before it.
func (q *cq) endedBy() eventIndex {
	by, looked := eventIndex(0), 0
	for _, l := range q.wqs {
		if l.sharesReceives() {
			return 0
		}
		for _, r := range l.waiting {
			if r.place != 0 || r.vanished {
				continue
			}
			if looked++; r.silentBy() == 0 || looked > maxLooked {
				return 0
			}
			by = max(by, r.silentBy())
		}
	}
	return by
}

// owesForGood reports whether requests that had to have completed by a moment of rest are not delivered, and were not lost.
func (q *cq) owesForGood() bool {
	return q.owed > 0 && !(q.window.from != 0 && q.window.unfollowed) && q.group.root().doubt == ""
}

// exited handles the return of a callback.
func (q *cq) exited() {
	q.calling--
	if !q.s.dialect.Serialised {
		return
	}
	q.mayDefer()
	q.take(observation{what: exited, at: q.s.at})
}

// finishReads records that calls which have not returned have read nothing.
func (s *Stream) finishReads() {
	for _, q := range s.cqsInOrder {
		if q.readers > 0 || s.consumer {
			q.readersAre(0)
		}
		q.missed.neverTold()
	}
}
