package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what page.html shows: a trace with its findings, and its events as a drawing, a lane for each thread.
type page struct {
	File, Verdict, Class, Facts string
	Findings                    []pageFinding
	More                        int // findings not shown
	drawing
}

type pageFinding struct {
	Verdict, Rule, Place, Message, Text, Source string
	Before, See, Readings                       []string
}

// drawPage writes the page of a trace that was judged.
func drawPage(out io.Writer, r *result, s *settings) error {
	p := page{File: r.report.File, Verdict: r.answer(), Class: "undecided"}
	switch r.code {
	case exitConformant:
		p.Class = "kept"
	case exitViolation:
		p.Class = "broken"
	}
	p.Facts = fmt.Sprintf("%d events, dialect %s", r.report.Events, r.report.Dialect)
	marks := marks{}
	for i := range r.report.Findings {
		if i == findingsShown {
			p.More = len(r.report.Findings) - i
			break
		}
		f := &r.report.Findings[i]
		p.Findings = append(p.Findings, tellFinding(f, r, s))
		marks.add(f)
	}
	if r.trace != nil {
		p.drawing = draw(r.trace, marks)
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		return err
	}
	_, err := io.WriteString(out, printable(text.String()))
	return err
}

// savePage draws a trace that was judged.
func (p *program) savePage(ctx context.Context, in input, r *result, s *settings) {
	if s.html.path == "" || r.code == exitMalformed || r.code == exitInternal {
		return
	}
	r.page = p.save(ctx, r, s, s.html.placeOf(in), "the drawing", func(w io.Writer) error { return drawPage(w, r, s) })
}

func tellFinding(f *verdict.Finding, r *result, s *settings) pageFinding {
	told := pageFinding{Verdict: string(f.Verdict), Rule: f.Rule, Message: f.Message + s.aside(r, f), Before: withInstead(f)}
	if f.Line > 0 {
		told.Place = fmt.Sprintf("line %d", f.Line)
	}
	if rule, ok := rules.Get(f.Rule); ok {
		told.Text, told.Source = rule.Text, fmt.Sprintf("%s, %s; source: %s", rule.Who, rule.Class, rule.Source)
	}
	for _, line := range f.See {
		told.See = append(told.See, fmt.Sprintf("line %d: %s", line, eventAt(r.trace, line)))
	}
	for _, id := range f.Assumes {
		told.Readings = append(told.Readings, s.reading(id))
	}
	return told
}
