package stream

import (
	"slices"
	"strconv"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// shadowSends is what is known of the sends of a shadow's queue.
type shadowSends struct {
	succeeded int  // sends that have been delivered, up to the latest, before any failed
	hasFailed bool // a send was known to have failed
	skipped   bool // one of the sends failed that had been received
}

// Two hosts of a connection have a trace each, and a stream each, with a clock of its own. In each stream a shadow stands for
// the QP at the other end: what the other host's trace tells of that QP is handed across to it. There is no common clock, so a
// shadow knows no more of time than what causes what: its requests were posted after what their host knew, by then, of this
// one.

// A shadow is what a stream keeps of a QP of the other host, beside what it keeps of its own.
type shadow struct {
	of         *qp      // that QP
	news       []news   // what is known of it and may come after the present, by its host's clock, oldest first
	sent       int      // its sends that succeeded
	latest     *request // the latest of its sends that succeeded
	latestLine int      // the line that shows the success of latest
	lost       int      // its receives that did not succeed
	received   int      // its receives that succeeded
	taken      *request // the latest of its receives that succeeded
	takenLine  int      // the line that shows the success of taken
}

// news is what the other host told of a work queue by a moment of its clock.
type news struct {
	at                  eventIndex
	wq                  *workQueue
	returned, succeeded int // of the work queue
}

// cross lets two QPs of different hosts be the ends of a connection. Where the trace of one does not begin with its creation,
// messages may have passed before. Where one takes its receives from a shared queue, it is not known which message each takes. Then
// the two are judged as if each were alone.
func (p *qp) cross(o *qp) {
	if !p.created || !o.created || p.takes != nil || o.takes != nil {
		return
	}
	for _, end := range []*qp{p, o} {
		if end.shadow != nil {
			end.leaveOpen(end.name + " was connected a second time, and its messages (field conn) cannot be assigned to one of the connections")
			return
		}
	}
	p.castShadow(o)
	o.castShadow(p)
	for _, end := range []*qp{p, o} {
		end.s.monitor.IsFar(end.name)
		for _, l := range end.wqs {
			for _, r := range l.waiting {
				end.shadow.posted(r)
			}
			end.shadow.hear(end.s.at, l.queue, l.returned, 0)
		}
		if end.broken != 0 {
			end.shadow.peer.mayBeLost(1)
		}
		if end.unclear != "" {
			end.shadow.peer.leaveOpen(end.unclear)
		}
		if end.doubt != "" {
			end.shadow.peer.leaveInDoubt(end.doubt)
		}
	}
}

// castShadow makes what stands for p in the stream of its peer.
func (p *qp) castShadow(peer *qp) {
	q := newQp(peer.s, p.name+" of "+p.s.name)
	q.remote, q.peer = &shadow{of: p}, peer
	peer.peer, p.shadow = q, q
}

// uncross ends what p has to do with the other host.
func (p *qp) uncross() {
	if p.peer == nil || p.peer.remote == nil {
		return
	}
	of := p.peer.remote.of
	of.peer, of.shadow, p.peer, p.shadow = nil, nil, nil, nil
}

// posted records that the QP that p is the shadow of posted r.
func (p *qp) posted(r *request) {
	l := p.wqs[r.wq.queue]
	m := &request{wr: r.wr + " (" + r.wq.qp.s.name + ":" + strconv.Itoa(r.line) + ")", op: r.op, token: r.token, bytes: r.bytes,
		postCall:     postCall{function: r.function, called: max(1, r.theirs), theirs: r.called},
		requestFlags: requestFlags{silent: r.silent, solicit: r.solicit, localInvalidate: r.localInvalidate}}
	r.shadow = m
	l.enqueue(m)
	if l.skipped {
		p.doubtMessages()
	}
	if m.op == model.SendAndInvalidate {
		if p.checkTokenless(); m.token == nil {
			p.s.changesUnknown(m)
		}
	}
}

// refused handles a post of the other host that was refused.
func (r *request) refused() {
	r.wq.unqueue(r)
}

// told hands across how r ended.
func (r *request) told(outcome model.Outcome) {
	s, remote := r.wq.qp.s, r.wq.qp.shadow.remote
	switch {
	case outcome == model.SUCCESS && r.op.IsSend():
		remote.sent, remote.latest, remote.latestLine = remote.sent+1, r, s.line()
	case outcome == model.SUCCESS && r.op == model.ReceiveOp:
		remote.received, remote.taken, remote.takenLine = remote.received+1, r, s.line()
	case r.op == model.ReceiveOp:
		remote.lost++
	}
	r.shadow.toldAcross(outcome, s.at)
}

// toldAcross records how a request of the other host ended.
func (r *request) toldAcross(outcome model.Outcome, at eventIndex) {
	l, p := r.wq, r.wq.qp
	l.waiting = slices.DeleteFunc(l.waiting, func(o *request) bool { return o == r })
	r.over, r.outcome = true, outcome
	if outcome == model.SUCCESS {
		if r.isMessage() {
			l.pair(r)
		}
	} else {
		if r.op.IsSend() && r.index() < l.received {
			if l.skipped = true; l.sends > l.received {
				p.doubtMessages()
			}
		}
		l.failed(r)
		p.peer.mayBeLost(r.called)
	}
	if r.op.IsSend() {
		l.sendsDone++
		if l.hasFailed = l.hasFailed || outcome != model.SUCCESS; !l.hasFailed {
			p.hear(at, l.queue, 0, l.sendsDone)
		}
	}
}

// doubtMessages handles a message that was received though its send failed, or another one in its place. The order of two hosts' events does not
// show which.
func (p *qp) doubtMessages() {
	const reason = "a send of the other host failed whose message may have been received, or a later one in its place: which it was, the times of two hosts (field t) do not show"
	if p.s.reopen(p.peer.group) {
		p.peer.leaveOpen(reason)
		return
	}
	p.peer.leaveInDoubt(reason)
}

// hear records how many posts of a queue had returned, or how many sends had succeeded, by a moment of the other host's clock. The count applies
// from where the present is known to come after that moment. Later counts include earlier ones, so what is too much to keep is dropped.
func (p *qp) hear(at eventIndex, queue model.Queue, returned, succeeded int) {
	heard := &p.remote.news
	*heard = append(*heard, news{at, p.wqs[queue], returned, succeeded})
	if p.catchUp(); len(*heard) > maxNews {
		*heard = slices.Delete(*heard, 0, maxNews/2)
	}
}

const maxNews = 1 << 12

// catchUp handles the news of p up to a moment that this host knows of.
func (p *qp) catchUp() {
	known := 0
	for _, n := range p.remote.news {
		if n.at > p.s.knows {
			break
		}
		known++
		n.wq.returned, n.wq.succeeded = max(n.wq.returned, n.returned), max(n.wq.succeeded, n.succeeded)
	}
	p.remote.news = slices.Delete(p.remote.news, 0, known)
}

// learn records that the other half of a message that is handled here was posted before the present.
func (s *Stream) learn(m *request) {
	if m.wq.qp.remote != nil {
		s.knows = max(s.knows, m.theirs)
	}
}

// isRemote reports whether the peer of p is on another host.
func (p *qp) isRemote() bool { return p.peer != nil && p.peer.remote != nil }

// mayGrow reports whether p stands for a QP of another host, whose trace is not at its end: what it does then may come before
// the present.
func (p *qp) mayGrow() bool { return p.remote != nil && !p.s.other.ended }

// checkFollowed leaves open what was not explained of p, where the requests of the QP at the other end were not followed to
// their ends.
func (p *qp) checkFollowed() {
	of := p.peer.remote.of
	g := of.group.root()
	if !g.stopped && g.unclear == "" {
		return
	}
	if reason := "what became of the requests of " + p.peer.name + " is not followed to its end; tracecheck without --join judges each host alone"; p.s.reopen(p.group) {
		p.group.leaveOpen(reason)
	} else {
		p.group.leaveInDoubt(reason)
	}
}

// checkReceived checks the sends of p that succeeded, when all is told, against the receives of the other host that can have
// succeeded (POLL-05).
func (p *qp) checkReceived() {
	if sends, to := p.shadow.remote, p.peer; !p.receivable() && p.s.other.shared.wrs == nil && !p.group.root().broken {
		p.s.tells(p.group, breach.MoreThanTaken(sends.latest.wr, sends.sent, p.name, to.name, p.mayHaveTaken()), sends.latestLine, sends.latest.line)
	}
}

// checkSent checks the receives of p that succeeded, when all is told, against the messages of the other host (POLL-05). Which each took need not be
// known.
func (p *qp) checkSent() {
	receives, sends := p.shadow.remote, p.peer.wqs[model.Initiator].sends
	if receives.received > sends && !p.group.root().broken {
		b := breach.MoreThanPosted(receives.taken.wr, receives.received, p.name, p.peer.name, verdict.Counted(sends, "message"))
		p.s.tells(p.group, b, receives.takenLine, receives.taken.line)
	}
}

// An uncaused request was reported as flushed, and it is not known yet what flushed it.
type uncaused struct {
	wr, status     string
	queue          model.Queue
	at             eventIndex
	line, postLine int
}

// checkFlushed checks what was reported as flushed, when all is told, against what both hosts tell (RES-10, RES-11): nothing was moved to an error state, and
// no request failed, nor is one outstanding that may have. Of the peer only an initiator request ends an RC connection. A message that invalidates a
// token may end it, and succeed (INV-05).
func (p *qp) checkFlushed() {
	r, of := p.uncaused, p.peer.remote.of
	if r == nil || p.s.dialect.FailsAsFlushed || !p.kind.isRC || !of.kind.isRC || p.isEnding() || p.broken != 0 && p.broken <= r.at || !p.s.whole {
		return
	}
	others := [...]*workQueue{p.wqs[model.Initiator], p.wqs[model.Receive], of.wqs[model.Initiator]}
	mayHaveBroken := func(l *workQueue) bool { return len(l.waiting) > 0 || l.names > 0 }
	unsure := func(end *qp) bool { g := end.group.root(); return g.broken || g.unclear != "" || end.unclear != "" }
	if slices.ContainsFunc(others[:], mayHaveBroken) || p.overflown(nil) != 0 || unsure(p) || unsure(of) {
		return
	}
	const did = "flushed it at either host"
	b := breach.Uncaused(r.wr, r.status, did)
	if r.queue == model.Initiator {
		b = breach.BrokeItself(r.wr, r.status, did, p.name)
	}
	p.s.tells(p.group, b, r.line, r.postLine)
}

// receivable reports whether no more sends of p have succeeded than can have been received.
func (p *qp) receivable() bool { return p.shadow.remote.sent <= p.mayHaveTaken() }

// mayHaveTaken returns how many receives of the other host can have taken a message of p.
func (p *qp) mayHaveTaken() int {
	sends, to := p.shadow.remote, p.peer
	receives := to.wqs[model.Receive].next - to.remote.lost
	if sends.sent > 0 && sends.latest.op == model.SendAndInvalidate {
		receives++ // it may have ended the connection instead, by a bad token
	}
	return receives
}

// alone handles the success of r, for which no half of the other host is left (POLL-05).
func (s *Stream) alone(q *cq, line int, r *request) {
	what := "send"
	if r.wq.queue == model.Initiator {
		what = "receive"
	}
	p := r.wq.qp
	switch o := s.other; {
	case what == "receive" && o.shared.wrs != nil:
		p.leaveOpen("receives of a shared receive queue (field srq) may take what " + r.wr + " sent")
	case s.forced:
		s.tells(q.group, breach.OtherHalfLater(r.wr, what, p.peer.name), line, r.line)
		p.leaveOpen("what " + p.name + " of " + s.name + " and " + p.peer.name + " tell of their messages (field conn) can't come one after the other")
	case o.ended && o.whole:
		s.tells(q.group, breach.OtherHalfTaken(r.wr, what, p.peer.name), line, r.line)
	default:
		p.leaveOpen("the trace of " + o.name + " ends before " + p.peer.name + " has posted what " + r.wr + " takes: see its end record")
	}
}
