// Package ruletable finds where each rule about states and order stands: its definitions in tla/, the functions of the model
// that follow it, those that check it, and the traces that keep or break it. docs/rule-table.md is its output.
package ruletable

//go:generate go run generate.go

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	_ "ndkoracle/linearize" // its rules declare themselves
	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/declared"
	"ndkoracle/rules"
)

// Groups are the groups of rules that speak of completion queues, queue pairs, tokens and shared receive queues.
var Groups = []string{"ARM", "POLL", "RES", "DEF", "POST", "FLAG", "INV", "MEM", "FLUSH", "RSZ", "SRQ", "LIFE"}

// A Row says where one rule stands. Names are those of operators, functions and files.
type Row struct {
	Rule        rules.Rule
	Definitions []string // the operators that name it and that the steps are made of, as Module!Operator
	Properties  []string // the operators that name it and that TLC checks in a configuration that must hold
	Model       []string
	Check       []string
	Broken      Example         // a trace that breaks the rule
	Kept        Example         // a trace that keeps it
	Shown       Example         // a trace that is said to show it, of a rule that no trace is judged by
	Without     map[Cell]string // why cells are empty
	SeenTo      []string        // the files that see to a rule without a definition
}

func (r Row) has(c Cell) bool {
	switch c {
	case Definition:
		return len(r.Definitions) > 0
	case Property:
		return len(r.Properties) > 0
	case Check:
		return len(r.Check) > 0
	default:
		return r.Broken.File+r.Kept.File+r.Shown.File != ""
	}
}

// An Example is a trace that shows a rule.
type Example struct {
	File string
	Read string // how, if not as it is by default: " under A2=ONE", " read as ndkpi"
}

var ruleID = regexp.MustCompile(`\b[A-Z]{2,6}-\d\d\b`)

// mentions maps each rule to the names that speak of it.
type mentions map[string]map[string]bool

func (m mentions) add(text, name string) {
	for _, id := range ruleID.FindAllString(text, -1) {
		if m[id] == nil {
			m[id] = map[string]bool{}
		}
		m[id][name] = true
	}
}

func (m mentions) names(id string) []string { return slices.Sorted(maps.Keys(m[id])) }

// Rows returns a row for each rule of Groups. The error says what can't be read in the repository.
func Rows(repository fs.FS) ([]Row, error) {
	rows, err := AllRows(repository)
	return slices.DeleteFunc(rows, func(r Row) bool { return !slices.Contains(Groups, r.Rule.Group) }), err
}

// AllRows returns a row for each rule of the rulebook. Those of rules that are not of Groups have no reasons for what is empty.
func AllRows(repository fs.FS) ([]Row, error) {
	tla, uses, err := operators(repository)
	if err != nil {
		return nil, err
	}
	checked, specifications, err := checks(repository)
	if err != nil {
		return nil, err
	}
	behaviour := reach(specifications, uses)
	model, _, err := functions(repository, "model", "model/mc")
	if err != nil {
		return nil, err
	}
	check, told, err := functions(repository, "linearize/calls", "linearize/breach", "linearize/monitor", "linearize/stream", "linearize/search", "linearize/automaton")
	if err != nil {
		return nil, err
	}
	for _, c := range clauses.Rules[1:] {
		for _, m := range []mentions{check, told} {
			m.add(c.ID, "clauses.Rules")
		}
	}
	shown, err := traces(repository)
	if err != nil {
		return nil, err
	}
	seen, err := files(repository, "ndk", "refimpl", "hwbinding", "conformance", "linearize/monitor", "linearize/stream", "linearize/search")
	if err != nil {
		return nil, err
	}
	without, err := readReasons(repository)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, rule := range rules.All() {
		row := Row{Rule: rule, Model: model.names(rule.ID), Broken: shown.broken[rule.ID], Kept: shown.kept[rule.ID]}
		if slices.Contains(Groups, rule.Group) {
			row.Without = without[rule.ID]
			delete(without, rule.ID)
		}
		for _, name := range tla.names(rule.ID) {
			if _, of, _ := strings.Cut(name, "!"); behaviour[of] {
				row.Definitions = append(row.Definitions, name)
			}
			if checked[name] {
				row.Properties = append(row.Properties, name)
			}
		}
		if told[rule.ID] != nil { // else they only take it into account
			row.Check = check.names(rule.ID)
		}
		if row.Broken.File+row.Kept.File == "" {
			row.Shown = shown.shown[rule.ID]
		}
		row.Without = withDeclared(withJudgedAs(row.Without, rule), declared.Get(rule.ID))
		if !row.has(Definition) {
			row.SeenTo = seen.names(rule.ID)
		}
		rows = append(rows, row)
	}
	for id := range without {
		return nil, fmt.Errorf("%s: there is no rule %s in the table", reasonsFile, id)
	}
	return rows, nil
}

// withJudgedAs adds the reason of a rule that the judge finds broken under another number.
func withJudgedAs(reasons map[Cell]string, rule rules.Rule) map[Cell]string {
	if rule.JudgedAs == nil {
		return reasons
	}
	all := map[Cell]string{Check: rule.WithoutCheck()}
	maps.Copy(all, reasons)
	return all
}

// withDeclared adds why a rule that the judge decides has no definition, as its declaration says.
func withDeclared(reasons map[Cell]string, rule *declared.Rule) map[Cell]string {
	if rule == nil || rule.Undefined == "" {
		return reasons
	}
	all := map[Cell]string{Definition: rule.Undefined}
	maps.Copy(all, reasons)
	return all
}

// Markdown returns the table.
func Markdown(rows []Row) string {
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rows {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s | %s | %s | %s |\n", r.Rule.ID, r.Rule.ID, count(r.Definitions), count(r.Properties), count(r.Model), count(r.Check),
			examples(r))
	}
	return b.String()
}

// count writes how many there are, or nothing.
func count(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return strconv.Itoa(len(names))
}

const header = `# Where each rule is stated and checked

Written by "go generate ./internal/ruletable" from the rule numbers in comments and messages. The table counts what the [page of a rule](rules/README.md) names.
That page also says why a cell is empty. A test fails when a rule loses its definition, its last property, check or trace without a reason, and when this table is stale.

| column | counts |
|---|---|
| defined | the operators of tla/ that name the rule and define the steps |
| TLC | the operators that name it and are invariants or properties of a configuration that must hold |
| model/ | the functions of the model that name it |
| judged | the functions of linearize/ that report the rule as broken, or count it as kept |
| traces | the first that breaks the rule, and the first that keeps it; or the first that shows it |

| rule | defined | TLC | model/ | judged | traces |
|---|---|---|---|---|---|
`

// examples writes links to the traces of a rule.
func examples(r Row) string {
	var all []string
	if r.Broken.File != "" {
		all = append(all, "[broken](../traces/"+r.Broken.File+")"+r.Broken.Read)
	}
	if r.Kept.File != "" {
		all = append(all, "[kept](../traces/"+r.Kept.File+")"+r.Kept.Read)
	}
	if r.Shown.File != "" {
		all = append(all, "[shown](../traces/"+r.Shown.File+")"+r.Shown.Read)
	}
	return strings.Join(all, " ")
}

// Link writes a link to a trace, as it stands in a document of docs/.
func (t Example) Link() string {
	name, _, _ := strings.Cut(t.File, ".")
	return fmt.Sprintf("[%s](../traces/%s)", name, t.File) + t.Read
}
