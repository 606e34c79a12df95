// Package sequence draws a trace as a sequence diagram of Mermaid: the threads of the consumer, the objects of the provider, an arrow for each call and each
// callback, and a note where something is pointed out.
package sequence

import (
	"fmt"
	"strings"

	"ndkoracle/trace"
)

// A longer trace is drawn around its mark.
const (
	mostArrows   = 30
	arrowsBefore = 22 // the mark
)

// leastFold is how many calls of the set-up are worth a note in their place.
const leastFold = 2

// mostParticipants bounds the width. Where there are more, the objects that are no queue share one.
const mostParticipants = 6

// Fold says for which calls a note stands, where they come before all others.
type Fold int

// What is folded: all that prepares, what makes objects, or nothing.
const (
	SetUp Fold = iota
	Creation
	Nothing
)

// A Mark points out an event.
type Mark struct {
	Line int    // in the file; behind the last event: the end of the trace; 0: nothing is pointed out
	Text string // what the note says
	See  []int  // lines of earlier events that matter: these are not folded
	Fold Fold   // which calls of the set-up a note stands for
}

// configuration keeps a diagram narrow and low: the heads of the participants are not repeated below.
const configuration = `%%{init: {"sequence": {"mirrorActors": false, "actorMargin": 30, "width": 110, "height": 40}}}%%`

// marking is the colour behind what is pointed out. It suits a light page and a dark one.
const marking = "rgba(255, 0, 0, 0.15)"

// Draw returns the lines of a diagram, without a fence.
func Draw(t *trace.Trace, m Mark) string {
	rows := rowsOf(t, m)
	folded := foldedOf(rows, m)
	from, to := window(rows, folded)
	shown := rows[from:to]
	p := newParticipants(shown)
	w := writer{participants: p, bars: barsOf(shown)}
	w.line("%s", configuration)
	w.line("sequenceDiagram")
	for _, one := range p.all {
		if one.id == one.name {
			w.line("    participant %s", one.id)
		} else {
			w.line("    participant %s as %s", one.id, escape(one.name))
		}
	}
	switch {
	case from > folded:
		w.over("", fmt.Sprintf("%s before", count(rows[:from])))
	case folded > 0:
		w.over("", fmt.Sprintf("set-up: %d calls", folded))
	}
	for _, r := range shown {
		w.row(r, m)
	}
	if to < len(rows) {
		w.over("", fmt.Sprintf("%s after", count(rows[to:])))
	}
	return w.text.String()
}

// count says how many events rows have.
func count(rows []*row) string {
	n := 0
	for _, r := range rows {
		n += r.events
	}
	if n == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", n)
}

// foldedOf returns how many of the first rows are set-up for which a note stands.
func foldedOf(rows []*row, m Mark) int {
	n := 0
	for n < len(rows) && !rows[n].seen && (rows[n].creates || rows[n].setUp && m.Fold == SetUp) {
		n++
	}
	if m.Fold == Nothing || n < leastFold || n == len(rows) {
		return 0
	}
	return n
}

// window returns which rows are shown: all that are not folded, or those around the mark where these are too many.
func window(rows []*row, folded int) (from, to int) {
	arrows := func(r *row) int { return len(r.arrows()) }
	from = folded
	mark := from
	for n, r := range rows {
		if r.marked {
			mark = n
		}
	}
	before := 0
	for _, r := range rows[from:mark] {
		before += arrows(r)
	}
	rest := 0
	for _, r := range rows[mark:] {
		rest += arrows(r)
	}
	for ; before+rest > mostArrows && before > arrowsBefore; from++ {
		before -= arrows(rows[from])
	}
	to = mark
	for drawn := before; to < len(rows) && (to == mark || drawn+arrows(rows[to]) <= mostArrows); to++ {
		drawn += arrows(rows[to])
	}
	return from, to
}

// writer writes the lines of a diagram.
type writer struct {
	text         strings.Builder
	participants *participants
	bars         map[*row]string
}

func (w *writer) line(format string, arguments ...any) {
	fmt.Fprintf(&w.text, format+"\n", arguments...)
}

// over writes a note over one participant, or over all where none is named.
func (w *writer) over(object, text string) {
	place := w.participants.objects[object]
	if object == "" {
		all := w.participants.all
		if place = all[0].id; len(all) > 1 {
			place += "," + all[len(all)-1].id
		}
	}
	w.line("    Note over %s: %s", place, wrap(text))
}

// row writes the arrows or the note of a row. A call or a callback within which others are drawn has a bar from its first arrow to its last.
func (w *writer) row(r *row, m Mark) {
	if r.marked {
		w.line("    rect %s", marking)
	}
	if r.note != "" {
		w.over(r.object, r.note)
	}
	for _, a := range r.arrows() {
		arrow, from, to := "->>", w.participants.threads[r.thread], w.participants.objects[r.object]
		if a.upwards {
			from, to = to, from
		}
		if a.answers {
			arrow = "-->>"
		}
		w.line("    %s%s%s%s: %s", from, arrow, w.bars[r], to, wrap(a.text))
	}
	if r.marked {
		w.over("", m.Text)
		w.line("    end")
	}
}

// barsOf returns where bars begin and end: at the two ends of a call or a callback, where both are drawn.
func barsOf(rows []*row) map[*row]string {
	bars, begun := map[*row]string{}, map[string]*row{}
	for _, r := range rows {
		switch first := begun[r.op]; {
		case r.op == "":
		case !r.closes:
			begun[r.op] = r
		case first != nil:
			bars[first], bars[r] = "+", "-"
			delete(begun, r.op)
		}
	}
	return bars
}
