package histories

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/trace"
)

// spread makes a partially ordered trace from a totally ordered one. Its calls and callbacks are of several threads, some events have the time of the
// previous one, and the lines may be grouped by thread.
func spread(d dice, total *trace.Trace) *trace.Trace {
	p := *total
	p.Header.Order = "partial"
	p.Events = slices.Clone(total.Events)
	threads, of := 2+d.Roll(2, "threads"), map[string]int{}
	at := int64(0)
	for i := range p.Events {
		e := &p.Events[i]
		if _, ok := of[e.Op]; !ok || e.Op == "" {
			of[e.Op] = d.Roll(threads, "thread")
		}
		e.Thr = fmt.Sprint(of[e.Op])
		if d.Roll(6, "later") > 0 {
			at++
		}
		e.T = at
	}
	if Flip(d, "by thread") {
		slices.SortStableFunc(p.Events, func(a, b trace.Event) int { return strings.Compare(a.Thr, b.Thr) })
	}
	for i := range p.Events {
		p.Events[i].Seq, p.Events[i].Line = uint64(i+1), i+2
	}
	return &p
}

// allOrders returns all orders that the events of a trace may have happened in, as the format defines it, or nil where there
// are more than most.
func allOrders(events []trace.Event, most int) [][]trace.Event {
	var all [][]trace.Event
	var order []trace.Event
	begun, taken := map[string]bool{}, make([]bool, len(events))
	before := func(i, j int) bool {
		a, b := &events[i], &events[j]
		return a.T < b.T || a.Thr == b.Thr && a.Seq < b.Seq
	}
	var extend func()
	extend = func() {
		if len(order) == len(events) {
			all = append(all, slices.Clone(order))
			return
		}
		for i := range events {
			if taken[i] || len(all) > most || slices.ContainsFunc(events[i].Follows(), func(op string) bool { return !begun[op] }) {
				continue
			}
			first := true
			for j := range events {
				first = first && (taken[j] || i == j || !before(j, i))
			}
			if !first {
				continue
			}
			e := events[i]
			taken[i], order = true, append(order, e)
			if e.Begins() {
				begun[e.Op] = true
			}
			extend()
			if e.Begins() {
				begun[e.Op] = false
			}
			taken[i], order = false, order[:len(order)-1]
		}
	}
	extend()
	if len(all) > most {
		return nil
	}
	return all
}
