package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// tableReporter writes a line a trace: its name, events, verdict, and the rules that were broken or left undecided.
type tableReporter struct {
	out      *bufio.Writer
	settings *settings
	rows     [][4]string
	below    []string // warnings, each with its place
}

func (w *tableReporter) result(r *result) {
	if w.settings.passesQuietly(r) {
		return
	}
	var broken []string
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		rule := f.Rule
		if w.settings.known(r, f) {
			rule += " (known)"
		}
		if f.Rule != "" && f.Follows == nil && !slices.Contains(broken, rule) {
			broken = append(broken, rule)
		}
	}
	cell := strings.Join(broken, ", ")
	switch {
	case cell != "":
	case r.line > 0:
		cell = fmt.Sprintf("line %d: %s", r.line, r.reason)
	case r.reason != "":
		cell, _, _ = strings.Cut(r.reason, "\n")
	case len(r.report.Findings) > 0:
		cell = r.report.Findings[0].Message
	default:
		cell = "-"
	}
	for _, warning := range w.settings.warnings(r) {
		w.below = append(w.below, noCommand(oneLine(fmt.Sprintf("%s: warning: %s", at(r.report.File, warning.Line), warning.Text))))
	}
	w.rows = append(w.rows, [4]string{
		noCommand(printable(r.report.File)), fmt.Sprint(r.report.Events), r.answer(), abbreviate(oneLine(cell), 60),
	})
}

func (w *tableReporter) end(sum *summary) {
	rows := slices.Concat([][4]string{{"trace", "events", "verdict", "rule"}}, w.rows)
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], length(cell))
		}
	}
	for _, row := range rows {
		fmt.Fprintf(w.out, "%-*s  %*s  %-*s  %s\n", widths[0], row[0], widths[1], row[1], widths[2], row[2], row[3])
	}
	w.after(w.below)
	var missing []string
	for _, m := range sum.missing {
		missing = append(missing, m.String())
	}
	w.after(missing)
}

// after writes lines below the table. An empty line ends the table, so that a program that reads its rows knows where.
func (w *tableReporter) after(lines []string) {
	if len(lines) > 0 {
		fmt.Fprintln(w.out)
	}
	for _, line := range lines {
		fmt.Fprintln(w.out, line)
	}
}
