package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// sarifValidator returns what validates a log by the published schema of SARIF 2.1.0, formats included.
func sarifValidator(t *testing.T) func(log []byte) error {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(log []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
		if err != nil {
			return err
		}
		return schema.Validate(value)
	}
}

// warnsOf has the engine of a test warn of each trace.
func (b *bench) warnsOf(texts ...string) {
	follow := b.follow
	b.follow = func(ctx context.Context, name string, r io.Reader, so *reading, o func(trace.Header) linearize.Options) (*verdict.Report, *trace.Trace, error) {
		report, read, err := follow(ctx, name, r, so, o)
		for _, text := range texts {
			if read != nil {
				read.Warnings = append(read.Warnings, trace.Warning{Line: 3, Text: text})
			}
		}
		return report, read, err
	}
}

// Whatever is told, the log is one that the schema of SARIF 2.1.0 accepts, and each result has a rule that the log describes. The schema refuses a
// log without its version, and a link that is no URI.
func TestSarifKeepsToTheSchema(t *testing.T) {
	validate := sarifValidator(t)
	b := newBench(t)
	b.warnsOf("the key x is not known", "ARM-23 (advice): cq1 was armed before it was empty")
	for _, words := range [][]string{{"conformant"}, {"provider", "two", "undecided", "consumer", "malformed", "panic"}, {"inconclusive"}} {
		b.do(append(files(t, words...), "--format", "sarif", "--require-coverage", "DEF-03")...)
		if err := validate(b.out.Bytes()); err != nil {
			t.Errorf("%v: %v\n%s", words, err, &b.out)
		}
	}
	var log sarifLog
	b.do(append(files(t, "undecided"), "--format", "sarif")...)
	if err := json.Unmarshal(b.out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := &log.Runs[0]
	for i, want := range []string{"ARM-23", ruleless} {
		if r := run.Results[i]; r.RuleID != want || len(r.Fingerprints[sarifFingerprint]) != 32 || run.Tool.Driver.Rules[r.RuleIndex].ID != want {
			t.Errorf("result %d is of rule %s, want %s", i, r.RuleID, want)
		}
	}
	for what, broken := range map[string]func(*sarifLog){
		"no version": func(l *sarifLog) { l.Version = "" },
		"no URI":     func(l *sarifLog) { l.Runs[0].Tool.Driver.Rules[0].HelpURI = "docs/rules/ARM-02.md" },
		"no level":   func(l *sarifLog) { l.Runs[0].Results[0].Level = "fatal" },
	} {
		var other sarifLog
		_ = json.Unmarshal(b.out.Bytes(), &other)
		broken(&other)
		if text, err := json.Marshal(other); err != nil || validate(text) == nil {
			t.Errorf("a log with %s is accepted (%v)", what, err)
		}
	}
}

// The log of what the program as it is shipped finds in traces is one that the schema accepts, whatever the names.
func TestSarifOfTracesKeepsToTheSchema(t *testing.T) {
	validate := sarifValidator(t)
	folder := t.TempDir()
	var names []string
	for i, text := range evil {
		name := filepath.Join(folder, strings.ReplaceAll(text, "/", "")+".ndktrace.jsonl")
		if err := os.WriteFile(name, []byte(named(t, brokenTrace, evil[min(i, evilIds-1)])), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	reject, err := filepath.Glob("../../traces/reject/a*.ndktrace.jsonl")
	if err != nil || len(reject) == 0 {
		t.Fatal("no traces", err)
	}
	_, out, errors := shipped(t, append(append(names, reject...), "--engine", "stream", "--format", "sarif")...)
	if err := validate([]byte(out)); err != nil {
		t.Errorf("%v\n%s", err, errors)
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
		if ids = append(ids, rule.ID); rule.Description.Text != known.Text || rule.Help.Text == "" ||
			rule.HelpURI != "urn:ndkoracle:docs/rules/"+rule.ID+".md" {
			t.Errorf("%+v", rule)
		}
	}
	if !slices.Equal(ids, []string{"ARM-11", "ARM-02", "DEF-03", "POLL-01"}) {
		t.Errorf("rules %v", ids)
	}
	levels := ""
	for _, r := range run.Results {
		levels += r.Kind + " " + r.Level + " "
		if ids[r.RuleIndex] != r.RuleID || len(r.Fingerprints[sarifFingerprint]) != 32 || r.Message.Text == "" || len(r.Locations) != 1 {
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

// The lists that SARIF requires are never null, and names become URIs. An undecided finding becomes a result of kind "open" and level "none".
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
