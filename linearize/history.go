package linearize

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A cq is what the trace tells of one completion queue.
type cq struct {
	name      string
	created   *span
	depth     int
	polls     []*span
	empty     []*span // polls that found nothing
	arms      []*span
	notified  []*span    // callbacks, and events that were read
	exits     []moment   // when these returned, in order
	reports   bool       // one of them says that it failed
	delivered []*request // in the order of the polls
	closed    *span      // the call that closes it
	unclear   string     // why nobody can tell what it holds, or ""
	overrun   moment     // the first at which more could be on its way into it than it has room for, or never
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
	peer                   *qp
	posts                  []*span
	initiator, receive     []*request // that were posted, in order; refused ones are not in
	sends                  []*request // of the initiator queue: those that consume a receive of the peer
	flushes                []*span
	flushed                []moment // by when the first of each flush and those after it had returned
	closed                 *span
	ends                   bool   // the trace tells of its flush, its close or a failure of its own
	ended                  moment // from when on no message waits on it: a flush had returned, or a failure was delivered
	lostFrom               moment // from when on the connection may be lost without a word in the trace
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
	deferred bool
	token    *uint32
	post     *span
	accepted bool // the post returned success, or has not returned, or had not when its completion was delivered
	position int  // in its queue, among the accepted

	indicated moment // of a deferred one: when its chain had ended, or never
	chainEnd  *span  // the post that ended it
	owed      moment // the first moment of rest at which it must have completed, or never
	overtaken bool   // a later one of its queue was delivered
	waiting   int    // earlier ones of its queue that no poll delivered

	delivery *delivery
	point    *span         // CqePlaced: the very moment
	told     bool          // a poll or a point tells how it ended
	outcome  model.Outcome // SUCCESS where nothing tells
	unseen   bool          // its completion may have been placed, and no poll delivered it
	message  *request      // of a receive: the peer's send that it took
}

// A delivery is where a poll handed a completion out.
type delivery struct {
	poll    *span
	result  *trace.Result
	order   int // among the completions of the CQ
	outcome model.Outcome
}

// history is the whole of a trace, ready to be judged.
type history struct {
	trace    *trace.Trace
	spans    []*span
	ofEvent  []*span // of each event, where it is of a CQ or a QP
	cqs      []*cq
	qps      []*qp
	cqByName map[string]*cq
	qpByName map[string]*qp
	requests []*request
	byWr     map[string]*request
	early    map[string]bool       // refused requests whose completion was delivered before the refusal
	shared   map[string]bool       // receives of shared receive queues
	closing  map[string]*cq        // by the op of the call that closes it
	takenBy  map[*request]*request // a send, and the peer's receive that took it
	marks    []moment              // at which the provider had come to rest
	reads    []*span               // ibv_get_cq_event
	findings []found
	counts   map[string]int

	madeValid, madeInvalid *request // that did so to a token of which the trace does not tell
}

// newHistory takes a trace apart. What needs no search to be seen as wrong goes into findings.
func newHistory(t *trace.Trace) *history {
	h := &history{trace: t, spans: pairUp(t.Events), cqByName: map[string]*cq{}, qpByName: map[string]*qp{},
		byWr: map[string]*request{}, shared: map[string]bool{}, early: map[string]bool{}, takenBy: map[*request]*request{},
		closing: map[string]*cq{}, counts: map[string]int{}}
	h.findEarly()
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
	h.deliver()
	h.findEnds()
	h.findPeers()
	h.findUnknownTokens()
	h.findOverruns()
	h.findOwed()
	h.findLosses()
	h.findFlushedFailures()
	h.checkOrder()
	h.findUndelivered()
	h.checkOwed()
	return h
}

func (h *history) cq(name string) *cq {
	q := h.cqByName[name]
	if q == nil {
		q = &cq{name: name, depth: int(^uint32(0) >> 1)}
		h.cqByName[name] = q
		h.cqs = append(h.cqs, q)
	}
	return q
}

func (h *history) qp(name string) *qp {
	p := h.qpByName[name]
	if p == nil {
		p = &qp{name: name, ended: never, lostFrom: never}
		h.qpByName[name] = p
		h.qps = append(h.qps, p)
	}
	return p
}

func (h *history) take(s *span) {
	e := s.begin
	switch s.kind {
	case createCq:
		q := h.cq(e.Cq)
		q.created = s
		if depth := either(s, func(e *trace.Event) *int64 { return e.Depth }); depth != nil {
			q.depth = int(*depth)
		}
	case createQp:
		p := h.qp(e.Qp)
		p.created, p.initiatorCq, p.receiveCq = s, h.cq(e.InitiatorCq), h.cq(e.ReceiveCq)
	case connectQp:
		p := h.qp(e.Qp)
		if p.connected == nil {
			p.connected = s
		}
		if e.Conn != "" {
			p.conn = e.Conn
		}
	case post:
		p := h.qp(e.Qp)
		p.posts = append(p.posts, s)
		h.takePost(p, s)
	case armCq:
		q := h.cq(e.Cq)
		q.arms = append(q.arms, s)
	case pollCq:
		q := h.cq(e.Cq)
		q.polls = append(q.polls, s)
		if s.foundEmpty() {
			q.empty = append(q.empty, s)
		}
	case callback:
		q := h.cq(e.Cq)
		q.notified = append(q.notified, s)
	case readEvent:
		h.reads = append(h.reads, s)
		if s.returned() && s.end.Cq != "" {
			q := h.cq(s.end.Cq)
			q.notified = append(q.notified, s)
		}
	case flushQp:
		p := h.qp(e.Qp)
		p.flushes = append(p.flushes, s)
	case closeCq:
		if q := h.cq(e.Cq); q.closed == nil {
			q.closed = s
			h.closing[e.Op] = q
		}
	case closeQp:
		if p := h.qp(e.Qp); p.closed == nil {
			p.closed = s
		}
	case resizeCq:
		h.cq(e.Cq).unclear = e.Cq + " is resized"
	case postShared:
		h.shared[e.Wr] = true
		for _, w := range e.Wrs {
			h.shared[w.Wr] = true
		}
	case quiesce:
		h.marks = append(h.marks, s.call)
	case placed:
		if r := h.byWr[e.Wr]; r != nil {
			r.point, r.told, r.outcome = s, true, outcomeOf(e.Status)
		}
	}
}

// either returns what the end of a span tells, or else its beginning.
func either[T any](s *span, field func(*trace.Event) *T) *T {
	if s.end != nil {
		if value := field(s.end); value != nil {
			return value
		}
	}
	return field(s.begin)
}

// takePost takes the requests of one post: one in NDKPI, a list in libibverbs, where those before bad_wr are posted.
func (h *history) takePost(p *qp, s *span) {
	if !strings.HasPrefix(s.fn, "ibv_") {
		r := &request{wr: s.begin.Wr, qp: p, op: opsOfFn[s.fn], flags: s.begin.Flags, post: s,
			accepted: s.succeeded() || !s.returned() || h.early[s.begin.Wr],
			token:    either(s, func(e *trace.Event) *uint32 { return e.Token }),
			silent:   slices.Contains(s.begin.Flags, "SILENT_SUCCESS"),
			solicit:  slices.Contains(s.begin.Flags, "SEND_AND_SOLICIT_EVENT"),
			deferred: slices.Contains(s.begin.Flags, "DEFER")}
		h.add(r)
		return
	}
	if s.fn == "ibv_bind_mw" {
		h.add(&request{wr: s.begin.Wr, qp: p, op: model.Bind, flags: s.begin.Flags, post: s,
			accepted: s.succeeded() || !s.returned() || h.early[s.begin.Wr]})
		return
	}
	signalAll := p.created != nil && p.created.begin.SqSigAll != nil && *p.created.begin.SqSigAll
	for i := range s.begin.Wrs {
		w := &s.begin.Wrs[i]
		r := &request{wr: w.Wr, qp: p, op: model.ReceiveOp, flags: w.Flags, post: s, token: w.Token, accepted: true}
		if s.fn == "ibv_post_send" {
			r.op = opsOfOpcode[strings.TrimPrefix(w.Opcode, "IBV_WR_")]
			r.silent = !signalAll && !hasVerbsFlag(w.Flags, "SIGNALED")
			r.solicit = hasVerbsFlag(w.Flags, "SOLICITED")
		}
		if s.returned() && !s.succeeded() && (s.end.BadWr == w.Wr || s.end.BadWr == "") {
			r.accepted = h.early[w.Wr]
			h.add(r)
			return
		}
		h.add(r)
	}
}

func hasVerbsFlag(flags []string, name string) bool {
	return slices.Contains(flags, name) || slices.Contains(flags, "IBV_SEND_"+name)
}

func (h *history) add(r *request) {
	r.id, r.owed = len(h.requests), never
	h.requests = append(h.requests, r)
	r.post.requests = append(r.post.requests, r)
	if r.op == model.ReceiveOp {
		r.queue = model.Receive
	}
	if _, known := h.byWr[r.wr]; !known {
		h.byWr[r.wr] = r
	}
	if !r.accepted {
		return
	}
	r.position = len(r.qp.queue(r.queue))
	if r.queue == model.Initiator {
		r.qp.initiator = append(r.qp.initiator, r)
		if r.op.IsSend() {
			r.qp.sends = append(r.qp.sends, r)
		}
	} else {
		r.qp.receive = append(r.qp.receive, r)
	}
}

// findEarly finds the requests that were refused after their completion was delivered. When it was, they could still be
// accepted: the contract is broken at the refusal (DEF-03).
func (h *history) findEarly() {
	refused := map[string]moment{}
	for _, s := range h.spans {
		if s.kind == post && s.returned() && !s.succeeded() {
			wr := cmp.Or(s.end.BadWr, s.begin.Wr)
			if wr == "" && len(s.begin.Wrs) > 0 {
				wr = s.begin.Wrs[0].Wr // bad_wr is not told: none was posted
			}
			refused[wr] = s.ret
		}
	}
	for _, s := range h.spans {
		if s.kind != pollCq || !s.returned() || len(refused) == 0 {
			continue
		}
		for i := range s.end.Results {
			if at, ok := refused[s.end.Results[i].Wr]; ok && s.ret < at {
				h.early[s.end.Results[i].Wr] = true
			}
		}
	}
}

// deliver finds, for every result of every poll, the request that it is of.
func (h *history) deliver() {
	for _, q := range h.cqs {
		for _, poll := range q.polls {
			if poll.end == nil {
				continue
			}
			h.checkPoll(q, poll)
			for i := range poll.end.Results {
				result := &poll.end.Results[i]
				r := h.byWr[result.Wr]
				d := &delivery{poll: poll, result: result, order: len(q.delivered), outcome: outcomeOf(result.Status)}
				if h.checkResult(q, r, d) {
					r.delivery, r.told, r.outcome = d, true, d.outcome
					q.delivered = append(q.delivered, r)
				}
			}
		}
	}
}
