package monitor

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A notice is what is known of a request as far as callbacks are concerned: when its completion can have been placed, and what an arm can tell of it.
// Its moments are indices of events, or -1.
type notice struct {
	placed     int // the point that shows when it completed
	done       int // the return of the poll that delivered it
	doneLine   int
	emptyUntil int // the call of the latest poll that found its CQ empty before it was delivered
	from       int // of a receive that succeeded: the post of its message
	reported   int // the callback that can only have been for it: it had come before that
	status     string
	known      int64 // by when it was known to have completed, by the clock of the trace, or 0
	solicits   bool
	solicited  bool
}

// notifications is what is remembered of a CQ.
type notifications struct {
	name     string
	present  period
	previous period          // before the latest callback
	queues   []*requestQueue // that complete into it
	armed    bool            // it was, at some time
	empty    int             // the call of the latest poll that found nothing, or -1
}

// A period is the time between two callbacks of a CQ.
type period struct {
	from, to  int // from the entry of one to that of the next; to is -1 while there is none
	arms      []arm
	delivered []*workRequest // since the first of the arms, and up to the first of the next period
	dropped   []*workRequest // that were outstanding when their QP was closed, or reset
}

// An arm is a call of NdkArmCq that was not refused.
type arm struct {
	called, returned int // returned is -1 while it has not
	line             int
	kind             model.Arm
	t                int64 // of its return, by the clock of the trace
}

// The bounds of what is remembered: in a period, of the messages of a queue pair, of the moments of rest.
const (
	maxArms       = 8
	maxCandidates = 64
	maxMessages   = 1 << 12
	maxRests      = 1 << 12
)

func newPeriod(from int) period { return period{from: from, to: -1} }

// again returns a new period that reuses the memory of p. p is not used any more.
func (p *period) again(from int) period {
	clear(p.delivered)
	clear(p.dropped)
	return period{from: from, to: -1, arms: p.arms[:0], delivered: p.delivered[:0], dropped: p.dropped[:0]}
}

// armings follows arms and callbacks, and what they can tell of requests, so that it can be said which rule a missing callback breaks.
type armings struct {
	nothing
	noRequest
	s     *requests
	cqs   named[notifications]
	over  []string // CQs that are closed, and remembered for a while
	rests []restAt // the latest
}

// restAt is a moment of rest.
type restAt struct{ index, line int }

func newArmings(m *Monitor) checks {
	a := &armings{s: m.requests, cqs: newNamed[notifications]()}
	m.armings = a
	return a
}

func (a *armings) cq(name string) *notifications {
	q := a.cqs.get(name)
	if q == nil {
		q = &notifications{name: name, present: newPeriod(-1), previous: newPeriod(-1), empty: -1}
		a.cqs.put(name, q)
	}
	return q
}

func (a *armings) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.CreateQp:
		p := a.s.qp(e.Qp)
		for _, q := range []*requestQueue{p.initiator, p.receive} {
			a.cq(q.cq).queues = append(a.cq(q.cq).queues, q)
		}
	case calls.ArmCq:
		if kind, ok := calls.ArmOf(e); ok {
			a.cq(e.Cq).arm(arm{called: c.Begun.Index, returned: -1, line: e.Line, kind: kind})
		}
	case calls.Callback:
		a.cq(e.Cq).entered(c.Begun.Index)
	case calls.FlushQp, calls.CloseQp:
		if p := a.s.qps.get(e.Qp); p != nil {
			p.ends(c.Begun.Index)
		}
	}
}

// ends records an event that may have ended the connection of a queue pair, or nothing of nil.
func (p *qpArguments) ends(at int) {
	if p != nil && p.ended < 0 {
		p.ended = at
	}
}

// rest remembers a moment of rest.
func (a *armings) rest() {
	if a.rests = append(a.rests, restAt{a.s.m.now.Index, a.s.m.now.Line}); len(a.rests) > maxRests {
		a.rests = slices.Delete(a.rests, 0, maxRests/2)
	}
}

// arm adds one. Of many the last gives way.
func (q *notifications) arm(a arm) {
	q.armed = true
	if q.present.arms = append(q.present.arms, a); len(q.present.arms) > maxArms {
		q.present.arms = slices.Delete(q.present.arms, maxArms-2, maxArms-1)
	}
}

func (q *notifications) entered(at int) {
	if r := q.onlyCause(); r != nil {
		r.reported = at
	}
	q.present.to = at
	q.previous, q.present = q.present, q.previous.again(at)
	for _, a := range q.previous.arms {
		if a.returned < 0 {
			q.present.arms = append(q.present.arms, a) // it may take effect only now
		}
	}
}

// onlyCause returns the request that a callback is for which is entered now, where there is only one that it can be for, or nil.
func (q *notifications) onlyCause() *workRequest {
	var only *workRequest
	if len(q.present.delivered)+len(q.present.dropped) > 0 {
		return nil
	}
	for _, l := range q.queues {
		first := l.requests.next
		switch {
		case first == &l.requests:
		case only != nil || first.next != &l.requests:
			return nil
		default:
			only = first
		}
	}
	return only
}

// called records what a request can tell, and the message that it sends.
func (a *armings) called(r *workRequest, c *Call, flags []string) {
	r.notice = notice{placed: -1, done: -1, emptyUntil: -1, from: -1, reported: -1}
	if r.op == model.ReceiveOp {
		return
	}
	r.solicits = slices.Contains(flags, "SEND_AND_SOLICIT_EVENT") || c.Verbs && calls.HasVerbsFlag(flags, "SOLICITED")
	if p := r.queue.qp; r.op.IsSend() && p.conn != "" && len(p.sent) < maxMessages {
		p.sent = append(p.sent, r)
	}
}

// answered removes the messages that a post did not accept.
func (a *armings) answered(p *posting, refused bool) {
	if q := p.queue.qp; refused && q != nil {
		q.sent = slices.DeleteFunc(q.sent, func(r *workRequest) bool { return r.over && r.done < 0 && slices.Contains(p.requests, r) })
	}
}

func (a *armings) end(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.ArmCq:
		a.armReturned(a.cq(c.Cq), c.Begun.Index, calls.IsRefusal(c.Verbs, e))
	case calls.PollCq:
		if len(e.Results) == 0 && !c.noRoom && !calls.IsRefusal(c.Verbs, e) {
			q := a.cq(c.Cq)
			q.empty = max(q.empty, c.Begun.Index)
		}
	case calls.ReadEvent:
		if e.Cq != "" {
			a.cq(e.Cq).entered(a.s.m.now.Index)
		}
	case calls.CloseCq:
		if !calls.IsRefusal(c.Verbs, e) {
			a.closeCq(c.Cq)
		}
	}
}

func (a *armings) armReturned(q *notifications, called int, refused bool) {
	for _, p := range []*period{&q.present, &q.previous} {
		if i := slices.IndexFunc(p.arms, func(a arm) bool { return a.called == called }); i >= 0 {
			p.arms[i].t = a.s.m.t
			if p.arms[i].returned = a.s.m.now.Index; refused {
				p.arms = slices.Delete(p.arms, i, i+1)
			}
		}
	}
}

// completed records that a poll delivers a request.
func (a *armings) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.queue.qp == nil || !r.queue.qp.created {
		return
	}
	q := a.cq(c.Cq)
	r.done, r.doneLine, r.status, r.emptyUntil = a.s.m.now.Index, a.s.m.now.Line, result.Status, q.empty
	if r.known == 0 {
		r.known = a.s.m.t
	}
	a.tell(r)
	p := &q.present
	if len(p.arms) == 0 && a.s.m.dialect.A25 != model.A25Yes {
		p = &q.previous // a callback may have been missing for it before the one that came
	}
	if (len(p.arms) > 0 || p == &q.present) && len(p.delivered) < maxCandidates {
		p.delivered = append(p.delivered, r)
	}
}

// tell pairs a receive that succeeded with the message that it took, and forgets one that failed.
func (a *armings) tell(r *workRequest) {
	p, peer := r.queue.qp, r.queue.qp.peer
	switch {
	case calls.OutcomeOf(r.status) != model.SUCCESS:
		p.ends(a.s.m.now.Index)
		peer.ends(a.s.m.now.Index)
		if r.op.IsSend() {
			p.sent = slices.DeleteFunc(p.sent, func(s *workRequest) bool { return s == r })
		}
	case r.queue.kind == model.Receive && peer != nil && len(peer.sent) > 0:
		r.from, r.solicited = peer.sent[0].place.Index, peer.sent[0].solicits
		peer.sent = peer.sent[1:]
	}
}

func (a *armings) point(e *trace.Event) {
	if calls.KindOf(e) != calls.Placed {
		return
	}
	if r := a.s.byWr[e.Wr]; r != nil && r.placed < 0 {
		r.placed, r.status, r.known = a.s.m.now.Index, e.Status, a.s.m.t
		if e.Solicited != nil {
			r.solicited = *e.Solicited
		}
	}
}

// dropped remembers what is outstanding on a queue pair that is closed, or reset. It may have been placed all the same.
func (a *armings) dropped(p *qpArguments, closed bool) {
	for _, q := range []*requestQueue{p.initiator, p.receive} {
		cq := a.cqs.get(q.cq)
		if cq == nil {
			continue
		}
		cq.present.dropped = append(cq.present.dropped, q.oldest(maxCandidates-len(cq.present.dropped))...)
		if closed {
			cq.queues = slices.DeleteFunc(cq.queues, func(other *requestQueue) bool { return other == q })
		}
	}
}

// closeCq forgets a CQ after some others are closed.
func (a *armings) closeCq(name string) {
	if a.over = append(a.over, name); len(a.over) > maxCandidates {
		a.cqs.remove(a.over[0])
		a.over = slices.Delete(a.over, 0, 1)
	}
}
