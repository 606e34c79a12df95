package sources

import (
	"fmt"
	"strings"
)

const header = `# Where each sentence of the documentation is implemented

The project rests on five public texts of Microsoft: three languages of one page, and one language each of two others.
These documents list every sentence of them. They give its meaning in the project's own words, and the differences between the
texts. Then they name the rules ([rules](rules/README.md)), the operators of tla/, the functions of model/, a trace that keeps
the statement and one that breaks it.

*Italics* say why a cell is empty. The reason comes from internal/sources/reasons.tsv. If the rule itself has no definition or
trace, it comes from the page of the rule.

"go generate ./internal/sources" writes these documents from statements.tsv, traces.tsv and reasons.tsv of that folder. Operators
and functions are those of the rules. traces.tsv chooses the traces; otherwise they are the first ones of the rules. A test fails when
a sentence is missing, when a cell is empty without a reason, when a reason is given for a cell that is not empty, and when a
document is stale.

A sentence has a number: the page's letter, the place in the page, the sentence there. Headings, items of a list, cells of a table
and lines of code count as sentences. A letter after the number names a part of the sentence. Brackets name the texts that have the
sentence, if not all texts of the page have it.

| text | language | title | page | sentences |
|---|---|---|---|---|
`

// mostWords bounds a document, with some room for its header. A page of more goes on in another document.
const mostWords = 2200

// Documents returns the documents by their names in docs/: an index, and those of each page of the texts.
func (b Book) Documents() map[string]string {
	var index strings.Builder
	index.WriteString(header)
	of := map[string]int{} // texts, by the page
	for _, t := range b.Texts {
		of[t.Page]++
		fmt.Fprintf(&index, "| %s | %s | %s | %s: %s | %d |\n", t.Key, t.Language, t.Title, t.Page, t.PageTitle, t.Sentences)
	}
	index.WriteString("\n| sentences of | about |\n|---|---|\n")
	documents := map[string]string{}
	name, part := "", 0
	for rest := b.Statements; len(rest) > 0; {
		page, first := rest[0].page(), rest[0].Place
		var places []string
		var text strings.Builder
		for len(rest) > 0 && rest[0].page() == page {
			n := 1
			for n < len(rest) && rest[n].page() == page && rest[n].Place == rest[0].Place {
				n++
			}
			section := section(rest[:n], of[page])
			if text.Len() > 0 && len(strings.Fields(text.String()))+len(strings.Fields(section)) > mostWords {
				break
			}
			text.WriteString(section)
			places, rest = append(places, rest[0].Place), rest[n:]
		}
		if part++; !strings.HasPrefix(name, "sources-"+strings.ToLower(page)) {
			part = 1
		}
		name = fmt.Sprintf("sources-%s%d.md", strings.ToLower(page), part)
		documents[name] = fmt.Sprintf("# %s, from %q on\n\nWritten by \"go generate ./internal/sources\". [Where each sentence of the documentation is implemented](sources.md) says how to read it.\n%s",
			b.pageTitle(page), first, text.String())
		fmt.Fprintf(&index, "| [%s: %s, part %d](%s) | %s |\n", page, b.pageTitle(page), part, name, strings.Join(places, "; "))
	}
	documents[Index] = index.String()
	return documents
}

// Index is the document that lists the others.
const Index = "sources.md"

// section writes the statements of one place of a page. texts is the number of texts that the page compares.
func section(statements []Statement, texts int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n## %s\n\n| | statement | where the texts differ | rules | tla/ | model/ | kept by | broken by |\n|---|---|---|---|---|---|---|---|\n", statements[0].Place)
	for _, s := range statements {
		in := ""
		if len(s.In) < texts {
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
