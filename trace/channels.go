package trace

import (
	"slices"
	"strings"
)

// Channels determines which calls of ibv_get_cq_event read the events of which completion queues. A waiter waits on one completion channel, and
// reads the events of the CQs that were created with it. Take handles one event of a trace. The answers are for the events handled so far.
type Channels struct {
	named bool                // a CQ, or a channel, was created by name: CQs without one give no events
	of    map[string]string   // by CQ: its channel, or ""
	gone  map[string]string   // CQs whose destruction has not returned, by op
	on    map[string][]string // by channel: the CQs that were created with it
	only  string              // the first CQ that the trace names
	more  bool                // it names another one, or creates a second channel without a name
	one   bool                // it has created a channel without a name
}

// Take follows the creation of channels and CQs, and their end.
func (c *Channels) Take(e *Event) {
	c.name(e.Cq)
	c.name(e.ReceiveCq)
	c.name(e.InitiatorCq)
	if e.Ph == Ret && e.Fn == "ibv_destroy_cq" {
		if e.Errno == "" || e.Errno == "0" {
			c.destroyed(c.gone[e.Op])
		}
		delete(c.gone, e.Op)
	}
	if e.Ph != Call {
		return
	}
	switch e.Fn {
	case "ibv_destroy_cq":
		if c.gone == nil {
			c.gone = map[string]string{}
		}
		c.gone[e.Op] = e.Cq
	case "ibv_create_comp_channel":
		c.named = c.named || e.Channel != ""
		c.more, c.one = c.more || c.one && e.Channel == "", c.one || e.Channel == ""
	case "ibv_create_cq", "ibv_create_cq_ex":
		if c.of == nil {
			c.of = map[string]string{}
		}
		c.of[e.Cq] = e.Channel
		c.named = c.named || e.Channel != ""
		if e.Channel != "" {
			if c.on == nil {
				c.on = map[string][]string{}
			}
			c.on[e.Channel] = append(c.on[e.Channel], e.Cq)
		}
	}
}

// name records a CQ, whether or not the trace records its creation.
func (c *Channels) name(cq string) {
	switch {
	case cq == "" || cq == c.only:
	case c.only == "":
		c.only = cq
	default:
		c.more = true
	}
}

func (c *Channels) destroyed(cq string) {
	if channel := c.of[cq]; channel != "" {
		left := slices.DeleteFunc(c.on[channel], func(other string) bool { return other == cq })
		if c.on[channel] = left; len(left) == 0 {
			delete(c.on, channel)
		}
	}
	delete(c.of, cq)
}

// A Waiter is a call of ibv_get_cq_event.
type Waiter struct {
	cq, channel string // that it names, or that its thread does
}

// WaiterOf reads a call. A thread that is named "cq4-events" reads the events of cq4: so recorders name it that have a thread for
// each CQ, and no names of channels.
func (c *Channels) WaiterOf(call *Event) Waiter {
	w := Waiter{cq: call.Cq, channel: call.Channel}
	if w.cq == "" && w.channel == "" {
		if cq, ok := strings.CutSuffix(call.Thr, "-events"); ok {
			if channel, created := c.of[cq]; created && channel == "" && !c.named {
				w.cq = cq
			}
		}
	}
	return w
}

// IsNamed reports whether the trace says where the waiter waits.
func (w Waiter) IsNamed() bool { return w.cq != "" || w.channel != "" }

// MayRead reports whether a waiter may read the events of a CQ.
func (c *Channels) MayRead(w Waiter, cq string) bool {
	channel, created := c.of[cq]
	switch {
	case w.cq != "":
		return w.cq == cq
	case c.HasNone(cq):
		return false
	case w.channel != "" && created && channel != "":
		return w.channel == channel
	}
	return true
}

// Reads reports whether a waiter certainly reads the events of a CQ, so that none is unread while it waits. A waiter that names no channel certainly
// reads them if there is no other CQ and no second channel.
func (c *Channels) Reads(w Waiter, cq string) bool {
	channel, created := c.of[cq]
	switch {
	case w.cq != "":
		return w.cq == cq
	case c.HasNone(cq):
		return false
	case w.channel != "":
		return created && w.channel == channel
	}
	return !c.more
}

// ReadBy returns the CQs whose events a waiter certainly reads.
func (c *Channels) ReadBy(w Waiter) []string {
	cqs := c.on[w.channel]
	switch {
	case w.cq != "":
		cqs = []string{w.cq}
	case w.channel == "" && c.only != "":
		cqs = []string{c.only}
	}
	return slices.DeleteFunc(slices.Clone(cqs), func(cq string) bool { return !c.Reads(w, cq) })
}

// HasNone reports whether a CQ is known to have no channel, and so has no events. In a trace that names no channels that is not known.
func (c *Channels) HasNone(cq string) bool {
	channel, created := c.of[cq]
	return c.named && created && channel == ""
}

// Astray reports whether no event of a CQ can be read by a waiter, and says why.
func (c *Channels) Astray(w Waiter, cq string) (why string, astray bool) {
	switch {
	case c.HasNone(cq):
		return cq + " was created without a completion channel, so it gives no events", true
	case w.channel != "" && !c.MayRead(w, cq):
		return "the call waited on " + w.channel + ", and the events of " + cq + " come on " + c.of[cq], true
	}
	return "", false
}
