package monitor

import (
	"cmp"
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// disconnects checks how often a disconnect is told of, and that what was disconnected is not connected again: DISC-04 and DISC-09.
type disconnects struct {
	seldom
	m               *Monitor
	events, renewed *int
	ends            int                 // of connections, that were or may have been made
	ofConn          map[string]int      // the same ends, by the name of the connection
	told            int                 // disconnect events
	toldOf          map[string]endsTold // the disconnect events, by the name of their connection
	latest          Place               // of the latest disconnect event
	excess          *Finding            // the first event of more than there are ends
}

// An endsTold is how many disconnect events there were of a connection.
type endsTold struct {
	n    int
	line int // of the latest
}

// maxConns bounds the connections whose ends are counted.
const maxConns = 1 << 12

var _ = decides(
	rule{ID: "DISC-04", On: on{"a disconnect event is entered"}, OnlyNdk: true},
	rule{ID: "DISC-09", On: on{"NdkConnect or NdkAccept is called"}, OnlyNdk: true},
)

func newDisconnects(m *Monitor) checks {
	return &disconnects{m: m, events: m.counter("DISC-04"), renewed: m.counter("DISC-09"), ofConn: map[string]int{}, toldOf: map[string]endsTold{}}
}

// connects reports whether a function connects a queue pair.
func connects(fn string) bool {
	switch fn {
	case "NdkConnect", "NdkConnectWithSharedEndpoint", "NdkAccept", "NdkAcceptEx":
		return true
	}
	return false
}

func (d *disconnects) begin(c *Call, e *trace.Event) {
	switch {
	case connects(c.Fn):
		d.checkRenewed(c)
		d.connectCalled(c, e)
	case c.Fn == "NdkDisconnectEventCallback" || c.Fn == "NdkDisconnectEventCallbackEx":
		*d.events++
		d.checkEvent(c, e)
		d.latest = c.Begun
	}
}

// checkRenewed is DISC-09 for a queue pair and a connector that are to be connected.
func (d *disconnects) checkRenewed(c *Call) {
	*d.renewed++
	for _, o := range c.objects {
		if (o.Kind == Qp || o.Kind == Connector) && o.disconnected != nil && !(o.inVain && (o.failed || !o.attempted)) {
			d.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: "DISC-09", See: []int{o.disconnected.Begun.Line}, Objects: c.named(), Follows: true,
				Message: fmt.Sprintf("%s was called for %s, which was disconnected: it can't be connected again", c.Fn, o.Name)})
			return
		}
	}
}

// connectCalled records that a connection may get an end.
func (d *disconnects) connectCalled(c *Call, e *trace.Event) {
	d.ends++
	for _, o := range c.objects {
		if o.Kind == Qp || o.Kind == Connector {
			o.connection = connection{connected: o.connected, attempted: true, conn: e.Conn}
		}
	}
	if e.Conn != "" && (d.ofConn[e.Conn] > 0 || len(d.ofConn) < maxConns) {
		d.ofConn[e.Conn]++
	}
}

// end records a disconnect that was not refused.
func (d *disconnects) end(c *Call, e *trace.Event) {
	if c.Fn != "NdkDisconnect" || calls.IsRefusal(c.Verbs, e) {
		return
	}
	for _, o := range c.objects {
		if o.Kind == Qp || o.Kind == Connector {
			o.disconnected = c
		}
	}
}

// done records what failed: a disconnect that fails of what never was connected is none.
func (d *disconnects) done(c *Call, succeeded bool) {
	for _, o := range c.objects {
		switch {
		case succeeded:
		case connects(c.Fn):
			o.failed = true
		case c.Fn == "NdkDisconnect" && (o.disconnected == nil || o.disconnected == c): // its return may come behind its completion
			o.inVain = true
		}
	}
}

// checkEvent is DISC-04 for a disconnect event. Each end of a connection has one at most.
func (d *disconnects) checkEvent(c *Call, e *trace.Event) {
	d.told++
	switch {
	case e.Connector != "":
		d.checkEnd(c, d.m.objects.get(Connector, e.Connector))
	case e.Qp != "":
		d.checkEnd(c, d.m.objects.get(Qp, e.Qp))
	case e.Conn != "":
		d.checkConn(c, e.Conn)
	case d.told > d.ends && d.ends > 0 && d.excess == nil: // until the end it may turn out that there are older connections
		d.excess = &Finding{Place: d.m.now, See: []int{d.latest.Line}, Message: fmt.Sprintf("%s was entered, and all connections have had theirs: %s, of %s",
			c.Fn, verdict.Counted(d.told-1, "event"), verdict.Counted(d.ends, "connection"))}
	}
}

// checkEnd is DISC-04 for an end of a connection that an event names, as its queue pair or as its connector.
func (d *disconnects) checkEnd(c *Call, o *object) {
	end := append([]*object{o}, joined(o)...)
	for _, of := range end {
		if of.lost != nil {
			d.breach([]Object{o.Object}, []int{of.lost.Begun.Line}, fmt.Sprintf("%s of %s was entered a second time for one connection", c.Fn, o.Name))
			return
		}
	}
	conn := ""
	for _, of := range end {
		of.lost, conn = c, cmp.Or(conn, of.conn)
	}
	if conn != "" {
		d.checkConn(c, conn)
	}
}

// checkConn is DISC-04 for a connection: it has no more events than ends. An end may be older than the trace.
func (d *disconnects) checkConn(c *Call, conn string) {
	ends := d.ofConn[conn]
	if ends == 0 || d.m.objects.beganBefore || d.m.objects.anyUnborn() {
		return
	}
	told := d.toldOf[conn]
	d.toldOf[conn] = endsTold{told.n + 1, c.Begun.Line}
	if told.n >= ends {
		d.breach(nil, []int{told.line}, fmt.Sprintf("%s was entered for %s after %s, and the connection has %s in this trace", c.Fn, conn,
			verdict.Counted(told.n, "disconnect event"), verdict.Counted(ends, "end")))
	}
}

// joined returns the connector of a queue pair, or the queue pair of a connector, where they are known to belong together.
func joined(o *object) (all []*object) {
	for _, s := range o.successors {
		if s.Kind == Connector && s.certainly(o) {
			all = append(all, s)
		}
	}
	for _, l := range o.antecedents {
		if o.Kind == Connector && l.to.Kind == Qp && l.certain {
			all = append(all, l.to)
		}
	}
	return all
}

func (d *disconnects) breach(of []Object, see []int, message string) {
	d.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: "DISC-04", See: see, Objects: of, Follows: true, Message: message})
}

// finish is DISC-04 for events that name nothing: more than there are ends of connections, where the trace holds the creation of each
// object that it names.
func (d *disconnects) finish() {
	if d.excess == nil || d.m.objects.beganBefore || d.m.objects.anyUnborn() {
		return
	}
	f := *d.excess
	f.Verdict, f.Rule, f.Follows = verdict.ProviderViolation, "DISC-04", true
	d.m.report(f)
}
