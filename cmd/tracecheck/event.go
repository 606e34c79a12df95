package main

import (
	"unicode/utf8"

	"ndkoracle/internal/eventtext"
	"ndkoracle/internal/picture"
	"ndkoracle/trace"
)

const longestEvent = 110 // characters of an event in text output

// eventAt returns the event on a line of the file, abbreviated, or "" when there is none. The events are in the order of their lines.
func eventAt(t *trace.Trace, line int) string {
	e := picture.EventOn(t, line)
	if e == nil {
		return ""
	}
	return abbreviate(eventtext.Of(e), longestEvent)
}

func abbreviate(text string, longest int) string {
	if length(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}

// length counts characters, as a terminal shows most of them.
func length(text string) int { return utf8.RuneCountInString(text) }
