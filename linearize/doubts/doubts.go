// Package doubts leaves undecided what may rest on something in a trace that the format does not know: a function, an opcode, or a key
// that was probably meant for another; or on the type of a queue pair that the trace does not record. Every engine applies it to what it has found, so that one unknown word has one consequence.
//
// An event that is unclear concerns the objects that it names, and all that share something with them: the CQs of a queue pair, the peer of
// a connection, the memory that a request registers. From that event on nothing that happens to them is held against anyone.
package doubts

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// Doubts collects the unclear events of one trace, and which objects belong together. Its memory is bounded.
type Doubts struct {
	groups  map[object]object // each object's way to the one that stands for its group
	queues  map[object]bool   // the groups that have a CQ, by the object that stood for one
	doubts  []doubt
	known   map[object]bool // of which there is a doubt
	crowded bool            // there were more objects than are distinguished: those belong together
	types   qpTypes
	calls   callObjects
	read    int      // events
	named   []object // by the present event
}

// object is one of a trace: ids are unique among those of a kind.
type object struct{ kind, id string }

// doubt is an unclear event, and one object that it concerns.
type doubt struct {
	host   string // whose trace has it, or "" for one's own
	line   int
	at     int // how many events had been read, it included
	reason string
	object object // all for every one
}

// all stands for every object, and others for those that are not distinguished. tokens stands for the memory for which tokens are valid, and children for
// objects that may have been created.
var all, others, tokens, children = object{kind: "all"}, object{kind: "others"}, object{kind: "tokens"}, object{kind: "children"}

// maxObjects bounds the objects that are distinguished. What comes behind them is taken for one object.
const maxObjects = 1 << 12

// Take reads the next event.
func (d *Doubts) Take(e *trace.Event) {
	d.read++
	d.types.take(e)
	d.calls.begin(e)
	if joins(e) {
		d.named = appendObjects(d.named[:0], e)
		for _, o := range d.named[1:] {
			d.join(d.named[0], o)
		}
	}
	if e.Unclear != "" {
		d.doubt(e)
	}
	d.calls.end(e)
}

// Read says how many events were taken. What is found by then rests on no later one.
func (d *Doubts) Read() int { return d.read }

// joins reports whether an event may say that objects share something. Most do not.
func joins(e *trace.Event) bool {
	switch {
	case e.Ph == trace.Ret || e.Ph == trace.Exit:
		return false
	case e.ReceiveCq != "", e.Conn != "", e.Cq != "" && e.Channel != "", e.Connector != "":
		return true
	}
	return e.Qp != "" && (e.Srq != "" || e.Mr != "" || e.Mw != "") || e.Mr != "" && e.Mw != "" || e.Unclear != "" && len(appendObjects(nil, e)) > 0
}

// doubt records an unclear event. It concerns the objects that it names, or its call, or the call that it completes. A queue whose CQ the trace
// does not tell may share any; and what became of memory may make any token valid, or invalid.
func (d *Doubts) doubt(e *trace.Event) {
	objects := d.calls.of(e)
	objects = withParents(appendObjects(objects, e), e)
	lost := len(objects) == 0 && (trace.Known(e.Fn) || e.For != "" || e.Wr != "" || len(e.Wrs)+len(e.Results) > 0)
	memory := false
	for _, o := range objects {
		lost = lost || (o.kind == "qp" || o.kind == "srq") && !d.hasQueue(o)
		memory = memory || o.kind == "mr" || o.kind == "mw"
	}
	if memory {
		objects = append(objects, tokens)
	}
	if lost {
		objects = append(objects, all)
	}
	if !trace.Known(e.Fn) {
		objects = append(objects, children)
	}
	for _, o := range objects {
		if o != all && o != tokens && o != children {
			o = d.name(o)
		}
		if d.known[o] {
			continue
		}
		if d.known == nil {
			d.known = map[object]bool{}
		}
		d.known[o] = true
		d.doubts = append(d.doubts, doubt{line: e.Line, at: d.read, reason: e.Unclear, object: o})
	}
}

// hasQueue reports whether the trace records a CQ of the group of an object.
func (d *Doubts) hasQueue(o object) bool { return d.queues[d.root(o)] }

// appendObjects appends the objects of an event on which a violation of others may rest, that share something with them.
func appendObjects(objects []object, e *trace.Event) []object {
	add := func(kind, id string) {
		if id != "" {
			objects = append(objects, object{kind, id})
		}
	}
	add("cq", e.Cq)
	add("cq", e.ReceiveCq)
	add("cq", e.InitiatorCq)
	add("qp", e.Qp)
	add("srq", e.Srq)
	add("mr", e.Mr)
	add("mw", e.Mw)
	add("conn", e.Conn)
	add("connector", e.Connector)
	add("listener", e.Listener)
	add("endpoint", e.Endpoint)
	add("channel", e.Channel)
	add("lam", e.Lam)
	for i := range e.Results {
		add("qp", e.Results[i].Qp)
	}
	for i := range e.Wrs {
		add("mr", e.Wrs[i].Mr)
		add("mw", e.Wrs[i].Mw)
	}
	return objects
}

// withParents appends the protection domain and the adapter of an event. Nothing is shared through them: only what is found of themselves
// rests on them.
func withParents(objects []object, e *trace.Event) []object {
	if e.Pd != "" {
		objects = append(objects, object{"pd", e.Pd})
	}
	if e.Adapter != "" {
		objects = append(objects, object{"adapter", e.Adapter})
	}
	return objects
}

// name returns the object itself, where there is room for it, or the one that stands for many.
func (d *Doubts) name(o object) object {
	if _, told := d.groups[o]; told {
		return o
	}
	if d.groups == nil {
		d.groups = map[object]object{}
	}
	if len(d.groups) >= maxObjects {
		if o = others; d.crowded {
			return o
		}
		d.crowded = true
		d.hold(o)
	}
	o.id = strings.Clone(o.id) // which would keep the memory that it is part of
	d.groups[o] = o
	if o.kind == "cq" {
		d.hold(o)
	}
	return o
}

// hold records that a group has a CQ.
func (d *Doubts) hold(root object) {
	if d.queues == nil {
		d.queues = map[object]bool{}
	}
	d.queues[root] = true
}

// root returns the object that stands for the group of another.
func (d *Doubts) root(o object) object {
	if _, told := d.groups[o]; !told {
		if !d.crowded || o == all || o == tokens || o == children {
			return o
		}
		o = others
	}
	for d.groups[o] != o {
		d.groups[o] = d.groups[d.groups[o]]
		o = d.groups[o]
	}
	return o
}

func (d *Doubts) join(a, b object) {
	from, to := d.root(d.name(b)), d.root(d.name(a))
	d.groups[from] = to
	if d.queues[from] && from != to {
		delete(d.queues, from)
		d.hold(to)
	}
}

// Adopt copies the doubts of the other host's trace that concern connections between the two. The traces do not order their events, so
// these doubts hold from the beginning.
func (d *Doubts) Adopt(other *Doubts, host string) {
	for _, one := range other.doubts {
		if one.host != "" {
			continue
		}
		for o := range other.groups {
			_, shared := d.groups[o]
			if o.kind == "conn" && shared && (one.object == all || other.root(o) == other.root(one.object)) {
				d.doubts = append(d.doubts, doubt{host: host, line: one.line, reason: one.reason, object: o})
			}
		}
	}
}

// place says where it is.
func (o doubt) place() string {
	if o.host != "" {
		return fmt.Sprintf("%s:%d", o.host, o.line)
	}
	return fmt.Sprintf("line %d", o.line)
}

// Apply makes a violation of a report inconclusive if it may rest on an unclear event that was read before it was found.
// events are those of the trace that the caller still has. A violation that names no object may rest on any unclear event.
func (d *Doubts) Apply(r *verdict.Report, events []trace.Event) {
	if len(d.doubts)+len(d.types.names) == 0 {
		return
	}
	byLine := map[int]*trace.Event{}
	for i := range r.Findings {
		for _, line := range linesOf(&r.Findings[i]) {
			byLine[line] = nil
		}
	}
	for i := range events {
		if _, spoken := byLine[events[i].Line]; spoken {
			byLine[events[i].Line] = &events[i]
		}
	}
	d.applyTypes(r, byLine)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Verdict == verdict.Inconclusive {
			continue
		}
		if doubt, doubted := d.concerning(f, byLine); doubted {
			f.Verdict = verdict.Inconclusive
			f.Message = fmt.Sprintf("%s; undecided, because of %s: %s", f.Message, doubt.place(), doubt.reason)
		}
	}
	for i := range r.Findings { // what an event shows by itself follows from nothing that is undecided
		if f := &r.Findings[i]; f.Alone && f.Follows != nil && f.Follows.File == "" && isUndecided(r, f.Follows) {
			f.Follows = nil
		}
	}
}

// isUndecided reports whether a finding from which others may follow is not of a violation.
func isUndecided(r *verdict.Report, origin *verdict.Origin) bool {
	return !slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
		return f.Rule == origin.Rule && f.Line == origin.Line && f.Verdict != verdict.Inconclusive
	})
}

// Judge applies the doubts of a whole trace to what was found in it.
func Judge(t *trace.Trace, r *verdict.Report) {
	var d Doubts
	for i := range t.Events {
		d.Take(&t.Events[i])
	}
	d.Apply(r, t.Events)
}

// linesOf returns the lines that a finding refers to.
func linesOf(f *verdict.Finding) []int { return append(slices.Clone(f.See), f.Line) }

// concerning returns the first doubt on which a finding may rest.
func (d *Doubts) concerning(f *verdict.Finding, byLine map[int]*trace.Event) (doubt, bool) {
	for _, line := range linesOf(f) {
		if e := byLine[line]; e != nil && e.Unclear != "" {
			return doubt{line: line, reason: e.Unclear}, true
		}
	}
	if f.RestsOn(declared.OwnWords) {
		return doubt{}, false
	}
	groups := d.groupsOf(f, byLine)
	for _, one := range d.doubts {
		switch {
		case one.host == "" && f.Shown > 0 && one.at > f.Shown: // it came later
		case one.object == all, len(groups) == 0, groups[d.root(one.object)],
			one.object == tokens && f.RestsOn(declared.Tokens), one.object == children && f.RestsOn(declared.Children) && ofParents(groups):
			return one, true
		}
	}
	return doubt{}, false
}

// ofParents reports whether a finding is of nothing but what others are part of.
func ofParents(groups map[object]bool) bool {
	for o := range groups {
		if o.kind != "pd" && o.kind != "adapter" {
			return false
		}
	}
	return true
}

// groupsOf returns the groups of the objects that the events of a finding name.
func (d *Doubts) groupsOf(f *verdict.Finding, byLine map[int]*trace.Event) map[object]bool {
	groups := map[object]bool{}
	for _, line := range linesOf(f) {
		if e := byLine[line]; e != nil {
			for _, o := range withParents(appendObjects(nil, e), e) {
				groups[d.root(o)] = true
			}
		}
	}
	return groups
}
