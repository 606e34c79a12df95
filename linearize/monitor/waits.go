package monitor

import (
	"slices"

	"ndkoracle/linearize/calls"
)

// waitsForProvider reports whether a call that has not completed waits for the provider alone. A close waits for the successors of its object, and
// for the asynchronous requests of its object (LIFE-04, LIFE-05, LIFE-07). A call that ends a region or a window may wait for requests that use it
// (LIFE-07, MEM-12). No callbacks run meanwhile.
func (m *Monitor) waitsForProvider(c *Call) bool {
	o := c.own()
	switch {
	case o != nil && (o.named > 0 || !o.created) && (o.Kind == Mr || o.Kind == Mw): // a request posted before the trace began may use it
		return false
	case c.Fn == "NdkDeregisterMr":
		return o != nil && len(o.successors) == 0
	case c.role.closes == NoKind:
		return calls.WaitsForProvider(c.Fn)
	case c.role.closes == Connector || c.role.closes == Mw:
		return true // nothing follows them, and the close ends what is pending of them (LIFE-10)
	case o == nil:
		return m.waitsForNone(c.role.closes)
	case !o.created || len(o.successors) > 0 || len(o.requests) > 0:
		return false
	}
	switch o.Kind {
	case Qp:
		return !o.connected
	case Cq, Srq:
		return m.objects.unborn[Qp] == 0
	case Pd:
		return !slices.ContainsFunc(childrenOfPd, func(k Kind) bool { return m.objects.orphans[k] > 0 })
	}
	return !m.objects.strays[o.Kind]
}

// childrenOfPd are the kinds of objects that a protection domain is the parent of.
var childrenOfPd = []Kind{Mr, Mw, Srq, Qp}

// waitsForNone reports whether the close of an object without a name waits for no other object: the trace holds the creation of all
// objects that it speaks of, and none is open that may follow it.
func (m *Monitor) waitsForNone(k Kind) bool {
	if m.objects.beganBefore || m.objects.unnamed[k] <= 0 {
		return false
	}
	open := func(k Kind) bool { return m.objects.live[k] > 0 || m.objects.unnamed[k] > 0 }
	switch k {
	case Pd:
		return !slices.ContainsFunc(childrenOfPd, open)
	case Listener, Endpoint:
		return !open(Connector) && !m.objects.strays[k]
	}
	return false
}

// isEmpty reports whether nothing is open that an adapter has to wait for: the trace holds the creation of all objects that it speaks
// of, and their closes have completed.
func (m *Monitor) isEmpty() bool {
	t := &m.objects
	if t.beganBefore || t.creations == 0 || len(m.pending) > 0 || m.threads.running() || t.strays[Listener] {
		return false
	}
	for k := Pd; k < kinds; k++ {
		if t.live[k] > 0 || t.unnamed[k] != 0 {
			return false
		}
	}
	return t.live[Adapter] <= 1
}
