package stream

import (
	"maps"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
)

// pendingCalls holds the calls that returned STATUS_PENDING and have not completed, by op.
type pendingCalls struct {
	pending    map[string]*underWay // that returned STATUS_PENDING and have not completed, by op
	closing    map[string]*cq       // by the op of a close that is pending
	closingQps map[string]*qp
}

// An underWay is a call or a callback that has not returned, with what of its beginning matters at its end.
type underWay struct {
	*calls.Function
	fn   string
	op   string
	call eventIndex
	line int
	cq   *cq
	qp   *qp
	n    int // room of a poll, or -1
	armEffect
	depth    *int64
	requests []*request
	conn     string
	thr, wr  string
	within   eventIndex // the entry of the callback that was running on this thread, or 0
	entered  bool       // a callback
	answered bool       // a completion callback has come for it
	closes   *qp        // of the completion of a close
	cqClose
}

// A cqClose is in which state the close of a CQ was called.
type cqClose struct {
	inCallback bool // while a callback of the CQ ran
	beforeQp   bool // before the close of a QP that uses the CQ
}

// An armEffect is what an arm may have met when it took effect.
type armEffect struct {
	arm     model.Arm  // its type
	merging model.Arms // what may have been outstanding when it took effect, NONE too
	nothing bool       // … and the CQ was empty when it was called
	aged    bool       // … and the CQ held completions then, and none that is fresh
}

// ofConnector is NdkDisconnect of a QP that is being closed: the connector outlives the QP, and there is nothing left to flush.
var ofConnector = &calls.Function{MayPend: true}

// underWayCalls holds the calls and callbacks that have not returned. Few are under way at a time, as a rule: the newest are
// looked through, and only those that have been for long are found by name.
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
		requests := u.requests[:0]
		*u = underWay{}
		u.requests = requests
	} else {
		u = &underWay{}
	}
	u.op = op
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
		clear(u.requests)
		c.spare = append(c.spare, u)
	}
}

// maxSpare is how many calls that are over are kept to be used again.
const maxSpare = 64
