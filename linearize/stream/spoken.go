package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// spokenOf holds the events that findings speak of, as far as they were at hand when the findings were made.
type spokenOf struct {
	events []trace.Event
	lines  map[int]bool
	bytes  int
}

// What is kept of the events that findings speak of: for all together, in bytes, and of the lists of one.
const (
	maxSpoken   = 16 << 20
	listsSpoken = 64
)

// keep keeps the events that a finding speaks of, of some in the order of their lines.
func (s *spokenOf) keep(f *verdict.Finding, events ...[]trace.Event) {
	s.line(f.Line, events)
	for _, line := range f.See {
		s.line(line, events)
	}
}

func (s *spokenOf) line(line int, events [][]trace.Event) {
	if line == 0 || s.lines[line] || s.bytes > maxSpoken {
		return
	}
	for _, some := range events {
		i, found := slices.BinarySearchFunc(some, line, func(e trace.Event, line int) int { return cmp.Compare(e.Line, line) })
		if !found {
			continue
		}
		e := some[i]
		e.Cut += max(0, len(e.Results)-listsSpoken) + max(0, len(e.Wrs)-listsSpoken)
		e.Results = slices.Clone(e.Results[:min(len(e.Results), listsSpoken)])
		e.Wrs = slices.Clone(e.Wrs[:min(len(e.Wrs), listsSpoken)])
		if s.lines == nil {
			s.lines = map[int]bool{}
		}
		s.lines[line] = true
		s.events, s.bytes = append(s.events, e), s.bytes+e.Size()
	}
}

// inOrder returns the events in the order of their lines.
func (s *spokenOf) inOrder() []trace.Event {
	slices.SortFunc(s.events, func(a, b trace.Event) int { return cmp.Compare(a.Line, b.Line) })
	return s.events
}
