package search

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Whether a QP was connected is decided by what its connection carried, and not by a status that comes later: a connect that fails in the
// end may have made a connection that was lost. And what was connected may be lost at any moment, which only a post may show that is refused.

// statusNotConnected is what a post returns on a QP that is not connected (POST-08).
const statusNotConnected = "STATUS_CONNECTION_INVALID"

// findConnected finds by which connect each QP was connected, if any, and what ended an attempt or a connection.
func (h *history) findConnected() {
	latest := map[*qp]string{} // the connection of the latest connect that did not fail
	several := map[*qp]bool{}  // connections of different names: which of its messages have to do with which of their ends is not followed
	for _, s := range h.spans {
		kind := calls.KindOf(s.begin)
		if kind != calls.ConnectQp && kind != calls.CompleteConnection || s.begin.Qp == "" {
			continue
		}
		p := h.qp(s.begin.Qp)
		failed := h.failedAt(s)
		if failed != never {
			p.failedBy, p.attempted = failed, s.fn
		}
		switch {
		case failed != never && s.verbs(): // it did nothing
		case failed == never && kind == calls.ConnectQp:
			several[p] = several[p] || latest[p] != "" && s.begin.Conn != "" && latest[p] != s.begin.Conn
			latest[p] = cmp.Or(s.begin.Conn, latest[p])
			p.connect(s)
			p.unsure = min(p.unsure, h.doneAt(s))
		case failed == never:
		case kind == calls.CompleteConnection:
			h.ended(p, s.call)
		case h.carried(p, s, failed):
			p.connect(s)
			h.ended(p, s.call)
		case p.connected == nil && h.onlyReceives(p, s):
			p.connected, p.unsure = s, never // it may cancel its receives, and nothing else tells this from a connection that was lost
			h.ended(p, s.call)
		case h.mayBreak(p, s):
			h.guessed = true
		}
	}
	for _, p := range h.qps {
		if several[p] || !calls.DeliversMessages(p.creation()) {
			p.conn = "" // its messages are not held against its peer
		}
		if p.connected == nil {
			continue
		}
		for _, s := range p.posts {
			if s.tellsOfEnd() && s.ret > p.connected.call {
				h.ended(p, p.connected.call)
			}
		}
	}
}

// tellsOfEnd reports whether a post was refused as its queue pair is not connected.
func (s *span) tellsOfEnd() bool { return s.refused() && s.end.Status == statusNotConnected }

// mayBreak reports whether a connect of p that failed and made no connection may have cancelled a receive, or may have changed p as a flush does, so that
// a later request is cancelled. A refused connect can do so only if a receive is posted before p is connected.
func (h *history) mayBreak(p *qp, s *span) bool {
	return h.failedAt(s) != never && !s.verbs() && (!h.madeNoConnection(s) || h.receivesBeforeConnect(p, s)) && slices.ContainsFunc(slices.Concat(p.receive, p.initiator), func(r *request) bool {
		_, succeeded := h.succeeded.by[r.wr]
		return h.succeeded.told[r.wr] && !succeeded
	})
}

// madeNoConnection reports whether a connect failed with a status that says so.
func (h *history) madeNoConnection(s *span) bool {
	by := h.answers[s.begin.Op]
	return s.refused() && calls.MadeNoConnection(s.end.Status) || len(by) > 0 && calls.MadeNoConnection(by[0].begin.Status)
}

// receivesBeforeConnect reports whether a receive of p was called before the first connect behind a failed one that succeeded had returned.
func (h *history) receivesBeforeConnect(p *qp, failed *span) bool {
	connected := never
	for _, s := range h.spans {
		if s.call > failed.call && s.begin.Qp == p.name && calls.KindOf(s.begin) == calls.ConnectQp && h.failedAt(s) == never && !s.pending() {
			connected = min(connected, s.ret)
		}
	}
	return slices.ContainsFunc(p.receive, func(r *request) bool { return r.post.call < connected })
}

// isConnectedAgain reports whether s connects p, which was connected before, and of which something that was posted by then shows that its connection
// had ended.
func (h *history) isConnectedAgain(p *qp, s *span) bool {
	if calls.KindOf(s.begin) != calls.ConnectQp || s.verbs() || p.connected == nil || s.call <= p.connected.call || h.failedAt(s) != never {
		return false
	}
	return slices.ContainsFunc(slices.Concat(p.initiator, p.receive), func(r *request) bool { return r.told && failed(r) && r.post.call < s.ret }) ||
		slices.ContainsFunc(p.posts, func(post *span) bool { return post.tellsOfEnd() && post.call < s.ret })
}

// connect records a connect of p. The first counts.
func (p *qp) connect(s *span) {
	if p.connected == nil {
		p.connected = s
	}
	if s.begin.Conn != "" {
		p.conn = s.begin.Conn
	}
}

// endsOnce reports whether nothing succeeds on p once its connection has ended: it was not to be connected again, and no failure of its CQs can have
// cancelled requests, which this engine may take for that end.
func (h *history) endsOnce(p *qp) bool {
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		if q := p.cq(queue); q != nil && q.fails {
			return false
		}
	}
	return p.aborted == never && !slices.ContainsFunc(h.spans, func(s *span) bool {
		return s.kind == calls.ConnectQp && s.begin.Qp == p.name && s != p.connected
	})
}

// ended records that the connection of p, or the attempt to make it, had ended at some moment after another one.
func (h *history) ended(p *qp, from moment) {
	if p.connected != nil {
		p.aborted = min(p.aborted, max(from, p.connected.call))
	}
}

// failedAt returns when a call was known to have failed, or never.
func (h *history) failedAt(s *span) moment {
	by := h.answers[s.begin.Op]
	switch {
	case s.refused():
		return s.ret
	case s.pending() && len(by) > 0 && !calls.ReportsSuccess(by[0].begin):
		return by[0].call
	}
	return never
}

// carried reports whether a connect of p that failed at a moment had made a connection: a request that was posted before, at either end, succeeded.
// One of its own that was accepted, and has no result, may have succeeded: a receive, where only that explains a later post. A connect that was refused
// has made none.
func (h *history) carried(p *qp, s *span, failed moment) bool {
	if h.madeNoConnection(s) {
		return false
	}
	for _, r := range slices.Concat(p.initiator, p.receive) {
		untold := r.accepted && r.post.call < failed && !h.succeeded.told[r.wr]
		if untold && (r.queue == model.Initiator || !p.isEmptyAfter(failed) && p.takesBehind(failed)) {
			return true
		}
	}
	next := never
	if h.mayBreak(p, s) { // what it left may have succeeded over the next connection
		next = h.connectsAgain(p, failed)
	}
	return h.succeedsBetween(p, s.call, failed, next) || s.begin.Conn != "" && slices.ContainsFunc(h.spans, func(o *span) bool {
		isPeers := calls.KindOf(o.begin) == calls.ConnectQp && o.begin.Conn == s.begin.Conn && o.begin.Qp != p.name
		return isPeers && h.succeedsBetween(h.qp(o.begin.Qp), s.call, failed, next)
	})
}

// isEmptyAfter reports whether a poll that began after a moment found the CQ of p's receives empty.
func (p *qp) isEmptyAfter(mark moment) bool {
	return p.receiveCq != nil && p.receiveCq.emptyAfter(mark) != nil
}

// takesBehind reports whether a request of the initiator queue was accepted that was posted after a moment.
func (p *qp) takesBehind(mark moment) bool {
	return slices.ContainsFunc(p.initiator, func(r *request) bool { return r.accepted && r.post.call > mark })
}

// succeedsBetween reports whether a request of p that was posted before a moment succeeded after another one, and before a third.
func (h *history) succeedsBetween(p *qp, from, posted, next moment) bool {
	return slices.ContainsFunc(slices.Concat(p.initiator, p.receive), func(r *request) bool {
		at, succeeded := h.succeeded.by[r.wr]
		return succeeded && from < at && at < next && r.post.call < posted
	})
}

// connectsAgain returns the call of the first connect of p after a moment that did not fail, or never.
func (h *history) connectsAgain(p *qp, after moment) moment {
	for _, s := range h.spans {
		if s.call > after && s.begin.Qp == p.name && calls.KindOf(s.begin) == calls.ConnectQp && h.failedAt(s) == never {
			return s.call
		}
	}
	return never
}

// onlyReceives reports whether only receives of p were accepted before the connect that made a connection, after one that failed. It also demands that no
// receive succeeded, and that no other request was cancelled, even later.
func (h *history) onlyReceives(p *qp, failed *span) bool {
	next := never
	for _, s := range h.spans {
		connects := s.call > failed.call && s.begin.Qp == p.name && calls.KindOf(s.begin) == calls.ConnectQp
		if at := h.failedAt(s); connects && (at == never || h.carried(p, s, at)) {
			next = min(next, s.call)
		}
	}
	return !slices.ContainsFunc(slices.Concat(p.initiator, p.receive), func(r *request) bool {
		_, succeeded := h.succeeded.by[r.wr]
		accepted := r.accepted && r.post.returned()       // what has not returned may be refused
		cancelled := h.succeeded.told[r.wr] && !succeeded // as behind a flush
		return succeeded && r.queue == model.Receive || r.queue == model.Initiator && (r.post.call < next && accepted || cancelled)
	})
}

// successes are the requests that were known to have succeeded.
type successes struct {
	by         map[string]moment // by when
	told       map[string]bool   // these, and what ended otherwise
	unsignaled map[string]bool   // the QPs of which one of these was posted without SIGNALED
}

// findSuccesses finds the requests that polls and points told to have succeeded.
func findSuccesses(spans []*span) successes {
	told := successes{by: map[string]moment{}, told: map[string]bool{}, unsignaled: map[string]bool{}}
	for _, s := range spans {
		if s.kind == calls.Placed {
			told.told[s.begin.Wr] = true
		}
		if s.kind == calls.Placed && calls.OutcomeOf(s.begin.Status) == model.SUCCESS {
			told.by[s.begin.Wr] = s.call
		}
		if s.kind != calls.PollCq {
			continue
		}
		for i := range s.results() {
			r := &s.results()[i]
			if told.told[r.Wr] = true; calls.OutcomeOf(r.Status) == model.SUCCESS {
				told.by[r.Wr] = s.ret
			}
		}
	}
	for _, s := range spans {
		if s.fn != "ibv_post_send" || told.unsignaled[s.begin.Qp] {
			continue
		}
		told.unsignaled[s.begin.Qp] = slices.ContainsFunc(s.begin.Wrs, func(w trace.WorkRequest) bool {
			_, succeeded := told.by[w.Wr]
			return succeeded && !calls.HasVerbsFlag(w.Flags, "SIGNALED")
		})
	}
	return told
}
