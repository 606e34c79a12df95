package main

import (
	"fmt"
	"regexp"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A remark is what is said of a line of a trace, for the formats that know no more than that.
type remark struct {
	level       level
	line        int    // 0 where no line is to blame
	check       string // id of a rule, or the answer, or what kind of remark it is
	title       string // check, with the verdict where check is a rule
	text        string
	fingerprint string // of a finding or of advice, else ""
}

// level says how much a remark weighs.
type level int

const (
	isError   level = iota // a violation, or a trace that could not be judged
	isWarning              // undecided, or a warning
	isNote                 // may only follow from another finding, or is known
)

// The checks of remarks that no rule stands behind.
const (
	warningCheck  = "warning"
	coverageCheck = "coverage"
)

// remarks returns what is said of a trace: why it could not be judged, warnings and findings.
func (r *result) remarks(s *settings) []remark {
	all := r.warned(s)
	for i := range r.report.Findings {
		all = append(all, r.remark(s, &r.report.Findings[i]))
	}
	return all
}

// remarksShown is remarks for a person, who is not shown each repetition of a finding.
func (r *result) remarksShown(s *settings) []remark {
	all := r.warned(s)
	shown, rest := r.shown()
	for _, f := range shown {
		all = append(all, r.remark(s, f))
	}
	for _, left := range rest {
		m := remark{level: isNote, check: left.rule, title: left.rule, text: left.String()}
		if len(left.lines) > 0 {
			m.line = left.lines[0]
		}
		all = append(all, m)
	}
	return all
}

// warned returns why a trace could not be judged, and the warnings.
func (r *result) warned(s *settings) []remark {
	var all []remark
	if r.reason != "" {
		all = append(all, remark{level: isError, line: r.line, check: r.answer(), title: r.answer(), text: r.reason})
	}
	for _, warning := range s.warnings(r) {
		m := remark{level: isWarning, line: warning.Line, check: warningCheck, title: warningCheck, text: warning.Text}
		if rule := advised(warning); rule != "" {
			m.check, m.fingerprint = rule, fingerprintOfAdvice(r, rule, warning)
			if s.knownAdvice(r, warning) {
				m.level = isNote
			}
		}
		all = append(all, m)
	}
	return all
}

func (r *result) remark(s *settings, f *verdict.Finding) remark {
	told := remark{level: s.levelOf(r, f), line: f.Line, check: string(f.Verdict), title: string(f.Verdict), text: f.Message + s.aside(r, f),
		fingerprint: fingerprint(r, f)}
	if f.Rule != "" {
		told.check, told.title = f.Rule, fmt.Sprintf("%s (%s)", f.Rule, f.Verdict)
	}
	return told
}

func (s *settings) levelOf(r *result, f *verdict.Finding) level {
	switch {
	case f.Follows != nil || s.known(r, f):
		return isNote
	case f.Verdict == verdict.Inconclusive:
		return isWarning
	}
	return isError
}

// coverageRemarks returns what is said of coverage that is missing.
func coverageRemarks(sum *summary) []remark {
	var all []remark
	for _, missing := range sum.missing {
		all = append(all, remark{level: isWarning, check: coverageCheck, title: coverageCheck, text: missing.String()})
	}
	return all
}

var advice = regexp.MustCompile(`^([A-Z]+-\d+) \(advice\): `)

// advised returns the id of the rule of class advice that a warning is about, or "".
func advised(w trace.Warning) string {
	if found := advice.FindStringSubmatch(w.Text); found != nil {
		return found[1]
	}
	return ""
}
