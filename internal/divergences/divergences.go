// Package divergences writes the table of the traces of which an engine gives another answer than the right one, from the manifest of the
// corpus. docs/known-divergences.md is its output; tests hold each answer to what the engines say.
package divergences

//go:generate go run generate.go

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/traces"
)

// Document is the first of the files that Documents returns, from the root of the repository.
const Document = "docs/known-divergences.md"

// Engines are the engines of the table, in the order of its columns.
var Engines = []string{"auto", "stream", "porcupine", "tlc"}

// A kind of divergence has a document.
type kind struct{ document, title, text string }

var (
	otherVerdict = kind{Document, "Another verdict", "An engine accepts a trace that is not allowed, or rejects an allowed one."}
	undecided    = kind{"docs/known-divergences-undecided.md", "Undecided", "One engine has no answer, and another one decides. `auto` then gives the answer of the other engine."}
	otherPlace   = kind{"docs/known-divergences-place.md", "Another rule or line", "The verdict is right, but an engine names another rule or another line."}
)

// kindOf returns the worst divergence of a row.
func kindOf(r *traces.Row) kind {
	worst := otherPlace
	for _, answer := range r.Engines {
		switch {
		case answer.Verdict == r.Verdict:
		case answer.Verdict != string(verdict.Inconclusive):
			return otherVerdict
		default:
			worst = undecided
		}
	}
	return worst
}

const written = "Written by \"go generate ./internal/divergences\" from `traces/manifest.json`: change that, not this file. "

// Documents returns the documents for the rows of a manifest, by their files.
func Documents(rows []traces.Row) map[string]string {
	documents := map[string]string{}
	for _, k := range []kind{otherVerdict, undecided, otherPlace} {
		var text strings.Builder
		if k == otherVerdict {
			fmt.Fprintf(&text, "# Known divergences\n\n%sEach row is a trace of `traces/` for which an\nengine is known to give another answer than the right one. "+
				"A test fails when one of these answers changes. An empty cell means the right answer.\nA number is a line of the trace.\n\n"+
				"- Another verdict: below\n- [%s](%s): %s\n- [%s](%s): %s\n\n## %s\n", written, undecided.title, path.Base(undecided.document), undecided.text,
				otherPlace.title, path.Base(otherPlace.document), otherPlace.text, k.title)
		} else {
			fmt.Fprintf(&text, "# Known divergences: %s\n\n%s[Known divergences](%s) says how to read it.\n", strings.ToLower(k.title), written, path.Base(Document))
		}
		var of []*traces.Row
		for i := range rows {
			if r := &rows[i]; len(r.Engines) > 0 && kindOf(r) == k {
				of = append(of, r)
			}
		}
		slices.SortStableFunc(of, func(a, b *traces.Row) int { return cmp.Compare(a.Name(), b.Name()) })
		fmt.Fprintf(&text, "\n%s\n\n| trace | shows | right | %s | because |\n|%s\n", k.text, strings.Join(Engines, " | "), strings.Repeat("---|", 4+len(Engines)))
		for _, r := range of {
			text.WriteString(line(r))
		}
		documents[k.document] = text.String()
	}
	return documents
}

// line returns the line of the table for a row.
func line(r *traces.Row) string {
	name := strings.Replace(r.Name(), ".ndktrace.jsonl", "", 1)
	cells := []string{fmt.Sprintf("[%s](../traces/%s)", name, r.File), r.Shows, say(traces.Answer{Verdict: r.Verdict, Rule: r.Rule, Line: r.Line})}
	for _, engine := range Engines {
		cell := ""
		if answer, differs := r.Engines[engine]; differs {
			cell = say(answer)
		}
		cells = append(cells, cell)
	}
	return "| " + strings.Join(append(cells, r.Because), " | ") + " |\n"
}

// say shortens an answer: the rule and the line of a violation.
func say(a traces.Answer) string {
	text := a.Verdict
	if a.Verdict == string(verdict.ProviderViolation) {
		text = a.Rule
	} else if a.Rule != "" {
		text += " " + a.Rule
	}
	if a.Line > 0 {
		text += fmt.Sprintf(" · %d", a.Line)
	}
	return text
}
