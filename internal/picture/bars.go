package picture

import (
	"fmt"
	"slices"
	"strings"
)

// middle is how far below the top of a row its events are drawn, in pixels, as in page.css.
const middle = 12

// slots are the places of bars beside each other in a lane, in pixels from its middle. More bars than these share the last place.
var slots = [...]int{0, 5, -5}

// gutterSlots is how many messages have a line of their own at a time.
const gutterSlots = 4

// bars draws one view: what is under way in each lane, row by row.
type bars struct {
	*lanes
	open []bar // in the order of their beginning
}

// A bar is a call or a callback that is under way, or a callback that is owed.
type bar struct {
	key, class string
	lane, slot int
}

// class returns the class of an item's drawing.
func (i *item) class() string {
	switch {
	case i.kind != event:
		return string(i.kind)
	case i.isRest():
		return "rest"
	}
	return string(i.event.Ph)
}

// isRest reports whether an item is of no lane: a moment of rest, or the end.
func (i *item) isRest() bool {
	return i.kind == event && (i.event.Fn == "quiesce" || i.event.Fn == endOfTrace)
}

// keys returns the bars that an item begins and ends.
func (i *item) keys() (begins, ends string) {
	switch {
	case i.kind == owed:
		return fmt.Sprint("owed ", i.finding), ""
	case i.isStart():
		return name(i.host, i.event.Op), ""
	case i.isEnd():
		return "", name(i.host, i.event.Op)
	case i.finding > 0:
		return "", fmt.Sprint("owed ", i.finding)
	}
	return "", ""
}

// step goes on to an item, and returns its row as the inside of an SVG where that is asked for.
func (b *bars) step(i *item, draw bool) string {
	var s strings.Builder
	begins, ends := i.keys()
	lane, slot, dot := 0, 0, !i.isRest()
	if dot {
		lane = b.laneOf(i)
	}
	for n := 0; n < len(b.open); n++ {
		o := b.open[n]
		until := "100%"
		if o.key == ends || i.finding > 0 && o.key == fmt.Sprint("owed ", i.finding) {
			until = fmt.Sprint(middle)
			if o.key == ends && i.isEnd() {
				lane, slot = o.lane, o.slot
			}
			b.open = slices.Delete(b.open, n, n+1)
			n--
		}
		if draw {
			s.WriteString(b.at(o.lane, o.shape("0", until)))
		}
	}
	if begins != "" {
		slot = b.free(lane)
		b.open = append(b.open, bar{begins, i.class(), lane, slot})
		if draw {
			s.WriteString(b.at(lane, b.open[len(b.open)-1].shape(fmt.Sprint(middle), "100%")))
		}
	}
	if !draw {
		return ""
	}
	b.messages(&s, i, lane)
	if dot {
		shape := fmt.Sprintf(`<circle class="%s" cx="%d" cy="%d" r="4.5"/>`, i.class(), slots[slot], middle)
		if i.finding > 0 && i.kind != owed {
			shape += fmt.Sprintf(`<circle class="ring" cx="%d" cy="%d" r="8"/>`, slots[slot], middle)
		}
		s.WriteString(b.at(lane, shape))
	} else {
		fmt.Fprintf(&s, `<line class="rest" x1="0" x2="100%%" y1="%d" y2="%d"/>`, middle, middle)
	}
	return s.String()
}

// pass returns the inside of an SVG of what goes on beside rows that are folded.
func (b *bars) pass() string {
	var s strings.Builder
	for _, o := range b.open {
		s.WriteString(b.at(o.lane, o.shape("0", "100%")))
	}
	return s.String()
}

// shape draws a bar in a row, between two heights.
func (o *bar) shape(from, to string) string {
	return fmt.Sprintf(`<line class="%s" x1="%d" x2="%d" y1="%s" y2="%s"/>`, o.class, slots[o.slot], slots[o.slot], from, to)
}

// free returns a slot that no bar of a lane has.
func (b *bars) free(lane int) int {
	for slot := range slots {
		if !slices.ContainsFunc(b.open, func(o bar) bool { return o.lane == lane && o.slot == slot }) {
			return slot
		}
	}
	return len(slots) - 1
}

// x is the middle of a lane.
func (b *bars) x(lane int) string {
	return fmt.Sprintf("%.4g%%", (float64(lane)+0.5)*100/float64(max(1, len(b.Names))))
}

// at puts shapes into the middle of a lane.
func (b *bars) at(lane int, shapes string) string {
	return `<svg x="` + b.x(lane) + `">` + shapes + `</svg>`
}

func (b *bars) messages(s *strings.Builder, i *item, lane int) {
	if drawn(i.sent) || drawn(i.got) {
		fmt.Fprintf(s, `<line class="message" x1="%s" x2="100%%" y1="%d" y2="%d"/>`, b.x(lane), middle, middle)
	}
	if drawn(i.got) {
		s.WriteString(b.at(lane, `<path class="message head" d="M13 7 L6 12 L13 17"/>`))
	}
}

func drawn(messages []*message) bool {
	return slices.ContainsFunc(messages, func(m *message) bool { return m.slot >= 0 })
}

// gutter draws the messages that are under way, beside the lanes.
type gutter [gutterSlots]*message

// place is where the line of a slot goes down, in pixels.
func place(slot int) int { return 4 + 6*slot }

// begin finds places for the messages that an item sends.
func (g *gutter) begin(i *item) {
	for _, m := range i.sent {
		for slot := range g {
			if g[slot] == nil && m.slot < 0 {
				g[slot], m.slot = m, slot
			}
		}
	}
}

// step returns the row of an item.
func (g *gutter) step(i *item) string {
	var s strings.Builder
	for slot, m := range g {
		if m == nil {
			continue
		}
		x := place(slot)
		from, until := "0", "100%"
		switch i {
		case m.from:
			from = fmt.Sprint(middle)
		case m.to:
			until = fmt.Sprint(middle)
		}
		fmt.Fprintf(&s, `<svg y="%s"><line class="message" x1="%d" x2="%d" y2="%s"/></svg>`, from, x, x, until)
		if i == m.from || i == m.to {
			fmt.Fprintf(&s, `<line class="message" x2="%d" y1="%d" y2="%d"/>`, x, middle, middle)
		}
	}
	for slot, m := range g {
		if m != nil && m.to == i {
			g[slot] = nil
		}
	}
	return s.String()
}

func (g *gutter) pass() string {
	var s strings.Builder
	for slot, m := range g {
		if m != nil {
			fmt.Fprintf(&s, `<line class="message" x1="%d" x2="%d" y2="100%%"/>`, place(slot), place(slot))
		}
	}
	return s.String()
}
