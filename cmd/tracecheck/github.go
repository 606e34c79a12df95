package main

import (
	"bufio"
	"fmt"
	"strings"
)

// githubReporter writes a workflow command of GitHub Actions for each finding that a person is shown: an annotation of the trace's line. GitHub shows ten
// of a kind and a step.
type githubReporter struct {
	out      *bufio.Writer
	settings *settings
}

var githubLevels = map[level]string{isError: "error", isWarning: "warning", isNote: "notice"}

func (w *githubReporter) result(r *result) {
	w.annotate(r.report.File, r.remarksShown(w.settings))
}

func (w *githubReporter) end(sum *summary) {
	w.annotate("-", coverageRemarks(sum))
}

func (w *githubReporter) annotate(file string, remarks []remark) {
	for _, m := range remarks {
		text := m.text
		if page := w.settings.pageOfRule(m.check); page != "" {
			text += "\n" + page
		}
		w.command(githubLevels[m.level], file, m.line, m.title, text)
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
