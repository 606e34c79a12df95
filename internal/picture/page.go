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

// A Finding is one violation, or one question that could not be answered.
type Finding struct {
	Host                    int
	Line                    int // of the event at which it was found, 0 for none
	Label                   string
	Message, Rule, Source   string
	Before, After, Readings []string // states, and the readings relied on
	See                     []int    // lines of earlier events that matter
	Missing                 string   // the CQ, or the shared receive queue, whose callback was owed and not entered, or ""
	Follows                 bool     // it may only follow from another one
}

//go:embed page.html
var pageText string

//go:embed page.css
var style template.CSS

//go:embed page.js
var script template.JS

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page. What the traces name is text, never HTML.
func (p *Page) Write(w io.Writer) error {
	return pageTemplate.Execute(w, struct {
		*Page
		*drawing
		Style  template.CSS
		Script template.JS
	}{p, draw(p), style, script})
}

// A told finding is one as it is listed.
type told struct {
	*Finding
	Open   bool // what explains it is shown at once
	letter string
}

// Firm returns the findings that rest on nothing that was found before.
func (p *Page) Firm() []told { return p.told(false) }

// Following returns the findings that may only follow from one that was found before.
func (p *Page) Following() []told { return p.told(true) }

func (p *Page) told(follows bool) (all []told) {
	for n := range p.Findings {
		if f := &p.Findings[n]; f.Follows == follows {
			one := told{Finding: f, Open: n == 0}
			if len(p.Hosts) > 1 {
				one.letter = " of " + letter(f.Host)
			}
			all = append(all, one)
		}
	}
	return all
}

// At names a line, and Anchor its place in the page.
func (t told) At(line int) string     { return fmt.Sprintf("line %d%s", line, t.letter) }
func (t told) Anchor(line int) string { return anchor(t.Host, line) }
