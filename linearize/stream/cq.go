package stream

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A cq is a completion queue as a stream follows it.
type cq struct {
	s      *Stream
	name   string
	number int // of those that were named for the first time, in order
	lifetime
	retired    bool
	retiredQps int // of its QPs
	group      *group
	depth      int // or the one that a pending resize asks for, if that is less
	resizes    resizes
	queue      *automaton.Queue
	lanes      []*lane          // the queues that complete into it
	pending    int              // requests, not delivered, that could complete into it now
	points     []*posting       // these, oldest first
	shown      int              // completions that it holds by what points of the trace tell
	arms       []*underWay      // NdkArmCq that have not returned
	spare      []*poll          // to be used again
	polls      []*poll          // polls under way, and those that have returned meanwhile
	shows      *callbackFor     // the oldest callback that shows what no poll has delivered, or nil
	fallen     *sight           // of a poll: what could not have happened where it was tried last
	fell       *automaton.Queue // … and there
	fellWith   uint             // … when these polls had had their effect, a bit each
	held       []sight          // what happened since the first of the polls was called
	readers    int
	closed     moment // when a close had returned
	over       moment // when it had completed
	failed     moment // when a callback reported an error, or nothing but an overflow explained what was seen; or 0
	failedLine int
	told       bool // a callback has reported it
	certain    armedFor
	armCases
	countedAs             certainty // once it was put aside
	calling               int       // callbacks that have been entered and have not returned
	added                 moment    // when the latest of its requests was posted
	restedAt, emptyAtRest moment    // the latest moment of rest, and the latest after which a poll showed that nothing had completed
	unshown               moment    // the latest moment of rest before the latest poll that found nothing
	fetchedBy             moment    // of one that is left open: the latest after which a poll found nothing
	restedLine            int
	armedAt               moment // the latest call of an arm
	armedRest             int    // the line of the first moment of rest after it, or 0
	unreadLine            int    // of the first moment of rest by which an event had been given that nothing has told to be read, or 0
	readFrom              moment // somebody has been waiting for an event, if anybody is
	crowded               crowding
	overflows             int        // where a callback reported an overflow: requests of which one was lost
	armed                 model.Arm  // the type of the latest arm
	emptied               moment     // the call of the latest poll that found nothing
	misplaced             earlier    // the first point of it before its creation was called
	beingClosed           []*qp      // of which the close is called: the call is running
	left                  *qp        // the latest of which completions may have vanished
	fenced                []*posting // outstanding requests of QPs whose close has completed
	owed                  int        // outstanding requests that had to have completed at a moment of rest
	untold                bool       // a callback that is missing may be one that the consumer has yet to tell of
	uncalled              []*uncalled
}

// A poll is one that is under way, or that waits for another one.
type poll struct {
	call      *underWay
	rested    moment // the latest moment of rest before the call
	emptied   moment // the call of the latest poll that had returned by then and found nothing
	from      int    // of the held sights, how many came before the call
	to        int    // … before the return; -1 while there is none
	at        moment
	line      int
	results   []trace.Result
	bounds    []clauses.Bounds // of each result: when it was placed
	delivered []sight
}

// A sight is what one event means to the automaton of a CQ.
type sight struct {
	what    sightOf
	arm     model.Arm
	status  model.Health
	kinds   automaton.Kinds
	owes    bool // of enter, read: what is owed is owed for good
	known   bool // of delivered: its place is known
	again   bool // of vanishing: of the same QP as before; of resized: it was refused
	waiting bool // somebody waits for callbacks
	unnamed bool // of read: the trace does not say on which channel the call waited
	at      moment
	line    int
	pending int
	room    int    // as roomNow has it
	from    moment // from when on the completion can have been placed; of enter, vanishing: by when all that is outstanding had ended, or 0
	counted moment // from when on it counted as one that could be
	owed    moment // the moment of rest at which it was owed, or 0
	list    []uint64
	n       int
	posting *posting
}

type sightOf uint8

const (
	armCall sightOf = iota
	armReturn
	armRefused
	enter
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
	stayed    // … or are
	owes      // one that was open at a moment of rest was owed
	owesNot   // or not
	nothing   // but a place between others
)

func (s *Stream) cq(name string) *cq {
	latest := &s.latestCqs[endOf(name)]
	if *latest != nil && (*latest).name == name {
		return *latest
	}
	q := s.cqs[name]
	if q == nil {
		s.objects++
		q = &cq{s: s, name: name, number: s.objects, group: newGroup(s.objects), depth: unlimitedDepth, queue: s.machine.NewQueue(s.consumer)}
		s.cqs[name] = q
		s.inOrder = append(s.inOrder, q)
	} else if q.retired {
		q.bringBack()
	}
	*latest = q
	return q
}

// unlimitedDepth is the depth of a CQ whose creation the trace does not hold.
const unlimitedDepth = int(^uint32(0) >> 1)

// stopped reports whether nothing more is said of the CQ.
func (q *cq) stopped() bool {
	g := q.group.root()
	return g.stopped || g.unclear != ""
}

// take takes a sight. While the close of a QP is called, its completions may vanish behind it.
func (q *cq) take(e sight) {
	q.takeOne(&e)
	if q.crowded.from != 0 {
		q.noticeOverflow()
	}
	if len(q.beingClosed) > 0 {
		q.vanishClosing()
	}
}

func (q *cq) vanishClosing() {
	for _, p := range q.beingClosed {
		q.vanish(p)
	}
}

// takeOne takes a sight, or keeps it while a poll is under way: what that poll will have returned may have left the CQ before.
func (q *cq) takeOne(e *sight) {
	if q.stopped() {
		return
	}
	e.pending, e.room, e.line = q.pending, q.roomNow(), q.s.line()
	if len(q.polls) > 0 {
		if q.held = append(q.held, *e); len(q.held) > maxHeld {
			q.unclear("a poll of %s is under way for longer than this engine waits")
		}
		return
	}
	shown := (e.what == enter || e.what == read) && q.isShownBy(e)
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

// mayBeUnread handles a completion that had been placed by a moment of rest behind the arm: where an event has been given now, it had been by then, and
// somebody was waiting for it.
func (q *cq) mayBeUnread(e *sight) {
	if e.what == delivered && q.unreadLine == 0 && q.readers > 0 && q.readFrom < e.owed && q.armedAt < e.owed && q.queue.Untold() {
		q.unreadLine = e.posting.owedLine
	}
}

// A callbackFor is a callback of a CQ that was entered, or an event that was read, from which on the CQ holds a completion in every explanation.
type callbackFor struct {
	at     moment
	line   int
	latest bool // no other has come since
}

// isShownBy reports whether the CQ may be empty before e, a callback, so that e is the first to show a completion.
func (q *cq) isShownBy(e *sight) bool {
	if q.shows != nil {
		q.shows.latest = false
		return false
	}
	return q.queue.MayBeEmpty()
}

// maxHeld bounds what is kept of a CQ while a poll is under way.
const maxHeld = 1 << 12

// show lets an automaton take a sight, and reports whether an explanation is left.
func (q *cq) show(a *automaton.Queue, e *sight) bool {
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
	case exited:
		return a.Exited(at)
	case read:
		return a.Entered(model.OK, at) && (!e.owes || a.OwedForGood())
	case readers:
		return a.Readers(e.n, at)
	case delivered, remaining:
		return a.Delivered(automaton.Delivery{Kinds: e.kinds, From: automaton.Moment(e.from), Counted: automaton.Moment(e.counted),
			Called: automaton.Moment(e.posting.called), Owed: automaton.Moment(e.owed), Known: e.known}, at)
	case gone:
		return a.Gone(automaton.Moment(e.counted), at)
	case foundNothing:
		return a.FoundEmpty(at)
	case restful:
		return a.Rested(e.list, e.n, e.waiting, at)
	case noEvent:
		return a.FoundNoEvent(at)
	case owes:
		return a.Owe(automaton.Moment(e.owed), automaton.Moment(e.posting.called), at)
	case owesNot:
		return a.NotOwed(automaton.Moment(e.owed), at)
	case frees:
		return a.Free(automaton.Moment(e.posting.called), automaton.Moment(e.owed), at)
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

func (q *cq) unclear(format string) {
	g := q.group.root()
	g.unclear = cmp.Or(g.unclear, fmt.Sprintf(format, q.name))
}

// fed notes that receives of a shared receive queue may complete into the CQ: a QP into which it completes names that queue, or none names one.
func (q *cq) fed(named bool) {
	q.group.leaveOpen(verdict.TakesShared(q.name, named, q.s.dialect.Name))
}

// used gives up on a CQ that was created before the trace began.
func (q *cq) used() {
	if !q.created {
		q.group.leaveOpen(verdict.CqOfBefore(q.name, q.s.dialect.Name))
	}
}

// armCalled takes the call of NdkArmCq.
func (s *Stream) armCalled(u *underWay, e *trace.Event) {
	q := u.cq
	arm, ok := calls.ArmOf(e)
	if !ok {
		return
	}
	u.arm, q.armed, q.armedAt, q.armedRest = arm, arm, s.at, 0
	q.countArm(u)
	q.arms = append(q.arms, u)
	q.take(sight{what: armCall, at: s.at, arm: arm})
}

func (s *Stream) armReturned(u *underWay, refused bool) {
	q := u.cq
	i := slices.Index(q.arms, u)
	if i < 0 {
		return
	}
	q.arms = slices.Delete(q.arms, i, i+1)
	what := armReturn
	if refused {
		what = armRefused
		q.armCases.asked[u.arm]--
	} else {
		q.countMerge(u)
	}
	q.take(sight{what: what, at: s.at, n: i})
}

// entered takes the entry of a callback.
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
	entry := sight{what: enter, at: s.at, status: status}
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
func (q *cq) endedBy() moment {
	by, looked := moment(0), 0
	for _, l := range q.lanes {
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
	return q.owed > 0 && !(q.crowded.from != 0 && q.crowded.unfollowed) && q.group.root().doubt == ""
}

// mayReport reports whether a callback can report an error of the CQ (ARM-01, ARM-16, ARM-17).
func (q *cq) mayReport(name string, status model.Health) bool {
	s := q.s
	s.may.fails = true
	s.meets(declared.CqFails)
	s.metByError(status)
	switch {
	case q.told:
		s.report(q.group, verdict.ProviderViolation, "ARM-17", 0, []int{q.failedLine},
			"the callback of %s reports %s, and an error was reported before", q.name, name)
		return false
	case status == model.BufferOverflow && q.crowded.from == 0:
		s.unexplained(q.group, "ARM-16", 0, nil, "the callback of %s reports %s, and there were never more completions than it has room for",
			q.name, name)
		q.alsoByRefusal()
		s.silence(q.group)
		return false
	case q.armed == model.NONE && s.dialect.A1 != model.A1NoArm:
		s.unexplained(q.group, "ARM-01", 0, nil, "the callback of %s reports %s, and %s was never armed", q.name, name, q.name)
		s.also("ARM-17")
		s.restsOnNoOverflow() // one that nobody asked for is told to nobody
		s.silence(q.group)
		return false
	}
	return true
}

// fails handles a callback that reports an error. The CQ is assumed to have failed just then. What that does not explain is undecided, as the
// CQ may have failed before.
func (q *cq) fails(status model.Health) {
	q.told = true
	switch {
	case status == model.InternalError:
		q.crowded.unfollowed = true
		if g := q.group.root(); g.overflown == q {
			g.overflown = nil // it was this, perhaps
		}
	case q.failed != 0:
		return
	default:
		q.overflows = q.outstanding()
	}
	if q.losesAll() || status == model.BufferOverflow && !q.followsOverflow() && q.pending+q.shown <= q.depth {
		q.unclear("%s failed before it told so, and when that was " + verdict.NotFollowed)
	}
}

// losesAll records that the CQ has failed by now, and with it its QPs. It reports whether that may explain what was found before.
func (q *cq) losesAll() bool {
	s := q.s
	q.failed, q.failedLine = s.at, s.line()
	q.roomNow() // it may be known only now that the overflow was not followed
	reopened := s.reopen(q.group)
	followed := q.followsOverflow() && q.group.root().overflown == nil
	if followed {
		q.group.root().overflown = q
	} else {
		q.group.leaveInDoubt(q.failure())
	}
	for _, p := range s.qpsInOrder {
		if p.lanes[0].cq != q && p.lanes[1].cq != q {
			continue
		}
		reopened = s.reopen(p.group) || reopened
		p.breaks(s.at)
		if followed {
			p.doubt = cmp.Or(p.doubt, q.failure()) // should it have a peer after all
		} else if p.leaveInDoubt(q.group.root().doubt); p.peer != nil && p.peer.s == s && s.reopen(p.peer.group) {
			p.leaveOpen(q.group.root().doubt)
		}
	}
	return reopened
}

// exited takes the return of a callback.
func (q *cq) exited() {
	q.calling--
	if !q.s.dialect.Serialised {
		return
	}
	q.mayDefer()
	q.take(sight{what: exited, at: q.s.at})
}

// finishReads records that calls which have not returned have read nothing.
func (s *Stream) finishReads() {
	for _, q := range s.inOrder {
		if q.readers > 0 || s.consumer {
			q.readersAre(0)
		}
		q.neverTold()
	}
}

// closeCqReturned takes the return of the close of a CQ.
func (s *Stream) closeCqReturned(u *underWay, e *trace.Event, refused bool) {
	q := u.cq
	if refused || q.closed != 0 {
		return
	}
	q.closeAccepted(u)
	if calls.Pending(e) {
		s.closing[e.Op] = q
		return
	}
	q.closeFinished()
}

// closeAccepted handles a close of the CQ that was not refused: its return shows that, or a completion that comes before the return.
func (q *cq) closeAccepted(u *underWay) {
	if q.closed == 0 {
		q.s.meets(declared.CqCloses)
		q.s.countClose(u)
		q.closed = q.s.at
		q.take(sight{what: closeCall, at: q.s.at})
	}
}

// closeFinished takes the completion of the close of the CQ.
func (q *cq) closeFinished() {
	q.over = q.s.at
	q.take(sight{what: closeFinished, at: q.s.at})
	q.s.endsLife()
}
