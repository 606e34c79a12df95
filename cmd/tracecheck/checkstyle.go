package main

import (
	"bufio"
	"encoding/xml"
)

// checkstyleReporter writes the XML of Checkstyle: a file for each trace, and an error for each remark on it.
type checkstyleReporter struct {
	out      *bufio.Writer
	settings *settings
	run      checkstyleRun
}

type (
	checkstyleRun struct {
		XMLName xml.Name         `xml:"checkstyle"`
		Version string           `xml:"version,attr"`
		Files   []checkstyleFile `xml:"file"`
	}
	checkstyleFile struct {
		Name   string            `xml:"name,attr"`
		Errors []checkstyleError `xml:"error"`
	}
	checkstyleError struct {
		Line     int    `xml:"line,attr"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
)

// checkstyleVersion is of the version of Checkstyle whose format this is. It has not changed since.
const checkstyleVersion = "4.3"

var checkstyleSeverities = map[level]string{isError: "error", isWarning: "warning", isNote: "info"}

func (w *checkstyleReporter) result(r *result) {
	w.add(r.report.File, r.remarks(w.settings))
}

func (w *checkstyleReporter) end(sum *summary) {
	if missing := coverageRemarks(sum); missing != nil {
		w.add("-", missing)
	}
	w.run.Version = checkstyleVersion
	writeXML(w.out, w.run)
}

// add lists remarks on a file. An error needs a line, which is the first where none is to blame.
func (w *checkstyleReporter) add(file string, remarks []remark) {
	about := checkstyleFile{Name: printable(file)}
	for _, m := range remarks {
		text := m.text
		if page := w.settings.pageOfRule(m.check); page != "" {
			text += " (" + page + ")"
		}
		about.Errors = append(about.Errors, checkstyleError{max(m.line, 1), checkstyleSeverities[m.level], printable(text), "tracecheck." + printable(m.check)})
	}
	w.run.Files = append(w.run.Files, about)
}
