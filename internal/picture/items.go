package picture

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

type kind string

const (
	event  kind = "event"
	hidden kind = "hidden"
	owed   kind = "owed" // a callback that never came
)

// An item is one row: an event, a call with its return where nothing comes between, a hidden step, or a callback that is missing.
type item struct {
	kind       kind
	host       int
	letter     string       // of the host, where there are two
	index      int          // of the event, or of the event that it follows
	event, ret *trace.Event // ret only of a call that is drawn in one row
	step       *Step
	number     int    // 1 + the index of the step
	object     string // the CQ or queue pair that it is of, or ""
	thread     string
	reads      bool // the consumer reads events, and has no callbacks
	finding    int  // 1 + the index of the finding that was made here, or 0
	see        bool
	drawn      bool // as a row, and not in a list
	sent, got  []*message
}

// brings reports whether the item is a callback of an object, or the read of its event.
func (i *item) brings(object string) bool {
	if i.kind != event {
		return false
	}
	read := i.event
	if i.ret != nil {
		read = i.ret
	}
	return i.event.Ph == trace.Enter && (i.event.Cq == object || i.event.Srq == object) || calls.KindOf(read) == calls.ReadEvent && read.Cq == object
}

// isEnd reports whether the item ends what an earlier one began.
func (i *item) isEnd() bool {
	return i.kind == event && (i.event.Ph == trace.Ret || i.event.Ph == trace.Exit)
}

// isStart reports whether a later item ends what this one begins.
func (i *item) isStart() bool {
	return i.kind == event && i.ret == nil && (i.event.Ph == trace.Call || i.event.Ph == trace.Enter)
}

func (i *item) marked() bool { return i.finding > 0 || i.see || i.kind == owed }

// results returns the queue pairs whose completions it polled.
func (i *item) results() (qps []string) {
	if i.kind == event && i.ret != nil {
		for n := range i.ret.Results {
			qps = append(qps, i.ret.Results[n].Qp)
		}
	}
	return qps
}

// lines returns the lines of its events in the file.
func (i *item) lines() []int {
	switch {
	case i.kind != event:
		return nil
	case i.ret != nil:
		return []int{i.event.Line, i.ret.Line}
	}
	return []int{i.event.Line}
}

// itemsOf returns the items of a host, in the order of its trace.
func (p *Page) itemsOf(host int) []*item {
	h := &p.Hosts[host]
	marks := p.marksOf(host)
	objects := map[string]string{} // by op
	var items []*item
	steps := h.Steps
	found := p.stepsFound(host)
	next := func(behind int) (fit bool) { return len(steps) > 0 && steps[0].Behind <= behind }
	take := func(behind int) {
		for ; next(behind); steps = steps[1:] {
			number := len(h.Steps) - len(steps) + 1
			items = append(items, &item{kind: hidden, host: host, index: behind, step: &steps[0], number: number, object: steps[0].Object,
				reads: p.reads(host), finding: found[number]})
		}
	}
	take(-1)
	events := h.Trace.Events
	for n := 0; n < len(events); n++ {
		e := &events[n]
		i := &item{kind: event, host: host, index: n, event: e, object: objectOf(e, objects), thread: e.Thr}
		i.mark(marks[e.Line])
		if n+1 < len(events) && e.Ph == trace.Call && events[n+1].Ph == trace.Ret && events[n+1].Op == e.Op && !next(n) {
			n++
			i.ret = &events[n]
			i.mark(marks[i.ret.Line])
		}
		items = append(items, i)
		take(n)
	}
	items = p.withMissing(host, append(items, p.endOf(host, marks)...))
	if len(p.Hosts) > 1 {
		for _, i := range items {
			i.letter = letter(host)
		}
	}
	return items
}

// endOf returns the end of the trace as a row, where something was found there: the record behind the last event.
func (p *Page) endOf(host int, marks map[int]mark) []*item {
	events := p.Hosts[host].Trace.Events
	if len(events) == 0 {
		return nil
	}
	e := &trace.Event{Line: events[len(events)-1].Line + 1, T: events[len(events)-1].T, Ph: trace.Point, Fn: endOfTrace}
	m, found := marks[e.Line]
	if !found {
		return nil
	}
	i := &item{kind: event, host: host, index: len(events), event: e}
	i.mark(m)
	return []*item{i}
}

const endOfTrace = "end of the trace"

type mark struct {
	finding int
	see     bool
}

func (i *item) mark(m mark) {
	i.finding, i.see = cmp.Or(i.finding, m.finding), i.see || m.see
}

// marksOf returns what the findings say of a host's events, by line.
func (p *Page) marksOf(host int) map[int]mark {
	marks := map[int]mark{}
	for n := range p.Findings {
		f := &p.Findings[n]
		if f.Host != host {
			continue
		}
		for _, line := range f.See {
			marks[line] = mark{marks[line].finding, true}
		}
		if m := marks[f.Line]; f.Line > 0 && (m.finding == 0 || f.Standing < p.Findings[m.finding-1].Standing) {
			marks[f.Line] = mark{n + 1, m.see}
		}
	}
	return marks
}

// stepsFound returns 1 + the index of the finding that was made at a hidden step of a host, by 1 + the index of the step.
func (p *Page) stepsFound(host int) map[int]int {
	found := map[int]int{}
	for n := range p.Findings {
		if f := &p.Findings[n]; f.Host == host && f.Step > 0 && found[f.Step] == 0 {
			found[f.Step] = n + 1
		}
	}
	return found
}

// objectOf returns the object that an event is of. A return, the end of a callback and the answer of a call are of the object of their beginning.
func objectOf(e *trace.Event, objects map[string]string) string {
	switch e.Ph {
	case trace.Ret, trace.Exit:
		defer delete(objects, e.Op)
		return objects[e.Op]
	}
	object := cmp.Or(e.Qp, e.Cq, objects[e.For])
	if e.Op != "" {
		objects[e.Op] = object
	}
	return object
}

// reads reports whether the consumer of a host reads events, as with libibverbs in user mode.
func (p *Page) reads(host int) bool { return p.Hosts[host].Trace.Header.Dialect == "verbs" }

// withMissing adds a row for each callback that is missing, where it was owed: behind the step that made it owed, or else behind the last event that
// the finding refers to.
func (p *Page) withMissing(host int, items []*item) []*item {
	for n := range p.Findings {
		f := &p.Findings[n]
		if f.Host != host || f.Missing == "" {
			continue
		}
		step, seen := -1, -1
		for k, i := range items {
			before := f.Line == 0 || len(i.lines()) == 0 || i.lines()[0] < f.Line
			switch {
			case i.kind == hidden && i.step.Owes == f.Missing:
				step = k
			case before && i.brings(f.Missing): // what was owed has come
				step = -1
			case i.kind == event && before && i.see && i.event.Ph != trace.Ret:
				seen = k
			}
		}
		at := step
		if at < 0 {
			at = seen
		}
		if at >= 0 {
			owes := &item{kind: owed, host: host, index: items[at].index, object: f.Missing, finding: n + 1, reads: p.reads(host)}
			items = slices.Insert(items, at+1, owes)
		}
	}
	return items
}
