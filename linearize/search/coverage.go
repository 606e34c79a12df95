package search

import (
	"cmp"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// cover counts what was checked, and notes what was left open.
func (j *judge) cover() {
	for id, why := range j.open {
		j.report.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Undecided, Why: why}
	}
	for id, n := range j.counts {
		j.report.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: n}
	}
}

// leaveOpen records the rules that spans may have exercised from a moment on, at which nothing was judged. The first reason
// stays.
func (j *judge) leaveOpen(spans []*span, from moment, why string) {
	for _, s := range spans {
		if s.ret < from {
			continue
		}
		for _, o := range j.history.mayExercise(s) {
			for _, id := range declared.By(o) {
				j.open[id] = cmp.Or(j.open[id], why)
			}
		}
	}
}

// mayExercise returns the occasions that a call, a callback or an event may be for rules that only a search decides.
func (h *history) mayExercise(s *span) []declared.Occasion {
	switch s.kind {
	case calls.ArmCq:
		return h.mayExerciseArm(s)
	case calls.Callback, calls.ReadEvent:
		if reportsError(s) {
			return []declared.Occasion{declared.Callback, declared.CqFails}
		}
		return []declared.Occasion{declared.Callback}
	case calls.PollCq:
		if s.end == nil || len(s.end.Results) == 0 {
			return []declared.Occasion{declared.PollTakes}
		}
		return []declared.Occasion{declared.PollTakes, declared.Completes}
	case calls.FlushQp:
		return []declared.Occasion{declared.Flushed, declared.Cancelled}
	case calls.CloseCq, calls.CloseDone:
		return []declared.Occasion{declared.CqCloses}
	case calls.ResizeCq:
		return []declared.Occasion{declared.Resized, declared.ResizedLower}
	case calls.Post:
		var all []declared.Occasion
		for _, r := range s.requests {
			all = append(all, r.mayExercise()...)
		}
		return all
	}
	return nil
}

func (h *history) mayExerciseArm(s *span) []declared.Occasion {
	all := []declared.Occasion{declared.Resting, declared.ArmMeetsFresh, declared.ArmMeetsOthers}
	if q := h.cqByName[s.begin.Cq]; q != nil && len(q.arms) > 1 {
		all = append(all, declared.ArmsAgain)
	}
	switch arm, _ := calls.ArmOf(s.begin); arm {
	case model.ERRORS:
		return append(all, declared.PlacedErrors)
	case model.SOLICITED:
		return append(all, declared.PlacedSolicits, declared.PlacedFails, declared.PlacedPlain)
	}
	return append(all, declared.PlacedAny)
}

func (r *request) mayExercise() []declared.Occasion {
	all := []declared.Occasion{declared.Completes}
	unconnected := r.qp.connected == nil || r.post.call < r.qp.connected.ret
	switch {
	case unconnected && r.queue == model.Receive:
		all = append(all, declared.ReceivePosted)
	case unconnected:
		all = append(all, declared.RefusedAsIdle)
	}
	if r.silent {
		all = append(all, declared.Silent)
	}
	if r.deferred {
		all = append(all, declared.Deferred)
		if r.endedByRefusal() {
			all = append(all, declared.RefusedChain)
		}
	}
	switch r.op {
	case model.Invalidate:
		all = append(all, declared.Invalidated)
	case model.SendAndInvalidate:
		all = append(all, declared.BadToken, declared.TokenTold)
	}
	return all
}
