package main

import (
	"bufio"
	"fmt"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

const (
	warningsShown = 10
	textWidth     = commandline.TextWidth
)

// textReporter describes each trace as soon as it is judged, and the coverage of all at the end.
type textReporter struct {
	out      *bufio.Writer
	settings *settings
	single   bool
	color    bool
	judged   int
	answers  map[string]int
}

func (w *textReporter) line(indent int, format string, args ...any) {
	for part := range strings.SplitSeq(printable(fmt.Sprintf(format, args...)), "\n") {
		fmt.Fprintf(w.out, "%*s%s\n", indent, "", noCommand(part))
	}
}

var colors = map[string]string{
	string(verdict.Conformant):        "32",
	string(verdict.ProviderViolation): "31",
	string(verdict.ConsumerViolation): "31",
	string(verdict.Inconclusive):      "33",
	string(verdict.Malformed):         "35",
	unreadable:                        "35",
	internalError:                     "35",
}

func (w *textReporter) result(r *result) {
	answer := r.answer()
	w.answers[answer]++
	if w.settings.passesQuietly(r) {
		return
	}
	place, more := at(r.report.File, r.line), ": "+r.reason
	if r.reason == "" {
		w.judged++
		about := []string{fmt.Sprintf("%d events", r.report.Events)}
		if r.report.Dialect != "" { // of a trace whose header was read
			about = append(about, r.report.Dialect)
		}
		if r.report.With != "" {
			about = append(about, "with "+r.report.With)
		}
		more = " (" + strings.Join(about, ", ") + ")"
	}
	if w.color {
		answer = fmt.Sprintf("\x1b[1;%sm%s\x1b[0m", colors[answer], answer)
	}
	fmt.Fprintf(w.out, "%s: %s%s\n", noCommand(printable(place)), answer, noCommand(printable(more)))
	shown, rest := r.shown()
	for _, f := range shown {
		w.finding(r, f)
	}
	for _, left := range rest {
		w.line(2, "%s", left)
	}
	for i, warning := range w.settings.warnings(r) {
		if i == warningsShown {
			w.line(2, "and %d warnings more; --format json has all", len(w.settings.warnings(r))-i)
			break
		}
		w.line(2, "%s: warning: %s", at(r.report.File, warning.Line), warning.Text)
	}
	if r.witness != "" {
		w.line(2, "witness in %s", oneLine(r.witness))
	}
	if r.minimized != "" {
		limit := ""
		if r.cut != "" {
			limit = ", when " + r.cut
		}
		w.line(2, "minimized to %d events in %s%s", len(r.small.Events), oneLine(r.minimized), limit)
	}
	if r.page != "" {
		w.line(2, "drawn in %s", oneLine(r.page))
	}
	if len(r.report.Findings) == 0 && len(r.report.Assumes) > 0 && !w.settings.quiet {
		w.line(2, "rests on the readings %s", strings.Join(r.report.Assumes, ", "))
	}
}

// at names a place as editors and compilers do.
func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func (w *textReporter) finding(r *result, f *verdict.Finding) {
	what := f.Rule
	switch {
	case what == "":
		what = string(f.Verdict)
	case f.Verdict != r.report.Verdict:
		what += fmt.Sprintf(" (%s)", f.Verdict)
	}
	w.line(2, "%s: %s: %s%s", at(r.report.File, f.Line), what, f.Message, w.settings.aside(r, f))
	if content := eventAt(r.trace, f.Line); content != "" {
		w.detail("the event", content)
	}
	if rule, ok := rules.Get(f.Rule); ok {
		w.detail("the rule", rule.Text, fmt.Sprintf("%s, %s; source: %s", rule.Who, rule.Class, rule.Source))
		if page := w.settings.pageOfRule(f.Rule); page != "" {
			w.detail("its page", page)
		}
	}
	w.detail("before it", withInstead(f)...)
	var related []string
	for _, line := range f.See {
		related = append(related, strings.TrimSpace(fmt.Sprintf("line %d: %s", line, eventAt(r.trace, line))))
	}
	w.detail("see", related...)
	if f.Message == verdict.NotAtRest {
		w.detail("at its end", waiting(r)...)
	}
	if len(f.Also) > 0 {
		w.detail("also", "other ways to explain the trace break "+strings.Join(f.Also, ", "))
	}
	var readings []string
	for _, id := range f.Assumes {
		readings = append(readings, w.settings.reading(id))
	}
	w.detail("readings", readings...)
	if f.More > 0 {
		w.detail("and", fmt.Sprintf("%d more findings that may only follow from it", f.More))
	}
}

// follows says from which earlier finding one may only follow.
func follows(f *verdict.Finding) string {
	if f.Follows == nil {
		return ""
	}
	if f.Follows.File != "" {
		return fmt.Sprintf(" (may only follow from %s at %s)", f.Follows.Rule, at(f.Follows.File, f.Follows.Line))
	}
	return fmt.Sprintf(" (may only follow from %s at line %d)", f.Follows.Rule, f.Follows.Line)
}

// withInstead describes each explanation that was alive, and what it would have allowed.
func withInstead(f *verdict.Finding) []string {
	var told []string
	for i, before := range f.Before {
		if i < len(f.Instead) && f.Instead[i] != "" {
			before += "; instead: " + f.Instead[i]
		}
		told = append(told, before)
	}
	return told
}

// detail writes paragraphs under one title. What does not fit on a paragraph's first line hangs.
func (w *textReporter) detail(title string, paragraphs ...string) {
	const indent, column, hang = 6, 18, "  "
	for _, paragraph := range paragraphs {
		for i, line := range commandline.Wrap(paragraph, textWidth-column-len(hang)) {
			if i > 0 {
				line = hang + line
			}
			w.line(indent, "%-*s%s", column-indent, title, line)
			title = ""
		}
	}
}

// reading describes a reading with the answer that was taken.
func (s *settings) reading(id string) string {
	reading, ok := rules.GetReading(id)
	if !ok {
		return id
	}
	if choice, ok := s.options.Assume[id]; ok {
		return fmt.Sprintf("%s=%s: %s", id, choice, reading.Question)
	}
	return fmt.Sprintf("%s: %s %s", id, reading.Question, reading.Default)
}

func (w *textReporter) end(sum *summary) {
	if !w.single && !w.settings.quiet {
		w.line(0, "%d traces: %s", sum.results, w.counts())
	}
	for _, missing := range sum.missing {
		w.line(0, "%s", missing)
	}
	if w.settings.quiet || w.judged == 0 {
		return
	}
	if taken := w.settings.readingsTaken(); len(taken) > 0 {
		w.line(0, "readings taken instead of the default: %s", strings.Join(taken, ", "))
	}
	for _, line := range sum.coverage.lines() {
		w.line(0, "%s", line)
	}
}

// counts describes how many traces got which answer.
func (w *textReporter) counts() string {
	var parts []string
	for _, answer := range []string{
		string(verdict.Conformant), string(verdict.ProviderViolation), string(verdict.ConsumerViolation),
		string(verdict.Inconclusive), string(verdict.Malformed), unreadable, internalError,
	} {
		if n := w.answers[answer]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, answer))
		}
	}
	return strings.Join(parts, ", ")
}
