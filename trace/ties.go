package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// A Tie is a set of events with one time in a partially ordered trace, for which the order of events of different threads makes a difference.
type Tie struct {
	From, To    int // of the events
	First, Last int // lines
	groups      *groups
}

// ByTime returns the events of a partially ordered trace in the order of their times, and events of one time in the order of their lines. It also
// returns the ties, which allow other orders. The error says why the events can't have happened in any order.
func (t *Trace) ByTime() ([]Event, []Tie, error) {
	latest := map[string]*Event{}
	for i := range t.Events {
		e := &t.Events[i]
		if before := latest[e.Thr]; before != nil && before.T > e.T {
			return nil, nil, fmt.Errorf("the order is partial, and the time of thread %s (field t) runs backwards from line %d to line %d",
				e.Thr, before.Line, e.Line)
		}
		latest[e.Thr] = e
	}
	events := slices.Clone(t.Events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.T, b.T) })
	if _, err := t.InOrder(SeqsOf(events)); err != nil {
		return nil, nil, fmt.Errorf("the order is partial, and by their times %w", err)
	}
	return events, tiesOf(events), nil
}

// SeqsOf returns the values of seq of events.
func SeqsOf(events []Event) []uint64 {
	seqs := make([]uint64, len(events))
	for i := range events {
		seqs[i] = events[i].Seq
	}
	return seqs
}

// tiesOf finds the ties of events in the order of their times.
func tiesOf(events []Event) []Tie {
	var ties []Tie
	var g *groups
	for from := 0; from < len(events); {
		to := from + 1
		for to < len(events) && events[to].T == events[from].T {
			to++
		}
		if same := events[from:to]; slices.ContainsFunc(same, func(e Event) bool { return e.Thr != same[0].Thr }) {
			if g == nil {
				g = groupsOf(events)
			}
			t := Tie{From: from, To: to, groups: g}
			if t.First, t.Last = linesOf(same); t.matters(same) {
				ties = append(ties, t)
			}
		}
		from = to
	}
	return ties
}

func linesOf(events []Event) (first, last int) {
	first, last = events[0].Line, events[0].Line
	for i := range events {
		first, last = min(first, events[i].Line), max(last, events[i].Line)
	}
	return first, last
}

// matters reports whether there are two events of different threads, as there are in the whole, that may not be exchanged.
func (t *Tie) matters(events []Event) bool {
	firsts := map[string]*Event{} // of each group, and of each object
	threads, phases := map[string]bool{}, map[string]bool{}
	for i := range events {
		e := &events[i]
		group, object := t.groups.of(e), "object "+t.groups.object[e.Op]
		if group == "" {
			return true
		}
		for _, of := range []string{group, object} {
			first := firsts[of]
			if first == nil {
				firsts[of], first = e, e
			}
			threads[of] = threads[of] || e.Thr != first.Thr
			phases[of] = phases[of] || e.Ph != first.Ph || !ofCall(e) || of == object
			if threads[of] && phases[of] {
				return true
			}
		}
	}
	return false
}

// ofCall reports whether an event is the call or the return of a call.
func ofCall(e *Event) bool { return e.Ph == Call || e.Ph == Ret }

// commute reports whether two events of one time can be exchanged. They must be of different threads. Either their objects share nothing, or they are two
// calls or two returns of different objects, because a call takes effect at some time between its call and its return.
func (t *Tie) commute(a, b *Event) bool {
	if a.Thr == b.Thr || slices.Contains(b.Follows(), a.Op) || slices.Contains(a.Follows(), b.Op) {
		return false
	}
	if a.Ph == b.Ph && ofCall(a) && t.groups.object[a.Op] != t.groups.object[b.Op] {
		return true
	}
	one, other := t.groups.of(a), t.groups.of(b)
	return one != "" && other != "" && one != other
}

// maxSteps bounds how long orders of one tie are looked for.
const maxSteps = 1 << 16

// Orders calls yield with each order of the events of a tie until yield returns false. The order of the lines comes first. Of orders that differ only
// in events that commute, it yields only the first. It reports whether it yielded all.
func (t *Tie) Orders(events []Event, yield func([]Event) bool) (complete bool) {
	var threads [][]int // of each, the events that are not in the order yet
	of := map[string]int{}
	waits := map[string]bool{} // ops that begin in this tie, and not in the order yet
	for i := range events {
		e := &events[i]
		if _, ok := of[e.Thr]; !ok {
			of[e.Thr] = len(threads)
			threads = append(threads, nil)
		}
		threads[of[e.Thr]] = append(threads[of[e.Thr]], i)
		if e.Begins() {
			waits[e.Op] = true
		}
	}
	steps := 0
	order := make([]Event, 0, len(events))
	var extend func(last int) bool
	extend = func(last int) bool {
		if len(order) == len(events) {
			return yield(order)
		}
		var heads []int
		for _, thread := range threads {
			if len(thread) > 0 {
				heads = append(heads, thread[0])
			}
		}
		slices.Sort(heads)
		for _, i := range heads {
			e := &events[i]
			if i < last && t.commute(&events[last], e) || slices.ContainsFunc(e.Follows(), func(op string) bool { return waits[op] }) {
				continue
			}
			if steps++; steps > maxSteps {
				return false
			}
			thread := threads[of[e.Thr]]
			threads[of[e.Thr]], order = thread[1:], append(order, *e)
			if e.Begins() {
				delete(waits, e.Op)
			}
			if !extend(i) {
				return false
			}
			if e.Begins() {
				waits[e.Op] = true
			}
			threads[of[e.Thr]], order = thread, order[:len(order)-1]
		}
		return true
	}
	return extend(-1)
}

// groups are the objects of a trace that share something.
type groups struct {
	sets   map[string]string // of each name one of the same set, or none
	some   map[string]bool   // which of the sets has one, and not only calls
	object map[string]string // of each op: what the call names
}

func groupsOf(events []Event) *groups {
	g := &groups{sets: map[string]string{}, some: map[string]bool{}, object: map[string]string{}}
	for i := range events {
		e := &events[i]
		objects, ops := namesOf(e)
		all := append(objects, ops...)
		for _, name := range all {
			if one, other := g.find(all[0]), g.find(name); one != other {
				g.sets[other] = one
			}
		}
		if e.Begins() {
			g.object[e.Op] = e.Cq + " " + e.Qp
		}
	}
	for i := range events {
		if objects, _ := namesOf(&events[i]); len(objects) > 0 {
			g.some[g.find(objects[0])] = true
		}
	}
	return g
}

// find returns the name that stands for the set of a name.
func (g *groups) find(name string) string {
	for g.sets[name] != "" {
		if above := g.sets[g.sets[name]]; above != "" {
			g.sets[name] = above // so that ways stay short
		}
		name = g.sets[name]
	}
	return name
}

// of names the set of an event, or returns "" for one that may be of any object.
func (g *groups) of(e *Event) string {
	objects, ops := namesOf(e)
	if all := append(objects, ops...); len(all) > 0 {
		if set := g.find(all[0]); g.some[set] {
			return set
		}
	}
	return ""
}

// namesOf names the objects, requests and tokens of an event, and the calls that it is of.
func namesOf(e *Event) (objects, ops []string) {
	add := func(kind, name string) {
		if name != "" {
			objects = append(objects, kind+name)
		}
	}
	addToken := func(token *uint32) {
		if token != nil {
			add("token ", fmt.Sprint(*token))
		}
	}
	for _, cq := range []string{e.Cq, e.ReceiveCq, e.InitiatorCq} {
		add("cq ", cq)
	}
	add("qp ", e.Qp)
	add("srq ", e.Srq)
	add("mr ", e.Mr)
	add("mw ", e.Mw)
	add("conn ", e.Conn)
	add("wr ", e.Wr)
	addToken(e.Token)
	for _, w := range e.Wrs {
		add("wr ", w.Wr)
		add("mw ", w.Mw)
		addToken(w.Token)
	}
	for _, r := range e.Results {
		add("wr ", r.Wr)
		add("qp ", r.Qp)
		addToken(r.Token)
	}
	for _, op := range []string{e.Op, e.For} {
		if op != "" {
			ops = append(ops, "op "+op)
		}
	}
	return objects, ops
}
