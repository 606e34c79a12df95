package main

import (
	"bytes"
	"os"
	"path/filepath"
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

// docs/rules.md is what "go generate ./cmd/tracecheck" writes.
func TestRulesDocumentIsFresh(t *testing.T) {
	b := newBench(t)
	b.checkable = verdict.Checkable
	b.do("rules", "--format", "markdown")
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.out.Bytes()) {
		t.Error("docs/rules.md is stale: run \"go generate ./cmd/tracecheck\"")
	}
}
