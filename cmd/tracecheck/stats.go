package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ndkoracle/internal/commandline"
	"ndkoracle/trace"
)

// stats counts what one trace holds.
func (p *program) stats(ctx context.Context, out *bufio.Writer, limit time.Duration, args []string) (int, error) {
	if len(args) != 1 {
		return exitUsage, commandline.UsageError("stats takes one trace")
	}
	if _, err := p.taken([]input{{name: args[0]}}); err != nil {
		return exitUsage, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
	count, waits := newCounts(), newLatencies()
	t, code, err := p.scanOne(ctx, args[0], func(e *trace.Event) {
		count.take(e)
		waits.take(e)
	})
	if err != nil {
		return code, err
	}
	w := &textReporter{out: out}
	w.line(0, "%s: dialect %s, side %s, order %s%s", t.Name, t.Header.Dialect, t.Header.Side, t.Header.Order,
		producer(t.Header.Producer))
	w.line(0, "%d events, %s", eventsOf(t), ending(t.End))
	w.line(0, "CQs: %s, QPs: %s, requests posted: %d, completions delivered: %d",
		count.cqs.count(), count.qps.count(), count.posted, count.delivered)
	waits.write(w, t.Header.Clock.Unit)
	names := slices.SortedFunc(maps.Keys(count.functions.of), func(a, b string) int {
		return cmp.Or(count.functions.of[b]-count.functions.of[a], cmp.Compare(a, b))
	})
	for _, name := range names {
		w.line(2, "%7d %s", count.functions.of[name], name)
	}
	if count.functions.others > 0 {
		w.line(2, "%7d of other functions", count.functions.others)
	}
	return exitConformant, nil
}

// counts is what is counted of a trace.
type counts struct {
	functions         names // calls, callbacks and points, each counted where it begins
	cqs, qps          names
	posted, delivered int
}

func newCounts() *counts {
	return &counts{functions: names{of: map[string]int{}}, cqs: names{of: map[string]int{}}, qps: names{of: map[string]int{}}}
}

// names counts how often each name was met, of the first maxNames.
type names struct {
	of     map[string]int
	others int // how often others were met
}

// maxNames is how many different names are counted apart.
const maxNames = 1 << 16

func (n *names) meet(name string) {
	_, met := n.of[name]
	switch {
	case met:
		n.of[name]++
	case len(n.of) < maxNames:
		n.of[strings.Clone(name)] = 1 // which would keep the line that it is part of
	default:
		n.others++
	}
}

// count says how many different names there are.
func (n *names) count() string {
	if n.others > 0 {
		return fmt.Sprintf("more than %d", len(n.of))
	}
	return strconv.Itoa(len(n.of))
}

func (c *counts) take(e *trace.Event) {
	if e.Cq != "" {
		c.cqs.meet(e.Cq)
	}
	if e.Qp != "" {
		c.qps.meet(e.Qp)
	}
	c.delivered += len(e.Results)
	if e.Ph == trace.Ret || e.Ph == trace.Exit {
		return
	}
	c.functions.meet(e.Fn)
	if e.Ph == trace.Call {
		c.posted += len(e.Wrs)
		if e.Wr != "" {
			c.posted++
		}
	}
}

// producer says who wrote the trace, as far as its header does.
func producer(p trace.Producer) string {
	by := strings.TrimSpace(p.Name + " " + p.Version)
	if by == "" {
		return ""
	}
	return ", by " + by
}

func ending(end *trace.End) string {
	switch {
	case end == nil:
		return "no end record"
	case end.Quiescent:
		return fmt.Sprintf("%d dropped, at rest at the end", end.Dropped)
	}
	return fmt.Sprintf("%d dropped, not at rest at the end", end.Dropped)
}
