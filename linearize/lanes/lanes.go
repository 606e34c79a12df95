// Package lanes sorts the receives of shared receive queues into lanes. The receives of a lane complete into one CQ, and in the order of their posts. So an
// engine can take a lane for the receive queue of a queue pair of its own, which is always connected and has no other end.
//
// Such an engine does not follow which message a receive took. That needs no more than boundary events, and package monitor decides it.
package lanes

import (
	"fmt"
	"math"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Lane is receives of one shared receive queue.
type Lane struct {
	Name      string
	Srq, Cq   string
	Creation  *trace.Event    // the call that creates the first queue pair that takes receives of the queue, and completes them into the CQ
	Wrs       map[string]bool // the receives
	Cancelled bool            // it has one receive, which was cancelled
	Left      bool            // no poll delivers its receives
	Told      int             // how many callbacks and events of the CQ some of them may explain
	Closes    string          // the op of the call that closes the only queue pair that can take them, or "": what completed may vanish with that
	Vanishes  bool            // a callback or an event may have been for what vanished so
}

// Lanes are those of a trace.
type Lanes struct {
	All  []*Lane
	Open map[string]bool // the CQs of which this package can't say in which order the receives completed, or whether some have vanished, or where points tell more
}

// maxLanes bounds the lanes of one shared receive queue and one CQ. If there were more, there are none, and the CQ is open.
const maxLanes = 16

// sorter reads the events of a trace.
type sorter struct {
	lanes    Lanes
	queues   map[string]*queue
	order    []*queue
	receives map[string]*receive
	posts    map[string]int          // by request: the number of the event that posts it
	creating map[string]*trace.Event // by op: calls that create a queue pair with a shared receive queue
	takers   map[string]*taker       // by queue pair
	events   int
	cqs      map[string]*cq
	polling  map[string]*poll  // by op
	closing  map[string]*taker // by op: of a queue pair that is being closed
}

// queue is a shared receive queue.
type queue struct {
	name     string
	into     []*trace.Event // the first creation for each CQ
	takers   []*taker
	receives []*receive
}

// A taker is a queue pair that takes receives of a shared receive queue.
type taker struct {
	queue  *queue
	cq     string
	closes string // the op of the call that closes it, or ""
	closed int    // the number of that event
	done   int    // the number of the event by which it was closed, or 0
}

type receive struct {
	wr       string
	posted   int // the number of the event
	queue    *queue
	index    int // in its queue
	cq       string
	outcome  model.Outcome
	answered bool
}

// cq is what matters of a CQ.
type cq struct {
	delivered []*receive // of shared receive queues, in order
	polls     int        // under way
	delivers  bool       // one of those that are or were under way together has delivered such a receive, in this stretch
	told      int        // callbacks that were entered, and events that were read
	notes     []int      // the numbers of those events that no delivered completion need have caused
	closed    bool       // a queue pair that takes such receives was to be closed
	points    bool       // a point tells when such a receive was placed
	doubtful  bool       // one of these may have been for what vanished with that queue pair
}

// A poll is one that is under way, and the number of its call.
type poll struct {
	cq     string
	called int
}

// Of returns the lanes of a trace.
func Of(t *trace.Trace) Lanes {
	s := &sorter{queues: map[string]*queue{}, receives: map[string]*receive{}, posts: map[string]int{}, creating: map[string]*trace.Event{}, takers: map[string]*taker{},
		cqs: map[string]*cq{}, polling: map[string]*poll{}, closing: map[string]*taker{}}
	s.lanes.Open = map[string]bool{}
	for i := range t.Events {
		s.read(&t.Events[i])
	}
	if len(s.receives) == 0 {
		return Lanes{}
	}
	for _, q := range s.order {
		for _, creation := range q.into {
			s.sort(q, creation)
		}
	}
	return s.lanes
}

func (s *sorter) read(e *trace.Event) {
	kind := calls.KindOf(e)
	s.events++
	if e.Ph == trace.Call && (kind == calls.Post || kind == calls.PostShared) {
		s.posts[e.Wr] = s.events
		for i := range e.Wrs {
			s.posts[e.Wrs[i].Wr] = s.events
		}
	}
	switch {
	case e.Ph == trace.Call && kind == calls.CreateQp && e.Srq != "":
		s.creating[e.Op] = e
	case e.Ph == trace.Ret && s.creating[e.Op] != nil:
		s.created(s.creating[e.Op], e)
		delete(s.creating, e.Op)
	case e.Ph == trace.Call && kind == calls.PostShared:
		s.posted(e)
	case kind == calls.PollCq:
		s.polled(e)
	case e.Ph == trace.Enter && kind == calls.Callback, e.Ph == trace.Ret && kind == calls.ReadEvent && e.Cq != "":
		q := s.cq(e.Cq)
		q.told++
		q.notes = append(q.notes, s.events)
	case kind == calls.CloseDone && s.closing[e.For] != nil:
		s.closing[e.For].done = s.events
		delete(s.closing, e.For)
	case kind == calls.Placed && s.receives[e.Wr] != nil:
		s.cq(e.Cq).points = true
	case kind == calls.CloseQp:
		s.closes(e)
	}
}

func (s *sorter) cq(name string) *cq {
	if s.cqs[name] == nil {
		s.cqs[name] = &cq{}
	}
	return s.cqs[name]
}

func (s *sorter) queue(name string) *queue {
	q := s.queues[name]
	if q == nil {
		q = &queue{name: name}
		s.queues[name], s.order = q, append(s.order, q)
	}
	return q
}

// created records a queue pair that takes receives of a shared receive queue.
func (s *sorter) created(call, ret *trace.Event) {
	if calls.IsRefusal(calls.FunctionOf(call).Verbs, ret) {
		return
	}
	q := s.queue(call.Srq)
	s.takers[call.Qp] = &taker{queue: q, cq: call.ReceiveCq}
	q.takers = append(q.takers, s.takers[call.Qp])
	if !slices.ContainsFunc(q.into, func(e *trace.Event) bool { return e.ReceiveCq == call.ReceiveCq }) {
		q.into = append(q.into, call)
	}
}

// posted records receives of a shared receive queue.
func (s *sorter) posted(e *trace.Event) {
	q := s.queue(e.Srq)
	add := func(wr string) {
		if s.receives[wr] == nil {
			s.receives[wr] = &receive{wr: wr, posted: s.events, queue: q, index: len(q.receives)}
			q.receives = append(q.receives, s.receives[wr])
		}
	}
	if len(e.Wrs) == 0 {
		add(e.Wr)
	}
	for i := range e.Wrs {
		add(e.Wrs[i].Wr)
	}
}

// polled reads a call that polls a CQ, or its return. Where two that deliver such receives overlap, their order is not known.
func (s *sorter) polled(e *trace.Event) {
	if e.Ph == trace.Call {
		q := s.cq(e.Cq)
		if q.polls == 0 {
			q.delivers = false
		}
		q.polls++
		s.polling[e.Op] = &poll{e.Cq, s.events}
		return
	}
	p := s.polling[e.Op]
	if p == nil {
		return
	}
	delete(s.polling, e.Op)
	name, q, delivers := p.cq, s.cq(p.cq), false
	for i := range e.Results {
		r := s.receives[e.Results[i].Wr]
		if r == nil || r.answered {
			continue
		}
		r.answered, r.cq, r.outcome = true, name, calls.OutcomeOf(e.Results[i].Status)
		q.delivered, delivers = append(q.delivered, r), true
	}
	s.lanes.Open[name] = s.lanes.Open[name] || delivers && q.delivers
	q.delivers = q.delivers || delivers
	q.explain(s.posts, e.Results, p.called)
	q.polls--
}

// explain looks at what a poll delivered that was called at an event: each completion may be what the oldest callback was for that came after its post. If it
// was posted later, or the poll found nothing, what a callback was for may have vanished.
func (q *cq) explain(posts map[string]int, results []trace.Result, called int) {
	for i := range results {
		if len(q.notes) == 0 {
			return
		}
		q.doubtful = q.doubtful || q.closed && posts[results[i].Wr] > q.notes[0]
		q.notes = q.notes[1:]
	}
	for len(results) == 0 && len(q.notes) > 0 && q.notes[0] < called {
		q.doubtful, q.notes = q.doubtful || q.closed, q.notes[1:]
	}
}

// closes reads the close of a queue pair, or its return. What was told by then, or is told later, may have vanished with it (A21): a consumer may take down
// a callback late.
func (s *sorter) closes(e *trace.Event) {
	if e.Ph == trace.Call {
		if t := s.takers[e.Qp]; t != nil && t.closes == "" {
			t.closes, t.closed, s.closing[e.Op] = e.Op, s.events, t
			q := s.cq(t.cq)
			q.closed = true
		}
		return
	}
	t := s.closing[e.Op]
	switch {
	case t == nil || calls.Pending(e):
		return
	case calls.IsRefusal(calls.FunctionOf(e).Verbs, e):
		t.closes = ""
	default:
		t.done = s.events
	}
	delete(s.closing, e.Op)
}

// only returns the queue pair that alone takes the receives of a queue into a CQ, or nil.
func (of *queue) only(cq string) *taker {
	var only *taker
	for _, t := range of.takers {
		if t.cq != cq {
			continue
		}
		if only != nil {
			return nil
		}
		only = t
	}
	return only
}

// takesUntil returns the number of the event by which all queue pairs were to be closed that take receives of a queue into a CQ.
func (of *queue) takesUntil(cq string) int {
	until := 0
	for _, t := range of.takers {
		if t.cq == cq && t.done == 0 {
			return math.MaxInt
		}
		if t.cq == cq {
			until = max(until, t.done)
		}
	}
	return until
}

// sort makes the lanes of the receives of a queue that complete into one CQ. A receive that failed or was cancelled has one by itself. Those that no poll
// delivered come last.
func (s *sorter) sort(of *queue, creation *trace.Event) {
	q := s.cq(creation.ReceiveCq)
	var last []*receive // of each lane of receives that succeeded
	var all []*Lane
	lane := func() *Lane {
		l := &Lane{Name: fmt.Sprintf("lane %d of %s in %s", len(all)+1, of.name, creation.ReceiveCq), Srq: of.name, Cq: creation.ReceiveCq, Creation: creation, Wrs: map[string]bool{}}
		all = append(all, l)
		return l
	}
	var succeeded []*Lane
	for _, r := range q.delivered {
		if len(all) > maxLanes {
			s.lanes.Open[creation.ReceiveCq] = true
			return
		}
		if r.queue != of {
			continue
		}
		if r.outcome != model.SUCCESS {
			l := lane()
			l.Wrs[r.wr], l.Cancelled = true, r.outcome == model.CANCELLED
			continue
		}
		i := slices.IndexFunc(last, func(before *receive) bool { return before.index < r.index })
		if i < 0 {
			i, last, succeeded = len(last), append(last, r), append(succeeded, lane())
		}
		last[i] = r
		succeeded[i].Wrs[r.wr] = true
	}
	only := of.only(creation.ReceiveCq)
	var left [2]*Lane // posted before the only queue pair was to be closed, and other ones
	for _, r := range of.receives {
		if r.answered {
			continue
		}
		i := 1
		if only != nil && only.closes != "" && r.posted < only.closed {
			i = 0
		}
		if r.posted > of.takesUntil(creation.ReceiveCq) {
			continue
		}
		if left[i] == nil {
			left[i] = lane()
		}
		left[i].Wrs[r.wr], left[i].Left, left[i].Told = true, true, q.told
	}
	if left[0] != nil {
		left[0].Closes, left[0].Vanishes = only.closes, q.doubtful
	}
	if len(all) > maxLanes || left[1] != nil && q.doubtful || q.points {
		s.lanes.Open[creation.ReceiveCq] = true
	}
	s.lanes.All = append(s.lanes.All, all...)
}
