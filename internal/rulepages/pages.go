// Package rulepages writes a page for each rule, docs/rules/ID.md, and an index of them: what the rule asks and who has to keep it, where it stands in
// tla/ and model/, what the judge looks at, and the traces of the corpus that keep it or break it.
package rulepages

//go:generate go run generate.go

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ndkoracle/internal/ruletable"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/rules"
)

// Folder is where the pages are, from the root of the repository.
const Folder = "docs/rules"

// Index is the page that lists the others.
const Index = "README.md"

// mostTraces bounds the traces that a page lists of a kind.
const mostTraces = 10

const written = "Written by \"go generate ./internal/rulepages\" from the rulebook, the corpus and the declarations of the judge."

// Pages returns the pages, by the names of their files. The error says what can't be read in the repository.
func Pages(repository fs.FS) (map[string]string, error) {
	rows, err := ruletable.AllRows(repository)
	if err != nil {
		return nil, err
	}
	uses, err := ruletable.Uses(repository)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{Index: index()}
	for _, row := range rows {
		pages[row.Rule.ID+".md"] = page(row, uses)
	}
	return pages, nil
}

func index() string {
	var b strings.Builder
	b.WriteString("# A page for each rule\n\n" + written + "\n[All rules on one page](../rules.md) is for searching.\n")
	for _, group := range rules.Groups() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n| rule | who | text |\n|---|---|---|\n", group, rules.GroupTitle(group))
		for _, rule := range rules.All() {
			if rule.Group == group {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", rule.ID, rule.ID, rule.Who, cell(rule.Text))
			}
		}
	}
	return b.String()
}

func page(row ruletable.Row, uses []ruletable.Use) string {
	rule := row.Rule
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n%s\n\n| | |\n|---|---|\n", rule.ID, rule.Text, written)
	line := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", title, cell(text))
		}
	}
	line("group", fmt.Sprintf("[%s](README.md): %s", rule.Group, rules.GroupTitle(rule.Group)))
	line("who must keep it", string(rule.Who))
	line("class", fmt.Sprintf("%s: %s", rule.Class, rule.Class.Meaning()))
	line("source", rule.Source)
	line("open question", rule.Ambiguity)
	for _, id := range rule.Readings {
		reading, _ := rules.GetReading(id) // the rulebook's test keeps the reference
		line("reading "+id, fmt.Sprintf("%s *%s*", reading.Question, reading.Default))
	}
	b.WriteString("\n## What the judge looks at\n\n" + judged(row) + "\n")
	b.WriteString("## Where it stands\n\n| | |\n|---|---|\n")
	line("defined in tla/", names(row.Definitions, row.Without[ruletable.Definition], "not stated in TLA+"))
	line("checked by TLC", names(row.Properties, row.Without[ruletable.Property], "no property of a configuration"))
	if slices.Contains(ruletable.Groups, rule.Group) {
		line("functions", "[the rule table](../rule-table.md) names those of the model and of the judge")
	}
	b.WriteString(list("Traces that break it", uses, func(u ruletable.Use) bool { return u.Breaks == rule.ID }))
	b.WriteString(list("Traces that keep it", uses, func(u ruletable.Use) bool { return u.Breaks == "" && slices.Contains(u.Keeps, rule.ID) }))
	b.WriteString(list("Traces that speak of it", uses, func(u ruletable.Use) bool {
		return u.Breaks != rule.ID && !slices.Contains(u.Keeps, rule.ID) && slices.Contains(u.Shows, rule.ID)
	}))
	return b.String()
}

// judged says what in a trace exercises the rule, and where it has nothing to say.
func judged(row ruletable.Row) string {
	var b strings.Builder
	d := declared.Get(row.Rule.ID)
	if d == nil {
		return "Nothing by this id: " + row.Rule.WithoutCheck() + ".\n"
	}
	b.WriteString("The rule has something to say where\n\n")
	for _, occasion := range d.On {
		fmt.Fprintf(&b, "- %s\n", occasion)
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{d.OnlyNdk, "libibverbs has no such thing: traces of verbs can't break it."},
		{d.OnlyCalls, "It is of callbacks, and does not apply where events are read from a channel."},
		{d.Eventual, "It speaks of what must happen in the end. It is undecided where the trace has no [moment of rest](../glossary.md#moment-of-rest) behind the event."},
	} {
		if note.holds {
			b.WriteString("\n" + note.text + "\n")
		}
	}
	title := "\nIts cases, which `--require-coverage` takes:\n\n"
	for _, which := range cases.All() {
		if which.Rule() == row.Rule.ID {
			fmt.Fprintf(&b, "%s- `%s`: %s\n", title, which.ID(), which.Text())
			title = ""
		}
	}
	return b.String()
}

// names writes names as code; or why there are none.
func names(all []string, because, otherwise string) string {
	switch {
	case len(all) > 0:
		return "`" + strings.Join(all, "` `") + "`"
	case because != "":
		return "*" + because + "*"
	}
	return "*" + otherwise + "*"
}

// list writes the traces that belong to a section, or nothing where there are none.
func list(title string, uses []ruletable.Use, belongs func(ruletable.Use) bool) string {
	var b strings.Builder
	n := 0
	for _, u := range uses {
		if !belongs(u) {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(&b, "\n## %s\n\n", title)
		}
		if n <= mostTraces {
			name, _, _ := strings.Cut(u.File, ".")
			fmt.Fprintf(&b, "- [%s](../../traces/%s)%s: %s\n", name, u.File, u.Read, u.Sentence)
		}
	}
	if n > mostTraces {
		fmt.Fprintf(&b, "\nThe corpus has %d more.\n", n-mostTraces)
	}
	return b.String()
}

// cell keeps text from being taken for the end of a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
