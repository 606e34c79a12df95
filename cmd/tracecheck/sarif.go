package main

import (
	"bufio"
	"net/url"
	"path/filepath"

	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

// sarifReporter writes the findings of all traces as one run of SARIF 2.1.0. What is no trace, and what went wrong in this
// program, is a notification of the run.
type sarifReporter struct {
	out      *bufio.Writer
	settings *settings
	run      sarifRun
	indexes  map[string]int // of rules, by id
	failed   bool           // this program made a mistake
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID          string       `json:"id"`
		Description sarifMessage `json:"shortDescription"`
		Help        sarifMessage `json:"help"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId,omitempty"`
		RuleIndex *int              `json:"ruleIndex,omitempty"`
		Kind      string            `json:"kind"`
		Level     string            `json:"level"`
		Message   sarifMessage      `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Related   []sarifLocation   `json:"relatedLocations,omitempty"`
		More      map[string]string `json:"properties,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

func (w *sarifReporter) result(r *result) {
	if r.reason != "" {
		w.failed = w.failed || r.code == exitInternal
		w.notify("error", r.answer()+": "+r.reason, sarifAt(r.path, r.line))
	}
	if !w.settings.quiet || r.code != exitConformant {
		for _, warning := range r.warnings() {
			w.notify("warning", warning.Text, sarifAt(r.path, warning.Line))
		}
	}
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		told := sarifResult{RuleID: f.Rule, Kind: "fail", Level: "error", Message: sarifMessage{printable(f.Message + follows(f))},
			Locations: []sarifLocation{sarifAt(r.path, f.Line)}, More: map[string]string{"verdict": string(f.Verdict)}}
		if index, known := w.rule(f.Rule); known {
			told.RuleIndex = &index
		}
		switch {
		case f.Verdict == verdict.Inconclusive:
			told.Kind, told.Level = "open", "none"
		case f.Follows != nil:
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
}

// rule returns the index of a rule among those of the run.
func (w *sarifReporter) rule(id string) (index int, known bool) {
	rule, known := rules.Get(id)
	if !known {
		return 0, false
	}
	index, listed := w.indexes[id]
	if !listed {
		if w.indexes == nil {
			w.indexes = map[string]int{}
		}
		listing := &w.run.Tool.Driver.Rules
		index = len(*listing)
		w.indexes[id] = index
		*listing = append(*listing, sarifRule{id, sarifMessage{rule.Text}, sarifMessage{"Source: " + rule.Source}})
	}
	return index, true
}

// notify notes what is no finding of a trace.
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
	driver.Name, driver.Version, driver.Rules = "tracecheck", version(), orEmpty(driver.Rules)
	w.run.Results = orEmpty(w.run.Results)
	writeJSON(w.out, sarifLog{sarifSchema, "2.1.0", []sarifRun{w.run}})
}
