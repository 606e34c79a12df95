package model

import "slices"

// Op is the operation of a request.
type Op uint8

// The operations that NDKPI's posts name.
const (
	Send Op = iota
	SendAndInvalidate
	ReceiveOp
	FastRegister
	Bind
	Invalidate
	Read
	Write
)

var opNames = [...]string{"Send", "SendAndInvalidate", "Receive", "FastRegister", "Bind", "Invalidate", "Read", "Write"}

func (o Op) String() string { return opNames[o] }

// IsSend reports whether the operation consumes a receive of the peer.
func (o Op) IsSend() bool { return o == Send || o == SendAndInvalidate }

// Queue is the queue that takes the operation: QueueOf in tla/.
func (o Op) Queue() Queue {
	if o == ReceiveOp {
		return Receive
	}
	return Initiator
}

// Phase is how far a request has come.
type Phase uint8

// The phases. From Executed on, a request has its outcome: Executed + Phase(outcome).
const (
	Deferred Phase = iota
	Indicated
	Executed
)

func (p Phase) executed() bool   { return p >= Executed }
func (p Phase) outcome() Outcome { return Outcome(p - Executed) }
func executedAs(o Outcome) Phase { return Executed + Phase(o) }

func (p Phase) String() string {
	switch p {
	case Deferred:
		return "DEFERRED"
	case Indicated:
		return "INDICATED"
	}
	return p.outcome().String()
}

// Request is a posted request.
type Request struct {
	Id      int
	Op      Op
	Silent  bool // NDK_OP_FLAG_SILENT_SUCCESS
	Solicit bool // NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT; of a receive: the message had it
	Token   int  // that it makes valid or invalid, or NoToken; of a receive: the token that the message invalidated
	Phase   Phase
}

// Connection is the state of a QP.
type Connection uint8

// The states of a QP. Broken: a failure, a flush or a disconnect cancels what is pending. Aborted: the connection ended
// for a bad token, and nothing succeeds any more (INV-05).
const (
	Idle Connection = iota
	Connected
	Broken
	Aborted
	QpClosed
)

var connectionNames = [...]string{"IDLE", "CONNECTED", "BROKEN", "ABORTED", "CLOSED"}

func (c Connection) String() string { return connectionNames[c] }

// cancels reports whether pending requests may complete as CANCELLED (RES-08).
func (c Connection) cancels() bool { return c == Broken || c == Aborted || c == QpClosed }

// Qp is the state of one queue pair. The queues hold requests in posting order; they are never changed in place.
type Qp struct {
	State     Connection
	Initiator []Request
	Receive   []Request
}

func (p Qp) Queue(q Queue) []Request {
	if q == Initiator {
		return p.Initiator
	}
	return p.Receive
}

func (p Qp) withQueue(q Queue, requests []Request) Qp {
	if q == Initiator {
		p.Initiator = requests
	} else {
		p.Receive = requests
	}
	return p
}

// breakDown makes p Broken unless it is worse off already.
func (p Qp) breakDown() Qp {
	if p.State == Idle || p.State == Connected {
		p.State = Broken
	}
	return p
}

// indicate makes every deferred request of the initiator queue known to the hardware.
func (p Qp) indicate() Qp {
	if slices.ContainsFunc(p.Initiator, func(r Request) bool { return r.Phase == Deferred }) {
		p.Initiator = slices.Clone(p.Initiator)
		for i := range p.Initiator {
			if p.Initiator[i].Phase == Deferred {
				p.Initiator[i].Phase = Indicated
			}
		}
	}
	return p
}

// unexecuted returns the index of the oldest request without an outcome, or -1.
func unexecuted(requests []Request) int {
	return slices.IndexFunc(requests, func(r Request) bool { return !r.Phase.executed() })
}

// connect is NdkConnect, or NdkAccept.
func (p Qp) connect() (Qp, *Refusal) {
	if p.State != Idle {
		return p, connectedTwice
	}
	p.State = Connected
	return p, nil
}

// lose is ConnectionLost: the peer or the network ended the connection.
func (p Qp) lose() (Qp, *Refusal) {
	if p.State != Connected {
		return p, notConnected
	}
	p.State = Broken
	return p, nil
}

// post queues r: NdkSend, NdkReceive and the others when they return success. Without DEFER an initiator request
// indicates everything before it.
func (p Qp) post(q Queue, r Request, deferred bool) (Qp, *Refusal) {
	switch {
	case p.State == QpClosed:
		return p, usedAfterClose
	case q == Initiator && p.State == Idle:
		return p, notConnected
	}
	r.Phase = Indicated
	if deferred && q == Initiator {
		r.Phase = Deferred
	}
	p = p.withQueue(q, append(slices.Clip(p.Queue(q)), r))
	if q == Initiator && !deferred {
		p = p.indicate()
	}
	return p, nil
}

// refuse is a post that returns failure: it queues nothing (DEF-03), and indicates what was deferred (DEF-05).
func (p Qp) refuse(q Queue) (Qp, *Refusal) {
	if p.State == QpClosed {
		return p, usedAfterClose
	}
	if q == Initiator {
		p = p.indicate()
	}
	return p, nil
}

// hwIndicate indicates the oldest deferred request (DEF-02, DEF-09).
func (p Qp) hwIndicate() (Qp, *Refusal) {
	i := slices.IndexFunc(p.Initiator, func(r Request) bool { return r.Phase == Deferred })
	if i < 0 {
		return p, nothingDeferred
	}
	p.Initiator = slices.Clone(p.Initiator)
	p.Initiator[i].Phase = Indicated
	return p, nil
}

// canExecute says why the queue's oldest request without an outcome cannot get this one.
func (p Qp) canExecute(q Queue, o Outcome) (int, *Refusal) {
	i := unexecuted(p.Queue(q))
	switch {
	case i < 0:
		return i, notPosted
	case p.Queue(q)[i].Phase != Indicated:
		return i, notIndicated
	case o == SUCCESS && p.State == Idle:
		return i, notConnected
	case o == SUCCESS && p.State == Aborted:
		return i, succeedsAborted
	case o == CANCELLED && !p.State.cancels():
		return i, cancelledNoCause
	}
	return i, nil
}

// execute gives request i of the queue its outcome; solicit and token are what the message brought to a receive that
// succeeds.
func (p Qp) execute(q Queue, i int, o Outcome, solicit bool, token int) Qp {
	requests := slices.Clone(p.Queue(q))
	requests[i].Phase = executedAs(o)
	if q == Receive && o == SUCCESS {
		requests[i].Solicit, requests[i].Token = solicit, token
	}
	p = p.withQueue(q, requests)
	if o == FAILED {
		p = p.breakDown()
	}
	return p
}

// complete takes the executed head of the queue away, and returns its completion; ok is false when the request succeeded
// silently and has none (FLAG-01, FLAG-02).
func (p Qp) complete(id int, q Queue) (next Qp, c Completion, ok bool, refusal *Refusal) {
	requests := p.Queue(q)
	switch {
	case len(requests) == 0:
		return p, c, false, notPosted
	case !requests[0].Phase.executed():
		return p, c, false, notExecuted
	}
	r := requests[0]
	c = Completion{Qp: id, Queue: q, Request: r.Id, Status: r.Phase.outcome(), Token: NoToken}
	if q == Receive && c.Status == SUCCESS {
		c.Solicited, c.Token = r.Solicit, r.Token
	}
	return p.withQueue(q, requests[1:]), c, !(r.Silent && c.Status == SUCCESS), nil
}

// cancelAll gives every request without an outcome the outcome CANCELLED, deferred ones too (FLUSH-01).
func (p Qp) cancelAll() Qp {
	for _, q := range []Queue{Initiator, Receive} {
		if unexecuted(p.Queue(q)) < 0 {
			continue
		}
		requests := slices.Clone(p.Queue(q))
		for i := range requests {
			if !requests[i].Phase.executed() {
				requests[i].Phase = executedAs(CANCELLED)
			}
		}
		p = p.withQueue(q, requests)
	}
	return p
}

// flush is NdkFlush, and what NdkDisconnect does to the queues.
func (p Qp) flush() (Qp, *Refusal) {
	if p.State == QpClosed {
		return p, usedAfterClose
	}
	return p.breakDown().cancelAll(), nil
}

// close is NdkCloseQp.
func (p Qp) close() (Qp, *Refusal) {
	if p.State == QpClosed {
		return p, usedAfterClose
	}
	p = p.cancelAll()
	p.State = QpClosed
	return p, nil
}
