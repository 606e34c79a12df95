package main

import (
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Of a bug that is found again and again a person is shown three findings, and where the others are (ARM-02, POLL-05). Other rules are shown beside it, and
// no format for machines loses one.
func TestRepeatsAreCounted(t *testing.T) {
	r := &result{report: &verdict.Report{File: "f"}, trace: &trace.Trace{}}
	add := func(rule string, line int, follows *verdict.Origin) {
		r.report.Findings = append(r.report.Findings, verdict.Finding{Verdict: verdict.ProviderViolation, Rule: rule, Line: line, Follows: follows})
	}
	for line := 10; line < 25; line++ {
		add("ARM-02", line, nil)
	}
	add("POLL-05", 30, nil)
	add("ARM-02", 31, &verdict.Origin{Rule: "POLL-05", Line: 30})
	add("ARM-02", 0, nil)
	shown, rest := r.shown()
	var got []string
	for _, f := range shown {
		got = append(got, f.Rule)
	}
	if want := []string{"ARM-02", "ARM-02", "ARM-02", "POLL-05", "ARM-02"}; !slices.Equal(got, want) || shown[4].Follows == nil {
		t.Errorf("shown are %v, not %v", got, want)
	}
	want := "and 13 more of ARM-02, the first at lines 13, 14, 15, 16, 17, 18, 19, 20, 21, 22; --format json has all"
	if len(rest) != 1 || rest[0].String() != want {
		t.Errorf("the rest is %v, not %s", rest, want)
	}
	if all := r.remarks(&settings{}); len(all) != len(r.report.Findings) {
		t.Errorf("%d remarks for machines of %d findings", len(all), len(r.report.Findings))
	}
	some := r.remarksShown(&settings{})
	if len(some) != len(shown)+1 || some[len(shown)].line != 13 || some[len(shown)].text != want || some[len(shown)].level != isNote {
		t.Errorf("a person is shown the remarks %+v", some)
	}
}

// However many rules are broken, twenty findings are shown, and each other rule is named.
func TestManyRulesAreNamed(t *testing.T) {
	r := &result{report: &verdict.Report{}}
	for i := range findingsShown + 2 {
		r.report.Findings = append(r.report.Findings, verdict.Finding{Verdict: verdict.Inconclusive, Rule: strings.Repeat("I", i+1), Line: i})
	}
	shown, rest := r.shown()
	if len(shown) != findingsShown || len(rest) != 2 || rest[1].String() != "and 1 more of "+strings.Repeat("I", findingsShown+2)+", at line 21; --format json has all" {
		t.Errorf("%d shown, and of the others %v", len(shown), rest)
	}
}
