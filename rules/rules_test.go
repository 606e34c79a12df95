package rules_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ndkoracle/rules"
)

// Covers every rule: each is there once, in its group, in which none is missing between the others, complete, and of a known party and class.
func TestRulebookIsComplete(t *testing.T) {
	parties := map[rules.Who]bool{
		rules.Provider: true, rules.Consumer: true, rules.Both: true, rules.PeersProvider: true,
	}
	shape := regexp.MustCompile(`^[A-Z]+-[0-9]{2}$`)
	seen := map[string]bool{}
	sizes := map[string]int{}
	for _, rule := range rules.All() {
		if seen[rule.ID] || !shape.MatchString(rule.ID) {
			t.Errorf("%s: the id is taken or not of the form ARM-04", rule.ID)
		}
		seen[rule.ID] = true
		sizes[rule.Group]++
		if got, ok := rules.Get(rule.ID); !ok || got.Text != rule.Text {
			t.Errorf("%s: Get does not find the rule", rule.ID)
		}
		if !parties[rule.Who] {
			t.Errorf("%s: unknown party %q", rule.ID, rule.Who)
		}
		if rule.Class.Meaning() == "" {
			t.Errorf("%s: unknown class %q", rule.ID, rule.Class)
		}
		if !strings.HasSuffix(rule.Text, ".") || rule.Source == "" {
			t.Errorf("%s: the text must be a sentence and the source must be named: %q, %q", rule.ID, rule.Text, rule.Source)
		}
	}
	for _, group := range rules.Groups() {
		if rules.GroupTitle(group) == "" || sizes[group] == 0 {
			t.Errorf("group %s has no title, or no rules", group)
		}
		for n := 1; n <= sizes[group]; n++ {
			if id := fmt.Sprintf("%s-%02d", group, n); !seen[id] {
				t.Errorf("%s is missing between the others", id)
			}
		}
		delete(sizes, group)
	}
	if len(sizes) > 0 {
		t.Errorf("groups without a title: %v", sizes)
	}
}

// Covers the readings: each is complete, a rule refers to each, and no rule refers to one that does not exist.
func TestReadingsAndRulesAgree(t *testing.T) {
	unused := map[string]bool{}
	for _, reading := range rules.Readings() {
		unused[reading.ID] = true
		if !strings.HasSuffix(reading.Question, "?") || reading.Default == "" || reading.Strict == "" {
			t.Errorf("%s: a reading needs a question, a default and a strict answer", reading.ID)
		}
		if len(reading.Choices) == 1 {
			t.Errorf("%s: one choice is none", reading.ID)
		}
	}
	for _, rule := range rules.All() {
		for _, id := range rule.Readings {
			if _, ok := rules.GetReading(id); !ok {
				t.Errorf("%s refers to the reading %s, which does not exist", rule.ID, id)
			}
			delete(unused, id)
		}
	}
	if len(unused) > 0 {
		t.Errorf("no rule refers to the readings %v", unused)
	}
}

// Covers rule references inside the table: a rule that a text or source names exists.
func TestRulesNamedInTextsExist(t *testing.T) {
	named := regexp.MustCompile(`\b[A-Z]+-[0-9]{2}\b`)
	for _, rule := range rules.All() {
		for _, id := range named.FindAllString(rule.Text+" "+rule.Source+" "+rule.Ambiguity, -1) {
			if _, ok := rules.Get(id); !ok {
				t.Errorf("%s names %s, which does not exist", rule.ID, id)
			}
		}
	}
}

// Covers the rules that are judged under other numbers: all of these exist, and none is judged under yet another one.
func TestRulesThatOthersAreJudgedAsExist(t *testing.T) {
	judged := 0
	for _, rule := range rules.All() {
		for _, id := range rule.JudgedAs {
			judged++
			if as, ok := rules.Get(id); !ok || as.JudgedAs != nil || id == rule.ID {
				t.Errorf("%s is judged as %s, which does not exist or is not judged itself", rule.ID, id)
			}
		}
	}
	if judged == 0 {
		t.Error("no rule is judged as another one")
	}
}

// Covers what is said of rules that no engine names, one of each kind.
func TestWithoutCheck(t *testing.T) {
	for id, want := range map[string]string{
		"FLAG-09": "judged as DEF-04, POLL-05",
		"POLL-10": "a permission: nothing to check",
		"MEM-01":  "no engine of this program checks it yet",
	} {
		if rule, _ := rules.Get(id); rule.WithoutCheck() != want {
			t.Errorf("%s: %q, want %q", id, rule.WithoutCheck(), want)
		}
	}
}

// Covers lookup: an unknown id is not found.
func TestUnknownIDsAreNotFound(t *testing.T) {
	if _, ok := rules.Get("ARM-99"); ok {
		t.Error("ARM-99 was found")
	}
	if _, ok := rules.GetReading("A0"); ok {
		t.Error("A0 was found")
	}
	if rules.GroupTitle("NONE") != "" {
		t.Error("the group NONE has a title")
	}
}
