package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// evil are texts that would steer a terminal, or command what reads the output. A file can have each of them for a name; the last four are no ids.
var evil = []string{
	"::error::x", "  ::add-mask::x", "##[error]x", " x ##vso[task.x]y", "###[group]", "\u202e::x", "\u2028::x", "\u00a0::x", "\ufeff::x", "\U000e0001x",
	"a\n::error::x", "\u009b31mx", "\x1b]0;t\ax", "\xff::x",
}

const evilIds = 10

// commanded returns the first line of an output that is taken for a command, or the first character that is not printable, or "".
func commanded(output string, github bool) string {
	ours := regexp.MustCompile(`^::(error|warning|notice) (file|title)=`)
	for line := range strings.SplitSeq(output, "\n") {
		begin := strings.TrimLeftFunc(line, unicode.IsSpace)
		if strings.HasPrefix(begin, "::") && !(github && ours.MatchString(line)) || strings.Contains(line, "##") {
			return line
		}
		if at := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 || !utf8.ValidString(line) {
			return line
		}
	}
	return ""
}

// named returns a trace in which each name, and the producer, begins with a text.
func named(t *testing.T, file, with string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(with)
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`"(cq|qp|wr|conn|op|for|thr|receive_cq|initiator_cq|name|version)":"`)
	return names.ReplaceAllString(string(text), `$0`+strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "$", "$$"))
}

// No line of any output is a command of the one who made the trace, or named its file, and nothing of it steers a terminal: in each format and each
// command, on standard output, on standard error, and in the files that are written.
func TestNamesDoNotCommand(t *testing.T) {
	var broken, kept [evilIds]string
	for i, text := range evil[:evilIds] {
		broken[i], kept[i] = named(t, brokenTrace, text), named(t, plainTrace, text)
	}
	t.Chdir(t.TempDir())
	run := func(args ...string) {
		t.Helper()
		code, out, errors := shipped(t, args...)
		if line := commanded(out, strings.Contains(strings.Join(args, " "), "github")) + commanded(errors, false); line != "" {
			t.Errorf("%q: exit %d: %q", args, code, line)
		}
	}
	for i, text := range evil {
		ids := min(i, evilIds-1) // those of a trace can't be all that a name of a file can
		bad, good := text+".ndktrace.jsonl", "good"+text+".ndktrace.jsonl"
		for name, content := range map[string]string{bad: broken[ids], good: kept[ids], text + "malformed": `{"` + evil[ids] + `":1}`} {
			if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, format := range formatNames {
			run("--format", format, "--html", text+"pages/", "--witness", text+"witnesses/", bad, good, text+"malformed", text+"missing", text+"*[")
		}
		run("--engine", "porcupine", "--minimize", text+".small", "--html", text+".html", bad)
		run("--join", bad, good)
		for _, args := range [][]string{
			{"stats", bad}, {"stats", text}, {"verify-witness", text + "witnesses/good" + text + ".ndkwitness.jsonl", good}, {"verify-witness", bad, good},
			{"verify-witness", text, text}, {"convert", "--to", "tla", good, text + "modules"}, {"convert", "--to", "tla", good, good}, {"convert", "--to", "tla", text, "x"},
			{"fix", bad, text + "fixed"}, {"fix", text, "x"}, {"fix", text + "malformed", "x"}, {"help", text}, {"completion", text}, {"man", bad},
			{"--baseline", text, bad}, {"--fail-on", text, bad}, {"-" + text, bad}, {"explain", text}, {"rules", text}, {"rules", "--format", text}, {"schema", text}, {"version", text}, {text}, {"--" + text, bad}, {"--format", text, bad},
			{"--format", "json=" + text + "/none/x", bad}, {"--format", "json=" + bad, bad}, {"--html", good, "--minimize", good, bad}, {"--witness", bad + "/x", good},
			{"--assume", text, bad}, {"--require-coverage", text, bad}, {"--timeout", text, bad}, {"--dialect", text, bad}, {"--jobs", text, bad},
		} {
			run(args...)
		}
		for _, file := range []string{text + ".small", text + ".html", text + "witnesses/good" + text + ".ndkwitness.jsonl"} {
			written, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// A file of lines of JSON has no command of any kind at the beginning of a line, and keeps ## within.
			if line := commanded(strings.ReplaceAll(string(written), "##", ""), false); line != "" {
				t.Errorf("%q has %q", file, line)
			}
		}
	}
}

// What is escaped in a small trace is read as it was.
func TestMinimizedTraceKeepsNames(t *testing.T) {
	folder := t.TempDir()
	file, small := filepath.Join(folder, "a"), filepath.Join(folder, "small")
	if err := os.WriteFile(file, []byte(named(t, brokenTrace, "\u202e\U000e0001")), 0o666); err != nil {
		t.Fatal(err)
	}
	shipped(t, "--minimize", small, file)
	text, err := os.ReadFile(small)
	if err != nil || !strings.Contains(string(text), `\u202e\udb40\udc01`) {
		t.Fatalf("%s (%v)", text, err)
	}
	for _, name := range []string{file, small} {
		if _, out, _ := shipped(t, "--format", "json", name); !strings.Contains(out, `ARM-0`) || !strings.Contains(out, `\u202e\udb40\udc01cq`) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
