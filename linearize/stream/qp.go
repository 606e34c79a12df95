package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A streamQp is a queue pair as a stream follows it.
type streamQp struct {
	s       *Stream
	name    string
	group   *group
	created bool
	fed     bool     // by a shared receive queue
	lanes   [2]*lane // by model.Queue
	peer    *streamQp
	conn    string

	signalAll   bool
	connected   moment     // the call of the first connect, or 0: from then on it may have been connected
	connects    bool       // that call has not returned, or is pending
	succeeds    bool       // a request has succeeded
	flushed     []returned // flushes, and the close, that have returned
	ended       moment     // when a flush had returned, or a failure was delivered: nothing waits for a message any more
	flushCalled moment     // of the flush before which nothing can have cancelled requests, or 0
	broken      moment     // from when on something that the trace shows may have cancelled requests, or 0
	closing     moment     // the call of a close, or 0
	closed      moment     // its return
	failed      bool       // a request of its own failed
	lossTold    bool       // a completion of it told of a failure
	gone        bool       // it has been closed for good
	aborted     moment     // by when a bad token had ended its connection, or 0
	invalidates bool       // it has sent messages that name tokens
	early       *posting   // the first initiator request that was accepted while the connect was under way
	posts       [2]*underWay
	posting     [2]int     // posts that have not returned, by queue
	flushing    int        // flushes, disconnects and closes that are under way
	latestFlush moment     // the call of the latest
	unclear     string     // why nothing more can be said of it and of its peer, or ""
	doubt       string     // what may explain whatever has no other explanation of them, or ""
	deferred    []*posting // whose chain has not ended
	chained     bool       // a request was deferred

	unexplained []uncaused
}

// returned is a call that has returned.
type returned struct {
	call, ret moment
	line      int
}

// uncaused is a cancelled completion of which the trace has not told yet what cancelled it.
type uncaused struct {
	wr       string
	cq       *streamCq
	at       moment // by when it had been placed
	told     moment
	line     int // of the poll
	postLine int
	silenced int // the line of a silent request before it, or 0: that one may have failed, and cancelled it (FLAG-02)
}

// A lane is one of a QP's queues: the requests that are outstanding, in posting order.
type lane struct {
	qp       *streamQp
	queue    model.Queue
	cq       *streamCq
	waiting  []*posting // not delivered, oldest first
	next     int        // position of the next request
	sends    int        // of the accepted requests, how many are sends
	returned int        // accepted requests whose post had returned
	ready    moment     // from when on the latest to have ended can have ended
	silenced *posting   // the latest that succeeded silently
	messages []*posting // sends, or receives, that have not failed, and whose other half has not been told yet
	taken    []*posting // … whose other half was told, and which were not

	naming []*posting // messages that name a token, and of whose receive nothing is told
	dead   int        // from this position on nothing succeeds, as a bad token has ended the connection; or never

	known    int          // from which index on nobody knows which send goes to which receive, or never
	left     []leftBehind // of a queue of sends: receives that a poll left behind, if their message had arrived
	promised int          // receives yet to be posted that sends have gone to already

	sendsDone int  // sends that are over
	succeeded int  // sends that have been delivered, up to the latest, before any failed
	hasFailed bool // a send was told to have failed

	waitingRoom, messageRoom []*posting // the arrays of waiting and messages, from their beginnings
}

// A posting is a request that was posted.
type posting struct {
	wr           string
	function     *calls.Function // that posted it
	lane         *lane
	token        *uint32
	names        *streamToken // the token whose state it changes, or nil
	line         int
	answeredLine int // of the return of its post
	owedLine     int
	position     int
	sends        int    // how many sends of its lane came before it
	called       moment // of its post
	returned     moment // … or 0 while it has not
	owed         moment // the moment of rest at which it had to have completed, or 0
	rested       moment // the moment of rest at which it had to have completed, as is known since (or of a silent one: if it fails), or 0
	ended        moment // of a deferred one: when its chain had ended, or 0
	place        moment // of a point, or 0
	takenAt      moment // when its other half was told

	op              model.Op
	kinds           automaton.Kinds
	outcome         model.Outcome
	silent          bool
	solicit         bool
	deferred        bool
	localInvalidate bool // a read that invalidates
	over            bool // it has ended, and outcome says how
	cancelled       bool // a silent one that a flush must have cancelled
	refusal         bool // of a deferred one: its chain ended by a post that was refused
	missed          bool // it was told that it had not completed at a moment of rest
	promised        bool // a receive that a send went to before it was posted
	crossed         bool // a flush was under way while it was posted
	sent, received  bool // it was told how it ended, and how its receive did
	adrift          bool // its receive failed, and which other one it may take is not known
}

func (s *Stream) qp(name string) *streamQp {
	latest := &s.latestQps[endOf(name)]
	if *latest != nil && (*latest).name == name {
		return *latest
	}
	p := s.qps[name]
	if p == nil {
		p = &streamQp{s: s, name: name, group: newGroup()}
		for queue := range p.lanes {
			p.lanes[queue] = &lane{qp: p, queue: model.Queue(queue), known: never, dead: never}
		}
		s.qps[name] = p
		s.qpsInOrder = append(s.qpsInOrder, p)
	}
	*latest = p
	return p
}

func (s *Stream) createQp(e *trace.Event) *streamQp {
	p := s.qp(e.Qp)
	p.created = true
	p.lanes[model.Initiator].cq, p.lanes[model.Receive].cq = s.cq(e.InitiatorCq), s.cq(e.ReceiveCq)
	p.signalAll = e.SqSigAll != nil && *e.SqSigAll
	for _, l := range p.lanes {
		join(p.group, l.cq.group)
		l.cq.lanes = append(l.cq.lanes, l)
	}
	if p.fed = e.Srq != ""; p.fed {
		p.lanes[model.Receive].cq.fed()
	}
	return p
}

// connectCalled takes the call of a connect. From now on the QP may be connected.
func (p *streamQp) connectCalled(u *underWay) {
	if p.connected == 0 {
		p.connected, p.connects = p.s.at, true
	}
	if u.conn != "" {
		p.conn = u.conn
		p.meet()
	}
}

// meet finds the QP at the other end of the connection.
func (p *streamQp) meet() {
	ends := p.s.conns[p.conn]
	if slices.Contains(ends, p) || len(ends) > 2 {
		return
	}
	ends = append(ends, p)
	p.s.conns[p.conn] = ends
	switch len(ends) {
	case 2:
		p.peer, ends[0].peer = ends[0], p
		if ends[0].broken != 0 {
			p.mayBeLost(ends[0].broken)
		}
		if p.broken != 0 {
			ends[0].mayBeLost(p.broken)
		}
		p.shareDoubts()
		p.checkTokenless()
		p.peer.checkTokenless()
	case 3:
		for _, end := range ends[:2] {
			end.peer = nil
		}
	}
}

// connectReturned takes the return of a connect. While it is pending, the QP may or may not be connected.
func (p *streamQp) connectReturned(u *underWay, refused, pending bool) {
	switch {
	case p.connected != u.call:
	case refused:
		p.notConnected()
	case !pending:
		p.connects = false
	}
}

// connectAnswered takes the completion callback of a connect that was pending.
func (p *streamQp) connectAnswered(u *underWay, success bool) {
	switch {
	case p.connected != u.call || !p.connects:
	case success:
		p.connects = false
	case p.succeeds || p.peer != nil && p.peer.succeeds:
		p.leaveOpen(u.fn + " of " + p.name + " failed after requests had succeeded, and what that means for its peer this engine does not follow")
	default:
		p.notConnected()
	}
}

// notConnected takes that the connect failed: no connection came of it, and none of a post that needs one (POST-08).
func (p *streamQp) notConnected() {
	p.connected, p.connects = 0, false
	p.part()
	if r := p.early; r != nil {
		p.s.report(p.group, verdict.ProviderViolation, "POST-08", r.answeredLine, []int{r.line},
			"%s of %s returned success, and %s is not connected", r.function.Name, r.wr, p.name)
	}
}

// part takes p from the connection that it was to be an end of.
func (p *streamQp) part() {
	ends := slices.DeleteFunc(p.s.conns[p.conn], func(end *streamQp) bool { return end == p })
	if p.conn == "" || len(ends) == 2 {
		return // of one connection there are more than two ends: none is a peer
	}
	p.s.conns[p.conn] = ends
	if p.peer != nil {
		p.peer.peer, p.peer = nil, nil
	}
	p.conn = ""
}

// unconnected reports whether nothing can be sent: the QP was never connected. libibverbs takes posts in a QP's error state.
func (p *streamQp) unconnected() bool {
	return p.connected == 0 && (p.broken == 0 || !p.s.verbs && p.closing == 0)
}

// postCalled takes the call of a post. Its requests may be queued from now on.
func (s *Stream) postCalled(u *underWay, e *trace.Event) {
	p := u.qp
	s.checkUse(p.group, p.closed, p.name, u)
	s.checkPoster(p, u, e)
	p.postBegins(u)
	switch {
	case !u.Verbs:
		r := s.newPosting(u, e, e.Wr, u.Function.Op)
		r.token = e.Token
		for _, flag := range e.Flags {
			r.silent = r.silent || flag == "SILENT_SUCCESS"
			r.solicit = r.solicit || flag == "SEND_AND_SOLICIT_EVENT"
			r.deferred = r.deferred || flag == "DEFER"
			r.localInvalidate = r.localInvalidate || flag == localInvalidate
		}
		if r.token == nil && registers(r.op) {
			s.registering++
		}
		p.add(u, r)
		s.nameToken(r, e)
	case u.fn == "ibv_bind_mw":
		p.add(u, s.newPosting(u, e, e.Wr, model.Bind))
	default:
		for i := range e.Wrs {
			w := &e.Wrs[i]
			r := s.newPosting(u, e, w.Wr, model.ReceiveOp)
			r.token = w.Token
			if u.Queue == model.Initiator {
				var unknown string
				if r.op, unknown = calls.OpOfRequest(w); unknown != "" {
					p.leaveOpen(unknown)
				}
				r.silent = !p.signalAll && !calls.HasVerbsFlag(w.Flags, "SIGNALED")
				r.solicit = calls.HasVerbsFlag(w.Flags, "SOLICITED")
				r.localInvalidate = slices.Contains(w.Flags, localInvalidate)
			}
			p.add(u, r)
			s.nameToken(r, e)
		}
	}
}

const localInvalidate = "RDMA_READ_LOCAL_INVALIDATE"

// newPosting returns a request that is being posted. They are made many at a time.
func (s *Stream) newPosting(u *underWay, e *trace.Event, wr string, op model.Op) *posting {
	if len(s.postings) == 0 {
		s.postings = make([]posting, postingsAtOnce)
	}
	r := &s.postings[0]
	s.postings = s.postings[1:]
	r.wr, r.op, r.function, r.line, r.called, r.crossed = wr, op, u.Function, e.Line, s.at, u.qp.flushing > 0
	return r
}

const postingsAtOnce = 32

// add queues a request that is being posted.
func (p *streamQp) add(u *underWay, r *posting) {
	p.lanes[r.op.Queue()].add(r)
	u.postings = append(u.postings, r)
}

func (l *lane) add(r *posting) {
	r.lane, r.position = l, l.next
	l.next++
	r.sends = l.sends
	if r.op.IsSend() {
		l.sends++
	}
	if r.deferred && l.queue == model.Initiator {
		l.qp.deferred, l.qp.chained = append(l.qp.deferred, r), true
	}
	switch {
	case !r.isMessage() || r.index() >= l.known:
	case l.promised > 0:
		l.promised--
		r.promised = true
	default:
		l.messages, l.messageRoom = extend(l.messages, l.messageRoom, r)
	}
	l.waiting, l.waitingRoom = extend(l.waiting, l.waitingRoom, r)
	if s := l.qp.s; s.byName != nil {
		s.byName[r.wr] = r
	}
	if l.cq != nil {
		l.cq.pending++
		l.cq.checkRoom()
	}
}

// extend appends to a list that shrinks at its beginning. It moves the list back to the beginning of its array, where that is half free, before
// it takes another one.
func extend[T any](list, array []T, v T) (longer, in []T) {
	if len(list) == cap(list) && len(list) <= cap(array)/2 {
		list = append(array[:0], list...)
	}
	if longer = append(list, v); cap(longer) > cap(list) {
		array = longer[:0]
	}
	return longer, array
}

// postReturned takes the return of a post: what it refused was never queued, and what was deferred before a refusal, or
// before a request that was not, is indicated.
func (s *Stream) postReturned(u *underWay, e *trace.Event) {
	p := u.qp
	s.seen[aPost]++
	if !u.Verbs && calls.Pending(e) {
		s.report(p.group, verdict.ProviderViolation, "POST-10", 0, nil, "%s returned STATUS_PENDING: a post answers at once", u.fn)
	}
	for i := range p.posts {
		if p.posts[i] == u {
			p.posts[i] = nil
		}
	}
	ok := calls.IsSuccess(u.Verbs, e) || !u.Verbs && calls.Pending(e)
	if !ok && u.Verbs && e.BadWr == "" && len(u.postings) > 1 {
		p.leaveOpen(calls.StoppedSomewhere(u.fn))
	}
	if !u.Verbs && registers(u.postings[0].op) && u.postings[0].token == nil {
		s.registering--
	}
	for i, r := range u.postings {
		if !ok && (!u.Verbs || u.fn == "ibv_bind_mw" || e.BadWr == r.wr || e.BadWr == "") {
			if u.Queue == model.Initiator && p.unconnected() {
				s.exercised("POST-08")
			}
			for _, r := range u.postings[i:] {
				s.refuse(r, answerOf(u.fn, e))
			}
			break
		}
		r.returned, r.answeredLine = s.at, e.Line
		if !u.Verbs && r.token == nil && registers(r.op) {
			r.token = e.Token
			s.nameToken(r, e)
			if r.over { // a callback within the call polled it
				s.tokenTold(r.lane.cq, e.Line, r, r.outcome)
			}
		}
		r.lane.returned++
		s.accepted(r)
	}
	if u.fn != "NdkReceive" && u.fn != "ibv_post_recv" && (!ok || !u.postings[0].deferred) {
		p.endChains(u.call, false, !ok)
	}
}

// accepted takes that a post returned success: an initiator request needs a connection (POST-08).
func (s *Stream) accepted(r *posting) {
	p := r.lane.qp
	if r.lane.queue == model.Initiator {
		switch {
		case p.unconnected():
			s.report(p.group, verdict.ProviderViolation, "POST-08", 0, []int{r.line},
				"%s of %s returned success, and %s is not connected", r.function.Name, r.wr, p.name)
			p.connected = r.called
		case p.connects && p.early == nil:
			p.early = r
		}
	}
	if r.lane.queue == model.Receive && p.connected == 0 {
		s.exercised("POST-09")
	}
	s.tokenNamed(r)
}

// endChains notes that the chains have ended of what was posted before a moment: before that its post had returned, where a flush ends
// them, which may come before a post that it overlaps.
func (p *streamQp) endChains(before moment, flushed, refused bool) {
	p.deferred = slices.DeleteFunc(p.deferred, func(r *posting) bool {
		if r.called > before || flushed && (r.returned == 0 || r.returned > before) {
			return false
		}
		r.ended, r.refusal = p.s.at, refused
		return true
	})
}

// refuse takes a request back that was not queued.
func (s *Stream) refuse(r *posting, answer string) {
	l := r.lane
	i := slices.Index(l.waiting, r)
	if i < 0 {
		was, _ := s.past.find(r.wr)
		s.report(l.qp.group, verdict.ProviderViolation, "DEF-03", 0, []int{r.line, was.lines[1]},
			"%s of %s returned %s, and %s had delivered its completion before",
			r.function.Name, r.wr, answer, l.cq.name)
		return
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.next--
	for _, later := range l.waiting[i:] {
		later.position--
		if r.op.IsSend() {
			later.sends--
		}
	}
	if r.op.IsSend() {
		l.sends--
	}
	if r.promised {
		l.promised++
	}
	l.messages = slices.DeleteFunc(l.messages, func(m *posting) bool { return m == r })
	if l.cq != nil {
		l.cq.take(sight{what: gone, at: s.at, counted: r.called, posting: r})
		l.cq.pending--
	}
	l.qp.deferred = slices.DeleteFunc(l.qp.deferred, func(d *posting) bool { return d == r })
	if r.names != nil {
		r.names.withdraw(r)
		l.unname(r)
	}
	s.forget(r, answer)
}

// forget notes what became of a request that is over.
func (s *Stream) forget(r *posting, answer string) {
	delete(s.byName, r.wr)
	s.past.add(pastWr{r.wr, [2]int{r.line, s.line()}, answer})
}

// flushCalled takes the call of NdkFlush or NdkDisconnect: from now on requests may be cancelled.
func (s *Stream) flushCalled(u *underWay) {
	p := u.qp
	s.checkUse(p.group, p.closed, p.name, u)
	p.flushBegins()
	if p.broken == 0 {
		p.flushCalled = s.at
	}
	p.breaks(s.at)
}

// flushReturned takes the return of a flush. A disconnect that is pending flushes at some moment before it completes; one that failed may
// have flushed or not (DISC-01, DISC-08).
func (s *Stream) flushReturned(u *underWay, e *trace.Event) {
	switch p := u.qp; {
	case calls.IsRefusal(u.Verbs, e):
		p.flushing--
		if u.fn == "NdkDisconnect" {
			p.latestFlush = u.call
		}
	case calls.Pending(e):
		p.latestFlush = u.call
	default:
		p.hasFlushed(u)
	}
}

// flushAnswered takes the completion callback of a disconnect that was pending.
func (p *streamQp) flushAnswered(u *underWay, success bool) {
	if success {
		p.hasFlushed(u)
		return
	}
	p.flushing--
}

// hasFlushed takes that a flush is over.
func (p *streamQp) hasFlushed(u *underWay) {
	s := p.s
	p.flushing--
	s.exercised("FLUSH-01", "FLUSH-02")
	p.latestFlush = u.call
	p.flushed = append(p.flushed, returned{u.call, s.at, u.line})
	p.cancelUnmet(u.call)
	p.forgetFlushes()
	if p.ended == 0 {
		p.ended = s.at
	}
	p.endChains(u.call, true, false)
}

// forgetFlushes forgets the flushes that were called before all that is outstanding was posted, but for one.
func (p *streamQp) forgetFlushes() {
	oldest := p.s.at
	for _, l := range p.lanes {
		if len(l.waiting) > 0 {
			oldest = min(oldest, l.waiting[0].called)
		}
	}
	p.flushed = slices.DeleteFunc(p.flushed, func(f returned) bool { return f.call < oldest })
}

// breaks notes that requests of p, and of its peer, may be cancelled from a moment on.
func (p *streamQp) breaks(from moment) {
	p.mayBeLost(from)
	if p.peer != nil {
		p.peer.mayBeLost(from)
	}
}

// mayBeLost notes that requests of p may be cancelled from a moment on.
func (p *streamQp) mayBeLost(from moment) {
	if p.broken != 0 && p.broken <= from {
		return
	}
	p.broken = from
	p.unexplained = slices.DeleteFunc(p.unexplained, func(u uncaused) bool { return from < u.at })
}

func (s *Stream) closeQpCalled(u *underWay) {
	p := u.qp
	p.flushBegins()
	if p.closing == 0 {
		p.closing = s.at
		p.breaks(s.at)
	}
}

func (p *streamQp) closeReturned(u *underWay, refused bool) {
	p.flushing--
	switch {
	case refused:
		p.closing = 0
	case p.closed == 0:
		p.closed = p.s.at
		p.cancelUnmet(u.call)
		p.flushed = append(p.flushed, returned{u.call, p.s.at, u.line})
	}
}
