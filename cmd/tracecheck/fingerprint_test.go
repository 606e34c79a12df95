package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// printsOf returns the fingerprints of the findings of a run that follow from no other.
func printsOf(t *testing.T, stdin []byte, args ...string) []string {
	t.Helper()
	var out, errors bytes.Buffer
	p := newProgram()
	p.stdin, p.stdout, p.stderr = bytes.NewReader(stdin), &out, &errors
	p.run(t.Context(), append(args, "--format", "json"))
	var run jsonRun
	if err := json.Unmarshal(out.Bytes(), &run); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &errors)
	}
	var prints []string
	for _, r := range run.Traces {
		for _, f := range r.Findings {
			if f.Follows == nil {
				prints = append(prints, f.Print)
			}
		}
	}
	return prints
}

// A bug has one fingerprint, whatever the file is called, what comes before it, which engine finds it, and whether the trace is the reduced one, or is
// too long to keep and read from a pipe.
func TestFingerprintIsOfTheBug(t *testing.T) {
	for _, recorded := range []string{lostTrace, brokenTrace} {
		want := printsOf(t, nil, recorded)
		if len(want) != 1 || len(want[0]) != 32 {
			t.Fatalf("%s: %q", recorded, want)
		}
		short, _ := behind(t, 100, recorded)
		long, _ := behind(t, linearize.MaxEvents, recorded)
		piped, err := os.ReadFile(long)
		if err != nil {
			t.Fatal(err)
		}
		small := filepath.Join(t.TempDir(), "small")
		shipped(t, "--minimize", small, recorded)
		for name, have := range map[string][]string{
			"stream": printsOf(t, nil, "--engine", "stream", recorded), "porcupine": printsOf(t, nil, "--engine", "porcupine", recorded),
			"behind others": printsOf(t, nil, short), "behind many": printsOf(t, nil, long), "of a pipe": printsOf(t, piped, "-"), "reduced": printsOf(t, nil, small),
		} {
			if len(have) == 0 || have[0] != want[0] { // the reduced one does not end at rest, which is told after that
				t.Errorf("%s, %s: %q, want %q", recorded, name, have, want)
			}
		}
	}
}

// What a fingerprint is made of: dialect, verdict, rule, function and phase; without a rule the message, without names and numbers. Nothing else
// changes it.
func TestFingerprintIsMadeOf(t *testing.T) {
	build := func(change func(*result, *verdict.Finding)) string {
		r := &result{report: &verdict.Report{File: "a", Dialect: "ndkpi"}, trace: &trace.Trace{Events: []trace.Event{
			{Line: 3, Fn: "NdkArmCq", Ph: trace.Call}, {Line: 4, Fn: "NdkArmCq", Ph: trace.Ret}, {Line: 5, Fn: "NdkSend", Ph: trace.Call},
		}}}
		f := &verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "ARM-02", Line: 3, Message: "a callback of cq1"}
		change(r, f)
		return fingerprint(r, f)
	}
	first := build(func(*result, *verdict.Finding) {})
	for name, change := range map[string]func(*result, *verdict.Finding){
		"file": func(r *result, _ *verdict.Finding) { r.report.File = "b" }, "message": func(_ *result, f *verdict.Finding) { f.Message = "x" },
		"line": func(r *result, f *verdict.Finding) { r.trace.Events[0].Line, f.Line = 2, 2 },
		"ids":  func(r *result, _ *verdict.Finding) { r.trace.Events[0].Cq = "cq7" },
	} {
		if build(change) != first {
			t.Errorf("another %s gives another fingerprint", name)
		}
	}
	made := map[string]string{first: "nothing"}
	for name, change := range map[string]func(*result, *verdict.Finding){
		"dialect": func(r *result, _ *verdict.Finding) { r.report.Dialect = "verbs" }, "rule": func(_ *result, f *verdict.Finding) { f.Rule = "ARM-03" },
		"verdict":  func(_ *result, f *verdict.Finding) { f.Verdict = verdict.ConsumerViolation },
		"function": func(_ *result, f *verdict.Finding) { f.Line = 5 }, "phase": func(_ *result, f *verdict.Finding) { f.Line = 4 },
		"event": func(_ *result, f *verdict.Finding) { f.Line = 9 }, "message without a rule": func(_ *result, f *verdict.Finding) { f.Rule = "" },
	} {
		print := build(change)
		if made[print] != "" {
			t.Errorf("another %s gives the fingerprint of another %s", name, made[print])
		}
		made[print] = name
	}
	without := func(message string) string {
		return build(func(_ *result, f *verdict.Finding) { f.Rule, f.Message = "", message })
	}
	if without("whether w0 waited 17 times") != without("whether w12 waited 9 times") || without("whether w0 waited") == without("whether w0 ended") {
		t.Error("names and numbers count, or words do not")
	}
}

// Each finding has a fingerprint, also one of those that text does not show (ARM-02).
func TestFingerprintOfManyFindings(t *testing.T) {
	r := &result{report: &verdict.Report{}, trace: &trace.Trace{More: 1, Events: []trace.Event{{Line: 40}}}}
	for line := 10; line < 10+findingsShown+3; line++ {
		r.report.Findings = append(r.report.Findings, verdict.Finding{Rule: fmt.Sprint("R-", line), Line: line, See: []int{2}})
	}
	r.report.Findings = append(r.report.Findings, verdict.Finding{Line: 40, See: []int{3}}, verdict.Finding{})
	lines, alone := linesSeen(r)
	if len(lines) != findingsShown+1 || lines[0] != 2 || len(alone) != 3 || alone[0] != 10+findingsShown {
		t.Errorf("with those around: %v, alone: %v", lines, alone)
	}
	if got := strings.Count(kindOfEvent(r.trace, 40), " "); got != 1 {
		t.Error("no event on line 40")
	}
}
