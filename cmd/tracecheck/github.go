package main

import (
	"bufio"
	"fmt"
	"strings"

	"ndkoracle/linearize/verdict"
)

// githubReporter writes a workflow command of GitHub Actions for each finding: an annotation of the trace's line.
type githubReporter struct {
	out      *bufio.Writer
	settings *settings
}

var githubLevels = map[verdict.Verdict]string{
	verdict.ProviderViolation: "error", verdict.ConsumerViolation: "error", verdict.Inconclusive: "warning",
}

func (w *githubReporter) result(r *result) {
	if r.reason != "" {
		w.command("error", r.report.File, r.line, r.answer(), r.reason)
	}
	if !w.settings.quiet || r.code != exitConformant {
		for _, warning := range r.warnings() {
			w.command("warning", r.report.File, warning.Line, "warning", warning.Text)
		}
	}
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		level, title := githubLevels[f.Verdict], string(f.Verdict)
		if f.Rule != "" {
			title = fmt.Sprintf("%s (%s)", f.Rule, f.Verdict)
		}
		if f.Follows != nil {
			level = "notice"
		}
		w.command(level, r.report.File, f.Line, title, f.Message+follows(f))
	}
}

func (w *githubReporter) end(sum *summary) {
	for _, missing := range sum.missing {
		w.command("warning", "-", 0, "coverage", missing.String())
	}
}

// command writes one workflow command. Standard input has no file, and the whole of a file no line.
func (w *githubReporter) command(level, file string, line int, title, message string) {
	properties := "title=" + githubProperty.Replace(printable(title))
	if file != "-" {
		place := "file=" + githubProperty.Replace(printable(file))
		if line > 0 {
			place += fmt.Sprintf(",line=%d", line)
		}
		properties = place + "," + properties
	}
	fmt.Fprintf(w.out, "::%s %s::%s\n", level, properties, githubMessage.Replace(printable(message)))
}

// What would end a message, or a property, is escaped.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
