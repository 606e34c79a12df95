package linearize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ndkoracle/trace"
)

// CheckReader decides a trace with the streaming engine while it is read, and returns it without its events but for some that
// findings speak of. A trace of at most MaxEvents events is decided as Check does where the engine is Auto or the order partial, and
// returned whole. The error is that of the reader, or the cause of a context that ended the reading of such a trace. Of other cancelled
// contexts, and of options that fit no trace of this dialect, it makes what Check makes of them.
func CheckReader(ctx context.Context, in *trace.Reader, name string, o Options) (*Report, *trace.Trace, error) {
	start := time.Now()
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTime)
		defer cancel()
	}
	t := &trace.Trace{Name: name, Header: in.Header()}
	if o.Engine == Auto || t.Header.Order == "partial" {
		switch err := fill(ctx, in, t); {
		case err == io.EOF:
			return Check(ctx, t, o), t, nil
		case ctx.Err() != nil:
			return nil, t, context.Cause(ctx)
		case err != nil:
			return nil, t, err
		}
	}
	r := &Report{File: name, Rules: map[string]RuleCoverage{}}
	d, err := o.ResolveDialect(t.Header.Dialect)
	r.Dialect = d.Name
	if err != nil {
		r.undecided("", err.Error())
	} else if err := r.follow(ctx, in, t, newStream(t.Header, d, o)); err != nil {
		return nil, t, err
	}
	r.conclude(d)
	r.Elapsed = time.Since(start)
	return r, t, nil
}

// fill reads a trace of at most MaxEvents events. The error is io.EOF when that was all.
func fill(ctx context.Context, in *trace.Reader, t *trace.Trace) error {
	for len(t.Events) <= MaxEvents {
		var e trace.Event
		if err := in.Next(&e); err != nil {
			t.End, t.Unknown = in.End(), in.UnknownFns()
			return err
		}
		if t.Events = append(t.Events, e); len(t.Events)%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// follow lets a stream take the events that t holds, and all others of a reader.
func (r *Report) follow(ctx context.Context, in *trace.Reader, t *trace.Trace, s *Stream) error {
	var before, latest []trace.Event
	begun, found := t.Events, 0
	t.Events = nil
	take := func(events []trace.Event) bool {
		before, latest = latest, events
		for i := range events {
			if r.Events%eventsBetweenLooks == 0 && ctx.Err() != nil {
				return false
			}
			r.Events++
			s.Take(&events[i])
			for ; found < len(s.findings); found++ {
				t.Events = append(t.Events, s.findings[found].among(slices.Concat(before, latest[:i+1]), t.Events)...)
			}
			found = len(s.findings)
		}
		return true
	}
	if len(begun) > 0 && !take(begun) {
		return r.cut(ctx, t)
	}
	latest = latest[max(0, len(latest)-eventsAtHand):]
	source := readBatches(ctx, in)
	defer source.close()
	var last *batch
	for b := range source.full {
		if !take(b.events) {
			return r.cut(ctx, t)
		}
		switch {
		case b.err == nil:
		case ctx.Err() != nil:
			return r.cut(ctx, t)
		case b.err == io.EOF:
			source.close()
			t.End, t.Unknown, t.More = in.End(), in.UnknownFns(), uint64(r.Events-len(t.Events))
			s.Finish(t.End, r)
			return nil
		default:
			return b.err
		}
		if last != nil {
			source.free <- last // there is room for all
		}
		last = b
	}
	return r.cut(ctx, t)
}

// cut reports that ctx ended the check of a trace.
func (r *Report) cut(ctx context.Context, t *trace.Trace) error {
	r.stopped(ctx, r.Events)
	t.More = uint64(r.Events - len(t.Events))
	return nil
}

// among returns the events that a finding speaks of, of those that are at hand and not known yet.
func (f *streamFinding) among(events, known []trace.Event) []trace.Event {
	var spoken []trace.Event
	for _, e := range events {
		is := func(k trace.Event) bool { return k.Seq == e.Seq }
		if e.Line != 0 && (e.Line == f.Line || slices.Contains(f.See, e.Line)) && !slices.ContainsFunc(known, is) {
			spoken = append(spoken, e)
		}
	}
	return spoken
}

// stream decides a trace that is in memory in one pass.
func (r *Report) stream(ctx context.Context, t *trace.Trace, s *Stream) {
	if t.More > 0 {
		r.undecided("", fmt.Sprintf("the trace has %d events, of which only %d are at hand", uint64(len(t.Events))+t.More, len(t.Events)))
		return
	}
	for i := range t.Events {
		if i%eventsBetweenLooks == 0 && ctx.Err() != nil {
			r.stopped(ctx, i)
			return
		}
		s.Take(&t.Events[i])
	}
	s.Finish(t.End, r)
}

// stopped reports that the context ended the check after so many events.
func (r *Report) stopped(ctx context.Context, events int) {
	reason := fmt.Sprintf("%v after %d events", context.Cause(ctx), events)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		reason = "interrupted " + reason
	}
	r.undecided("", reason)
}

// eventsBetweenLooks is how many events pass before the context is looked at again.
const eventsBetweenLooks = 1 << 10
