package linearize

import (
	"context"
	"io"
	"slices"
	"time"

	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/search"
	"ndkoracle/linearize/stream"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// CheckReader decides a trace with the streaming engine while it is read, and returns it without its events but for some that
// findings speak of. A trace that is not beyond Kept is decided as Check does where the engine is Auto or the order
// partial, and returned whole. The error is that of the reader, or the cause of a context that ended the reading of such a
// trace. Of other cancelled contexts, and of options that fit no trace of this dialect, it makes what Check makes of them.
func CheckReader(ctx context.Context, in *trace.Reader, name string, o Options) (*verdict.Report, *trace.Trace, error) {
	start := time.Now()
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, search.ErrTime)
		defer cancel()
	}
	t := &trace.Trace{Name: name, Header: in.Header()}
	if o.Engine == Auto || t.Header.Order == "partial" {
		switch err := fill(ctx, in, t); {
		case err == io.EOF:
			o.Warn(t)
			return Check(ctx, t, o), t, nil
		case ctx.Err() != nil:
			return nil, t, context.Cause(ctx)
		case err != nil:
			return nil, t, err
		}
	}
	r := &verdict.Report{File: name, Rules: map[string]verdict.RuleCoverage{}}
	d, err := o.ResolveDialect(t.Header.Dialect)
	r.Dialect = d.Name
	if err != nil {
		r.Undecided("", err.Error())
	} else {
		s := stream.New(t.Header, d, o.MaxMemory)
		s.WatchDelays(o.MaxDelay)
		if err := s.Follow(ctx, in, t, r); err != nil {
			return nil, t, err
		}
	}
	r.Conclude(d)
	r.Elapsed = time.Since(start)
	return r, t, nil
}

// Warn adds to a trace in memory the warnings of callbacks that come late.
func (o Options) Warn(t *trace.Trace) {
	if d, err := o.ResolveDialect(t.Header.Dialect); err == nil && o.MaxDelay > 0 {
		t.Warnings = append(t.Warnings, monitor.LateCallbacks(t, d, o.MaxDelay)...)
	}
}

// fill reads a trace that is not beyond Kept. The error is io.EOF when that was all, and nil when there is more: the last event is beyond it.
func fill(ctx context.Context, in *trace.Reader, t *trace.Trace) error {
	for kept := (trace.Limit{}); ; {
		if len(t.Events) == MaxEvents/4 {
			t.Events = slices.Grow(t.Events, MaxEvents*3/4+1) // as append would, step by step, and leave more garbage than that
		}
		var e trace.Event
		if err := in.Next(&e); err != nil {
			t.End, t.Warnings = in.End(), in.Warnings()
			return err
		}
		if t.Events = append(t.Events, e); !kept.Keep(&e, Kept) {
			return nil
		}
		if len(t.Events)%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// eventsBetweenLooks is how many events pass before the context is looked at again.
const eventsBetweenLooks = 1 << 10
