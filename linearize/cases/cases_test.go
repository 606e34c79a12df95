package cases

import (
	"slices"
	"testing"

	"ndkoracle/model"
	"ndkoracle/rules"
)

// Every case has an id of its own, which names a rule of the rulebook, and a text; and they are in the order of the rulebook's groups.
func TestCasesAreOfRules(t *testing.T) {
	group := 0
	for _, c := range All() {
		rule, known := rules.Get(c.Rule())
		found, ok := Get(c.ID())
		at := slices.Index(rules.Groups(), rule.Group)
		if !known || !ok || found != c || c.Text() == "" || at < group {
			t.Errorf("case %d: id %q, rule %q, text %q, found as %d", c, c.ID(), c.Rule(), c.Text(), found)
		}
		group = max(group, at)
	}
	if _, ok := Get("ARM-07/NONE"); ok {
		t.Error("ARM-07/NONE is a case, which names no type that was asked for")
	}
}

// The cells of the merge table are named by both types (ARM-07).
func TestMergeTable(t *testing.T) {
	for c, want := range map[Case]string{
		Merge(model.NONE, model.ERRORS):   "ARM-07/NONE+ERRORS",
		Merge(model.SOLICITED, model.ANY): "ARM-07/SOLICITED+ANY",
		Merge(model.ANY, model.ANY):       "ARM-07/ANY+ANY",
		Refused(1):                        "DEF-05/SECOND", Refused(3): "DEF-05/FOURTH", Refused(9): "DEF-05/LATER",
	} {
		if c.ID() != want {
			t.Errorf("case %d is %s, want %s", c, c.ID(), want)
		}
	}
}
