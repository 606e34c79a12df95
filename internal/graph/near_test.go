package graph

import (
	"slices"
	"testing"

	"ndkoracle/internal/clause"
)

// in is a clause of a definition of tla/.
func in(definition, text string) clause.Clause {
	return clause.Clause{File: "tla/M.tla", In: definition, Text: text}
}

// The clauses that have most to do with a difference come first, and each once (any rule).
func TestOrder(t *testing.T) {
	take, alone := in("Take", "Leaves(p)"), in("Alone", "TRUE")
	leaves, beside := in("Leaves", "p' = After(p)"), in("Leaves", "p # 0")
	after, half := in("After", "Half(@)"), in("Half", "@ \\div 2")
	all := []clause.Clause{alone, take, beside, leaves, half, after}
	if got, want := nearest(all, []clause.Clause{leaves, leaves}), []clause.Clause{leaves, take, beside, after, half}; !slices.Equal(got, want) {
		t.Errorf("the nearest first:\n%v, not\n%v", got, want)
	}
	if got, want := nearest(all, nil), 0; len(got) != want {
		t.Errorf("near nothing: %v", got)
	}
	open, room, depth := in("CanPlace", `r.open # "CLOSED"`), in("CanPlace", "Len(r.entries) < Capacity(r)"), in("Capacity", "r.depth")
	refused := clause.Clause{File: "model/cq.go", In: "place", Text: "len(q.Entries) >= capacity"}
	guards := []clause.Clause{depth, open, room}
	if got, want := likest(guards, []clause.Clause{refused}), []clause.Clause{room, depth, open}; !slices.Equal(got, want) {
		t.Errorf("the likest first:\n%v, not\n%v", got, want)
	}
	if got := likest(guards, nil); !slices.Equal(got, guards) {
		t.Errorf("like nothing: %v", got)
	}
}
