package tlc

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quotedText   = regexp.MustCompile(`"([^"]*)"`)
	patternsOf   = regexp.MustCompile(`Patterns = (\{[^}]*\})`)
	awaitedBy    = regexp.MustCompile(`Awaited = (\{[^}]*\})`)
	patternOfUse = regexp.MustCompile(`pattern = ("[^"]*")`)
)

// elements returns the texts in the set that the pattern finds.
func elements(pattern *regexp.Regexp, text string) []string {
	var all []string
	for _, set := range pattern.FindAllStringSubmatch(text, -1) {
		for _, m := range quotedText.FindAllStringSubmatch(set[1], -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// readingsOfDialects are the readings under which the table has the dialects, where that is not Default.
var readingsOfDialects = map[string]string{"ndspi": "A7_MUST_NOT_A16_REFUSED"}

// checkedUses returns what the manifest says of each pattern of use in each dialect: "proved" when nothing is slept through and
// everything is polled in the end, for a consumer of either kind; "refuted" when a consumer sleeps beside a completion. Other
// readings than those of the table are left aside.
func checkedUses(t *testing.T) map[[2]string]string {
	t.Helper()
	proofs := map[[2]string]map[string]bool{} // of what, by property and what the consumer awaits
	verdicts := map[[2]string]string{}
	for _, c := range readManifest(t) {
		if c.Module != "MCConsumer" {
			continue
		}
		config := readConfig(t, c)
		constants := strings.Join(config["CONSTANT"], " ")
		if !strings.Contains(constants, "Reading <- "+cmp.Or(readingsOfDialects[config.dialect()], "Default")+" ") {
			continue
		}
		patterns, awaited := elements(patternsOf, constants), elements(awaitedBy, constants)
		if len(patterns) == 0 || len(awaited) == 0 {
			t.Errorf("%s: %d patterns, %d kinds of completions awaited", c.Name, len(patterns), len(awaited))
		}
		for _, pattern := range patterns {
			use := [2]string{pattern, config.dialect()}
			switch {
			case c.Verdict == Fail && len(patterns) == 1 && slices.Equal(awaited, []string{"ANY"}):
				verdicts[use] = "refuted"
			case c.Verdict == Fail:
				t.Errorf("%s refutes %d patterns for consumers of %q: which is not said", c.Name, len(patterns), awaited)
			}
			for _, property := range config.properties() {
				for _, kind := range awaited {
					if proofs[use] == nil {
						proofs[use] = map[string]bool{}
					}
					proofs[use][property+" "+kind] = c.Verdict == Pass
				}
			}
		}
	}
	for use, proved := range proofs {
		if proved["NoCompletionSleptThrough ANY"] && proved["NoCompletionSleptThrough SOLICITED"] &&
			proved["EveryCompletionPolled ANY"] && proved["EveryCompletionPolled SOLICITED"] {
			if verdicts[use] != "" {
				t.Errorf("%q is proved and refuted", use)
			}
			verdicts[use] = "proved"
		}
	}
	return verdicts
}

// Each pattern of Consumer.tla is proved or refuted in each dialect (ARM-04, ARM-23), and the table of tla/README.md says
// which.
func TestPatternsOfUse(t *testing.T) {
	module, err := os.ReadFile(filepath.Join(tla, "Consumer.tla"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(tla, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| pattern |")
	table, _, _ = strings.Cut("| pattern |"+table, "\n\n")
	lines := strings.Split(table, "\n")
	cells := func(line string) []string { return strings.Split(strings.Trim(line, "| "), " | ") }
	said := map[[2]string]string{}
	for _, line := range lines[min(len(lines), 2):] {
		row := cells(line)
		for i, dialect := range cells(lines[0])[1:] {
			verdict, _, _ := strings.Cut(row[i+1], " ") // that it is proved for every depth is for the proofs to say
			said[[2]string{strings.Trim(row[0], "`"), dialect}] = verdict
		}
	}

	checked := checkedUses(t)
	patterns := elements(patternOfUse, string(module))
	if len(patterns) < 7 {
		t.Fatalf("Consumer.tla has the patterns %q only", patterns)
	}
	for _, pattern := range patterns {
		for _, dialect := range cells(lines[0])[1:] {
			use := [2]string{pattern, dialect}
			if checked[use] == "" || said[use] != checked[use] {
				t.Errorf("%q in %s: the configurations have it %q, README.md says %q", pattern, dialect, checked[use], said[use])
			}
			delete(said, use)
		}
	}
	for use := range said {
		t.Errorf("README.md speaks of %q, which is no pattern of Consumer.tla in a dialect", use)
	}
}
