package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

const violationText = `-: provider violation (3 events, ndkpi)
  -:9: ARM-11: no callback came for the completion of w1, which failed, though cq1 was armed SOLICITED
      the event   NdkGetCqResults ret op=4 results=[w1 STATUS_CANCELLED]
      the rule    A SOLICITED arm is satisfied by every completion with a failing status.
                  provider, liveness; source: NDK_FN_SEND; NDK_FN_SEND_AND_INVALIDATE (note); ibv_req_notify_cq(3)
      before it   cq1: 1 completion, armed SOLICITED
                  cq1: empty, armed SOLICITED
      see         line 2: NdkCreateCq call op=1 cq=cq1
                  line 5: NdkArmCq call op=3 cq=cq1 type=SOLICITED
      also        other ways to explain the trace break ARM-03
      readings    A4: Does a completion with a failing status satisfy an ERRORS arm? It may, and an error of the CQ
                    must. Every completion satisfies ANY; a solicited or a failed one satisfies SOLICITED.
rules: 2 checked, 1 vacuous (never exercised), 1 inconclusive, OTHERS not checkable
  ARM   checked 01×2 11×1; inconclusive [a] 02; not checkable [b] 03-10 12-25
  POLL  not checkable [b] 01-LAST
  RES   not checkable [b] 01-LAST
  DEF   vacuous 03; not checkable [b] 01-02 04-09
  POST  not checkable [b] 01-LAST
  FLAG  not checkable [b] 01-LAST
  INV   not checkable [b] 01-LAST
  MEM   not checkable [b] 01-LAST
  FLUSH not checkable [b] 01-LAST
  RSZ   not checkable [b] 01-LAST
  MOD   not checkable [b] 01-LAST
  SRQ   not checkable [b] 01-LAST
  ASY   not checkable [b] 01-LAST
  LIFE  not checkable [b] 01-LAST
  CONN  not checkable [b] 01-LAST
  DISC  not checkable [b] 01-LAST
  ADP   not checkable [b] 01-LAST
  a = the trace has no end
  b = no engine of this program checks it yet
cases: 2 met, 1 perhaps, 37 never
  met     ARM-05/NOTHING×1-3 ARM-07/NONE+ANY×1
  perhaps ARM-04/MATCH×0-1
  never   ARM-05/OTHERS ARM-06/ARM ARM-06/DEFERRED ARM-07/NONE+ERRORS ARM-07/NONE+SOLICITED ARM-07/ERRORS+ERRORS
          ARM-07/ERRORS+SOLICITED ARM-07/ERRORS+ANY ARM-07/SOLICITED+ERRORS ARM-07/SOLICITED+SOLICITED
          ARM-07/SOLICITED+ANY ARM-07/ANY+ERRORS ARM-07/ANY+SOLICITED ARM-07/ANY+ANY ARM-15/BUFFER-OVERFLOW
          ARM-15/INTERNAL-ERROR ARM-20/CALLBACK POLL-02/FULL POLL-02/FEWER POLL-03/NOTHING POLL-07/PLAIN
          POLL-07/EXTENDED POLL-08/INLINE POLL-08/COMPLETION POLL-10/CALLBACK RES-10/INITIATOR RES-10/RECEIVE
          DEF-02/EARLY DEF-05/SECOND DEF-05/THIRD DEF-05/FOURTH DEF-05/LATER DEF-06/POST DEF-06/FLUSH FLAG-02/FAILED
          FLAG-02/CANCELLED LIFE-04/CQ
`

// withRules writes the size of the rulebook, and of each group, into a text that has OTHERS and LAST in their places.
func withRules(text string) string {
	const accountedFor = 4 // rules of the text that are checked, vacuous or inconclusive
	text = strings.Replace(text, "OTHERS", strconv.Itoa(len(rules.All())-accountedFor), 1)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if words := strings.Fields(line); strings.HasSuffix(line, "-LAST") {
			lines[i] = strings.TrimSuffix(line, "LAST") + fmt.Sprintf("%02d", rulesOf(words[0]))
		}
	}
	return strings.Join(lines, "\n")
}

// rulesOf counts the rules of some groups.
func rulesOf(groups ...string) int {
	n := 0
	for _, rule := range rules.All() {
		if slices.Contains(groups, rule.Group) {
			n++
		}
	}
	return n
}

// A violation is told with its place, rule, source, the explanations before it, related lines and readings (ARM-11); then
// each rule of the rulebook is accounted for, and none that was not checked counts as kept.
func TestTextOfAViolation(t *testing.T) {
	b := newBench(t)
	b.stdin = strings.NewReader("provider")
	if code := b.do("-"); code != exitViolation {
		t.Errorf("exit %d", code)
	}
	if want := withRules(violationText); b.out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b.out, want)
	}
}

// The same input gives the same bytes in every format.
func TestOutputIsDeterministic(t *testing.T) {
	names := files(t, "provider", "conformant", "malformed", "inconclusive", "consumer")
	for _, format := range formatNames {
		b := newBench(t)
		b.do(append(names, "--format", format)...)
		first := b.out.String()
		b.do(append(names, "--format", format)...)
		if first != b.out.String() || first == "" {
			t.Errorf("%s: two runs differ, or say nothing", format)
		}
	}
}

func TestTable(t *testing.T) {
	b := newBench(t)
	names := files(t, "provider", "conformant", "malformed")
	b.do(append(names, "--format", "table")...)
	lines := strings.Split(strings.ReplaceAll(b.out.String(), filepath.Dir(names[0])+"/", ""), "\n")
	var cells [][]string
	for _, line := range lines {
		cells = append(cells, strings.Fields(line))
	}
	want := [][]string{
		{"trace", "events", "verdict", "rule"},
		{"0-provider.ndktrace.jsonl", "3", "provider", "violation", "ARM-11"},
		{"1-conformant.ndktrace.jsonl", "3", "conformant", "-"},
		{"2-malformed.ndktrace.jsonl", "0", "malformed", "line", "7:", "seq", "3", "comes", "after", "seq", "9"},
		{},
	}
	if !reflect.DeepEqual(cells, want) {
		t.Errorf("got\n%s", &b.out)
	}
}

// What may only follow from another finding is marked, in text and in JSON; a table does not count it.
func TestWhatFollowsIsMarked(t *testing.T) {
	b := newBench(t)
	name := files(t, "two")[0]
	b.do(name)
	for _, want := range []string{":5: ARM-02: One.\n", ":9: DEF-03: Two. (may only follow from ARM-02 at line 5)\n",
		"      and         7 more findings that may only follow from it\n"} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%s", want, &b.out)
		}
	}
	b.do(name, "--format", "json")
	var run jsonRun
	if err := json.Unmarshal(b.out.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	if f := run.Traces[0].Findings; f[0].Follows != nil || f[0].More != 7 || *f[1].Follows != (jsonCause{Rule: "ARM-02", Line: 5}) {
		t.Errorf("%+v", f)
	}
	if b.do(name, "--format", "table"); strings.Contains(b.out.String(), "DEF-03") {
		t.Errorf("the table names what may only follow:\n%s", &b.out)
	}
}

// The JSON tells all that the text does, one entry for each rule of the rulebook, and has every key that its document names.
func TestJSON(t *testing.T) {
	b := newBench(t)
	names := files(t, "provider", "malformed", "panic")
	b.do(append(names, "--format", "json", "--require-coverage", "DEF-03", "--assume", "A2=TWO")...)
	var run jsonRun
	decoder := json.NewDecoder(bytes.NewReader(b.out.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&run); err != nil {
		t.Fatal(err)
	}
	if run.Format != "tracecheck-report" || run.Version != "1.0" || run.Exit != exitInternal || len(run.Traces) != 3 {
		t.Fatalf("%+v", run)
	}
	violation, malformed, broken := run.Traces[0], run.Traces[1], run.Traces[2]
	if violation.Verdict != "provider violation" || len(violation.Rules) != len(rules.All()) || violation.Findings[0].Rule != "ARM-11" ||
		violation.Findings[0].See[1].Event != "NdkArmCq call op=3 cq=cq1 type=SOLICITED" ||
		violation.Readings[0].Choice != "TWO" {
		t.Errorf("violation: %+v", violation)
	}
	if want := (jsonCase{"ARM-05/NOTHING", 1, 3}); len(violation.Cases) != cases.Number || !slices.Contains(violation.Cases, want) || len(malformed.Cases) > 0 {
		t.Errorf("cases: %+v, want %+v among them, and none of what is malformed: %+v", violation.Cases, want, malformed.Cases)
	}
	if malformed.Verdict != "malformed" || malformed.Line != 7 || malformed.Reason != "seq 3 comes after seq 9" {
		t.Errorf("malformed: %+v", malformed)
	}
	if broken.Verdict != "internal error" || !strings.HasPrefix(broken.Reason, "a mistake in the engine") {
		t.Errorf("internal error: %+v", broken)
	}
	if len(run.MissingCoverage) != 1 || run.MissingCoverage[0].Name != "DEF-03" {
		t.Errorf("missing coverage: %+v", run.MissingCoverage)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "tracecheck-output.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []any{jsonRun{}, jsonTrace{}, jsonFinding{}, jsonCause{}, jsonLine{}, jsonReading{}, jsonRule{}, jsonCase{}, missingCoverage{}} {
		for i := range reflect.TypeOf(of).NumField() {
			key, _, _ := strings.Cut(reflect.TypeOf(of).Field(i).Tag.Get("json"), ",")
			if !bytes.Contains(document, []byte("`"+key+"`")) {
				t.Errorf("docs/tracecheck-output.md does not describe the key %q of %T", key, of)
			}
		}
	}
}

// With --quiet text and tables omit conformant traces without warnings. Formats that programs read lose only coverage.
func TestQuiet(t *testing.T) {
	b := newBench(t)
	names := files(t, "conformant", "provider")
	for _, format := range formatNames {
		b.do(append(names, "--quiet", "--format", format)...)
		lists := format == "json" || format == "junit" || format == "checkstyle" // all traces
		if strings.Contains(b.out.String(), "0-conformant") != lists || !strings.Contains(b.out.String(), "ARM-11") ||
			strings.Contains(b.out.String(), "not checkable") {
			t.Errorf("%s:\n%s", format, &b.out)
		}
	}
	if b.do(names[0], "--quiet"); b.out.Len() > 0 {
		t.Errorf("of a conformant trace alone: %q", &b.out)
	}
}

func TestColor(t *testing.T) {
	name := files(t, "provider")[0]
	for _, given := range []struct {
		when, variable string
		terminal, want bool
	}{
		{"auto", "", true, true}, {"auto", "", false, false}, {"auto", "NO_COLOR", true, false},
		{"always", "NO_COLOR", false, true}, {"never", "", true, false},
	} {
		b := newBench(t)
		b.stdoutIsTerminal = given.terminal
		b.getenv = func(variable string) string {
			if variable == given.variable {
				return "1"
			}
			return ""
		}
		b.do(name, "--color", given.when)
		if got := strings.Contains(b.out.String(), "\x1b[1;31mprovider violation\x1b[0m"); got != given.want {
			t.Errorf("%+v: coloured %t", given, got)
		}
	}
}

// Progress goes to a terminal on stderr only, and not when quiet.
func TestProgress(t *testing.T) {
	name := files(t, "conformant")[0]
	for _, given := range []struct {
		terminal, quiet, want bool
	}{{true, false, true}, {false, false, false}, {true, true, false}} {
		b := newBench(t)
		b.stderrIsTerminal = given.terminal
		b.do(name, "--quiet="+map[bool]string{true: "true", false: "false"}[given.quiet])
		if got := strings.Contains(b.errors.String(), "checking 1 of 1"); got != given.want {
			t.Errorf("%+v: stderr %q", given, &b.errors)
		}
	}
}

// The line of progress has the share that is read, the rate and the time left; of an input without a size what is read, and the rate.
func TestRateOfProgress(t *testing.T) {
	for _, given := range []struct {
		read, total int64
		took        time.Duration
		want        string
	}{
		{5e6, 20e6, 100 * time.Millisecond, ""},
		{0, 20e6, time.Second, ""},
		{5e6, 20e6, 2 * time.Second, ": 25 %, 2.5 MB/s, 6s left"},
		{30e6, 20e6, 2 * time.Second, ": 99 %, 15.0 MB/s, 0s left"},
		{5e6, 0, 2 * time.Second, ": 5 MB read, 2.5 MB/s"},
	} {
		if got := rateOf(given.read, given.total, given.took); got != given.want {
			t.Errorf("%+v: %q", given, got)
		}
	}
	b := newBench(t)
	names := files(t, "conformant", "provider")
	size := int64(len("conformant") + len("provider"))
	if got := bytesOf([]input{{name: names[0]}, {name: names[1]}}); got != size {
		t.Errorf("%d bytes, want %d", got, size)
	}
	if got := bytesOf([]input{{name: names[0]}, {name: "-"}}); got != 0 {
		t.Errorf("standard input has %d bytes", got)
	}
	b.stderrIsTerminal = true
	if b.do(names...); b.bytesRead.Load() != size {
		t.Errorf("%d bytes were counted, want %d", b.bytesRead.Load(), size)
	}
}

// Every output format warns of content that the trace format does not define, also with --quiet. Standard error stays empty.
func TestWarningsInEveryFormat(t *testing.T) {
	name := files(t, "conformant")[0]
	for format, want := range map[string]string{
		"text":        "  " + name + `:3: warning: the key "\x1bx" is not known` + "\n",
		"json":        `"message": "the key \"\u001bx\" is not known"`,
		"table":       "\n\n" + name + `:3: warning: the key "\x1bx" is not known` + "\n",
		"sarif":       `"level": "warning"`,
		"junit":       `:3: warning: the key &#34;\x1bx&#34; is not known`,
		"github":      `::warning file=` + name + `,line=3,title=warning::the key "\x1bx" is not known` + "\n",
		"codeclimate": `"description": "the key \"\\x1bx\" is not known"`,
		"checkstyle":  `<error line="3" severity="warning" message="the key &#34;\x1bx&#34; is not known" source="tracecheck.warning">`,
		"baseline":    "# " + name + `:3: warning: the key "\x1bx" is not known` + "\n",
	} {
		for _, quiet := range []bool{false, true} {
			b := newBench(t)
			follow := b.follow
			b.follow = func(ctx context.Context, name string, r io.Reader, so *reading, o func(trace.Header) linearize.Options) (*verdict.Report, *trace.Trace, error) {
				report, read, err := follow(ctx, name, r, so, o)
				read.Warnings = []trace.Warning{{Line: 3, Text: "the key \"\x1bx\" is not known"}}
				return report, read, err
			}
			b.do(name, "--format", format, fmt.Sprintf("--quiet=%t", quiet))
			if got := b.out.String(); !strings.Contains(got, want) {
				t.Errorf("%s, quiet %t: %s", format, quiet, got)
			}
			if b.errors.Len() > 0 {
				t.Errorf("%s: standard error: %s", format, &b.errors)
			}
		}
	}
}

// Text shows a few warnings of a trace, and says how many more there are.
func TestManyWarnings(t *testing.T) {
	b := newBench(t)
	follow := b.follow
	b.follow = func(ctx context.Context, name string, r io.Reader, so *reading, o func(trace.Header) linearize.Options) (*verdict.Report, *trace.Trace, error) {
		report, read, err := follow(ctx, name, r, so, o)
		for i := range 2*warningsShown + 1 {
			read.Warnings = append(read.Warnings, trace.Warning{Line: i + 1, Text: fmt.Sprint("warning ", i)})
		}
		return report, read, err
	}
	b.do(files(t, "conformant")[0])
	if got := b.out.String(); strings.Count(got, ": warning: ") != warningsShown || !strings.Contains(got, fmt.Sprintf("and %d warnings more", warningsShown+1)) {
		t.Error(got)
	}
}

// What a trace says can't steer the terminal.
func TestControlCharactersAreMadePrintable(t *testing.T) {
	b := newBench(t)
	const hostile = "\x1b]0;title\x07\u202e"
	b.check = func(_ context.Context, t *trace.Trace, _ linearize.Options) *verdict.Report {
		return &verdict.Report{File: hostile, Dialect: hostile, Verdict: verdict.ProviderViolation, Findings: []verdict.Finding{{
			Verdict: verdict.ProviderViolation, Rule: hostile, Message: hostile, Before: []string{hostile},
		}}}
	}
	for _, format := range formatNames {
		b.do(files(t, "any")[0], "--format", format)
		if strings.ContainsAny(b.out.String(), "\x1b\x07") {
			t.Errorf("%s: %q", format, &b.out)
		}
	}
	b.do(files(t, "any")[0])
	if strings.ContainsAny(b.out.String(), "\x1b\x07\u202e") || !strings.Contains(b.out.String(), `\x1b]0;title\x07\u202e`) {
		t.Errorf("%q", &b.out)
	}
}
