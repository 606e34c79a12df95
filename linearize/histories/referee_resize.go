package histories

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// resize is what a resize does that was not refused: where its return tells of success, all of it.
func (ref *referee) resize(s model.State, of *interval) []model.State {
	steps := []model.Action{{Name: model.NdkResizeCq, Depth: int(*of.begin.Depth)}}
	if of.succeeded() {
		steps = append(steps, model.Action{Name: model.Resize}, model.Action{Name: model.NdkRequestCompletionEnter},
			model.Action{Name: model.NdkRequestCompletionExit})
	}
	return ref.steps(s, index(of.begin.Cq), steps...)
}

// resized is what the completion of a pending resize does.
func (ref *referee) resized(s model.State, of *interval, enter bool) []model.State {
	a := model.Action{Name: model.NdkRequestCompletionExit}
	if enter {
		if a.Name = model.NdkRequestCompletionEnter; !calls.ReportsSuccess(of.begin) {
			a.Outcome = model.FAILED
		}
	}
	for _, call := range ref.spans {
		if call.begin.Op == of.begin.For {
			return ref.steps(s, index(call.begin.Cq), a)
		}
	}
	return nil
}

// steps returns where steps of a CQ lead, one after the other.
func (ref *referee) steps(s model.State, cq int, steps ...model.Action) []model.State {
	all := []model.State{s}
	for _, a := range steps {
		a.Cq = cq
		var after []model.State
		for _, s := range all {
			next, _ := ref.c.Step(s, a)
			after = append(after, next...)
		}
		all = after
	}
	return all
}
