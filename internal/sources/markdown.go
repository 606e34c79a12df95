package sources

import (
	"fmt"
	"strings"
)

const header = `# Where each sentence of the texts stands

The project rests on five public texts of Microsoft: three languages of one page, and one language each of two others.
This document follows every sentence of them. It says in the project's own words what the sentence says, and where the texts
differ. Then it names the rules ([rules.md](rules.md)), the operators of tla/, the functions of model/, a trace that keeps
the statement and one that breaks it.

*In italics*: why a cell is empty. A reason comes from internal/sources/reasons.tsv, or from the rule table
([rule-table.md](rule-table.md)) where the rule itself has no definition or trace.

"go generate ./internal/sources" writes this document from statements.tsv, traces.tsv and reasons.tsv of that folder. Operators
and functions are those of the rules. The traces are those that traces.tsv chooses, or else the first of the rules. A test fails when
a sentence is missing, when a cell is empty without a reason, when a reason is given for a cell that is not empty, and when this
document is stale.

A sentence has a number: the page's letter, the place in the page, the sentence there. Headings, items of a list, cells of a table
and lines of code are counted as sentences. A letter behind the number is a part of the sentence. Brackets name the texts that have the
sentence, where not all texts of the page have it.

| text | language | title | page | sentences |
|---|---|---|---|---|
`

// Markdown returns the document.
func (b Book) Markdown() string {
	var out strings.Builder
	out.WriteString(header)
	of := map[string]int{} // texts, by the page
	for _, t := range b.Texts {
		of[t.Page]++
		fmt.Fprintf(&out, "| %s | %s | %s | %s: %s | %d |\n", t.Key, t.Language, t.Title, t.Page, t.PageTitle, t.Sentences)
	}
	page, place := "", ""
	for _, s := range b.Statements {
		if s.page() != page {
			page, place = s.page(), ""
			fmt.Fprintf(&out, "\n## %s: %s\n", page, b.pageTitle(page))
		}
		if s.Place != place {
			place = s.Place
			fmt.Fprintf(&out, "\n### %s\n\n| | statement | where the texts differ | rules | tla/ | model/ | kept by | broken by |\n|---|---|---|---|---|---|---|---|\n",
				place)
		}
		in := ""
		if len(s.In) < of[page] {
			in = " [" + strings.Join(s.In, " ") + "]"
		}
		fmt.Fprintf(&out, "| %s%s | %s | %s | %s | %s | %s | %s | %s |\n", s.ID, in, escape(s.Says), escape(s.Differences),
			s.or(Rule, strings.Join(s.Rules, " ")), s.or(Operator, code(s.Operators)), s.or(Model, code(s.Model)),
			s.or(Kept, s.Kept.Link()), s.or(Broken, s.Broken.Link()))
	}
	return out.String()
}

func (b Book) pageTitle(page string) string {
	for _, t := range b.Texts {
		if t.Page == page {
			return t.PageTitle
		}
	}
	return ""
}

// or returns what is in a cell, or why there is nothing. A reason is written once.
func (s Statement) or(c Cell, text string) string {
	if s.has(c) {
		return text
	}
	why := s.why(c)
	for _, before := range cells {
		switch {
		case before == c:
			return "*" + escape(why) + "*"
		case !s.has(before) && s.why(before) == why:
			return "*likewise*"
		}
	}
	return ""
}

func (s Statement) why(c Cell) string {
	if own := s.Own[c]; own != "" {
		return own
	}
	return s.Inherited[c]
}

func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func code(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return strings.Join(quoted, " ")
}
