package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/rules"
)

// readers is a module of its own: programs of others that read the reports (README.md there).
const readers = "../../internal/readers"

// site is where the documents are published.
const site = "https://docs.example/ndk"

// reportOf returns what the program as it is shipped writes of traces of each verdict, with warnings, advice and links to the rules.
func reportOf(t *testing.T, format string) string {
	t.Helper()
	args := []string{"--engine", "stream", "--format", format, "--docs", site, "--require-coverage", "DEF-03", "../../traces/inconclusive", "../../traces/malformed", plainTrace}
	for _, pattern := range []string{"reject/a*", "use/*"} {
		found, err := filepath.Glob(filepath.Join("../../traces", pattern+".ndktrace.jsonl"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no traces (%v)", pattern, err)
		}
		args = append(args, found...)
	}
	_, out, errors := shipped(t, args...)
	if out == "" {
		t.Fatal(errors)
	}
	return out
}

// run runs a command in a folder, and returns what it said and whether it succeeded.
func run(t *testing.T, folder, input, program string, args ...string) (said string, ok bool) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir, c.Stdin = folder, strings.NewReader(input)
	text, err := c.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatalf("%s: %v (make install)", program, err)
	}
	return string(text), err == nil
}

// installed makes a folder below build/ by commands, once for the content of a file that fixes the versions.
func installed(t *testing.T, name, fixed string, commands func(folder string) [][]string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("../../build", name))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(fixed)
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(folder, "fixed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return folder
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands(folder) {
		if said, ok := run(t, folder, "", c[0], c[1:]...); !ok {
			t.Fatalf("%q: %s", c, said)
		}
	}
	if err := os.WriteFile(stamp, want, 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A report of JUnit's keeps to the schema with which Jenkins accepts one.
func TestJunitKeepsToTheSchema(t *testing.T) {
	fixed, err := filepath.Abs(filepath.Join(readers, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	venv := installed(t, "junit-venv", fixed, func(folder string) [][]string {
		return [][]string{{"python3", "-m", "venv", folder},
			{filepath.Join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", fixed}}
	})
	file := filepath.Join(t.TempDir(), "report.xml")
	validate := func(report string) (string, bool) {
		if err := os.WriteFile(file, []byte(report), 0o666); err != nil {
			t.Fatal(err)
		}
		return run(t, readers, "", filepath.Join(venv, "bin", "python"), "junit.py", file)
	}
	report := reportOf(t, "junit")
	if said, ok := validate(report); !ok {
		t.Errorf("%s\n%s", said, report)
	}
	for _, wrong := range [][2]string{{` failures="`, ` broken="`}, {"testcase", "failure"}, {"system-out>", "output>"}, {` errors="`, ` x="`}} {
		other := strings.ReplaceAll(report, wrong[0], wrong[1])
		if err := xml.Unmarshal([]byte(other), new(struct{})); err != nil {
			t.Errorf("with %s for %s it is not well-formed: %v", wrong[1], wrong[0], err)
		}
		if said, ok := validate(other); ok || !strings.Contains(said, "/testsuites") {
			t.Errorf("with %s for %s the schema does not refuse it: %s", wrong[1], wrong[0], said)
		}
	}
}

// A report for Code Climate is a list of what its published types call issues, each described in one line.
func TestCodeclimateHasThePublishedTypes(t *testing.T) {
	lock := filepath.Join(readers, "package-lock.json")
	folder := installed(t, "codeclimate", lock, func(folder string) [][]string {
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(filepath.Join(readers, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return [][]string{{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"}}
	})
	validate := func(name, report string) (string, bool) {
		text := "import type { Issue } from 'codeclimate-types'\nexport const issues: Issue[] = " + report
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return run(t, folder, "", "node_modules/.bin/tsc", "--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", "false", name)
	}
	report := reportOf(t, "codeclimate")
	if said, ok := validate("report.ts", report); !ok {
		t.Errorf("%s", said)
	}
	var issues []codeclimateIssue
	if err := json.Unmarshal([]byte(report), &issues); err != nil || len(issues) < 100 {
		t.Fatalf("%d issues, %v", len(issues), err)
	}
	for _, issue := range issues {
		if strings.ContainsAny(issue.Description, "\n\r") {
			t.Errorf("more than a line: %q", issue.Description)
		}
	}
	one, err := json.Marshal(issues[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]string{{`"end":`, `"until":`}, {`"severity":"`, `"severity":"very `}, {"Bug Risk", "Bugs"}, {`"check_name"`, `"check"`}} {
		if said, ok := validate("wrong.ts", strings.ReplaceAll(string(one), wrong[0], wrong[1])); ok || !strings.Contains(said, "wrong.ts") {
			t.Errorf("with %s for %s it is accepted: %s", wrong[1], wrong[0], said)
		}
	}
}

// reviewdog finds in the reports for Checkstyle and of SARIF what tracecheck says of the traces: the file, the line, how much it weighs, which rule, and the message.
func TestReviewdogReadsTheSame(t *testing.T) {
	program := filepath.Join(t.TempDir(), "readers")
	if said, ok := run(t, readers, "", "go", "build", "-o", program, "."); !ok {
		t.Fatal(said)
	}
	read := func(format, report string) []string {
		said, ok := run(t, readers, report, program, format)
		if !ok {
			t.Fatal(said)
		}
		return strings.Split(strings.TrimSpace(said), "\n")
	}
	var issues []codeclimateIssue
	if err := json.Unmarshal([]byte(reportOf(t, "codeclimate")), &issues); err != nil {
		t.Fatal(err)
	}
	weights := map[string]string{"critical": "ERROR", "minor": "WARNING", "info": "INFO"}
	var want []string
	for _, i := range issues {
		text := i.Description
		if _, isRule := rules.Get(i.Check); isRule {
			text += " (" + site + "/rules/" + i.Check + ".html)"
		}
		want = append(want, fmt.Sprintf("%s\t%d\t%s\ttracecheck.%s\t%s", i.Location.Path, i.Location.Lines.Begin, weights[i.Severity], i.Check, text))
	}
	report := reportOf(t, "checkstyle")
	if have := read("checkstyle", report); !slices.Equal(have, want) {
		t.Errorf("Checkstyle: %d remarks, want %d\n%s\nwant\n%s", len(have), len(want), strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	for _, wrong := range []string{"line", "severity", "source", "message"} {
		if slices.Equal(read("checkstyle", strings.ReplaceAll(report, " "+wrong+"=", " x=")), want) {
			t.Errorf("without %s the same is read", wrong)
		}
	}
	told := map[string]bool{}
	for _, line := range want {
		fields := strings.Split(line, "\t")
		told[filepath.Base(fields[0])+" "+strings.TrimPrefix(fields[3], "tracecheck.")] = true
	}
	results := read("sarif", reportOf(t, "sarif"))
	for _, line := range results {
		if fields := strings.Split(line, "\t"); len(fields) != 5 || fields[4] == "" || !told[filepath.Base(fields[0])+" "+fields[3]] {
			t.Errorf("SARIF: %q is in no other report", line)
		}
	}
	if len(results) < 50 {
		t.Errorf("SARIF: %d results", len(results))
	}
}
