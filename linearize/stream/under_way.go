package stream

import (
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
	wr       string
	entered  bool // a callback
	answered bool // a completion callback has come for it
	closes   *qp  // of the completion of a close
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
	merging model.Arms // what may have been outstanding when it took effect, NONE included
	nothing bool       // nothing was outstanding, and the CQ was empty, when it was called
	aged    bool       // the CQ had completions when it was called, and no fresh one
}

// ofConnector is NdkDisconnect of a QP that is being closed: the connector outlives the QP, and there is nothing left to flush.
var ofConnector = &calls.Function{MayPend: true}

// underWayCalls holds the calls and callbacks that have not returned.
type underWayCalls struct {
	calls.Open[underWay]
	spare []*underWay
}

// begin adds a new call.
func (c *underWayCalls) begin(op string) *underWay {
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
	c.Begin(op, u)
	return u
}

// reuse recycles a call to which nothing refers any more.
func (c *underWayCalls) reuse(u *underWay) {
	if len(c.spare) < maxSpare {
		clear(u.requests)
		c.spare = append(c.spare, u)
	}
}

// maxSpare is how many calls that are over are kept to be used again.
const maxSpare = 64
