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
	Unacknowledged // of a send: its message was received; of a write: it arrived before one; and the adapter does not know it yet
	Executed
)

// pendingPhases are those without an outcome.
var pendingPhases = []Phase{Deferred, Indicated, Unacknowledged}

func (p Phase) executed() bool   { return p >= Executed }
func (p Phase) outcome() Outcome { return Outcome(p - Executed) }
func executedAs(o Outcome) Phase { return Executed + Phase(o) }

func (p Phase) String() string {
	switch p {
	case Deferred:
		return "DEFERRED"
	case Indicated:
		return "INDICATED"
	case Unacknowledged:
		return "UNACKNOWLEDGED"
	}
	return p.outcome().String()
}

// Request is a posted request.
type Request struct {
	Id      int
	Op      Op
	Silent  bool // NDK_OP_FLAG_SILENT_SUCCESS
	Solicit bool // NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT; of a receive: the message had it
	Fence   bool // NDK_OP_FLAG_READ_FENCE
	Token   int  // that it makes valid or invalid, or names the peer's memory by, or NoToken; of a receive: the token that the message invalidated
	Phase   Phase
}

// MayPass is MayPass in tla/: a request may be executed while an earlier one waits, if that is a read and r need not wait
// for reads (FLAG-04).
func (r Request) MayPass(earlier Request) bool { return earlier.Op == Read && !r.Fence }

// Connection is the state of a QP.
type Connection uint8

// The states of a QP. Broken: a failure, a flush or a disconnect cancels what is pending. BrokenIdle: one of these came before
// any connection, and nothing can be sent, or succeed. Flushed: nothing posted now
// succeeds (in one reading of A15). Aborted: the connection ended for a bad token, and nothing succeeds any more (INV-05).
// QpClosing: NdkCloseQp was called; QpCompleting: its NdkCloseCompletion runs; QpClosed: it has returned.
const (
	Idle Connection = iota
	Connected
	Broken
	BrokenIdle
	Flushed
	Aborted
	QpClosing
	QpCompleting
	QpClosed
)

var connectionNames = [...]string{"IDLE", "CONNECTED", "BROKEN", "BROKEN IDLE", "FLUSHED", "ABORTED", "CLOSING", "COMPLETING", "CLOSED"}

func (c Connection) String() string { return connectionNames[c] }

// Closing reports whether the consumer has called NdkCloseQp.
func (c Connection) Closing() bool { return c >= QpClosing }

// Unconnected reports whether the QP was never connected.
func (c Connection) Unconnected() bool { return c == Idle || c == BrokenIdle }

// cancels reports whether pending requests may complete as CANCELLED (RES-08).
func (c Connection) cancels() bool { return c != Idle && c != Connected }

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

// breakDown makes p Broken, or BrokenIdle, unless it is worse off already.
func (p Qp) breakDown() Qp {
	switch p.State {
	case Idle:
		p.State = BrokenIdle
	case Connected:
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

// connect is NdkConnect, or NdkAccept. A QP that broke before need not be connected; if it is, what is posted comes after a
// flush, and is not specified (FLUSH-05).
func (d Dialect) connect(p Qp) (Qp, *Refusal) {
	switch p.State {
	case Idle:
		p.State = Connected
	case BrokenIdle:
		p.State = d.afterFlush(Connected)
	default:
		return p, connectedTwice
	}
	return p, nil
}

// afterFlush is AfterFlush: what NdkFlush makes of the connection (FLUSH-05, A15).
func (d Dialect) afterFlush(c Connection) Connection {
	if d.A15 == A15Cancelled && (c == Connected || c == Broken) {
		return Flushed
	}
	return Qp{State: c}.breakDown().State
}

// lose is ConnectionLost: the peer or the network ended the connection.
func (p Qp) lose() (Qp, *Refusal) {
	if p.State != Connected {
		return p, nothingToLose
	}
	p.State = Broken
	return p, nil
}

// post queues r: NdkSend, NdkReceive and the others when they return success, receives also before the connection (POST-09).
// Without DEFER, which is for initiator requests (DEF-01), a request indicates everything before it. It is one step, before a
// flush that it overlaps or after it (POST-04). A QP that broke before it was connected takes them in libibverbs only, where
// a QP in its error state takes posts.
func (d Dialect) post(p Qp, q Queue, r Request, deferred bool) (Qp, *Refusal) {
	switch {
	case p.State.Closing():
		return p, usedAfterClose
	case q == Initiator && p.State.Unconnected() && !(p.State == BrokenIdle && d.PostsInError):
		return p, notConnected
	}
	r.Phase = Indicated
	switch {
	case q == Receive: // is never deferred, and ends no chain
	case deferred:
		r.Phase = Deferred
	default:
		p = p.indicate()
	}
	return p.withQueue(q, append(slices.Clip(p.Queue(q)), r)), nil
}

// afterRefusal is AfterRefusal: what was deferred before the refused post is indicated (DEF-05), or dropped (A34).
func (d Dialect) afterRefusal(p Qp) Qp {
	if d.A34 == A34Executed {
		return p.indicate()
	}
	p.Initiator = slices.DeleteFunc(slices.Clone(p.Initiator), func(r Request) bool { return r.Phase == Deferred })
	return p
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

// canExecute says why request i of the queue cannot get this outcome.
func (p Qp) canExecute(q Queue, i int, o Outcome) *Refusal {
	requests := p.Queue(q)
	switch {
	case i >= len(requests) || requests[i].Phase.executed():
		return notPosted
	case requests[i].Phase == Deferred:
		return notIndicated
	}
	for _, earlier := range requests[:i] {
		if !earlier.Phase.executed() && !requests[i].MayPass(earlier) {
			return waitsForEarlier
		}
	}
	return p.State.canEnd(o)
}

// arrives reports whether r arrives with a message that is received behind it.
func (r Request) arrives() bool { return r.Op == Write && r.Phase == Indicated }

// canReceive says why the peer cannot receive the message of initiator request i. It can behind others that are
// unacknowledged, and with it arrive the writes before it.
func (p Qp) canReceive(i int) *Refusal {
	if p.Initiator[i].Phase != Indicated {
		return notIndicated
	}
	for j, r := range p.Initiator[:i+1] {
		for _, earlier := range p.Initiator[:j] {
			waits := earlier.Phase < Unacknowledged && !r.MayPass(earlier) && !earlier.arrives()
			if waits && (j == i || r.arrives()) {
				return waitsForEarlier
			}
		}
	}
	return p.State.canEnd(SUCCESS)
}

// received returns p after the message of initiator request i was received: that request is unacknowledged, and so are the
// writes that arrived with it.
func (p Qp) received(i int) Qp {
	p.Initiator = slices.Clone(p.Initiator)
	for j, r := range p.Initiator[:i+1] {
		if j == i || r.arrives() {
			p.Initiator[j].Phase = Unacknowledged
		}
	}
	return p
}

// canEnd says why no request of a QP in this state can get the outcome.
func (c Connection) canEnd(o Outcome) *Refusal {
	switch {
	case o == SUCCESS && c.Unconnected():
		return notConnected
	case o == SUCCESS && c == Aborted:
		return succeedsAborted
	case o != CANCELLED && c == Flushed:
		return postedAfterFlush
	case o == CANCELLED && !c.cancels():
		return cancelledNoCause
	}
	return nil
}

// execute gives request i of the queue its outcome; solicit and token are what the message brought to a receive that
// succeeds (FLAG-09, RES-03).
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

// typeOf is TypeOf: the type of operation that a completion of r has (RES-01, RES-02).
func typeOf(r Request) ResultType {
	switch {
	case r.Op == ReceiveOp && r.Phase == executedAs(SUCCESS) && r.Token != NoToken:
		return ReceiveAndInvalidateResult
	case r.Op == SendAndInvalidate:
		return SendResult
	}
	return resultTypes[r.Op]
}

var resultTypes = map[Op]ResultType{Send: SendResult, ReceiveOp: ReceiveResult, FastRegister: FastRegisterResult,
	Bind: BindResult, Invalidate: InvalidateResult, Read: ReadResult, Write: WriteResult}

// complete takes request i, which was executed, from the queue, and returns its completion; leaves is false when the request
// succeeded silently and has none (FLAG-01, FLAG-02), deferred or not (DEF-07).
func (d Dialect) complete(p Qp, id int, q Queue, i int) (next Qp, c Completion, leaves bool, refusal *Refusal) {
	requests := p.Queue(q)
	switch {
	case i >= len(requests):
		return p, c, false, notPosted
	case !requests[i].Phase.executed():
		return p, c, false, notExecuted
	case i > 0 && d.A9 == A9Ordered:
		return p, c, false, outOfOrder
	}
	r := requests[i]
	c = Completion{Qp: id, Queue: q, Request: r.Id, Status: r.Phase.outcome(), Type: typeOf(r), Token: NoToken}
	if q == Receive && c.Status == SUCCESS {
		c.Solicited, c.Token = r.Solicit, r.Token
	}
	rest := requests[1:]
	if i > 0 {
		rest = slices.Delete(slices.Clone(requests), i, i+1)
	}
	return p.withQueue(q, rest), c, !(r.Silent && c.Status == SUCCESS && d.A29 == A29Silent), nil
}

// end is Ended: p in another state, with every request of these phases cancelled. Those are returned, too.
func (p Qp) end(state Connection, phases ...Phase) (ended Qp, cancelled []Request) {
	p.State = state
	ends := func(r Request) bool { return slices.Contains(phases, r.Phase) }
	for _, q := range []Queue{Initiator, Receive} {
		if !slices.ContainsFunc(p.Queue(q), ends) {
			continue
		}
		requests := slices.Clone(p.Queue(q))
		for i, r := range requests {
			if ends(r) {
				requests[i].Phase = executedAs(CANCELLED)
				cancelled = append(cancelled, requests[i])
			}
		}
		p = p.withQueue(q, requests)
	}
	return p, cancelled
}

// flush is NdkFlush, and what NdkDisconnect does to the queues (FLUSH-01, FLUSH-02, RES-08, DISC-08), of this QP alone
// (FLUSH-04).
func (d Dialect) flush(p Qp) (flushed Qp, cancelled []Request, refusal *Refusal) {
	if p.State.Closing() {
		return p, nil, usedAfterClose
	}
	phases := pendingPhases
	if d.A31 == A31Stranded {
		phases = []Phase{Indicated, Unacknowledged}
	}
	flushed, cancelled = p.end(d.afterFlush(p.State), phases...)
	return flushed, cancelled, nil
}

// close is NdkCloseQp (LIFE-10).
func (p Qp) close() (closing Qp, cancelled []Request, refusal *Refusal) {
	if p.State.Closing() {
		return p, nil, usedAfterClose
	}
	closing, cancelled = p.end(QpClosing, pendingPhases...)
	return closing, cancelled, nil
}

// canFinishClose says why the close of the QP cannot complete (LIFE-07).
func (p Qp) canFinishClose() *Refusal {
	switch {
	case p.State != QpClosing:
		return closeNotPending
	case len(p.Initiator) > 0 || len(p.Receive) > 0:
		return closedWithRequests
	}
	return nil
}

// endClose is NdkCloseCompletionExit.
func (p Qp) endClose() (Qp, *Refusal) {
	if p.State != QpCompleting {
		return p, closeNotTold
	}
	p.State = QpClosed
	return p, nil
}
