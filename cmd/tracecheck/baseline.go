package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/commandline"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// A baseline is a file of findings that are known, by their fingerprints: one a line, with what it is behind it. --format baseline writes one.
const baselineHead = "# tracecheck baseline 1: a finding that is known on each line: its fingerprint, verdict, rule and event\n"

// mostBaseline is how many bytes of a baseline are read.
const mostBaseline = 16 << 20

var baselineLine = regexp.MustCompile(`^([0-9a-f]{32})(\s|$)`)

// readBaseline reads the file that --baseline names, if it names one.
func (p *program) readBaseline(ctx context.Context, s *settings) error {
	if s.baselineFile == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, errTime)
	defer cancel()
	in, stop := p.reader(ctx, input{name: s.baselineFile})
	defer stop()
	text, err := io.ReadAll(io.LimitReader(in, mostBaseline+1))
	switch name := oneLine(s.baselineFile); {
	case ctx.Err() != nil:
		return fmt.Errorf("the baseline %s can't be read: %w", name, context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("the baseline %s can't be read: %w", name, err)
	case len(text) > mostBaseline:
		return fmt.Errorf("the baseline %s has more than %d MiB", name, mostBaseline>>20)
	}
	s.baseline = map[string]bool{}
	at := 0
	for line := range strings.Lines(string(text)) {
		at++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := baselineLine.FindStringSubmatch(line)
		if found == nil {
			return fmt.Errorf("%s:%d: no fingerprint at the beginning of the line; tracecheck --format baseline=FILE writes a baseline", oneLine(s.baselineFile), at)
		}
		s.baseline[found[1]] = true
	}
	return nil
}

// known reports whether a finding is in the baseline.
func (s *settings) known(r *result, f *verdict.Finding) bool {
	return len(s.baseline) > 0 && s.baseline[fingerprint(r, f)]
}

// knownAdvice reports whether advice that was not followed is in the baseline.
func (s *settings) knownAdvice(r *result, w trace.Warning) bool {
	rule := advised(w)
	return len(s.baseline) > 0 && rule != "" && s.baseline[fingerprintOfAdvice(r, rule, w)]
}

// warnings returns the warnings of a result. Advice that is in the baseline is marked as known.
func (s *settings) warnings(r *result) []trace.Warning {
	all := slices.Clone(r.warnings())
	for i := range all {
		if s.knownAdvice(r, all[i]) {
			all[i].Text += knownAside
		}
	}
	return all
}

const knownAside = " (known: it is in the baseline)"

// aside returns what is said behind the message of a finding: from what it may only follow, and whether it is known.
func (s *settings) aside(r *result, f *verdict.Finding) string {
	text := follows(f)
	if s.known(r, f) {
		text += knownAside
	}
	return text
}

// baselineReporter writes a baseline of what verdicts rest on, and of advice that was not followed where that fails the run.
type baselineReporter struct {
	out      *bufio.Writer
	settings *settings
	known    map[string]string // by fingerprint, what it is
	warned   []string          // what the reader warned of, as comments
}

func (w *baselineReporter) result(r *result) {
	for _, f := range restsOn(r) {
		about := f.Rule
		if about == "" {
			about = withoutNames(f.Message)
		}
		w.known[fingerprint(r, f)] = oneLine(fmt.Sprintf("%s, %s, %s", f.Verdict, about, kindOfEvent(r.trace, f.Line)))
	}
	for _, warning := range r.warnings() {
		rule := advised(warning)
		if rule == "" {
			w.warned = append(w.warned, oneLine(fmt.Sprintf("# %s:%d: warning: %s", r.path, warning.Line, warning.Text)))
		} else if w.settings.adviceFails {
			w.known[fingerprintOfAdvice(r, rule, warning)] = oneLine(fmt.Sprintf("advice, %s, %s", rule, kindOfEvent(r.trace, warning.Line)))
		}
	}
}

func (w *baselineReporter) end(*summary) {
	io.WriteString(w.out, baselineHead)
	for _, line := range w.warned {
		fmt.Fprintln(w.out, line)
	}
	for _, print := range slices.Sorted(maps.Keys(w.known)) {
		fmt.Fprintf(w.out, "%s %s\n", print, w.known[print])
	}
}

// baselineError is the error of a baseline that can't be read, with the exit code.
func baselineError(ctx context.Context, err error) (int, error) {
	if ctx.Err() != nil {
		return exitInterrupted, errors.New("interrupted before any trace was read")
	}
	return exitUsage, commandline.UsageError("%s", err)
}
