package linearize

import (
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
	arms      []*span
	notified  []*span    // callbacks, and events that were read
	delivered []*request // in the order of the polls
	closed    *span      // the call that closes it
	unclear   string     // why nobody can tell what it holds, or ""
	overrun   moment     // the first at which more could be on its way into it than it has room for, or never
	fails     bool       // its failure is in the trace, or could explain something of it
	index     int        // in its component
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
	closed                 *span
	lostFrom               moment // from when on the connection may be lost without a word in the trace
	last                   moment // of the events that name it
	index                  int    // in its component
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
	accepted bool // the post returned success, or has not returned
	position int  // in its queue, among the accepted

	delivery *delivery
	point    *span         // CqePlaced: the very moment
	told     bool          // a poll or a point tells how it ended
	outcome  model.Outcome // SUCCESS where nothing tells
	unseen   bool          // its completion may have been placed, and no poll delivered it
	message  *request      // of a receive: the peer's send that it took
	again    bool          // delivered more than once
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
	cqs      []*cq
	qps      []*qp
	cqByName map[string]*cq
	qpByName map[string]*qp
	requests []*request
	byWr     map[string]*request
	shared   map[string]bool       // receives of shared receive queues
	closing  map[string]*cq        // by the op of the call that closes it
	takenBy  map[*request]*request // a send, and the peer's receive that took it
	marks    []moment              // at which the provider had come to rest
	reads    []*span               // ibv_get_cq_event
	findings []found
	counts   map[string]int
}

// newHistory takes a trace apart. What needs no search to be seen as wrong goes into findings.
func newHistory(t *trace.Trace) *history {
	h := &history{trace: t, spans: pairUp(t.Events), cqByName: map[string]*cq{}, qpByName: map[string]*qp{},
		byWr: map[string]*request{}, shared: map[string]bool{}, takenBy: map[*request]*request{},
		closing: map[string]*cq{}, counts: map[string]int{}}
	for _, s := range h.spans {
		h.take(s)
	}
	if t.End != nil && t.End.Quiescent {
		h.marks = append(h.marks, len(t.Events))
	}
	h.deliver()
	h.findPeers()
	h.findOverruns()
	h.findLosses()
	h.findFlushedFailures()
	h.checkOrder()
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
		p = &qp{name: name, lostFrom: never}
		h.qpByName[name] = p
		h.qps = append(h.qps, p)
	}
	return p
}

func (h *history) take(s *span) {
	e := s.begin
	if p := h.qpByName[e.Qp]; p != nil {
		p.last = max(p.last, s.call, min(s.ret, len(h.trace.Events)))
	}
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
			accepted: s.succeeded() || !s.returned(),
			token:    either(s, func(e *trace.Event) *uint32 { return e.Token }),
			silent:   slices.Contains(s.begin.Flags, "SILENT_SUCCESS"),
			solicit:  slices.Contains(s.begin.Flags, "SEND_AND_SOLICIT_EVENT"),
			deferred: slices.Contains(s.begin.Flags, "DEFER")}
		h.add(r)
		return
	}
	if s.fn == "ibv_bind_mw" {
		h.add(&request{wr: s.begin.Wr, qp: p, op: model.Bind, flags: s.begin.Flags, post: s, accepted: s.succeeded() || !s.returned()})
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
			r.accepted = false
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
	r.id = len(h.requests)
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

// findPeers joins the two QPs of each connection, and each receive with the send that it takes, if it takes one: on a
// connection the sends arrive in their order.
func (h *history) findPeers() {
	byConn := map[string][]*qp{}
	for _, p := range h.qps {
		if p.conn != "" {
			byConn[p.conn] = append(byConn[p.conn], p)
		}
	}
	for _, p := range h.qps {
		if ends := byConn[p.conn]; len(ends) == 2 {
			p.peer = ends[0]
			if ends[0] == p {
				p.peer = ends[1]
			}
		}
	}
	for _, p := range h.qps {
		if p.peer == nil {
			continue
		}
		sends := p.peer.sends
		for i, r := range p.receive {
			if failed(r) || i < len(sends) && failed(sends[i]) {
				break
			}
			if i >= len(sends) {
				h.checkUnsent(p.receive[i:])
				break
			}
			r.message = sends[i]
			if r.delivery != nil {
				h.takenBy[r.message] = r
				h.checkMessage(r)
			}
		}
	}
}

func failed(r *request) bool { return r.outcome != model.SUCCESS }

// hasMessage reports whether r is no receive for which the peer is known to have sent nothing.
func (r *request) hasMessage() bool {
	return r.queue == model.Initiator || r.qp.peer == nil || r.position < len(r.qp.peer.sends)
}

// mayComplete reports whether r is no receive that can only wait for a message.
func (r *request) mayComplete() bool {
	return r.hasMessage() || r.qp.ends() || r.qp.peer.ends()
}

// ends reports whether the trace tells of a flush, a close or a failure of p. What was cancelled is no cause of its own.
func (p *qp) ends() bool {
	return len(p.flushes) > 0 || p.closed != nil ||
		slices.ContainsFunc(slices.Concat(p.initiator, p.receive), func(r *request) bool { return r.outcome == model.FAILED })
}

// findLosses says of each QP since when its connection may have been lost for a reason that is not its own: a peer that
// failed, flushed, disconnected or closed, or a peer that the trace does not hold.
func (h *history) findLosses() {
	for _, p := range h.qps {
		if p.connected == nil {
			continue
		}
		if p.peer == nil {
			p.lostFrom = p.connected.call
			continue
		}
		for _, s := range p.peer.flushes {
			p.lostFrom = min(p.lostFrom, s.call)
		}
		if p.peer.closed != nil {
			p.lostFrom = min(p.lostFrom, p.peer.closed.call)
		}
		for _, q := range []*cq{p.peer.initiatorCq, p.peer.receiveCq} {
			if q != nil && h.mayFail(q) {
				p.lostFrom = min(p.lostFrom, p.connected.call)
			}
		}
		for _, r := range slices.Concat(p.peer.initiator, p.peer.receive) {
			if failed(r) {
				p.lostFrom = min(p.lostFrom, r.post.call)
			}
		}
		for _, end := range []*qp{p, p.peer} {
			p.lostFrom = min(p.lostFrom, h.mayHaveFailed(end, model.Initiator))
		}
		p.lostFrom = min(p.lostFrom, h.mayHaveFailed(p, model.Receive))
	}
}

// mayHaveFailed returns from when on a request of the queue may have failed of which no completion tells: its completion
// may still be in the CQ at the end of the trace. Or never. A receive fails at a message, or for a reason that the trace
// tells.
func (h *history) mayHaveFailed(p *qp, queue model.Queue) moment {
	q, requests := p.cq(queue), p.queue(queue)
	if q == nil {
		return never
	}
	from := never
	for _, r := range slices.Backward(requests) {
		if r.told || h.emptyAtRest(q, r.post.ret) {
			break // and what was posted before it has completed too
		}
		if r.hasMessage() {
			from = r.post.call
		}
	}
	return from
}

// emptyAtRest reports whether, at a moment of rest after the given one, q held nothing that polls did not deliver.
func (h *history) emptyAtRest(q *cq, after moment) bool {
	i, _ := slices.BinarySearch(h.marks, after)
	return i < len(h.marks) && q.emptyAfter(h.marks[i])
}

// findFlushedFailures takes the first request of a QP that libibverbs reports as flushed, where nothing had flushed it,
// for the failure that it is: some devices turn the QP to its error state first, and report every request from then on,
// the faulty one included, as IBV_WC_WR_FLUSH_ERR. NDKPI asks for more (RES-08).
func (h *history) findFlushedFailures() {
	for _, p := range h.qps {
		first := never
		var culprit *request
		for _, r := range slices.Concat(p.initiator, p.receive) {
			if !failed(r) || r.delivery == nil || !strings.HasPrefix(r.delivery.poll.fn, "ibv_") {
				continue
			}
			if culprit == nil {
				culprit = r
			}
			if r.outcome == model.FAILED {
				first = 0 // the QP's own failure is in the trace
			}
			first = min(first, r.delivery.poll.ret)
		}
		if culprit != nil && first > 0 && !p.mayCancel(first) {
			culprit.outcome = model.FAILED
		}
	}
}

// mayCancel reports whether anything that the trace shows can have cancelled requests of p by then.
func (p *qp) mayCancel(at moment) bool {
	for _, s := range p.flushes {
		if s.call < at {
			return true
		}
	}
	return p.lostFrom < at || p.closed != nil && p.closed.call < at
}

// owedAt reports whether r must have completed by a moment at which the provider was at rest.
func (r *request) owedAt(mark moment) bool {
	p := r.qp
	if r.post.ret >= mark || p.closed != nil && p.closed.call < mark {
		return false
	}
	for _, s := range p.flushes {
		if s.call > r.post.call && s.ret < mark {
			return true
		}
	}
	if r.queue == model.Receive {
		return r.tookMessageBefore(mark)
	}
	return r.indicatedBefore(mark) && !p.waitsForPeer(r, mark)
}

// tookMessageBefore reports whether the peer's send for this receive, or a later one, is known to have succeeded by then.
func (r *request) tookMessageBefore(mark moment) bool {
	if r.qp.peer == nil {
		return false
	}
	sends := r.qp.peer.sends
	if r.position >= len(sends) {
		return false
	}
	for i, s := range sends {
		switch {
		case failed(s):
			return false
		case i >= r.position && s.delivery != nil && (s.delivery.poll.ret < mark || s.owedAt(mark)):
			return true
		}
	}
	return false
}

// indicatedBefore reports whether the chain of a deferred request has ended by then: with a request without DEFER or with
// one that was refused (DEF-05, A11).
func (r *request) indicatedBefore(mark moment) bool {
	if !r.deferred {
		return true
	}
	for _, s := range r.qp.posts {
		if s.call < r.post.call || s.ret >= mark || s.fn == "NdkReceive" {
			continue
		}
		if !s.succeeded() || !slices.Contains(s.begin.Flags, "DEFER") {
			return true
		}
	}
	return false
}

// waitsForPeer reports whether r, or a send before it, may be waiting for a receive that the peer has not posted, or of
// which the trace does not tell.
func (p *qp) waitsForPeer(r *request, mark moment) bool {
	receives := 0
	if p.peer != nil {
		for _, posted := range p.peer.receive {
			if posted.post.ret < mark {
				receives++
			}
		}
	}
	for _, s := range p.sends {
		if s.position > r.position {
			break
		}
		if receives--; receives < 0 && (s.delivery == nil || s.delivery.poll.ret > mark) {
			return true
		}
	}
	return false
}

// firstOwed returns the first moment of rest at which r must have completed, or never. After the last event of its QP and
// of the peer nothing changes that any more.
func (h *history) firstOwed(r *request) moment {
	last := r.qp.last
	if r.qp.peer != nil {
		last = max(last, r.qp.peer.last)
	}
	for _, q := range []*cq{r.qp.initiatorCq, r.qp.receiveCq} {
		if q != nil && len(q.polls) > 0 {
			last = max(last, q.polls[len(q.polls)-1].call)
		}
	}
	i, _ := slices.BinarySearch(h.marks, r.post.call)
	for _, mark := range h.marks[i:] {
		if r.owedAt(mark) {
			return mark
		}
		if mark > last {
			break
		}
	}
	return never
}

// findOverruns finds, for each CQ, the first moment at which more completions could be on their way into it than it has
// room for.
func (h *history) findOverruns() {
	outstanding := map[*cq]int{}
	for _, q := range h.cqs {
		q.overrun = never
	}
	count := func(r *request, n int, at moment) {
		q := r.qp.cq(r.queue)
		if q == nil || !r.mayComplete() {
			return
		}
		outstanding[q] += n
		if outstanding[q] > q.depth {
			q.overrun = min(q.overrun, at)
		}
	}
	bySpan := map[moment]*span{}
	for _, s := range h.spans {
		if s.kind == post {
			bySpan[s.call] = s
		} else if s.kind == pollCq && s.returned() {
			bySpan[s.ret] = s
		}
	}
	for at := range h.trace.Events {
		s := bySpan[at]
		if s == nil {
			continue
		}
		for _, r := range s.requests {
			count(r, 1, at)
		}
		if s.kind == pollCq {
			for i := range s.end.Results {
				if r := h.byWr[s.end.Results[i].Wr]; r != nil {
					count(r, -1, at)
				}
			}
		}
	}
}

// emptyAfter reports whether a poll that began after the moment found the CQ empty.
func (q *cq) emptyAfter(mark moment) bool {
	for _, poll := range q.polls {
		if poll.call > mark && poll.foundEmpty() {
			return true
		}
	}
	return false
}

// foundEmpty reports whether a poll had room and returned nothing.
func (s *span) foundEmpty() bool {
	return s.end != nil && len(s.end.Results) == 0 && (s.begin.N == nil || *s.begin.N > 0)
}
