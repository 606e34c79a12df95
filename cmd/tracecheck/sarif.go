package main

import (
	"bufio"
	"cmp"
	"net/url"
	"path/filepath"

	"ndkoracle/internal/release"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// sarifReporter writes the findings of all traces as one run of SARIF 2.1.0. What is not a trace, and what went wrong in this
// program, is a notification of the run.
type sarifReporter struct {
	out      *bufio.Writer
	settings *settings
	run      sarifRun
	indexes  map[string]int // of rules, by id
	failed   bool           // this program made a mistake
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifFingerprint is the name of the one fingerprint that a result has.
const sarifFingerprint = "tracecheck/v" + fingerprintVersion

func (w *sarifReporter) result(r *result) {
	if r.reason != "" {
		w.failed = w.failed || r.code == exitInternal
		w.notify("error", r.answer()+": "+r.reason, sarifAt(r.path, r.line))
	}
	for _, warning := range w.settings.warnings(r) {
		w.warn(r, warning)
	}
	for i := range r.report.Findings {
		w.finding(r, &r.report.Findings[i])
	}
}

// warn reports advice that was not followed as a result, as its rule has a text to read, and of another warning as a notification.
func (w *sarifReporter) warn(r *result, warning trace.Warning) {
	rule, at := advised(warning), sarifAt(r.path, warning.Line)
	if rule == "" {
		w.notify("warning", warning.Text, at)
		return
	}
	told := sarifResult{RuleID: rule, RuleIndex: w.rule(rule), Kind: "fail", Level: "warning",
		Message: sarifMessage{printable(warning.Text)}, Locations: []sarifLocation{at},
		Fingerprints: map[string]string{sarifFingerprint: fingerprintOfAdvice(r, rule, warning)}}
	if w.settings.baseline != nil {
		told.Suppressions = []sarifSuppression{}
	}
	if w.settings.knownAdvice(r, warning) {
		told.Suppressions = append(told.Suppressions, inBaseline)
	}
	w.run.Results = append(w.run.Results, told)
}

var inBaseline = sarifSuppression{"external", "known: it is in the baseline"}

func (w *sarifReporter) finding(r *result, f *verdict.Finding) {
	told := sarifResult{RuleID: cmp.Or(f.Rule, ruleless), Kind: "fail", Level: "error", Message: sarifMessage{printable(f.Message + w.settings.aside(r, f))},
		Locations: []sarifLocation{sarifAt(r.path, f.Line)}, Fingerprints: map[string]string{sarifFingerprint: fingerprint(r, f)},
		More: map[string]string{"verdict": string(f.Verdict)}}
	told.RuleIndex = w.rule(told.RuleID)
	if w.settings.baseline != nil { // then each result is to say whether it is suppressed
		told.Suppressions = []sarifSuppression{}
	}
	if w.settings.known(r, f) {
		told.Suppressions = append(told.Suppressions, inBaseline)
	}
	switch w.settings.levelOf(r, f) {
	case isWarning:
		told.Kind, told.Level = "open", "none"
	case isNote:
		told.Level = "note"
	}
	for _, line := range f.See {
		related := sarifAt(r.path, line)
		if event := eventAt(r.trace, line); event != "" {
			related.Message = &sarifMessage{printable(event)}
		}
		told.Related = append(told.Related, related)
	}
	w.run.Results = append(w.run.Results, told)
}

// ruleless is what stands for a rule in a result that is about none in particular.
const ruleless = "inconclusive"

// rule returns the index of a rule among those of the run.
func (w *sarifReporter) rule(id string) int {
	if index, listed := w.indexes[id]; listed {
		return index
	}
	if w.indexes == nil {
		w.indexes = map[string]int{}
	}
	about := sarifRule{printable(id), sarifMessage{"The trace does not record enough to decide, or a limit was reached."},
		sarifMessage{"The message of a result says what is missing."}, w.settings.helpOf(id)}
	if rule, known := rules.Get(id); known {
		about = sarifRule{id, sarifMessage{rule.Text}, sarifMessage{"Source: " + rule.Source}, w.settings.helpOf(id)}
	}
	listing := &w.run.Tool.Driver.Rules
	w.indexes[id] = len(*listing)
	*listing = append(*listing, about)
	return w.indexes[id]
}

// notify records what is not a finding of a trace.
func (w *sarifReporter) notify(level, text string, at ...sarifLocation) {
	if w.run.Invocations == nil {
		w.run.Invocations = []sarifInvocation{{}}
	}
	told := &w.run.Invocations[0].Notifications
	*told = append(*told, sarifNotification{level, sarifMessage{printable(text)}, at})
}

// sarifAt names a line of a file, or the file where the line is 0.
func sarifAt(file string, line int) sarifLocation {
	uri := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		uri.Scheme = "file"
	}
	at := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{uri.String()}}}
	if line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	return at
}

func (w *sarifReporter) end(sum *summary) {
	for _, missing := range sum.missing {
		w.notify("error", missing.String())
	}
	if w.run.Invocations == nil {
		w.run.Invocations = []sarifInvocation{{}}
	}
	invocation, driver := &w.run.Invocations[0], &w.run.Tool.Driver
	invocation.Successful, invocation.ExitCode = !w.failed && !sum.interrupted, sum.code
	driver.Name, driver.Version, driver.Rules = "tracecheck", release.Version(), orEmpty(driver.Rules)
	w.run.Results = orEmpty(w.run.Results)
	writeJSON(w.out, sarifLog{sarifSchema, "2.1.0", []sarifRun{w.run}})
}
