package picture

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"ndkoracle/internal/eventtext"
	"ndkoracle/trace"
)

// drawing is what page.html shows below the findings.
type drawing struct {
	Objects, Threads *lanes
	Clock            clock
	Axis             axis
	Sections         []part
	Steps, Sent      bool // there are hidden steps, and messages: the legend names them
	Owed             bool
	Digits           int             // of the longest label
	places           map[string]bool // the anchors of the rows
}

// part is a section as it is shown: rows, or lists of events where there are too many.
type part struct {
	Folded  bool
	Title   string
	Objects template.HTML // what goes on beside the fold
	Threads template.HTML
	Gutter  template.HTML
	Rows    []row
	Lists   []list
}

type list struct{ Title, Text string }

// row is one item.
type row struct {
	ID      string
	Also    []string // ids of the other events in the row
	Class   string
	Label   string // the lines
	Time    string
	Gap     string
	Objects template.HTML
	Threads template.HTML
	Gutter  template.HTML
	Name    string // the function, or what kind of step
	Text    string
	Result  string
	Links   []link
	Finding int
	Badge   string
}

type link struct{ To, Text string }

// painter draws one item after the other.
type painter struct {
	page     *Page
	drawing  *drawing
	objects  bars
	threads  bars
	gutter   gutter
	previous *trace.Event
}

func draw(p *Page) *drawing {
	hosts := make([][]*item, len(p.Hosts))
	for n := range p.Hosts {
		hosts[n] = p.itemsOf(n)
	}
	connect(hosts)
	items := merge(hosts)
	d := &drawing{Clock: newClock(p.Hosts), places: map[string]bool{}}
	if len(items) == 0 {
		return d
	}
	d.Axis = axisOf(items, &d.Clock)
	sections := sections(items)
	var shown []*item
	for _, s := range sections {
		if !s.folded || s.to-s.from <= rowsInFold {
			shown = append(shown, items[s.from:s.to]...)
		}
	}
	d.Objects = newLanes(shown, func(i *item) string { return i.object }, byNumber)
	d.Threads = newLanes(shown, func(i *item) string {
		if i.kind != event {
			return "provider"
		}
		return i.thread
	}, asFound)
	for _, i := range shown {
		i.drawn = true
		d.Digits = max(d.Digits, utf8.RuneCountInString(i.label()), len("line"))
	}
	for _, i := range shown { // the lane of all others comes into being before any row is drawn
		if !i.isRest() {
			d.Objects.laneOf(i)
			d.Threads.laneOf(i)
		}
	}
	w := painter{page: p, drawing: d, objects: bars{lanes: d.Objects}, threads: bars{lanes: d.Threads}}
	for _, s := range sections {
		d.Sections = append(d.Sections, w.part(s, items[s.from:s.to]))
	}
	return d
}

// letter names a host.
func letter(host int) string { return string(rune('A' + host)) }

func (w *painter) part(s section, items []*item) part {
	all := part{Folded: s.folded}
	if s.folded {
		first, last := ends(items)
		all.Title = fmt.Sprintf("%s, lines %s to %s", count(items), first, last)
		if s.setUp {
			all.Title = "set-up: " + all.Title
		}
		all.Objects, all.Threads, all.Gutter = template.HTML(w.objects.pass()), template.HTML(w.threads.pass()), template.HTML(w.gutter.pass())
	}
	if !s.folded || len(items) <= rowsInFold {
		for _, i := range items {
			all.Rows = append(all.Rows, w.row(i))
		}
		return all
	}
	for from := 0; from < len(items); from += rowsListed {
		some := items[from:min(len(items), from+rowsListed)]
		first, last := ends(some)
		all.Lists = append(all.Lists, list{Title: fmt.Sprintf("lines %s to %s", first, last), Text: w.list(some)})
	}
	return all
}

// count says how many events items are.
func count(items []*item) string {
	n := 0
	for _, i := range items {
		n += len(i.lines())
	}
	return fmt.Sprintf("%d events", n)
}

// ends returns the first and the last line of items.
func ends(items []*item) (first, last string) {
	for _, i := range items {
		for _, line := range i.lines() {
			if last = fmt.Sprint(line); first == "" {
				first = last
			}
		}
	}
	return first, last
}

// list tells items in a line each. What goes on beside them goes on.
func (w *painter) list(items []*item) string {
	var b strings.Builder
	for _, i := range items {
		w.gutter.begin(i)
		w.objects.step(i, false)
		w.threads.step(i, false)
		w.gutter.step(i)
		name, text, result := i.text()
		fmt.Fprintf(&b, "%s  %s %s %s\n", i.label(), name, text, result)
		if i.kind == event {
			w.previous = i.event
		}
	}
	return b.String()
}

// rowClasses are the classes of the row at which a finding was made.
var rowClasses = map[Standing]string{Firm: " finding", Follows: " follows", Warns: " warns"}

func (w *painter) row(i *item) row {
	w.gutter.begin(i)
	r := row{ID: i.id(), Class: string(i.kind), Label: i.label(), Finding: i.finding}
	r.Objects, r.Threads, r.Gutter = template.HTML(w.objects.step(i, true)), template.HTML(w.threads.step(i, true)), template.HTML(w.gutter.step(i))
	r.Name, r.Text, r.Result = i.text()
	switch i.kind {
	case event:
		w.drawing.places[r.ID] = true
		r.Time, r.Gap = w.drawing.Clock.of(i.event), w.drawing.Clock.gap(w.previous, i.event)
		w.previous = i.event
		if i.ret != nil {
			r.Also = []string{anchor(i.host, i.ret.Line)}
			w.drawing.places[r.Also[0]] = true
			w.previous = i.ret
		}
	case hidden:
		w.drawing.Steps = true
	case owed:
		w.drawing.Owed = true
	}
	switch {
	case i.finding > 0 && i.kind != owed:
		f := &w.page.Findings[i.finding-1]
		r.Badge = f.Label
		r.Class += rowClasses[f.Standing]
	case i.see:
		r.Class += " see"
	}
	for _, m := range i.sent {
		w.drawing.Sent = true
		r.Links = append(r.Links, m.to.link("message to "+m.receive))
	}
	for _, m := range i.got {
		r.Links = append(r.Links, m.from.link("message of "+m.send))
	}
	return r
}

// link leads to the row of an item, where it has one.
func (i *item) link(text string) link {
	if !i.drawn {
		return link{Text: fmt.Sprintf("%s (line %s)", text, i.label())}
	}
	return link{i.id(), text}
}

// id names the row of an item in the page.
func (i *item) id() string {
	switch {
	case i.kind == event:
		return anchor(i.host, i.event.Line)
	case i.kind == hidden && i.finding > 0:
		return stepAnchor(i.host, i.number)
	}
	return ""
}

// stepAnchor names the place in the page of the hidden step at which a finding was made.
func stepAnchor(host, number int) string { return fmt.Sprint("S", letter(host), number) }

// anchor names the place of an event in the page.
func anchor(host, line int) string {
	if host == 0 {
		return fmt.Sprint("L", line)
	}
	return fmt.Sprint(letter(host), line)
}

// longLine is how many digits a number has of which only the end is written a second time: 60008–9.
const longLine = 4

// label names the lines of an item.
func (i *item) label() string {
	lines := i.lines()
	if len(lines) == 0 {
		return ""
	}
	text := strings.TrimSpace(fmt.Sprint(i.letter, " ", lines[0]))
	if len(lines) == 2 {
		first, last := fmt.Sprint(lines[0]), fmt.Sprint(lines[1])
		same := 0
		for len(first) >= longLine && len(first) == len(last) && first[same] == last[same] {
			same++
		}
		text += "–" + last[same:]
	}
	return text
}

// notice names what the consumer of a completion queue gets.
func (i *item) notice() string {
	if i.reads {
		return "an event"
	}
	return "a callback"
}

// text words an item: what it is, with which fields, and how it ended.
func (i *item) text() (name, text, result string) {
	switch i.kind {
	case hidden:
		name = i.step.Text
		if i.step.Owes != "" {
			result = i.notice() + " of " + i.step.Owes + " is owed from here on"
		}
		return name, "", result
	case owed:
		if i.reads {
			return "event of " + i.object, "", "owed here, and never read"
		}
		return "callback of " + i.object, "", "owed here, and never entered"
	}
	fields := strings.Join(eventtext.Fields(i.event), " ")
	switch i.event.Ph {
	case trace.Ret:
		return i.event.Fn, "", "returns " + fields
	case trace.Enter:
		return i.event.Fn, fields, "enters"
	case trace.Exit:
		return i.event.Fn, "", "exits"
	case trace.Call:
		if i.ret == nil {
			return i.event.Fn, fields, "begins"
		}
		if ended := strings.Join(eventtext.Fields(i.ret), " "); ended != "" {
			result = "→ " + ended
		}
	}
	return i.event.Fn, fields, result
}
