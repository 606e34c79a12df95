package automaton

import (
	"slices"
	"testing"
)

// Of no set does one explanation cover another, whatever event led to it, and what tells pairs apart at once never parts one that
// covers the other. Covers ARM-02.
func TestSetsHaveNothingNeedless(t *testing.T) {
	for _, d := range dialects() {
		m := New(d, 0)
		for n := range uint64(60) {
			w := newWalk(d, *seed+n, 7)
			w.points = w.draw(5, "points") == 4
			for range w.draw(40, "steps") {
				w.go1()
			}
			if valid(w.seen) {
				_, _, _, _ = compare(m, w.consumer, w.seen)
			}
		}
		held := 0
		for _, s := range m.sets {
			if left := m.uncovered(slices.Clone(s.alive)); len(left) != len(s.alive) {
				t.Fatalf("%s: seed %d: %d explanations, %d of them covered by others", d.Name, *seed, len(s.alive), len(s.alive)-len(left))
			}
			for _, x := range s.alive {
				for _, y := range s.alive {
					for i, w := range m.ways(x.control) {
						if !m.holds(x, w.steps, y) {
							continue
						}
						if held++; !tallyOf(x.cells).mayHold(i > 0, tallyOf(y.cells)) {
							t.Fatalf("%s: seed %d: %v and %v hold %v", d.Name, *seed, x.cells, w.steps, y.cells)
						}
					}
				}
			}
		}
		if len(m.sets) < 100 || held < 100 {
			t.Errorf("%s: %d sets, %d pairs", d.Name, len(m.sets), held)
		}
	}
}
