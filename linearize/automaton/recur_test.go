package automaton

import (
	"math/rand/v2"
	"testing"

	"ndkoracle/model"
)

// A guess is a consumer that arms for solicited completions before each receive, has a callback that does not poll after half of them, and polls
// each so many: it is not known which of them was solicited, and callbacks that may be owed accumulate (A2).
type guess struct {
	q      *Queue
	random *rand.Rand
	now    Moment
}

func (g *guess) at() Moment {
	g.now++
	return g.now
}

func (g *guess) round(receives int) {
	posted := make([]Moment, receives)
	for i := range posted {
		g.q.ArmCalled(model.SOLICITED, g.at())
		g.q.ArmReturned(0, g.at())
		posted[i] = g.at()
		g.q.Pending(i + 1)
		if g.random.IntN(2) == 0 {
			g.q.Entered(model.OK, g.at())
			g.q.Exited(g.at())
		}
	}
	for _, at := range posted {
		g.q.Delivered(Delivery{Kinds: Plain | Solicited, From: at, Counted: at, Called: at}, g.at())
	}
}

// Even if it is not known which completion each callback was for, the sets of explanations recur: however many callbacks may be owed by now, and
// whether the last poll had room for more or not. Covers ARM-02, A2.
func TestSetsComeAgain(t *testing.T) {
	m := New(model.Ndkpi(), 0)
	g := guess{q: m.NewQueue(false), random: rand.New(rand.NewPCG(1, 1))}
	for range 500 {
		g.round(12)
		if !g.q.Alive() || g.q.Err() != nil {
			t.Fatal(g.q.Why(), g.q.Err())
		}
		for _, x := range g.q.set.alive {
			if len(x.cells) > 0 {
				t.Fatalf("after all was delivered: %v", x.cells)
			}
		}
	}
	if g.q.debt < 1000 {
		t.Errorf("%d callbacks may be owed beside those that the explanations say", g.q.debt)
	}
	if n := len(m.sets); n < 100 || n > 800 { // 583; 1,308 where the debt is given back in portions
		t.Errorf("%d sets", n)
	}
}
