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
	"strings"

	"ndkoracle/rules"
)

// Groups are the groups of rules that speak of completion queues, queue pairs and tokens.
var Groups = []string{"ARM", "POLL", "RES", "DEF", "POST", "FLAG", "INV", "MEM", "FLUSH", "RSZ", "LIFE"}

// A Row says where one rule stands. Names are those of operators, functions and files.
type Row struct {
	Rule      rules.Rule
	Tla       []string // as Module!Operator
	Model     []string
	Check     []string
	Broken    Example  // a trace that breaks the rule
	Kept      Example  // a trace that keeps it
	Elsewhere string   // why it is no matter of states and order, of a rule without a definition
	SeenTo    []string // the files that see to such a rule instead
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
	tla, err := operators(repository)
	if err != nil {
		return nil, err
	}
	model, err := functions(repository, "model", "model/mc")
	if err != nil {
		return nil, err
	}
	check, err := functions(repository, "linearize/calls", "linearize/stream", "linearize/search", "linearize/automaton")
	if err != nil {
		return nil, err
	}
	kept, broken, err := traces(repository)
	if err != nil {
		return nil, err
	}
	seen, err := files(repository, "ndk", "refimpl", "hwbinding", "conformance", "linearize/stream", "linearize/search")
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, rule := range rules.All() {
		if group, _, _ := strings.Cut(rule.ID, "-"); !slices.Contains(Groups, group) {
			continue
		}
		rows = append(rows, Row{Rule: rule, Tla: tla.names(rule.ID), Model: model.names(rule.ID), Check: check.names(rule.ID),
			Broken: broken[rule.ID], Kept: kept[rule.ID]})
		if why := elsewhere[rule.ID]; why != "" {
			row := &rows[len(rows)-1]
			row.Elsewhere, row.SeenTo = why, seen.names(rule.ID)
		}
	}
	return rows, nil
}

// Markdown returns the table.
func Markdown(rows []Row) string {
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rows {
		states, traces := code(r.Tla), examples(r)
		if r.Elsewhere != "" {
			states = "*" + r.Elsewhere + "*"
			if len(r.SeenTo) > 0 {
				states += "; see " + code(r.SeenTo)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n",
			r.Rule.ID, strings.ReplaceAll(r.Rule.Text, "|", `\|`), states, code(r.Model), code(r.Check), traces)
	}
	return b.String()
}

const header = `# Where each rule stands

Written by "go generate ./internal/ruletable" from the rule numbers in comments and messages; a test fails when it is stale, and
when a rule has neither a definition in tla/ nor a reason. *In italics*: why a rule is no matter of states and order, and the
files that see to it instead, if any do. Checks are functions of linearize/; of the traces the first that breaks the rule, and
the first that keeps it, read in another way where no trace does by default. [rules.md](rules.md) has the sources and the open questions.

| rule | text | tla/ | model/ | check | traces |
|---|---|---|---|---|---|
`

// code writes names as code, those of one module or file together.
func code(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return strings.Join(quoted, " ")
}

func examples(r Row) string {
	var all []string
	if r.Broken.File != "" {
		all = append(all, "broken: "+r.Broken.link())
	}
	if r.Kept.File != "" {
		all = append(all, "kept: "+r.Kept.link())
	}
	return strings.Join(all, "; ")
}

func (t Example) link() string {
	name, _, _ := strings.Cut(t.File, ".")
	return fmt.Sprintf("[%s](../traces/%s)", name, t.File) + t.Read
}
