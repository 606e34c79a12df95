package ruletable

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ndkoracle/rules"
)

var repository = os.DirFS("../..")

func readRows(t *testing.T, repository fs.FS) []Row {
	t.Helper()
	rows, err := Rows(repository)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// lost returns the rules that stand nowhere: without a definition in tla/, and without a reason why there is none. A reason
// beside a definition is out of date.
func lost(rows []Row) (nowhere, twice []string) {
	for _, r := range rows {
		switch {
		case len(r.Tla) == 0 && r.Elsewhere == "":
			nowhere = append(nowhere, r.Rule.ID)
		case len(r.Tla) > 0 && r.Elsewhere != "":
			twice = append(twice, r.Rule.ID)
		}
	}
	return nowhere, twice
}

// Every rule of the groups about states and order is defined in tla/, or the table says why it is not.
func TestEveryRuleStandsSomewhere(t *testing.T) {
	rows := readRows(t, repository)
	if nowhere, twice := lost(rows); len(nowhere)+len(twice) > 0 {
		t.Errorf("without a definition or a reason: %v; with both: %v", nowhere, twice)
	}
	for id := range elsewhere {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Rule.ID == id }) {
			t.Errorf("there is a reason for %s, which is no rule of the groups", id)
		}
	}
}

// What tla/ defines the model follows: some function of it names the rule.
func TestEveryDefinitionHasItsModel(t *testing.T) {
	for _, r := range readRows(t, repository) {
		if len(r.Tla) > 0 && len(r.Model) == 0 {
			t.Errorf("%s is defined by %v, and no function of the model names it", r.Rule.ID, r.Tla)
		}
	}
}

// A rule that its module no longer names is missed: the test above can fail.
func TestLostRuleIsMissed(t *testing.T) {
	without := fstest.MapFS{}
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (name == "build" || strings.HasPrefix(name, ".g")) {
			return fs.SkipDir
		}
		if needed := regexp.MustCompile(`\.go$|^tla/\w+\.tla$|^traces/manifest\.json$`); !entry.IsDir() && needed.MatchString(name) {
			text, err := fs.ReadFile(repository, name)
			if strings.HasPrefix(name, "tla/") {
				text = []byte(strings.ReplaceAll(string(text), "FLAG-04", "the flag"))
			}
			without[name] = &fstest.MapFile{Data: text}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if nowhere, _ := lost(readRows(t, without)); !slices.Equal(nowhere, []string{"FLAG-04"}) {
		t.Errorf("lost are %v, not FLAG-04", nowhere)
	}
}

// What a trace can show broken or kept has a trace, and the traces are there; what the judge checks has a check. The names of
// operators and functions are taken from the sources, so they exist.
func TestTracesOfTheTableExist(t *testing.T) {
	shown := 0
	for _, r := range readRows(t, repository) {
		for _, file := range []string{r.Broken.File, r.Kept.File} {
			if file == "" {
				continue
			}
			shown++
			if _, err := fs.Stat(repository, "traces/"+file); err != nil {
				t.Errorf("%s: %v", r.Rule.ID, err)
			}
		}
		if r.Broken.File != "" && len(r.Check) == 0 {
			t.Errorf("%s breaks %s, and no function of linearize/ names it", r.Broken.File, r.Rule.ID)
		}
	}
	if shown < 50 {
		t.Errorf("only %d traces are in the table", shown)
	}
}

// docs/rule-table.md is what "go generate ./internal/ruletable" writes.
func TestTableIsFresh(t *testing.T) {
	got, err := fs.ReadFile(repository, "docs/rule-table.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Markdown(readRows(t, repository)) {
		t.Error(`docs/rule-table.md is stale: run "go generate ./internal/ruletable"`)
	}
}

// readingsElsewhere are the readings that are no matter of order and states, or of objects that tla/ does not have.
var readingsElsewhere = map[string]string{
	"A13": "the flags that a request takes are its arguments",
	"A14": "an address is an argument",
	"A17": "the contract has no clock",
	"A18": "there are no shared receive queues in tla/",
	"A19": "there are no shared receive queues in tla/",
	"A20": "what a call returns beside its callback is an answer: linearize/search/returns.go",
	"A22": "what a close returns is an answer: linearize/search/returns.go",
	"A23": "a lost connection cancels nothing by itself in QueuePair, whatever ended it",
	"A27": "Consumer has patterns that arm and poll in the callback; a call that never returns there is a hung one",
	"A32": "the contract has no clock: an owed callback may come late",
}

var (
	chosen  = regexp.MustCompile(`(?m)^CONSTANTS? Reading <- (\w+)`)
	choices = regexp.MustCompile(`(?m)^(A\w+) == \[Default EXCEPT (.*)\]`)
	choice  = regexp.MustCompile(`!\.(A\d+) = "([^"]*)"`)
)

// Each choice of each reading that concerns order and states is a constant of tla/, and some configuration that must hold
// takes it. The others have a reason.
func TestEveryReadingIsChecked(t *testing.T) {
	module, err := fs.ReadFile(repository, "tla/Readings.tla")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := fs.ReadFile(repository, "tla/manifest.tsv")
	if err != nil {
		t.Fatal(err)
	}
	records := map[string][][]string{}
	for _, m := range choices.FindAllStringSubmatch(string(module), -1) {
		records[m[1]] = choice.FindAllStringSubmatch(m[2], -1)
	}
	taken := map[string]bool{}
	for line := range strings.Lines(string(manifest)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 || fields[2] != "pass" {
			continue
		}
		text, err := fs.ReadFile(repository, "tla/"+fields[0]+".cfg")
		if err != nil {
			t.Fatal(err)
		}
		if m := chosen.FindStringSubmatch(string(text)); m != nil {
			for _, c := range records[m[1]] {
				taken[c[1]+"="+c[2]] = true
			}
		}
	}
	for _, r := range rules.Readings() {
		if (r.Choices == nil) != (readingsElsewhere[r.ID] != "") {
			t.Errorf("%s has %d choices, and the reason why tla/ has none is %q", r.ID, len(r.Choices), readingsElsewhere[r.ID])
		}
		for _, c := range slices.Concat(r.Choices, nil)[min(1, len(r.Choices)):] {
			if !taken[r.ID+"="+c] {
				t.Errorf("no configuration that must hold takes %s=%s", r.ID, c)
			}
		}
	}
}
