package divergences

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ndkoracle/traces"
)

// Each document is what the manifest says.
func TestDocumentIsUpToDate(t *testing.T) {
	rows, err := traces.Rows(os.DirFS("../../traces"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range Documents(rows) {
		if written, err := os.ReadFile("../../" + name); err != nil || string(written) != text {
			t.Errorf("%s is out of date (%v): go generate ./internal/divergences", name, err)
		}
	}
}

// Each trace of the folder of known divergences has an engine that diverges, and each row that has one is in the table once.
func TestEveryDivergenceIsInTheTable(t *testing.T) {
	rows, err := traces.Rows(os.DirFS("../../traces"))
	if err != nil {
		t.Fatal(err)
	}
	text, diverging := strings.Join(slices.Collect(maps.Values(Documents(rows))), ""), 0
	for i := range rows {
		r := &rows[i]
		if len(r.Engines) == 0 {
			if strings.HasPrefix(r.File, "known-divergences/") {
				t.Errorf("%s: no engine diverges: it belongs to accept/ or reject/", r.Name())
			}
			continue
		}
		if diverging++; strings.Count(text, line(r)) != 1 {
			t.Errorf("%s is in the table %d times", r.Name(), strings.Count(text, line(r)))
		}
	}
	if diverging == 0 {
		t.Error("no row diverges")
	}
}

// A row stands in the section of the worst that an engine says of it.
func TestKindOfDivergence(t *testing.T) {
	const violation, conformant, open = "provider violation", "conformant", "inconclusive"
	for want, answers := range map[kind][]string{
		otherVerdict: {conformant, open},
		undecided:    {violation, open},
		otherPlace:   {violation},
	} {
		r := &traces.Row{Verdict: violation, Rule: "ARM-04", Engines: map[string]traces.Answer{}}
		for i, a := range answers {
			r.Engines[Engines[i]] = traces.Answer{Verdict: a}
		}
		if got := kindOf(r); got != want {
			t.Errorf("%v: %q, want %q", answers, got.title, want.title)
		}
	}
}
