// Package eventtext words an event of a trace in one line.
package eventtext

import (
	"fmt"
	"strings"

	"ndkoracle/trace"
)

const mostListed = 4 // parts of a list

// Of returns an event as the function, the phase, and the fields with the thread last.
func Of(e *trace.Event) string {
	text := append([]string{e.Fn, string(e.Ph)}, fields("op", e.Op)...)
	return strings.Join(append(append(text, Fields(e)...), fields("thr", e.Thr)...), " ")
}

func fields(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name + "=" + value}
}

// Fields returns the fields of an event but for its op and its thread, each as name=value, in the order of the format's documentation.
func Fields(e *trace.Event) []string {
	var all []string
	field := func(name, value string) { all = append(all, fields(name, value)...) }
	number := func(name string, value *int64) {
		if value != nil {
			field(name, fmt.Sprint(*value))
		}
	}
	field("cq", e.Cq)
	field("qp", e.Qp)
	field("srq", e.Srq)
	field("mr", e.Mr)
	field("mw", e.Mw)
	field("conn", e.Conn)
	field("receive_cq", e.ReceiveCq)
	field("initiator_cq", e.InitiatorCq)
	number("depth", e.Depth)
	number("threshold", e.Threshold)
	field("wr", e.Wr)
	if len(e.Wrs) > 0 {
		field("wrs", listed(len(e.Wrs), e.Cut, func(i int) string { return e.Wrs[i].Wr }))
	}
	field("bad_wr", e.BadWr)
	field("flags", strings.Join(e.Flags, "+"))
	field("type", e.Type)
	field("state", e.State)
	if e.SolicitedOnly != nil {
		field("solicited_only", fmt.Sprint(*e.SolicitedOnly))
	}
	if e.Token != nil {
		field("token", fmt.Sprint(*e.Token))
	}
	number("n", e.N)
	field("status", e.Status)
	field("errno", e.Errno)
	if e.Solicited != nil {
		field("solicited", fmt.Sprint(*e.Solicited))
	}
	field("for", e.For)
	if e.Results != nil {
		field("results", listed(len(e.Results), e.Cut, func(i int) string { return strings.TrimSpace(e.Results[i].Wr + " " + e.Results[i].Status) }))
	}
	return all
}

// listed writes the first parts of a list, and how many it has with those that were cut off.
func listed(count, cut int, part func(i int) string) string {
	var parts []string
	for i := range count {
		if i == mostListed {
			parts = append(parts, fmt.Sprintf("… of %d", count+cut))
			break
		}
		parts = append(parts, part(i))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
