package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"ndkoracle/internal/minimize"
	"ndkoracle/linearize"
	"ndkoracle/trace"
)

// memoryOfTrial bounds the search of one smaller trace, in bytes: one that needs more is no help to anybody.
const memoryOfTrial = 1 << 26

// minimize shrinks a trace that broke a rule, by the engine that found it, as long as ctx allows.
func (p *program) minimize(ctx context.Context, r *result, o linearize.Options) {
	if r.code != exitViolation {
		return
	}
	o.Engine, o.MaxMemory, o.Timeout, o.Witness = cmp.Or(r.report.Engine, o.Engine), memoryOfTrial, 0, false
	r.small = minimize.Minimize(ctx, r.trace, r.report, func(ctx context.Context, t *trace.Trace) *linearize.Report {
		return p.check(ctx, t, o)
	})
	r.cut = errors.Is(context.Cause(ctx), errTime)
}

// saveSmall writes the shrunk trace, and says of one that is too long, or broke no rule, why there is none in the file that was named.
func (p *program) saveSmall(in input, r *result, s *settings) {
	switch {
	case s.minimize.path == "" || r.code == exitMalformed || r.code == exitInternal:
		return
	case r.code != exitViolation && s.minimize.isFolder():
		return
	case r.code != exitViolation:
		fmt.Fprintf(p.stderr, "tracecheck: nothing to minimize in %s: %s\n", printable(r.report.File), r.report.Verdict)
		return
	case r.small == nil:
		fmt.Fprintf(p.stderr, "tracecheck: %s is not minimized: it has %d events, and %d at most are kept in memory\n",
			printable(r.report.File), r.report.Events, linearize.MaxEvents)
		return
	}
	r.minimized = s.minimize.fileOf(in)
	p.saved(r, r.minimized, "the minimized trace", writeFile(r.minimized, func(w io.Writer) error { return writeTrace(w, r.small) }))
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
