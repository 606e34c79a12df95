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

// Registers reports whether the operation makes a token valid.
func (o Op) Registers() bool { return o == FastRegister || o == Bind }

// ChangesToken reports whether the operation makes a token valid or invalid.
func (o Op) ChangesToken() bool { return o.Registers() || o == Invalidate || o == SendAndInvalidate }

// Queue is the work queue of the operation: QueueOf in tla/.
func (o Op) Queue() Queue {
	if o == ReceiveOp {
		return Receive
	}
	return Initiator
}

// Phase is the progress of a request.
type Phase uint8

// The phases. From Executed on, a request has its outcome: Executed + Phase(outcome).
const (
	Deferred Phase = iota
	Indicated
	Unacknowledged // a send whose message was received, or a write that arrived before one; the adapter has no acknowledgement yet
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

// The states of a QP. Doubtful: a request failed, and the connection may have ended (A40). Broken: a CQ failed, and requests under
// way may still succeed. Ended: the connection has, and nothing succeeds any more: the error state of libibverbs (FLUSH-06).
// SendError: a failed initiator request of an unreliable QP stopped its initiator queue. SendBroken: then a CQ also failed;
// receives are as on a Broken QP. Flushed: NdkFlush was called, and what is posted now is free, or cancelled (A15). Disconnected:
// NdkDisconnect was (DISC-10). BrokenIdle: one of these came before any connection, and nothing can be sent, or succeed. Aborted:
// the connection ended for a bad token, and nothing succeeds any more (INV-05). CloseWaits: NdkCloseQp was called, and waits for
// the connector (A36); QpClosing: it has cancelled what was pending, or will, where a failure came while it waited; QpCompleting:
// its NdkCloseCompletion runs; QpClosed: it has returned.
const (
	Idle Connection = iota
	Connected
	Doubtful
	Broken
	Ended
	SendError
	SendBroken
	Flushed
	Disconnected
	BrokenIdle
	Aborted
	CloseWaits
	QpClosing
	QpCompleting
	QpClosed
)

var connectionNames = [...]string{"IDLE", "CONNECTED", "DOUBTFUL", "BROKEN", "ENDED", "SEND ERROR", "SEND BROKEN", "FLUSHED",
	"DISCONNECTED", "BROKEN IDLE", "ABORTED", "CLOSE WAITS", "CLOSING", "COMPLETING", "CLOSED"}

func (c Connection) String() string { return connectionNames[c] }

// Closing reports whether the consumer has called NdkCloseQp.
func (c Connection) Closing() bool { return c >= CloseWaits }

// sendsStopped is SendsStopped: a failure has stopped the initiator queue alone.
func (c Connection) sendsStopped() bool { return c == SendError || c == SendBroken }

// Unconnected reports whether the QP was never connected.
func (c Connection) Unconnected() bool { return c == Idle || c == BrokenIdle }

// NotConnected reports whether the QP is not connected, or not any more: it may refuse posts for that (POST-08).
func (c Connection) NotConnected() bool {
	return c.Unconnected() || c == Ended || c == Disconnected || c == Aborted
}

// inGoodOrder is InGoodOrder: nothing has ended what the requests of a queue wait for, so none is cancelled (RES-10).
func (c Connection) inGoodOrder(q Queue) bool {
	return c == Idle || c == Connected || c == CloseWaits || c == SendError && q == Receive
}

// freeAfterFlush is FreeAfterFlush: a flush leaves what is posted behind it free to succeed (A15).
func (d Dialect) freeAfterFlush(c Connection) bool { return c == Flushed && d.A15 == A15Free }

// Qp is the state of one queue pair. The queues have their requests in posting order; they are never changed in place.
type Qp struct {
	State     Connection
	Initiator []Request
	Receive   []Request
}

// Queue returns the requests of one of the queues.
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

// breakDown is Broken: it makes p Broken, BrokenIdle or SendBroken, unless it is worse off already.
func (p Qp) breakDown() Qp {
	switch p.State {
	case Idle:
		p.State = BrokenIdle
	case Connected, Doubtful:
		p.State = Broken
	case SendError:
		p.State = SendBroken
	}
	return p
}

// Break is Break of one queue pair that is not connected: what fails before there is a connection may cancel its receives.
func (s State) Break(qp int) State {
	if s.Qps[qp].State == Idle {
		return s.withQp(qp, s.Qps[qp].breakDown())
	}
	return s
}

// ConnectAgain connects one queue pair whose connection has ended, and reports whether it had. What is posted on it is not specified, as on one that
// broke before it was connected.
func (s State) ConnectAgain(d Dialect, qp int) (State, bool) {
	p := s.Qps[qp]
	if p.State != Ended && p.State != Aborted {
		return s, false
	}
	p.State = d.afterFlush(Connected)
	return s.withQp(qp, p), true
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

// connect is NdkConnect, NdkCompleteConnect (A37), or NdkAccept. A QP that broke before need not be connected; if it is, what is
// posted comes after a flush, and is not specified (FLUSH-05). In libibverbs ibv_modify_qp also brings an unreliable QP back
// whose initiator queue was stopped, and is empty.
func (d Dialect) connect(p Qp) (Qp, *Refusal) {
	switch {
	case p.State == Idle || p.State == SendError && len(p.Initiator) == 0:
		p.State = Connected
	case p.State == BrokenIdle:
		p.State = d.afterFlush(Connected)
	default:
		return p, connectedTwice
	}
	return p, nil
}

// afterFlush is AfterFlush: what NdkFlush makes of the connection (FLUSH-05, A15).
func (d Dialect) afterFlush(c Connection) Connection {
	switch {
	case d.ErrorState && (c == Connected || c == Doubtful || c == Broken || c.sendsStopped()):
		return Ended
	case c == Connected, c == Doubtful, c == Broken && d.A15 == A15Cancelled:
		return Flushed
	case c == Ended && d.A15 == A15Cancelled:
		return Disconnected
	}
	return Qp{State: c}.breakDown().State
}

// afterDisconnect is AfterDisconnect: a disconnected QP stays so (DISC-10). One that never was connected is as after a flush.
func afterDisconnect(c Connection) Connection {
	switch c {
	case Connected, Doubtful, Broken, Ended, SendError, SendBroken, Flushed:
		return Disconnected
	}
	return Qp{State: c}.breakDown().State
}

// lose is ConnectionLost: the peer or the network ended the connection, of which an unreliable QP knows nothing. From now on
// nothing succeeds.
func (d Dialect) lose(p Qp, t QpType) (Qp, *Refusal) {
	lost := p.State == Connected || p.State == Doubtful || p.State == Broken || d.freeAfterFlush(p.State)
	if !lost || !t.Promise().EndsWithPeer {
		return p, nothingToLose
	}
	p.State = Ended
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
	case q == Initiator && p.State.Unconnected() && !(p.State == BrokenIdle && d.ErrorState):
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
func (d Dialect) canExecute(p Qp, q Queue, i int, o Outcome) *Refusal {
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
	return d.canEnd(p.State, q, o)
}

// arrives reports whether r arrives with a message that is received behind it.
func (r Request) arrives() bool { return r.Op == Write && r.Phase == Indicated }

// canReceive says why the peer cannot receive the message of initiator request i. It can behind others that are
// unacknowledged, and with it arrive the writes before it.
func (d Dialect) canReceive(p Qp, i int) *Refusal {
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
	return d.canEnd(p.State, Initiator, SUCCESS)
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

// canEnd is CanEnd: it says why no request of a queue can get the outcome while the QP is in this state.
func (d Dialect) canEnd(c Connection, q Queue, o Outcome) *Refusal {
	switch {
	case o == CANCELLED && c.inGoodOrder(q):
		return cancelledNoCause
	case o != CANCELLED && c == Flushed && !d.freeAfterFlush(c):
		return postedAfterFlush
	case o != SUCCESS:
		return nil
	case c.Unconnected():
		return notConnected
	case (c == Ended || c.sendsStopped() && q == Initiator) && !d.ExecutesLate:
		return succeedsEnded
	case c == Disconnected:
		return succeedsDisconnected
	case c == Aborted:
		return succeedsAborted
	case c >= QpClosing:
		return usedAfterClose
	}
	return nil
}

// afterOutcome is AfterOutcome: what a request leaves behind that did not succeed. Where a failure ends the connection nothing
// succeeds behind it, on either queue; of an unreliable QP a failure of the initiator queue concerns that alone (FLUSH-06, A40).
// Where it only may have, the first request that is cancelled shows that it has.
func (d Dialect) afterOutcome(c Connection, t QpType, q Queue, o Outcome) Connection {
	switch {
	case o == SUCCESS:
		return c
	case c == Idle:
		return BrokenIdle
	case d.canEnd(c, q, SUCCESS) != nil:
		return c
	case d.ends() && c == Connected && q == Initiator && t.Promise().SendsApart:
		return SendError
	case d.ends() && c == CloseWaits:
		return QpClosing
	case d.ends():
		return Ended
	case c == Connected:
		return Doubtful
	case c == Doubtful && o == CANCELLED:
		return Ended
	}
	return c
}

// MayWait reports whether requests of a queue may have to wait for the peer, possibly forever: messages for a receive, and receives for a message. On a
// connection that has ended no message waits. No receive waits in the error state of libibverbs, after a disconnect, or where a flush cancels later
// posts (DEF-04).
func (d Dialect) MayWait(c Connection, t QpType, q Queue) bool {
	switch {
	case d.ExecutesLate: // what ended the connection may have come later
		return q == Receive || d.canEnd(c, q, SUCCESS) == nil && t.Promise().Delivers
	case d.freeAfterFlush(c), c == Connected, c == Doubtful:
		return q == Receive || t.Promise().Delivers
	case q == Initiator:
		return false
	case c == BrokenIdle, c == Ended, c == Aborted:
		return !d.ErrorState
	}
	return c == Idle || c == Broken || c.sendsStopped()
}

// execute gives request i of the queue its outcome; solicit and token are what the message brought to a receive that
// succeeds (FLAG-09, RES-03).
func (p Qp) execute(q Queue, i int, o Outcome, solicit bool, token int) Qp {
	requests := slices.Clone(p.Queue(q))
	requests[i].Phase = executedAs(o)
	if q == Receive && o == SUCCESS {
		requests[i].Solicit, requests[i].Token = solicit, token
	}
	return p.withQueue(q, requests)
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

// complete removes request i, which was executed, from the queue, and returns its completion. leaves is false if the request succeeded silently and has no
// completion (FLAG-01, FLAG-02), deferred or not (DEF-07).
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

// end is Ended: it returns p in another state with every request of these phases cancelled, and those requests.
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

// flush is NdkFlush or NdkDisconnect (FLUSH-01, FLUSH-02, RES-08, DISC-08). They move the QP to different states, do the same to its queues, and change
// only this QP (FLUSH-04).
func (d Dialect) flush(p Qp, next Connection) (flushed Qp, cancelled []Request, refusal *Refusal) {
	if p.State.Closing() {
		return p, nil, usedAfterClose
	}
	phases := pendingPhases
	if d.A31 == A31Stranded {
		phases = []Phase{Indicated, Unacknowledged}
	}
	flushed, cancelled = p.end(next, phases...)
	return flushed, cancelled, nil
}

// closeQp is NdkCloseQp (LIFE-10). While the connector is open the close may do nothing but wait (A36).
func (d Dialect) closeQp(p Qp, waits bool) (closing Qp, cancelled []Request, refusal *Refusal) {
	switch {
	case p.State.Closing():
		return p, nil, usedAfterClose
	case waits && (d.A36 == A36No || d.ErrorState || d.canEnd(p.State, Receive, SUCCESS) != nil):
		return p, nil, closeWaitsForNothing
	case waits:
		p.State = CloseWaits
		return p, nil, nil
	}
	closing, cancelled = p.end(QpClosing, pendingPhases...)
	return closing, cancelled, nil
}

// beginClose is CloseBegins: the close has waited long enough, or a failure has ended what it waited for, and it cancels the remaining requests,
// deferred ones included.
func (p Qp) beginClose() (closing Qp, cancelled []Request, refusal *Refusal) {
	left := slices.ContainsFunc(slices.Concat(p.Initiator, p.Receive), func(r Request) bool { return !r.Phase.executed() })
	if p.State != CloseWaits && (p.State != QpClosing || !left) {
		return p, nil, closeNotPending
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
