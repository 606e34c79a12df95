package search

import (
	"testing"

	"ndkoracle/model"
)

// What a state takes is counted with what it holds: the bound of memory is near what a search takes.
func TestStatesAreCountedWithWhatTheyHold(t *testing.T) {
	const held, pending = 1000, 500
	of := func(entries, requests int) int {
		s := state{model: model.State{Cqs: []model.Cq{{Entries: make([]model.Completion, entries)}},
			Qps: []model.Qp{{Initiator: make([]model.Request, requests)}}}}
		return (&component{}).made(&s, model.Action{})
	}
	little, much := of(0, 0), of(held, pending)
	if want := held*size[model.Completion]() + pending*size[model.Request](); much < want || much > 2*want {
		t.Errorf("%d bytes of a state whose slices take %d", much, want)
	}
	if little > 1<<10 {
		t.Errorf("%d bytes of a state that holds nothing", little)
	}
}
