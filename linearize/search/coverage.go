package search

import (
	"cmp"

	"ndkoracle/linearize/calls"
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

// leaveOpen notes the rules that spans may have exercised from a moment on, at which nothing was judged. The first reason
// stays.
func (j *judge) leaveOpen(spans []*span, from moment, why string) {
	for _, s := range spans {
		if s.ret < from {
			continue
		}
		for _, id := range j.history.mayExercise(s) {
			j.open[id] = cmp.Or(j.open[id], why)
		}
	}
}

// mayExercise returns the rules that only a search decides and that a call, a callback or an event may exercise.
func (h *history) mayExercise(s *span) []string {
	switch s.kind {
	case calls.ArmCq:
		return h.mayExerciseArm(s)
	case calls.Callback, calls.ReadEvent:
		ids := []string{"ARM-01", "ARM-02", "ARM-06", "ARM-21"}
		if reportsError(s) {
			ids = append(ids, "ARM-16", "ARM-17")
		}
		return ids
	case calls.PollCq:
		if s.end == nil || len(s.end.Results) == 0 {
			return []string{"POLL-03"}
		}
		return []string{"POLL-03", "POLL-09", "DEF-04"}
	case calls.FlushQp:
		return []string{"FLUSH-01", "FLUSH-02", "RES-10"}
	case calls.CloseCq, calls.CloseDone:
		return []string{"ARM-20", "LIFE-09"}
	case calls.ResizeCq:
		return []string{"RSZ-02", "RSZ-03"}
	case calls.Post:
		var ids []string
		for _, r := range s.requests {
			ids = append(ids, r.mayExercise()...)
		}
		return ids
	}
	return nil
}

func (h *history) mayExerciseArm(s *span) []string {
	ids := []string{"ARM-03", "ARM-04", "ARM-05"}
	if q := h.cqByName[s.begin.Cq]; q != nil && len(q.arms) > 1 {
		ids = append(ids, "ARM-07")
	}
	switch arm, _ := calls.ArmOf(s.begin); arm {
	case model.ERRORS:
		return append(ids, "ARM-08")
	case model.SOLICITED:
		return append(ids, "ARM-10", "ARM-11", "ARM-12")
	}
	return append(ids, "ARM-09")
}

func (r *request) mayExercise() []string {
	ids := []string{"DEF-04", "POLL-09"}
	unconnected := r.qp.connected == nil || r.post.call < r.qp.connected.ret
	switch {
	case unconnected && r.queue == model.Receive:
		ids = append(ids, "POST-09")
	case unconnected:
		ids = append(ids, "POST-08")
	}
	if r.silent {
		ids = append(ids, "FLAG-01", "FLAG-02")
	}
	if r.deferred {
		ids = append(ids, "DEF-02", "DEF-07")
		if r.endedByRefusal() {
			ids = append(ids, "DEF-05")
		}
	}
	switch r.op {
	case model.Invalidate:
		ids = append(ids, "POLL-07", "POLL-08")
	case model.SendAndInvalidate:
		ids = append(ids, "INV-05", "INV-06", "RES-09")
	}
	return ids
}
