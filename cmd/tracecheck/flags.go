package main

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// settings is what the flags of check ask for.
type settings struct {
	options  linearize.Options
	engine   string // auto, stream, porcupine or tlc
	formats  []format
	color    string
	coverage []string // rules and groups that must have been exercised
	quiet    bool
	join     bool
	jobs     int // traces judged at a time
	witness  output
	minimize output
	html     output
	files    []string
	passing  []verdict.Verdict // of findings that do not fail the run

	adviceFails bool // advice that was not followed fails the run

	docs *url.URL // the address of the published documents; nil where it is not known

	baselineFile string
	baseline     map[string]bool // the fingerprints of the findings that are known
}

// value is a pflag.Value made of a function: it checks and keeps one argument.
type value struct {
	set     func(string) error
	shown   string
	choices []string // those that have a name, nil where none has
}

func (v *value) String() string { return v.shown }

// Type returns what help calls an argument whose flag does not name it.
func (v *value) Type() string { return "value" }

func (v *value) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.shown = text
	return nil
}

func oneOf(target *string, choices ...string) *value {
	return &value{shown: *target, choices: choices, set: func(text string) error {
		if !slices.Contains(choices, text) {
			return commandline.UsageError("must be one of %s", strings.Join(choices, ", "))
		}
		*target = text
		return nil
	}}
}

// readingFlags adds the flags that say how a trace is to be read, and keeps their values in s.
func readingFlags(set *pflag.FlagSet, s *settings) {
	s.options.Assume = map[string]string{}
	set.Var(oneOf(&s.options.Dialect, "ndkpi", "ndspi", "verbs", "kverbs"), "dialect",
		"read the traces in this `dialect`, ndkpi, ndspi, verbs or kverbs, instead of the one in their header")
	set.BoolVar(&s.options.DeviceLevel, "device-level", false,
		"dialects verbs and kverbs: accept what devices do at an arm that finds completions")
	set.Var(&value{set: s.assume}, "assume",
		"choose another reading of an open question, as in `A2=ONE`; repeatable, or separated by commas")
}

func (l *commandLine) checkCommand() *cobra.Command {
	var s *settings
	c := l.Command("check [flags] FILE|DIR|GLOB|- …", "judge traces (the default command)",
		"check judges traces. A directory stands for all traces below it, and - for standard input. Flags may follow files; after -- every argument is a file.",
		"  tracecheck check run.ndktrace.jsonl\n  tracecheck check --jobs 0 --format junit=report.xml traces/\n"+
			"  tracecheck check --join a.ndktrace.jsonl b.ndktrace.jsonl\n  tracecheck check --minimize small.ndktrace.jsonl --html page.html run.ndktrace.jsonl",
		func(ctx context.Context, args []string) (int, error) {
			s.files = args
			return l.checkTraces(ctx, l.out, s)
		})
	s = checkFlags(c.Flags())
	return l.Describe(c, ofJudging())
}

// checkFlags adds the flags of check, and returns where they are kept.
func checkFlags(set *pflag.FlagSet) *settings {
	s := &settings{color: "auto", engine: "auto", witness: output{flag: "witness", suffix: ".ndkwitness.jsonl"},
		minimize: output{flag: "minimize", suffix: ".minimized.ndktrace.jsonl"}, html: output{flag: "html", suffix: ".html"}}
	readingFlags(set, s)
	timeLimit(set, &s.options.Timeout, "longest `time` for one trace, then inconclusive")
	set.IntVar(&s.options.MaxOperations, "max-operations", 0,
		"largest `number` of operations of a trace to search, hidden steps included (engine tlc: events), then inconclusive; "+
			"0 is the engine's own limit")
	set.Var(oneOf(&s.engine, "auto", "stream", "porcupine", "tlc"), "engine",
		"`engine` to decide with: stream, in one pass; porcupine, a search; auto, the stream, and also porcupine if the trace is short; "+
			"or tlc: the model checker of TLA+, on the contract itself (needs Java)")
	set.Var(&value{set: s.addFormat, shown: "text", choices: formatNames}, "format",
		"output `format`: "+strings.Join(formatNames, ", ")+"; NAME=FILE writes another output to a file; repeatable")
	set.Var(oneOf(&s.color, "auto", "always", "never"), "color", "`when` to colour text: auto, always, never")
	set.Var(&value{set: s.requireCoverage}, "require-coverage",
		"exit 4 unless each of these `groups` (ARM), rules (ARM-04) and cases (ARM-07/NONE+ANY) was exercised; separated by commas")
	set.Var(&value{set: s.failOn, shown: "provider,consumer,inconclusive"}, "fail-on",
		"exit with 1 or 4 only for `findings` of these kinds: provider, consumer, inconclusive, advice, separated by commas; or none")
	set.StringVar(&s.baselineFile, "baseline", "",
		"`file` of known findings, as --format baseline=FILE writes it: these are reported as known, and do not fail the run")
	set.Var(&value{set: s.setDocs}, "docs",
		"the `URL` of the published site that make docs builds: reports link to the page of each rule; NDK_DOCS in the environment does the same")
	set.StringVar(&s.witness.path, "witness", "",
		"write a witness of each conformant trace, one full order of its events and hidden steps, to this `file`, or into this directory")
	set.StringVar(&s.minimize.path, "minimize", "",
		"write each trace that broke a rule, reduced to a small trace that breaks the same rule, to this `file`, or into this directory")
	set.StringVar(&s.html.path, "html", "",
		"draw each judged trace and its findings as a web page in this `file`, or in this directory")
	set.Var(&value{shown: "0s", set: func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return commandline.UsageError("must be a time, such as 100ms, or 0 for no limit")
		}
		s.options.MaxDelay = d
		return nil
	}}, "max-callback-delay",
		"warn of each callback that comes later than this `duration` after it was due, by the clock of the trace; 0 is never")
	set.BoolVar(&s.join, "join", false,
		"judge two traces together, as the two hosts of one connection")
	set.IntVar(&s.jobs, "jobs", 1, "`number` of traces to judge in parallel, 0 for one on each core; does not affect the output")
	set.BoolVar(&s.quiet, "quiet", false, "text and tables omit conformant traces without warnings; no output about coverage and progress")
	return s
}

// timeLimit adds the flag that bounds a command on one trace. A limit has to be longer than 0.
func timeLimit(set *pflag.FlagSet, limit *time.Duration, usage string) {
	*limit = time.Minute
	set.Var(&value{shown: limit.String(), set: func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return commandline.UsageError("must be a time longer than 0, such as 60s")
		}
		*limit = d
		return nil
	}}, "timeout", usage)
}

// complete completes settings, and says what is wrong with them together.
func (s *settings) complete() error {
	s.options.Witness = s.witness.path != ""
	if s.engine != "auto" && s.engine != "tlc" {
		s.options.Engine = linearize.Engine(s.engine)
	}
	switch {
	case len(s.files) == 0:
		return commandline.UsageError("no trace is named; - is standard input")
	case s.options.Witness && s.engine != "auto" && s.engine != "porcupine":
		return commandline.UsageError("--witness is of the engine porcupine, not of %s: auto takes both", s.engine)
	case s.minimize.path != "" && s.engine == "tlc":
		return commandline.UsageError("--minimize judges many traces, which the engine tlc is too slow for")
	case s.jobs < 0:
		return commandline.UsageError("--jobs can't be below 0")
	case s.jobs != 1 && s.engine == "tlc":
		return commandline.UsageError("--jobs is 1 with the engine tlc, which takes all of the machine for one trace")
	case s.baselineFile == "-":
		return commandline.UsageError("--baseline - names no file")
	case s.options.MaxOperations < 0:
		return commandline.UsageError("--max-operations can't be below 0")
	}
	if s.jobs == 0 {
		s.jobs = runtime.GOMAXPROCS(0)
	}
	return s.readable()
}

// readable says why no trace can be read as the flags ask for.
func (s *settings) readable() error {
	if s.options.DeviceLevel && s.options.Dialect != "" && !hasDeviceLevel(s.options.Dialect) {
		return commandline.UsageError("--device-level is a matter of the dialects verbs and kverbs, not of %s", s.options.Dialect)
	}
	return nil
}

// deviceLevelIdle reports whether --device-level was given and is not of the dialect that t is judged by.
func (s *settings) deviceLevelIdle(t *trace.Trace) bool {
	return s.options.DeviceLevel && !hasDeviceLevel(cmp.Or(s.options.Dialect, t.Header.Dialect))
}

// hasDeviceLevel reports whether devices do other things than a dialect promises.
func hasDeviceLevel(dialect string) bool {
	d, err := model.ByName(dialect)
	return err == nil && d.Ibverbs
}

// optionsFor returns the options for a trace.
func (s *settings) optionsFor(t *trace.Trace) linearize.Options {
	options := s.options
	options.DeviceLevel = options.DeviceLevel && !s.deviceLevelIdle(t)
	return options
}

func (s *settings) assume(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		id, choice, _ := strings.Cut(part, "=")
		reading, ok := rules.GetReading(id)
		switch {
		case !ok:
			return commandline.UsageError("%q is not a reading; the readings are A1 to A%d", id, len(rules.Readings()))
		case reading.Choices == nil:
			return commandline.UsageError("of %s only the default reading is built: %s", id, reading.Default)
		case !linearize.Takes(id) && choice != reading.Choices[0]:
			return commandline.UsageError("of %s traces are judged by the default reading only: %s", id, reading.Default)
		case !slices.Contains(reading.Choices, choice):
			return commandline.UsageError("%s is one of %s", id, strings.Join(reading.Choices, ", "))
		}
		if before, given := s.options.Assume[id]; given && before != choice {
			return commandline.UsageError("%s can't be both %s and %s", id, before, choice)
		}
		s.options.Assume[id] = choice
	}
	return nil
}

func (s *settings) requireCoverage(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		_, isRule := rules.Get(name)
		_, isCase := cases.Get(name)
		if !isRule && !isCase && !slices.Contains(rules.Groups(), name) {
			return commandline.UsageError("%q is neither a rule nor a group, nor a case of a rule, as tracecheck explain ARM-07 lists; the groups are %s", name, strings.Join(rules.Groups(), ", "))
		}
		s.coverage = append(s.coverage, name)
	}
	return nil
}

// readingsTaken says which readings are other than the default, in the order of the table.
func (s *settings) readingsTaken() []string {
	var taken []string
	for _, id := range slices.SortedFunc(maps.Keys(s.options.Assume), byReading) {
		taken = append(taken, id+"="+s.options.Assume[id])
	}
	return taken
}

// byReading orders A2 before A10.
func byReading(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
