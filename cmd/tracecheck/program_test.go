package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// bench is a program whose engine answers what the test wants: the first word of a file chooses the report.
type bench struct {
	program
	out, errors bytes.Buffer
	asked       []linearize.Options
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{}
	b.program = program{
		stdin: strings.NewReader("conformant"), stdout: &b.out, stderr: &b.errors,
		getenv: func(string) string { return "" }, grace: time.Minute,
		read: readFake,
		check: func(_ context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
			b.asked = append(b.asked, o)
			return fakeReport(t)
		},
		follow: func(ctx context.Context, name string, r io.Reader, _ *reading, options func(trace.Header) linearize.Options) (
			*verdict.Report, *trace.Trace, error) {
			t, err := b.read(ctx, name, r)
			if err != nil {
				return nil, t, err
			}
			return b.check(ctx, t, options(t.Header)), t, nil
		},
		scan: func(ctx context.Context, name string, r io.Reader, take func(*trace.Event)) (*trace.Trace, error) {
			t, err := b.read(ctx, name, r)
			if err == nil {
				for i := range t.Events {
					take(&t.Events[i])
				}
			}
			return t, err
		},
		checkable: func() []string { return []string{"ARM-01", "ARM-02", "ARM-11", "DEF-03"} },
		schema:    func() []byte { return []byte("{}\n") },
	}
	return b
}

func (b *bench) do(args ...string) int {
	b.out.Reset()
	b.errors.Reset()
	return b.run(context.Background(), args)
}

// readFake reads the fake format of these tests: one word.
func readFake(_ context.Context, name string, r io.Reader) (*trace.Trace, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return &trace.Trace{Name: name}, err
	}
	word := strings.TrimSpace(string(content))
	if word == "malformed" {
		return nil, &trace.Error{File: name, Line: 7, Reason: "seq 3 comes after seq 9"}
	}
	producer := trace.Producer{Name: "a producer", Version: "2"}
	if word == "anonymous" {
		producer = trace.Producer{}
	}
	return &trace.Trace{
		Name: name, Header: trace.Header{Dialect: "ndkpi", Producer: producer, Run: map[string]string{"answer": word}},
		Events: []trace.Event{
			{Line: 2, Seq: 1, Ph: trace.Call, Fn: "NdkCreateCq", Cq: "cq1", Op: "1"},
			{Line: 5, Seq: 4, Ph: trace.Call, Fn: "NdkArmCq", Cq: "cq1", Type: "SOLICITED", Op: "3"},
			{Line: 9, Seq: 8, Ph: trace.Ret, Fn: "NdkGetCqResults", Op: "4",
				Results: []trace.Result{{Wr: "w1", Status: "STATUS_CANCELLED"}}},
		},
		End: &trace.End{Events: 3, Quiescent: true},
	}, nil
}

func fakeReport(t *trace.Trace) *verdict.Report {
	report := &verdict.Report{
		File: t.Name, Dialect: "ndkpi", Events: 3, Components: 1, Operations: 4, Assumes: []string{"A2"},
		Rules: map[string]verdict.RuleCoverage{}, Cases: &cases.Counts{},
		// Output that is to be the same byte for byte must not show this.
		Elapsed: time.Duration(time.Now().UnixNano()),
	}
	for _, rule := range rules.All() {
		report.Rules[rule.ID] = verdict.RuleCoverage{Coverage: verdict.NotCheckable, Why: "no engine of this program checks it yet"}
	}
	report.Cases.Met(cases.Merge(model.NONE, model.ANY))
	report.Cases.Add(cases.ArmFoundNothing, cases.Count{AtLeast: 1, AtMost: 3})
	report.Cases.MayHave(cases.ArmFoundMatch)
	report.Rules["ARM-01"] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: 2}
	report.Rules["ARM-02"] = verdict.RuleCoverage{Coverage: verdict.Undecided, Count: 1, Why: "the trace has no end"}
	report.Rules["DEF-03"] = verdict.RuleCoverage{Coverage: verdict.Vacuous}
	switch word := t.Header.Run["answer"]; word {
	case "panic":
		panic("a mistake in the engine")
	case "provider":
		report.Verdict = verdict.ProviderViolation
		report.Rules["ARM-11"] = verdict.RuleCoverage{Coverage: verdict.Checked, Count: 1}
		report.Findings = []verdict.Finding{{
			Verdict: verdict.ProviderViolation, Rule: "ARM-11", Also: []string{"ARM-03"}, Line: 9, Seq: 8,
			Message: "no callback came for the completion of w1, which failed, though cq1 was armed SOLICITED",
			Before:  []string{"cq1: 1 completion, armed SOLICITED", "cq1: empty, armed SOLICITED"},
			See:     []int{2, 5}, Assumes: []string{"A4"},
		}}
	case "two":
		report.Verdict = verdict.ProviderViolation
		report.Findings = []verdict.Finding{
			{Verdict: verdict.ProviderViolation, Rule: "ARM-02", Line: 5, Message: "One.", More: 7},
			{Verdict: verdict.ProviderViolation, Rule: "DEF-03", Line: 9, Message: "Two.", Follows: &verdict.Origin{Rule: "ARM-02", Line: 5}},
		}
	case "undecided":
		report.Verdict = verdict.Inconclusive
		report.Findings = []verdict.Finding{{Verdict: verdict.Inconclusive, Message: "Nobody knows."}}
	case "consumer":
		report.Verdict = verdict.ConsumerViolation
		report.Findings = []verdict.Finding{{Verdict: verdict.ConsumerViolation, Rule: "POLL-01", Line: 5, Message: "Overlap."}}
	default:
		report.Verdict = verdict.Verdict(word)
	}
	return report
}

// files writes one fake trace a word and returns their names.
func files(t *testing.T, words ...string) []string {
	t.Helper()
	folder := t.TempDir()
	var names []string
	for i, word := range words {
		name := filepath.Join(folder, fmt.Sprintf("%d-%s.ndktrace.jsonl", i, word))
		if err := os.WriteFile(name, []byte(word), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// Each verdict has its exit code, and of several traces the worst decides, wherever it stands: 5, 3, 1, 4, 0.
func TestWorstVerdictDecides(t *testing.T) {
	order := []struct {
		word string
		code int
	}{{"panic", 5}, {"malformed", 3}, {"provider", 1}, {"consumer", 1}, {"inconclusive", 4}, {"conformant", 0}}
	b := newBench(t)
	for i, worse := range order {
		for _, better := range order[i:] {
			for _, words := range [][]string{{worse.word, better.word}, {better.word, worse.word}} {
				if code := b.do(files(t, words...)...); code != worse.code {
					t.Errorf("%v: exit %d, want %d\n%s", words, code, worse.code, b.out.String())
				}
			}
		}
	}
	if code := b.do(files(t, "no such verdict")...); code != exitInternal {
		t.Errorf("an unknown verdict: exit %d, want %d", code, exitInternal)
	}
}

// A mistake in the engine is told, and the traces after it are judged.
func TestPanicDoesNotStopTheOthers(t *testing.T) {
	b := newBench(t)
	b.do(files(t, "panic", "provider")...)
	for _, want := range []string{"internal error: a mistake in the engine", "ARM-11", "2 traces: 1 provider violation, 1 internal error"} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("no %q in\n%s", want, b.out.String())
		}
	}
}

// … in a command that gives no verdict, too.
func TestPanicIsAnInternalError(t *testing.T) {
	for _, args := range [][]string{{"stats", "-"}, {"verify-witness", plainTrace, "-"}} {
		b := newBench(t) // the one before may still read its input
		b.read = func(context.Context, string, io.Reader) (*trace.Trace, error) { panic("a mistake in the reader") }
		if code := b.do(args...); code != exitInternal || !strings.Contains(b.errors.String(), "internal error: a mistake in the reader") {
			t.Errorf("%q: exit %d, %s", args, code, &b.errors)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	b := newBench(t)
	name := files(t, "conformant")[0]
	for _, line := range []struct {
		args []string
		want string
	}{
		{nil, "no trace is named"},
		{[]string{"check"}, "no trace is named"},
		{[]string{name, "--no-such-flag"}, "no-such-flag"},
		{[]string{name, "--format", "xml"}, "must be one of text, json, table"},
		{[]string{name, "--dialect", "ib"}, "must be one of ndkpi, ndspi, verbs"},
		{[]string{name, "--engine", "search"}, "must be one of auto, stream, porcupine, tlc"},
		{[]string{name, "--timeout", "0"}, "must be a time longer than 0"},
		{[]string{name, "--timeout", "0s"}, "must be a time longer than 0"},
		{[]string{name, "--max-operations", "-1"}, "can't be below 0"},
		{[]string{name, "--assume", "A99=X"}, "is no reading"},
		{[]string{name, "--assume", "A2"}, "A2 is one of EITHER, ONE, TWO"},
		{[]string{name, "--assume", "A2=THREE"}, "A2 is one of EITHER, ONE, TWO"},
		{[]string{name, "--assume", "A2=ONE,A2=TWO"}, "A2 can't be both ONE and TWO"},
		{[]string{name, "--assume", "A2=ONE", "--assume", "A2=TWO"}, "A2 can't be both ONE and TWO"},
		{[]string{name, "--assume", "A13=x"}, "only the default reading is built"},
		{[]string{name, "--require-coverage", "ARM,NONE"}, `"NONE" is neither a rule nor a group`},
		{[]string{name, "--device-level", "--dialect", "ndkpi"}, "--device-level"},
		{[]string{"explain"}, "explain needs a rule"},
		{[]string{"explain", "ARM-99"}, `"ARM-99" is no rule`},
		{[]string{name, "--jobs", "-1"}, "--jobs can't be below 0"},
		{[]string{name, "--jobs", "0", "--engine", "tlc"}, "--jobs is 1 with the engine tlc"},
		{[]string{name, "--jobs", "many"}, `invalid value "many" for --jobs: must be a whole number`},
		{[]string{name, "--quiet=maybe"}, `invalid value "maybe" for --quiet: must be true or false`},
		{[]string{name, "--engine"}, "flag needs an argument: --engine"},
		{[]string{"-engine", "stream", name}, "a flag has two dashes: --engine, not -engine"},
		{[]string{name, "-html=x"}, "a flag has two dashes: --html, not -html"},
		{[]string{name, "-x"}, "unknown flag -x"},
		{[]string{name, "--fromat", "json"}, "unknown flag --fromat; did you mean --format?"},
		{[]string{"chekc", name}, `"chekc" is neither a command nor a file; did you mean check?`},
		{[]string{"explian"}, "did you mean explain?"},
		{[]string{"help", "x"}, `"x" is no command`},
		{[]string{"help", "check", "rules"}, "help takes one command"},
		{[]string{"completion"}, "completion takes one of bash, zsh, fish, powershell"},
		{[]string{"completion", "tcsh"}, "completion takes one of bash, zsh, fish, powershell"},
		{[]string{"man"}, "man takes the folder to write to"},
		{[]string{"rules", "NONE"}, `"NONE" is no group`},
		{[]string{"rules", "--format", "x"}, `tracecheck: invalid value "x" for --format: must be one of text, markdown`},
		{[]string{"stats"}, "stats takes one trace"},
		{[]string{"schema", "x"}, "schema takes no argument"},
		{[]string{"version", "x"}, "version takes no argument"},
	} {
		code := b.do(line.args...)
		found := slices.ContainsFunc(strings.Split(line.want, "|"), func(want string) bool {
			return strings.Contains(b.errors.String(), want)
		})
		if code != exitUsage || !found || b.out.Len() > 0 {
			t.Errorf("%q: exit %d, stdout %q, stderr %q, want exit 2 and %q", line.args, code, &b.out, &b.errors, line.want)
		}
	}
}

// Flags reach the engine, before files, after them and between; after -- everything is a file.
func TestFlagsReachTheEngine(t *testing.T) {
	b := newBench(t)
	name := files(t, "conformant")[0]
	code := b.do("--dialect", "verbs", name, "--device-level", name, "--assume", "A2=ONE,A4=MUST NOT", "--timeout=3s",
		"--max-operations", "17")
	want := linearize.Options{
		Dialect: "verbs", DeviceLevel: true, Assume: map[string]string{"A2": "ONE", "A4": "MUST NOT"},
		Timeout: 3 * time.Second, MaxOperations: 17,
	}
	if code != 0 || len(b.asked) != 2 || fmt.Sprint(b.asked[0]) != fmt.Sprint(want) {
		t.Errorf("exit %d, the engine was asked %+v, want %+v", code, b.asked, want)
	}
	if !strings.Contains(b.out.String(), "readings taken instead of the default: A2=ONE, A4=MUST NOT") {
		t.Errorf("the readings taken are not told:\n%s", &b.out)
	}
	b.asked = nil
	b.do(name)
	if b.asked[0].Timeout != time.Minute {
		t.Errorf("the time limit is %v, want a minute", b.asked[0].Timeout)
	}
	if code := b.do("--", name, "--quiet"); code != exitMalformed || !strings.Contains(b.out.String(), "--quiet: unreadable") {
		t.Errorf("after --, exit %d and\n%s", code, &b.out)
	}
}

// --device-level reaches the engine with traces of libibverbs; with others it does nothing, and that is said.
func TestDeviceLevelIsOfVerbs(t *testing.T) {
	b := newBench(t)
	name := files(t, "conformant")[0]
	if b.do("--device-level", name); b.asked[0].DeviceLevel ||
		b.errors.String() != name+": warning: --device-level does nothing: it is of the dialects verbs and kverbs, and this trace is ndkpi\n" {
		t.Errorf("the engine was asked %+v, stderr %q", b.asked[0], &b.errors)
	}
	if b.do("--device-level", "--dialect", "verbs", name); !b.asked[1].DeviceLevel || b.errors.Len() > 0 {
		t.Errorf("the engine was asked %+v, stderr %q", b.asked[1], &b.errors)
	}
}

// Each choice that the rulebook offers for a reading is one that the engine takes, or says that it does not.
func TestEngineTakesTheReadings(t *testing.T) {
	offered := 0
	for _, reading := range rules.Readings() {
		for _, choice := range reading.Choices {
			offered++
			options := linearize.Options{Assume: map[string]string{reading.ID: choice}}
			_, err := options.ResolveDialect("ndkpi")
			if takes := linearize.Takes(reading.ID) || choice == reading.Choices[0]; takes != (err == nil) {
				t.Errorf("%s=%s: the engine says that it takes it: %v; it answers %v", reading.ID, choice, takes, err)
			}
		}
	}
	if offered == 0 {
		t.Error("no reading offers a choice")
	}
}

func TestHelpVersionAndSchema(t *testing.T) {
	b := newBench(t)
	for args, want := range map[string]string{
		"help": "-require-coverage", "--help": "-require-coverage", "rules --help": "--format format", "help stats": "--timeout", "--version": strconv.Itoa(len(rules.All())) + " rules", "version": strconv.Itoa(len(rules.All())) + " rules", "schema": "{}",
	} {
		if code := b.do(strings.Fields(args)...); code != 0 || !strings.Contains(b.out.String(), want) {
			t.Errorf("%s: exit %d, %q", args, code, &b.out)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	b := newBench(t)
	b.stdout = fullDisk{}
	if code := b.do(files(t, "conformant")...); code != exitInternal || !strings.Contains(b.errors.String(), "no space left") {
		t.Errorf("exit %d, stderr %q", code, &b.errors)
	}
}

// An interrupt does not drop the violation of a trace that was judged beside the one it interrupts.
func TestInterruptKeepsWhatWasJudgedAhead(t *testing.T) {
	b := newBench(t)
	ctx, stop := context.WithCancel(context.Background())
	judged, check := make(chan struct{}), b.check
	b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
		if strings.Contains(t.Name, "1-") {
			defer close(judged)
			return check(ctx, t, o)
		}
		<-judged
		stop()
		<-ctx.Done()
		return check(ctx, t, o)
	}
	code := b.run(ctx, append(files(t, "conformant", "provider"), "--jobs", "2", "--format", "json"))
	var run jsonRun
	if err := json.Unmarshal(b.out.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	if code != exitInterrupted || !run.Interrupted || len(run.Traces) != 1 || run.Traces[0].Verdict != string(verdict.ProviderViolation) {
		t.Errorf("exit %d, output %+v", code, run)
	}
	if says := b.errors.String(); !strings.Contains(says, "interrupted in trace 1 of 2") || strings.Contains(says, "trace 2 of 2") {
		t.Errorf("stderr %q", says)
	}
}

// An interrupt ends the run with 130 and says how far it came, also when the engine does not give up.
func TestInterrupt(t *testing.T) {
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	for name, arrange := range map[string]func(b *bench, stop func()){
		"an engine that gives up": func(b *bench, stop func()) {
			check := b.check
			b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
				if strings.Contains(t.Name, "1-") {
					stop()
					<-ctx.Done()
				}
				return check(ctx, t, o)
			}
		},
		"an engine that does not": func(b *bench, stop func()) {
			b.grace = time.Millisecond
			check := b.check
			b.check = func(ctx context.Context, t *trace.Trace, o linearize.Options) *verdict.Report {
				if strings.Contains(t.Name, "1-") {
					stop()
					<-released
				}
				return check(ctx, t, o)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, stop := context.WithCancel(context.Background())
			arrange(b, stop)
			// One at a time: else the second may begin, and be interrupted, before the first has ended.
			code := b.run(ctx, append(files(t, "provider", "conformant", "conformant"), "--jobs", "1", "--format", "json"))
			var run jsonRun
			if err := json.Unmarshal(b.out.Bytes(), &run); err != nil {
				t.Fatal(err)
			}
			if code != exitInterrupted || run.Exit != exitInterrupted || !run.Interrupted || len(run.Traces) != 1 {
				t.Errorf("exit %d, output %+v", code, run)
			}
			if !strings.Contains(b.errors.String(), "interrupted in trace 2 of 3") {
				t.Errorf("stderr %q", &b.errors)
			}
		})
	}
}

// --engine tlc asks TLC. What it lacks is told before anything is read, and what breaks down is an internal error.
func TestEngineTlc(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.ndktrace.jsonl")
	if err := os.WriteFile(name, []byte("conformant"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.prepareTlc = func(context.Context) (judge, error) { return nil, errors.New("java is missing") }
	if code := b.do("--engine", "tlc", name); code != exitUsage || b.errors.String() != "tracecheck: java is missing\n" {
		t.Errorf("without Java: exit %d, %q", code, b.errors.String())
	}
	var breaksDown error
	b.prepareTlc = func(context.Context) (judge, error) {
		return func(_ context.Context, t *trace.Trace, o linearize.Options) (*verdict.Report, error) {
			return fakeReport(t), breaksDown
		}, nil
	}
	if code := b.do("--engine", "tlc", name); code != exitConformant || len(b.asked) != 0 {
		t.Errorf("exit %d, the other engine was asked %d times", code, len(b.asked))
	}
	breaksDown = errors.New("TLC broke down")
	if code := b.do("--engine", "tlc", name); code != exitInternal || !strings.Contains(b.out.String(), "TLC broke down") {
		t.Errorf("broken down: exit %d, %q", code, b.out.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	b.prepareTlc = func(context.Context) (judge, error) {
		return func(ctx context.Context, _ *trace.Trace, _ linearize.Options) (*verdict.Report, error) {
			stop()
			return nil, ctx.Err()
		}, nil
	}
	if code := b.run(ctx, []string{"--engine", "tlc", name}); code != exitInterrupted || !strings.Contains(b.errors.String(), name+" after reading ") {
		t.Errorf("interrupted: exit %d, %q", code, &b.errors)
	}
}

// The engine tlc says what is missing where there is no Java.
func TestPrepareTlc(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := prepareTlc(t.Context()); err == nil || !strings.Contains(err.Error(), "java is missing") {
		t.Errorf("without java: %v", err)
	}
}
