package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ndkoracle/trace"
)

// stats counts what one trace holds.
func (p *program) stats(ctx context.Context, out *bufio.Writer, args []string) (int, error) {
	if len(args) != 1 {
		return exitUsage, usageError("stats takes one trace")
	}
	t, code, err := p.readOne(ctx, args[0])
	if err != nil {
		return code, err
	}
	count := countTrace(t)
	w := &textReporter{out: out}
	w.line(0, "%s: dialect %s, side %s, order %s%s", t.Name, t.Header.Dialect, t.Header.Side, t.Header.Order,
		producer(t.Header.Producer))
	w.line(0, "%d events (%d more not kept), %s", len(t.Events), t.More, ending(t.End))
	w.line(0, "CQs: %d, QPs: %d, requests posted: %d, completions delivered: %d",
		len(count.cqs), len(count.qps), count.posted, count.delivered)
	names := slices.SortedFunc(maps.Keys(count.functions), func(a, b string) int {
		return cmp.Or(count.functions[b]-count.functions[a], cmp.Compare(a, b))
	})
	for _, name := range names {
		w.line(2, "%7d %s", count.functions[name], name)
	}
	return exitConformant, nil
}

type counts struct {
	functions         map[string]int // calls, callbacks and points, each counted where it begins
	cqs, qps          map[string]bool
	posted, delivered int
}

func countTrace(t *trace.Trace) counts {
	c := counts{functions: map[string]int{}, cqs: map[string]bool{}, qps: map[string]bool{}}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Cq != "" {
			c.cqs[e.Cq] = true
		}
		if e.Qp != "" {
			c.qps[e.Qp] = true
		}
		c.delivered += len(e.Results)
		if e.Ph == trace.Ret || e.Ph == trace.Exit {
			continue
		}
		c.functions[e.Fn]++
		if e.Ph == trace.Call {
			c.posted += len(e.Wrs)
			if e.Wr != "" {
				c.posted++
			}
		}
	}
	return c
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
