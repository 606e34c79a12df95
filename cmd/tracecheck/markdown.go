package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ndkoracle/linearize"
	"ndkoracle/rules"
)

const markdownHead = `# The rules of NDKPI

Generated from ` + "`rules/rules.tsv` and `rules/readings.tsv`" + ` by ` + "`go generate ./cmd/tracecheck`" + `: change the tables, not this file.

Each rule has an id, which is the key to find it by in the specification, the model, the checks, the tests and the traces.
The source names pages of Microsoft's driver documentation; ` + "`NDK_FN_…`" + ` are the pages of functions, NDSPI is the interface
for user mode, which says some things that NDKPI leaves open.

| class | meaning |
|---|---|
`

// markdown writes docs/rules.md.
func (p *program) markdown(out io.Writer, groups []string) {
	io.WriteString(out, markdownHead)
	for _, class := range []rules.Class{
		rules.Safety, rules.Liveness, rules.SafetyAndLiveness, rules.BoundedLiveness, rules.Permission, rules.Advice,
	} {
		fmt.Fprintf(out, "| %s | %s |\n", class, class.Meaning())
	}
	checkable := p.checkable()
	for _, group := range groups {
		fmt.Fprintf(out, "\n## %s: %s\n\n", group, rules.GroupTitle(group))
		io.WriteString(out, "| rule | who | class | text | source | open question | checked by |\n|---|---|---|---|---|---|---|\n")
		for _, rule := range rules.All() {
			if rule.Group != group {
				continue
			}
			checkedBy := ""
			if slices.Contains(checkable, rule.ID) {
				checkedBy = "`tracecheck`"
			}
			open := strings.TrimSpace(rule.Ambiguity + " " + strings.Join(rule.Readings, ", "))
			fmt.Fprintf(out, "| <a id=\"%s\"></a>%s | %s | %s | %s | %s | %s | %s |\n",
				ruleAnchor(rule.ID), rule.ID, rule.Who, rule.Class, cell(rule.Text), cell(rule.Source), cell(open), checkedBy)
		}
	}
	io.WriteString(out, "\n## Readings\n\nHow the open questions are answered. All choices are constants of `tla/` and the model, "+
		"where each is checked. `tracecheck --assume`\ntakes one of them; where a choice is in parentheses, traces are judged by the default only. The strict answer\n"+
		"leaves the provider, or the consumer, the least; it can be taken where it is one of the choices.\n\n")
	io.WriteString(out, "| reading | question | default | strict | choices |\n|---|---|---|---|---|\n")
	for _, reading := range rules.Readings() {
		choices := slices.Clone(reading.Choices)
		for i := 1; i < len(choices) && !linearize.Takes(reading.ID); i++ {
			choices[i] = "(" + choices[i] + ")"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", reading.ID,
			cell(reading.Question), cell(reading.Default), cell(reading.Strict), strings.Join(choices, ", "))
	}
}

// cell keeps text from being taken for the end of a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
