package clauses

import (
	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

const never = 1 << 40 // an event that does not come

type completionQueue struct {
	name string
	room
	queues  []*workQueue
	empty   facts.Moment // the call of the latest poll that found nothing
	last    timeline.Var // C of what it delivered last
	polling int
	overlap bool // two polls overlap, since none was under way
	seen    heads
	placed  []*request // shown by points, and not delivered
	created bool
	closing bool
	closed  bool
	open    bool // undecided
}

// heads says when the oldest requests of the queues of a CQ were brought up to date.
type heads struct {
	rests      int // moments of rest by then
	emptyRests int // the same, as an empty poll shows
	next       int // the event by which looking again is paid for
}

type flush struct {
	at     timeline.Var
	call   facts.Moment
	done   bool
	undone bool // it was refused

	disconnects bool
	returned    int // with success
}

// A cause is the clause of a cancelled request that something ended what it waited for.
type cause struct {
	choice timeline.Choice
	of     *request
}

type queuePair struct {
	name       string
	queues     [2]*workQueue
	unreliable bool // or its type is not known
	loses      bool // its type is known, and its messages wait for no receive
	unpaired   bool // its messages take no receives that are known
	conn       string
	peer       *queuePair
	connecting
	endings
	closeCall   int
	closed      bool
	flushes     []*flush
	causes      []cause
	names       int        // the call of its first message that names a token, or 0
	naming      []*request // the latest messages that do, and that no receive is known to have taken
	unready     []*request // whose chains ended before the connection
	flushesLate bool       // a disconnect that was refused may flush it at any time
	open        bool       // undecided
}

// connecting says when a queue pair was connected.
type connecting struct {
	attempted   int      // the call of the first connect
	connectCall int      // of the connect that has not failed
	connects    int      // its return
	failedAt    int      // the return of one that failed: what it ended may have cancelled receives
	madeBy      int      // the return of one that failed, and may have made a connection, which was lost
	made        bool     // it had, as a success shows
	received    bool     // a receive was posted before the connect had returned
	completed   int      // when NdkCompleteConnect was over; never while it is called
	refuses     bool     // a post was refused behind the connect, as a connection has ended or is not complete
	unproven    *request // the first that needs a connection whose call has not returned
}

// endings are the hidden times from which on a queue pair does less than before. Each is None until something is said of it.
type endings struct {
	ended     timeline.Var // E
	lost      timeline.Var // L
	sendError timeline.Var // E of the initiator queue alone
	broken    timeline.Var // since when no message waits, as a request was cancelled
}

type workQueue struct {
	qp           *queuePair
	cq           *completionQueue
	kind         model.Queue
	waiting      []*request    // their outcomes are not known yet; oldest first
	posting      int           // posts under way
	loosened     bool          // a request of it is loose, or was
	waited       timeline.Time // by when a message is over that may have been before others, as their posts overlapped
	order        order
	failed       []timeline.Var // X of those that failed, up to one that the others behind it wait for
	failedAll    bool           // that one is among them
	silenced     *request       // the latest to be over without a completion, if none has succeeded since
	firstFailure timeline.Var   // when the first of those that wait may have failed
	messages     messages
	lastSend     *request
	succeeded    *request // the latest that has succeeded
	ender        *request // the message that has ended the connection
	lastReady    *request // the latest send, or receive, that waits for its counterpart alone
	lastReceive  *request
	chain        []*request
}

// messages pair the sends of a queue pair with the receives of its peer, each by number.
type messages struct {
	sent      []*request // an initiator queue: sends whose receive, by number, is not known
	base      int        // the number of the first
	posted    int        // sends, or receives, that were not refused
	succeeded int
	failures  int        // that ended otherwise, as far as is known
	early     []*request // an initiator queue: sends that succeeded, before which one waits without a recorded outcome
	mayEnd    []*request // an initiator queue: messages that may have ended the connection though they succeeded
	vanished  bool       // completions of the queue have, as its queue pair or CQ was closed
	unmet     []*request // a receive queue: sends that succeeded and whose receive is not known, in order
	failed    *request   // a receive queue: the latest receive that failed or was cancelled, with none that succeeded behind it
	met       []*request // a receive queue: receives that succeeded and whose send is not known
	paired    int        // how many of met certainly took the send of their number
}

// times are the hidden times of a request: executed, completed, arrived if it is a message, failed if it is silent. For a request that messages
// wait behind, a is when it lets them pass.
type times struct{ x, c, a, s timeline.Var }

// naming describes what a request does to a token.
type naming struct {
	names     *uint32  // the token that it makes invalid
	named     *uint32  // the token that a receive names as it is delivered
	numbered  *request // the send of its number, which names a token, if a receive may have taken it
	makes     *registration
	ends      bool // it has made a token invalid
	plainly   bool // NdkGetCqResults delivered it
	isCounted bool // as it succeeded, all before it on its queue were known
}

type request struct {
	wr            string
	line          int
	op            model.Op
	message       bool // it waits for a receive of the peer
	queue         *workQueue
	silent, fence bool
	called        int
	returned      int
	ready         timeline.Time // from when on it waits only for the provider or its counterpart; or Never
	times
	ending
	number int // of its post
	nth    int // of the messages, or the receives, of its queue
	naming
	flush   *flush   // the first that it was posted before
	before  *request // the send before it, in the order of calls
	loose   bool     // its post overlaps others, so its place in the queue is not known
	placed  bool     // by a point
	refused bool     // its chain ended with a post that was refused
}

// An ending describes how a request ended.
type ending struct {
	told    bool // the outcome is known
	toldAt  int  // the event that shows the outcome
	gone    bool // the outcome does not matter any more
	outcome model.Outcome
}

func (r *request) variables() [4]timeline.Var { return [...]timeline.Var{r.x, r.c, r.a, r.s} }

// takesOther reports whether r is a message, which takes a receive, or a receive, which takes a message.
func (r *request) takesOther() bool { return r.message || r.queue.kind == model.Receive }

// holdsMessages reports whether the messages behind r wait for it. A request that changes a token is executed before they arrive, and a fenced
// request has begun. Writes arrive with the messages, and messages pass reads.
func (r *request) holdsMessages() bool {
	switch r.op {
	case model.Read, model.ReceiveOp, model.Send, model.SendAndInvalidate:
		return false
	}
	return r.fence || r.op != model.Write
}

// isBehind reports whether r is certainly behind an earlier request of its queue.
func (r *request) isBehind(earlier *request) bool {
	if !r.loose || !earlier.loose || r.called == earlier.called {
		return true
	}
	return earlier.returned != 0 && earlier.returned < r.called
}

// owed returns the rule by which r, which waits for the provider alone, is over by a moment of rest.
func (r *request) owed() timeline.Rule {
	if r.refused {
		return refusedAtRest
	}
	return owedAtRest
}

// end returns when r ended in a way that has a completion: a silent request only if it failed.
func (r *request) end() timeline.Var {
	if r.silent {
		return r.s
	}
	return r.x
}

// passesReads reports whether r need not wait for a read before it (FLAG-04).
func (r *request) passesReads() bool { return !r.fence }
