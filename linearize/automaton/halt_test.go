package automaton

import (
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
