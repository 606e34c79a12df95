package tlcjudge

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/resets"
	"ndkoracle/trace"
)

// objects names the objects that calls create and use. The result of a call does not matter: a refused call is also a use.
type objects map[string]string

func (o objects) name(kind, name string) string {
	key := kind + " " + name
	if o[key] == "" {
		o[key] = fmt.Sprint(kind, len(o)+1)
	}
	return o[key]
}

func (o objects) take(c *call) {
	e := c.first
	if e.Ph != trace.Call {
		return
	}
	qp := o.name("qp", resets.NameOf(e.Qp))
	switch kind := kindOf(e); {
	case c.fn == resets.ToReset || c.fn == resets.ToInit: // it stays what it is
		c.functionOf, c.uses = qp, []string{qp}
	default:
		o.takeKind(kind, qp, c)
	}
}

// takeKind names the objects of a call of a kind. qp is its queue pair, if it has one.
func (o objects) takeKind(kind, qp string, c *call) {
	e := c.first
	switch kind {
	case "create CQ":
		c.creates = o.name("cq", e.Cq)
	case "create QP":
		c.creates = qp
		c.uses = slices.Compact([]string{o.name("cq", e.InitiatorCq), o.name("cq", e.ReceiveCq)})
	case "arm", "poll", "resize":
		c.functionOf = o.name("cq", e.Cq)
		c.uses = []string{c.functionOf}
	case "post":
		c.functionOf = qp
		c.uses = []string{c.functionOf}
	case "connect", "flush":
		c.uses = []string{qp}
		if c.fn == "NdkFlush" || isVerbs(c.fn) { // the others are of a connector
			c.functionOf = c.uses[0]
		}
	case "close CQ":
		c.closes = o.name("cq", e.Cq)
		c.uses = []string{c.closes}
	case "close QP":
		c.closes = qp
		c.uses = []string{c.closes}
	}
}

// reportsSuccess reports whether a completion callback says that its call succeeded. That of a close has no status.
func (c *call) reportsSuccess() bool {
	return c.completes != nil && (c.fn == "NdkCloseCompletion" || isSuccess(c.first.Status))
}

// comesTooLate reports whether p is created with a CQ whose close was called before (LIFE-06). What is explained ends before that: no close
// of the CQ waits for p.
func (c *component) comesTooLate(p *qp) bool {
	return slices.ContainsFunc(c.calls, func(k *call) bool {
		return k.closes != "" && k.answer() != "FAILURE" && k.place < p.created.place && slices.Contains(p.created.uses, k.closes)
	})
}
