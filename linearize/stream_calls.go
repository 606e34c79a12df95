package linearize

import (
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A function is what is known of one, looked up once a call.
type function struct {
	kind    kind
	verbs   bool
	mayPend bool // it may return STATUS_PENDING
	op      model.Op
	queue   model.Queue // that it posts on
}

var functions = func() map[string]*function {
	all := map[string]*function{}
	of := func(name string) *function {
		if all[name] == nil {
			all[name] = &function{verbs: strings.HasPrefix(name, "ibv_"), op: opsOfFn[name], queue: queueOf(name)}
		}
		return all[name]
	}
	for name, k := range kinds {
		of(name).kind = k
	}
	for name := range asynchronous {
		of(name).mayPend = true
	}
	return all
}()

// ofConnector is NdkDisconnect of a QP that is being closed: the connector outlives the QP, and there is nothing left to flush.
var ofConnector = &function{mayPend: functions["NdkDisconnect"].mayPend}

// functionOf returns what is known of the function of an event.
func functionOf(e *trace.Event) *function {
	f := functions[e.Fn]
	switch {
	case f == nil:
		return &function{verbs: strings.HasPrefix(e.Fn, "ibv_")}
	case f.kind == modifyQp:
		return &function{kind: kindOf(e), verbs: true}
	}
	return f
}

// underWayCalls holds the calls and callbacks that have not returned. Most calls return before another one begins, and are
// never put into the map.
type underWayCalls struct {
	latest *underWay // or nil
	others map[string]*underWay
	spare  []*underWay
}

// begin takes a new one.
func (c *underWayCalls) begin(op string) *underWay {
	if c.latest != nil {
		c.others[c.latest.op] = c.latest
	}
	if n := len(c.spare); n > 0 {
		c.latest, c.spare = c.spare[n-1], c.spare[:n-1]
		*c.latest = underWay{postings: c.latest.postings[:0]}
	} else {
		c.latest = &underWay{}
	}
	c.latest.op = op
	return c.latest
}

// find returns the one of an op, or nil.
func (c *underWayCalls) find(op string) *underWay {
	if c.latest != nil && c.latest.op == op {
		return c.latest
	}
	return c.others[op]
}

// end takes the one of an op away, and returns it, or nil.
func (c *underWayCalls) end(op string) *underWay {
	if u := c.latest; u != nil && u.op == op {
		c.latest = nil
		return u
	}
	u := c.others[op]
	if u != nil {
		delete(c.others, op)
	}
	return u
}

// all returns them in the order in which they began.
func (c *underWayCalls) all() []*underWay {
	var all []*underWay
	for _, u := range c.others {
		all = append(all, u)
	}
	if c.latest != nil {
		all = append(all, c.latest)
	}
	slices.SortFunc(all, func(a, b *underWay) int { return a.call - b.call })
	return all
}

// reuse takes back a call to which nothing refers any more.
func (c *underWayCalls) reuse(u *underWay) {
	if len(c.spare) < maxSpare {
		clear(u.postings)
		c.spare = append(c.spare, u)
	}
}

// maxSpare is how many calls that are over are kept to be used again.
const maxSpare = 64
