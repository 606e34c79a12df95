package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ndkoracle/rules"
)

const markdownHead = `# The rules of NDKPI

Each rule has an id, which is the key to find it by in the specification, the model, the checks, the tests and the traces.
The source names pages of Microsoft's driver documentation; ` + "`NDK_FN_…`" + ` are the pages of functions, NDSPI is the interface
for user mode, which says some things that NDKPI leaves open.

| class | meaning |
|---|---|
`

// markdown writes the rules of some groups as one document.
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
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n",
				rule.ID, rule.Who, rule.Class, cell(rule.Text), cell(rule.Source), cell(open), checkedBy)
		}
	}
}

// cell keeps text from being taken for the end of a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
