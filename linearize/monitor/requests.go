package monitor

import (
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// requestRule checks requests as they are posted and as they complete. A group that has these methods is told.
type requestRule interface {
	created(p *qpArguments)                                  // the creation of a queue pair is called
	called(r *workRequest, c *Call, flags []string)          // its post is called
	answered(p *posting, refused bool)                       // a post has returned
	completed(r *workRequest, c *Call, result *trace.Result) // a poll delivers its completion
	ended(p *qpArguments)                                    // a flush or a close of a queue pair is called, or its connection ends
	dropped(p *qpArguments, closed bool)                     // what is outstanding on a queue pair is forgotten, as it is closed, or reset
	foundNothing(c *Call)                                    // a poll that asked for completions, and that no other overlapped at its end, found none
}

// noRequest checks nothing. A rule embeds it for what does not matter to it.
type noRequest struct{}

func (noRequest) created(*qpArguments) {}

func (noRequest) called(*workRequest, *Call, []string) {}

func (noRequest) answered(*posting, bool) {}

func (noRequest) completed(*workRequest, *Call, *trace.Result) {}

func (noRequest) ended(*qpArguments) {}

func (noRequest) dropped(*qpArguments, bool) {}

func (noRequest) foundNothing(*Call) {}

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
	spare   [][]*workRequest        // the memory of the lists of posts that have returned
	block   []workRequest           // the memory of the next requests
	closing map[string]*qpArguments // by the op of a close that is pending
	rules   []requestRule
}

// maxRequests is how many outstanding requests are followed. The arguments of more are forgotten.
const maxRequests = 1 << 16

func newRequests(m *Monitor) checks {
	s := &requests{m: m, byWr: map[string]*workRequest{}, qps: newNamed[qpArguments](), conns: map[string][]*qpArguments{},
		srqs: map[string]*requestQueue{}, closing: map[string]*qpArguments{}, crowds: map[string]*crowd{}}
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
		s.connect(s.qp(e.Qp), e.Conn, c)
	case calls.Post, calls.PostShared:
		s.called(c, e)
	case calls.PollCq:
		p := polling{call: c, cq: e.Cq, room: maxRequests} // any number, where the trace does not record the room
		if e.N != nil {
			p.room, p.asks = *e.N, *e.N > 0
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
	case calls.Callback:
		s.failed(e, func(p *qpArguments) bool { return p.initiator.cq == e.Cq || p.receive.cq == e.Cq })
	default:
		if c.Fn == "NdkSrqNotificationCallback" {
			s.failed(e, func(p *qpArguments) bool { return p.srq == e.Srq })
		}
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
			s.spare = append(s.spare, s.posts[i].requests[:0])
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
		s.polled(c, e, refused)
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

// create records the arguments of a creation. In libibverbs they are what is asked for, and the return has the limits, which may be greater.
func (s *requests) create(c *Call, e *trace.Event) {
	p := s.qp(e.Qp)
	p.created, p.kind = true, e.QpType
	p.signals, _ = calls.SignalsAll(e)
	p.initiator.cq, p.receive.cq = e.InitiatorCq, e.ReceiveCq
	if p.srq = e.Srq; p.srq != "" {
		p.receive.uncertain = true // its receives come from there
		s.crowd(e.ReceiveCq).isFedBy(s.srq(p.srq).crowd)
	}
	if !c.Verbs {
		p.limit(e)
	}
	for _, rule := range s.rules {
		rule.created(p)
	}
}

// srq returns the queue of a shared receive queue.
func (s *requests) srq(name string) *requestQueue {
	q := s.srqs[name]
	if q == nil {
		q = newRequestQueue(name, nil, model.Receive)
		q.crowd = &crowd{}
		s.srqs[name] = q
	}
	return q
}

// queueOf returns the queue that a call posts on.
func (s *requests) queueOf(c *Call, e *trace.Event) *requestQueue {
	switch {
	case c.Kind == calls.PostShared:
		return s.srq(e.Srq)
	case c.Queue == model.Receive:
		return s.qp(e.Qp).receive
	}
	return s.qp(e.Qp).initiator
}

// called records the requests of a post.
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
	var requests []*workRequest
	if last := len(s.spare) - 1; last >= 0 {
		requests, s.spare = s.spare[last], s.spare[:last]
	}
	s.posts = append(s.posts, posting{call: c, queue: q, requests: requests})
	if !c.Verbs || c.Fn == "ibv_bind_mw" {
		r := s.newRequest(e.Wr, e.Bytes, e.Token)
		r.op, r.silent = c.Function.Op, c.Verbs || slices.Contains(e.Flags, "SILENT_SUCCESS")
		if c.Verbs {
			r.opcode = "BIND_MW"
		}
		s.add(r, e.Flags)
		return
	}
	for i := range e.Wrs {
		w := &e.Wrs[i]
		r := s.newRequest(w.Wr, w.Bytes, w.Token)
		if q.kind == model.Initiator {
			r.op, _ = calls.OpOfRequest(w)
			r.opcode, r.silent = strings.TrimPrefix(w.Opcode, "IBV_WR_"), !q.qp.signals && !calls.HasVerbsFlag(w.Flags, "SIGNALED")
			q.qp.consumers.add(r.opcode)
		}
		s.add(r, w.Flags)
	}
}

// add records a request of the latest post.
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
	q.crowd.enters()
	p.requests = append(p.requests, r)
	r.previous, r.next = q.requests.previous, &q.requests
	r.previous.next, r.next.previous = r, r
	r.names(p.call)
	if r.silent {
		q.keepSilent(s, r)
	}
}

// answered records which requests of a post were accepted.
func (s *requests) answered(p *posting, e *trace.Event, refused bool) {
	stopped, stops := false, 0
	for _, r := range p.requests {
		stopped = stopped || refused && (e.BadWr == "" || e.BadWr == r.wr)
		switch {
		case r.over:
		case stopped:
			s.remove(r)
			r.refused = true
			stops++
		default:
			r.accepted, p.queue.takes = true, true
			p.queue.outstanding++
			p.queue.crowd.outstanding++
		}
	}
	if len(p.requests) > 0 {
		p.queue.crowd.answered(len(p.requests), stops)
	}
	for _, r := range slices.Backward(p.requests) { // those behind it have its place
		if r.refused && !r.overlaps && r.position == p.queue.posted-1 {
			p.queue.posted--
		}
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

// polled records what a poll has found.
func (s *requests) polled(c *Call, e *trace.Event, refused bool) {
	asked := false
	s.polls = slices.DeleteFunc(s.polls, func(p polling) bool {
		asked = asked || p.call == c && p.asks
		return p.call == c
	})
	for i := range e.Results {
		s.completed(c, &e.Results[i])
	}
	if asked && !refused && len(e.Results) == 0 && s.roomOf(c.Cq) == 0 {
		for _, rule := range s.rules {
			rule.foundNothing(c)
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
	for _, o := range r.memory {
		if o != nil {
			o.named--
		}
	}
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
	s.leaves(p)
}
