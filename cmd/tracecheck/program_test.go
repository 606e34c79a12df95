package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

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
		{[]string{name, "--assume", "A99=X"}, "is not a reading"},
		{[]string{name, "--assume", "A2"}, "A2 is one of EITHER, ONE, TWO"},
		{[]string{name, "--assume", "A2=THREE"}, "A2 is one of EITHER, ONE, TWO"},
		{[]string{name, "--assume", "A2=ONE,A2=TWO"}, "A2 can't be both ONE and TWO"},
		{[]string{name, "--assume", "A2=ONE", "--assume", "A2=TWO"}, "A2 can't be both ONE and TWO"},
		{[]string{name, "--assume", "A13=x"}, "only the default reading is built"},
		{[]string{name, "--require-coverage", "ARM,NONE"}, `"NONE" is neither a rule nor a group`},
		{[]string{name, "--device-level", "--dialect", "ndkpi"}, "--device-level"},
		{[]string{"explain"}, "explain needs a rule"},
		{[]string{"explain", "ARM-99"}, `"ARM-99" is not a rule`},
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
		{[]string{"help", "chekc"}, "did you mean check?"},
		{[]string{name, "--max-callback-delay", "5"}, "must be a time, such as 100ms"},
		{[]string{name, "--max-callback-delay", "-1s"}, "must be a time, such as 100ms"},
		{[]string{"explain", "arm-4"}, "did you mean ARM-04?"},
		{[]string{"explain", "ARM04"}, "did you mean ARM-04?"},
		{[]string{"explain", "ARM-99"}, "\"tracecheck explain ARM\" lists the rules of ARM"},
		{[]string{"explain", "ARN"}, "the groups are ARM, POLL"},
		{[]string{"help", "x"}, `"x" is not a command`},
		{[]string{"help", "check", "rules"}, "help takes one command"},
		{[]string{"completion"}, "completion takes one of bash, zsh, fish, powershell"},
		{[]string{"completion", "tcsh"}, "completion takes one of bash, zsh, fish, powershell"},
		{[]string{"man"}, "man takes the folder to write to"},
		{[]string{"rules", "NONE"}, `"NONE" is not a group`},
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
		MaxOperations: 17, // the time limit is the context's
	}
	if code != 0 || len(b.asked) != 2 || fmt.Sprint(b.asked[0]) != fmt.Sprint(want) || b.within == 0 || b.within > 3*time.Second {
		t.Errorf("exit %d, the engine was asked %+v, with %v left, want %+v and 3 s", code, b.asked, b.within, want)
	}
	if !strings.Contains(b.out.String(), "readings taken instead of the default: A2=ONE, A4=MUST NOT") {
		t.Errorf("the readings taken are not told:\n%s", &b.out)
	}
	if b.do(name); b.within <= 3*time.Second || b.within > time.Minute {
		t.Errorf("%v are left for a check, want a minute", b.within)
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
		"help": "-require-coverage", "--help": "-require-coverage", "rules --help": "--format format", "help stats": "--timeout", "--version": strconv.Itoa(len(rules.All())) + " rules", "version": strconv.Itoa(len(rules.All())) + " rules", "schema": `"$schema"`,
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
