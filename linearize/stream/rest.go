package stream

import (
	"cmp"
	"slices"

	"ndkoracle/model"
)

// rest takes a moment at which the provider had come to rest.
func (s *Stream) rest() {
	owed, open := map[*cq][]*posting{}, map[*cq]int{}
	for _, p := range s.qpsInOrder {
		if p.isRemote() {
			p.peer.catchUp()
		}
		if p.group.root().stopped {
			continue
		}
		for _, l := range p.lanes {
			for _, r := range l.owe() {
				r.owedLine = s.line()
				l.cq.takeNow(r.notOwed(nil))
				if l.maybeOwed(r) {
					if r.rested = s.at; p.flushedAfter(r) {
						r.unsureAt = 0 // what a flush has ended waits no more
					}
					open[l.cq]++
					continue
				}
				if l.cq.over != 0 && r.called > l.cq.over {
					s.unexplained(p.group, "LIFE-04", 0, []int{r.line}, "%s, posted with success, is to complete into %s, and %s is closed",
						r.wr, l.cq.name, l.cq.name)
					p.allows("first the completion of %s, and then the close of %s", r.wr, l.cq.name)
					r.missed = true
				}
				r.owed, r.rested = s.at, 0
				l.cq.owed++
				if r.place == 0 {
					owed[l.cq] = append(owed[l.cq], r)
				}
			}
		}
	}
	for _, q := range s.inOrder {
		e := sight{what: restful, at: s.at, waiting: q.waits(), n: open[q]}
		for _, r := range owed[q] {
			e.list = append(e.list, uint64(r.called))
		}
		if s.verbs && e.waiting && q.readers == 0 && !s.finished {
			q.readersAre(q.namedReads() + s.unnamedReads())
		}
		s.exercised("ARM-03")
		q.restedAt, q.restedLine = s.at, s.line()
		q.take(e)
	}
	s.checkAnswers()
}

// owe returns the requests that must have completed by now and need not have by an earlier moment of rest: those that wait
// for nobody but the provider, silent ones that must have if they fail, and receives whose message has been sent.
func (l *lane) owe() []*posting {
	p := l.qp
	if l.cq == nil || p.closing != 0 || l.cq.failed != 0 {
		return nil
	}
	var due []*posting
	var send, unsure *posting // the first before it, and one which may wait
	waits := false            // something before it does
	flush := p.latestOver()   // what is posted later is not flushed
	for _, r := range l.waiting {
		if send == nil && r.op.IsSend() && r.place == 0 {
			send = r
		}
		if r.owed != 0 || r.missed {
			continue
		}
		flushed := p.flushedAfter(r)
		behind := waits || unsure != nil
		if !waits && !flushed && r.place == 0 {
			switch does, sure := l.waits(r); {
			case does && sure:
				if waits = true; r.op.IsSend() && p.peer != nil && !p.peer.connects {
					l.lack(r)
				}
			case does:
				unsure = cmp.Or(unsure, r)
				r.mayWaitFor(r)
			case behind:
				r.mayWaitFor(unsure)
			}
		}
		if (waits || unsure != nil) && !flushed && (behind || !r.unsure()) {
			if waits && r.called > flush {
				break
			}
			if r.unsureAt == p.s.at && (!r.silent || r.rested == 0) {
				due = append(due, r)
			}
			continue
		}
		if r.rested == 0 || !l.maybeOwed(r) || flushed && r.unsure() {
			r.ahead, due = send, append(due, r)
		}
	}
	return due
}

// lack notes that m, a send, waits for a receive, and what is behind it for m, unless a send before it failed: that left it its own.
func (l *lane) lack(m *posting) {
	i := slices.Index(l.waiting, m)
	for _, r := range l.waiting[i:min(len(l.waiting), i+MaxFollowing)] {
		if r.returned == 0 || r.deferred && r.ended == 0 {
			return // it may wait for the consumer
		}
		if r == m || !r.silent && r.owed == 0 {
			r.lackedAt, r.owedLine, l.cq.mayOwe = l.qp.s.at, l.qp.s.line(), l.qp.s.at
		}
	}
}

// maybeOwed reports whether it is not known yet if r, which waits for nobody but the provider and perhaps a message that has
// been sent, has to complete: a silent request if it fails, a receive if the message has arrived, what may wait for a receive if it does not.
func (l *lane) maybeOwed(r *posting) bool {
	switch {
	case l.queue == model.Receive:
		return r.place == 0 && !l.qp.flushedAfter(r) && !l.arrived(r)
	case r.mayWaitNow():
		return true
	}
	return r.silent && !r.cancelled && r.place == 0 && (l.maySucceed(r) || r.unsure() && !l.qp.flushedAfter(r))
}

// mayHaveEnded reports whether the connection of p, whose peer is known, may have ended by now, or a receive of the peer.
func (p *qp) mayHaveEnded() bool {
	if p.broken != 0 || p.peer.broken != 0 {
		return true
	}
	l := p.peer.lanes[model.Receive]
	return l.cq != nil && l.cq.shown > 0 &&
		slices.ContainsFunc(l.waiting, func(r *posting) bool { return r.place != 0 && r.outcome != model.SUCCESS })
}

// unsure reports whether r, a silent send, may have waited for a receive at the moment of rest by which it was over otherwise.
func (r *posting) unsure() bool {
	return r.silent && r.unsureAt != 0 && (r.rested == 0 || r.rested == r.unsureAt)
}

// mayWaitFor takes that r may wait at this moment of rest: as a send for a receive, or for the send m before it, which does. Of a silent request it
// is not known, then, that it was over by the moment of rest at which it had been taken to be.
func (r *posting) mayWaitFor(m *posting) {
	switch s := r.lane.qp.s; {
	case r.silent && r != m:
	case r.silent && r.rested != 0:
		r.unsureAt, r.lackedAt = r.rested, s.at
	case r.unsureAt != 0 && r.unsureAt == r.rested && !r.lane.receivesSince(r.rested):
		// a receive that is pending now was pending then
	default:
		r.ahead, r.unsureAt, r.owedLine, r.lane.cq.mayOwe = m, s.at, s.line(), s.at
	}
}

// receivesSince reports whether a receive of the peer that may be pending was posted after a moment.
func (l *lane) receivesSince(at moment) bool {
	to := l.other()
	if to == nil {
		return true
	}
	for _, o := range slices.Backward(to.waiting) {
		if o.returned != 0 {
			return o.returned > at
		}
	}
	return false
}

// mayWaitNow reports whether r, which is not silent, may wait for a receive at the present moment of rest.
func (r *posting) mayWaitNow() bool { return !r.silent && r.unsureAt == r.lane.qp.s.at }

// didNotWait reports whether r, which might have waited for a receive at the latest moment of rest, is known not to have.
func (r *posting) didNotWait() bool {
	return r.unsureAt != 0 && !r.silent && r.unsureAt == r.rested && r.mayHaveWaited(r.rested) == nil
}

// silentBy returns the moment of rest by which r, a silent request, had succeeded unless it had a completion, or 0.
func (r *posting) silentBy() moment {
	if !r.silent || r.unsure() {
		return 0
	}
	return r.rested
}

// overOrWaits returns the latest moment of rest at which r, a silent request, was over if it fails, or waited for a receive, or 0.
func (r *posting) overOrWaits() moment {
	if r.rested == 0 || r.unsure() {
		return max(r.unsureAt, r.lackedAt)
	}
	return r.rested
}

// latestOver returns the call of the flush that was called latest of those that are over, or 0.
func (p *qp) latestOver() moment {
	latest := moment(0)
	for _, f := range p.flushed {
		latest = max(latest, f.call)
	}
	return latest
}

// flushedAfter reports whether a flush is over that was called after r had been posted.
func (p *qp) flushedAfter(r *posting) bool {
	return slices.ContainsFunc(p.flushed, func(f returned) bool { return r.returned != 0 && f.call > r.returned })
}

// waits reports whether r itself may wait for the consumer, or for a peer of whom the trace does not tell, and whether it does for sure. On a
// connection that may have ended the receives of the peer may have ended, too, and a send wait for others (A15).
func (l *lane) waits(r *posting) (does, sure bool) {
	p := l.qp
	switch {
	case r.returned == 0:
		return true, true
	case l.queue == model.Receive:
		return p.peer == nil || r.order() >= p.peer.lanes[model.Initiator].sends, true
	case r.deferred && r.ended == 0:
		return true, true
	case !r.op.IsSend() || p.aborted != 0 || p.cancelsAll != 0 && p.closing == 0 || r.silentBy() != 0 && l.maySucceed(r):
		return false, true
	case p.peer == nil || p.peer.connects || r.sends-l.failedSends() >= p.peer.lanes[model.Receive].posted():
		return true, true
	case p.peer.lanes[model.Receive].successes() > r.sends:
		return false, true // its message was received, unless it failed
	case !p.mayHaveEnded():
		return false, true
	}
	return true, len(p.peer.lanes[model.Receive].waiting) == 0 && (!r.silent || r.rested == 0)
}

// failedSends counts the sends that are told to have ended otherwise than with success: they left their receives, or ended them, too.
func (l *lane) failedSends() int { return l.sendsDone - l.took }

// posted counts the receives that had been posted, but for those that are told to have taken no message.
func (l *lane) posted() int { return l.returned - l.lost }

// successes counts the requests of a queue that are told to have succeeded, or placed.
func (l *lane) successes() int {
	n := l.took
	if l.cq != nil && l.cq.shown > 0 {
		for _, r := range l.waiting {
			if r.place != 0 && r.outcome == model.SUCCESS {
				n++
			}
		}
	}
	return n
}

// maySucceed reports whether an outstanding request of the initiator queue may have succeeded by now: its connection had not
// ended by a bad token, and there was a receive for its message.
func (l *lane) maySucceed(r *posting) bool {
	if !r.isAlive() {
		return false
	}
	to := l.other()
	if !r.op.IsSend() || to == nil || to.qp.remote != nil {
		return true
	}
	return l.hasReceive() || r.op == model.SendAndInvalidate && to.next > l.took
}

// hasReceive reports whether the peer has posted more receives than are told to have ended otherwise, or took sends that succeeded.
func (l *lane) hasReceive() bool {
	to := l.other()
	return to == nil || to.qp.remote != nil || to.next-to.lost > l.took
}

// arrived reports whether as many of the peer's sends are known to have succeeded as r and the receives before it can have taken.
func (l *lane) arrived(r *posting) bool {
	sends := l.other()
	n := max(sends.took, sends.succeeded)
	for _, m := range sends.waiting {
		if n > r.order() || m.place == 0 && !m.silent {
			break
		}
		if m.op.IsSend() && m.place != 0 && m.outcome == model.SUCCESS {
			n++
		}
	}
	return r.order() < n
}

// missing reports a request that had to have completed at a moment of rest before a poll that found nothing.
func (q *cq) missing(p *poll) {
	var first *posting
	for _, qp := range q.s.qpsInOrder {
		for _, l := range qp.lanes {
			for _, r := range l.waiting {
				if l.cq != q {
					break
				}
				by := r.dueBy()
				due := by != 0 && by <= p.call.call && r.place == 0 && !r.missed && qp.over == 0
				if due && (first == nil || by < first.dueBy()) {
					first = r
				}
			}
		}
	}
	if first != nil {
		q.reportLate(first, p.line)
	} else if q.mayOwe <= p.call.call {
		q.mayOwe = 0
	}
}

// dueBy returns the moment of rest at which r had to have completed, if it waited for no receive, or 0.
func (r *posting) dueBy() moment {
	switch {
	case r.owed != 0 || r.silent:
		return r.owed
	case r.lackedAt > r.unsureAt && r.hadReceive(r.lackedAt):
		return r.lackedAt // a send before it failed, and left that to it, or to another one
	}
	return r.unsureAt
}

// mayHaveWaited returns r, or a send before it, if that may have waited for a receive at a moment of rest: on a connection that may have ended
// the receives of the peer may have ended too, and whoever sends may wait for more (A15); of a peer that the trace does not hold nothing is
// known. Or it returns nil.
func (r *posting) mayHaveWaited(rested moment) *posting {
	l := r.lane
	p := l.qp
	if l.queue != model.Initiator || p.peer != nil && !p.mayHaveEnded() {
		return nil
	}
	waits := func(m *posting) bool { return m.position <= r.position && m.mayHaveHadNone(rested) }
	switch {
	case waits(r):
		return r
	case r.ahead != nil && waits(r.ahead):
		return r.ahead
	}
	if i := slices.IndexFunc(l.waiting, waits); i >= 0 {
		return l.waiting[i]
	}
	return nil
}

// mayHaveWaited returns a send of which it is not known that it had a receive at the moment of rest by which it, or a silent request behind it that
// is outstanding, is taken to have ended, or nil: a receive that nobody polls may have failed.
func (q *cq) mayHaveWaited() *posting {
	for _, l := range q.lanes {
		for _, r := range l.waiting {
			for _, m := range []*posting{r.ahead, r} {
				if m != nil && m.mayHaveHadNone(r.silentBy()) && (l.other() == nil || l.other().successes() <= m.sends) {
					return m
				}
			}
		}
	}
	return nil
}

// mayHaveHadNone reports whether r is a send that may have had no receive to take at a moment of rest, on a connection that may have ended:
// one that had been posted by then, as is known of what succeeded.
func (r *posting) mayHaveHadNone(rested moment) bool {
	had := r.over && r.outcome == model.SUCCESS && r.index() < r.lane.known || r.met && r.owed == rested
	return !had && r.op.IsSend() && r.place == 0 && r.isAlive() && !r.lane.qp.abortedBy(rested) && !r.flushedBy(rested) && !r.hadReceive(rested)
}

// isBlamed remembers that something was found that rests on what r had to have done by a moment of rest.
func (r *posting) isBlamed() {
	if l := r.lane; l.queue == model.Initiator && len(l.blamed) < MaxFollowing {
		l.blamed = append(l.blamed, r)
	}
}

// mayHaveWaitedAfterAll takes that a receive of the peer failed, or was cancelled. It may have ended before a moment of rest at which a send is
// taken to have had it: that is left open where something was found, or a silent send is taken to have ended the connection. What was cancelled
// such a send may have ended itself (INV-05).
func (l *lane) mayHaveWaitedAfterAll(outcome model.Outcome) {
	if g := l.qp.group.root(); !g.broken && l.qp.aborted == 0 || g.unclear != "" {
		return
	}
	failed := outcome == model.FAILED || l.qp.s.verbs // in libibverbs a flush may tell of a failure
	waited := func(m *posting) *posting {
		switch {
		case m.owed != 0:
			return m.mayHaveWaited(m.owed)
		case failed && m.silent && m.rested != 0 && m.op.IsSend() && !m.hadReceive(m.rested):
			return m
		}
		return nil
	}
	for _, m := range slices.Concat(l.blamed, l.waiting[:min(len(l.waiting), MaxFollowing)]) {
		if w := waited(m); w != nil {
			if l.qp.s.reopen(l.qp.group) || m.owed == 0 && l.qp.aborted != 0 {
				l.qp.leaveOpen(w.leavesOpen())
			}
			return
		}
	}
}

// deniesAbort reports whether r, a silent message that is told to have failed, or to have been cancelled, was taken to have ended the connection
// by a moment of rest. It may have waited then, and what was found as the connection had ended is taken back.
func (r *posting) deniesAbort() bool {
	p := r.lane.qp
	if p.endedBy != r || r.hadReceive(r.rested) {
		return false
	}
	p.s.reopen(p.group)
	p.leaveOpen(r.leavesOpen())
	return true
}

// flushedBy reports whether a flush was over at a moment that cancelled r, be it by the reading of A15.
func (r *posting) flushedBy(at moment) bool {
	p := r.lane.qp
	return p.cancelsAll != 0 && p.cancelsAll <= at || slices.ContainsFunc(p.flushed, func(f returned) bool {
		return r.returned != 0 && f.call > r.returned && f.ret <= at
	})
}

// hadReceive reports whether the peer is known to have had a receive that was pending at a moment of rest: a poll shows that it had not ended.
func (r *posting) hadReceive(rested moment) bool {
	to := r.lane.other()
	if to == nil || to.cq == nil || to.emptyAtRest() < rested {
		return false
	}
	return slices.ContainsFunc(to.waiting, func(o *posting) bool { return o.returned != 0 && o.returned < rested && o.place == 0 })
}

// leavesOpen says what of r, a send, this engine does not follow.
func (r *posting) leavesOpen() string {
	return "whether " + r.wr + " waited for a receive, on a connection that may have ended, this engine does not follow"
}

// silentByRest takes that a poll found nothing after a moment of rest: the silent requests that had to have completed by then,
// had they failed, have succeeded, and changed their tokens, and their messages had arrived.
func (q *cq) silentByRest(p *poll) {
	for _, l := range q.lanes {
		sent, latest := l.took, (*posting)(nil)
		arrived := func() {
			if latest == nil {
				return
			}
			for _, e := range latest.arrivedBy(nil, nil, latest.overOrWaits(), sent) {
				e.at = q.s.at
				q.take(e)
			}
		}
		for _, r := range l.waiting {
			if by := r.overOrWaits(); !r.silent || by == 0 || by > q.emptyAtRest || l.qp.closing != 0 || q.failed != 0 || q.stopped() {
				break
			}
			doubted := r.rested == 0 || r.unsure()
			if r.op.IsSend() {
				if !doubted {
					r.aborted()
					l.arrives(r, r.rested, p.line)
				}
				if latest != nil && latest.overOrWaits() != r.overOrWaits() {
					arrived()
				}
				sent, latest = sent+1, r
			}
			if doubted {
				if to := l.other(); r.op == model.SendAndInvalidate && sent > to.successes() && r.hadReceive(r.unsureAt) {
					q.s.abortCancels(q, r) // it did not wait, and none received it
					q.takeNow(q.s.late)
					q.s.late = nil
				}
				continue
			}
			if r.adrift && !l.hasReceive() && l.other().mayHaveBrokenIt() && r.mayHaveHadNone(r.rested) {
				l.qp.leaveOpen(r.leavesOpen()) // it ended the connection, or waits since something else did
				return
			}
			if r.op == model.SendAndInvalidate {
				q.s.tokenTold(q, p.line, r, model.SUCCESS)
				q.takeNow(q.s.late)
				q.s.late = nil
			} else {
				if r.names != nil {
					r.names.silentBy = r.rested
				}
				since, _ := q.s.tokenTold(q, p.line, r, model.SUCCESS)
				if l.ready = max(l.ready, since); since >= r.rested {
					q.s.unexplained(q.group, "FLAG-02", p.line, []int{r.line},
						"%s, a silent request, can only have failed by a moment of rest, and has no completion", r.wr)
					l.qp.allows("first a completion of %s", r.wr)
				}
			}
		}
		arrived()
	}
}

// mayHaveBrokenIt reports whether the connection of l, a queue of receives, is known to be broken, or a receive may have failed that is told: in
// libibverbs one may be told as flushed.
func (l *lane) mayHaveBrokenIt() bool { return l.qp.broken != 0 || l.qp.s.verbs && l.lost > 0 }

// tokensByRest takes that a poll found nothing after a moment of rest: requests that would have a completion had not been executed by
// then, and had not changed their tokens.
func (q *cq) tokensByRest() {
	for _, l := range q.lanes {
		if l.qp.closing != 0 || q.failed != 0 {
			continue
		}
		for _, r := range l.waiting {
			if r.names == nil || r.silent || r.place != 0 {
				continue
			}
			if i := slices.Index(r.names.pending, r); i >= 0 {
				r.names.pendingAt(i, q.emptyAtRest)
			}
		}
	}
}

// reportLate reports a request that had not completed at a moment of rest, as a poll shows.
func (q *cq) reportLate(r *posting, poll int) {
	qp := r.lane.qp
	if qp.closing != 0 {
		qp.leaveVanishedOpen(q)
		return
	}
	by := r.dueBy()
	if by == 0 {
		by = r.rested
	}
	if m := r.mayHaveWaited(by); m != nil {
		qp.leaveOpen(m.leavesOpen())
		return
	}
	r.isBlamed()
	rule, why := "DEF-04", r.wr+", posted with success, had not completed"
	switch {
	case r.cancelled:
		rule, why = "FLAG-02", r.wr+", a silent request that a flush cancelled, had not completed"
	case qp.flushedAfter(r):
		rule, why = "FLUSH-02", r.wr+", pending when a flush or the end of the connection cancelled it, had not completed"
	case r.refusal:
		rule, why = "DEF-05", r.wr+", deferred before a post that was refused, had not been indicated and completed"
	}
	q.s.unless("", q.group, rule, r.owedLine, []int{r.line, poll}, // an earlier loss of the connection would not explain that
		"the provider was at rest, and %s: what %s shows afterwards", why, q.name)
	q.s.restsOnReceive(r, by)
	q.s.also("POLL-03")
	qp.allows("first the completion of %s", r.wr)
	for _, behind := range r.lane.waiting { // a queue completes in order
		behind.missed = behind.missed || behind == r || behind.owed != 0 && behind.owed <= q.emptied
	}
	q.queue.Resume()
}
