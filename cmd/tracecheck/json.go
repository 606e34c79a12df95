package main

import (
	"bufio"
	"bytes"
	"encoding/json"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// The types of the JSON output. docs/tracecheck-output.md describes them; a key keeps its meaning within a major version.
type (
	jsonRun struct {
		Format          string            `json:"format"`
		Version         string            `json:"v"`
		Exit            int               `json:"exit"`
		Interrupted     bool              `json:"interrupted"`
		Traces          []jsonTrace       `json:"traces"`
		MissingCoverage []missingCoverage `json:"missing_coverage"`
	}
	jsonTrace struct {
		File       string        `json:"file"`
		Verdict    string        `json:"verdict"`
		Line       int           `json:"line,omitempty"`
		Reason     string        `json:"reason,omitempty"`
		Dialect    string        `json:"dialect,omitempty"`
		With       string        `json:"with,omitempty"`
		Events     int           `json:"events"`
		Components int           `json:"components"`
		Operations int           `json:"operations"`
		Witness    string        `json:"witness,omitempty"`
		Minimized  string        `json:"minimized,omitempty"`
		Html       string        `json:"html,omitempty"`
		Warnings   []jsonWarning `json:"warnings"`
		Findings   []jsonFinding `json:"findings"`
		Readings   []jsonReading `json:"readings"`
		Rules      []jsonRule    `json:"rules"`
		Cases      []jsonCase    `json:"cases"`
	}
	jsonWarning struct {
		Line    int    `json:"line,omitempty"`
		Message string `json:"message"`
	}
	jsonFinding struct {
		Verdict  string     `json:"verdict"`
		Rule     string     `json:"rule,omitempty"`
		Text     string     `json:"text,omitempty"`
		Source   string     `json:"source,omitempty"`
		Page     string     `json:"page,omitempty"`
		Line     int        `json:"line,omitempty"`
		Seq      uint64     `json:"seq,omitempty"`
		Print    string     `json:"fingerprint"`
		Known    bool       `json:"known"`
		Message  string     `json:"message"`
		Also     []string   `json:"also"`
		Before   []string   `json:"before"`
		Instead  []string   `json:"instead"`
		See      []jsonLine `json:"see"`
		Readings []string   `json:"readings"`
		Follows  *jsonCause `json:"follows,omitempty"`
		More     int        `json:"more,omitempty"`
	}
	jsonCause struct {
		Rule string `json:"rule"`
		Line int    `json:"line"`
		File string `json:"file,omitempty"`
	}
	jsonLine struct {
		Line  int    `json:"line"`
		Event string `json:"event,omitempty"`
	}
	jsonReading struct {
		ID       string `json:"id"`
		Question string `json:"question"`
		Choice   string `json:"choice,omitempty"`
		Answer   string `json:"answer,omitempty"`
	}
	jsonRule struct {
		Rule     string `json:"rule"`
		Coverage string `json:"coverage"`
		Count    int    `json:"count"`
		Why      string `json:"why,omitempty"`
	}
	jsonCase struct {
		Case    string `json:"case"`
		AtLeast int    `json:"at_least"`
		AtMost  int    `json:"at_most"`
	}
)

// jsonReporter writes one object for the whole run, at its end.
type jsonReporter struct {
	out      *bufio.Writer
	settings *settings
	traces   []jsonTrace
}

func (w *jsonReporter) result(r *result) {
	t := jsonTrace{
		File: r.report.File, Verdict: r.answer(), Line: r.line, Reason: printable(r.reason),
		Dialect: r.report.Dialect, With: r.report.With, Events: r.report.Events,
		Components: r.report.Components, Operations: r.report.Operations,
		Witness: oneLine(r.witness), Minimized: oneLine(r.minimized), Html: oneLine(r.page),
		Warnings: []jsonWarning{}, Findings: []jsonFinding{}, Readings: []jsonReading{}, Rules: []jsonRule{},
		Cases: []jsonCase{},
	}
	for _, warning := range w.settings.warnings(r) {
		t.Warnings = append(t.Warnings, jsonWarning{warning.Line, warning.Text})
	}
	for _, f := range r.report.Findings {
		t.Findings = append(t.Findings, jsonOf(r, &f, w.settings))
	}
	for _, id := range r.report.Assumes {
		reading, _ := rules.GetReading(id)
		told := jsonReading{ID: id, Question: reading.Question, Choice: w.settings.options.Assume[id]}
		if told.Choice == "" {
			told.Answer = reading.Default
		}
		t.Readings = append(t.Readings, told)
	}
	if r.report.Rules != nil && !w.settings.quiet {
		for _, rule := range rules.All() {
			fared, known := r.report.Rules[rule.ID]
			if !known {
				fared = verdict.RuleCoverage{Coverage: verdict.NotCheckable, Why: rule.WithoutCheck()}
			}
			t.Rules = append(t.Rules, jsonRule{rule.ID, string(fared.Coverage), fared.Count, fared.Why})
		}
	}
	if r.report.Cases != nil && !w.settings.quiet {
		for _, which := range cases.All() {
			n := r.report.Cases[which]
			t.Cases = append(t.Cases, jsonCase{which.ID(), n.AtLeast, n.AtMost})
		}
	}
	w.traces = append(w.traces, t)
}

func jsonOf(r *result, f *verdict.Finding, s *settings) jsonFinding {
	rule, _ := rules.Get(f.Rule)
	told := jsonFinding{
		Verdict: string(f.Verdict), Rule: f.Rule, Text: rule.Text, Source: rule.Source, Page: s.pageOfRule(f.Rule), Line: f.Line, Seq: f.Seq,
		Print: fingerprint(r, f), Known: s.known(r, f),
		Message: f.Message, Also: orEmpty(f.Also), Before: orEmpty(f.Before), Instead: orEmpty(f.Instead), See: []jsonLine{},
		Readings: orEmpty(f.Assumes), More: f.More,
	}
	if f.Follows != nil {
		told.Follows = &jsonCause{f.Follows.Rule, f.Follows.Line, f.Follows.File}
	}
	for _, line := range f.See {
		told.See = append(told.See, jsonLine{line, eventAt(r.trace, line)})
	}
	return told
}

// orEmpty makes a missing list an empty one, so that readers of the output need not tell null from [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (w *jsonReporter) end(sum *summary) {
	writeJSON(w.out, jsonRun{
		Format: "tracecheck-report", Version: "1.0", Exit: sum.code, Interrupted: sum.interrupted,
		Traces: orEmpty(w.traces), MissingCoverage: orEmpty(sum.missing),
	})
}

// writeJSON writes a value as indented JSON. Of its characters those that are not printable are escaped, and ##.
func writeJSON(out *bufio.Writer, value any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // its types are all such as can be
	out.Write(bytes.ReplaceAll(trace.EscapeJSON(nil, text.Bytes()), []byte("##"), []byte(`\u0023\u0023`)))
}
