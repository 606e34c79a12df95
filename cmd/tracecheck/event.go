package main

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"ndkoracle/internal/eventtext"
	"ndkoracle/trace"
)

const longestEvent = 110 // characters of an event in text output

// eventAt returns the event on a line of the file, abbreviated, or "" when there is none. The events are in the order of their lines.
func eventAt(t *trace.Trace, line int) string {
	e := eventOn(t, line)
	if e == nil {
		return ""
	}
	return abbreviate(eventtext.Of(e), longestEvent)
}

// eventOn returns the event on a line of the file, or nil when there is none.
func eventOn(t *trace.Trace, line int) *trace.Event {
	if t == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(t.Events, line, func(e trace.Event, line int) int { return cmp.Compare(e.Line, line) })
	if !found {
		return nil
	}
	return &t.Events[i]
}

func abbreviate(text string, longest int) string {
	if length(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}

// length counts characters, as a terminal shows most of them.
func length(text string) int { return utf8.RuneCountInString(text) }
