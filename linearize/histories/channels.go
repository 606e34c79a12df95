package histories

import (
	"fmt"
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// The completion channels of a run of libibverbs: which CQs have one, and who waits on it.

// drawChannels gives the CQs their channels: none of the trace's, one for each CQ, one for all, or one that only the first CQ has.
func (r *Run) drawChannels() {
	if !r.c.Dialect.EventsAreRead {
		return
	}
	r.channels = make([]string, len(r.c.Depth))
	switch r.draw(4, "channels") {
	case 0:
		return // a waiter names its CQ
	case 1:
		for i := range r.channels {
			r.channels[i] = fmt.Sprintf("ch%d", i+1)
		}
	case 2:
		for i := range r.channels {
			r.channels[i] = "ch1"
		}
	case 3:
		r.channels[0] = "ch1"
	}
	for _, name := range slices.Compact(slices.Clone(r.channels)) {
		if name != "" {
			r.AtOnce("ibv_create_comp_channel", trace.Event{Channel: name}, r.ok())
		}
	}
	r.named = true
}

// readers returns the CQs whose events a waiter on the channel of a CQ reads.
func (r *Run) readers(i int) []int {
	if !r.named {
		return []int{i}
	}
	var all []int
	for other, channel := range r.channels {
		if channel == r.channels[i] {
			all = append(all, other)
		}
	}
	return all
}

// waiter names what a waiter for the events of a CQ waits on.
func (r *Run) waiter(i int) (name string, call trace.Event) {
	if !r.named {
		return "event " + CqName(i), trace.Event{Cq: CqName(i)}
	}
	return "event " + r.channels[i], trace.Event{Channel: r.channels[i]}
}

// mayRead reports whether a waiter may be called for the events of a CQ: its channel has one at a time.
func (r *Run) mayRead(i int) bool {
	if r.named && r.channels[i] == "" {
		return false
	}
	name, _ := r.waiter(i)
	return !r.busy(name) && !r.ended[CqName(i)]
}

func (r *Run) readEvent(i int) {
	name, call := r.waiter(i)
	r.start("ibv_get_cq_event", call, func(f *inFlight) {
		all := slices.DeleteFunc(r.readers(i), func(cq int) bool { return !r.hasEvent(cq) })
		cq := all[r.draw(len(all), "event of")]
		r.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: cq})
		f.ret = trace.Event{Cq: CqName(cq)}
	}, name)
	r.open[len(r.open)-1].cq = i
}

func (r *Run) hasEvent(cq int) bool {
	_, refusal := r.c.Step(r.s, model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: cq})
	return refusal == nil
}

// blocks reports whether a call waits for an event.
func (r *Run) blocks(f *inFlight) bool {
	return f.fn == "ibv_get_cq_event" && !slices.ContainsFunc(r.readers(f.cq), r.hasEvent)
}
