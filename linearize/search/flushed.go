package search

import (
	"cmp"
	"slices"

	"ndkoracle/model"
)

// findFlushedFailures treats the first request of a QP that libibverbs reports as flushed as failed, if nothing had flushed it. Some devices move the QP
// to its error state first, and report every request from then on, the faulty one included, as IBV_WC_WR_FLUSH_ERR. NDKPI demands more (RES-10). If
// something may have flushed the request, and a device may report its own failure so (RES-11), both are possible: the request is added to culprits.
// fails names a culprit to treat as failed.
func (h *history) findFlushedFailures(fails string) {
	placed := h.placedBy()
	for _, p := range h.qps {
		first := never
		var culprit *request
		for _, r := range slices.Concat(p.initiator, p.receive) {
			if !failed(r) || !r.told || !r.isVerbs() {
				continue
			}
			if culprit == nil || r.toldBefore(culprit) {
				culprit = r
			}
			if r.outcome == model.FAILED {
				first = 0 // the QP's own failure is in the trace
			}
			first = min(first, placed[r])
		}
		if culprit == nil || first == 0 {
			continue
		}
		if culprit.wr == fails || !p.mayCancel(culprit, first) {
			culprit.outcome, p.ends = model.FAILED, true
		} else if h.dialect.FailsAsFlushed {
			h.culprits = append(h.culprits, culprit.wr)
		}
	}
}

// placedBy returns, of each request that is told, by when its completion had been placed: before those that its CQ delivered after it.
func (h *history) placedBy() map[*request]moment {
	placed := map[*request]moment{}
	for _, r := range h.requests {
		if r.told {
			placed[r] = min(r.toldBy(), r.owed)
		}
	}
	for _, q := range h.cqs {
		by := never
		for _, r := range slices.Backward(q.delivered) {
			by = min(by, placed[r])
			placed[r] = by
		}
	}
	return placed
}

// toldBy returns by when the trace records how r ended: its completion was placed by then.
func (r *request) toldBy() moment {
	if r.point != nil {
		return r.point.call
	}
	return r.delivery.poll.ret
}

// toldBefore reports whether r was told before another request.
func (r *request) toldBefore(o *request) bool {
	if r.point == nil && o.point == nil {
		return before(r.delivery, o.delivery)
	}
	return r.toldBy() < o.toldBy()
}

// before reports whether a completion was told before another: by an earlier poll, or earlier by the same.
func before(a, b *delivery) bool {
	return cmp.Or(cmp.Compare(a.poll.ret, b.poll.ret), cmp.Compare(a.order, b.order)) < 0
}

// mayCancel reports whether anything that the trace shows can have cancelled r, a request of p, by then.
func (p *qp) mayCancel(r *request, at moment) bool {
	mayHave := func(l loss) bool { return l.from < at && (l.request == nil || !l.request.waitsFor(r)) }
	return p.mayBeFlushed(0, at) || slices.ContainsFunc(p.losses, mayHave) || p.mayNameBadToken(r, at)
}

// mayNameBadToken reports whether a message of p that succeeded, other than r, may have named a bad token by a moment, which ends the connection
// (INV-05): a receive of its peer did not succeed.
func (p *qp) mayNameBadToken(r *request, at moment) bool {
	names := func(s *request) bool {
		return s != r && s.op == model.SendAndInvalidate && s.outcome == model.SUCCESS && s.post.call < at && !s.waitsFor(r)
	}
	lost := func(to *request) bool { return to.post.call < at && (failed(to) || !to.told) }
	return p.peer != nil && slices.ContainsFunc(p.sends, names) && slices.ContainsFunc(p.peer.receive, lost)
}

// mayBeFlushed reports whether the consumer may have flushed p, or closed it, by a moment, and no flush counts that had returned before another one.
func (p *qp) mayBeFlushed(from, at moment) bool {
	called := func(s *span) bool { return s.call < at && (s.fn != "NdkFlush" || s.ret > from) }
	return slices.ContainsFunc(p.flushes, called) || p.closed != nil && called(p.closed)
}

// mayHaveFailed reports whether r, which libibverbs reported as flushed, may have failed itself: nothing had flushed it, but the loss of the
// connection, which may have come later.
func (r *request) mayHaveFailed() bool {
	return r.told && failed(r) && r.isVerbs() && !r.qp.mayBeFlushed(0, r.toldBy())
}

// waitsFor reports whether r, of the same QP, is executed after o (FLAG-04).
func (r *request) waitsFor(o *request) bool {
	if r.queue != o.queue || r.position < o.position {
		return false
	}
	waits := func(between *request) bool { return between.fence && between.op != model.Read }
	return o.op != model.Read || r.fence || slices.ContainsFunc(r.qp.queue(r.queue)[o.position+1:r.position], waits)
}

// mayBeFlushedAlone reports whether NdkFlush, which leaves the connection as it was, may have cancelled r.
func (r *request) mayBeFlushedAlone() bool {
	return slices.ContainsFunc(r.qp.flushes, func(s *span) bool {
		return s.fn == "NdkFlush" && s.call < r.toldBy() && s.ret > r.post.call
	})
}

// lostBefore returns the latest request of its queue behind which r was executed, and that only the end of the connection can have cancelled. If r was
// posted after that end, it returns the latest such request of the queue pair. It returns nil if there is none. Nothing succeeds after the end, though
// the search may execute late what was executed before it. In a queue pair that may have been broken before it was connected, no request is known to have
// ended the connection.
func (h *history) lostBefore(s state, r *request) *request {
	if !h.dialect.LossCancels || s.model.Qps[r.qp.index].State != model.Ended || r.qp.brokeIdle {
		return nil
	}
	for _, o := range slices.Backward(r.qp.queue(r.queue)[:r.position]) {
		switch {
		case !o.told || o.outcome != model.CANCELLED || !r.waitsFor(o):
		case o.mayBeFlushedAlone(): // which leaves the connection as it was
		case h.failureEnds():
			return r.qp.latestEnded(o, []model.Outcome{model.FAILED}) // which has cancelled it
		default:
			return o
		}
	}
	if s.late != r {
		return nil
	}
	outcomes := []model.Outcome{model.CANCELLED}
	if h.failureEnds() {
		outcomes = append(outcomes, model.FAILED)
	}
	return r.qp.latestEnded(r, outcomes)
}

// failureEnds reports whether a request that fails ends the connection.
func (h *history) failureEnds() bool {
	return h.dialect.FailureEnds || h.dialect.A40 == model.A40Ends
}

// latestEnded returns the latest request of p that is known to have ended with the first of some outcomes, and was posted before r; where none is, with
// the next of them; or r.
func (p *qp) latestEnded(r *request, outcomes []model.Outcome) *request {
	for _, outcome := range outcomes {
		var latest *request
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			for _, o := range p.queue(queue) {
				if o.told && o.outcome == outcome && o.post.call < r.post.call && (latest == nil || o.post.call > latest.post.call) {
					latest = o
				}
			}
		}
		if latest != nil {
			return latest
		}
	}
	return r
}
