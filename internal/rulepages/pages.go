// Package rulepages writes a page for each rule, docs/rules/ID.md, and lists of them by group, of the groups, and of the readings. A page of a rule has what
// the rule asks and who has to keep it, where it stands in tla/, model/ and linearize/, what the judge looks at, and the traces of the corpus that keep it or
// break it.
package rulepages

//go:generate go run generate.go

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ndkoracle/internal/ruletable"
	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/rules"
	"ndkoracle/trace"
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
	pages := map[string]string{Index: index(), "readings.md": readings()}
	for _, group := range rules.Groups() {
		pages[group+".md"] = groupPage(group)
	}
	drawn := drawer{repository: repository, traces: map[string]*trace.Trace{}}
	for _, row := range rows {
		text, err := page(row, uses, &drawn)
		if err != nil {
			return nil, err
		}
		pages[row.Rule.ID+".md"] = text
	}
	return pages, nil
}

// index lists the groups.
func index() string {
	var b strings.Builder
	b.WriteString("# The rules\n\n" + written + `

The specification, the model, the checks, the tests and the traces refer to a rule by its id. Each rule has a page, and each group has a page that
lists its rules. Sources are pages of Microsoft's driver documentation: ` + "`NDK_FN_…`" + ` are the pages of functions. NDSPI is the interface for user mode, which
specifies some things that NDKPI does not. [Readings](readings.md) are the answers to open questions. ` + "`tracecheck explain ARM-04`" + ` prints a rule.

| group | about | rules |
|---|---|---|
`)
	for _, group := range rules.Groups() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %d |\n", group, group, rules.GroupTitle(group), len(ofGroup(group)))
	}
	b.WriteString("\n| class | meaning |\n|---|---|\n")
	for _, class := range []rules.Class{
		rules.Safety, rules.Liveness, rules.SafetyAndLiveness, rules.BoundedLiveness, rules.Permission, rules.Advice,
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", class, class.Meaning())
	}
	return b.String()
}

func ofGroup(group string) []rules.Rule {
	return slices.DeleteFunc(slices.Clone(rules.All()), func(r rules.Rule) bool { return r.Group != group })
}

// groupPage lists the rules of a group.
func groupPage(group string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n[All groups](README.md), and what the classes mean.\n\n", group, rules.GroupTitle(group), written)
	b.WriteString("| rule | who | class | text | source | open question |\n|---|---|---|---|---|---|\n")
	for _, rule := range ofGroup(group) {
		open := strings.TrimSpace(rule.Ambiguity + " " + strings.Join(rule.Readings, ", "))
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s | %s |\n", rule.ID, rule.ID, rule.Who, rule.Class, cell(rule.Text), cell(rule.Source), cell(open))
	}
	return b.String()
}

// readings lists the answers to open questions.
func readings() string {
	var b strings.Builder
	b.WriteString("# Readings\n\n" + written + `

A reading answers an open question of the documentation. All choices are constants of tla/ and the model, and are checked there. The exception is what calls return (A22), which only the judge
uses. ` + "`tracecheck --assume`" + ` selects a choice. If the other choices are in parentheses, traces are judged only by the default. The strict answer allows the provider, or the consumer, the least. You
can select it if it is one of the choices.

| reading | question | default | strict | choices |
|---|---|---|---|---|
`)
	for _, reading := range rules.Readings() {
		choices := slices.Clone(reading.Choices)
		for i := 1; i < len(choices) && !linearize.Takes(reading.ID); i++ {
			choices[i] = "(" + choices[i] + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", reading.ID, cell(reading.Question), cell(reading.Default), cell(reading.Strict), strings.Join(choices, ", "))
	}
	return b.String()
}

func page(row ruletable.Row, uses []ruletable.Use, drawn *drawer) (string, error) {
	rule := row.Rule
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n%s\n\n| property | value |\n|---|---|\n", rule.ID, rule.Text, written)
	line := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", title, cell(text))
		}
	}
	line("group", fmt.Sprintf("[%s](%s.md): %s", rule.Group, rule.Group, rules.GroupTitle(rule.Group)))
	line("who must keep it", string(rule.Who))
	line("class", fmt.Sprintf("%s: %s", rule.Class, rule.Class.Meaning()))
	line("source", rule.Source)
	line("open question", rule.Ambiguity)
	for _, id := range rule.Readings {
		reading, _ := rules.GetReading(id) // the rulebook's test keeps the reference
		line("reading "+id, fmt.Sprintf("%s *%s*", reading.Question, reading.Default))
	}
	b.WriteString("\n## What exercises it\n\n" + judged(row) + "\n")
	b.WriteString("## Where it is stated and checked\n\n| part | names |\n|---|---|\n")
	line("defined in tla/", names(row.Definitions, row.Without[ruletable.Definition], "not stated in TLA+"))
	line("checked by TLC", names(row.Properties, row.Without[ruletable.Property], "no property of a configuration"))
	if slices.Contains(ruletable.Groups, rule.Group) {
		line("functions of model/", names(row.Model, "", "none"))
		line("functions of the judge", names(row.Check, row.Without[ruletable.Check], "none"))
	}
	line("handled in", names(row.SeenTo, "", ""))
	line("traces", because(row.Without[ruletable.Trace]))
	breaks := func(u ruletable.Use) bool { return u.Breaks == rule.ID }
	keeps := func(u ruletable.Use) bool { return u.Breaks == "" && slices.Contains(u.Keeps, rule.ID) }
	broken, err := drawn.example(rule, uses, breaks)
	if err != nil {
		return "", err
	}
	kept, err := drawn.example(rule, uses, keeps)
	if err != nil {
		return "", err
	}
	b.WriteString(list("Traces that break it", broken, uses, breaks))
	b.WriteString(list("Traces that keep it", kept, uses, keeps))
	b.WriteString(list("Traces that show it", "", uses, func(u ruletable.Use) bool {
		return u.Breaks != rule.ID && !slices.Contains(u.Keeps, rule.ID) && slices.Contains(u.Shows, rule.ID)
	}))
	return b.String(), nil
}

// judged says what in a trace exercises the rule, and where it has nothing to say.
func judged(row ruletable.Row) string {
	var b strings.Builder
	d := declared.Get(row.Rule.ID)
	if d == nil {
		return "Nothing under this id: " + row.Rule.WithoutCheck() + ".\n"
	}
	b.WriteString("A trace exercises the rule if\n\n")
	for _, occasion := range d.On {
		fmt.Fprintf(&b, "- %s\n", occasion)
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{d.OnlyNdk, "The rule does not apply to libibverbs: traces of verbs can't break it."},
		{d.OnlyCalls, "The rule is about callbacks, and does not apply if events are read from a channel."},
		{d.Eventual, "The rule says what must happen eventually. It is undecided if the trace has no [moment of rest](../glossary.md#moment-of-rest) after the event."},
	} {
		if note.holds {
			b.WriteString("\n" + note.text + "\n")
		}
	}
	title := "\nIts cases, for `--require-coverage`:\n\n"
	for _, which := range cases.All() {
		if which.Rule() == row.Rule.ID {
			fmt.Fprintf(&b, "%s- `%s`: %s\n", title, which.ID(), which.Text())
			title = ""
		}
	}
	return b.String()
}

// names writes names as code; or why there are none.
func names(all []string, why, otherwise string) string {
	switch {
	case len(all) > 0:
		return "`" + strings.Join(all, "` `") + "`"
	case why != "":
		return because(why)
	}
	return because(otherwise)
}

// because writes a reason, or nothing where there is none.
func because(why string) string {
	if why == "" {
		return ""
	}
	return "*" + why + "*"
}

// list writes the traces that belong to a section below the drawing of one, or nothing where there are none.
func list(title, drawing string, uses []ruletable.Use, belongs func(ruletable.Use) bool) string {
	var b strings.Builder
	n := 0
	for _, u := range uses {
		if !belongs(u) {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(&b, "\n## %s\n\n%s", title, drawing)
		}
		if n <= mostTraces {
			fmt.Fprintf(&b, "- %s: %s\n", link(u), u.Sentence)
		}
	}
	if n > mostTraces {
		fmt.Fprintf(&b, "\nThe corpus has %d more.\n", n-mostTraces)
	}
	return b.String()
}

// link leads to a trace, and says how it is read.
func link(u ruletable.Use) string {
	name, _, _ := strings.Cut(u.File, ".")
	return fmt.Sprintf("[%s](../../traces/%s)%s", name, u.File, u.Read)
}

// cell keeps text from being taken for the end of a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
