package verdict

import (
	"slices"
	"testing"

	"ndkoracle/model"
	"ndkoracle/rules"
)

// A report has every rule, and a trace in which nothing happens exercises none.
func TestNothingExercisesNothing(t *testing.T) {
	for _, dialect := range []string{"ndkpi", "ndspi", "verbs"} {
		d, err := model.ByName(dialect)
		if err != nil {
			t.Fatal(err)
		}
		r := &Report{Rules: map[string]RuleCoverage{}}
		r.Conclude(d)
		if r.Verdict != Conformant || len(r.Rules) != len(rules.All()) {
			t.Fatalf("%s: %s with %d rules: %+v", dialect, r.Verdict, len(r.Rules), r.Findings)
		}
		for id, c := range r.Rules {
			want := Vacuous
			if !slices.Contains(checkable, id) || dialect == "verbs" && slices.Contains(onlyNdk, id) {
				want = NotCheckable
			}
			if c.Coverage != want || c.Count != 0 {
				t.Errorf("%s: %s is %s, %d times, want %s", dialect, id, c.Coverage, c.Count, want)
			}
			if want == NotCheckable && c.Why == "" {
				t.Errorf("%s: %s is not checkable, and nothing says why", dialect, id)
			}
		}
	}
}

// What must happen in the end is not told as checked where something was left open.
func TestEventualRulesAreLeftOpen(t *testing.T) {
	d, err := model.ByName("ndkpi")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range checkable {
		r := &Report{Rules: map[string]RuleCoverage{id: {Coverage: Checked, Count: 1}}}
		r.Undecided("", NotAtRest)
		r.Conclude(d)
		want := Checked
		if slices.Contains(eventual, id) {
			want = Undecided
		}
		if have := r.Rules[id]; have.Coverage != want || (have.Why == "") != (want == Checked) {
			t.Errorf("%s: %+v, want %s", id, have, want)
		}
	}
}

// A rule that there is nothing to check of by the default readings counts where another reading found it broken (FLUSH-05, A15).
func TestRuleOfAnotherReadingCounts(t *testing.T) {
	d, err := model.Ndkpi().Assume("A15", "CANCELLED")
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Rules: map[string]RuleCoverage{"FLUSH-05": {Coverage: Checked, Count: 1}}}
	if r.Conclude(d); r.Rules["FLUSH-05"].Coverage != Checked || r.Rules["FLUSH-04"].Coverage != NotCheckable {
		t.Errorf("FLUSH-05: %+v, FLUSH-04: %+v", r.Rules["FLUSH-05"], r.Rules["FLUSH-04"])
	}
}

// A rule that is judged under other numbers, and one that only permits, are not told as rules that are not checked yet.
func TestWhyARuleIsNotCounted(t *testing.T) {
	d, err := model.ByName("ndkpi")
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Rules: map[string]RuleCoverage{}}
	r.Conclude(d)
	for id, want := range map[string]string{
		"POLL-06": "judged as POLL-04, POLL-05, POLL-09",
		"LIFE-10": "judged as DEF-04, LIFE-11",
		"RSZ-05":  "a permission: nothing to check",
	} {
		if have := r.Rules[id]; have.Coverage != NotCheckable || have.Why != want {
			t.Errorf("%s: %+v, want %q", id, have, want)
		}
	}
}
