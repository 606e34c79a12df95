package sequence

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"ndkoracle/internal/picture"
	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// A row is an event, or a call with its return, or a callback with its end, where nothing comes between.
type row struct {
	thread  string // of the consumer
	object  string // of the provider, or ""
	queue   bool   // the object is a queue
	op      string // of a call or callback with events between its two ends
	closes  bool   // it is the second end
	note    string // instead of arrows
	first   *arrow
	answer  *arrow // of a call that is drawn in one row
	events  int
	setUp   bool
	creates bool // it is set-up, and makes an object
	seen    bool // an earlier event that matters
	marked  bool
}

// An arrow goes from a thread to an object, or upwards from the object to the thread.
type arrow struct {
	text    string
	upwards bool
	answers bool
}

func (r *row) arrows() (all []*arrow) {
	for _, a := range []*arrow{r.first, r.answer} {
		if a != nil {
			all = append(all, a)
		}
	}
	return all
}

// soleThread names the thread of a trace that has one.
const soleThread = "consumer"

// others names the participant that is called where no object is known.
const others = "provider"

// rowsOf returns the rows of a trace, in its order.
func rowsOf(t *trace.Trace, m Mark) []*row {
	b := builder{verbs: strings.HasSuffix(t.Header.Dialect, "verbs"), targets: map[string]target{}, rets: map[string]*trace.Event{}, called: map[string]string{}}
	threads := map[string]bool{}
	for n := range t.Events {
		e := &t.Events[n]
		if e.Ph != trace.Point {
			threads[e.Thr] = true
		}
		if e.Ph == trace.Ret {
			b.rets[e.Op] = e
		}
	}
	var rows []*row
	for n := 0; n < len(t.Events); {
		events := t.Events[n:min(n+2, len(t.Events))]
		if len(events) == 2 && !isWhole(&events[0], &events[1]) {
			events = events[:1]
		}
		r := b.row(events)
		for _, e := range events {
			r.seen = r.seen || slices.Contains(m.See, e.Line) || e.Line == m.Line
			r.marked = r.marked || e.Line == m.Line
		}
		if len(threads) < 2 {
			r.thread = soleThread
		}
		rows, n = append(rows, r), n+len(events)
	}
	if last := len(t.Events) - 1; last >= 0 && m.Line > t.Events[last].Line {
		end := &row{note: "the trace ends", marked: true, seen: true}
		if t.End != nil && t.End.Quiescent {
			end.note += ", and " + atRest
		}
		rows = append(rows, end)
	}
	return rows
}

// isWhole reports whether the second event ends what the first begins.
func isWhole(first, second *trace.Event) bool {
	return first.Op == second.Op && (first.Ph == trace.Call && second.Ph == trace.Ret || first.Ph == trace.Enter && second.Ph == trace.Exit)
}

const atRest = "the provider is at rest"

// A target is what a call or a callback is of.
type target struct {
	name  string
	queue bool
}

// targetOf returns the object that an event names: that which the function changes comes first.
func targetOf(e *trace.Event) target {
	if queue := cmp.Or(e.Qp, e.Cq, e.Srq); queue != "" {
		return target{queue, true}
	}
	return target{name: cmp.Or(e.Mw, e.Mr, e.Connector, e.Listener, e.Endpoint, e.Lam, e.Pd, e.Adapter)}
}

// builder makes the rows of a trace.
type builder struct {
	verbs   bool
	targets map[string]target // by op
	rets    map[string]*trace.Event
	called  map[string]string // the functions, by op
}

// target returns what an event is of. The end of a call or a callback is of the target of its beginning, and an event that is read of its CQ.
func (b *builder) target(e *trace.Event) target {
	if known, ok := b.targets[e.Op]; ok && (e.Ph == trace.Ret || e.Ph == trace.Exit) {
		return known
	}
	of := targetOf(e)
	if of.name == "" && e.For != "" {
		of = b.targets[e.For]
	}
	if ret := b.rets[e.Op]; of.name == "" && e.Ph == trace.Call && ret != nil {
		of = targetOf(ret)
	}
	if of.name == "" && e.Ph != trace.Point {
		of.name = others
	}
	if e.Op != "" {
		b.targets[e.Op], b.called[e.Op] = of, e.Fn
	}
	return of
}

// row makes a row of one event, or of the two ends of a call or a callback.
func (b *builder) row(events []trace.Event) *row {
	e := &events[0]
	of := b.target(e)
	r := &row{thread: e.Thr, object: of.name, queue: of.queue, events: len(events)}
	whole := len(events) == 2
	if !whole && e.Ph != trace.Point {
		r.op, r.closes = e.Op, e.Ph == trace.Ret || e.Ph == trace.Exit
	}
	switch e.Ph {
	case trace.Call:
		r.first = &arrow{text: b.calling(e, of.name)}
		if b.rets[e.Op] == nil {
			r.first.text += ", which does not return"
		}
		if whole {
			if said := b.answer(&events[1], of.name); said != "" {
				r.answer = &arrow{text: said, upwards: true, answers: true}
			}
			r.setUp = isSetUp(e, &events[1], b.verbs)
			r.creates = r.setUp && creation.MatchString(e.Fn)
		}
	case trace.Ret:
		r.first = &arrow{text: strings.TrimSpace(e.Fn + " returns " + b.answer(e, of.name)), upwards: true, answers: true}
	case trace.Enter:
		r.first = &arrow{text: b.calling(e, of.name), upwards: true}
	case trace.Exit:
		r.first = &arrow{text: e.Fn + " returns", answers: true}
	default:
		r.note = b.pointed(e, of.name)
	}
	return r
}

// creation is the name of a function that makes an object.
var creation = regexp.MustCompile(`(?i)create|_alloc_|open`)

// isSetUp reports whether a call only prepares what the rules are about, and did.
func isSetUp(call, ret *trace.Event, verbs bool) bool {
	return picture.IsSetUp(call) && calls.KindOf(call) != calls.CloseRegion && !strings.HasPrefix(call.Fn, "NdkClose") && !calls.IsRefusal(verbs, ret) && !calls.Pending(ret)
}
