package stream

import (
	"cmp"
	"maps"
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// pollsUnderWay holds the polls of a CQ that are under way, and what happens to it until they return.
type pollsUnderWay struct {
	list  []*poll       // polls under way, and those that have returned meanwhile
	held  []observation // what happened since the first of the polls was called
	spare []*poll       // to be used again
}

// A deadEnd is where nothing explains what polls that were under way together returned.
type deadEnd struct {
	of    *observation     // of a poll: what could not have happened where it was tried last
	queue *automaton.Queue // the state of the CQ in which it was tried
	with  uint             // the polls that had taken effect then, a bit each
}

// pollCalled handles the call of a poll. What happens to the CQ until it returns waits for its results.
func (s *Stream) pollCalled(u *underWay) {
	q := u.cq
	if q.calling > 0 {
		s.cases.Met(cases.PollInCallback)
	}
	if slices.ContainsFunc(q.polls.list, func(p *poll) bool { return p.to < 0 }) {
		q.group.leaveInDoubt("polls of " + q.name + " overlap, and which of them came first " + verdict.NotFollowed)
	}
	var p *poll
	if n := len(q.polls.spare); n > 0 {
		p, q.polls.spare = q.polls.spare[n-1], q.polls.spare[:n-1]
	} else {
		p = &poll{}
	}
	p.call, p.rested, p.emptied, p.from, p.to = u, q.restedAt, q.emptiedBy(), len(q.polls.held), -1
	q.polls.list = append(q.polls.list, p)
}

// emptiedBy returns the call of the latest poll that has returned and found nothing.
func (q *cq) emptiedBy() eventIndex {
	latest := q.emptied
	for _, p := range q.polls.list {
		if p.to >= 0 && p.foundNothing() {
			latest = max(latest, p.call.call)
		}
	}
	return latest
}

// boundsOf says when the i'th result was placed.
func (p *poll) boundsOf(i int) clauses.Bounds {
	if i >= len(p.bounds) {
		return clauses.Bounds{}
	}
	return p.bounds[i]
}

// foundNothing reports whether a poll that has returned had room, and found nothing.
func (p *poll) foundNothing() bool { return len(p.results) == 0 && p.call.n != 0 }

func (s *Stream) pollReturned(u *underWay, e *trace.Event, refused bool) {
	q := u.cq
	i := slices.IndexFunc(q.polls.list, func(p *poll) bool { return p.call == u })
	if i < 0 {
		return
	}
	p := q.polls.list[i]
	p.to, p.at, p.line = len(q.polls.held), s.at, e.Line
	switch {
	case refused:
		q.polls.list = slices.Delete(q.polls.list, i, i+1)
	case u.n >= 0 && len(e.Results) > u.n:
		s.tells(q.group, breach.NoRoom(u.fn, q.name, len(e.Results), int64(u.n)), 0)
		p.results = e.Results
	default:
		s.seen[aPoll]++
		p.results, p.bounds = e.Results, s.bounds()
		q.checkHeld(len(e.Results))
		s.metByPoll(len(p.results), u.n)
	}
	if slices.ContainsFunc(q.polls.list, func(p *poll) bool { return p.to < 0 }) {
		p.results, p.bounds = slices.Clone(p.results), slices.Clone(p.bounds)
		return
	}
	q.release()
	s.learnOwed(q)
	s.findUncalled(e.Line)
}

// endPolls assumes that the polls which have not returned took nothing. Where others returned meanwhile, they may have taken what is missing
// there.
func (q *cq) endPolls() {
	if len(q.polls.list) > 0 {
		q.polls.list = slices.DeleteFunc(q.polls.list, func(p *poll) bool { return p.to < 0 })
		if len(q.polls.list) > 0 {
			q.unclear("polls of %s overlap of which one never returned, and what that took " + verdict.NotFollowed)
		}
		q.release()
	}
}

// release handles the events that were held back while polls were outstanding.
func (q *cq) release() {
	polls, held := q.polls.list, q.polls.held
	alone := len(polls) == 1 && len(held) == 0
	defer q.vanishClosing()
	q.polls.list, q.polls.held = q.polls.list[:0], nil
	if q.stopped() {
		q.mayHaveFetched(polls)
		q.fetched(polls)
		return
	}
	pending, room := q.pending, q.roomNow()
	if !alone {
		inQueueOrder(q.s, polls)
	}
	for _, p := range polls {
		p.delivered = p.delivered[:0]
		for i := range p.results {
			if q.stopped() {
				return
			}
			p.delivered = q.s.delivered(p.delivered, q, p, i)
		}
		if q.stopped() {
			return
		}
		if p.foundNothing() {
			q.hasVanished(p.call.call, nil)
			later := p.rested > q.emptyAtRest && !q.mayNotShow(p.rested)
			if q.emptied = max(q.emptied, p.call.call); later {
				q.emptyAtRest = p.rested
			}
			q.unshown = p.rested
			empty := observation{what: foundNothing, at: p.at, pending: pending, room: room}
			if q.owed > 0 && q.failed.at == 0 && !(alone && q.overflowExplains(empty)) {
				q.missing(p)
				q.group.root().without = nil
			}
			p.delivered = append(p.delivered, observation{what: foundNothing})
			q.forgetClosed(p)
			if later {
				if alone {
					q.settle(p)
				}
			}
		}
		if n := len(p.results); q.s.dialect.A7 == model.A7MustNot && 0 < n && n < p.call.n {
			p.delivered = append(p.delivered, observation{what: foundNothing, n: n})
		}
		for i := range p.delivered {
			p.delivered[i].at, p.delivered[i].line, p.delivered[i].pending = p.at, p.line, -1
			p.delivered[i].room = p.room(i, room)
		}
	}
	if q.stopped() {
		return
	}
	defer func() {
		if q.shows != nil && q.queue.MayBeEmpty() {
			q.shows = nil
		}
	}()
	if alone {
		p := polls[0]
		for i := range p.delivered {
			e := &p.delivered[i]
			if i == 0 {
				e.pending = pending
			}
			if !q.show(q.queue, e) {
				q.died(q.queue, e)
			}
			q.mayBeUnread(e)
		}
		q.noticeOverflow()
		q.reuse(p)
		return
	}
	q.interleave(polls, append(held, observation{what: nothing, at: q.s.at, line: q.s.line(), pending: pending, room: room}))
	q.noticeOverflow()
}

// reuse recycles a poll to which nothing refers any more.
func (q *cq) reuse(p *poll) {
	q.s.open.reuse(p.call)
	*p = poll{delivered: p.delivered[:0]}
	q.polls.spare = append(q.polls.spare[:0], p)
}

// interleave lets each poll have its effect at each place between its call and its return.
func (q *cq) interleave(polls []*poll, held []observation) {
	if len(polls) > 4 {
		q.unclear("more polls of %s are under way at a time than this engine follows")
		return
	}
	q.deadEnd.of = nil
	done := map[uint]*automaton.Queue{0: q.queue} // by the polls that have had their effect, a bit each
	for at := 0; ; at++ {
		for _, set := range slices.Sorted(maps.Keys(done)) {
			q.takeEffect(done, set, polls, held, at)
		}
		for i, p := range polls {
			if p.to <= at {
				maps.DeleteFunc(done, func(set uint, _ *automaton.Queue) bool { return set>>i&1 == 0 })
			}
		}
		if len(done) == 0 {
			q.pollDied(polls)
			q.goOn(polls, q.deadEnd.with, held[at:])
			return
		}
		if at == len(held)-1 {
			break // nothing comes after the last
		}
		var last *automaton.Queue
		var set uint
		for _, set = range slices.Sorted(maps.Keys(done)) {
			e := held[at]
			for i, p := range polls {
				if set>>i&1 == 1 {
					e.pending -= p.taken()
					p.leaves(&e)
				}
			}
			if last = done[set]; !q.show(last, &e) {
				delete(done, set)
			}
		}
		if len(done) == 0 {
			q.died(last, &held[at])
			q.goOn(polls, set, held[at+1:])
			return
		}
	}
	q.queue = done[1<<len(polls)-1]
}

// pollDied reports that nothing explains what polls returned.
func (q *cq) pollDied(polls []*poll) {
	if q.deadEnd.of == nil {
		p := polls[len(polls)-1]
		q.deadEnd.of, q.deadEnd.queue, q.deadEnd.with = &observation{what: foundNothing, at: p.at, line: p.line}, q.queue, 0
	}
	q.died(q.deadEnd.queue, q.deadEnd.of)
}

// takeEffect lets the polls take effect, in every order, that have not done so in a set and can by now.
func (q *cq) takeEffect(done map[uint]*automaton.Queue, set uint, polls []*poll, held []observation, at int) {
	for i, p := range polls {
		if set>>i&1 == 1 || p.from > at {
			continue
		}
		slot, pending := min(p.at, held[at].at), held[at].pending
		for j, other := range polls {
			if set>>j&1 == 1 {
				pending -= other.taken()
			}
		}
		if slices.ContainsFunc(p.delivered, func(e observation) bool { return e.from >= slot && e.what == delivered }) {
			continue
		}
		a := done[set].Clone()
		alive := true
		for j, e := range p.delivered {
			if e.at, e.room = slot, p.room(j, held[at].room); j == 0 {
				e.pending = pending
			}
			if alive = q.show(a, &e); !alive {
				q.deadEnd.of, q.deadEnd.queue, q.deadEnd.with = &e, a, set|1<<i
				break
			}
		}
		if !alive {
			continue
		}
		with := set | 1<<i
		if other := done[with]; other != nil {
			a.Join(other)
		}
		done[with] = a
		q.takeEffect(done, with, polls, held, at)
	}
}

// room returns what is known of the room in the CQ before the i'th observation of the poll, of what was before the first: all that it delivers leaves
// the CQ at once.
func (p *poll) room(i, before int) int {
	takes := func(e observation) bool { return e.what == delivered || e.what == foundNothing }
	if before != automaton.NotFollowed && slices.ContainsFunc(p.delivered[:i], takes) {
		return automaton.HasRoom
	}
	return before
}

// taken counts the requests that are pending no more once the poll has had its effect.
func (p *poll) taken() int {
	n := 0
	for _, e := range p.delivered {
		if e.what == gone || e.what == delivered && !e.known {
			n++
		}
	}
	return n
}

// leaves handles a poll that took effect before e, a moment of rest: what the poll delivered is not owed any more.
func (p *poll) leaves(e *observation) {
	if e.what != restful {
		return
	}
	for i := range p.delivered {
		d := &p.delivered[i]
		if d.what != delivered && d.what != gone {
			continue
		}
		if at := slices.Index(e.list, uint64(d.request.called)); at >= 0 {
			e.list = slices.Delete(slices.Clone(e.list), at, at+1)
		} else if d.request.rested == e.at && e.n > 0 {
			e.n--
		}
	}
}

// inQueueOrder puts polls that were under way together in the order in which their completions were posted, where they are
// of one queue. It may be known of two, and not of a third between them, so this is not an order to sort by.
func inQueueOrder(s *Stream, polls []*poll) {
	for i := range polls {
		rest := polls[i:]
		isFirst := func(p *poll) bool {
			return !slices.ContainsFunc(rest, func(o *poll) bool { return o != p && s.isBefore(o, p) })
		}
		first := max(0, slices.IndexFunc(rest, isFirst))
		p := rest[first]
		copy(rest[1:first+1], rest[:first])
		rest[0] = p
	}
}

// isBefore reports whether a delivered something that was posted before what b delivered of the same queue. What posts that overlap have posted
// has no order, and decides nothing where something else does.
func (s *Stream) isBefore(a, b *poll) bool {
	either := 0
	for i := range a.results {
		r := s.request(a.call.cq, a.results[i].Wr)
		for j := range b.results {
			o := s.request(b.call.cq, b.results[j].Wr)
			switch {
			case r == nil || o == nil || r.wq != o.wq || r == o:
			case r.position < o.position && r.overlaps(o), r.position > o.position && o.overlaps(r):
				either = cmp.Or(either, cmp.Compare(r.position, o.position))
			default:
				return r.position < o.position
			}
		}
	}
	return either < 0
}

// A poll is one that is under way, or that waits for another one.
type poll struct {
	call      *underWay
	rested    eventIndex // the latest moment of rest before the call
	emptied   eventIndex // the call of the latest poll that had returned by then and found nothing
	from      int        // of the held observations, how many came before the call
	to        int        // of the held observations, how many came before the return; -1 while there is none
	at        eventIndex
	line      int
	results   []trace.Result
	bounds    []clauses.Bounds // of each result: when it was placed
	delivered []observation
}
