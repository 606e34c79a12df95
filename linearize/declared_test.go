package linearize

import (
	"testing"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/rules"
)

// A report has every rule, and a trace in which nothing happens exercises none.
func TestNothingExercisesNothing(t *testing.T) {
	for _, dialect := range []string{"ndkpi", "ndspi", "verbs", "kverbs"} {
		d, err := model.ByName(dialect)
		if err != nil {
			t.Fatal(err)
		}
		r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
		r.Conclude(d)
		if r.Verdict != verdict.Conformant || len(r.Rules) != len(rules.All()) {
			t.Fatalf("%s: %s with %d rules: %+v", dialect, r.Verdict, len(r.Rules), r.Findings)
		}
		for id, c := range r.Rules {
			want := verdict.Vacuous
			if rule := declared.Get(id); rule == nil || d.Ibverbs && rule.OnlyNdk || d.EventsAreRead && rule.OnlyCalls {
				want = verdict.NotCheckable
			}
			if c.Coverage != want || c.Count != 0 {
				t.Errorf("%s: %s is %s, %d times, want %s", dialect, id, c.Coverage, c.Count, want)
			}
			if want == verdict.NotCheckable && c.Why == "" {
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
	for _, id := range declared.IDs() {
		r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{id: {Coverage: verdict.Checked, Count: 1}}}
		r.Undecided("", verdict.NotAtRest)
		r.Conclude(d)
		want := verdict.Checked
		if declared.Get(id).Eventual {
			want = verdict.Undecided
		}
		if have := r.Rules[id]; have.Coverage != want || (have.Why == "") != (want == verdict.Checked) {
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
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{"FLUSH-05": {Coverage: verdict.Checked, Count: 1}}}
	if r.Conclude(d); r.Rules["FLUSH-05"].Coverage != verdict.Checked || r.Rules["FLUSH-04"].Coverage != verdict.NotCheckable {
		t.Errorf("FLUSH-05: %+v, FLUSH-04: %+v", r.Rules["FLUSH-05"], r.Rules["FLUSH-04"])
	}
}

// A rule that is judged under other numbers, and one that only permits, are not told as rules that are not checked yet.
func TestWhyARuleIsNotCounted(t *testing.T) {
	d, err := model.ByName("ndkpi")
	if err != nil {
		t.Fatal(err)
	}
	r := &verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
	r.Conclude(d)
	for id, want := range map[string]string{
		"POLL-06": "judged as POLL-04, POLL-05, POLL-09",
		"LIFE-10": "judged as DEF-04, LIFE-11",
		"RSZ-05":  "a permission: nothing to check",
	} {
		if have := r.Rules[id]; have.Coverage != verdict.NotCheckable || have.Why != want {
			t.Errorf("%s: %+v, want %q", id, have, want)
		}
	}
}

// The rules of the clauses are declared, or the judge names another rule for them (FLAG-04), or they are permissions until a reading is taken (FLUSH-05).
func TestRulesOfClausesAreDeclared(t *testing.T) {
	for _, r := range clauses.Rules {
		rule, _ := rules.Get(r.ID)
		if r.ID != "" && declared.Get(r.ID) == nil && rule.JudgedAs == nil && rule.Class != rules.Permission {
			t.Errorf("a clause is of %s, and nobody declares it: %s", r.ID, r.Clause)
		}
	}
}
