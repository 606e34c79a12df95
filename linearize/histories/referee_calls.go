package histories

import (
	"math"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// An interval is a call or a callback with both its ends, as the referee sees it.
type interval struct {
	fn         string
	kind       calls.Kind
	call, ret  int // indexes of its events; ret is of none when the trace ends before
	begin, end *trace.Event
}

func (c *interval) returned() bool { return c.end != nil }

func (c *interval) succeeded() bool { return c.returned() && calls.IsSuccess(c.verbs(), c.end) }

func (c *interval) pending() bool { return c.returned() && calls.Pending(c.end) }

func (c *interval) verbs() bool { return c.begin.Fn[:4] == "ibv_" }

// intervals joins the events of a trace. Points are intervals of one moment.
func intervals(events []trace.Event) []*interval {
	var all []*interval
	open := map[string]*interval{}
	for i := range events {
		e := &events[i]
		if e.Ph == trace.Ret || e.Ph == trace.Exit {
			c := open[e.Op]
			if c.ret, c.end = i, e; calls.IsRefusal(c.verbs(), e) && c.kind != calls.Post && c.kind != calls.ReadEvent && c.kind != calls.ConnectQp {
				c.kind = calls.Other // it did nothing
			}
			continue
		}
		c := &interval{fn: e.Fn, kind: calls.KindOf(e), call: i, ret: math.MaxInt, begin: e}
		if all = append(all, c); e.Ph == trace.Point {
			c.ret, c.end = i, e
		} else {
			open[e.Op] = c
		}
	}
	return all
}
