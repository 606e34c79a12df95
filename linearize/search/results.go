package search

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// What a result says of itself needs no search: it is held against the post that it answers.

// deliver finds, for every result of every poll, the request that it is of.
func (h *history) deliver() {
	for _, q := range h.cqs {
		for _, poll := range q.polls {
			if poll.end == nil {
				continue
			}
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
	}
}

// checkPoll holds the number of results against the room (POLL-02).
func (h *history) checkPoll(q *cq, poll *span) {
	h.exercised(declared.By(declared.Poll)...)
	if room := poll.begin.N; room != nil && int64(len(poll.end.Results)) > *room {
		h.provider("POLL-02", poll.ret, nil, "%s of %s returned %d completions into room for %d",
			poll.fn, q.name, len(poll.end.Results), *room)
	}
}

// checkResult holds a result against the request that it names. It returns false when the result is of no request that
// could have completed here.
func (h *history) checkResult(q *cq, r *request, d *delivery) bool {
	at, wr := d.poll.ret, d.result.Wr
	h.exercised(declared.By(declared.Told)...)
	if r == nil && h.shared[wr] {
		q.leaveOpen(verdict.PostedOnShared(wr, h.dialect.Name))
		return false
	}
	if r == nil && q.created == nil {
		return false // it may have been posted before the trace began
	}
	if r == nil {
		h.provider("POLL-05", at, nil, "%s delivered a completion of %s, and no request of that name was posted", q.name, wr)
		return false
	}
	see := []*span{r.post}
	home := r.qp.cq(r.queue)
	switch {
	case !r.accepted:
		h.provider("DEF-03", at, see, "%s delivered a completion of %s, and the post of %s had returned %s",
			q.name, wr, wr, r.post.answer())
		return false
	case r.post.call > at:
		h.provider("POLL-05", at, see, "%s delivered a completion of %s before %s was posted", q.name, wr, wr)
		return false
	case r.delivery != nil:
		h.exercised("POLL-04")
		h.provider("POLL-04", at, []*span{r.post, r.delivery.poll}, "%s delivered the completion of %s a second time", q.name, wr)
		return false
	case home != nil && home != q:
		h.provider("POLL-05", at, see, "%s delivered the completion of %s, which completes into %s", q.name, wr, home.name)
		return false
	case d.result.Qp != "" && d.result.Qp != r.qp.name:
		h.provider("POLL-05", at, see, "the completion of %s names %s, and it was posted on %s", wr, d.result.Qp, r.qp.name)
	}
	if r.point != nil && at < r.point.call {
		h.provider("POLL-04", r.point.call, []*span{r.post, d.poll}, "the completion of %s was placed in %s, and a poll had delivered it", wr, q.name)
		r.point = nil
	}
	if r.point != nil && d.outcome != r.outcome {
		h.provider("POLL-05", at, []*span{r.post, r.point}, "%s delivered %s with %s, and its completion was placed with %s",
			q.name, wr, d.result.Status, r.point.begin.Status)
	}
	if h.early[wr] {
		h.provider("DEF-03", r.post.ret, []*span{r.post, d.poll}, "%s of %s returned %s, and %s had delivered its completion before",
			r.post.fn, wr, r.post.answer(), q.name)
	}
	h.exercised(declared.By(declared.ToldOfRequest)...)
	if r.silent {
		h.exercised("FLAG-01")
		if d.outcome == model.SUCCESS && r.point == nil {
			h.provider("FLAG-01", at, see, "%s was posted with SILENT_SUCCESS, succeeded, and has a completion all the same", wr)
			r.silent = false // what follows of it does not follow from another breach
		}
	}
	return true
}

// checkPlaced holds a point, which says that a completion was placed, against the request that it names. It returns false when
// that is no request that could have completed here.
func (h *history) checkPlaced(q *cq, r *request, s *span) bool {
	wr := s.begin.Wr
	if r == nil && (h.shared[wr] || q.created == nil) {
		return false
	}
	h.exercised(declared.By(declared.Told)...)
	if r == nil {
		h.provider("POLL-05", s.call, nil, "a completion of %s was placed in %s, and no request of that name had been posted", wr, q.name)
		return false
	}
	see := []*span{r.post}
	home := r.qp.cq(r.queue)
	switch {
	case !r.accepted:
		h.provider("DEF-03", max(s.call, r.post.ret), []*span{r.post, s}, "a completion of %s was placed in %s, and the post of %s returned %s",
			wr, q.name, wr, r.post.answer())
		return false
	case r.point != nil:
		h.exercised("POLL-04")
		h.provider("POLL-04", s.call, []*span{r.post, r.point}, "the completion of %s was placed in %s a second time", wr, q.name)
		return false
	case home != nil && home != q:
		h.provider("POLL-05", s.call, see, "the completion of %s was placed in %s, and it completes into %s", wr, q.name, home.name)
		return false
	}
	h.exercised(declared.By(declared.ToldOfRequest)...)
	if r.silent {
		h.exercised("FLAG-01")
		if calls.OutcomeOf(s.begin.Status) == model.SUCCESS {
			h.provider("FLAG-01", s.call, see, "%s was posted with SILENT_SUCCESS, succeeded, and a completion was placed all the same", wr)
			r.silent = false
		}
	}
	if closed := h.doneAt(r.qp.closed); r.post.call < closed && closed < s.call {
		h.provider("LIFE-07", closed, []*span{r.post, s}, "the close of %s completed while %s was pending: its completion was placed in %s afterwards",
			r.qp.name, wr, q.name)
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

// checkMessage compares what the completion of a receive says with the send that it took, or that is like it, and with the length of the message,
// which may be one of the constants of package monitor.
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
	half := func(r *request) monitor.Half {
		return monitor.Half{Wr: r.wr, Op: r.op, Token: r.token, Bytes: r.bytes()}
	}
	return &monitor.Delivery{Dialect: h.dialect, Send: half(m), Receive: half(r), Result: r.delivery.result}
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

// checkUnnamed holds the receives of p of which it is not known which message they took against all that the peer had sent by then (RES-02, RES-03).
func (h *history) checkUnnamed(p *qp) {
	if p.peer.created == nil {
		return
	}
	for _, r := range p.receive {
		d := r.delivery
		if d == nil || failed(r) || r.message != nil || r.arrived != nil || r.like != nil {
			continue
		}
		switch sent := p.peer.sentBy(d.poll.ret); {
		case d.result.Type == "ReceiveAndInvalidate" && sent.names == 0:
			h.provider("RES-02", d.poll.ret, []*span{r.post},
				"the completion of %s has type %s, and no message of its peer names a token: it is Receive", r.wr, d.result.Type)
		case d.result.Type == "Receive" && sent.names == sent.all && sent.all > 0:
			h.provider("RES-02", d.poll.ret, []*span{r.post},
				"the completion of %s has type %s, and each message of its peer names a token: it is ReceiveAndInvalidate", r.wr, d.result.Type)
		case d.result.Type == "ReceiveAndInvalidate" && d.result.Token != nil && !sent.anyToken && !slices.Contains(sent.tokens, *d.result.Token):
			h.provider("RES-03", d.poll.ret, []*span{r.post},
				"%s names the invalidated token %d, and no message of its peer does", r.wr, *d.result.Token)
		}
	}
}

// sentMessages says what messages a QP had sent.
type sentMessages struct {
	all, names int // those that name a token
	tokens     []uint32
	anyToken   bool // the trace does not record the token of one
}

// sentBy returns what messages p had sent by a moment.
func (p *qp) sentBy(at moment) (sent sentMessages) {
	for _, s := range p.sends {
		if s.post.call >= at {
			continue
		}
		if sent.all++; s.op != model.SendAndInvalidate {
			continue
		}
		if sent.names++; s.token == nil {
			sent.anyToken = true
		} else {
			sent.tokens = append(sent.tokens, *s.token)
		}
	}
	return sent
}

// checkPoints holds the order in which points place the completions of a queue against that of their posts (POLL-09).
func (h *history) checkPoints(requests []*request) {
	var first *request // of those behind, the one that was placed first
	for _, r := range slices.Backward(requests) {
		if r.point == nil {
			continue
		}
		if first != nil && first.point.call < r.point.call {
			h.providerInOrder(r.doubt(), "POLL-09", first.point.call, []*span{r.post, first.post, r.point},
				"the completion of %s was placed before that of %s, which was posted before it on the same queue of %s", first.wr, r.wr, r.qp.name)
			continue
		}
		first = r
	}
}

// checkOrder holds the order in which the completions of a queue were delivered against that of their posts (POLL-09).
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
				h.providerInOrder(r.doubt(), "POLL-09", r.delivery.poll.ret, []*span{r.post, before.post},
					"%s delivered %s after %s, and it was posted before it on the same queue of %s", q.name, r.wr, before.wr, r.qp.name)
				continue
			}
			last[l] = r
		}
	}
}
