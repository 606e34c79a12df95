package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The action's script builds the program and judges what a workflow names: it annotates, writes SARIF whose links lead to the action's repository, and
// hands on exit code and summary. No input is taken for a command of the shell, and no trace for a flag.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatalf("no bash: %v", err)
	}
	folder := t.TempDir()
	traces := filepath.Join(folder, "traces $(touch made) ;")
	if err := os.Mkdir(traces, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"good": plainTrace, "bad": brokenTrace} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(traces, name+".ndktrace.jsonl"), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	known := filepath.Join(folder, "known")
	shipped(t, "--format", "baseline="+known, traces)
	for _, given := range []struct {
		env  []string
		code int
		says []string
	}{
		{nil, exitViolation, []string{"::error file=" + filepath.Base(traces) + "/bad.ndktrace.jsonl,line=", "title=ARM-02 (provider violation)::"}},
		{[]string{"BASELINE=" + known}, exitConformant, []string{"::notice file="}},
		{[]string{"FAIL_ON=consumer"}, exitConformant, []string{"::error file="}},
		{[]string{"FLAGS=--dialect=nothing\n--quiet"}, exitUsage, []string{`invalid value "nothing" for --dialect`}},
		{[]string{"DOCS=https://docs.example/ndk"}, exitViolation, []string{"%0Ahttps://docs.example/ndk/rules/ARM-02.html\n"}},
		{[]string{"DOCS=docs/"}, exitUsage, []string{`invalid value "docs/" for --docs`}},
		{[]string{"TRACES=--quiet"}, exitMalformed, []string{"file=--quiet,title=unreadable::"}},
	} {
		outputs := t.TempDir()
		var out bytes.Buffer
		script, err := filepath.Abs("../../scripts/action.sh")
		if err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), script)
		command.Dir, command.Stdout, command.Stderr = folder, &out, &out
		command.Env = append(os.Environ(), "ACTION_REPOSITORY=owner/name", "ACTION_REF=v1", "GITHUB_SERVER_URL=https://host.example", "RUNNER_TEMP="+outputs,
			"TRACES="+filepath.Base(traces)+"\n", "FLAGS=", "FAIL_ON=provider,consumer,inconclusive", "BASELINE=", "SARIF=found.sarif", "DOCS=",
			"GITHUB_OUTPUT="+filepath.Join(outputs, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(outputs, "summary"))
		command.Env = append(command.Env, given.env...)
		code := exitCode(t, command.Run())
		for _, says := range given.says {
			if code != given.code || !strings.Contains(out.String(), says) {
				t.Errorf("%q: exit %d, want %d and %s in\n%s", given.env, code, given.code, says, &out)
			}
		}
		output, err := os.ReadFile(filepath.Join(outputs, "output"))
		sarifFile := "found.sarif"
		if given.code == exitUsage {
			sarifFile = ""
		}
		if want := fmt.Sprintf("exit=%d\nsarif=%s\n", given.code, sarifFile); err != nil || string(output) != want {
			t.Errorf("%q: outputs %s (%v)", given.env, output, err)
		}
		if left, _ := filepath.Glob(filepath.Join(outputs, "tracecheck.*")); left != nil {
			t.Errorf("%q: %s is left", given.env, left)
		}
		if given.env != nil {
			continue
		}
		summary, err := os.ReadFile(filepath.Join(outputs, "summary"))
		if err != nil || !regexp.MustCompile(`(?m)^    .*bad\.ndktrace\.jsonl .* provider violation .*ARM-02$`).Match(summary) {
			t.Errorf("summary %s (%v)", summary, err)
		}
		sarif, err := os.ReadFile(filepath.Join(folder, "found.sarif"))
		if err != nil || !bytes.Contains(sarif, []byte(`"helpUri": "https://host.example/owner/name/blob/v1/docs/rules/ARM-02.md"`)) || sarifValidator(t)(sarif) != nil {
			t.Errorf("%s (%v, %v)", sarif, err, sarifValidator(t)(sarif))
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "made")); err == nil {
		t.Error("an input was taken for a command")
	}
}

// Each input of the action is handed to its script by a variable that the script reads, and no expression stands in a command.
func TestActionHandsOnItsInputs(t *testing.T) {
	action, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../scripts/action.sh")
	if err != nil {
		t.Fatal(err)
	}
	text := string(action)
	inputs, _, _ := strings.Cut(text[strings.Index(text, "\ninputs:"):], "\noutputs:")
	names := regexp.MustCompile(`(?m)^  ([a-z-]+):$`).FindAllStringSubmatch(inputs, -1)
	if len(names) < 5 {
		t.Fatalf("inputs %q", names)
	}
	for _, name := range names {
		handed := regexp.MustCompile(`(?m)^        ([A-Z_]+): \$\{\{ inputs\.` + name[1] + ` \}\}$`).FindStringSubmatch(text)
		if handed == nil || !regexp.MustCompile(`\$\{?`+handed[1]+`\b`).Match(script) {
			t.Errorf("the input %s does not reach the script", name[1])
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "run:") && strings.Contains(line, "${{") {
			t.Errorf("an expression in a command: %s", line)
		}
	}
}

// The flags that documents name are flags of the program.
func TestDocumentsNameFlags(t *testing.T) {
	flags := []string{"help", "rm"} // rm is of the program that runs containers
	b := newBench(t)
	root := b.commands()
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	}
	for _, document := range []string{"tracecheck.md", "ci.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", document))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`(?:^|[\s\x60(\[])(-{1,2})([a-z][a-z-]+)`).FindAllSubmatch(text, -1)
		if len(named) < 10 {
			t.Errorf("%s names %d flags", document, len(named))
		}
		for _, flag := range named {
			if of := string(flag[2]); string(flag[1]) == "--" && !slices.Contains(flags, of) || string(flag[1]) == "-" && slices.Contains(flags, of) {
				t.Errorf("%s names %s%s", document, flag[1], of)
			}
		}
	}
}
