package linearize

import (
	"maps"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A function is what is known of one, looked up once a call.
type function struct {
	name    string
	kind    kind
	verbs   bool
	mayPend bool // it may return STATUS_PENDING
	op      model.Op
	queue   model.Queue // that it posts on
}

// functions finds functions by name, without the cost of a map: each has the place of its hash, or the next free one.
var functions = func() (table [256]*function) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(kinds)), maps.Keys(asynchronous))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		at := functionHash(name)
		for table[at] != nil {
			at++
		}
		_, mayPend := asynchronous[name]
		table[at] = &function{name: name, kind: kinds[name], verbs: strings.HasPrefix(name, "ibv_"), mayPend: mayPend,
			op: opsOfFn[name], queue: queueOf(name)}
	}
	return table
}()

// functionHash is of a name that is not empty.
func functionHash(name string) uint8 {
	return uint8(len(name)*5) + name[len(name)-1]*11 + name[len(name)/2]*37
}

// ofConnector is NdkDisconnect of a QP that is being closed: the connector outlives the QP, and there is nothing left to flush.
var ofConnector = &function{mayPend: true}

// functionOf returns what is known of the function of an event.
func functionOf(e *trace.Event) *function {
	if e.Fn == "" {
		return &function{}
	}
	for at := functionHash(e.Fn); functions[at] != nil; at++ {
		switch f := functions[at]; {
		case f.name != e.Fn:
		case f.kind == modifyQp:
			return &function{kind: kindOf(e), verbs: true}
		default:
			return f
		}
	}
	return &function{verbs: strings.HasPrefix(e.Fn, "ibv_")}
}

// underWayCalls holds the calls and callbacks that have not returned. Few are under way at a time, as a rule: the newest are looked through,
// and only those that have been for long are found by name.
type underWayCalls struct {
	newest []*underWay // at most maxNewest
	others map[string]*underWay
	spare  []*underWay
}

const maxNewest = 16

// begin takes a new one.
func (c *underWayCalls) begin(op string) *underWay {
	if len(c.newest) == maxNewest {
		oldest := slices.MinFunc(c.newest, inTurn)
		c.end(oldest.op)
		c.others[oldest.op] = oldest
	}
	var u *underWay
	if n := len(c.spare); n > 0 {
		u, c.spare = c.spare[n-1], c.spare[:n-1]
		*u = underWay{op: op, postings: u.postings[:0]}
	} else {
		u = &underWay{op: op}
	}
	c.newest = append(c.newest, u)
	return u
}

// find returns the one of an op, or nil.
func (c *underWayCalls) find(op string) *underWay {
	if i := c.among(op); i >= 0 {
		return c.newest[i]
	}
	return c.others[op]
}

// among returns the place of an op among the newest, or -1.
func (c *underWayCalls) among(op string) int {
	i := len(c.newest) - 1
	for i >= 0 && c.newest[i].op != op {
		i--
	}
	return i
}

// end takes the one of an op away, and returns it, or nil.
func (c *underWayCalls) end(op string) *underWay {
	if i := c.among(op); i >= 0 {
		u, last := c.newest[i], len(c.newest)-1
		c.newest[i], c.newest = c.newest[last], c.newest[:last]
		return u
	}
	u := c.others[op]
	delete(c.others, op)
	return u
}

// all returns them in the order in which they began.
func (c *underWayCalls) all() []*underWay {
	all := slices.AppendSeq(slices.Clone(c.newest), maps.Values(c.others))
	slices.SortFunc(all, inTurn)
	return all
}

// inTurn is the order in which calls began.
func inTurn(a, b *underWay) int { return a.call - b.call }

// reuse takes back a call to which nothing refers any more.
func (c *underWayCalls) reuse(u *underWay) {
	if len(c.spare) < maxSpare {
		clear(u.postings)
		c.spare = append(c.spare, u)
	}
}

// maxSpare is how many calls that are over are kept to be used again.
const maxSpare = 64
