// Package facts reads what the events of a trace say of completion queues and queue pairs, in one pass: which calls are under way and
// since when, which requests were posted and accepted, what polls delivered or did not find, flushes, closes, and moments of rest. It
// follows no hidden step and judges nothing. What it cannot read is told as Beyond: then nothing is known of the objects concerned.
package facts

import (
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Moment is an event, counted from 1, and its line. The zero Moment is none.
type Moment struct{ At, Line int }

// A Request is one of a post.
type Request struct {
	Wr              string
	Op              model.Op
	Silent          bool // it may have no completion if it succeeds
	Deferred, Fence bool
	Token           *uint32 // that it names, of an operation that changes tokens; nil where the trace does not record it
	Invalidates     bool    // a read that invalidates a token of its own host (RDMA_READ_LOCAL_INVALIDATE)
	Old             bool    // the token may have been made valid before the trace began
	Given           int     // the latest event by which a call may have given memory a token that the trace does not record, or 0
}

// A Call is a call that is under way.
type Call struct {
	*calls.Function
	Moment       // of the call
	Cq, Qp, Conn string
	Fn           string
	Room         int64 // of a poll; 0 where the trace does not record it, or the poll failed: then that it found nothing says nothing
	Requests     []Request
	Still        Moment   // of a poll, at its return: the moment of rest since which nothing but polls and arms was called, if any
	Invalid      bool     // a post returned STATUS_CONNECTION_INVALID
	Of           any      // for the sink
	depth        *int64   // of a CQ
	memory       []string // regions and windows that it names
	of           *memory  // whose token it tells
	dying        []uint32 // tokens of the memory that it closes
	answered     bool     // its completion callback has come, if it pends
}

// Completed reports whether the completion callback of the call has come, which had returned STATUS_PENDING or is yet to return.
func (c *Call) Completed() bool { return c.answered }

// A Qp is what the trace says of the creation of a queue pair.
type Qp struct {
	Name                 string
	InitiatorCq, Receive string // the CQs into which the queues complete
	Reliable             bool   // it is known that messages are delivered, and wait for a receive
	Loses                bool   // it is known that messages may be lost, and wait for no receive
	Paired               bool   // what they take are receives of the other end
	Srq                  string // the shared receive queue that it takes its receives from, or ""
}

// A Sink handles facts in the order of the trace. Names may be of objects whose creation the trace does not record.
type Sink interface {
	CqCreated(name string, depth int)            // its call, and its return, which may tell another depth
	CqResizing(m Moment, name string, depth int) // the call; the depth changes by its answer
	CqResized(m Moment, name string, depth int, success bool)
	QpCreated(Qp)
	ConnectCalled(m Moment, qp, conn string)
	Connected(m Moment, qp string)
	CompletesConnect(m Moment, qp string, over bool)          // NdkCompleteConnect was called, or is over
	ConnectFailed(m Moment, qp string, mayHaveConnected bool) // that a connection was made, which was lost by now
	PostCalled(c *Call)
	PostReturned(m Moment, c *Call, accepted int) // accepted is how many of its requests were accepted: the first ones
	PollCalled(c *Call)
	PollReturned(m Moment, c *Call, results []trace.Result)
	Placed(m Moment, cq, wr string, outcome model.Outcome)
	Rest(m Moment)
	FlushCalled(c *Call) // also the call of a disconnect or of the close of a queue pair
	FlushDone(m Moment, c *Call)
	FlushFailed(m Moment, c *Call, mayHaveFlushed bool)
	CloseQpCalled(m Moment, qp string)
	CloseQpRefused(qp string)
	CqClosing(cq string) // the call of its close
	CqClosed(cq string)
	CqFailed(m Moment, cq string, overflow bool) // as a callback reports; else an internal error
	Resumed(qp string)                           // a call moves it to RTS once more, which brings back an initiator queue that a failure had stopped
	TokensDied(since, m Moment, tokens []uint32) // with the memory that was closed
	SharedPosted(m Moment, srq, wr string)       // the call of a post of a receive to a shared receive queue
	Beyond(cq, qp, because string)               // nothing is known any more of a CQ, of a queue pair, or, where both are "", of anything
}
