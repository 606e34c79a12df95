package monitor

import (
	"fmt"
	"time"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// delays warns of callbacks that come late. No rule bounds how late a callback may be, so that is not a violation; by the clock of the trace it
// is still worth a word.
type delays struct {
	nothing
	m    *Monitor
	most time.Duration // 0 where no warning was asked for
	late []trace.Warning

	begun bool
	first int64 // time of the first call or callback
}

// maxLate bounds the warnings.
const maxLate = 100

func newDelays(m *Monitor) checks {
	m.delays = &delays{m: m}
	return m.delays
}

// WatchDelays asks for a warning of each callback that comes later than that after it was due.
func (m *Monitor) WatchDelays(most time.Duration) { m.delays.most = most }

// Late returns the warnings of callbacks that came late, or one that says why delays are not known.
func (m *Monitor) Late() []trace.Warning {
	const unknown = "how late callbacks came is not known: "
	d := m.delays
	switch {
	case d.most == 0 || !d.begun:
		return nil
	case m.header.Clock.Unit != "ns":
		return []trace.Warning{{Text: unknown + "the clock of the trace has no unit ns"}}
	case d.first == m.t:
		return []trace.Warning{{Text: unknown + "all events have the same time"}}
	}
	return d.late
}

// LateCallbacks returns the warnings of the callbacks of a trace that come later than that after they were due.
func LateCallbacks(t *trace.Trace, d model.Dialect, most time.Duration) []trace.Warning {
	m := New(t.Header, d)
	m.WatchDelays(most)
	for i := range t.Events {
		m.Take(&t.Events[i])
	}
	return m.Late()
}

func (d *delays) begin(c *Call, e *trace.Event) {
	if !d.begun {
		d.begun, d.first = true, d.m.t
	}
	if d.watches() && c.Kind == calls.Callback {
		d.entered(e.Cq, e.Line)
	}
}

func (d *delays) end(c *Call, e *trace.Event) {
	if d.watches() && c.Kind == calls.ReadEvent && e.Cq != "" {
		d.entered(e.Cq, e.Line)
	}
}

func (d *delays) watches() bool { return d.most > 0 && d.m.header.Clock.Unit == "ns" }

// entered compares the time of a callback with the time by which it was due.
func (d *delays) entered(cq string, line int) {
	l := d.m.lost(d.m.armings.cq(cq), &d.m.armings.cq(cq).present, d.m.now.Index)
	due, of, arm := int64(0), (*workRequest)(nil), 0
	for i, a := range l.arms {
		armed := l.merged(i + 1)
		for _, r := range l.candidates {
			known := l.knownBy(r)
			c, from, ok := l.completion(r)
			behind := from >= a.called || l.dialect.FreshAtArm == model.Must
			if known == 0 || a.returned < 0 || !ok || !behind || l.dialect.Match(armed, c) != model.Must {
				continue
			}
			if by := max(known, a.t); of == nil || by < due {
				due, of, arm = by, r, a.line
			}
		}
	}
	if of == nil || time.Duration(d.m.t-due) <= d.most || len(d.late) == maxLate {
		return
	}
	what, came := "the callback", "was entered"
	if l.dialect.EventsAreRead {
		what, came = "the event", "was read"
	}
	d.late = append(d.late, trace.Warning{Line: line, Text: fmt.Sprintf("%s of %s %s %v after it was due: it was armed in line %d, and %s had completed",
		what, cq, came, time.Duration(d.m.t-due), arm, of.wr)})
}

// knownBy returns by when a request was known to have completed: a point or a poll tells, or the sender of its message was told of success.
func (l *Missing) knownBy(r *workRequest) int64 {
	if r.known != 0 || r.queue.kind != model.Receive {
		return r.known
	}
	if m := r.queue.qp.message(r); m != nil {
		return m.known
	}
	return 0
}
