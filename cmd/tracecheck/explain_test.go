package main

import (
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

// Covers every rule and reading: explain tells its text, source and open question.
func TestExplain(t *testing.T) {
	b := newBench(t)
	flat := func() string { return strings.Join(strings.Fields(b.out.String()), " ") }
	for _, rule := range rules.All() {
		code := b.do("explain", strings.ToLower(rule.ID))
		for _, want := range []string{rule.ID, rule.Text, rule.Source, rule.Ambiguity, string(rule.Who), rule.Class.Meaning()} {
			if code != 0 || !strings.Contains(flat(), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: exit %d, no %q in\n%s", rule.ID, code, want, &b.out)
			}
		}
		checked := strings.Contains(flat(), "checked tracecheck")
		if want := rule.ID == "ARM-01" || rule.ID == "ARM-02" || rule.ID == "ARM-11" || rule.ID == "DEF-03"; checked != want {
			t.Errorf("%s: checked %t", rule.ID, checked)
		}
	}
	for _, rule := range rules.All() { // a group has its rules, and no other
		for _, group := range []string{"ARM", "flush"} {
			code := b.do("explain", group)
			if has := strings.Contains(b.out.String(), "\n  "+rule.ID+" "); code != 0 || has != strings.EqualFold(rule.Group, group) {
				t.Errorf("%s: exit %d, tells %s: %t", group, code, rule.ID, has)
			}
		}
	}
	if b.do("explain", "A4"); !strings.Contains(flat(), "--assume A4=VALUE, one of MAY, MUST, MUST NOT") {
		t.Errorf("A4:\n%s", &b.out)
	}
}

func TestListRules(t *testing.T) {
	b := newBench(t)
	b.do("rules")
	if got, want := strings.Count(b.out.String(), "\n"), len(rules.All()); got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
	b.do("rules", "FLUSH", "RSZ")
	if got, want := strings.Count(b.out.String(), "\n"), rulesOf("FLUSH", "RSZ"); got != want {
		t.Errorf("%d lines of FLUSH and RSZ, want %d", got, want)
	}
}

// rules --format markdown has each rule, in a table for each group, and says which ones the program checks.
func TestRulesAsMarkdown(t *testing.T) {
	b := newBench(t)
	b.checkable = verdict.Checkable
	b.do("rules", "--format", "markdown")
	for _, rule := range rules.All() {
		if !strings.Contains(b.out.String(), "\n| "+rule.ID+" | ") || !strings.Contains(b.out.String(), "\n## "+rule.Group+": ") {
			t.Errorf("%s is not there", rule.ID)
		}
	}
	if !strings.Contains(b.out.String(), "| `tracecheck` |\n") {
		t.Error("no rule is checked")
	}
}
