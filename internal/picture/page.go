// Package picture draws a trace as a web page that needs no other file: its events from top to bottom in the order of the trace, beside lanes for its
// queues, or for its threads, with the hidden steps that explain them, the messages, and what was found.
package picture

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"ndkoracle/trace"
)

// A Page is what is drawn.
type Page struct {
	Title    string
	Verdict  string
	Class    Class
	Facts    []string
	Findings []Finding
	More     []string // what is said of findings that are not listed
	Hosts    []Host   // one, or the two of a connection
}

// Class is the colour of a verdict.
type Class string

// The classes: the contract allows the trace, it was broken, or neither is known.
const (
	Kept      Class = "kept"
	Broken    Class = "broken"
	Undecided Class = "undecided"
)

// A Host is a trace with the hidden steps of one explanation.
type Host struct {
	Trace *trace.Trace
	Steps []Step // in their order
}

// A Step is a hidden step of the contract.
type Step struct {
	Behind int    // the index of the event that it follows; -1 before all
	Text   string // such as "Execute w1: SUCCESS"
	Object string // the CQ or queue pair that it changes, or ""
	Owes   string // the CQ of which a callback is owed from here on, or ""
}

// A Finding is one violation, one question that could not be answered, or a warning.
type Finding struct {
	Host                    int
	Line                    int // of the event at which it was found, 0 for none
	Step                    int // 1 + the index of the hidden step at which it was found, 0 for none
	Label                   string
	Message, Rule, Source   string
	Before, After, Readings []string // states, and the readings relied on
	See                     []int    // lines of earlier events that matter
	Missing                 string   // the CQ, or the shared receive queue, whose callback was owed and not entered, or ""
	Docs                    string   // the address of the rule's page, or ""
	Standing                Standing
}

// Standing is how much a finding weighs.
type Standing int

// The standings, the weightiest first: a finding that rests on none before it, one that may only follow from another, and a warning,
// which decides nothing.
const (
	Firm Standing = iota
	Follows
	Warns
)

//go:embed page.html
var pageText string

//go:embed page.css
var style template.CSS

//go:embed page.js
var script template.JS

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page. What the traces name is text, never HTML.
func (p *Page) Write(w io.Writer) error {
	return pageTemplate.Execute(w, view{p, draw(p), style, script})
}

// A view is what the template shows.
type view struct {
	*Page
	*drawing
	Style  template.CSS
	Script template.JS
}

// A told finding is one as it is listed.
type told struct {
	*Finding
	Open   bool // what explains it is shown at once
	letter string
	places map[string]bool
}

// Firm returns the findings that rest on nothing that was found before.
func (v view) Firm() []told { return v.told(Firm) }

// Following returns the findings that may only follow from one that was found before.
func (v view) Following() []told { return v.told(Follows) }

// Warnings returns the warnings: advice that was not followed among them.
func (v view) Warnings() []told { return v.told(Warns) }

func (v view) told(standing Standing) (all []told) {
	for n := range v.Findings {
		if f := &v.Findings[n]; f.Standing == standing {
			one := told{Finding: f, Open: n == 0, places: v.places}
			if len(v.Hosts) > 1 {
				one.letter = " of " + letter(f.Host)
			}
			all = append(all, one)
		}
	}
	return all
}

// Place is a line as it is named, and where it leads in the page: nowhere, if the line is not drawn.
type Place struct{ Name, Anchor string }

// Where returns where the finding was made; the name is empty where that is not known.
func (t told) Where() Place {
	switch {
	case t.Step > 0:
		return Place{Name: "hidden step" + t.letter, Anchor: stepAnchor(t.Host, t.Step)}
	case t.Line > 0:
		return t.At(t.Line)
	}
	return Place{}
}

// At returns the place of a line.
func (t told) At(line int) Place {
	at := Place{Name: fmt.Sprintf("line %d%s", line, t.letter)}
	if to := anchor(t.Host, line); t.places[to] {
		at.Anchor = to
	}
	return at
}
