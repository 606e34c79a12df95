package search

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// What was refused is a use all the same. Its span no longer says of which kind it was: that of its call is asked.

// An object is a CQ or a QP by its name.
type object struct {
	kind calls.Kind // of the call that creates it
	name string
}

// checkCreations is LIFE-01, of objects whose creation is called in the trace, be it after the use.
func (h *history) checkCreations() {
	creations := map[object][]*span{} // but for objects of which a breach was told
	for _, s := range h.spans {
		if o := s.creates(); o.name != "" && s.begin.Ph == trace.Call {
			creations[o] = append(creations[o], s)
		}
	}
	for _, s := range h.spans {
		if s.begin.Ph != trace.Call {
			continue
		}
		for _, o := range s.uses() {
			created := creations[o]
			if created == nil {
				continue
			}
			h.exercised("LIFE-01")
			if slices.ContainsFunc(created, func(c *span) bool { return h.createdAt(c) < s.call }) {
				continue
			}
			h.consumer("LIFE-01", s.call, created, "%s was called, and the creation of %s had not succeeded", s.fn, o.name)
			h.findings[len(h.findings)-1].of = created[0]
			delete(creations, o)
		}
	}
}

// checkCloses is LIFE-02.
func (h *history) checkCloses() {
	functions := map[object][]*span{}
	for _, s := range h.spans {
		if s.begin.Ph != trace.Call {
			continue
		}
		kind := calls.KindOf(s.begin)
		switch {
		case calls.IsOfObject(kind, s.fn):
			functions[s.uses()[0]] = append(functions[s.uses()[0]], s)
		case kind == calls.CloseCq || kind == calls.CloseQp:
			h.exercised("LIFE-02")
			name := s.uses()[0].name
			runs := func(f *span) bool { return f.overlaps(s) && !s.nestsIn(f) }
			if of := functions[s.uses()[0]]; slices.ContainsFunc(of, runs) {
				f := of[slices.IndexFunc(of, runs)]
				h.consumer("LIFE-02", s.call, []*span{f}, "%s of %s was called while %s was running", s.fn, name, f.fn)
			}
		}
	}
}

// checkUsesAfterClose is LIFE-06: no use begins after the call of a close. One that was refused left the object as it was.
func (h *history) checkUsesAfterClose() {
	closes := map[object]*span{} // the first of each
	told := map[object]bool{}
	for _, s := range h.spans {
		if s.begin.Ph != trace.Call {
			continue
		}
		for _, o := range s.uses() {
			if by := closes[o]; by != nil && !told[o] && calls.IsOverAtClose(s.fn) {
				told[o] = true
				h.consumer("LIFE-06", s.call, []*span{by}, "%s was called after %s of %s", s.fn, by.fn, o.name)
				h.findings[len(h.findings)-1].of = by
			}
		}
		if kind := calls.KindOf(s.begin); (kind == calls.CloseCq || kind == calls.CloseQp) && !s.refused() {
			h.exercised("LIFE-06")
			o := s.uses()[0]
			closes[o] = cmp.Or(closes[o], s)
		}
	}
}

// creates returns the object that a call is to create, if any.
func (s *span) creates() object {
	switch calls.KindOf(s.begin) {
	case calls.CreateCq:
		return object{calls.CreateCq, s.begin.Cq}
	case calls.CreateQp:
		return object{calls.CreateQp, s.begin.Qp}
	}
	return object{}
}

// uses returns the objects that have to exist for a call.
func (s *span) uses() []object {
	switch kind := calls.KindOf(s.begin); {
	case kind == calls.CreateQp:
		return slices.Compact([]object{{calls.CreateCq, s.begin.InitiatorCq}, {calls.CreateCq, s.begin.ReceiveCq}})
	case calls.UsesCq(kind):
		return []object{{calls.CreateCq, s.begin.Cq}}
	case calls.UsesQp(kind):
		return []object{{calls.CreateQp, s.begin.Qp}}
	}
	return nil
}

// createdAt returns the moment at which a creation had succeeded: at its return, or when its completion callback was entered, which
// may come before; or never.
func (h *history) createdAt(s *span) moment {
	at := never
	if s.succeeded() && !s.pending() {
		at = s.ret
	}
	if by := h.answers[s.begin.Op]; len(by) > 0 && calls.ReportsSuccess(by[0].begin) && (s.pending() || by[0].call < s.ret) {
		at = min(at, by[0].call)
	}
	return at
}
