package witness

import (
	"fmt"
	"slices"

	"ndkoracle/model"
)

// step replays a step: as the effect of a call or callback, or as a hidden one.
func (r *replay) step(s Step) error {
	leaves := s.Leaves
	s.Leaves = nil
	for _, e := range r.facts.due[r.behind()] {
		if e.atOnce && !e.taken && e.step.Op != s.Op {
			return r.refuse("the step %s of op %s stands right behind its event, before all others", e.step.Action, e.step.Op)
		}
	}
	if s.Op != "" {
		if err := r.perform(s); err != nil {
			return err
		}
	} else {
		r.found.Hidden++
		if err := r.facts.known(s); err != nil {
			return r.refuse("%v", err)
		}
		if !isHidden(s) {
			return r.refuse("%s is not a hidden step with these arguments, and names no op", s.Action)
		}
	}
	a, err := r.action(s)
	if err != nil {
		return r.refuse("%v", err)
	}
	if err := r.allowed(s, a); err != nil {
		return r.refuse("%v", err)
	}
	before := r.state
	next, refusal := r.facts.contract.Step(r.state, a)
	if refusal != nil {
		return r.refuse("the model refuses %s (%s): %s", s.Action, refusal.Rule, refusal.Why)
	}
	if err := r.choose(s, a, next, leaves); err != nil {
		return err
	}
	if s.Action == model.Execute || s.Action == model.Abort {
		r.broke(before, a.Qp)
	}
	if s.Action == model.Complete {
		if err := r.asPlaced(r.facts.byWr[s.Wr], a); err != nil {
			return r.refuse("%v", err)
		}
	}
	r.took(s, a)
	return nil
}

// perform checks a step against what its call or callback stands for.
func (r *replay) perform(s Step) error {
	effects := r.facts.effects[s.Op]
	i := slices.IndexFunc(effects, func(e *effect) bool {
		return !e.taken && (e.step.Action != model.TokenDies || same(e.step, s))
	})
	if i < 0 {
		return r.refuse("op %s of the trace stands for no step, or for none more", s.Op)
	}
	e := effects[i]
	if !same(e.step, s) {
		want, _ := line(e.step)
		return r.refuse("op %s of the trace stands for another step: %s", s.Op, want)
	}
	if at := r.behind(); at < e.from || at > e.to {
		return r.refuse("the step %s of op %s stands outside its time: it belongs between its call and its return, or right "+
			"behind its event", s.Action, s.Op)
	}
	e.taken = true
	return nil
}

func same(a, b Step) bool {
	one, _ := line(a)
	other, _ := line(b)
	return string(one) == string(other)
}

// isHidden reports whether s is a hidden step that has the arguments of its action, and no others.
func isHidden(s Step) bool {
	bare := Step{Action: s.Action}
	switch s.Action {
	case model.ConnectionLost, model.HwIndicate, model.Deliver:
		bare.Qp = s.Qp
	case model.Abort:
		bare.Qp, bare.Outcome, bare.Received = s.Qp, s.Outcome, s.Received
	case model.Execute:
		bare.Qp, bare.Queue, bare.Wr, bare.Outcome, bare.Solicited, bare.Token = s.Qp, s.Queue, s.Wr, s.Outcome, s.Solicited, s.Token
	case model.Complete, model.CompletionLost:
		bare.Qp, bare.Queue, bare.Wr = s.Qp, s.Queue, s.Wr
	case model.Resize:
		bare.Cq, bare.Outcome = s.Cq, s.Outcome
	case model.Overflow, model.CqInternalError, model.ExtraEvent:
		bare.Cq = s.Cq
	default:
		return false
	}
	return same(bare, s) && s.Cq+s.Qp != ""
}

// action returns the model's action for a step.
func (r *replay) action(s Step) (model.Action, error) {
	f := r.facts
	a := model.Action{Name: s.Action, Cq: f.cqs.index[s.Cq], Qp: f.qps.index[s.Qp], Token: model.NoToken}
	var bad error
	word := func(key, text string, name func(int) string, count int) int {
		for i := range count {
			if name(i) == text {
				return i
			}
		}
		bad = fmt.Errorf("%s has no %s %.20q", s.Action, key, text)
		return 0
	}
	outcome := func(key, text string) model.Outcome {
		return model.Outcome(word(key, text, func(i int) string { return model.Outcome(i).String() }, 3))
	}
	if s.Queue != "" {
		a.Queue = model.Queue(word("queue", s.Queue, func(i int) string { return model.Queue(i).String() }, 2))
	}
	switch s.Action {
	case model.NdkArmCq:
		a.Type = model.Arm(word("type", s.Type, func(i int) string { return model.Arm(i).String() }, 4))
	case model.NdkGetCqResults:
		a.N, a.K = *s.N, *s.K
	case model.NdkCqNotificationCallbackEnter:
		a.CqStatus = model.Health(word("cq_status", s.CqStatus, func(i int) string { return model.Health(i).String() }, 3))
	case model.NdkResizeCq:
		a.Depth = *s.Depth
	case model.Resize, model.NdkRequestCompletionEnter:
		a.Outcome = outcome("outcome", s.Outcome)
	case model.Post, model.PostRefused:
		a.Request, a.Deferred = f.byWr[s.Wr].Request, s.Deferred
	case model.TokenDies:
		a.Token = f.tokens[*s.Token]
	case model.Abort:
		a.Outcome, a.Received = outcome("outcome", s.Outcome), outcome("received", s.Received)
	case model.NdkCloseCompletionEnter:
		a.Dropped = true
	case model.Execute, model.Complete, model.CompletionLost:
		q := f.byWr[s.Wr]
		if q == nil {
			return a, fmt.Errorf("%s names %.40q, and the trace has no such request", s.Action, s.Wr)
		}
		if a.At = r.find(q); a.At < 0 || s.Qp != f.qps.list[q.qp] || s.Queue != q.queue.String() {
			return a, fmt.Errorf("%s is not in the %s queue of %s", s.Wr, s.Queue, s.Qp)
		}
		if s.Action != model.Execute {
			break
		}
		a.Outcome, a.Solicited = outcome("outcome", s.Outcome), s.Solicited
		if s.Token != nil {
			token, known := f.tokens[*s.Token]
			if !known {
				return a, fmt.Errorf("the trace names no token %d", *s.Token)
			}
			a.Token = token
		}
		if received := a.Queue == model.Receive && a.Outcome == model.SUCCESS; !received && (s.Solicited || s.Token != nil) {
			return a, fmt.Errorf("only a receive that succeeds has a message, solicited or with a token")
		}
	}
	return a, bad
}

// find returns the place of a request in its queue, or -1.
func (r *replay) find(q *request) int {
	return slices.IndexFunc(r.state.Qps[q.qp].Queue(q.queue), func(m model.Request) bool { return m.Id == q.Id })
}

// choose selects the next state in which the CQ is as the line says.
func (r *replay) choose(s Step, a model.Action, next []model.State, leaves *Leaves) error {
	if s.Action == model.Resize {
		next = slices.DeleteFunc(next, func(m model.State) bool { return OutcomeOfResize(m.Cqs[a.Cq]) != a.Outcome })
		if len(next) == 0 {
			return r.refuse("the step Resize can't end with %s", s.Outcome)
		}
	}
	if len(next) == 1 && leaves == nil {
		r.state = next[0]
		return nil
	}
	if leaves == nil {
		return r.refuse("the step %s may end in more than one way, and leaves is missing", s.Action)
	}
	if len(next) == 1 {
		return r.refuse("the step %s may end in one way only, and needs no leaves", s.Action)
	}
	cq := CqOf(&r.facts.contract, a)
	next = slices.DeleteFunc(next, func(m model.State) bool { return LeavesOf(m.Cqs[cq]) != *leaves })
	if len(next) != 1 {
		return r.refuse("the step %s can't leave the CQ armed %s with %d callbacks owed", s.Action, leaves.Arm, leaves.Due)
	}
	r.state = next[0]
	return nil
}
