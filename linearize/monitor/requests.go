package monitor

import (
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A workRequest is one that was posted and of which no completion was delivered. Its arguments are kept until then, or until its
// queue pair is closed.
type workRequest struct {
	wr       string
	place    Place // of the call of its post
	fn       string
	opcode   string // libibverbs: without IBV_WR_, or "" where the trace does not record it
	op       model.Op
	bytes    int64 // of its buffers, or unknown
	token    int64 // that it names, or unknown
	queue    *requestQueue
	position int          // among the requests of its queue
	silent   bool         // it may have no completion if it succeeds
	accepted bool         // its post has returned success
	over     bool         // its completion was delivered, or its post was refused
	overlaps bool         // its post overlaps another of the queue, so that their order is not known
	next     *workRequest // of its queue
	previous *workRequest
	ruin     *ruin // what its queue pair suffered before its post was called, or nil
	notice
}

// unknown stands for a number that the trace does not record.
const unknown = -1

func known[N int64 | uint32](n *N) int64 {
	if n == nil {
		return unknown
	}
	return int64(*n)
}

// A requestQueue is a queue of a queue pair, or a shared receive queue.
type requestQueue struct {
	name        string       // of the queue pair, or of the shared receive queue
	qp          *qpArguments // or nil
	kind        model.Queue
	cq          string         // into which it completes, or "" where that is not known
	crowd       *crowd         // of that, since its first post
	depth       int64          // how many requests may be outstanding, or unknown
	outstanding int64          // requests that were accepted, and whose place is not free (A12)
	posted      int            // requests so far
	posting     int            // calls that are under way
	indicated   int            // the position of the latest request without NDK_OP_FLAG_DEFER
	silent      []*workRequest // those that may be silent, in the order of posting
	uncertain   bool           // it may hold other requests than these
	requests    workRequest    // the ring of those that are not over
}

func newRequestQueue(name string, p *qpArguments, kind model.Queue) *requestQueue {
	q := &requestQueue{name: name, qp: p, kind: kind, depth: unknown}
	q.requests.next, q.requests.previous = &q.requests, &q.requests
	return q
}

// object is what findings of the queue are of.
func (q *requestQueue) object() Object {
	if q.qp == nil {
		return Object{Srq, q.name}
	}
	return Object{Qp, q.name}
}

// qpArguments are what the trace says of a queue pair.
type qpArguments struct {
	name      string
	conn      string
	kind      string       // libibverbs: its type, or "" where the trace does not record it
	created   bool         // the trace holds its creation
	srq       string       // from which it takes its receives, or "" where it takes them from its own queue, or the trace does not record it
	inline    int64        // the most bytes of inline data in a request, or unknown
	chain     *workRequest // the latest of its deferred requests, if no request without NDK_OP_FLAG_DEFER followed
	flushing  int          // flushes that have not returned, or pend
	writesImm bool         // it may have posted an RDMA write with immediate data
	initiator *requestQueue
	receive   *requestQueue
	peer      *qpArguments    // the other end of its connection, where the trace holds the creation of both; it may be closed
	sent      []*workRequest  // the messages that its peer has not received
	ended     int             // the index of the event that may have ended its connection first: a flush, a failure, a close; or -1
	reported  map[string]bool // what was said of it, and is said once
}

// once reports whether something is said of the queue pair for the first time.
func (p *qpArguments) once(what string) bool {
	if p.reported[what] {
		return false
	}
	if p.reported == nil {
		p.reported = map[string]bool{}
	}
	p.reported[what] = true
	return true
}

// A posting is a post that is under way.
type posting struct {
	call     *Call
	queue    *requestQueue
	requests []*workRequest
}

// A polling is a poll that is under way.
type polling struct {
	call *Call
	cq   string
	room int64
}

// requestRule checks requests as they are posted and as they complete.
type requestRule interface {
	created(p *qpArguments)                                  // the creation of a queue pair is called
	called(r *workRequest, c *Call, flags []string)          // its post is called
	answered(p *posting, refused bool)                       // a post has returned
	completed(r *workRequest, c *Call, result *trace.Result) // a poll delivers its completion
	ended(p *qpArguments)                                    // a flush or a close of a queue pair is called, or its connection ends
	dropped(p *qpArguments, closed bool)                     // what is outstanding on a queue pair is forgotten, as it is closed, or reset
	finish()                                                 // the end of the trace
}

// noRequest checks nothing. A rule embeds it for what does not matter to it.
type noRequest struct{}

func (noRequest) created(*qpArguments)                         {}
func (noRequest) called(*workRequest, *Call, []string)         {}
func (noRequest) answered(*posting, bool)                      {}
func (noRequest) completed(*workRequest, *Call, *trace.Result) {}
func (noRequest) ended(*qpArguments)                           {}
func (noRequest) dropped(*qpArguments, bool)                   {}
func (noRequest) finish()                                      {}

// requestRules lists the rules of requests whose order matters. Another one is a group (see declare.go), and adds itself to the rules of Monitor.requests.
var requestRules = []func(*requests) requestRule{newFlags, newLimits, newResults, newLengths, newChains, newShared}

// requests follows what is posted and not completed, for the rules of requests.
type requests struct {
	nothing
	m       *Monitor
	byWr    map[string]*workRequest
	qps     named[qpArguments]
	crowds  map[string]*crowd // by CQ
	conns   map[string][]*qpArguments
	srqs    map[string]*requestQueue
	posts   []posting
	polls   []polling
	spare   []*workRequest          // the memory of the list of a post that has returned
	closing map[string]*qpArguments // by the op of a close that is pending
	rules   []requestRule
}

// maxRequests is how many outstanding requests are followed. The arguments of more are forgotten.
const maxRequests = 1 << 16

func newRequests(m *Monitor) checks {
	s := &requests{m: m, byWr: map[string]*workRequest{}, qps: newNamed[qpArguments](), conns: map[string][]*qpArguments{},
		srqs: map[string]*requestQueue{}, closing: map[string]*qpArguments{}, crowds: map[string]*crowd{}}
	for _, rule := range requestRules {
		s.rules = append(s.rules, rule(s))
	}
	m.requests = s
	return s
}

func (s *requests) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.CreateCq:
		s.crowds[e.Cq] = &crowd{depth: max(0, known(e.Depth))}
	case calls.CreateQp:
		s.create(c, e)
	case calls.ConnectQp:
		s.connect(s.qp(e.Qp), e.Conn)
	case calls.Post, calls.PostShared:
		s.called(c, e)
	case calls.PollCq:
		p := polling{c, e.Cq, maxRequests} // any number, where the trace does not record the room
		if e.N != nil {
			p.room = *e.N
		}
		s.polls = append(s.polls, p)
	case calls.UnsettleQp:
		if strings.HasSuffix(e.State, "RESET") && s.qps.get(e.Qp) != nil {
			s.drop(s.qps.get(e.Qp), false)
		}
	case calls.CloseDone:
		if p := s.closing[e.For]; p != nil {
			delete(s.closing, e.For)
			s.forget(p)
		}
	case calls.FlushQp:
		if p := s.qps.get(e.Qp); p != nil {
			p.flushing++
			s.ended(p)
		}
	case calls.EndConnection:
		s.connectionEnds(e)
	case calls.CloseQp:
		if p := s.qps.get(e.Qp); p != nil {
			s.closing[e.Op] = p
			s.ended(p)
		}
	}
}

func (s *requests) finish() {
	for _, rule := range s.rules {
		rule.finish()
	}
}

func (s *requests) ended(p *qpArguments) {
	for _, rule := range s.rules {
		if p != nil {
			rule.ended(p)
		}
	}
}

// connectionEnds handles the end of a connection, of all where the trace does not record which.
func (s *requests) connectionEnds(e *trace.Event) {
	for _, p := range s.qps.all {
		if (e.Qp == "" || e.Qp == p.name) && (e.Conn == "" || e.Conn == p.conn) {
			s.ended(p)
		}
	}
}

func (s *requests) end(c *Call, e *trace.Event) {
	refused := calls.IsRefusal(c.Verbs, e)
	switch c.Kind {
	case calls.CreateQp:
		switch p := s.qps.get(c.Qp); {
		case p == nil:
		case refused:
			s.forget(p)
		default:
			p.limit(e)
		}
	case calls.Post, calls.PostShared:
		i := slices.IndexFunc(s.posts, func(p posting) bool { return p.call == c })
		if i >= 0 {
			s.answered(&s.posts[i], e, refused)
			s.posts[i].queue.posting--
			clear(s.posts[i].requests)
			s.spare = s.posts[i].requests[:0]
			s.posts = slices.Delete(s.posts, i, i+1)
		}
	case calls.FlushQp:
		if p := s.qps.get(c.Qp); p != nil && p.flushing > 0 && !calls.Pending(e) {
			p.flushing--
		}
	case calls.CloseCq:
		if !refused && !calls.Pending(e) {
			delete(s.crowds, c.Cq)
		}
	case calls.PollCq:
		s.polls = slices.DeleteFunc(s.polls, func(p polling) bool { return p.call == c })
		for i := range e.Results {
			s.completed(c, &e.Results[i])
		}
	case calls.CloseQp:
		p := s.closing[c.Op]
		if p == nil || calls.Pending(e) {
			return
		}
		if delete(s.closing, c.Op); !refused {
			s.forget(p)
		}
	}
}

// qp returns a queue pair, of which the trace may not hold the creation.
func (s *requests) qp(name string) *qpArguments {
	p := s.qps.get(name)
	if p == nil {
		p = &qpArguments{name: name, inline: unknown, ended: -1}
		p.initiator, p.receive = newRequestQueue(name, p, model.Initiator), newRequestQueue(name, p, model.Receive)
		s.qps.put(name, p)
	}
	return p
}

// create notes the arguments of a creation. In libibverbs they are what is asked for, and the return has the limits, which may be greater.
func (s *requests) create(c *Call, e *trace.Event) {
	p := s.qp(e.Qp)
	p.created, p.kind = true, e.QpType
	p.initiator.cq, p.receive.cq = e.InitiatorCq, e.ReceiveCq
	p.srq, p.receive.uncertain = e.Srq, e.Srq != "" // its receives come from there
	if !c.Verbs {
		p.limit(e)
	}
	for _, rule := range s.rules {
		rule.created(p)
	}
}

// limit notes the limits that an event of a creation records.
func (p *qpArguments) limit(e *trace.Event) {
	note := func(to *int64, limit *int64) {
		if limit != nil {
			*to = *limit
		}
	}
	note(&p.initiator.depth, e.InitiatorDepth)
	note(&p.receive.depth, e.ReceiveDepth)
	note(&p.inline, e.Inline)
}

func (s *requests) connect(p *qpArguments, conn string) {
	if conn != "" && p.conn == "" {
		p.conn = conn
		s.conns[conn] = append(s.conns[conn], p)
		if first := s.conns[conn][0]; first != p && first.peer == nil && first.created && p.created {
			first.peer, p.peer = p, first
		}
	}
}

// peer returns the queue pair at the other end of a connection, or nil where the trace does not hold it.
func (s *requests) peer(p *qpArguments) *qpArguments {
	ends := s.conns[p.conn]
	switch {
	case len(ends) != 2:
		return nil
	case ends[0] == p:
		return ends[1]
	}
	return ends[0]
}

// hearStrangers reports whether a receive was posted that may take a message whose send the trace does not hold.
func (s *requests) hearStrangers() bool {
	for _, q := range s.srqs {
		if q.posted > 0 {
			return true
		}
	}
	for _, p := range s.qps.all {
		if s.hearsStranger(p) {
			return true
		}
	}
	return false
}

func (s *requests) hearsStranger(p *qpArguments) bool {
	return p.receive.posted > 0 && s.peer(p) == nil
}

// queueOf returns the queue that a call posts on.
func (s *requests) queueOf(c *Call, e *trace.Event) *requestQueue {
	switch {
	case c.Kind == calls.PostShared:
		q := s.srqs[e.Srq]
		if q == nil {
			q = newRequestQueue(e.Srq, nil, model.Receive)
			s.srqs[e.Srq] = q
		}
		return q
	case c.Queue == model.Receive:
		return s.qp(e.Qp).receive
	}
	return s.qp(e.Qp).initiator
}

// called notes the requests of a post.
func (s *requests) called(c *Call, e *trace.Event) {
	q := s.queueOf(c, e)
	if q.posting++; q.posting == 2 { // the requests of more calls overlap already
		for _, other := range s.posts {
			if other.queue == q {
				for _, r := range other.requests {
					r.overlaps = true
				}
			}
		}
	}
	s.posts = append(s.posts, posting{call: c, queue: q, requests: s.spare})
	s.spare = nil
	if !c.Verbs || c.Fn == "ibv_bind_mw" {
		r := &workRequest{wr: e.Wr, op: c.Function.Op, bytes: known(e.Bytes), token: known(e.Token), silent: c.Verbs || slices.Contains(e.Flags, "SILENT_SUCCESS")}
		if c.Verbs {
			r.opcode = "BIND_MW"
		}
		s.add(r, e.Flags)
		return
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		r := &workRequest{wr: w.Wr, bytes: known(w.Bytes), token: known(w.Token)}
		if q.kind == model.Initiator {
			r.op, _ = calls.OpOfRequest(w)
			r.opcode, r.silent = strings.TrimPrefix(w.Opcode, "IBV_WR_"), !calls.HasVerbsFlag(w.Flags, "SIGNALED")
			q.qp.writesImm = q.qp.writesImm || r.opcode == "" || r.opcode == "RDMA_WRITE_WITH_IMM"
		}
		s.add(r, w.Flags)
	}
}

// add notes a request of the latest post.
func (s *requests) add(r *workRequest, flags []string) {
	p := &s.posts[len(s.posts)-1]
	q := p.queue
	r.place, r.fn, r.queue, r.position = p.call.Begun, p.call.Fn, q, q.posted
	r.overlaps = q.posting > 1
	if q.crowd == nil {
		q.crowd = s.crowd(q.cq)
	}
	if q.kind == model.Receive {
		r.op, r.silent = model.ReceiveOp, false
	}
	q.posted++
	for _, rule := range s.rules {
		rule.called(r, p.call, flags)
	}
	if len(s.byWr) >= maxRequests || s.byWr[r.wr] != nil {
		q.uncertain, q.crowd.full = true, true
		return
	}
	s.byWr[r.wr] = r
	q.crowd.unanswered++
	p.requests = append(p.requests, r)
	r.previous, r.next = q.requests.previous, &q.requests
	r.previous.next, r.next.previous = r, r
	if r.silent {
		q.keepSilent(s, r)
	}
}

// maxSilent is how many requests of a queue are followed that may have succeeded without a word. The place of an older one counts as free.
const maxSilent = 256

func (q *requestQueue) keepSilent(s *requests, r *workRequest) {
	if q.silent = append(q.silent, r); len(q.silent) <= maxSilent {
		return
	}
	if oldest := q.silent[0]; !oldest.over {
		s.remove(oldest)
	}
	q.silent = q.silent[1:]
}

// answered notes which requests of a post were accepted.
func (s *requests) answered(p *posting, e *trace.Event, refused bool) {
	stopped, stops := false, 0
	for _, r := range p.requests {
		stopped = stopped || refused && (e.BadWr == "" || e.BadWr == r.wr)
		switch {
		case r.over:
		case stopped:
			s.remove(r)
			stops++
		default:
			r.accepted = true
			p.queue.outstanding++
			p.queue.crowd.outstanding++
		}
	}
	if len(p.requests) > 0 {
		p.queue.crowd.answered(len(p.requests), stops)
	}
	if refused && e.BadWr == "" && len(p.requests) > 1 {
		p.queue.uncertain = true // the trace does not record where the list stopped
	}
	for _, rule := range s.rules {
		rule.answered(p, refused)
	}
}

// completed handles a result of a poll. It has what names no request, or one of another queue, ignored: other rules are about that.
func (s *requests) completed(c *Call, result *trace.Result) {
	r := s.byWr[result.Wr]
	if r == nil && calls.OutcomeOf(result.Status) != model.SUCCESS {
		s.strangerFailed(c.Cq)
	}
	if r == nil || r.queue.cq != "" && r.queue.cq != c.Cq {
		return
	}
	for _, rule := range s.rules {
		rule.completed(r, c, result)
	}
	s.remove(r)
	q := r.queue
	for len(q.silent) > 0 && q.silent[0].position <= r.position { // a later completion frees their places
		if !q.silent[0].over {
			s.remove(q.silent[0])
		}
		q.silent = q.silent[1:]
	}
}

// strangerFailed notes that a request failed of which the trace does not hold the post: it may have ended the connection of any queue pair that is
// older than the trace.
func (s *requests) strangerFailed(cq string) {
	for _, p := range s.qps.all {
		if !p.created && (p.initiator.cq == "" || p.initiator.cq == cq) {
			s.ended(p)
		}
	}
}

// remove forgets a request that is over.
func (s *requests) remove(r *workRequest) {
	delete(s.byWr, r.wr)
	r.queue.crowd.leaves(r)
	r.previous.next, r.next.previous = r.next, r.previous
	if r.over = true; r.accepted {
		r.queue.outstanding--
	}
}

// oldest returns up to n of the requests that are outstanding, the oldest first.
func (q *requestQueue) oldest(n int) []*workRequest {
	var all []*workRequest
	for r := q.requests.next; r != &q.requests && len(all) < n; r = r.next {
		all = append(all, r)
	}
	return all
}

// drop forgets all requests of a queue pair that is closed, or reset.
func (s *requests) drop(p *qpArguments, closed bool) {
	for _, rule := range s.rules {
		rule.dropped(p, closed)
	}
	for _, q := range []*requestQueue{p.initiator, p.receive} {
		for q.requests.next != &q.requests {
			s.remove(q.requests.next)
		}
		q.silent = nil
	}
}

// forget forgets a queue pair that is closed, or whose creation failed.
func (s *requests) forget(p *qpArguments) {
	s.m.bindings.uncertain = s.m.bindings.uncertain || s.m.dialect.Name == "ndkpi" && s.hearsStranger(p)
	s.drop(p, true)
	s.qps.remove(p.name)
	if s.conns[p.conn] = slices.DeleteFunc(s.conns[p.conn], func(o *qpArguments) bool { return o == p }); len(s.conns[p.conn]) == 0 {
		delete(s.conns, p.conn)
	}
}

// roomOf returns how many completions the polls of a completion queue may be taking that are under way.
func (s *requests) roomOf(cq string) int64 {
	room := int64(0)
	for _, p := range s.polls {
		if p.cq == cq {
			room += min(p.room, maxRequests)
		}
	}
	return room
}
