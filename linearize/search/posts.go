package search

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// requestOf returns the request of a post that has one.
func (h *history) requestOf(s *span, op model.Op) *request {
	token := either(s, func(e *trace.Event) *uint32 { return e.Token })
	return &request{wr: s.begin.Wr, qp: h.qp(s.begin.Qp), post: s, accepted: s.succeeded() || !s.returned() || h.early[s.begin.Wr],
		asked: asked{op: op, flags: s.begin.Flags, token: token}}
}

// takePost adds the requests of one post: one in NDKPI, a list in libibverbs, where those before bad_wr are posted.
func (h *history) takePost(p *qp, s *span) {
	if !strings.HasPrefix(s.fn, "ibv_") {
		r := h.requestOf(s, calls.OpOf(s.fn))
		if r.op != model.ReceiveOp { // that takes no flags (POST-11)
			r.silent = slices.Contains(s.begin.Flags, "SILENT_SUCCESS")
			r.solicit = slices.Contains(s.begin.Flags, "SEND_AND_SOLICIT_EVENT")
			r.fence = slices.Contains(s.begin.Flags, "READ_FENCE")
			r.deferred = slices.Contains(s.begin.Flags, "DEFER")
		}
		h.add(r)
		return
	}
	if s.fn == "ibv_bind_mw" {
		h.add(h.requestOf(s, model.Bind))
		return
	}
	if s.returned() && !s.succeeded() && s.end.BadWr == "" && len(s.begin.Wrs) > 1 {
		p.untold = cmp.Or(p.untold, calls.StoppedSomewhere(s.fn))
	}
	signalsAll, stop := h.signalsAll(p), s.stopsAt()
	for i := range s.begin.Wrs {
		w := &s.begin.Wrs[i]
		r := &request{wr: w.Wr, qp: p, post: s, accepted: i < stop || h.early[w.Wr], asked: asked{op: model.ReceiveOp, flags: w.Flags, token: w.Token}}
		if i > stop && !r.accepted {
			h.byWr[r.wr] = r // the provider has not looked at it
			continue
		}
		if s.fn == "ibv_post_send" {
			var unknown string
			r.op, unknown = calls.OpOfRequest(w)
			p.untold = cmp.Or(p.untold, unknown)
			r.silent = !signalsAll && !calls.HasVerbsFlag(w.Flags, "SIGNALED")
			if r.silent {
				p.leaveSilenceInDoubt(s)
			}
			r.solicit = calls.HasVerbsFlag(w.Flags, "SOLICITED")
			r.fence = calls.HasVerbsFlag(w.Flags, "FENCE")
		}
		h.add(r)
	}
}

// stopsAt returns the place in its list at which a post of libibverbs stopped: what comes there and behind it was refused. It is the length of the
// list where none was, or where the trace does not say which.
func (s *span) stopsAt() int {
	list := s.begin.Wrs
	if !s.returned() || s.succeeded() {
		return len(list)
	}
	if i := slices.IndexFunc(list, func(w trace.WorkRequest) bool { return w.Wr == s.end.BadWr }); i >= 0 || len(list) == 1 {
		return max(i, 0)
	}
	return len(list)
}

func (h *history) add(r *request) {
	r.id, r.owed = len(h.requests), never
	h.requests = append(h.requests, r)
	r.post.requests = append(r.post.requests, r)
	if r.op == model.ReceiveOp {
		r.queue = model.Receive
	}
	if _, known := h.byWr[r.wr]; !known {
		h.byWr[r.wr] = r
	}
	if !r.accepted {
		return
	}
	r.position = len(r.qp.queue(r.queue))
	if r.queue == model.Initiator {
		r.qp.initiator = append(r.qp.initiator, r)
		if r.op.IsSend() {
			r.qp.sends = append(r.qp.sends, r)
		}
	} else {
		r.qp.receive = append(r.qp.receive, r)
	}
}

// orderNested puts the requests of each queue in the order in which a provider took them. One that was posted from a callback
// within the post of another may have been taken first: its completion, delivered first, tells (A27).
func (h *history) orderNested() {
	for _, p := range h.qps {
		for _, queue := range [][]*request{p.initiator, p.receive} {
			for i := range queue {
				for ; i > 0 && queue[i].overtakes(queue[i-1]); i-- {
					queue[i-1], queue[i] = queue[i], queue[i-1]
					queue[i-1].position, queue[i].position = i-1, i
				}
			}
		}
		p.sends = slices.DeleteFunc(slices.Clone(p.initiator), func(r *request) bool { return !r.op.IsSend() })
	}
}

// overtakes reports whether r was posted within the post of an earlier request of its queue, and delivered before it.
func (r *request) overtakes(earlier *request) bool {
	return r.delivery != nil && earlier.delivery != nil && r.delivery.order < earlier.delivery.order &&
		r.post.nestsIn(earlier.post)
}

// findEarly finds the requests that were refused after their completion was delivered. When it was, they could still be
// accepted: the contract is broken at the refusal (DEF-03).
func (h *history) findEarly() {
	refused := map[string]moment{}
	for _, s := range h.spans {
		if s.kind == calls.Post && s.returned() && !s.succeeded() {
			refused[s.begin.Wr] = s.ret
			for _, w := range s.begin.Wrs[s.stopsAt():] {
				refused[w.Wr] = s.ret
			}
		}
	}
	for _, s := range h.spans {
		if s.kind != calls.PollCq || !s.returned() || len(refused) == 0 {
			continue
		}
		for i := range s.end.Results {
			if at, ok := refused[s.end.Results[i].Wr]; ok && s.ret < at {
				h.early[s.end.Results[i].Wr] = true
			}
		}
	}
}

// signalsAll reports whether requests of p without SIGNALED have completions. Where the trace does not say, one that has shows it.
func (h *history) signalsAll(p *qp) bool {
	all, known := calls.SignalsAll(p.creation())
	return all || !known && h.succeeded.unsignaled[p.name]
}

// creation returns the call that created p, or nil.
func (p *qp) creation() *trace.Event {
	if p.created == nil {
		return nil
	}
	return p.created.begin
}

// leaveSilenceInDoubt records that a request without SIGNALED was posted on p, if the trace does not say whether it is silent.
func (p *qp) leaveSilenceInDoubt(s *span) {
	if p.created == nil {
		return
	}
	if _, known := calls.SignalsAll(p.created.begin); !known {
		p.doubt = earlier(p.doubt, &doubt{matters: s.call, untold: calls.UntoldSignaling(p.name)})
	}
}
