package search

import (
	"cmp"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A call returns, and one that returned STATUS_PENDING is answered by a completion callback. Both are boundary events, so
// that no search is needed to see that they are missing.

// checkReturns is ASY-01, ASY-02 and LIFE-11, and what becomes of calls and callbacks that never returned.
func (h *history) checkReturns() {
	quiet := h.quietMarks()
	free := h.freeFrom()
	for _, s := range h.spans {
		if s.begin.Ph != trace.Call || !s.returned() {
			continue
		}
		by := h.answers[s.begin.Op]
		_, unknown := h.trace.Unknown[s.fn]
		switch {
		case unknown: // what it does is not judged
		case s.pending() && calls.MayPend(s.fn):
			h.checkAnswer(s, by, free[s], quiet)
		case len(by) > 0:
			h.exercised("ASY-02")
			h.provider("ASY-02", max(s.ret, by[0].call), []*span{s, by[0]}, "%s returned %s, and %s came all the same",
				s.name(), s.answer(), by[0].fn)
		case calls.MayPend(s.fn):
			h.exercised("ASY-02")
		}
	}
	h.checkClosesOfCqs()
	h.checkResizesOver()
	for _, p := range h.qps {
		if h.doneAt(p.closed) != never {
			h.exercised("LIFE-07")
		}
	}
	h.checkHung()
}

// checkClosesOfCqs is LIFE-04 and LIFE-05: when the close of a CQ completes, so have the closes of its QPs, and the callbacks that
// said so have returned. One whose call has not returned may have.
func (h *history) checkClosesOfCqs() {
	for _, q := range h.cqs {
		at := h.doneAt(q.closed)
		if at == never {
			continue
		}
		for _, p := range h.qps {
			if h.doneAt(p.created) > at || p.initiatorCq != q && p.receiveCq != q {
				continue
			}
			h.exercised("LIFE-04")
			told := never
			if s := p.closed; s != nil && s.pending() && len(h.answers[s.begin.Op]) > 0 {
				told = h.answers[s.begin.Op][0].call
			}
			if told < at {
				h.exercised("LIFE-05")
			}
			switch {
			case told < at && at < h.answers[p.closed.begin.Op][0].ret:
				h.provider("LIFE-05", at, []*span{q.closed, p.closed},
					"the close of %s completed while the callback was running that completed the close of %s, which uses it", q.name, p.name)
				h.findings[len(h.findings)-1].Also = []string{"LIFE-04"}
			case p.closed == nil || at < p.closed.call || p.closed.refused() || p.closed.pending() && p.closed.ret < at && at < told:
				h.provider("LIFE-04", at, []*span{q.closed}, "the close of %s completed before that of %s, which uses it", q.name, p.name)
			}
		}
	}
}

// doneAt returns the moment at which a call had succeeded: at its return, or when its completion callback was entered; or never.
func (h *history) doneAt(s *span) moment {
	switch {
	case s == nil:
		return never
	case s.succeeded() && !s.pending():
		return s.ret
	case s.pending() && len(h.answers[s.begin.Op]) > 0:
		if by := h.answers[s.begin.Op][0]; s.kind != calls.CreateQp || calls.ReportsSuccess(by.begin) { // a close can't fail then
			return by.call
		}
	}
	return never
}

// checkAnswer holds a call that returned STATUS_PENDING against the completion callbacks that came for it. From a moment on
// it waited for nobody but the provider.
func (h *history) checkAnswer(s *span, by []*span, from moment, quiet []moment) {
	h.exercised("ASY-01")
	if len(by) > 1 {
		h.provider("ASY-01", by[1].call, []*span{s, by[0]}, "%s was completed a second time", s.name())
	}
	i, _ := slices.BinarySearch(quiet, from)
	if i == len(quiet) {
		return
	}
	closes := s.kind == calls.CloseCq || s.kind == calls.CloseQp
	if closes {
		h.exercised("LIFE-11")
	}
	if len(by) > 0 && by[0].call < quiet[i] {
		return
	}
	rule, also := "ASY-01", []string(nil)
	if closes {
		rule, also = "LIFE-11", []string{"ASY-01"}
	}
	h.provider(rule, quiet[i], []*span{s}, "the provider was at rest, and %s, which returned STATUS_PENDING, had not completed, "+
		"though nothing is left that it has to wait for", s.name())
	h.findings[len(h.findings)-1].Also = also
}

// freeFrom returns for each asynchronous call the moment from which on it waits for nobody but the provider, or never where
// the trace does not tell. A CQ waits for its QPs: their close has completed, and that callback returned (LIFE-04, LIFE-05); and for
// its resizes (LIFE-07).
func (h *history) freeFrom() map[*span]moment {
	free, cqs, all := map[*span]moment{}, map[*cq]moment{}, 0
	for _, p := range h.qps {
		closed := never
		if p.closed != nil && !p.closed.pending() {
			closed = p.closed.ret
		} else if p.closed != nil && len(h.answers[p.closed.begin.Op]) > 0 {
			closed = h.answers[p.closed.begin.Op][0].ret
		}
		if p.created == nil {
			all = never // nobody knows which CQs it uses
			continue
		}
		for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
			if q.closed == nil || p.created.call < q.closed.call { // or it came too late (LIFE-06)
				cqs[q] = max(cqs[q], closed)
			}
		}
	}
	for _, s := range h.spans {
		switch q, p := h.cqByName[s.begin.Cq], h.qpByName[s.begin.Qp]; {
		case calls.WaitsForProvider(s.fn):
			free[s] = s.ret
		case s.kind == calls.CloseCq && q.created != nil:
			free[s] = max(s.ret, cqs[q], all, q.resizing)
		case s.kind == calls.CloseQp && p.created != nil && (p.connected == nil || p.connected.call > s.call):
			free[s] = s.ret
		default:
			free[s] = never // its connector is closed first, and the trace does not tell when
		}
	}
	return free
}

// quietMarks returns the moments of rest at which no callback was running: while one is, the consumer may hold up the
// provider.
func (h *history) quietMarks() []moment {
	running, next := 0, 0
	var quiet []moment
	for at := range len(h.trace.Events) + 1 {
		if next < len(h.marks) && h.marks[next] == at {
			if next++; running == 0 {
				quiet = append(quiet, at)
			}
		}
		if at == len(h.trace.Events) {
			break
		}
		switch h.trace.Events[at].Ph {
		case trace.Enter:
			running++
		case trace.Exit:
			running--
		}
	}
	return quiet
}

// checkHung looks, where the provider ended at rest, for calls and callbacks that never returned. Of those on one thread the
// last is to blame: the others wait for it.
func (h *history) checkHung() {
	if h.trace.End == nil || !h.trace.End.Quiescent {
		return
	}
	within := map[string][]*span{} // by thread: what has not returned, in the order of the beginnings
	var threads []string
	for _, s := range h.spans {
		if s.returned() {
			continue
		}
		if within[s.begin.Thr] == nil {
			threads = append(threads, s.begin.Thr)
		}
		within[s.begin.Thr] = append(within[s.begin.Thr], s)
	}
	held := false
	for _, thread := range threads {
		open := within[thread]
		if last := open[len(open)-1]; last.begin.Ph == trace.Enter {
			held = true
			h.report(verdict.Inconclusive, "", last.call, nil,
				"%s never returned: that is the consumer's, and what waits for it can't be judged", last.name())
		}
	}
	if held {
		return
	}
	for _, thread := range threads {
		open := within[thread]
		h.checkHungCall(open[len(open)-1], open[:len(open)-1])
	}
}

// checkHungCall says which rule a call breaks that never returned, if one says that it does return. Called from within a
// callback of its CQ it keeps that callback from returning: such a deadlock is the provider's (A27).
func (h *history) checkHungCall(s *span, around []*span) {
	end := len(h.trace.Events)
	_, unknown := h.trace.Unknown[s.fn]
	inCallback := func() bool {
		return slices.ContainsFunc(around, func(o *span) bool { return o.kind == calls.Callback && o.begin.Cq == s.begin.Cq })
	}
	switch {
	case strings.HasPrefix(s.fn, "ibv_get_"), strings.HasPrefix(s.fn, "ibv_destroy_"), s.fn == "NdkCloseAdapter":
		// They may wait for the consumer.
	case s.kind == calls.Post && strings.HasPrefix(s.fn, "Ndk"):
		h.provider("POST-10", end, []*span{s}, "%s never returned: a post answers at once", s.name())
	case (s.kind == calls.ArmCq || s.kind == calls.PollCq) && inCallback():
		h.provider("ARM-06", end, append([]*span{s}, around...), "%s, called within a callback of %s, never returned: "+
			"the callback can't return either, and none can follow it", s.name(), s.begin.Cq)
	case s.kind == calls.CloseCq && inCallback():
		h.provider("ARM-20", end, append([]*span{s}, around...), "%s, called within a callback of %s, never returned: "+
			"it is to stay pending until the callback has returned", s.name(), s.begin.Cq)
	case !unknown:
		h.report(verdict.Inconclusive, "", s.call, nil,
			"%s never returned: what became of it, and of what waits for it, can't be judged", s.name())
	}
}

// name says which call or callback it was, and of which object.
func (s *span) name() string {
	name := s.fn
	if s.kind == calls.Callback {
		name = "the callback"
	}
	if object := cmp.Or(s.begin.Wr, s.begin.Cq, s.begin.Qp); object != "" {
		name += " of " + object
	}
	return name
}

// checkCallbacks holds the status of each callback against the list of those it can have (ARM-15).
func (h *history) checkCallbacks() {
	for _, s := range h.spans {
		if s.kind != calls.Callback {
			continue
		}
		h.exercised("ARM-15")
		if _, ok := calls.HealthOf(s.begin.Status); !ok {
			h.provider("ARM-15", s.call, nil, "the callback of %s reports %s, which no CqStatus can be", s.begin.Cq, s.begin.Status)
		}
	}
}

// checkAnswers holds the answers of posts against those that a post can give (POST-10).
func (h *history) checkAnswers() {
	for _, p := range h.qps {
		for _, s := range p.posts {
			h.exercised("POST-10")
			if s.pending() {
				h.provider("POST-10", s.ret, nil, "%s returned STATUS_PENDING: a post answers at once", s.fn)
			}
		}
	}
}
