package search

import (
	"math"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/monitor"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A cq is what the trace tells of one completion queue.
type cq struct {
	name      string
	created   *span
	depth     int // as it was created
	resizes   []*resize
	resizing  moment // when all its resizes so far had been answered, or never
	polls     []*span
	doubt     *doubt  // of which polls came first
	strangers *doubt  // of what else completes into it
	empty     []*span // polls that found nothing
	arms      []*span
	notified  []*span    // callbacks, and events that were read
	exits     []moment   // when these returned, in order
	reports   bool       // one of them says that it failed
	delivered []*request // in the order of the polls
	placed    []placed   // … by each of them
	closed    *span      // the call that closes it
	unclear   string     // why nobody can tell what it holds, or ""
	overrun   moment     // the first at which more could be on its way into it than it has room for, or never
	overflows moment     // … since the latest that it delivered can have been placed: it had not overflowed before that
	fails     bool       // its failure is in the trace, or could explain something of it
	keeps     bool       // it failed, and may keep completions that it holds
	component *component
	index     int // in its component
}

// A qp is what the trace tells of one queue pair.
type qp struct {
	name                   string
	created                *span
	initiatorCq, receiveCq *cq
	conn                   string
	connected              *span
	failedBy               moment // when the latest attempt to connect it failed that did, or 0
	peer                   *qp
	posts                  []*span
	doubt                  *doubt     // of which posts came first
	initiator, receive     []*request // that were posted, in order; refused ones are not in
	sends                  []*request // of the initiator queue: those that consume a receive of the peer
	flushes                []*span
	untold                 string   // what the trace does not tell of its requests, or ""
	flushed                []moment // by when the first of each flush and those after it had flushed
	closed                 *span
	ends                   bool      // the trace tells of its flush, its close or a failure of its own
	aborted                moment    // from when on an abort that the trace tells of may have ended the connection, or never
	lostFrom               moment    // from when on the connection may be lost without a word in the trace
	losses                 []loss    // … by what
	unseen                 [2]unseen // by queue
	component              *component
	index                  int // in its component
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

// A request is one posted request, or one that was refused.
type request struct {
	id       int
	wr       string
	qp       *qp
	queue    model.Queue
	op       model.Op
	flags    []string
	silent   bool
	solicit  bool
	fence    bool
	deferred bool
	token    *uint32
	post     *span
	accepted bool // the post returned success, or has not returned, or had not when its completion was delivered
	position int  // in its queue, among the accepted

	indicated moment // of a deferred one: when its chain had ended, or never
	chainEnd  *span  // the post that ended it
	owed      moment // the first moment of rest at which it must have completed, or never
	overtaken bool   // a later one of its queue was delivered
	passed    bool   // … was placed, by a point
	waiting   int    // earlier ones of its queue, but for silent ones, that neither a poll nor a point tells of

	delivery *delivery
	point    *span         // CqePlaced: the very moment
	told     bool          // a poll or a point tells how it ended
	outcome  model.Outcome // SUCCESS where nothing tells
	unseen   bool          // its completion may have been placed, and no poll delivered it
	message  *request      // of a receive: the peer's send that it took
	arrived  *request      // … whose message it took, though that send failed, as was told later
	like     *request      // … or one like that: which one it was nobody knows
	alike    *request      // … or one that is solicited where all that it can have taken are, and not where none is
	invalid  *uint32       // … the token that it made invalid, where that takes no step of a send
	sent     moment        // of a receive that succeeded: its message was not sent before
	meets    bool          // of a send: the trace tells which of the peer's receives it goes to
	receive  *request      // that one, or nil when there is none
}

// A delivery is where a poll handed a completion out.
type delivery struct {
	poll    *span
	result  *trace.Result
	order   int // among the completions of the CQ
	outcome model.Outcome
}

// before reports whether d was handed out before o.
func (d *delivery) before(o *delivery) bool {
	return d.poll.ret < o.poll.ret || d.poll == o.poll && d.order < o.order
}

// history is the whole of a trace, ready to be judged.
type history struct {
	trace    *trace.Trace
	dialect  model.Dialect
	monitor  *monitor.Monitor
	spans    []*span
	ofEvent  []*span // of each event, where it is of a CQ or a QP
	cqs      []*cq
	qps      []*qp
	cqByName map[string]*cq
	qpByName map[string]*qp
	requests []*request
	byWr     map[string]*request
	early    map[string]bool            // refused requests whose completion was delivered before the refusal
	shared   map[string]bool            // receives of shared receive queues
	closing  map[string]*cq             // by the op of the call that closes it
	answers  map[string][]*span         // completion callbacks, by the op of the call that they complete
	takenBy  map[*request]*request      // a send, and the peer's receive that took it
	guessed  bool                       // which of several messages, not all alike, a receive took is not known, or a step is taken that the model has no action for: there is no witness
	sharing  union                      // objects that share CQs
	cancels  bool                       // what is posted after a flush is cancelled, too (A15)
	marks    []moment                   // at which the provider had come to rest
	reads    []*span                    // ibv_get_cq_event
	awaited  map[moment]map[string]bool // by moment of rest: the CQs of which no event lay unread
	unplaced map[string]bool            // by op: calls that read an event, and of which the trace does not say on which channel they waited
	aborts   []*span                    // what tells that a connection ended, or ends it, and names no QP

	succeeded successes

	hidden *clauses.Engine // what the clauses over hidden times say

	findings []found
	counts   map[string]int

	unsettled []*span // calls of unsettleQp
	failures  []*span // asynchronous events that tell of a failed CQ, QP or device

	tokensOf               map[string][]uint32 // by memory region or window: those that requests gave it
	oldTokens              map[uint32]bool     // that may have been made valid before the trace began
	madeValid, madeInvalid *request            // that did so to a token of which the trace does not tell
}

// newHistory takes a trace apart. What needs no search to be seen as wrong goes into findings.
func newHistory(t *trace.Trace, d model.Dialect) *history {
	h := &history{trace: t, dialect: d, spans: pairUp(t.Events), cqByName: map[string]*cq{}, qpByName: map[string]*qp{},
		byWr: map[string]*request{}, shared: map[string]bool{}, early: map[string]bool{}, takenBy: map[*request]*request{},
		closing: map[string]*cq{}, answers: map[string][]*span{}, oldTokens: map[uint32]bool{}, counts: map[string]int{}}
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
	h.findConnected()
	h.findUnclear()
	h.orderOverlapping()
	h.deliver()
	h.orderNested()
	h.findAborts()
	h.findEnds()
	h.findPeers()
	h.findOverruns()
	h.findMessages()
	h.findInvalidated()
	h.findUnknownTokens()
	h.hidden = clauses.Recall(d, t)
	h.findOwed()
	h.findLosses()
	h.findFlushedFailures()
	for _, p := range h.qps {
		h.checkConnection(p)
	}
	h.checkOrder()
	h.findUndelivered()
	h.checkOwed()
	return h
}

func (h *history) cq(name string) *cq {
	q := h.cqByName[name]
	if q == nil {
		q = &cq{name: name, depth: unlimited}
		h.cqByName[name] = q
		h.cqs = append(h.cqs, q)
	}
	return q
}

func (h *history) qp(name string) *qp {
	p := h.qpByName[name]
	if p == nil {
		p = &qp{name: name, aborted: never, lostFrom: never}
		h.qpByName[name] = p
		h.qps = append(h.qps, p)
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
		h.shared[e.Wr] = true
		for _, w := range e.Wrs {
			h.shared[w.Wr] = true
		}
	case calls.EndConnection:
		h.aborts = append(h.aborts, s)
	case calls.UnsettleQp:
		h.unsettled = append(h.unsettled, s)
	case calls.DeviceEvent:
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

// unlimited is the depth of a CQ of which the trace does not tell it.
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
