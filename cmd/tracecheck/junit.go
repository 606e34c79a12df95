package main

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
)

// junitReporter writes a test case of JUnit's XML for each trace: a violation is a failure, and what could not be decided an error, unless it does not fail the run.
type junitReporter struct {
	out      *bufio.Writer
	settings *settings
	suite    junitSuite
}

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Out     string        `xml:"system-out,omitempty"` // warnings, and what does not fail the run
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func (w *junitReporter) result(r *result) {
	c := junitCase{Name: printable(r.report.File), Class: "tracecheck"}
	switch w.settings.exitOf(r) {
	case exitConformant:
		if r.code != exitConformant {
			c.Out = w.text(r)
		}
	case exitViolation:
		c.Failure = w.problem(r)
	default:
		c.Error = w.problem(r)
	}
	for _, warning := range w.settings.warnings(r) {
		c.Out += noCommand(oneLine(fmt.Sprintf("%s: warning: %s", at(r.report.File, warning.Line), warning.Text))) + "\n"
	}
	w.suite.Cases = append(w.suite.Cases, c)
}

// problem reports why a trace fails the run: by its first finding that does.
func (w *junitReporter) problem(r *result) *junitProblem {
	problem := &junitProblem{Message: printable(r.reason), Type: r.answer(), Text: w.text(r)}
	for _, f := range restsOn(r) {
		if w.settings.fails(r, f) {
			problem.Message = printable(f.Message)
			if f.Rule != "" {
				problem.Message = f.Rule + ": " + problem.Message
			}
			return problem
		}
	}
	for _, warning := range w.settings.warnings(r) {
		if w.settings.exitOf(r) == exitViolation && advised(warning) != "" && !w.settings.knownAdvice(r, warning) {
			problem.Message, problem.Type = printable(warning.Text), "advice"
			break
		}
	}
	return problem
}

// text returns what the text format says of a trace.
func (w *junitReporter) text(r *result) string {
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	(&textReporter{out: out, settings: w.settings, answers: map[string]int{}}).result(r)
	_ = out.Flush() // into memory
	return text.String()
}

func (w *junitReporter) end(sum *summary) {
	for _, missing := range sum.missing {
		w.suite.Cases = append(w.suite.Cases, junitCase{Name: "coverage of " + missing.Name, Class: "tracecheck",
			Error: &junitProblem{Message: missing.String(), Type: "coverage"}})
	}
	if sum.interrupted {
		w.suite.Cases = append(w.suite.Cases, junitCase{Name: "the traces that are left", Class: "tracecheck",
			Error: &junitProblem{Message: fmt.Sprintf("interrupted after %d traces", sum.results), Type: "interrupted"}})
	}
	s := &w.suite
	s.Name, s.Tests = "tracecheck", len(s.Cases)
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		}
	}
	writeXML(w.out, junitSuites{Name: s.Name, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suites: []junitSuite{*s}})
}

// writeXML writes a document.
func writeXML(out *bufio.Writer, value any) {
	io.WriteString(out, xml.Header)
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	_ = encoder.Encode(value) // only a failing writer makes an error here, and its owner reports it
	io.WriteString(out, "\n")
}
