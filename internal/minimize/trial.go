package minimize

import (
	"slices"

	"ndkoracle/trace"
)

// A trial is a part of a trace that is itself one.
type trial struct {
	whole  *trace.Trace
	events []trace.Event
	units  []*unit // in the order of their first events
	cut    bool    // events behind it are gone, so its end is not known to be a moment of rest
}

// A unit is what is taken away as one: a call with its return, a callback, a point; or one request of a post, with the results and
// points that tell of it.
type unit struct {
	events   []int    // of the call, return or point; indexes into events
	wr       string   // of a request
	creates  string   // the object that it creates
	names    []string // objects that it names: it goes with any of them
	connects bool
	arms     string // the CQ that it arms
	notifies string // the CQ of which it is a callback, or an event
	done     int    // of a request: the index of the event that tells of its completion, or that of none
	answers  *unit  // the call that it completes: it goes with that one
}

func newTrial(t *trace.Trace) *trial {
	return &trial{whole: t, events: t.Events, units: unitsOf(t.Events)}
}

// size counts events.
func (t *trial) size() int { return len(t.events) }

// unitsOf splits events into units. A post of several requests is a unit for each.
func unitsOf(events []trace.Event) []*unit {
	var units []*unit
	open, called := map[string][]*unit{}, map[string]*unit{}
	posted := map[string]*unit{}
	for i := range events {
		e := &events[i]
		for _, r := range e.Results {
			if u := posted[r.Wr]; u != nil {
				u.done = i
			}
		}
		if e.Ph == trace.Ret || e.Ph == trace.Exit {
			for _, u := range open[e.Op] {
				u.events = append(u.events, i)
				if notifies(e) {
					u.notifies = e.Cq
				}
			}
			delete(open, e.Op)
			continue
		}
		if e.Ph == trace.Point && e.Fn == "CqePlaced" && posted[e.Wr] != nil {
			continue // it goes with its request
		}
		one := &unit{events: []int{i}, wr: e.Wr, names: namesOf(e), answers: called[e.For], connects: connects(e), creates: created(e)}
		if arms(e) {
			one.arms = e.Cq
		}
		if notifies(e) {
			one.notifies = e.Cq
		}
		all := []*unit{one}
		if len(e.Wrs) > 0 {
			all = nil
			for _, w := range e.Wrs {
				all = append(all, &unit{events: []int{i}, wr: w.Wr, names: one.names})
			}
		}
		for _, u := range all {
			if u.wr != "" {
				posted[u.wr], u.done = u, len(events)
			}
		}
		units = append(units, all...)
		if e.Op != "" {
			open[e.Op], called[e.Op] = all, one
		}
	}
	return units
}

// namesOf returns the objects that an event is about. What a QP completes into goes with the CQ.
func namesOf(e *trace.Event) []string {
	var names []string
	for _, name := range []string{e.Cq, e.Qp, e.Srq, e.Mr, e.Mw, e.InitiatorCq, e.ReceiveCq} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// created names the CQ or QP that a call creates.
func created(e *trace.Event) string {
	if kind, id := e.Creates(); kind == "cq" || kind == "qp" {
		return id
	}
	return ""
}

// objects returns the names of all objects, in the order of the events.
func (t *trial) objects() []string {
	var names []string
	seen := map[string]bool{}
	for _, u := range t.units {
		for _, name := range u.names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// partsOf reports of each unit whether it is one of those from one to another, or has a part in them.
func (t *trial) partsOf(from, end int) func(i int, u *unit) bool {
	begin := t.units[from].events[0]
	armed := map[string][]*unit{}
	for _, u := range t.units[:from] {
		if u.arms != "" {
			armed[u.arms] = append(armed[u.arms], u)
		}
		delete(armed, u.notifies)
	}
	return func(i int, u *unit) bool {
		switch {
		case i >= from:
			return i < end
		case u.creates != "" || u.connects:
			return true
		}
		return u.wr != "" && u.done >= begin || slices.Contains(armed[u.arms], u)
	}
}

// only keeps the units that keep reports, and of those what makes sense without the others: no QP without its CQs, nothing of an
// object that is not created any more, no completion of a request that was not posted, no answer without its call.
func (t *trial) only(keep func(i int, u *unit) bool) *trial {
	objects, gone, dropped := map[string]bool{}, map[string]bool{}, map[*unit]bool{}
	for _, u := range t.units {
		if u.creates != "" {
			objects[u.creates] = true
		}
	}
	kept := map[int]bool{} // events
	wrs := map[string]bool{}
	for i, u := range t.units {
		lost := slices.ContainsFunc(u.names, func(name string) bool { return gone[name] })
		if lost || u.answers != nil && dropped[u.answers] || !keep(i, u) {
			dropped[u] = true
			if u.creates != "" {
				gone[u.creates] = true
			}
			if u.wr != "" {
				wrs[u.wr] = true
			}
			continue
		}
		for _, at := range u.events {
			kept[at] = true
		}
	}
	return t.rebuilt(kept, wrs)
}

// rebuilt returns a trial of the events that are kept, without the requests that are gone. A poll all of whose results went goes with
// them: it did not find the CQ empty.
func (t *trial) rebuilt(kept map[int]bool, gone map[string]bool) *trial {
	emptied := map[string]bool{} // ops
	next := &trial{whole: t.whole, cut: t.cut}
	for i := range t.events {
		e := &t.events[i]
		if e.Results != nil && len(e.Results) > 0 && !slices.ContainsFunc(e.Results, func(r trace.Result) bool { return !gone[r.Wr] }) {
			emptied[e.Op] = true
		}
	}
	for i, e := range t.events {
		placed := e.Ph == trace.Point && e.Fn == "CqePlaced"
		switch {
		case emptied[e.Op] && !placed, placed && gone[e.Wr], !placed && !kept[i]:
			continue
		}
		isGone := func(wr string) bool { return gone[wr] }
		if slices.ContainsFunc(e.Results, func(r trace.Result) bool { return isGone(r.Wr) }) {
			e.Results = slices.DeleteFunc(slices.Clone(e.Results), func(r trace.Result) bool { return isGone(r.Wr) })
		}
		if slices.ContainsFunc(e.Wrs, func(w trace.WorkRequest) bool { return isGone(w.Wr) }) {
			e.Wrs = slices.DeleteFunc(slices.Clone(e.Wrs), func(w trace.WorkRequest) bool { return isGone(w.Wr) })
		}
		if gone[e.BadWr] {
			e.BadWr, e.Errno = "", "0"
		}
		next.events = append(next.events, e)
	}
	next.units = unitsOf(next.events)
	return next
}

// trace returns the trial as a trace, with lines and numbers of its own.
func (t *trial) trace() *trace.Trace {
	small := *t.whole
	small.Events = slices.Clone(t.events)
	for i := range small.Events {
		small.Events[i].Seq, small.Events[i].Line = uint64(i+1), i+2
	}
	small.End = &trace.End{Events: uint64(len(small.Events)), Quiescent: t.endsAtRest()}
	small.Warnings, small.More = nil, 0
	return &small
}

// endsAtRest reports whether the provider is at rest where the trial ends: as the whole trace is, or at a moment of rest behind which it was cut.
func (t *trial) endsAtRest() bool {
	if t.cut {
		last := len(t.events) - 1
		return last >= 0 && t.events[last].Fn == "quiesce" && t.events[last].Ph == trace.Point
	}
	return t.whole.End != nil && t.whole.End.Quiescent
}
