package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// A receive that failed by itself before a moment of rest broke its connection, and left the send that it would have taken waiting (A15). Its
// completion tells of that once it is polled. Until then the receive is taken to have been there; if the trace ends before that is known, what
// was found is left open.

// An awaited is a send that is taken to have had a receive at a moment of rest.
type awaited struct {
	send   *posting
	rested moment
	had    bool   // a receive was pending then, as a poll showed
	told   moment // when it, or what had to have completed behind it, was told, or 0
}

// restsOnReceive notes that the latest finding rests on what r had to have done by a moment of rest, unless it, or a send before it, waited for
// a receive then. It reports whether that may be.
func (s *Stream) restsOnReceive(r *posting, rested moment) bool {
	if s.muted {
		return false
	}
	send := r.restsOn(rested)
	if send == nil {
		return false
	}
	f := &s.findings[len(s.findings)-1]
	f.awaited = append(f.awaited, &awaited{send: send, rested: rested})
	return true
}

// restsOn returns r, or the latest send before it, that may have waited for a receive at a moment of rest, or nil.
func (r *posting) restsOn(rested moment) *posting {
	if !r.lane.mayWait() {
		return nil
	}
	var send *posting
	for _, m := range append([]*posting{r.ahead, r}, r.lane.waiting...) {
		if m != nil && m.position <= r.position && m.mayHaveHadNone(rested) {
			send = m
		}
	}
	return send
}

// restsOnReceives does that for what a sight of q has led to: at a moment of rest, for all that had to have completed.
func (q *cq) restsOnReceives(e *sight, behindFence bool) {
	switch {
	case e.posting != nil && e.owed != 0:
		q.s.restsOnReceive(e.posting, e.owed)
	case q.s.muted:
	case e.what != restful:
		f := &q.s.findings[len(q.s.findings)-1]
		if f.relied = slices.Clone(q.relied); behindFence || e.what == readers && !q.owesAtLeast() {
			f.relied = append(f.relied, q.owedSends()...)
		}
	default:
		for _, l := range q.lanes {
			for _, r := range l.waiting {
				reported := r.called < q.notifiedAt // the latest callback may have been for it
				if r.owed == e.at && r.place == 0 && !q.s.restsOnReceive(r, e.at) && !reported {
					q.s.findings[len(q.s.findings)-1].awaited = nil
					return
				}
			}
		}
	}
}

// relies notes that r, which is over, is taken to have completed by a moment of rest, where it, or the send ahead of it, may have waited for a
// receive then. Had it, another callback may have been for it, so what is found of the CQ next may rest on that.
func (q *cq) relies(r, ahead *posting) {
	if r.owed == 0 || q.armed == model.NONE || len(q.relied) > MaxFollowing {
		return
	}
	for _, m := range []*posting{ahead, r} {
		if m != nil && r.mayRestOn(m) {
			q.relied = append(q.relied, &awaited{send: m, rested: r.owed, told: q.s.at})
		}
	}
}

// mayRestOn reports whether that r is taken to have completed by a moment of rest rests on a receive that m, a send, may not have had.
func (r *posting) mayRestOn(m *posting) bool {
	return r.owed != 0 && r.lane.mayWait() && m.mayHaveHadNone(r.owed)
}

// forgetRelied handles the entry of a callback. From now on, what is owed and armed for is as if no delivered send had waited. A callback
// that a consumer records late may have been for such a send.
func (q *cq) forgetRelied() {
	if n := len(q.relied); n > 0 && q.emptied > q.relied[n-1].told && !q.s.consumer {
		q.relied = nil
	}
}

// mayHaveReliedOn returns a send whose receive is told to have failed, so that it may have waited after all, or nil. Where the CQ delivers that
// failure together with the send it is tried already.
func (q *cq) mayHaveReliedOn() *posting {
	for _, a := range q.relied {
		to := a.send.lane.other()
		if !a.had && to.mayHaveFailed(a.rested) && a.send.mayHaveHadNone(a.rested) && (to.cq != q || a.told < q.s.at) {
			return a.send
		}
	}
	return nil
}

// beforeOwed returns a copy of what explains the CQ before e, if that delivers a send which is taken to have completed by a moment of rest,
// and may have waited then. Otherwise it returns nil.
func (q *cq) beforeOwed(e *sight) *automaton.Queue {
	if e.what != delivered || e.owed == 0 || !e.posting.mayRestOn(e.posting) {
		return nil
	}
	return q.queue.Clone()
}

// goOnWaiting goes on, where nothing explained e and that was told, as if the send that e delivers had waited at the moment of rest. What was
// told stands if that explains no more.
func (q *cq) goOnWaiting(before *automaton.Queue, e *sight) {
	if before == nil || q.s.muted || q.stopped() {
		return
	}
	f := &q.s.findings[len(q.s.findings)-1]
	waited := *e
	waited.owed = 0
	if before.Free(automaton.Moment(e.posting.called), automaton.Moment(e.owed), automaton.Moment(e.at)) && q.show(before, &waited) {
		q.queue, f.instead = before, q
		q.relied = slices.DeleteFunc(q.relied, func(a *awaited) bool { return a.send == e.posting })
		return
	}
	f.awaited = nil
}

// diedWaiting handles a latest finding that not even waiting sends explain. Findings of q that rested on such sends do so no more.
func (q *cq) diedWaiting() {
	last := len(q.s.findings) - 1
	if q.s.muted || q.s.findings[last].mayRestOn() != nil {
		return
	}
	for i := range q.s.findings[:last] {
		if f := &q.s.findings[i]; f.instead == q {
			f.awaited, f.relied, f.instead = nil, nil, nil
		}
	}
}

// owedSends returns the sends that had to have completed at a moment of rest, and that no poll has delivered: what is behind them had to have, too.
func (q *cq) owedSends() []*awaited {
	var all []*awaited
	for _, l := range q.lanes {
		for _, r := range l.waiting[:min(len(l.waiting), MaxFollowing)] {
			if r.owed == 0 {
				continue
			}
			if m := r.restsOn(r.owed); m != nil {
				all = append(all, &awaited{send: m, rested: r.owed})
			}
		}
	}
	return all
}

// owesAtLeast reports whether a request that waited for no receive had to have completed at a moment of rest, and was posted after the latest arm,
// and all callbacks that are told: then one was due whatever became of the others.
func (q *cq) owesAtLeast() bool {
	since := max(q.certain.called, q.certain.entered)
	due := func(r *posting) bool {
		return r.owed != 0 && r.place == 0 && r.called > since && r.restsOn(r.owed) == nil
	}
	return slices.ContainsFunc(q.lanes, func(l *lane) bool { return slices.ContainsFunc(l.waiting[:min(len(l.waiting), MaxFollowing)], due) })
}

// showPending handles a poll that found nothing after a moment of rest. It shows which receives had not ended by then, and so which sends had.
func (q *cq) showPending() {
	for i := range q.s.findings {
		f := &q.s.findings[i]
		for _, a := range slices.Concat(f.awaited, f.relied) {
			a.had = a.had || a.send.hadReceive(a.rested)
		}
	}
	for _, other := range q.s.inOrder {
		for _, a := range other.relied {
			a.had = a.had || a.send.hadReceive(a.rested)
		}
	}
}

// open reports whether nothing tells that the send had a receive: a poll that showed one to be pending, receives that succeeded, or the
// success of the send, if none was posted later or sends took all there were.
func (a *awaited) open() bool {
	to := a.send.lane.other()
	later := func(r *posting) bool { return r.returned == 0 || r.returned > a.rested }
	succeeded := a.send.over && a.send.outcome == model.SUCCESS && !slices.ContainsFunc(to.waiting, later)
	ended := to.lost > 0 && to.failedAt == 0 && to.qp.broken != 0 && to.qp.broken < a.rested // it may have been cancelled by then
	return !a.had && !succeeded && to.successes() <= a.send.sends && (to.next-to.lost > a.send.lane.took || ended)
}

// mayRestOn returns a send on which a finding rests, if each of them may have waited for a receive, or nil.
func (f *finding) mayRestOn() *posting {
	if i := slices.IndexFunc(f.relied, (*awaited).open); i >= 0 {
		return f.relied[i].send
	}
	if len(f.awaited) == 0 || slices.ContainsFunc(f.awaited, func(a *awaited) bool { return !a.open() }) {
		return nil
	}
	return f.awaited[0].send
}
