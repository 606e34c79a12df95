package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
)

// --fail-on says which findings fail the run, and nothing else: the verdict is told as it is, and what could not be read fails in any case.
func TestFailOn(t *testing.T) {
	b := newBench(t)
	for _, given := range []struct {
		word, on string
		code     int
	}{
		{"provider", "", 1}, {"provider", "provider", 1}, {"provider", "consumer,inconclusive", 0}, {"provider", "none", 0},
		{"consumer", "provider", 0}, {"consumer", "inconclusive,consumer", 1},
		{"undecided", "provider,consumer", 0}, {"undecided", "inconclusive", 4},
		{"inconclusive", "provider", 0}, {"inconclusive", "inconclusive", 4}, // without a finding
		{"two", "provider", 1}, {"two", "consumer", 0}, {"conformant", "provider", 0},
		{"malformed", "none", 3}, {"panic", "none", 5},
	} {
		args := files(t, given.word)
		if given.on != "" {
			args = append(args, "--fail-on", given.on)
		}
		code := b.do(args...)
		if code != given.code {
			t.Errorf("%s, on %s: exit %d, want %d", given.word, given.on, code, given.code)
		}
		if given.word == "provider" && !strings.Contains(b.out.String(), ": provider violation (") {
			t.Errorf("on %s the verdict is not told: %s", given.on, &b.out)
		}
	}
	for _, wrong := range []string{"", "all", "provider,", "none,provider"} {
		if code := b.do(files(t, "conformant")[0], "--fail-on", wrong); code != exitUsage || !strings.Contains(b.errors.String(), "must be some of provider, consumer, inconclusive, advice,") {
			t.Errorf("%q: exit %d, %s", wrong, code, &b.errors)
		}
	}
	if code := b.do(files(t, "conformant")[0], "--fail-on", "none", "--require-coverage", "DEF-03"); code != exitInconclusive {
		t.Errorf("missing coverage: exit %d", code)
	}
}

// With --fail-on advice a conformant trace fails the run where advice was not followed, and no other warning does. --quiet does not hide why. A baseline lists
// such advice, which is then known in each format.
func TestFailOnAdvice(t *testing.T) {
	b := newBench(t)
	name, known := files(t, "conformant")[0], filepath.Join(t.TempDir(), "known")
	b.warnsOf("the key x is not known")
	if code := b.do(name, "--fail-on", "provider,advice"); code != exitConformant {
		t.Errorf("exit %d for a warning that is not advice", code)
	}
	b.warnsOf("ARM-23 (advice): armed too early")
	if code := b.do(name); code != exitConformant {
		t.Errorf("exit %d, and nobody asked for advice", code)
	}
	for _, format := range formatNames {
		if code := b.do(name, "--fail-on", "advice", "--quiet", "--format", format); code != exitViolation || !strings.Contains(b.out.String(), "ARM-23") {
			t.Errorf("%s: exit %d, %s", format, code, &b.out)
		}
	}
	b.do(name, "--fail-on", "advice", "--format", "baseline="+known)
	for _, format := range formatNames {
		code := b.do(name, "--fail-on", "advice", "--baseline", known, "--format", format)
		if text := b.out.String(); code != exitConformant || !strings.Contains(text, "known: it is in the baseline") && format != "baseline" || strings.Contains(text, "<failure") {
			t.Errorf("%s: exit %d, %s", format, code, text)
		}
	}
	if b.do(name, "--baseline", known, "--format", "baseline"); strings.Contains(b.out.String(), "advice") {
		t.Errorf("a baseline lists advice that fails no run: %s", &b.out)
	}
}

// A finding that is in the baseline is told in each format as known, and does not fail the run. Another finding of the same trace does. The baseline that
// is written holds what verdicts rest on, each bug once.
func TestBaseline(t *testing.T) {
	b := newBench(t)
	folder := t.TempDir()
	names := files(t, "provider", "provider", "two", "undecided", "conformant")
	file := filepath.Join(folder, "known")
	if code := b.do(append(names[:3:3], "--format", "baseline="+file)...); code != exitViolation {
		t.Fatalf("exit %d, %s", code, &b.errors)
	}
	text, err := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) != 4 || lines[0]+"\n" != baselineHead {
		t.Fatalf("%s (%v)", text, err)
	}
	for _, want := range []string{"(?m)^[0-9a-f]{32} provider violation, ARM-11, NdkGetCqResults ret$", "(?m)^[0-9a-f]{32} provider violation, ARM-02, NdkArmCq call$"} {
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if code := b.do(append(names, "--baseline", file)...); code != exitInconclusive { // for what is undecided
		t.Errorf("exit %d, want 4", code)
	}
	for format, want := range map[string]string{
		"text": ": ARM-11: no callback came for the completion of w1, which failed, though cq1 was armed SOLICITED (known: it is in the baseline)\n",
		"json": `"known": true`, "table": "ARM-11 (known)", "github": "::notice file=", "codeclimate": `"severity": "info"`, "checkstyle": `severity="info"`,
		"sarif": `"kind": "external"`, "junit": "<system-out>", "baseline": strings.Join(lines[1:2], ""),
	} {
		code := b.do(append(names[:3:3], "--baseline", file, "--format", format)...)
		if code != exitConformant || !strings.Contains(b.out.String(), want) {
			t.Errorf("%s: exit %d, want %s in\n%s", format, code, want, &b.out)
		}
	}
	validate := sarifValidator(t)
	b.warnsOf("ARM-23 (advice): armed too early")
	b.do(append(names, "--baseline", file, "--format", "sarif")...)
	var log sarifLog
	if err := json.Unmarshal(b.out.Bytes(), &log); err != nil || validate(b.out.Bytes()) != nil {
		t.Errorf("%v, %v", err, validate(b.out.Bytes()))
	}
	for _, r := range log.Runs[0].Results { // the standard wants it of all where it is of one
		if r.Suppressions == nil {
			t.Errorf("%s does not say whether it is suppressed", r.RuleID)
		}
	}
	var suites junitSuites
	b.do(append(names, "--baseline", file, "--format", "junit")...)
	if err := xml.Unmarshal(b.out.Bytes(), &suites); err != nil || suites.Failures != 0 || suites.Errors != 1 || suites.Tests != 5 {
		t.Errorf("%+v, %v", suites, err)
	}
	if err := os.WriteFile(file, []byte(lines[1]+"\n\n# a comment\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := b.do(append(names[:3:3], "--baseline", file)...); code != exitViolation || strings.Count(b.out.String(), "(known") == 0 {
		t.Errorf("one of two bugs is known: exit %d", code)
	}
}

// Of a trace whose findings all may follow from another host's, all count.
func TestBaselineOfWhatFollows(t *testing.T) {
	f := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "POLL-05", Line: 3, Follows: &verdict.Origin{Rule: "ARM-01", File: "b", Line: 2}}
	r := &result{report: &verdict.Report{Verdict: verdict.Inconclusive, Findings: []verdict.Finding{f}}, code: exitInconclusive}
	for want, s := range map[int]*settings{
		exitInconclusive: {}, exitConformant: {baseline: map[string]bool{fingerprint(r, &f): true}},
	} {
		if code := s.exitOf(r); code != want {
			t.Errorf("exit %d, want %d", code, want)
		}
	}
	if code := (&settings{passing: []verdict.Verdict{verdict.ProviderViolation}}).exitOf(r); code != exitInconclusive {
		t.Errorf("the trace is inconclusive: exit %d", code)
	}
}

// A baseline that is none, can't be read, or would be written over is refused before anything is judged.
func TestBaselineThatIsNone(t *testing.T) {
	b := newBench(t)
	folder := t.TempDir()
	name := files(t, "provider")[0]
	for content, want := range map[string]string{
		"ARM-02\n": "known:1: no fingerprint at the beginning of the line", "# x\n26531bec7cc2411f5343b916137b829dx\n": "known:2: no fingerprint",
		strings.Repeat("#\n", mostBaseline/2+1): "has more than 16 MiB",
	} {
		file := filepath.Join(folder, "known")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if code := b.do(name, "--baseline", file); code != exitUsage || !strings.Contains(b.errors.String(), want) || b.out.Len() > 0 {
			t.Errorf("exit %d, want %s in %s", code, want, &b.errors)
		}
	}
	for _, args := range [][]string{
		{"--baseline", filepath.Join(folder, "none")}, {"--baseline", "-"}, {"--baseline", folder}, {"--baseline", filepath.Join(folder, "empty"), "--format", "baseline=" + filepath.Join(folder, "empty")},
	} {
		if err := os.WriteFile(filepath.Join(folder, "empty"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if code := b.do(append(args, name)...); code != exitUsage || !strings.Contains(b.errors.String(), "baseline") {
			t.Errorf("%v: exit %d, %s", args, code, &b.errors)
		}
	}
}
