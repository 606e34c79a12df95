package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ndkoracle/rules"
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

// What SARIF 2.1.0 requires is there, and of the values that it allows: results with messages, levels, kinds and places, each
// rule listed once and referred to by its index, and notifications for what is no finding.
func TestSarif(t *testing.T) {
	b := newBench(t)
	names := files(t, "provider", "two", "two", "malformed", "consumer", "conformant")
	b.do(append(names, "--format", "sarif", "--require-coverage", "DEF-03")...)
	var log sarifLog
	decoder := json.NewDecoder(bytes.NewReader(b.out.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&log); err != nil {
		t.Fatalf("%v\n%s", err, &b.out)
	}
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "/sarif-schema-2.1.0.json") || len(log.Runs) != 1 {
		t.Fatalf("%s", &b.out)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name != "tracecheck" || len(run.Invocations) != 1 || len(run.Results) != 6 {
		t.Fatalf("%s", &b.out)
	}
	var ids []string
	for _, rule := range run.Tool.Driver.Rules {
		known, _ := rules.Get(rule.ID)
		if ids = append(ids, rule.ID); rule.Description.Text != known.Text || rule.Help.Text == "" {
			t.Errorf("%+v", rule)
		}
	}
	if !slices.Equal(ids, []string{"ARM-11", "ARM-02", "DEF-03", "POLL-01"}) {
		t.Errorf("rules %v", ids)
	}
	levels := ""
	for _, r := range run.Results {
		levels += r.Kind + " " + r.Level + " "
		if r.RuleIndex == nil || ids[*r.RuleIndex] != r.RuleID || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("%+v", r)
		}
		at := r.Locations[0].Physical
		u, err := url.Parse(at.Artifact.URI)
		if err != nil || u.Scheme != "file" || !slices.Contains(names, u.Path) || at.Region.StartLine < 1 {
			t.Errorf("%+v: %v", at, err)
		}
	}
	if levels != "fail error fail error fail note fail error fail note fail error " {
		t.Errorf("kinds and levels: %s", levels)
	}
	see := run.Results[0].Related
	if len(see) != 2 || see[1].Physical.Region.StartLine != 5 || !strings.HasPrefix(see[1].Message.Text, "NdkArmCq") {
		t.Errorf("%+v", see)
	}
	invocation := run.Invocations[0]
	if !invocation.Successful || invocation.ExitCode != exitMalformed || len(invocation.Notifications) != 2 ||
		invocation.Notifications[0].Locations[0].Physical.Region.StartLine != 7 {
		t.Errorf("%+v", invocation)
	}
}

// The lists that SARIF requires are never null, names become URIs, and what is left open is of kind open, without a level.
func TestSarifOfLittle(t *testing.T) {
	b := newBench(t)
	b.do("--format", "sarif", files(t, "conformant")[0])
	for _, want := range []string{`"results": []`, `"rules": []`, `"executionSuccessful": true`, `"exitCode": 0`} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %s in\n%s", want, &b.out)
		}
	}
	for name, want := range map[string]string{"a b#c.jsonl": "a%20b%23c.jsonl", "/x/a:b": "file:///x/a:b", "a:b": "./a:b"} {
		if at := sarifAt(name, 0); at.Physical.Artifact.URI != want || at.Physical.Region != nil {
			t.Errorf("%s: %+v, want %s", name, at, want)
		}
	}
	b.do("--format", "sarif", files(t, "undecided")[0])
	if !strings.Contains(b.out.String(), `"kind": "open",`+"\n"+`          "level": "none",`) {
		t.Errorf("%s", &b.out)
	}
	b.do("--format", "sarif", files(t, "panic")[0])
	if !strings.Contains(b.out.String(), `"executionSuccessful": false`) {
		t.Errorf("%s", &b.out)
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
