package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"ndkoracle/internal/minimize"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// memoryOfTrial bounds the search of one smaller trace, in bytes: a trace that needs more does not help its reader.
const memoryOfTrial = 1 << 26

// eventsOfTail is how many of the events around a finding are looked at in a trace that is too long to be kept.
const eventsOfTail = 50_000

// minimize shrinks a trace that broke a rule, by the engine that found it, as long as ctx allows. What the command as it was given does not
// reject by the same rule is shrunk once more, by all of its engines: one may leave out what another needs. A file that is not in memory is
// read once more, up to the finding and somewhat further.
func (p *program) minimize(ctx context.Context, in input, r *result, s *settings) {
	o, whole, want := s.optionsFor(r.trace), r.trace, r.report.Findings[0]
	o.MaxMemory, o.Timeout, o.Witness = memoryOfTrial, 0, false
	given := o.Engine
	judge := func(ctx context.Context, t *trace.Trace) *verdict.Report { return p.check(ctx, t, o) }
	o.Engine = cmp.Or(linearize.Engine(r.report.Engine), given)
	if len(whole.Events) < r.report.Events {
		o.Engine, given = linearize.Streaming, linearize.Streaming
		if whole = p.tail(ctx, in, r); whole == nil {
			return
		}
	}
	if given == linearize.Auto { // what is left breaks the rule for both engines, where the whole trace does
		r.small = minimize.Minimize(ctx, whole, want, p.judgesOf(o)...)
	}
	if r.small == nil && ctx.Err() == nil {
		r.small = minimize.Minimize(ctx, whole, want, judge)
	}
	if o.Engine != given && ctx.Err() == nil {
		o.Engine = given
		if r.small == nil || !rejects(judge(ctx, r.small), want) {
			r.small = cmp.Or(minimize.Minimize(ctx, whole, want, judge), r.small)
		}
	}
	if ctx.Err() != nil {
		_, r.cut = ended(ctx)
	}
	switch {
	case r.small != nil:
	case r.cut != "":
		r.unshrunk = r.cut
	default:
		r.unshrunk = fmt.Sprintf("the %d events around the finding do not show it by themselves", len(whole.Events))
	}
}

// judgesOf returns the engines that auto asks.
func (p *program) judgesOf(o linearize.Options) (judges []minimize.Judge) {
	for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
		one := o
		one.Engine = engine
		judges = append(judges, func(ctx context.Context, t *trace.Trace) *verdict.Report { return p.check(ctx, t, one) })
	}
	return judges
}

// rejects reports whether a trace is rejected for what was found first of another.
func rejects(r *verdict.Report, want verdict.Finding) bool {
	return len(r.Findings) > 0 && r.Findings[0].Verdict == want.Verdict && r.Findings[0].Rule == want.Rule
}

// tail reads the events around the first finding, or says why not.
func (p *program) tail(ctx context.Context, in input, r *result) *trace.Trace {
	if in.name == "-" {
		r.unshrunk = "standard input can't be read a second time"
		return nil
	}
	source, stop := p.reader(ctx, in)
	defer stop()
	reader, err := trace.NewReader(in.shown(), source)
	if err == nil {
		defer reader.Close()
		var t *trace.Trace
		if t, err = minimize.Tail(ctx, reader, in.shown(), r.report.Findings[0].Line, eventsOfTail); err == nil {
			return t
		}
	}
	r.unshrunk = err.Error()
	if ctx.Err() != nil {
		_, r.unshrunk = ended(ctx)
	}
	return nil
}

// saveSmall writes the shrunk trace, and says why there is none; of one that broke no rule only where its file was named.
func (p *program) saveSmall(ctx context.Context, in input, r *result, s *settings) {
	switch {
	case s.minimize.path == "" || r.code == exitMalformed || r.code == exitInternal:
		return
	case r.code != exitViolation && s.minimize.isFolder():
		return
	case r.code != exitViolation:
		fmt.Fprintf(p.stderr, "tracecheck: nothing to minimize in %s: %s\n", printable(r.report.File), r.report.Verdict)
		return
	case r.small == nil:
		fmt.Fprintf(p.stderr, "tracecheck: %s is not minimized: %s\n", printable(r.report.File), printable(r.unshrunk))
		return
	}
	r.minimized = p.save(ctx, r, s, s.minimize.placeOf(in), "the minimized trace", func(w io.Writer) error { return writeTrace(w, r.small) })
}

func writeTrace(out io.Writer, t *trace.Trace) error {
	w, err := trace.NewWriter(out, t.Header)
	if err != nil {
		return err
	}
	for i := range t.Events {
		if err := w.Write(&t.Events[i]); err != nil {
			return err
		}
	}
	return w.Close(*t.End)
}
