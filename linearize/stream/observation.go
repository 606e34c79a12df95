package stream

import (
	"cmp"

	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// An observation is what one event means to the automaton of a CQ.
type observation struct {
	what    observed
	arm     model.Arm
	status  model.Health
	kinds   automaton.Kinds
	owes    bool // of enter, read: what is owed is owed for good
	known   bool // of delivered: its place is known
	again   bool // of vanishing: of the same QP as before; of resized: it was refused
	waiting bool // a thread waits for callbacks
	unnamed bool // of read: the trace does not say on which channel the call waited
	at      eventIndex
	line    int
	pending int
	room    int        // as roomNow has it
	from    eventIndex // from when on the completion can have been placed; of enter, vanishing: by when all that is outstanding had ended, or 0
	counted eventIndex // from when on it counted as one that could be
	owed    eventIndex // the moment of rest at which it was owed, or 0
	list    []uint64
	n       int
	request *request
}

type observed uint8

const (
	armCall observed = iota
	armReturn
	armRefused
	enter
	failedByNow // the device reports an error
	exited
	read
	readers
	noEvent // there was none to read
	delivered
	remaining // as if it was delivered, at the end
	gone
	foundNothing
	restful
	placedNow
	resized
	closeCall
	closeFinished
	frees     // one that was owed at a moment of rest may be no longer there
	vanishing // completions of a QP may be no longer there
	stayed    // completions of a QP are still there
	owes      // one that was open at a moment of rest was owed
	owesNot   // or not
	nothing   // but a place between others
)

// take handles an observation. While the close of a QP is called, its completions may vanish behind it.
func (q *cq) take(e observation) {
	q.takeOne(&e)
	if q.window.from != 0 {
		q.noticeOverflow()
	}
	if len(q.closedQps.running) > 0 {
		q.vanishClosing()
	}
}

func (q *cq) vanishClosing() {
	for _, p := range q.closedQps.running {
		q.vanish(p)
	}
}

// takeOne handles an observation, or keeps it while a poll is under way: what that poll will have returned may have left the CQ before.
func (q *cq) takeOne(e *observation) {
	if q.stopped() {
		return
	}
	e.pending, e.room, e.line = q.pending, q.roomNow(), q.s.line()
	if len(q.polls.list) > 0 {
		if q.polls.held = append(q.polls.held, *e); len(q.polls.held) > maxHeld {
			q.unclear("a poll of %s is under way for longer than this engine waits")
		}
		return
	}
	shown := (e.what == enter || e.what == read) && q.isFirstShown()
	if !q.show(q.queue, e) {
		q.died(q.queue, e)
	}
	if shown && !q.queue.MayBeEmpty() {
		q.shows = &callbackFor{at: e.at, line: e.line, latest: true}
	}
	if e.what == restful && q.readers > 0 {
		q.unreadLine = cmp.Or(q.unreadLine, e.line)
		if !q.queue.Untold() {
			q.unreadLine = 0
		}
	}
}

// maxHeld bounds what is kept of a CQ while a poll is under way.
const maxHeld = 1 << 12

// show gives an automaton an observation, and reports whether an explanation is left.
func (q *cq) show(a *automaton.Queue, e *observation) bool {
	if e.pending >= 0 {
		a.Pending(e.pending)
	}
	a.MayOverflow(e.room)
	at := automaton.Moment(e.at)
	switch e.what {
	case armCall:
		return a.ArmCalled(e.arm, at)
	case armReturn:
		return a.ArmReturned(e.n, at)
	case armRefused:
		return a.ArmRefused(e.n, at)
	case enter:
		return a.Entered(e.status, at) && (e.from == 0 || a.Ended(automaton.Moment(e.from))) && (!e.owes || a.OwedForGood())
	case failedByNow:
		return a.Failed(at)
	case exited:
		return a.Exited(at)
	case read:
		return a.Entered(model.OK, at) && (!e.owes || a.OwedForGood())
	case readers:
		return a.Readers(e.n, at)
	case delivered, remaining:
		return a.Delivered(automaton.Delivery{Kinds: e.kinds, From: automaton.Moment(e.from), Counted: automaton.Moment(e.counted),
			Called: automaton.Moment(e.request.called), Owed: automaton.Moment(e.owed), Known: e.known}, at)
	case gone:
		return a.Gone(automaton.Moment(e.counted), at)
	case foundNothing:
		return a.FoundEmpty(at)
	case restful:
		return a.Rested(e.list, e.n, e.waiting, at)
	case noEvent:
		return a.FoundNoEvent(at)
	case owes:
		return a.Owe(automaton.Moment(e.owed), automaton.Moment(e.request.called), at)
	case owesNot:
		return a.NotOwed(automaton.Moment(e.owed), at)
	case frees:
		return a.Free(automaton.Moment(e.request.called), automaton.Moment(e.owed), at)
	case vanishing:
		return a.Vanished(e.list, e.n, e.again, automaton.Moment(e.from), at)
	case stayed:
		return a.Stayed()
	case placedNow:
		for _, from := range e.list {
			a.NotPlaced(from, 1)
		}
		a.NotPlaced(automaton.Moment(e.from), e.n)
		return a.Placed(e.kinds, automaton.Moment(e.counted), at)
	case resized:
		return a.Resized(e.again, at)
	case closeCall:
		return a.CloseCalled(at)
	}
	return a.CloseDone(at)
}
