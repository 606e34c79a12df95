package search

import (
	"cmp"
	"math"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/lanes"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A cq is what the trace records about one completion queue.
type cq struct {
	name             string
	created          *span
	polls            []*span
	doubt            *doubt  // of which polls came first
	strangers        *doubt  // of what else completes into it
	empty            []*span // polls that found nothing
	arms             []*span
	asksForSolicited bool       // one of them is of type SOLICITED
	notified         []*span    // callbacks, and events that were read
	exits            []moment   // when these returned, in order
	delivered        []*request // in the order of the polls
	placed           []placed   // the completions placed, by the point of each
	closed           *span      // the call that closes it
	unclear          string     // why its contents are not known, or ""
	room
	failure
	component *component
	index     int // in its component
}

// room is how many completions a CQ has room for, and since when it may have had too little.
type room struct {
	depth     int // as it was created
	resizes   []*resize
	resizing  moment // when all its resizes so far had been answered, or never
	overrun   moment // the first at which more could be on its way into it than it has room for, or never
	overflows moment // overrun, counted since the placing of the latest delivered one: it had not overflowed before that
}

// failure is how a CQ failed, if it did.
type failure struct {
	reports  bool   // a callback or an asynchronous event says that it failed
	failedBy moment // by when an asynchronous event had told of it, or 0
	fails    bool   // its failure is in the trace, or could explain something of it
	keeps    bool   // it failed, and may keep completions that it holds
}

// A qp is what the trace records about one queue pair.
type qp struct {
	name                   string
	created                *span
	lane                   *lanes.Lane // of a shared receive queue, for which p stands; or nil
	initiatorCq, receiveCq *cq
	connection
	posts              []*span
	doubt              *doubt     // of which posts came first
	initiator, receive []*request // that were posted, in order; refused ones are not in
	sends              []*request // of the initiator queue: those that consume a receive of the peer
	flushes            []*span
	untold             string   // what the trace does not record about its requests, or ""
	flushed            []moment // by when the first of each flush and those after it had flushed
	closed             *span
	unseen             [2]unseen // by queue
	component          *component
	index              int // in its component
}

// connection is what a queue pair is connected to, and what may have ended that.
type connection struct {
	conn      string
	connected *span
	failedBy  moment // when the latest attempt to connect it failed that did, or 0
	attempted string // the function of that attempt
	unsure    moment // until when it is taken to be connected by an attempt that failed, and need not be
	peer      *qp
	ends      bool   // the trace records its flush, its close or a failure of its own
	brokeIdle bool   // a request that is not told may have failed before it was connected: it goes on behind what that cancels (FLUSH-05)
	aborted   moment // from when on an abort that the trace records may have ended the connection, or never
	lostFrom  moment // from when on the connection may be lost without a word in the trace
	losses    []loss // the causes of that loss
}

func (p *qp) queue(q model.Queue) []*request {
	if q == model.Initiator {
		return p.initiator
	}
	return p.receive
}

func (p *qp) cq(q model.Queue) *cq {
	if q == model.Initiator {
		return p.initiatorCq
	}
	return p.receiveCq
}

// history is the whole of a trace, ready to be judged.
type history struct {
	trace   *trace.Trace
	dialect model.Dialect
	monitor *monitor.Monitor
	course
	objects
	requested
	rests
	tokens
	cancels   bool // what is posted after a flush is cancelled, too (A15)
	succeeded successes
	hidden    *clauses.Engine // what the clauses over hidden times say
	findings  []found
	counts    map[string]int
}

// course is the calls and callbacks of a trace, by what is asked of them.
type course struct {
	spans       []*span
	ofEvent     []*span            // of each event, where it is of a CQ or a QP
	answers     map[string][]*span // completion callbacks, by the op of the call that they complete
	reads       []*span            // ibv_get_cq_event
	sharedPosts []*span            // on shared receive queues
	aborts      []*span            // what tells that a connection ended, or ends it, and names no QP
	unsettled   []*span            // calls of unsettleQp
	failures    []*span            // asynchronous events that tell of a failed CQ, QP or device
}

// objects are the CQs and queue pairs of a trace, in the order in which it names them.
type objects struct {
	cqs      []*cq
	qps      []*qp
	cqByName map[string]*cq
	qpByName map[string]*qp
	closing  map[string]*cq // by the op of the call that closes it
	sharing  union          // objects that share CQs
}

// requested are the requests of a trace.
type requested struct {
	requests []*request
	byWr     map[string]*request
	culprits []string              // work requests reported as flushed that may have failed by themselves before anything flushed them, a queue pair each
	early    map[string]bool       // refused requests whose completion was delivered before the refusal
	shared   map[string]bool       // receives of shared receive queues
	unsorted map[string]bool       // the CQs into which some complete whose order is not known
	takenBy  map[*request]*request // a send, and the peer's receive that took it
	guessed  bool                  // which of several messages, not all alike, a receive took is not known, or a step is taken that the model has no action for: there is no witness
}

// rests are the moments at which the provider had come to rest, and who could hear of an event by then.
type rests struct {
	marks    []moment
	awaited  map[moment]map[string]bool // by moment of rest: the CQs of which no event lay unread
	unplaced map[string]bool            // by op: calls that read an event, and of which the trace does not say on which channel they waited
}

// tokens are the tokens that requests name.
type tokens struct {
	tokensOf               map[string][]uint32 // by memory region or window: those that requests gave it
	oldTokens              map[uint32]bool     // that may have been made valid before the trace began
	madeValid, madeInvalid *request            // that did so to a token that the trace does not record
}

// newHistory analyses a trace. Violations that need no search go into findings. fails names the work request among the culprits that is assumed to have
// failed, or is "".
func newHistory(t *trace.Trace, d model.Dialect, fails string) *history {
	calls.MarkNoEffect(t.Events)
	h := &history{
		trace: t, dialect: d, counts: map[string]int{},
		course:    course{spans: pairUp(t.Events), answers: map[string][]*span{}},
		objects:   objects{cqByName: map[string]*cq{}, qpByName: map[string]*qp{}, closing: map[string]*cq{}},
		requested: requested{byWr: map[string]*request{}, shared: map[string]bool{}, early: map[string]bool{}, takenBy: map[*request]*request{}},
		tokens:    tokens{oldTokens: map[uint32]bool{}},
	}
	h.awaited, h.unplaced = trace.Awaited(t), trace.Unplaced(t)
	h.findEarly()
	h.succeeded = findSuccesses(h.spans)
	for _, s := range h.spans {
		if s.begin.For != "" {
			h.answers[s.begin.For] = append(h.answers[s.begin.For], s)
		}
		if s.kind == calls.CreateCq {
			h.cq(s.begin.Cq).created = s // and nothing is placed in it before
		}
	}
	h.ofEvent = make([]*span, len(t.Events))
	for _, s := range h.spans {
		if s.begin.Cq != "" || s.begin.Qp != "" {
			h.ofEvent[s.call] = s
			if s.returned() {
				h.ofEvent[s.ret] = s
			}
		}
		h.take(s)
	}
	if t.End != nil && t.End.Quiescent {
		h.marks = append(h.marks, len(t.Events))
	}
	for _, q := range h.cqs {
		for _, s := range q.notified {
			q.exits = append(q.exits, s.ret)
			q.reports = q.reports || reportsError(s)
		}
		slices.Sort(q.exits)
	}
	h.takeShared()
	h.findConnected()
	h.findUnclear()
	h.orderOverlapping()
	h.deliver()
	h.orderNested()
	h.findAborts()
	h.findEnds()
	h.findPeers()
	h.doubtMessages()
	h.findOverruns()
	h.hidden = clauses.Recall(d, t)
	h.findOwed()
	h.findMessages()
	h.findInvalidated()
	h.findUnknownTokens()
	h.findLosses()
	h.findFlushedFailures(fails)
	for _, p := range h.qps {
		h.checkConnection(p)
	}
	h.checkOrder()
	h.findUndelivered()
	h.checkOwed()
	return h
}

func (o *objects) cq(name string) *cq {
	q := o.cqByName[name]
	if q == nil {
		q = &cq{name: name, room: room{depth: unlimited}}
		o.cqByName[name] = q
		o.cqs = append(o.cqs, q)
	}
	return q
}

func (o *objects) qp(name string) *qp {
	p := o.qpByName[name]
	if p == nil {
		p = &qp{name: name, connection: connection{aborted: never, lostFrom: never}}
		o.qpByName[name] = p
		o.qps = append(o.qps, p)
	}
	return p
}

func (h *history) take(s *span) {
	e := s.begin
	switch s.kind {
	case calls.CreateCq:
		q := h.cq(e.Cq)
		if depth := either(s, depthOf); depth != nil {
			q.depth = int(*depth)
		}
	case calls.CreateQp:
		p := h.qp(e.Qp)
		p.created, p.initiatorCq, p.receiveCq = s, h.cq(e.InitiatorCq), h.cq(e.ReceiveCq)
	case calls.Post:
		p := h.qp(e.Qp)
		p.posts = append(p.posts, s)
		h.takePost(p, s)
	case calls.ArmCq:
		q := h.cq(e.Cq)
		q.arms = append(q.arms, s)
		arm, _ := calls.ArmOf(e)
		q.asksForSolicited = q.asksForSolicited || arm == model.SOLICITED
	case calls.PollCq:
		q := h.cq(e.Cq)
		q.polls = append(q.polls, s)
		if s.foundEmpty() {
			q.empty = append(q.empty, s)
		}
	case calls.Callback:
		q := h.cq(e.Cq)
		q.notified = append(q.notified, s)
	case calls.ReadEvent:
		h.reads = append(h.reads, s)
		if s.returned() && s.end.Cq != "" {
			q := h.cq(s.end.Cq)
			q.notified = append(q.notified, s)
		}
	case calls.FlushQp:
		p := h.qp(e.Qp)
		if p.closed != nil && s.fn == "NdkDisconnect" { // of the connector, which outlives the QP
			s.kind = calls.Other
			return
		}
		p.flushes = append(p.flushes, s)
	case calls.CloseCq:
		if q := h.cq(e.Cq); q.closed == nil {
			q.closed = s
			h.closing[e.Op] = q
		}
	case calls.CloseQp:
		if p := h.qp(e.Qp); p.closed == nil {
			p.closed = s
		}
	case calls.ResizeCq:
		h.takeResize(s)
	case calls.PostShared:
		h.sharedPosts = append(h.sharedPosts, s)
		h.shared[e.Wr] = true
		for _, w := range e.Wrs {
			h.shared[w.Wr] = true
		}
	case calls.EndConnection:
		h.aborts = append(h.aborts, s)
	case calls.UnsettleQp:
		h.unsettled = append(h.unsettled, s)
	case calls.DeviceEvent:
		if cq, _, is := calls.CqErrorOf(s.end); is {
			q := h.cq(cq)
			q.reports, q.failedBy = true, min(cmp.Or(q.failedBy, s.ret), s.ret)
		}
		if calls.MayFailDevice(s.end) {
			h.failures = append(h.failures, s)
		}
	case calls.Quiesce:
		h.marks = append(h.marks, s.call)
	case calls.Placed:
		if r := h.byWr[e.Wr]; h.checkPlaced(h.cq(e.Cq), r, s) {
			r.point, r.told, r.outcome = s, true, calls.OutcomeOf(e.Status)
		}
	}
}

// unlimited is the depth of a CQ whose depth the trace does not record.
const unlimited = math.MaxInt32

func depthOf(e *trace.Event) *int64 { return e.Depth }

// either returns what the end of a span tells, or else its beginning.
func either[T any](s *span, field func(*trace.Event) *T) *T {
	if s.end != nil {
		if value := field(s.end); value != nil {
			return value
		}
	}
	return field(s.begin)
}
