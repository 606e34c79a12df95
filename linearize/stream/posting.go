package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A lane is one of a QP's queues: the requests that are outstanding, in posting order.
type lane struct {
	qp         *qp
	queue      model.Queue
	cq         *cq
	waiting    []*posting // not delivered, oldest first
	next       int        // position of the next request
	sends      int        // of the accepted requests, how many are sends
	returned   int        // accepted requests whose post had returned
	indicated  moment     // when the latest post of a send, or chain with one, had
	readOver   moment     // … when the latest read was told to be over
	took       int        // receives, or sends, that succeeded
	lost       int        // receives that ended otherwise
	placed     *posting   // the latest whose completion a point placed: nothing behind it had completed by then
	placedAt   moment
	placedLine int
	atClose    moment     // when the QP began to close: the latest moment of rest after which a poll had found the CQ empty
	messages   []*posting // sends, or receives, that have not failed, and whose other half has not been told yet
	taken      []*posting // … whose other half was told, and which were not

	known    int        // from which index on it is not known which send goes to which receive, or never
	loose    []*posting // of a queue of sends: the first of these whose receive was not told
	guessed  []*posting // … those whose receive was told before them, by a guess
	first    *posting   // … the first of all
	mixed    bool       // … they are not all alike
	names    int        // … how many name a token
	solicits int        // … how many solicit
	promised int        // receives yet to be posted that sends have gone to already

	received int  // other halves that were told
	skipped  bool // of a shadow: one of its sends failed that had been received

	fetched int // of those that wait, how many a poll of a CQ fetched that is left open
	settled int // silent requests that are over, and behind which nothing is told yet

	sendsDone int  // sends that are over
	succeeded int  // of a shadow: sends that have been delivered, up to the latest, before any failed
	hasFailed bool // … a send was told to have failed

	waitingRoom, messageRoom []*posting // the arrays of waiting and messages, from their beginnings
}

// A posting is a request that was posted.
type posting struct {
	wr           string
	function     *calls.Function // that posted it
	lane         *lane
	token        *uint32
	bytes        monitor.Length // of its data or its buffers
	line         int
	answeredLine int // of the return of its post
	owedLine     int
	position     int
	sends        int      // how many sends of its lane came before it
	called       moment   // of its post
	returned     moment   // … or 0 while it has not
	owed         moment   // the moment of rest at which it had to have completed, or 0
	rested       moment   // the same, as is known since, or 0; of a silent one: if it fails
	ended        moment   // of a deferred one: when its chain had ended, or 0
	place        moment   // of a point, or 0
	pended       moment   // by then: the latest moment of rest at which it was pending, or 0
	theirs       moment   // by the other host's clock: up to here that is known to come before its post; of a shadow's: its post
	shadow       *posting // that stands for it in the stream of the other host, or nil

	op              model.Op
	kinds           automaton.Kinds
	outcome         model.Outcome
	silent          bool
	solicit         bool
	freed           bool // it had to have completed when the close of its QP had, and may have vanished with that
	vanished        bool // a poll showed that its completion vanished with its QP
	deferred        bool
	fence           bool
	localInvalidate bool // a read that invalidates
	over            bool // it has ended, and outcome says how
	fetched         bool // a poll fetched it, of a CQ that is left open
	cancelled       bool // a silent one that a flush must have cancelled
	refusal         bool // of a deferred one: its chain ended by a post that was refused
	missed          bool // it was told that it had not completed at a moment of rest
	fenced          bool // outstanding when the close of its QP had completed, it was placed by then
	promised        bool // a receive that a send went to before it was posted
	certain         bool // a silent one, of which the moment of rest is known
}

// newPosting returns a request that is being posted. They are made many at a time, but for the first of a QP: each QP has its own, so that
// those of one that is closed are kept by none of another.
func (s *Stream) newPosting(u *underWay, e *trace.Event, wr string, op model.Op) *posting {
	p := u.qp
	if len(p.postings) == 0 {
		n := postingsAtOnce
		if p.lanes[0].next+p.lanes[1].next == 0 {
			n = postingsAtFirst
		}
		p.postings = make([]posting, n)
	}
	r := &p.postings[0]
	p.postings = p.postings[1:]
	r.wr, r.op, r.function, r.line, r.called, r.theirs, r.bytes = wr, op, u.Function, e.Line, s.at, s.knows, monitor.Unknown
	return r
}

// postingsAtOnce is as many as leave next to nothing unused of the memory that is taken for them, nor need a span of their own.
const (
	postingsAtOnce  = 43
	postingsAtFirst = 4
)

// add queues a request that is being posted.
func (p *qp) add(u *underWay, r *posting) {
	p.lanes[r.op.Queue()].add(r)
	u.postings = append(u.postings, r)
}

func (l *lane) add(r *posting) {
	l.enqueue(r)
	l.qp.s.requestCases.add(r)
	if r.deferred && l.queue == model.Initiator {
		l.qp.deferred, l.qp.chained = append(l.qp.deferred, r), true
	}
	r.cancelled = r.silent && l.qp.onlyCancelled(r.called)
	if s := l.qp.s; s.byName != nil {
		s.byName[r.wr] = r
	}
	if l.cq != nil {
		l.cq.pending++
		l.cq.added = l.qp.s.at
		l.cq.checkRoom()
	}
	if l.qp.shadow != nil {
		l.qp.shadow.posted(r)
	}
}

// enqueue puts r behind what is outstanding.
func (l *lane) enqueue(r *posting) {
	r.lane, r.position = l, l.next
	l.next++
	r.sends = l.sends
	if r.op.IsSend() {
		l.sends++
		l.mixes(r)
		if r.op == model.SendAndInvalidate {
			l.names++
		}
		if r.solicit {
			l.solicits++
		}
	}
	switch {
	case !r.isMessage():
	case r.index() >= l.known:
		if r.op.IsSend() && len(l.loose) < MaxFollowing {
			l.loose = append(l.loose, r)
		}
	case l.promised > 0:
		l.promised--
		r.promised = true
	default:
		l.messages, l.messageRoom = extend(l.messages, l.messageRoom, r)
	}
	l.waiting, l.waitingRoom = extend(l.waiting, l.waitingRoom, r)
}

// without takes r out of a list, of which it is the last or one of the first, as a rule.
func without(list []*posting, r *posting) []*posting {
	if last := len(list) - 1; last >= 0 && list[last] == r {
		return list[:last]
	}
	switch i := slices.Index(list, r); i {
	case -1:
		return list
	case 0:
		return list[1:]
	default:
		return slices.Delete(list, i, i+1)
	}
}

// send returns the outstanding send before which so many sends of its queue came, or nil.
func (l *lane) send(before int) *posting {
	behind, _ := slices.BinarySearchFunc(l.waiting, before+1, func(r *posting, n int) int { return cmp.Compare(r.sends, n) })
	if behind == 0 {
		return nil
	}
	if r := l.waiting[behind-1]; r.op.IsSend() && r.sends == before {
		return r
	}
	return nil
}

// extend appends to a list that shrinks at its beginning. It moves the list back to the beginning of its array, where that is
// half free, before it takes another one.
func extend[T any](list, array []T, v T) (longer, in []T) {
	if len(list) == cap(list) && len(list) <= cap(array)/2 {
		list = append(array[:0], list...)
	}
	if longer = append(list, v); cap(longer) > cap(list) {
		array = longer[:0]
	}
	return longer, array
}
