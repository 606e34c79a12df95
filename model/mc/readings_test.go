package mc

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/model"
	"ndkoracle/rules"
)

var choicesOfTla = regexp.MustCompile(`(A\d+) +\|-> \{([^}]*)\}`)

// The readings that can be chosen are the same in the rulebook, in the module Readings and in the model; so are the defaults.
func TestReadingsAgree(t *testing.T) {
	module, err := os.ReadFile("../../tla/Readings.tla")
	if err != nil {
		t.Fatal(err)
	}
	choices := map[string][]string{}
	for _, m := range choicesOfTla.FindAllStringSubmatch(string(module), -1) {
		for _, choice := range quoted.FindAllStringSubmatch(m[2], -1) {
			choices[m[1]] = append(choices[m[1]], choice[1])
		}
	}
	defaults := (&configuration{tla: tla}).record("Readings", "Default")
	for _, r := range rules.Readings() {
		ours, theirs := slices.Sorted(slices.Values(r.Choices)), slices.Sorted(slices.Values(choices[r.ID]))
		if r.IsOfCalls() {
			ours = nil
		}
		if !slices.Equal(ours, theirs) {
			t.Errorf("%s: the rulebook has the choices %q, Readings.tla has %q", r.ID, ours, theirs)
		}
		delete(choices, r.ID)
		for i, choice := range r.Choices {
			d, err := model.Ndkpi().Assume(r.ID, choice)
			if err != nil {
				t.Errorf("the model: %v", err)
			}
			if isDefault := d == model.Ndkpi(); isDefault != (i == 0) || !r.IsOfCalls() && isDefault != (defaults[r.ID] == choice) {
				t.Errorf("%s=%s: first in the rulebook, default of the model and default of Readings.tla are not the same one", r.ID, choice)
			}
		}
	}
	if len(choices) > 0 {
		t.Errorf("the rulebook lacks the readings of %s", strings.Join(slices.Sorted(maps.Keys(choices)), ", "))
	}
}

// The dialects are the same in the module Dialects and in the model.
func TestDialectsAgree(t *testing.T) {
	for name, want := range map[string]model.Dialect{
		"Ndkpi": model.Ndkpi(), "Ndspi": model.Ndspi(), "Verbs": model.Verbs(), "VerbsDevice": model.VerbsDevice(),
		"Kverbs": model.Kverbs(), "KverbsDevice": model.Kverbs().AtDevice(),
	} {
		c := &configuration{tla: tla, constants: map[string]string{"Dialect": name, "Reading": "Default"}}
		got := c.dialect()
		want.Traced = model.Traced{} // no state of the specification tells it
		if c.err != nil || got != want {
			t.Errorf("%s: tla/ has %+v (%v), the model %+v", name, got, c.err, want)
		}
	}
}
