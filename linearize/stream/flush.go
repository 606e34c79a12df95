package stream

import (
	"ndkoracle/model"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/trace"
)

// qpFlushes holds the flushes of a QP, and its close, as far as they may have cancelled requests.
type qpFlushes struct {
	flushed       []returned // flushes, and the close, that have returned
	cancelsAll    eventIndex // when a flush had returned, where that cancels what is posted later, too (A15); or 0
	ended         eventIndex // when a flush had returned, or a failure was delivered: nothing waits for a message any more
	flushing      int        // flushes under way
	flushOverlaps bool       // one overlapped a post of the initiator queue: which of them came first is not known
}

// flushCalled handles the call of NdkFlush or NdkDisconnect: from now on requests may be cancelled.
func (s *Stream) flushCalled(u *underWay) {
	p := u.qp
	p.flushing++
	p.flushOverlaps = p.flushOverlaps || p.running[model.Initiator] > 0
	p.breaksAcross(s.at)
}

// flushReturned handles the return of a flush. A disconnect that is pending flushes at some moment before it completes; one that
// failed may have flushed or not (DISC-01, DISC-08).
func (s *Stream) flushReturned(u *underWay, e *trace.Event) {
	refused := calls.IsRefusal(u.Verbs, e)
	p := u.qp
	if !refused || u.fn == "NdkDisconnect" {
		p.breaks(u.call)
	}
	switch {
	case refused:
		p.flushing--
		p.flushOverlaps = p.flushOverlaps || u.fn == "NdkDisconnect" // it may flush some time later (DISC-08)
	case !calls.Pending(e):
		p.flushing--
		p.hasFlushed(u)
	}
}

// flushAnswered handles the completion callback of a disconnect that was pending.
func (p *qp) flushAnswered(u *underWay, success bool) {
	p.flushing--
	if p.flushOverlaps = p.flushOverlaps || !success; success {
		p.hasFlushed(u)
	}
}

// hasFlushed records that a flush is over.
func (p *qp) hasFlushed(u *underWay) {
	s := p.s
	s.meets(declared.Flushed)
	p.flushed = append(p.flushed, returned{u.call, s.at, u.line})
	p.forgetFlushes()
	if p.ended == 0 {
		p.ended = s.at
	}
	if p.cancelsAll == 0 && s.dialect.A15 == model.A15Cancelled && u.fn != "NdkDisconnect" { // what is posted behind that may fail (DISC-10)
		p.cancelsAll = s.at
	}
	p.endChains(u.call, true, false)
}

// forgetFlushes forgets the flushes that were called before all that is outstanding was posted, but for one.
func (p *qp) forgetFlushes() {
	oldest := p.s.at
	for _, l := range p.wqs {
		if len(l.waiting) > 0 {
			oldest = min(oldest, l.waiting[0].called)
		}
	}
	p.flushed = slices.DeleteFunc(p.flushed, func(f returned) bool { return f.call < oldest })
}

// latestOver returns the call of the flush that was called latest of those that are over, or 0.
func (all *qpFlushes) latestOver() eventIndex {
	latest := eventIndex(0)
	for _, f := range all.flushed {
		latest = max(latest, f.call)
	}
	return latest
}

// flushedAfter reports whether a flush is over that was called after r had been posted.
func (all *qpFlushes) flushedAfter(r *request) bool {
	return slices.ContainsFunc(all.flushed, func(f returned) bool { return r.returned != 0 && f.call > r.returned })
}

// onlyCancelled reports whether nothing succeeds that ends from an event on: behind a flush, in one reading of A15 (FLUSH-05).
func (all *qpFlushes) onlyCancelled(from eventIndex) bool {
	return all.cancelsAll != 0 && all.cancelsAll < from
}
