package picture

import (
	"fmt"

	"ndkoracle/trace"
)

// clock tells when something was, counted from the first event.
type clock struct {
	Unit     string // of what it tells; "" where the traces have no time
	start    int64
	length   int64
	perUnit  float64
	decimals int
}

// newClock takes the clock of the traces. Two hosts have no common clock.
func newClock(hosts []Host) clock {
	t := hosts[0].Trace
	if len(hosts) > 1 || len(t.Events) == 0 {
		return clock{}
	}
	c := clock{Unit: t.Header.Clock.Unit, start: t.Events[0].T, perUnit: 1}
	if c.Unit == "" {
		c.Unit = "ticks"
	}
	for n := range t.Events {
		c.start, c.length = min(c.start, t.Events[n].T), max(c.length, t.Events[n].T)
	}
	if c.length -= c.start; c.length <= 0 {
		return clock{}
	}
	if c.Unit != "ns" {
		return c
	}
	for _, unit := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if float64(c.length) >= 5*unit.ns {
			c.Unit, c.perUnit = unit.name, unit.ns
			c.decimals = 3
			if float64(c.length) >= 1_000*unit.ns {
				c.decimals = 1
			}
			break
		}
	}
	return c
}

// of returns the time of an event.
func (c *clock) of(e *trace.Event) string {
	if c.Unit == "" {
		return ""
	}
	return c.text(e.T - c.start)
}

func (c *clock) text(since int64) string {
	return fmt.Sprintf("%.*f", c.decimals, float64(since)/c.perUnit)
}

// gapShare is the share of the whole time from which on a pause between two events is told.
const gapShare = 20

// gap tells a long pause between two events, or returns "".
func (c *clock) gap(before, e *trace.Event) string {
	if c.Unit == "" || before == nil || (e.T-before.T) <= c.length/gapShare {
		return ""
	}
	return c.text(e.T-before.T) + " " + c.Unit
}

// An axis is the whole trace from left to right, as shares of its width in percent.
type axis struct {
	Ticks []tick
	Bars  []tick // how much happens
	Marks []tick // the findings
}

type tick struct {
	X, Height    float64
	Top          float64
	Text, Anchor string
	Line         string // id of the row
}

const axisBars = 80

// leastAxis is how many rows are worth an axis where the traces have no time.
const leastAxis = 100

// axisOf draws the axis of items, by time or, where there is none, by the number of the event.
func axisOf(items []*item, c *clock) axis {
	var a axis
	if c.Unit == "" && len(items) < leastAxis {
		return a
	}
	var counts [axisBars]int
	most := 1
	at := func(n int) float64 {
		if e := items[n].event; c.Unit != "" && e != nil {
			return float64(e.T-c.start) / float64(c.length)
		}
		return float64(n) / float64(max(1, len(items)-1))
	}
	for n, i := range items {
		if i.kind != event {
			continue
		}
		bucket := min(axisBars-1, int(at(n)*axisBars))
		counts[bucket]++
		most = max(most, counts[bucket])
		if i.finding > 0 {
			a.Marks = append(a.Marks, tick{X: at(n) * 100, Line: i.id()})
		}
	}
	for n, count := range counts {
		if count > 0 && c.Unit != "" {
			height := max(2, 24*float64(count)/float64(most))
			a.Bars = append(a.Bars, tick{X: float64(n) * 100 / axisBars, Height: height, Top: 28 - height})
		}
	}
	for n, anchor := range []string{"start", "middle", "middle", "middle", "end"} {
		t := tick{X: float64(n) * 25, Anchor: anchor}
		if c.Unit != "" {
			t.Text = c.text(c.length*int64(n)/4) + " " + c.Unit
		} else {
			at := (len(items) - 1) * n / 4
			for at > 0 && items[at].kind != event {
				at--
			}
			if items[at].kind == event {
				t.Text = "line " + items[at].label()
			}
		}
		a.Ticks = append(a.Ticks, t)
	}
	return a
}
