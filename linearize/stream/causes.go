package stream

import (
	"cmp"
	"iter"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A request is cancelled only after something has ended the connection of its QP (RES-10): a request of the QP that failed, a
// flush, or what happened to the peer. Of each the earliest moment is kept at which it can have been.

// A cause is what may have cancelled requests of a QP. The first two are the failure of a request of its own, by queue.
type cause uint8

const (
	byInitiator = cause(model.Initiator)
	byReceive   = cause(model.Receive)
	byFlush     = byReceive + 1 // of the QP itself, or its close
	byPeer      = byFlush + 1   // … or by the loss of the connection, or of a CQ
	byLoss      = byPeer + 1    // … or by the loss of the connection alone, behind which nothing succeeds
	byFlushCall = byLoss + 1    // as byFlush, of a call that has not returned, and may yet be refused
	byPeerCall  = byFlushCall + 1
	causes      = byPeerCall + 1
)

// An uncaused is a cancelled completion of which the trace has not told yet what cancelled it.
type uncaused struct {
	request  *posting
	lane     *lane
	cq       *cq
	at       moment // by when it had been placed
	pended   moment // the latest moment of rest at which it was pending, or 0
	notified moment // the latest callback that it may have been for, or 0
	line     int    // of the poll
	silenced int    // the line of a silent request before it, or 0: that one may have failed, and cancelled it (FLAG-02)
	passable bool   // requests behind it may have been executed first (FLAG-04)
	own      moment // from when on a request of its queue may have failed that was executed first, or 0
	alone    bool   // its peer was not known yet, which explains it if it never is
	state    string // of the QP, before it was told

	instead  *posting // a request behind it that did not end as cancelled: it was no flush that was called after the post of that
	received bool     // … or that the peer received
}

// breaks notes that requests of p, and of its peer, may be cancelled from a moment on. Where a request failed, r is that.
func (p *qp) breaks(from moment, by cause, r *posting) {
	p.mayBeLost(from, by, r)
	if p.peer != nil {
		p.peer.mayBeLostByPeer(from)
	}
	p.breaksAcross(from)
}

// breaksAcross notes what it means for the other host that p breaks from a moment on.
func (p *qp) breaksAcross(from moment) {
	if p.shadow != nil {
		known := moment(1)
		if from == p.s.at {
			known = max(known, p.s.knows)
		}
		p.shadow.peer.mayBeLost(known, byPeer, nil)
	}
}

// flushesFrom takes the call of a flush, or of the close, of p: unless it is refused, requests may be cancelled from now on.
func (p *qp) flushesFrom() {
	p.mayBeLost(p.s.at, byFlushCall, nil)
	if p.peer != nil {
		p.peer.mayBeLost(max(p.s.at, p.peer.connected), byPeerCall, nil)
	}
	p.breaksAcross(p.s.at)
}

// flushAnswers takes the return of a flush, or of the close, that was called at a moment.
func (p *qp) flushAnswers(call moment, refused bool) {
	if !refused {
		p.breaks(call, byFlush, nil)
	} else if p.flushCalled == call {
		p.flushCalled = 0
	}
	running := moment(0)
	for _, u := range p.s.open.all() {
		if running == 0 && u.qp == p && (u.Kind == calls.FlushQp || u.Kind == calls.CloseQp) {
			running = u.call
		}
	}
	p.lost[byFlushCall] = running
	p.broken = p.brokenSince()
	if p.peer != nil {
		if p.peer.lost[byPeerCall] = running; running != 0 {
			p.peer.lost[byPeerCall] = max(running, p.peer.connected)
		}
		p.peer.broken = p.peer.brokenSince()
	}
}

// brokenSince returns from when on something that is known may have cancelled requests of p, or 0.
func (p *qp) brokenSince() moment {
	since := moment(0)
	for _, from := range p.lost {
		if from != 0 && (since == 0 || from < since) {
			since = from
		}
	}
	return since
}

// mayFail notes that r, a request of a queue that is told, may have failed from a moment on, or ended the connection.
func (l *lane) mayFail(r *posting, from moment) {
	if l.failedAt == 0 || from < l.failedAt {
		l.failedAt = from
	}
	l.qp.breaks(from, cause(l.queue), r)
}

// mayHaveFailed reports whether a request of a queue, which is told, may have failed by a moment.
func (l *lane) mayHaveFailed(at moment) bool { return l != nil && l.failedAt != 0 && l.failedAt < at }

// mayBeLost notes that requests of p may be cancelled from a moment on.
func (p *qp) mayBeLost(from moment, by cause, r *posting) {
	if p.broken == 0 || from < p.broken {
		p.broken = from
	}
	if p.lost[by] == 0 || from < p.lost[by] {
		p.lost[by] = from
	}
	if by >= byFlushCall {
		return
	}
	p.unexplained = slices.DeleteFunc(p.unexplained, func(u uncaused) bool { return from < u.at && u.mayBe(by, from, r) })
	if r != nil {
		for i := range r.lane.cancelled {
			if u := &r.lane.cancelled[i]; u.mayBe(by, from, r) && (u.own == 0 || from < u.own) {
				u.own = from
			}
		}
	}
}

// mayBeLostByPeer notes that requests of p may be cancelled by what happened to its peer, from a moment on, but not before it was
// connected. Nothing that happens to its peer ends an unreliable QP.
func (p *qp) mayBeLostByPeer(from moment) {
	if p.kind.isLosable {
		p.mayBeLost(max(from, p.connected), byPeer, nil)
	}
}

// mayBe reports whether u may be cancelled by what happened at some time before it. A request of its own queue that failed was
// executed after it, unless it could pass it. A flush may have come before what ended otherwise, but in one reading of A15 (FLUSH-05).
func (u *uncaused) mayBe(by cause, from moment, r *posting) bool {
	switch {
	case by == byFlush || by == byFlushCall:
		p := u.lane.qp
		alsoLater := p.s.dialect.A15 == model.A15Cancelled && p.connectedBy != 0 && p.connectedBy < from
		return u.instead == nil || from < u.instead.returned && !alsoLater
	case by == byLoss:
		return u.instead == nil
	case by == cause(u.lane.queue):
		return r != nil && u.passable && !r.fence
	}
	return true
}

// mayBeByLoss reports whether the connection may have been lost with nothing in the trace to tell why, and that cancelled u. In libibverbs the
// request that meets the loss fails.
func (u *uncaused) mayBeByLoss() bool {
	p := u.lane.qp
	return u.instead == nil && !p.s.verbs && p.kind.isLosable && p.connected != 0 && p.connected < u.at
}

// endedBothWays reports whether what the peer does can't have cancelled u, as a request behind it succeeded: nothing does once a connection has
// ended. That a bad token had ended it is found where tokens are followed (INV-05).
func (u *uncaused) endedBothWays() bool {
	p := u.lane.qp
	namesTokens := func(end *qp) bool { return end != nil && end.lanes[model.Initiator].names > 0 }
	return u.instead != nil && !p.s.verbs && !namesTokens(p) && !namesTokens(p.peer)
}

// explained reports whether what is told already may have cancelled u before a moment, or an overflow.
func (u *uncaused) explained(before moment) bool { return u.overflown(before) || u.byToldCause(before) }

// overflown reports whether an overflow may have cancelled u before a moment.
func (u *uncaused) overflown(before moment) bool {
	from := u.lane.qp.overflown(u.cq)
	return from != 0 && from < before
}

// byToldCause reports whether what is told already may have cancelled u before a moment.
func (u *uncaused) byToldCause(before moment) bool {
	return u.own != 0 && u.own < before || u.mayBeAmong(before, byInitiator, byFlushCall)
}

// mayBeAmong reports whether one of some causes, up to another one, may have cancelled u before a moment.
func (u *uncaused) mayBeAmong(before moment, first, end cause) bool {
	for by := first; by < end; by++ {
		if from := u.lane.qp.lost[by]; from != 0 && from < before && u.mayBe(by, from, nil) {
			return true
		}
	}
	return false
}

// mayBeBy reports whether anything may have cancelled u before a moment, told or not.
func (u *uncaused) mayBeBy(before moment) bool {
	unknown := u.alone && u.lane.qp.peer == nil && (u.instead == nil || u.lane.qp.s.verbs)
	if unknown || u.explained(before) || u.mayBeAmong(before, byFlushCall, causes) {
		return true
	}
	for range u.suspects(before) {
		return true
	}
	return false
}

// mayHaveFailed reports whether u may have failed itself: some devices of libibverbs report the faulty request, too, as flushed, where nothing
// flushes its QP.
func (u *uncaused) mayHaveFailed() bool {
	lost := &u.lane.qp.lost
	flushed := func(from moment) bool { return from != 0 && from < u.at }
	return u.lane.qp.s.verbs && !flushed(lost[byFlush]) && !flushed(lost[byFlushCall])
}

// suspects are the requests of which nothing tells how they ended, and that may have ended the connection before a moment,
// and before u was cancelled.
func (u *uncaused) suspects(before moment) iter.Seq[*posting] {
	p := u.lane.qp
	return func(yield func(*posting) bool) {
		if u.passable {
			behind := slices.DeleteFunc(slices.Clone(u.lane.waiting), func(r *posting) bool { return r == u.request || r == u.instead })
			for _, r := range u.lane.passing(true, behind) {
				if r.mayHaveBrokenFrom() < before && !yield(r) {
					return
				}
			}
		}
		lanes := []*lane{p.lanes[1-u.lane.queue]}
		if p.peer != nil && !u.endedBothWays() {
			lanes = append(lanes, p.peer.lanes[:]...)
		}
		for _, l := range lanes {
			for _, r := range l.waiting {
				may := l.qp.remote != nil || l.cq == nil || l.mayHaveBroken(r)
				from := r.mayHaveBrokenFrom()
				if l.qp != p {
					from = max(from, p.connected)
				}
				if may && from < before && !yield(r) {
					return
				}
			}
		}
	}
}

// passing returns those of some requests of a queue, which are behind another one, that may have been executed before it.
func (l *lane) passing(passable bool, behind []*posting) []*posting {
	var all []*posting
	for _, r := range behind {
		if !passable {
			break
		}
		if !r.fence {
			all = append(all, r)
		}
		passable = r.mayBePassed()
	}
	return all
}

// mayBePassed reports whether requests behind r may be executed before one that is ahead of it and that r waits for.
func (r *posting) mayBePassed() bool { return r.op == model.Read || !r.fence }

// passed handles the completion of r, which is behind the requests of its queue that are still to be explained.
func (l *lane) passed(r *posting) {
	if len(l.qp.unexplained)+len(l.cancelled)+len(l.barriers) == 0 {
		return
	}
	for _, all := range [][]uncaused{l.qp.unexplained, l.cancelled} {
		for i := range all {
			if u := &all[i]; u.lane == l {
				u.passable = u.passable && r.mayBePassed()
			}
		}
	}
	for i := range l.barriers {
		l.barriers[i].follows(r)
	}
	if len(l.cancelled) > 1 && !l.cancelled[0].passable {
		l.cancelled = l.cancelled[:1]
	}
}

// cancels remembers u as one that was cancelled, for what comes behind it: the oldest, and the oldest that nothing passes.
func (l *lane) cancels(u *uncaused) {
	if n := len(l.cancelled); n == 0 || n == 1 && l.cancelled[0].passable && !u.passable {
		l.cancelled = append(l.cancelled, *u)
	}
}

// outlives handles r, which was not cancelled, though a request before it was. So no flush cancelled that one, unless the flush may have
// come before r, and the request was before a flush that came after r (FLUSH-01). outlives reports whether anything more is to be said of the CQ.
func (r *posting) outlives(q *cq, line int, outcome model.Outcome) bool {
	for _, u := range r.lane.cancelled {
		if outcome == model.FAILED && u.mayBeByLoss() {
			continue // behind a loss requests may fail
		}
		if r.returned != 0 && (!u.passable || r.fence) {
			r.excludesFlushes(&u, q, line)
			return r.lane.qp.explain(&u)
		}
	}
	return true
}

// excludesFlushes records that no flush called after the post of r cancelled u, and that u was executed before any such flush.
func (r *posting) excludesFlushes(u *uncaused, q *cq, line int) {
	u.instead, u.cq, u.line, u.notified = r, q, line, 0
	for _, f := range r.lane.qp.flushed {
		if f.call > r.returned {
			u.at = min(u.at, f.ret)
		}
	}
}

// uncaused returns what is to be explained of r, which a poll told to be cancelled.
func (l *lane) uncaused(q *cq, p *poll, r *posting) *uncaused {
	s := q.s
	u := &uncaused{request: r, cq: q, lane: l, at: r.placedBy(s.at), pended: r.pendingAt(), line: p.line, silenced: l.silencedLine(),
		passable: r.op == model.Read, own: l.failedAt, alone: l.qp.peer == nil && l.qp.connected != 0 && l.qp.kind.isLosable}
	if q.certain.entered > max(r.called, l.ready) {
		u.notified = q.certain.entered
	}
	return u
}

// explain looks for what cancelled u: something known already, something that may be known later, or nothing. It reports whether anything
// more is to be said of the CQ.
func (p *qp) explain(u *uncaused) bool {
	sameAs := func(o uncaused) bool { return o.request == u.request && o.instead == nil }
	switch {
	case u.byToldCause(u.at):
	case u.mayBeByLoss():
		p.breaks(max(u.request.called, p.connected), byLoss, nil)
	case u.instead != nil && !p.s.verbs && slices.ContainsFunc(p.unexplained, sameAs): // nothing explains u itself
	case !p.s.verbs && !u.mayBeTold():
		if p.reportUncaused(u); u.instead == nil {
			p.breaks(u.request.called, byPeer, nil)
		}
		return !u.cq.stopped()
	case len(p.unexplained) < MaxFollowing:
		if u.instead == nil {
			u.state = p.describe()
		}
		p.unexplained, u.cq.unexplained = append(p.unexplained, *u), true
	}
	return true
}

// placedBefore handles a delivered request r that had been placed by a known moment: what was delivered before it had been placed as well.
func (q *cq) placedBefore(r *posting) {
	if !q.unexplained || r.missed {
		return
	}
	by := cmp.Or(r.place, r.owed)
	if by == 0 && r.fenced {
		by = r.inPlaceBy()
	}
	if by == 0 {
		return
	}
	q.unexplained = false
	for _, l := range q.lanes {
		for i := range l.qp.unexplained {
			if u := &l.qp.unexplained[i]; u.cq == q {
				u.at, q.unexplained = min(u.at, by), true
			}
		}
	}
}

// dates finds whether a completion that is delivered, of which it is not known what cancelled it, was placed before the latest
// callback: where nothing explains that callback otherwise.
func (q *cq) dates(e *sight) {
	if !q.unexplained || e.what != delivered {
		return
	}
	of := e.posting.lane.qp.unexplained
	for i := range of {
		if u := &of[i]; u.request == e.posting && u.notified != 0 && u.notified < u.at {
			later := *e
			if later.from = max(e.from, u.notified); !q.show(q.queue.Clone(), &later) {
				u.at = u.notified
			}
		}
	}
}

// mayBeTold reports whether what explains u may be told yet.
func (u *uncaused) mayBeTold() bool {
	p := u.lane.qp
	for _, end := range []*qp{p, p.peer} {
		if end != nil && (end.lanes[0].cq == nil || end.lanes[1].cq == nil) {
			return true
		}
	}
	if p.peer != nil && !u.endedBothWays() {
		for _, l := range p.peer.lanes {
			may := func(r *posting) bool { return l.mayHaveEnded(r) && r.cancelledFrom() < u.at }
			if slices.ContainsFunc(l.waiting, may) {
				return true // it may be cancelled, too: the connection was lost
			}
		}
	}
	return u.mayBeBy(u.at)
}

// cancelledFrom returns from when on r, if it is cancelled, can have been: a receive that was pending at a moment of rest not before that.
func (r *posting) cancelledFrom() moment {
	if r.lane.queue == model.Initiator {
		return r.called // it may have passed a read, which kept it from completing
	}
	return max(r.called, r.pendingAt())
}

// mayBeOther reports whether anything else than a flush of its QP may have cancelled u, told or not.
func (u *uncaused) mayBeOther() bool {
	other := *u
	other.instead = &posting{}
	return other.mayBeBy(u.flushedBy())
}

// flushedBy returns by when u was cancelled, as all is by the return of a flush that was called after its post (FLUSH-01).
func (u *uncaused) flushedBy() moment {
	by := u.at
	for _, f := range u.lane.qp.flushed {
		if r := u.request; r.returned != 0 && r.returned < f.call {
			by = min(by, f.ret)
		}
	}
	return by
}

// undelivered handles the completions of p that points placed and no poll delivered. What was cancelled is to be explained too (RES-10). What was
// not may have had to be (FLUSH-01, FLUSH-05).
func (p *qp) undelivered() {
	for _, l := range p.lanes {
		for _, r := range l.waiting {
			switch {
			case r.place == 0 || l.cq.stopped(), r.outcome != model.CANCELLED && !p.beforeFlush(l.cq, 0, r, r.outcome, max(r.called, r.pended)):
				continue
			case r.outcome == model.FAILED:
				l.mayFail(r, max(r.called, r.pended))
			case r.outcome == model.CANCELLED:
				u := l.uncaused(l.cq, &poll{line: p.s.line()}, r)
				if u.notified = 0; p.peer != nil {
					p.peer.mayBeLostByPeer(r.called)
				}
				p.explain(u)
			}
			l.passed(r)
		}
	}
}

// finishUnexplained reports what is cancelled and was never explained.
func (p *qp) finishUnexplained() {
	inTurn := slices.Clone(p.unexplained)
	slices.SortStableFunc(inTurn, func(a, b uncaused) int { return a.at - b.at })
	for _, u := range inTurn {
		switch {
		case u.mayHaveFailed():
			p.mayBeLost(u.request.ran, byPeer, nil)
		case !u.mayBeBy(u.at):
			p.reportUncaused(&u)
		case u.reportUnheard():
		case u.onlyAborted():
			p.leaveOpen("a bad token may have cancelled " + u.request.wr + ", and whether it cancelled what had not completed by a later moment of " +
				"rest " + verdict.NotFollowed)
		case u.notified != 0 && !u.mayBeBy(u.notified) && !u.overflown(u.at):
			p.leaveOpen("whether a callback of " + u.cq.name + " was for " + u.request.wr + ", and what cancelled that, " + verdict.NotFollowed)
		}
	}
}

// onlyAborted reports whether only a message of which nothing is told can have cancelled u, by a bad token, though it would have
// cancelled as well what was pending later, at a moment of rest (INV-05).
func (u *uncaused) onlyAborted() bool {
	p := u.lane.qp
	if p.peer == nil || u.explained(u.at) {
		return false
	}
	from := u.pended
	for r := range u.suspects(u.at) {
		if from = max(from, r.called); !r.mayHaveAborted() || r.lane.cq == nil || r.lane.emptyAtRest() < u.at {
			return false // it may have failed by itself
		}
	}
	return p.restedBefore(from, u.at) || p.peer.restedBefore(from, u.at)
}

// restedBefore reports whether a request of p that was posted before a moment was pending at a moment of rest after another one.
func (p *qp) restedBefore(posted, at moment) bool {
	pending := func(r *posting) bool { return !r.silent && r.place == 0 && r.returned != 0 && r.returned < posted }
	return slices.ContainsFunc(p.lanes[:], func(l *lane) bool {
		return l.cq != nil && l.emptyAtRest() >= at && slices.ContainsFunc(l.waiting, pending)
	})
}

// mayHaveBroken reports whether an outstanding request may have ended the connection unseen: it may have failed,
// or have named a bad token, though it succeeded (INV-05).
func (l *lane) mayHaveBroken(r *posting) bool {
	return r.mayHaveAborted() || r.place == 0 && l.mayHaveEnded(r)
}

// mayHaveAborted reports whether an outstanding request may have ended the connection though it succeeded, with no completion
// to tell of it: a silent message that names a bad token, if its peer had a receive for it, which is not told to have succeeded (INV-05).
func (r *posting) mayHaveAborted() bool {
	received := r.receive != nil && !r.adrift
	return r.op == model.SendAndInvalidate && (r.silent || r.place != 0) && !r.neverReceived() && !received
}

// reportUncaused reports a request that was cancelled by nothing (RES-10), unless a silent failure was not told (FLAG-02).
func (p *qp) reportUncaused(u *uncaused) {
	r := u.request
	if o := u.instead; o != nil && u.received {
		p.s.unexplained(p.group, "POLL-05", u.line, []int{o.line, r.line},
			"a message was received that waits for %s, %s or one before it, and what cancelled %s, a flush or the end of the connection, cancelled "+
				"the message, too", r.wr, o.wr, r.wr)
		p.allows("no receive succeeds with %s", o.wr)
		return
	} else if o != nil {
		rule, also := "FLUSH-01", []string(nil)
		line, see := u.line, []int{o.line}
		switch {
		case o.silent && o.outcome == model.SUCCESS:
			rule = "FLAG-02"
			line, see = o.lacksCompletion(u.line)
		case !p.s.verbs && p.connected != 0 && len(p.flushed) == 0 && p.flushCalled == 0 && p.closing == 0:
			rule, also = "RES-10", []string{"FLUSH-01"} // all that can have cancelled it is a loss, and there was none
			if u.silenced != 0 {
				rule, also = "FLAG-02", []string{"RES-10", "FLUSH-01"}
			}
		}
		p.s.unexplained(p.group, rule, line, append(see, r.line),
			"%s ended otherwise than cancelled, and what cancelled %s before it, a flush or the end of the connection, cancelled it too", o.wr, r.wr)
		p.s.also(also...)
		p.allows("%s ends with %v", o.wr, model.CANCELLED)
		return
	}
	rule, also := "RES-10", []string(nil)
	if u.silenced != 0 {
		rule, also = "FLAG-02", []string{"RES-10"}
	}
	p.s.unexplained(p.group, rule, u.line, []int{r.line, u.silenced},
		"%s completed into %s as cancelled, and nothing cancelled it: no flush, close, disconnect or failed request of %s came before",
		r.wr, u.cq.name, p.name)
	p.s.also(also...)
	p.allowed(cmp.Or(u.state, p.describe()), "%s ends with %v or %v", r.wr, model.SUCCESS, model.FAILED)
	p.s.restsOnNoOverflow() // of all CQs another one's may have cancelled it, and none did
}

// mayHaveBrokenFrom returns from when on an outstanding request may have ended the connection.
func (r *posting) mayHaveBrokenFrom() moment {
	from := r.called
	if r.lane.cq != nil {
		from = max(from, r.lane.emptyAtRest())
	}
	switch {
	case !r.mayHaveAborted():
		return from
	case r.lane.cq != nil && (r.place != 0 || !r.lane.mayHaveEnded(r)):
		return r.mayHaveAbortedFrom() // it has not failed
	}
	return min(from, r.mayHaveAbortedFrom())
}

// mayHaveAbortedFrom returns from when on an outstanding message may have ended the connection by a bad token: it meets the oldest
// receive that is not over, or one behind it, and ends that, too.
func (r *posting) mayHaveAbortedFrom() moment {
	to := r.lane.other()
	if to == nil || to.qp.remote != nil {
		return r.called
	}
	from := max(r.called, r.lane.qp.connected, to.qp.connected)
	if r.index() >= r.lane.known || len(to.waiting) == 0 {
		return from
	}
	receive := to.waiting[0]
	from = max(from, receive.called)
	if rested := receive.pendingAt(); receive.returned != 0 && receive.returned < rested {
		from = max(from, rested)
	}
	return from
}

// silencedLine returns where the latest request was posted that succeeded silently, or 0. Only those of the initiator queue do.
func (l *lane) silencedLine() int {
	if l.silenced == nil || l.queue != model.Initiator {
		return 0
	}
	return l.silenced.line
}
