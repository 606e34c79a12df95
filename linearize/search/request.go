package search

import (
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A request is one posted request, or one that was refused.
type request struct {
	id       int
	wr       string
	qp       *qp
	queue    model.Queue
	post     *span
	leftOut  bool // the search does not post it: it may wait on its shared receive queue for ever
	accepted bool // the post returned success, or has not returned, or had not when its completion was delivered
	position int  // in its queue, among the accepted
	asked
	chained
	owed moment // the first moment of rest at which it must have completed, or never
	standing
	ending
	pairing
}

// asked is what a request asks for.
type asked struct {
	op       model.Op
	flags    []string
	silent   bool
	solicit  bool
	fence    bool
	deferred bool
	token    *uint32
}

// chained says when the chain of a deferred request ended.
type chained struct {
	indicated moment // or never
	chainEnd  *span  // the post that ended it
}

// standing is how the other requests of its queue came before a request, and behind it.
type standing struct {
	overtaken bool // a later one was delivered
	passed    bool // a later one was placed, by a point
	waiting   int  // earlier ones, but for silent ones, that neither a poll nor a point tells of
}

// ending is what the trace records about the completion of a request.
type ending struct {
	delivery *delivery
	point    *span         // CqePlaced: the very moment
	told     bool          // a poll or a point tells how it ended
	outcome  model.Outcome // SUCCESS where nothing shows
	unseen   bool          // its completion may have been placed, and no poll delivered it
}

// pairing is which message a receive took, and which receive a send went to.
type pairing struct {
	message *request // of a receive: the peer's send that it took
	arrived *request // of a receive: the send whose message it took, though the send failed, as was recorded later
	like    *request // of a receive: a send like the one whose message it took, if that is not known
	alike   *request // like like, solicited if all sends are whose message it can have taken, and not if none is
	invalid *uint32  // of a receive: the token that it made invalid, if no step of a send does that
	sent    moment   // of a receive that succeeded: its message was not sent before
	meets   bool     // of a send: the trace records which of the peer's receives it goes to
	receive *request // that one, or nil when there is none
	reached *request // of a send that failed: the peer's receive that its message came to for sure
}

// A delivery is where a poll handed a completion out.
type delivery struct {
	poll    *span
	result  *trace.Result
	order   int // among the completions of the CQ
	outcome model.Outcome
}

// before reports whether d was handed out before o.
func (d *delivery) before(o *delivery) bool {
	return d.poll.ret < o.poll.ret || d.poll == o.poll && d.order < o.order
}
