package monitor

import (
	"slices"

	"ndkoracle/trace"
)

// Which objects have to outlive which (LIFE-15). A parent outlives its child. Completion queues and a shared receive queue outlive their queue pair. A
// memory region outlives the window that is bound to it. A queue pair, a listener and a shared endpoint outlive their connector.

// linkCreation records the antecedents of an object whose creation is called.
func (m *Monitor) linkCreation(o *object, c *Call) {
	for _, to := range c.objects {
		if c.Verbs && to.Kind == Adapter {
			continue // ibv_close_device waits for nothing
		}
		o.follows(to, true)
	}
	if slices.Contains(childrenOfPd, o.Kind) && m.used(c, Pd) == nil && !o.parentless {
		o.parentless = true
		m.objects.orphans[o.Kind]++
	}
}

// linkUse records what a call may make an antecedent of what.
func (m *Monitor) linkUse(c *Call, e *trace.Event) {
	switch c.Fn {
	case "NdkConnect", "NdkAccept", "NdkAcceptEx", "NdkConnectWithSharedEndpoint":
		qp, connector, endpoint := m.used(c, Qp), m.used(c, Connector), m.used(c, Endpoint)
		switch {
		case qp == nil:
		case connector == nil:
			qp.connected = true
		default:
			connector.follows(qp, false)
		}
		switch {
		case connector != nil && endpoint != nil:
			connector.follows(endpoint, false)
		case c.Fn == "NdkConnectWithSharedEndpoint":
			m.objects.strays[Endpoint] = true
		}
	case "NdkDisconnect", "NdkReject":
		m.disconnected(m.used(c, Connector), m.used(c, Qp))
	case "NdkBind", "ibv_bind_mw":
		mr := m.used(c, Mr)
		m.objects.strays[Mr] = m.objects.strays[Mr] || mr == nil
		m.bindings.posted(c, m.used(c, Mw), mr)
	case "NdkInvalidate": // the texts do not say whether it parts window and region
		if e.NoEffect {
			return
		}
		mw, mr := m.used(c, Mw), m.used(c, Mr)
		m.bindings.parted(mw, mr)
		if mw != nil {
			mw.mayPart(Mr)
		}
		if mr != nil {
			mr.mayLose(Mw)
		}
	case "NdkSendAndInvalidate":
		m.bindings.uncertain = true // its token may be that of a window
	}
}

// disconnected records that a connection ends, or is not made. The texts do not say whether that parts queue pair and connector. Where the connector
// has no name, it may be any of the queue pair, or any at all.
func (m *Monitor) disconnected(connector, qp *object) {
	switch {
	case connector != nil:
		connector.mayPart(Qp)
	case qp != nil:
		qp.mayLose(Connector)
	default:
		for _, o := range m.objects.byName[Connector].all {
			o.mayPart(Qp)
		}
	}
}

// linkResult records that a connect or an accept has succeeded: its queue pair is an antecedent of its connector.
func (m *Monitor) linkResult(c *Call, succeeded bool) {
	switch c.Fn {
	case "NdkCompleteConnect", "NdkCompleteConnectEx":
		if !succeeded {
			m.disconnected(m.used(c, Connector), m.used(c, Qp))
		}
	case "NdkConnect", "NdkAccept", "NdkAcceptEx", "NdkConnectWithSharedEndpoint":
		connector := m.used(c, Connector)
		if connector == nil || !succeeded {
			return
		}
		for _, to := range []*object{m.used(c, Qp), m.used(c, Endpoint)} {
			if to != nil {
				connector.follows(to, true)
			}
		}
	}
}

// mayPart records that o may have parted from its antecedents of a kind.
func (l *lineage) mayPart(k Kind) {
	for i := range l.antecedents {
		if l.antecedents[i].to.Kind == k {
			l.antecedents[i].certain = false
		}
	}
}

// mayLose records that the successors of a kind may have parted from o.
func (o *object) mayLose(k Kind) {
	for _, s := range o.successors {
		if s.Kind == k {
			s.mayPart(o.Kind)
		}
	}
}

// used returns the object of a kind that a call uses, or nil.
func (m *Monitor) used(c *Call, k Kind) *object {
	if i := slices.IndexFunc(c.objects, func(o *object) bool { return o.Kind == k }); i >= 0 {
		return c.objects[i]
	}
	return nil
}
