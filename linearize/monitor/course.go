package monitor

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// The course of calls and of objects: what an event changes, after the rules have looked at it.

// begun records a call, or the entry of a callback.
func (m *Monitor) begun(c *Call, e *trace.Event) {
	if c.Entered {
		m.entered(c, e)
		return
	}
	if own := c.own(); own != nil {
		own.running = append(own.running, c)
	}
	if o := c.creates; o != nil {
		m.objects.isCreated(o, c.Begun)
		m.linkCreation(o, c)
	}
	switch own := c.own(); {
	case c.role.closes == NoKind:
	case own == nil:
		m.objects.strangers[c.role.closes] = true
	case own.accepted() == nil:
		own.closes = append(own.closes, closing{by: c})
		own.closing = true
	}
	m.linkUse(c, e)
}

// entered records the entry of a callback.
func (m *Monitor) entered(c *Call, e *trace.Event) {
	if of := c.completes; of != nil {
		if of.answers++; of.answers == 1 {
			of.answered, of.by, of.byFn = m.now, c, c.Fn
			delete(m.pending, of.Op)
			m.isDone(of, c.Fn == "NdkCloseCompletion" || of.role.closes != NoKind || calls.ReportsSuccess(e), c)
		}
	}
	if o := m.objectOfEvent(e); o != nil {
		o.events = append(o.events, c)
		c.objects = append(c.few[:0], o)
	}
	switch e.Fn {
	case "NdkConnectEventCallback":
		m.delivered(e)
	case "NdkDisconnectEventCallback", "NdkDisconnectEventCallbackEx":
		m.disconnected(m.objects.byName[Connector].get(e.Connector), m.objects.byName[Qp].get(e.Qp))
	}
}

// delivered records the connector that a connect event delivers. It follows its listener.
func (m *Monitor) delivered(e *trace.Event) {
	if e.Connector == "" || e.Listener == "" {
		m.objects.strays[Listener] = true
	}
	if e.Connector == "" {
		return
	}
	o := m.objects.get(Connector, e.Connector)
	m.objects.isCreated(o, m.now)
	if o.exists = true; e.Listener != "" {
		o.follows(m.objects.get(Listener, e.Listener), true)
	}
}

// objectOfEvent returns the object whose event callback an event is the entry of, or nil.
func (m *Monitor) objectOfEvent(e *trace.Event) *object {
	kind := NoKind
	switch e.Fn {
	case "NdkCqNotificationCallback", "comp_handler":
		kind = Cq
	case "NdkSrqNotificationCallback":
		kind = Srq
	case "NdkConnectEventCallback":
		kind = Listener
	case "NdkDisconnectEventCallback", "NdkDisconnectEventCallbackEx":
		kind = Connector
	}
	if id := idOf(e, kind); id != "" {
		return m.objects.get(kind, id)
	}
	return nil
}

// returned records the return of a call, or the exit of a callback.
func (m *Monitor) returned(c *Call, e *trace.Event) {
	if c.Entered {
		m.exited(c)
		return
	}
	own := c.own()
	if own != nil {
		own.running = without(own.running, c)
	}
	if c.MayPend && calls.Pending(e) {
		if c.pends = true; c.answers == 0 {
			m.pending[c.Op] = c
		}
		if own != nil && c.role.closes == NoKind && c.role.creates == NoKind && (c.answers == 0 || c.by != nil) {
			own.requests, own.requested = append(own.requests, c), true
		}
		m.isAccepted(own, c)
		return
	}
	if frequent(c.Kind) {
		return
	}
	refused := calls.IsRefusal(c.Verbs, e)
	if refused && own != nil && c.role.closes != NoKind {
		own.closes = slices.DeleteFunc(own.closes, func(o closing) bool { return o.by == c })
		own.closing = len(own.closes) > 0
	}
	m.linkResult(c, !refused)
	m.isDone(c, !refused, nil)
	if !refused {
		m.isAccepted(own, c)
	}
}

// isAccepted records that a close was not refused.
func (m *Monitor) isAccepted(own *object, c *Call) {
	if own == nil || c.role.closes == NoKind {
		return
	}
	for i := range own.closes {
		if own.closes[i].by == c {
			own.closes[i].accepted = true
		}
	}
}

// exited records that a callback has returned.
func (m *Monitor) exited(c *Call) {
	m.threads.end(c)
	for _, o := range c.objects {
		o.events = without(o.events, c)
	}
	of := c.completes
	if of == nil || of.by != c {
		return
	}
	of.by = nil
	own := of.own()
	if own == nil {
		return
	}
	own.requests = without(own.requests, of)
	if own.closedBy == c {
		own.closedBy = nil
		m.objects.retire(own)
	}
}

// isDone records that a call has succeeded or failed, as its return says, or the callback by.
func (m *Monitor) isDone(c *Call, succeeded bool, by *Call) {
	for _, g := range m.groups {
		g.done(c, succeeded)
	}
	if o := c.creates; o != nil {
		if o.exists = o.exists || succeeded; !o.exists {
			o.refused = true
			m.objects.retire(o)
		}
	} else if c.role.creates != NoKind && succeeded {
		m.objects.unnamed[c.role.creates]++
	}
	if by != nil {
		m.linkResult(c, succeeded)
	}
	if c.role.closes == NoKind || !succeeded {
		return
	}
	own := c.own()
	switch {
	case own == nil:
		m.objects.unnamed[c.role.closes]--
	case !own.over:
		own.over, own.answered, own.closedBy, own.ender = true, by != nil, by, c
		if by == nil {
			m.objects.retire(own)
		}
	}
}

func without(calls []*Call, c *Call) []*Call {
	return slices.DeleteFunc(calls, func(o *Call) bool { return o == c })
}
