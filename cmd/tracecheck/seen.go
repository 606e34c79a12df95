package main

import (
	"context"
	"os"
	"slices"

	"ndkoracle/internal/picture"
	"ndkoracle/trace"
)

// How many events around each event of a finding are read once more, and at most how many in all.
const (
	drawnBefore = 30
	drawnAfter  = 10
	eventsSeen  = 4_000
)

// fetchSeen reads a file once more whose trace was too long to keep, for the events that its findings speak of and those around them: a finding
// shows the same of a long trace as of a short one. Only a regular file can be read a second time.
func (p *program) fetchSeen(ctx context.Context, in input, r *result) {
	if r.trace == nil || r.trace.More == 0 || r.report == nil {
		return
	}
	lines, alone := linesSeen(r)
	if len(lines)+len(alone) == 0 {
		return
	}
	if info, err := os.Stat(in.name); err != nil || !info.Mode().IsRegular() {
		return // standard input, or a pipe
	}
	source, stop := p.reader(ctx, in)
	defer stop()
	reader, err := trace.NewReader(in.name, source)
	if err != nil {
		return // it was read before: what is missing now are the events around
	}
	defer reader.Close()
	var seen []trace.Event
	for len(lines)+len(alone) > 0 && len(seen) < eventsSeen {
		var e trace.Event
		if reader.Next(&e) != nil || ctx.Err() != nil {
			break
		}
		for len(lines) > 0 && e.Line > lines[0]+drawnAfter {
			lines = lines[1:]
		}
		for len(alone) > 0 && e.Line > alone[0] {
			alone = alone[1:]
		}
		if len(lines) > 0 && e.Line >= lines[0]-drawnBefore || len(alone) > 0 && e.Line == alone[0] {
			seen = append(seen, e)
		}
	}
	t := r.trace
	for _, e := range t.Events {
		if !slices.ContainsFunc(seen, func(s trace.Event) bool { return s.Line == e.Line }) {
			seen = append(seen, e)
		}
	}
	slices.SortFunc(seen, func(a, b trace.Event) int { return a.Line - b.Line })
	t.More -= uint64(len(seen) - len(t.Events))
	t.Events = seen
}

// linesSeen returns the lines of the findings that are shown, and those that they refer to; and of the other findings the lines whose events are not at hand,
// each in order.
func linesSeen(r *result) (lines, alone []int) {
	shown, _ := r.shown()
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		switch {
		case f.Line == 0:
		case slices.Contains(shown, f):
			lines = append(append(lines, f.See...), f.Line)
		case picture.EventOn(r.trace, f.Line) == nil:
			alone = append(alone, f.Line)
		}
	}
	slices.Sort(lines)
	slices.Sort(alone)
	return slices.Compact(lines), slices.Compact(alone)
}
