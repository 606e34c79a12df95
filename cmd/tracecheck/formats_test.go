package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// An annotation names file, line, level and title; what has a meaning in a workflow command is escaped. What may only follow
// from another finding is a notice.
func TestGithub(t *testing.T) {
	b := newBench(t)
	names := files(t, "two", "conformant", "inconclusive", "malformed")
	b.do(append(names, "--format", "github", "--require-coverage", "DEF-03")...)
	want := fmt.Sprintf(`::error file=%[1]s,line=5,title=ARM-02 (provider violation)::One.
::notice file=%[1]s,line=9,title=DEF-03 (provider violation)::Two. (may only follow from ARM-02 at line 5)
::error file=%[2]s,line=7,title=malformed::seq 3 comes after seq 9
::warning title=coverage::coverage required and missing: DEF-03 (vacuous)
`, names[0], names[3])
	if b.out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b.out, want)
	}
	b.out.Reset()
	out := bufio.NewWriter(&b.out)
	(&githubReporter{out: out}).command("error", "a,b:c%\n", 3, "x:y,z", "50%\nmore\x1b")
	out.Flush()
	if want := "::error file=a%2Cb%3Ac%25%0A,line=3,title=x%3Ay%2Cz::50%25%0Amore\\x1b\n"; b.out.String() != want {
		t.Errorf("got %q, want %q", &b.out, want)
	}
}

// The XML holds a test case for each trace: a violation is a failure, what could not be decided an error, and the suite counts
// them.
func TestJunit(t *testing.T) {
	b := newBench(t)
	names := files(t, "provider", "conformant", "inconclusive", "malformed", "panic", "consumer")
	b.do(append(names, "--format", "junit", "--require-coverage", "DEF-03")...)
	var all junitSuites
	if err := xml.Unmarshal(b.out.Bytes(), &all); err != nil {
		t.Fatalf("%v\n%s", err, &b.out)
	}
	if len(all.Suites) != 1 || all.Tests != 7 || all.Failures != 2 || all.Errors != 4 {
		t.Fatalf("%d suites, %d tests, %d failures, %d errors\n%s", len(all.Suites), all.Tests, all.Failures, all.Errors, &b.out)
	}
	suite := all.Suites[0]
	if suite.Name == "" || suite.Tests != 7 || suite.Failures != 2 || suite.Errors != 4 || len(suite.Cases) != 7 {
		t.Errorf("%+v", suite)
	}
	var have []string
	for i, c := range suite.Cases {
		if i < len(names) && c.Name != names[i] || c.Class == "" {
			t.Errorf("case %d is of %s %s", i, c.Class, c.Name)
		}
		switch {
		case c.Failure != nil:
			have = append(have, "failure "+c.Failure.Type+": "+c.Failure.Message)
		case c.Error != nil:
			have = append(have, "error "+c.Error.Type)
		default:
			have = append(have, "passed")
		}
	}
	want := []string{
		"failure provider violation: ARM-11: no callback came for the completion of w1, which failed, though cq1 was armed SOLICITED",
		"passed", "error inconclusive", "error malformed", "error internal error",
		"failure consumer violation: POLL-01: Overlap.", "error coverage",
	}
	if !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
	if text := suite.Cases[0].Failure.Text; !strings.Contains(text, "see         line 2: NdkCreateCq") {
		t.Errorf("the failure does not say what the text does: %s", text)
	}
}

// An issue of Code Climate has what GitLab reads: a description, a check, a severity, a place, and a fingerprint that no other one has and that stays
// when lines come before.
func TestCodeclimate(t *testing.T) {
	b := newBench(t)
	b.warnsOf("ARM-23 (advice): armed too early")
	read := b.read
	line := 0
	b.read = func(ctx context.Context, name string, r io.Reader) (*trace.Trace, error) {
		t, err := read(ctx, name, r)
		if err == nil {
			for i := range t.Events {
				t.Events[i].Line += line
			}
		}
		return t, err
	}
	check := b.check
	b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
		report := check(ctx, t, o)
		for i := range report.Findings {
			report.Findings[i].Line += line
		}
		return report
	}
	names := files(t, "two", "two", "conformant", "undecided", "malformed")
	issues := func() (all []codeclimateIssue) {
		b.do(append(names, "--format", "codeclimate", "--require-coverage", "DEF-03")...)
		if err := json.Unmarshal(b.out.Bytes(), &all); err != nil {
			t.Fatalf("%v\n%s", err, &b.out)
		}
		return all
	}
	all := issues()
	var have []string
	prints := map[string]bool{}
	for _, i := range all {
		have = append(have, fmt.Sprintf("%s %s %s:%d", i.Check, i.Severity, filepath.Base(i.Location.Path), i.Location.Lines.Begin))
		prints[i.Fingerprint] = true
		if i.Type != "issue" || i.Description == "" || len(i.Categories) == 0 {
			t.Errorf("%+v", i)
		}
	}
	want := []string{
		"ARM-23 minor 0-two.ndktrace.jsonl:3", "ARM-02 critical 0-two.ndktrace.jsonl:5", "DEF-03 info 0-two.ndktrace.jsonl:9",
		"ARM-23 minor 1-two.ndktrace.jsonl:3", "ARM-02 critical 1-two.ndktrace.jsonl:5", "DEF-03 info 1-two.ndktrace.jsonl:9",
		"ARM-23 minor 2-conformant.ndktrace.jsonl:3", "ARM-23 minor 3-undecided.ndktrace.jsonl:3", "inconclusive minor 3-undecided.ndktrace.jsonl:1",
		"malformed critical 4-malformed.ndktrace.jsonl:7", "coverage minor -:1",
	}
	if !slices.Equal(have, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if len(prints) != len(all) {
		t.Errorf("%d issues have %d fingerprints", len(all), len(prints))
	}
	line = 1000
	for i, later := range issues() {
		if later.Fingerprint != all[i].Fingerprint {
			t.Errorf("%s behind other lines: %s, want %s", have[i], later.Fingerprint, all[i].Fingerprint)
		}
	}
	b = newBench(t)
	b.do("--format", "codeclimate", files(t, "conformant")[0])
	if b.out.String() != "[]\n" {
		t.Errorf("of nothing: %s", &b.out)
	}
}

// The XML of Checkstyle has a file for each trace and an error for each remark.
func TestCheckstyle(t *testing.T) {
	b := newBench(t)
	names := files(t, "two", "conformant", "malformed", "undecided")
	b.do(append(names, "--format", "checkstyle", "--require-coverage", "DEF-03")...)
	want := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<checkstyle version="4.3">
  <file name="%s">
    <error line="5" severity="error" message="One." source="tracecheck.ARM-02"></error>
    <error line="9" severity="info" message="Two. (may only follow from ARM-02 at line 5)" source="tracecheck.DEF-03"></error>
  </file>
  <file name="%s"></file>
  <file name="%s">
    <error line="7" severity="error" message="seq 3 comes after seq 9" source="tracecheck.malformed"></error>
  </file>
  <file name="%s">
    <error line="1" severity="warning" message="Nobody knows." source="tracecheck.inconclusive"></error>
  </file>
  <file name="-">
    <error line="1" severity="warning" message="coverage required and missing: DEF-03 (vacuous)" source="tracecheck.coverage"></error>
  </file>
</checkstyle>
`, names[0], names[1], names[2], names[3])
	if b.out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b.out, want)
	}
}

// --format NAME=FILE writes a report beside that on standard output, the same as it would be there.
func TestFormatsInFiles(t *testing.T) {
	b := newBench(t)
	names := append(files(t, "provider", "conformant", "malformed"), "--color", "always")
	folder := t.TempDir()
	var flags []string
	for _, name := range formatNames {
		flags = append(flags, "--format", name+"="+filepath.Join(folder, "new", name))
	}
	want := b.do(names...)
	text := b.out.String()
	if code := b.do(slices.Concat(names, flags)...); code != want || b.out.String() != text || b.errors.Len() > 0 {
		t.Errorf("exit %d, want %d; %s\n%s", code, want, &b.errors, &b.out)
	}
	for _, name := range formatNames {
		have, err := os.ReadFile(filepath.Join(folder, "new", name))
		b.do(append(names, "--format", name, "--color", "never")...)
		if err != nil || !bytes.Equal(have, b.out.Bytes()) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, have, &b.out)
		}
	}
	file := filepath.Join(folder, "a file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	code := b.do("--format", "sarif="+filepath.Join(file, "x"), names[1])
	if code != exitInternal || !strings.Contains(b.errors.String(), "can't be written") {
		t.Errorf("exit %d: %s", code, &b.errors)
	}
	for _, wrong := range [][]string{{"xml"}, {"json="}, {"json", "text"}, {"json=a", "text=a"}} {
		args := []string{names[0]}
		for _, f := range wrong {
			args = append(args, "--format", f)
		}
		if code := b.do(args...); code != exitUsage || b.errors.Len() == 0 {
			t.Errorf("%v: exit %d: %s", wrong, code, &b.errors)
		}
	}
}
