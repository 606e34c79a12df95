package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// WatchDelays asks for a warning of each callback that comes later than that after it was due.
func (s *Stream) WatchDelays(most time.Duration) { s.monitor.WatchDelays(most) }

// Follow handles the events of t and all later events of a reader, and records its findings in r. It keeps in t only some events that findings refer to.
// The error is that of the reader. If the context is cancelled, what is not read by then is undecided.
func (s *Stream) Follow(ctx context.Context, in *trace.Reader, t *trace.Trace, r *verdict.Report) error {
	var before, latest []trace.Event
	begun, found, heard := t.Events, 0, 0
	t.Events = nil
	var spoken spokenOf
	cut := func() error {
		t.Events = spoken.inOrder()
		return s.cut(ctx, t, r)
	}
	defer context.AfterFunc(ctx, s.machine.Halt)()
	take := func(events []trace.Event) bool {
		before, latest = latest, events
		for i := range events {
			if s.ends(ctx, r.Events) {
				return false
			}
			r.Events++
			s.Take(&events[i])
			for ; found < len(s.findings); found++ {
				spoken.keep(&s.findings[found].Finding, before, latest[:i+1])
			}
			found = len(s.findings) // some may have been taken back
			for _, c := range s.hidden.found[heard:] {
				spoken.keep(&c.Finding, before, latest[:i+1])
				heard++
			}
		}
		return true
	}
	if len(begun) > 0 {
		calls.MarkNoEffect(begun)
		if !take(begun) {
			return cut()
		}
		latest = slices.Clone(latest[max(0, len(latest)-eventsAtHand):])
		runtime.GC() // or so much garbage may lie, from here to the end, as goes with a hundred thousand events in use
	}
	source := readBatches(ctx, in)
	defer source.close()
	var last *batch
	for b := range source.full {
		if !take(b.events) {
			return cut()
		}
		switch {
		case b.err == nil:
		case ctx.Err() != nil:
			return cut()
		case b.err == io.EOF:
			source.close()
			t.Events = spoken.inOrder()
			t.End, t.Warnings, t.More = in.End(), append(in.Warnings(), s.monitor.Late()...), uint64(r.Events-len(t.Events))
			s.conclude(ctx, t.End, r.Events, r)
			s.doubts.Apply(r, t.Events)
			return nil
		default:
			return b.err
		}
		if last != nil {
			source.free <- last // there is room for all
		}
		last = b
	}
	return cut()
}

// ends reports, before the next event, whether ctx ends the check. An event that takes long is ended by the machine that is halted.
func (s *Stream) ends(ctx context.Context, events int) bool {
	return s.machine.Halted() || events%eventsAtOnce == 0 && ctx.Err() != nil
}

// cut reports that ctx ended the check of a trace.
func (s *Stream) cut(ctx context.Context, t *trace.Trace, r *verdict.Report) error {
	s.stop(ctx, r.Events, r)
	s.doubts.Apply(r, t.Events)
	t.More = uint64(r.Events - len(t.Events))
	return nil
}

// Judge decides a trace that is in memory in one pass, and notes in r what it finds. A cancelled context leaves open what is not
// judged by then.
func (s *Stream) Judge(ctx context.Context, t *trace.Trace, r *verdict.Report) {
	if t.More > 0 {
		r.Undecided("", fmt.Sprintf("the trace has %d events, of which only %d are at hand", uint64(len(t.Events))+t.More, len(t.Events)))
		return
	}
	defer context.AfterFunc(ctx, s.machine.Halt)()
	calls.MarkNoEffect(t.Events)
	for i := range t.Events {
		if s.ends(ctx, i) {
			s.stop(ctx, i, r)
			s.doubts.Apply(r, t.Events)
			return
		}
		s.Take(&t.Events[i])
	}
	s.conclude(ctx, t.End, len(t.Events), r)
	s.doubts.Apply(r, t.Events)
}

// conclude handles the end of a trace of that many events, and reports if ctx ended the reading.
func (s *Stream) conclude(ctx context.Context, end *trace.End, events int, r *verdict.Report) {
	if s.Finish(end, r); s.machine.Halted() {
		undecided(r, reasonOf(ctx, events))
	}
}

// stop reports that the context ended the check after that many events: it reports what a trace of these events alone shows, and that the rest is
// undecided.
func (s *Stream) stop(ctx context.Context, events int, r *verdict.Report) {
	s.machine.Halt() // or the end might take long
	s.finishRemote("the trace of the other host was not read to its end record")
	s.Finish(nil, r)
	r.Findings = slices.DeleteFunc(r.Findings, func(f verdict.Finding) bool { return f.Message == verdict.NotAtRest })
	undecided(r, reasonOf(ctx, events))
}

// reasonOf says that ctx ended a check after that many events.
func reasonOf(ctx context.Context, events int) string {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return fmt.Sprintf("interrupted after %d events", events)
	}
	return fmt.Sprintf("%v after %d events", context.Cause(ctx), events)
}

// undecided records why nothing more is decided of a trace.
func undecided(r *verdict.Report, reason string) {
	r.Undecided("", reason)
	for _, id := range verdict.Checkable() {
		if r.Rules[id].Count == 0 {
			r.Rules[id] = verdict.RuleCoverage{Coverage: verdict.Undecided, Why: reason}
		}
	}
}

// eventsAtOnce is how many events pass before the context is looked at again.
const eventsAtOnce = 1 << 10
