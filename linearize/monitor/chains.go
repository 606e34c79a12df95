package monitor

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// chains checks that each chain of deferred requests is ended: DEF-06. That is the consumer's duty, whatever the provider has
// completed by then.
type chains struct {
	seldom
	noRequest
	s     *requests
	none  bool // NDSPI has no NDK_OP_FLAG_DEFER
	any   bool // a flush, a disconnect or a close ends a chain, too (A11)
	begun int  // chains
	count *int
}

var _ = decides(
	rule{ID: "DEF-06", On: on{"a chain of deferred requests begins"}, OnlyNdk: true, Alone: true},
)

func newChains(m *Monitor) checks {
	return &chains{s: m.requests, none: !m.dialect.Defers, any: m.dialect.A11 == model.A11AnyEnd, count: m.counter("DEF-06")}
}

func (h *chains) called(r *workRequest, _ *Call, flags []string) {
	if r.op == model.ReceiveOp || h.none {
		return
	}
	p := r.queue.qp
	if !slices.Contains(flags, "DEFER") || h.any && (p.flushing > 0 || !p.created) { // a flush that is running may take effect behind r, also one from before the trace
		p.chain = nil
		return
	}
	if p.chain == nil {
		h.begun++
	}
	p.chain = r
}

// answered ends the chain of a queue pair on which a post was refused (DEF-06, A11).
func (h *chains) answered(p *posting, refused bool) {
	if refused && p.queue.kind == model.Initiator {
		p.queue.qp.chain = nil
	}
}

// completed ends the chain of a queue pair with a request that failed: its connection may have ended, and then nothing is left to indicate.
func (h *chains) completed(r *workRequest, _ *Call, result *trace.Result) {
	if p := r.queue.qp; p != nil && h.any && calls.OutcomeOf(result.Status) != model.SUCCESS {
		p.chain = nil
	}
}

func (h *chains) ended(p *qpArguments) {
	if h.any {
		p.chain = nil
	}
}

// dropped handles the close of a queue pair: nothing can end its chains any more, unless a close ends them (A11).
func (h *chains) dropped(p *qpArguments, closed bool) {
	if r := p.chain; closed && !h.any && r != nil && r.accepted {
		h.neverEnded(r)
	}
	p.chain = nil
}

func (h *chains) finish() {
	if !h.s.m.atRest() {
		return
	}
	*h.count += h.begun
	var open []*workRequest
	for _, p := range h.s.qps.all {
		if p.chain != nil && p.chain.accepted {
			open = append(open, p.chain)
		}
	}
	slices.SortFunc(open, func(a, b *workRequest) int { return cmp.Compare(a.place.Index, b.place.Index) })
	for _, r := range open {
		h.neverEnded(r)
	}
}

func (h *chains) neverEnded(r *workRequest) {
	h.s.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "DEF-06", Place: r.place, Objects: []Object{r.queue.object()},
		Message: "the chain that " + r.wr + " belongs to was never ended: no request without DEFER followed"})
}

// failed records that a callback reports a failure, behind which a consumer is not to post (ARM-19): it can end no chain of such queue pairs.
func (s *requests) failed(e *trace.Event, of func(*qpArguments) bool) {
	if e.Status == "" || e.Status == "STATUS_SUCCESS" {
		return
	}
	for _, p := range s.qps.all {
		if of(p) {
			p.chain = nil
		}
	}
}
