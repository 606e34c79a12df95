package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Follow takes the events that t holds and all others of a reader, notes in r what it finds, and leaves in t only some events
// that findings speak of. The error is that of the reader. A cancelled context leaves open what is not read by then.
func (s *Stream) Follow(ctx context.Context, in *trace.Reader, t *trace.Trace, r *verdict.Report) error {
	var before, latest []trace.Event
	begun, found := t.Events, 0
	t.Events = nil
	take := func(events []trace.Event) bool {
		before, latest = latest, events
		for i := range events {
			if r.Events%eventsAtOnce == 0 && ctx.Err() != nil {
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
	if len(begun) > 0 {
		if !take(begun) {
			return cut(ctx, t, r)
		}
		latest = slices.Clone(latest[max(0, len(latest)-eventsAtHand):])
		runtime.GC() // or so much garbage may lie, from here to the end, as goes with a hundred thousand events in use
	}
	source := readBatches(ctx, in)
	defer source.close()
	var last *batch
	for b := range source.full {
		if !take(b.events) {
			return cut(ctx, t, r)
		}
		switch {
		case b.err == nil:
		case ctx.Err() != nil:
			return cut(ctx, t, r)
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
	return cut(ctx, t, r)
}

// cut reports that ctx ended the check of a trace.
func cut(ctx context.Context, t *trace.Trace, r *verdict.Report) error {
	stopped(ctx, r.Events, r)
	t.More = uint64(r.Events - len(t.Events))
	return nil
}

// among returns the events that a finding speaks of, of those that are at hand and not known yet.
func (f *finding) among(events, known []trace.Event) []trace.Event {
	var spoken []trace.Event
	for _, e := range events {
		is := func(k trace.Event) bool { return k.Seq == e.Seq }
		if e.Line != 0 && (e.Line == f.Line || slices.Contains(f.See, e.Line)) && !slices.ContainsFunc(known, is) {
			spoken = append(spoken, e)
		}
	}
	return spoken
}

// Judge decides a trace that is in memory in one pass, and notes in r what it finds. A cancelled context leaves open what is not
// judged by then.
func (s *Stream) Judge(ctx context.Context, t *trace.Trace, r *verdict.Report) {
	if t.More > 0 {
		r.Undecided("", fmt.Sprintf("the trace has %d events, of which only %d are at hand", uint64(len(t.Events))+t.More, len(t.Events)))
		return
	}
	for i := range t.Events {
		if i%eventsAtOnce == 0 && ctx.Err() != nil {
			stopped(ctx, i, r)
			return
		}
		s.Take(&t.Events[i])
	}
	s.Finish(t.End, r)
}

// stopped reports that the context ended the check after so many events.
func stopped(ctx context.Context, events int, r *verdict.Report) {
	reason := fmt.Sprintf("%v after %d events", context.Cause(ctx), events)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		reason = "interrupted " + reason
	}
	r.Undecided("", reason)
}

// eventsAtOnce is how many events pass before the context is looked at again.
const eventsAtOnce = 1 << 10
