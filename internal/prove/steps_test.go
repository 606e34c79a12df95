package prove

import (
	"testing"
	"time"

	"ndkoracle/internal/prove/smt"
)

// CASE of which the arms are actions takes the first arm that holds, and EXCEPT at an unknown field changes that field alone (INV-01).
func TestArmsAndUnknownFields(t *testing.T) {
	const text = `EXTENDS Integers
CONSTANT Most
VARIABLES v, at
Set == {"q", "r"}
Shape == v \in [Set -> Int] /\ at \in STRING
Bounds == 1 <= Most
MCInit == v = [q \in Set |-> 0] /\ at = "q"
MCNext == /\ CASE v[at] > 5 -> v' = [v EXCEPT ![at] = 1] [] v[at] > 0 -> v' = [v EXCEPT ![at] = 2] [] OTHER -> v' = [v EXCEPT ![at] = 3]
          /\ at' = at
InSet == at \in Set
First == [][v[at] > 5 => v'[at] = 1]_v
Other == [][\A q \in Set : q # at => v'[q] = v[q]]_v
Second == [][v[at] > 5 => v'[at] = 2]_v
Each == [][\A q \in Set : v'[q] = v[q]]_v
`
	for property, want := range map[string]bool{"First": true, "Other": true, "Second": false, "Each": false} {
		p := load(t, text, "INVARIANT InSet PROPERTY "+property)
		conditions, err := p.Conditions()
		if err != nil {
			t.Fatal(err)
		}
		failures, err := p.Solve(t.Context(), smt.Z3, 5*time.Second, conditions)
		if proved := len(failures) == 0; err != nil || proved != want || p.Paths() != 3 {
			t.Errorf("%s: proved is %v on %d paths, %v", property, proved, p.Paths(), err)
		}
	}
}
