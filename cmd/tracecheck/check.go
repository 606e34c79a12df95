package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"ndkoracle/internal/memory"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// result is what became of one trace. The names of files in its report are fit to be shown.
type result struct {
	path  string       // of the file; "-" for standard input
	trace *trace.Trace // nil when it could not be read
	// partial says that trace is what had been read when the reading was ended.
	partial bool
	report  *verdict.Report
	line    int    // of a malformed trace: the place, 0 when no line is to blame
	reason  string // why it is malformed or unreadable, or which internal error happened
	// unreadable is set for an input that could not be read at all, as opposed to one that was read and is not a trace.
	unreadable bool
	code       int

	proof     []byte       // the witness of a conformant trace, where it is asked for
	witness   string       // the file that it was written to
	small     *trace.Trace // the same violation in few events
	minimized string       // the file that it was written to
	page      string       // the file that it was drawn in
	cut       string       // what ended the shrinking before it was done, or ""
	unshrunk  string       // why there is no small trace
	unsaved   bool         // a file beside the report could not be written
	lone      []string     // connections that have one end only in the traces of two hosts
	hosts     []*result    // where two traces were judged together: both
}

// The answers that are no verdict of the engine.
const (
	unreadable    = "unreadable"
	internalError = "internal error"
)

// answer is the verdict, or what came instead of one.
func (r *result) answer() string {
	switch {
	case r.code == exitInternal:
		return internalError
	case r.unreadable:
		return unreadable
	}
	return string(r.report.Verdict)
}

// reporter writes results in one format.
type reporter interface {
	result(*result)
	end(*summary)
}

// summary is the whole run.
type summary struct {
	results     int
	coverage    *coverage
	interrupted bool
	missing     []missingCoverage
	code        int
}

var worst = []int{exitInternal, exitMalformed, exitViolation, exitInconclusive, exitConformant}

// checkTraces judges the traces that a command line names.
func (p *program) checkTraces(ctx context.Context, out *bufio.Writer, s *settings) (int, error) {
	if err := s.complete(); err != nil {
		return exitUsage, err
	}
	if err := p.findDocs(s); err != nil {
		return exitUsage, err
	}
	judge := p.judgePorcupine
	if s.engine == "tlc" {
		var err error
		judge, err = p.prepareTlc(ctx)
		switch {
		case ctx.Err() != nil:
			return exitInterrupted, errors.New("interrupted before any trace was read")
		case err != nil:
			return exitUsage, err
		}
	}
	if err := p.readBaseline(ctx, s); err != nil {
		return baselineError(ctx, err)
	}
	inputs := expand(s.files)
	if err := cmp.Or(s.checkJoin(inputs), p.checkOutputs(s, inputs)); err != nil {
		return exitUsage, err
	}
	report := p.reports(out, s, len(inputs) == 1)
	sum := &summary{coverage: newCoverage(p.checkable()), code: exitConformant}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of traces that are judged ahead when the output can't be written
	var next func() *result
	if s.join {
		next = p.judgeJoined(ctx, inputs, s)
	} else {
		next = p.judgeAll(ctx, inputs, s, judge)
	}
	shown := p.meterOf(s, inputs)
	defer shown.close()
	for i, in := range inputs {
		shown.begin("checking %d of %d: %s", i+1, len(inputs), in.shown())
		r := next()
		shown.end()
		if ctx.Err() != nil {
			if !sum.interrupted || s.join {
				fmt.Fprintf(p.stderr, "tracecheck: interrupted in trace %d of %d, %s%s; %d checked\n",
					i+1, len(inputs), in.shown(), r.readSoFar(), sum.results)
			}
			if sum.interrupted = true; r != nil && r.code == exitViolation { // that stands, whatever else would have been found
				p.tell(ctx, in, r, s, report, sum)
			}
			continue // others were judged at the same time
		}
		p.tell(ctx, in, r, s, report, sum)
		if err := out.Flush(); err != nil {
			return exitInternal, nil // run says why
		}
	}
	if sum.interrupted {
		sum.code = exitInterrupted
	} else if sum.missing = sum.coverage.missing(s.coverage); len(sum.missing) > 0 {
		sum.code = worseOf(sum.code, exitInconclusive)
	}
	if report.end(sum); !report.save(ctx, s, p.stderr) && !sum.interrupted {
		sum.code = exitInternal
	}
	return sum.code, nil
}

// tell reports a result, and saves what was made beside it.
func (p *program) tell(ctx context.Context, in input, r *result, s *settings, report *reports, sum *summary) {
	r.path = in.name
	p.warn(r, s)
	p.warnOfLone(r)
	p.saveWitness(ctx, in, r, s)
	p.saveSmall(ctx, in, r, s)
	p.savePage(ctx, in, r, s)
	sum.results++
	if r.unsaved {
		sum.code = exitInternal
	}
	sum.code = worseOf(sum.code, s.exitOf(r))
	sum.coverage.add(r.report)
	report.result(r)
}

func worseOf(a, b int) int {
	return worst[min(slices.Index(worst, a), slices.Index(worst, b))]
}

// A judge is an engine. An error says that it broke down, and nothing of the trace.
type judge func(context.Context, *trace.Trace, linearize.Options) (*verdict.Report, error)

func (p *program) judgePorcupine(ctx context.Context, t *trace.Trace, o linearize.Options) (*verdict.Report, error) {
	return p.check(ctx, t, o), nil
}

// errTime is the cause of a context at its time limit. Its text is the reason that an engine gives at its time limit.
var errTime = errors.New("the time limit was reached")

// checkOne reads and judges one trace.
func (p *program) checkOne(ctx context.Context, in input, s *settings, judge judge, so *reading) *result {
	if in.err != nil {
		return malformed(in.shown(), in.err)
	}
	if s.engine == "auto" || s.engine == "stream" {
		return p.checkWhileRead(ctx, in, s, so)
	}
	t, err := p.readInput(ctx, in)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return unfinished(in.shown(), t, s, context.Cause(ctx))
	default:
		return malformed(in.shown(), err)
	}
	events := eventsOf(t)
	so.of(func() int { return events })
	o := s.optionsFor(t)
	o.Warn(t)
	report, err := judge(ctx, t, o)
	switch {
	case err != nil && ctx.Err() != nil:
		return unfinished(in.shown(), t, s, context.Cause(ctx))
	case err != nil:
		return &result{trace: t, report: &verdict.Report{File: in.shown()}, code: exitInternal, reason: err.Error()}
	}
	return judged(t, report)
}

// guarded also makes a result of a panic, a mistake in this program, so that the other traces are judged.
func guarded(in input, work func() *result) (r *result) {
	defer func() {
		if problem := recover(); problem != nil {
			r = broken(in, problem)
		}
	}()
	return work()
}

// broken is the result for a trace in which this program was found mistaken.
func broken(in input, problem any) *result {
	return &result{report: &verdict.Report{File: in.shown()}, code: exitInternal, reason: fmt.Sprintf("%v\n%s", problem, debug.Stack())}
}

// checkWhileRead judges a trace while it is read. The time limit is that of ctx alone: a context of the check's own may hear of an interrupt after
// the reader has, and what ends the reading would be taken for a damaged trace.
func (p *program) checkWhileRead(ctx context.Context, in input, s *settings, so *reading) *result {
	source, stop := p.reader(ctx, in)
	defer stop()
	report, t, err := p.follow(ctx, in.shown(), source, so, func(h trace.Header) linearize.Options {
		o := s.optionsFor(&trace.Trace{Header: h})
		o.Timeout = 0
		return o
	})
	switch {
	case err == nil:
		r := judged(t, report)
		p.fetchSeen(ctx, in, r)
		return r
	case ctx.Err() != nil:
		return unfinished(in.shown(), t, s, context.Cause(ctx))
	}
	return malformed(in.shown(), err)
}

// judged is the result for a trace that an engine has answered for.
func judged(t *trace.Trace, report *verdict.Report) *result {
	code, known := verdictCodes[report.Verdict]
	if !known {
		return &result{
			trace: t, report: report, code: exitInternal,
			reason: fmt.Sprintf("the engine answered %q, which is not a verdict", report.Verdict),
		}
	}
	return &result{trace: t, report: report, code: code}
}

var verdictCodes = map[verdict.Verdict]int{
	verdict.Conformant:        exitConformant,
	verdict.ProviderViolation: exitViolation,
	verdict.ConsumerViolation: exitViolation,
	verdict.Inconclusive:      exitInconclusive,
	verdict.Malformed:         exitMalformed,
}

func (p *program) readInput(ctx context.Context, in input) (*trace.Trace, error) {
	r, stop := p.reader(ctx, in)
	defer stop()
	return p.read(ctx, in.shown(), r)
}

// readOne reads the trace that a command is about. Where it can't be read there is an exit code with the error.
func (p *program) readOne(ctx context.Context, name string) (*trace.Trace, int, error) {
	t, err := p.readInput(ctx, input{name: name})
	return wholeOr(ctx, name, t, err)
}

// scanOne is readOne that keeps no event: it hands each to take.
func (p *program) scanOne(ctx context.Context, name string, take func(*trace.Event)) (*trace.Trace, int, error) {
	in := input{name: name}
	r, stop := p.reader(ctx, in)
	defer stop()
	t, err := p.scan(ctx, in.shown(), r, take)
	return wholeOr(ctx, name, t, err)
}

// wholeOr returns a trace that was read, or an exit code and an error that say why it was not.
func wholeOr(ctx context.Context, name string, t *trace.Trace, err error) (*trace.Trace, int, error) {
	if ctx.Err() != nil {
		code, why := ended(ctx)
		events := 0
		if t != nil { // nothing is returned of what is malformed
			events = eventsOf(t)
		}
		return nil, code, fmt.Errorf("%s after %d events of %s", why, events, oneLine(name))
	}
	if err != nil {
		r := malformed(name, err)
		return nil, exitMalformed, fmt.Errorf("%s: %s", at(oneLine(name), r.line), r.reason)
	}
	return t, exitConformant, nil
}

// ended says why a context ended a command that gives no verdict, and with which exit code.
func ended(ctx context.Context) (code int, why string) {
	if cause := context.Cause(ctx); errors.Is(cause, errTime) || errors.Is(cause, memory.ErrLimit) {
		return exitInconclusive, cause.Error()
	}
	return exitInterrupted, "interrupted"
}

// unfinished is the result for a trace of which only a part could be read in time.
func unfinished(name string, t *trace.Trace, s *settings, why error) *result {
	r := &result{trace: t, partial: true, code: exitInconclusive}
	r.report = &verdict.Report{
		File: name, Dialect: cmp.Or(s.options.Dialect, t.Header.Dialect), Events: eventsOf(t), Verdict: verdict.Inconclusive,
		Findings: []verdict.Finding{{
			Verdict: verdict.Inconclusive,
			Message: fmt.Sprintf("%v%s: nothing of the trace was judged", why, r.readSoFar()),
		}},
	}
	return r
}

// overdue is the result for a trace without an answer when ctx has been done for long.
func overdue(ctx context.Context, name string, s *settings, so *reading) *result {
	r := unfinished(name, &trace.Trace{Name: name, More: uint64(so.events())}, s, context.Cause(ctx))
	r.report.Findings[0].Message = fmt.Sprintf("%v%s, and the engine did not end by itself", context.Cause(ctx), r.readSoFar())
	r.trace, r.partial = nil, false
	return r
}

// readSoFar says how far the reading of a trace came when its check was ended.
func (r *result) readSoFar() string {
	switch {
	case r == nil || r.code == exitMalformed || r.code == exitInternal:
		return ""
	case r.partial:
		return fmt.Sprintf(" after reading %d of its events", eventsOf(r.trace))
	}
	return fmt.Sprintf(" after reading %d of its events", r.report.Events)
}

// A reading tells how many events of a trace have been read so far, also while that goes on.
type reading struct{ count atomic.Pointer[func() int] }

func (r *reading) of(count func() int) { r.count.Store(&count) }

func (r *reading) events() int {
	if count := r.count.Load(); count != nil {
		return (*count)()
	}
	return 0
}

func eventsOf(t *trace.Trace) int { return len(t.Events) + int(t.More) }

// malformed is the result for what can't be read or is not a trace.
func malformed(name string, err error) *result {
	r := &result{report: &verdict.Report{File: name, Verdict: verdict.Malformed}, code: exitMalformed}
	var place *trace.Error
	if errors.As(err, &place) {
		r.line, r.reason = place.Line, place.Reason
	} else {
		r.reason, r.unreadable = err.Error(), true
	}
	return r
}

// warn reports a flag that has no effect on a trace.
func (p *program) warn(r *result, s *settings) {
	if r.trace != nil && !r.partial && s.deviceLevelIdle(r.trace) {
		fmt.Fprintf(p.stderr, "%s: warning: --device-level does nothing: it is of the dialects verbs and kverbs, and this trace is %s\n",
			printable(r.report.File), r.report.Dialect)
	}
}

// warnings are of what the format does not know of a trace that was read to its end, and of the engine.
func (r *result) warnings() []trace.Warning {
	if r.trace == nil || r.partial {
		return r.report.Warnings
	}
	return slices.Concat(r.report.Warnings, r.trace.Warnings)
}
