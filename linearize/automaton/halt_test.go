package automaton

import (
	"slices"
	"testing"

	"ndkoracle/model"
)

// A machine that is halted works nothing out any more, and what it has not worked out explains and refutes nothing.
func TestHalted(t *testing.T) {
	for name, take := range map[string]func(*Queue) bool{
		"a callback that nobody owes": func(q *Queue) bool { return q.Entered(model.OK, 1) },
		"an arm":                      func(q *Queue) bool { return q.ArmCalled(model.ANY, 1) },
	} {
		m := New(model.Ndkpi(), 0)
		q := m.NewQueue(false)
		m.Halt()
		if alive := take(q); !alive || q.Err() != ErrHalted {
			t.Errorf("%s: alive %t, error %v", name, alive, q.Err())
		}
	}
}

// Nor does it leave out an explanation before it has found that another covers it: what is left might be refuted by what it knows.
func TestHaltedLeavesOutNothing(t *testing.T) {
	m := New(model.Ndkpi(), 0)
	q := m.NewQueue(false)
	q.Pending(4)
	q.ArmCalled(model.ANY, 1)
	q.ArmReturned(0, 2)
	q.Entered(model.OK, 3)
	all := q.set.alive
	if len(all) < 2 {
		t.Fatalf("%d explanations", len(all))
	}
	m.Halt()
	if left := m.uncovered(slices.Clone(all)); len(left) != len(all) {
		t.Errorf("%d of %d explanations are left", len(left), len(all))
	}
}
