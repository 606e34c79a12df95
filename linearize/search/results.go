package search

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// What a result says of itself needs no search: it is held against the post that it answers.

// deliver finds, for every result of every poll, the request that it is of. Of polls of several CQs the one that returned first comes first, so that what
// delivers a completion again is the later one. Those of one CQ stay in their order.
func (h *history) deliver() {
	type turn struct {
		cq   *cq
		poll *span
		by   moment
	}
	var turns []turn
	for _, q := range h.cqs {
		by := 0
		for _, poll := range q.polls {
			if poll.end != nil {
				by = max(by, poll.ret)
				turns = append(turns, turn{q, poll, by})
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.by, b.by) })
	for _, t := range turns {
		h.deliverPoll(t.cq, t.poll)
	}
}

// deliverPoll does that for one poll of a CQ.
func (h *history) deliverPoll(q *cq, poll *span) {
	h.checkPoll(q, poll)
	for i := range poll.end.Results {
		result := &poll.end.Results[i]
		r := h.byWr[result.Wr]
		d := &delivery{poll: poll, result: result, order: len(q.delivered), outcome: calls.OutcomeOf(result.Status)}
		if h.checkResult(q, r, d) {
			r.delivery, r.told, r.outcome = d, true, d.outcome
			q.delivered = append(q.delivered, r)
		}
	}
}

// checkPoll checks the number of results against the room (POLL-02).
func (h *history) checkPoll(q *cq, poll *span) {
	h.meets(declared.Poll)
	if room := poll.begin.N; room != nil && int64(len(poll.end.Results)) > *room {
		h.reportBreach(breach.NoRoom(poll.fn, q.name, len(poll.end.Results), *room), poll.ret)
	}
}

// checkResult checks a result against the request that it names. It returns false when the result is of no request that
// could have completed here.
func (h *history) checkResult(q *cq, r *request, d *delivery) bool {
	at, wr := d.poll.ret, d.result.Wr
	h.meets(declared.Told)
	if r == nil && h.shared[wr] {
		q.leaveOpen(verdict.PostedOnShared(wr, h.dialect.Name))
		return false
	}
	if r == nil && q.created == nil {
		return false // it may have been posted before the trace began
	}
	if r == nil {
		h.reportBreach(breach.Unposted(q.name, wr), at)
		return false
	}
	home := r.qp.cq(r.queue)
	switch {
	case !r.accepted:
		h.reportBreach(breach.Refused(q.name, wr, r.post.answer()), at, r.post)
		return false
	case r.post.call > at:
		h.reportBreach(breach.Early(q.name, wr), at, r.post)
		return false
	case r.delivery != nil:
		h.reportBreach(breach.Again(q.name, wr), at, r.post, r.delivery.poll)
		return false
	case home != nil && home != q:
		h.reportBreach(breach.Elsewhere(q.name, wr, home.name), at, r.post)
		return false
	case d.result.Qp != "" && d.result.Qp != r.qp.name && r.qp.lane == nil:
		h.reportBreach(breach.OfAnotherQp(wr, d.result.Qp, r.qp.name), at, r.post)
	}
	if r.point != nil && at < r.point.call {
		h.reportBreach(breach.PlacedDelivered(q.name, wr), r.point.call, r.post, d.poll)
		r.point = nil
	}
	if r.point != nil && d.outcome != r.outcome {
		h.reportBreach(breach.Otherwise(q.name, wr, d.result.Status), at, r.post, r.point)
	}
	if h.early[wr] {
		h.reportBreach(breach.RefusedLater(q.name, wr, r.post.fn, r.post.answer()), r.post.ret, r.post, d.poll)
	}
	h.meets(declared.ToldOfRequest)
	if r.silent {
		h.meets(declared.Silent)
		if d.outcome == model.SUCCESS && r.point == nil {
			h.reportBreach(breach.Told(wr), at, r.post)
			r.silent = false // what follows of it does not follow from another breach
		}
	}
	return true
}

// checkPlaced checks a point, which says that a completion was placed, against the request that it names. It returns false when
// that is not a request that could have completed here.
func (h *history) checkPlaced(q *cq, r *request, s *span) bool {
	wr := s.begin.Wr
	if r == nil && (h.shared[wr] || q.created == nil) {
		return false
	}
	h.meets(declared.Told)
	if r == nil {
		h.reportBreach(breach.PlacedUnposted(q.name, wr), s.call)
		return false
	}
	home := r.qp.cq(r.queue)
	switch {
	case !r.accepted:
		h.reportBreach(breach.PlacedRefused(q.name, wr, r.post.answer()), max(s.call, r.post.ret), r.post, s)
		return false
	case r.point != nil:
		h.reportBreach(breach.PlacedAgain(q.name, wr), s.call, r.post, r.point)
		return false
	case home != nil && home != q:
		h.reportBreach(breach.PlacedElsewhere(q.name, wr, home.name), s.call, r.post)
		return false
	}
	h.meets(declared.ToldOfRequest)
	if r.silent {
		h.meets(declared.Silent)
		if calls.OutcomeOf(s.begin.Status) == model.SUCCESS {
			h.reportBreach(breach.PlacedTold(wr), s.call, r.post)
			r.silent = false
		}
	}
	if closed := h.doneAt(r.qp.closed); r.post.call < closed && closed < s.call {
		h.reportBreach(breach.PlacedLate(q.name, r.qp.name, wr), closed, r.post, s)
		h.findings[len(h.findings)-1].shown = s.call
		return false
	}
	return true
}

func (s *span) answer() string {
	if strings.HasPrefix(s.fn, "ibv_") {
		return "errno " + s.end.Errno
	}
	return s.end.Status
}

// checkMessage compares the completion of a receive with the send that it took, or with a send like it, and with the length of the message. The length may
// be one of the constants of package monitor.
func (h *history) checkMessage(r *request, bytes monitor.Length) {
	m := cmp.Or(r.message, r.arrived, r.like)
	d := r.delivery
	if m.post.call > d.poll.ret {
		return
	}
	taken := h.taken(r, m)
	taken.Send.Bytes = bytes
	if breach, broken := taken.Check(h.exercised); broken {
		h.providerInOrder(r.doubt(), breach.Rule, d.poll.ret, []*span{r.post, m.post}, "%s", breach.Message)
	}
	if taken.NamesAnotherToken() {
		m.token = nil // which of the two was invalidated is not known
	}
}

// taken is a receive with the send that it took.
func (h *history) taken(r, m *request) *monitor.Delivery {
	return &monitor.Delivery{Dialect: h.dialect, Send: m.half(), Receive: r.half(), Result: r.delivery.result}
}

func (r *request) half() monitor.Half {
	return monitor.Half{Wr: r.wr, Op: r.op, Token: r.token, Bytes: r.bytes()}
}

// bytes returns how long the data or the buffers of r are.
func (r *request) bytes() monitor.Length {
	e := r.post.begin
	for i := range e.Wrs {
		if e.Wrs[i].Wr == r.wr {
			return monitor.LengthOf(&e.Wrs[i])
		}
	}
	if e.Bytes == nil {
		return monitor.Unknown
	}
	return monitor.Length(*e.Bytes)
}

// checkUnnamed checks the receives of p whose message is not known against the messages that the peer had sent by then (RES-02, RES-03).
func (h *history) checkUnnamed(p *qp) {
	if p.peer.created == nil {
		return
	}
	var left monitor.Unmatched
	sends := p.peer.sends
	for _, r := range p.receive {
		if !r.told || failed(r) {
			continue
		}
		for len(sends) > 0 && sends[0].post.call < r.toldBy() {
			left.Sent(sends[0].half())
			sends = sends[1:]
		}
		if m := cmp.Or(r.message, r.arrived); m != nil {
			left.Passed(m.wr)
			continue
		}
		var result *trace.Result
		if r.delivery != nil {
			result = r.delivery.result
		}
		if b, broken := left.Took(h.dialect, r.half(), result); broken {
			h.reportBreachInOrder(r.doubt(), b, r.toldBy(), r.post)
		}
	}
}

// checkPoints checks the order in which points place the completions of a queue against that of their posts (POLL-09).
func (h *history) checkPoints(requests []*request) {
	var first *request // of those behind, the one that was placed first
	for _, r := range slices.Backward(requests) {
		if r.point == nil {
			continue
		}
		if first != nil && first.point.call < r.point.call {
			h.reportBreachInOrder(r.doubt(), breach.PlacedOutOfOrder(first.wr, r.wr, r.qp.name), first.point.call, r.post, first.post, r.point)
			continue
		}
		first = r
	}
}

// checkOrder checks the order in which the completions of a queue were delivered against that of their posts (POLL-09).
func (h *history) checkOrder() {
	for _, p := range h.qps {
		h.checkPoints(p.initiator)
		h.checkPoints(p.receive)
	}
	type lane struct {
		qp    *qp
		queue model.Queue
	}
	for _, q := range h.cqs {
		last := map[lane]*request{}
		for _, r := range q.delivered {
			l := lane{r.qp, r.queue}
			if before := last[l]; before != nil && before.position > r.position {
				h.reportBreachInOrder(r.doubt(), breach.OutOfOrder(q.name, r.wr, before.wr, r.qp.name), r.delivery.poll.ret, r.post, before.post)
				continue
			}
			last[l] = r
		}
	}
}
