package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ndkoracle/internal/picture"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// pageOf returns the page of a trace that was judged, and of the other host's where the two were judged together.
func (p *program) pageOf(ctx context.Context, r *result, s *settings) *picture.Page {
	page := &picture.Page{Title: filepath.Base(r.report.File), Verdict: r.answer(), Class: classOf(r.code)}
	switch property := refuted(r.trace); {
	case property != "":
		page.Verdict, page.Class = "counter-example of TLC: breaks "+property, picture.Broken
		page.Facts = append(page.Facts, "the contract itself says of the trace: "+r.answer())
	case r.hosts != nil: // it shows the findings of both
		a, b := r.hosts[0], r.hosts[1]
		page.Verdict, page.Class = fmt.Sprintf("A: %s, B: %s", a.answer(), b.answer()), classOf(worseOf(a.code, b.code))
	}
	page.Facts = append(page.Facts, fmt.Sprintf("%d events", r.report.Events))
	if r.report.Dialect != "" {
		page.Facts = append(page.Facts, "dialect "+r.report.Dialect)
	}
	hosts := r.hosts
	if hosts == nil {
		hosts = []*result{r}
	} else {
		page.Facts = append(page.Facts, "A is "+filepath.Base(hosts[0].report.File), "B is "+filepath.Base(hosts[1].report.File))
	}
	named := lettered(r.hosts)
	for n, host := range hosts {
		whole := p.wholeOf(ctx, host)
		page.Hosts = append(page.Hosts, picture.Host{Trace: whole, Steps: explained(ctx, host, whole, s)})
		if drawn := len(whole.Events); drawn < host.report.Events {
			page.Facts = append(page.Facts, fmt.Sprintf("%d of %d events are drawn", drawn, host.report.Events))
		}
		shown, rest := host.shown()
		for _, f := range shown {
			drawn := tellFinding(f, n, host, whole, s)
			drawn.Message = named.Replace(drawn.Message)
			page.Findings = append(page.Findings, drawn)
		}
		for _, w := range s.warnings(host) {
			page.Findings = append(page.Findings, s.drawnWarning(w, n))
		}
		for _, left := range rest {
			page.More = append(page.More, left.String())
		}
	}
	return page
}

// lettered puts a letter in place of the file of each host, as the page has it.
func lettered(hosts []*result) *strings.Replacer {
	var pairs []string
	for n, host := range hosts {
		pairs = append(pairs, host.report.File, string(rune('A'+n)))
	}
	return strings.NewReplacer(pairs...)
}

// classOf returns the colour of an exit code.
func classOf(code int) picture.Class {
	switch code {
	case exitConformant:
		return picture.Kept
	case exitViolation:
		return picture.Broken
	}
	return picture.Undecided
}

// draw writes a page as text that can be shown.
func draw(out io.Writer, page *picture.Page) error {
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		return err
	}
	_, err := io.WriteString(out, printable(text.String()))
	return err
}

// refuted returns the property that a counter-example of TLC breaks, or "" for another trace.
func refuted(t *trace.Trace) string {
	if t == nil || t.Header.Producer.Name != "tlcrun" {
		return ""
	}
	return t.Header.Run["property"]
}

// savePage draws a trace that was judged.
func (p *program) savePage(ctx context.Context, in input, r *result, s *settings) {
	if s.html.path == "" || r.code == exitMalformed || r.code == exitInternal {
		return
	}
	page := p.pageOf(ctx, r, s)
	r.page = p.save(ctx, r, s, s.html.placeOf(in), "the drawing", func(w io.Writer) error { return draw(w, page) })
}

// eventsOfPage bounds the events of a trace that a page has.
const eventsOfPage = 120_000

// wholeOf returns the trace of a result with all its events, where it has not too many: a file whose events were not kept is read once more.
func (p *program) wholeOf(ctx context.Context, r *result) *trace.Trace {
	kept := r.trace
	if kept == nil {
		kept = &trace.Trace{}
	}
	if len(kept.Events) >= r.report.Events || r.report.Events > eventsOfPage {
		return kept
	}
	if info, err := os.Stat(r.path); err != nil || !info.Mode().IsRegular() {
		return kept
	}
	in := input{name: r.path}
	file, stop := p.reader(ctx, in)
	defer stop()
	var events []trace.Event
	whole, err := p.scan(ctx, in.shown(), file, func(e *trace.Event) { events = append(events, *e) })
	if err != nil {
		return kept
	}
	whole.Events = events
	return whole
}

func tellFinding(f *verdict.Finding, host int, r *result, whole *trace.Trace, s *settings) picture.Finding {
	told := picture.Finding{Host: host, Line: f.Line, Label: f.Rule, Message: f.Message + s.aside(r, f), Before: withInstead(f), See: f.See}
	if f.Follows != nil {
		told.Standing = picture.Follows
	}
	if told.Label == "" {
		told.Label = string(f.Verdict)
	}
	s.withRule(&told, f.Rule)
	for _, id := range f.Assumes {
		told.Readings = append(told.Readings, s.reading(id))
	}
	told.Missing = picture.Missing(f, whole)
	return told
}

// drawnWarning returns how a warning is drawn.
func (s *settings) drawnWarning(w trace.Warning, host int) picture.Finding {
	drawn := picture.Finding{Host: host, Line: w.Line, Label: warningCheck, Message: w.Text, Standing: picture.Warns}
	if rule := advised(w); rule != "" {
		drawn.Label = rule
		drawn.Message = advice.ReplaceAllString(w.Text, "")
		s.withRule(&drawn, rule)
	}
	return drawn
}

// withRule adds the text, the source and the page of a rule to what is drawn.
func (s *settings) withRule(drawn *picture.Finding, id string) {
	rule, known := rules.Get(id)
	if !known {
		return
	}
	drawn.Rule, drawn.Source = rule.Text, fmt.Sprintf("%s, %s; source: %s", rule.Who, rule.Class, rule.Source)
	drawn.Docs = s.pageOfRule(id)
}
