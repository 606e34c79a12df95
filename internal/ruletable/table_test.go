package ruletable

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/altered"
	"ndkoracle/linearize/verdict"
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

// Every rule of the groups about states and order has a definition, a property, a check and a trace; or a reason, and no
// reason too many.
func TestEveryRuleStandsOrSaysWhyNot(t *testing.T) {
	for _, complaint := range Complaints(readRows(t, repository)) {
		t.Error(complaint)
	}
}

// A rule that loses the last of what it has in a cell is missed, and so is a reason that is given for nothing: the test above
// can fail.
func TestWhatIsLostIsMissed(t *testing.T) {
	for name, test := range map[string]struct {
		altered.Repository
		want string
	}{
		"its definition": {altered.Without(t, "tla/*.tla", "FLAG-04", "the flag"), "FLAG-04 has no definition, and no reason why"},
		"its definition, and has its property still": {altered.Without(t, "tla/QueuePair.tla", `(?m)\(DEF-05\)(.*\*\))$`, "$1"),
			"DEF-05 has no definition, and no reason why"},
		"its definition, and has what its property is made of still": {altered.Without(t, "tla/CompletionQueue.tla", `(Reading\.A5 +\\\*) ARM-10`, "$1"),
			"ARM-10 has no definition, and no reason why"},
		"its properties, of the configurations": {altered.Without(t, "tla/*.cfg", `\b(FlushIsOwn|SrqIsNotFlushed)\b`, ""),
			"FLUSH-04 has no property, and no reason why"},
		"its property's number": {altered.Without(t, "tla/*.tla", `(?m)^(\\\* )FLUSH-04: |( *\\\*) FLUSH-04$`, "$1$2"),
			"FLUSH-04 has no property, and no reason why"},
		"its check":  {altered.Without(t, "linearize/monitor/*.go", `"LIFE-11"`, `"no rule"`), "LIFE-11 has no check, and no reason why"},
		"its traces": {altered.Without(t, "traces/manifest.json", "LIFE-11", "ASY-01"), "LIFE-11 has no trace, and no reason why"},
		"its reason": {altered.Without(t, reasonsFile, "(?m)^INV-03\tcheck trace\t.*\n", ""), "INV-03 has no check, and no reason why"},
		"the need of a reason": {altered.Without(t, reasonsFile, "(?m)^(INV-03\t)check", "${1}property check"),
			"INV-03 has a property, and a reason why it has none: "},
		"the need of a reason, as it is defined": {altered.Without(t, "tla/*.tla", `\\\* ARM-18, too\.`, "$0 INV-04"),
			"INV-04 has a definition, and a reason why it has none: "},
	} {
		complaints := strings.Join(Complaints(readRows(t, test.Repository)), "\n")
		if !strings.Contains(complaints, test.want) {
			t.Errorf("a rule lost %s, and the complaints are %q, not %q", name, complaints, test.want)
		}
	}
}

// What cannot be read is an error that says where and why.
func TestErrors(t *testing.T) {
	const head = reasonsHeader + "\n"
	for want, c := range map[string]altered.Repository{
		"reasons.tsv:1: the header is not":                      {reasonsFile: "rule\n"},
		"reasons.tsv:2: not a rule, the cells":                  {reasonsFile: head + "ARM-14\tcheck\n"},
		`reasons.tsv:3: "proof" is none of the cells`:           {reasonsFile: head + "ARM-14\tcheck\twhy\nARM-15\tproof\twhy\n"},
		"reasons.tsv:3: two reasons why ARM-14 has no check":    {reasonsFile: head + "ARM-14\tcheck\twhy\nARM-14\ttrace check\twhy\n"},
		"there is no rule ASY-01 in the table":                  altered.Without(t, reasonsFile, "(?m)^ARM-24", "ASY-01"),
		"tla/CQ-ndkpi.cfg: MCCompletionQueue does not define P": altered.Without(t, "tla/CQ-ndkpi.cfg", "CqTypeOK", "P"),
		"tla/manifest.tsv:1: the header is not":                 {"tla/manifest.tsv": "configuration\n"},
		"traces/manifest.json: ":                                {"traces/manifest.json": "[{]"},
	} {
		if rows, err := Rows(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows and %v, not an error with %q", len(rows), err, want)
		}
	}
}

// What the judge says that it decides has a check in the table, and nothing else has.
func TestChecksAreThoseOfTheJudge(t *testing.T) {
	const ofAReading = "FLUSH-05" // it asks for nothing, but under A15=CANCELLED
	for _, r := range readRows(t, repository) {
		if decided := slices.Contains(verdict.Checkable(), r.Rule.ID) || r.Rule.ID == ofAReading; decided != r.has(Check) {
			t.Errorf("%s: the judge decides it: %t; its checks are %v", r.Rule.ID, decided, r.Check)
		}
	}
}

// What tla/ defines the model follows: some function of it names the rule.
func TestEveryDefinitionHasItsModel(t *testing.T) {
	for _, r := range readRows(t, repository) {
		if len(r.Definitions)+len(r.Properties) > 0 && len(r.Model) == 0 {
			t.Errorf("%s stands in tla/ (%v, %v), and no function of the model names it", r.Rule.ID, r.Definitions, r.Properties)
		}
	}
}

// What a trace can show broken or kept has a trace, and the traces are there; what the judge checks has a check. The names of
// operators and functions are taken from the sources, so they exist.
func TestTracesOfTheTableExist(t *testing.T) {
	shown := 0
	for _, r := range readRows(t, repository) {
		for _, file := range []string{r.Broken.File, r.Kept.File, r.Shown.File} {
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
	"A20": "what a call returns beside its callback is an answer: linearize/monitor/answers.go",
	"A22": "what a close returns is an answer: linearize/monitor/closefails.go",
	"A37": "NdkConnect of tla/ is the step with which the QP is connected, whichever call it belongs to",
	"A39": "the contract has no SGEs",
	"A23": "a lost connection cancels nothing by itself in QueuePair, whatever ended it",
	"A27": "Consumer has patterns that arm and poll in the callback; a call that never returns there is a hung one",
	"A32": "the contract has no clock: an owed callback may come late",
}

var (
	chosen  = regexp.MustCompile(`(?m)^CONSTANTS? .*\bReading <- (\w+)`)
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
		inTla := r.Choices != nil && !r.IsOfCalls()
		if inTla == (readingsElsewhere[r.ID] != "") {
			t.Errorf("%s has %d choices, and the reason why tla/ has none is %q", r.ID, len(r.Choices), readingsElsewhere[r.ID])
		}
		if !inTla {
			continue
		}
		for _, c := range slices.Concat(r.Choices, nil)[min(1, len(r.Choices)):] {
			if !taken[r.ID+"="+c] {
				t.Errorf("no configuration that must hold takes %s=%s", r.ID, c)
			}
		}
	}
}
