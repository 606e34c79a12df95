package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ndkoracle/internal/eventtext"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Sizes of the drawing, in pixels. A letter is as wide as one of the monospaced font.
const (
	rowHeight   = 20
	baseline    = 14 // of the text in a row
	marginWidth = 150
	laneWidth   = 420
	laneHead    = 30
	indent      = 10 // of a call within another one, and of text in its box
	letterWidth = 7
)

// Of a trace with more events those are drawn that its findings point at, and so many before and after each; of one without findings, the first.
const (
	eventsDrawn = 400
	drawnBefore = 30
	drawnAfter  = 10
)

// drawing is what an SVG shows: a lane for each thread, from left to right, and the events from top to bottom, in the order of the trace.
type drawing struct {
	Width, Height, RowHeight int
	Lanes                    []lane
	Rows                     []row
	Boxes                    []box
}

type lane struct {
	Name string
	X, Y int
}

// row is one event, or tells how many are left out.
type row struct {
	Y, TextX, TextY, LineX int
	Line                   int
	Text, Full             string
	Mark                   mark
	Left                   int
}

// box is a call or a callback, from its first event to its last.
type box struct {
	X, Y, Width, Height int
	Class               string // call, enter, or open where an end of it is not drawn
}

// A mark says that an event matters, and for what.
type mark struct{ Class, Text string }

// marks are those of a trace's findings, by line.
type marks map[int]mark

func (m marks) add(f *verdict.Finding) {
	for _, line := range f.See {
		if _, marked := m[line]; !marked {
			m[line] = mark{Class: "see"}
		}
	}
	if f.Line > 0 {
		m[f.Line] = mark{Class: "finding", Text: cmp.Or(f.Rule, string(f.Verdict))}
	}
}

// draw places the events of a trace.
func draw(t *trace.Trace, m marks) drawing {
	p := painter{y: laneHead, lanes: map[string]int{}, depth: map[string]int{}, open: map[string]span{}}
	drawn := m.near(t.Events)
	left := 0
	for i := range t.Events {
		if !drawn[i] {
			left++
			continue
		}
		p.leaveOut(left)
		left = 0
		p.event(&t.Events[i], m)
	}
	p.leaveOut(left)
	for _, op := range slices.Sorted(maps.Keys(p.open)) {
		s := p.open[op]
		s.class = "open"
		p.box(s)
	}
	p.Width, p.Height, p.RowHeight = marginWidth+len(p.Lanes)*laneWidth, p.y+rowHeight, rowHeight
	return p.drawing
}

// near says which events are drawn.
func (m marks) near(events []trace.Event) []bool {
	drawn := make([]bool, len(events))
	for i := range events {
		if len(events) <= eventsDrawn || len(m) == 0 && i < eventsDrawn {
			drawn[i] = true
		} else if _, marked := m[events[i].Line]; marked {
			for j := max(0, i-drawnBefore); j < min(len(events), i+drawnAfter+1); j++ {
				drawn[j] = true
			}
		}
	}
	return drawn
}

// A painter draws one event after the other.
type painter struct {
	drawing
	y     int             // of the next row
	lanes map[string]int  // x by thread
	depth map[string]int  // calls under way, by thread
	open  map[string]span // the calls and callbacks under way, by op
}

// A span is a call or callback whose end is still to come.
type span struct {
	thread, class string
	y, depth      int
}

func (p *painter) lane(thread string) int {
	x, known := p.lanes[thread]
	if !known {
		x = marginWidth + len(p.lanes)*laneWidth
		p.lanes[thread] = x
		p.Lanes = append(p.Lanes, lane{Name: thread, X: x, Y: laneHead - rowHeight/2})
	}
	return x
}

func (p *painter) leaveOut(events int) {
	if events > 0 {
		p.Rows = append(p.Rows, row{TextX: marginWidth, Y: p.y, TextY: p.y + baseline, Left: events})
		p.y += rowHeight
	}
}

func (p *painter) event(e *trace.Event, m marks) {
	x := p.lane(e.Thr)
	r := row{Y: p.y, TextY: p.y + baseline, LineX: marginWidth - indent, Line: e.Line, Mark: m[e.Line]}
	p.y += rowHeight
	depth := p.depth[e.Thr]
	switch e.Ph {
	case trace.Call, trace.Enter:
		p.open[e.Op] = span{thread: e.Thr, class: string(e.Ph), y: r.Y, depth: depth}
		p.depth[e.Thr]++
	case trace.Ret, trace.Exit:
		s, known := p.open[e.Op]
		if known {
			p.depth[s.thread]--
			delete(p.open, e.Op)
		} else {
			s = span{thread: e.Thr, class: "open", y: laneHead}
		}
		depth = s.depth
		p.box(s)
	}
	r.TextX = x + (depth+1)*indent
	r.Text = strings.TrimSuffix(eventtext.Of(e), " thr="+e.Thr)
	if e.Ph == trace.Point {
		r.Text = "• " + r.Text
	}
	if room := (x + laneWidth - 2*indent - r.TextX) / letterWidth; length(r.Text) > room {
		r.Full, r.Text = r.Text, abbreviate(r.Text, max(room, 1))
	}
	p.Rows = append(p.Rows, r)
}

// box draws a call or callback down to here.
func (p *painter) box(s span) {
	x := p.lane(s.thread) + s.depth*indent
	p.Boxes = append(p.Boxes, box{X: x, Y: s.y, Width: max(p.lane(s.thread)+laneWidth-indent-x, indent), Height: p.y - s.y, Class: s.class})
}
