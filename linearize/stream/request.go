package stream

import (
	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A request is one that was posted.
type request struct {
	wr    string
	wq    *workQueue
	token *uint32
	bytes monitor.Length // of its data or its buffers
	postCall
	due
	position int
	sends    int        // how many sends of its queue came before it
	ended    eventIndex // of a deferred one: when its chain had ended, or 0
	place    eventIndex // of a point, or 0
	shadow   *request   // that stands for it in the stream of the other host, or nil

	// Parts that consist of single bytes come last: there they need no padding.
	op model.Op
	requestFlags
	fate
	afterClose
	polledOf
	refusal  bool // of a deferred one: its chain ended by a post that was refused
	missed   bool // it was told that it had not completed at a moment of rest
	promised bool // a receive that a send went to before it was posted
	certain  bool // a silent one, of which the moment of rest is known
}

// A polledOf is what polls have told of a request that they have not delivered.
type polledOf struct {
	fetched bool // a poll fetched it, of a CQ that is left open
	begun   bool // of a post that overlaps another: a poll has delivered a request of the same post
}

// An afterClose is what became of a completion when the close of its QP completed.
type afterClose struct {
	freed    bool // it had to have completed when the close of its QP had, and may have vanished with that
	vanished bool // a poll showed that its completion vanished with its QP
	fenced   bool // outstanding when the close of its QP had completed, it was placed by then
}

// A fate is how a request has ended.
type fate struct {
	over      bool // it has ended, and outcome says how
	outcome   model.Outcome
	kinds     automaton.Kinds
	cancelled bool // a silent one that a flush must have cancelled
}

// requestFlags is what a request asks for beside its operation.
type requestFlags struct {
	silent          bool
	solicit         bool
	deferred        bool
	fence           bool
	localInvalidate bool // a read that invalidates
}

// A due is by when a request had to have completed, as moments of rest show.
type due struct {
	owed     eventIndex // the moment of rest at which it had to have completed, or 0
	owedLine int
	rested   eventIndex // the same, learned later, or 0; of a silent one: if it fails
}

// A postCall is the call that posted a request.
type postCall struct {
	function     *calls.Function // that posted it
	line         int
	answeredLine int        // of the return of its post
	called       eventIndex // of its post
	returned     eventIndex // of the return of its post, or 0 while it has not returned
	theirs       eventIndex // by the other host's clock: up to here that is known to come before its post; of a shadow's: its post
}

// newPosting returns a request that is being posted. They are made many at a time, but for the first of a QP: each QP has its own, so that
// those of one that is closed are kept by none of another.
func (s *Stream) newRequest(u *underWay, e *trace.Event, wr string, op model.Op) *request {
	p := u.qp
	if len(p.spareRequests) == 0 {
		n := requestsAtOnce
		if p.wqs[0].next+p.wqs[1].next == 0 {
			n = requestsAtFirst
		}
		p.spareRequests = make([]request, n)
	}
	r := &p.spareRequests[0]
	p.spareRequests = p.spareRequests[1:]
	r.wr, r.op, r.function, r.line, r.called, r.theirs, r.bytes = wr, op, u.Function, e.Line, s.at, s.knows, monitor.Unknown
	return r
}

// postingsAtOnce is as many as leave next to nothing unused of the memory that is taken for them, nor need a span of their own.
const (
	requestsAtOnce  = 46
	requestsAtFirst = 4
)

// add queues a request that is being posted.
func (p *qp) add(u *underWay, r *request) {
	p.wqs[r.op.Queue()].add(r)
	u.requests = append(u.requests, r)
}
