package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ndkoracle/trace"
)

const (
	longestEvent  = 110 // characters of an event in text output
	resultsListed = 4
)

// eventAt returns the event on a line of the file, abbreviated, or "" when there is none. The events are in the order of their lines.
func eventAt(t *trace.Trace, line int) string {
	e := eventOn(t, line)
	if e == nil {
		return ""
	}
	return abbreviate(describe(e), longestEvent)
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

// describe tells an event as NAME phase and its fields, in the order of the format's documentation.
func describe(e *trace.Event) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", e.Fn, e.Ph)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, " %s=%s", name, value)
		}
	}
	number := func(name string, value *int64) {
		if value != nil {
			fmt.Fprintf(&text, " %s=%d", name, *value)
		}
	}
	field("op", e.Op)
	field("cq", e.Cq)
	field("qp", e.Qp)
	field("srq", e.Srq)
	field("mr", e.Mr)
	field("mw", e.Mw)
	field("conn", e.Conn)
	field("receive_cq", e.ReceiveCq)
	field("initiator_cq", e.InitiatorCq)
	number("depth", e.Depth)
	field("wr", e.Wr)
	if len(e.Wrs) > 0 {
		fmt.Fprintf(&text, " wrs=%d", len(e.Wrs)+e.Cut)
	}
	field("bad_wr", e.BadWr)
	field("flags", strings.Join(e.Flags, "+"))
	field("type", e.Type)
	field("state", e.State)
	if e.SolicitedOnly != nil {
		fmt.Fprintf(&text, " solicited_only=%t", *e.SolicitedOnly)
	}
	if e.Token != nil {
		fmt.Fprintf(&text, " token=%d", *e.Token)
	}
	number("n", e.N)
	field("status", e.Status)
	field("errno", e.Errno)
	if e.Solicited != nil {
		fmt.Fprintf(&text, " solicited=%t", *e.Solicited)
	}
	field("for", e.For)
	if e.Results != nil {
		text.WriteString(" results=" + describeResults(e.Results, e.Cut))
	}
	field("thr", e.Thr)
	return text.String()
}

func describeResults(results []trace.Result, cut int) string {
	var parts []string
	for i, r := range results {
		if i == resultsListed {
			parts = append(parts, fmt.Sprintf("… of %d", len(results)+cut))
			break
		}
		parts = append(parts, strings.TrimSpace(r.Wr+" "+r.Status))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func abbreviate(text string, longest int) string {
	if length(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}

// length counts characters, as a terminal shows most of them.
func length(text string) int { return utf8.RuneCountInString(text) }
