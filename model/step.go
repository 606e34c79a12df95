package model

import "slices"

// Name is the name of an action: the same in tla/, and in traces if the action is visible there. Post stands for NdkSend, NdkReceive and all other calls
// that post a request.
type Name string

// The actions. Those with the prefix Ndk, Post and PostRefused are calls and callbacks. The others are hidden steps: a trace does not show when
// they happen.
const (
	NdkArmCq                       Name = "NdkArmCq"
	NdkGetCqResults                Name = "NdkGetCqResults"
	NdkGetCqResultsEx              Name = "NdkGetCqResultsEx"
	NdkCqNotificationCallbackEnter Name = "NdkCqNotificationCallbackEnter"
	NdkCqNotificationCallbackExit  Name = "NdkCqNotificationCallbackExit"
	NdkResizeCq                    Name = "NdkResizeCq"
	Resize                         Name = "Resize"
	NdkRequestCompletionEnter      Name = "NdkRequestCompletionEnter"
	NdkRequestCompletionExit       Name = "NdkRequestCompletionExit"
	NdkCloseCq                     Name = "NdkCloseCq"
	NdkCloseCompletion             Name = "NdkCloseCompletion"
	Place                          Name = "Place"
	Overflow                       Name = "Overflow"
	CqInternalError                Name = "InternalError"
	ExtraEvent                     Name = "ExtraEventComes"

	NdkSrqReceive                   Name = "NdkSrqReceive"
	Take                            Name = "Take"
	CompleteReceive                 Name = "CompleteReceive"
	QpEnds                          Name = "QpEnds"
	LastWqeReached                  Name = "LastWqeReached"
	NdkModifySrq                    Name = "NdkModifySrq"
	SrqModified                     Name = "SrqModified"
	SrqModifyTold                   Name = "SrqModifyTold"
	NdkSrqNotificationCallbackEnter Name = "NdkSrqNotificationCallbackEnter"
	NdkSrqNotificationCallbackExit  Name = "NdkSrqNotificationCallbackExit"
	SrqInternalError                Name = "SrqInternalError"
	NdkCloseSrq                     Name = "NdkCloseSrq"
	SrqClosed                       Name = "SrqClosed"

	NdkConnect     Name = "NdkConnect"
	ConnectionLost Name = "ConnectionLost"
	Post           Name = "Post"
	PostRefused    Name = "PostRefused"
	HwIndicate     Name = "HwIndicate"
	Execute        Name = "Execute"
	Complete       Name = "Complete"
	NdkFlush       Name = "NdkFlush"
	NdkDisconnect  Name = "NdkDisconnect"
	NdkCloseQp     Name = "NdkCloseQp"
	Deliver        Name = "Deliver"
	Abort          Name = "Abort"
	CompletionLost Name = "CompletionLost"
	CloseBegins    Name = "CloseBegins"
	TokenDies      Name = "TokenDies"

	NdkCloseCompletionEnter Name = "NdkCloseCompletionEnter"
	NdkCloseCompletionExit  Name = "NdkCloseCompletionExit"
)

// Action is an action with its arguments; those that its name has no use for are zero.
type Action struct {
	Name       Name
	Cq         int
	Qp         int // of Deliver and Abort: the sender; of actions of an SRQ: the QP that takes the receive
	Queue      Queue
	At         int        // Execute, Complete, CompletionLost: the place in the queue, from 0
	Type       Arm        // NdkArmCq
	N, K       int        // NdkGetCqResults, NdkGetCqResultsEx: room, and how many it returned
	CqStatus   Health     // NdkCqNotificationCallbackEnter, NdkSrqNotificationCallbackEnter
	Depth      int        // NdkResizeCq, NdkModifySrq
	Completion Completion // Place
	Request    Request    // Post, PostRefused
	Deferred   bool       // Post of an initiator request
	Outcome    Outcome    // Execute; NdkRequestCompletionEnter: of the resize; Abort: of the send
	Received   Outcome    // Abort: of the receive, FAILED or CANCELLED
	Solicited  bool       // Execute of a receive: the flag of its message
	Token      int        // Execute of a receive: the token that the message invalidated, or NoToken; TokenDies
	Manner
	OfSrq
}

// Manner selects between the two ways of an action that has two.
type Manner struct {
	Dropped bool // NdkCloseCompletionEnter: the completions of the QP have vanished
	Invalid bool // PostRefused: with STATUS_CONNECTION_INVALID
	Waits   bool // NdkCloseQp: for the connector, and cancels nothing yet
}

// OfSrq is what actions on a shared receive queue are about.
type OfSrq struct {
	Srq       int
	Threshold int // NdkModifySrq
}

// Step returns the states that may follow s by a, each once, or the reason why none may. The objects that a names must be
// those of the contract.
func (c *Contract) Step(s State, a Action) ([]State, *Refusal) {
	switch a.Name {
	case NdkArmCq, NdkGetCqResults, NdkGetCqResultsEx, NdkCqNotificationCallbackEnter, NdkCqNotificationCallbackExit,
		NdkResizeCq, Resize, NdkRequestCompletionEnter, NdkRequestCompletionExit, NdkCloseCq, Place, ExtraEvent:
		next, refusal := c.stepCq(s, a)
		return s.eachCq(a.Cq, next), refusal
	case Overflow:
		return c.failCq(s, a.Cq, BufferOverflow)
	case CqInternalError:
		return c.failCq(s, a.Cq, InternalError)
	case Complete:
		return c.complete(s, a)
	case NdkSrqReceive, Take, CompleteReceive, QpEnds, LastWqeReached, NdkModifySrq, SrqModified, SrqModifyTold,
		NdkSrqNotificationCallbackEnter, NdkSrqNotificationCallbackExit, SrqInternalError, NdkCloseSrq, SrqClosed:
		return c.stepSrq(s, a)
	}
	next, refusal := c.stepOne(s, a)
	if refusal != nil {
		return nil, refusal
	}
	return []State{next}, nil
}

// stepOne performs the actions that lead to one state.
func (c *Contract) stepOne(s State, a Action) (State, *Refusal) {
	switch a.Name {
	case Post:
		return c.post(s, a)
	case PostRefused:
		return c.refusePost(s, a)
	case Execute:
		return c.execute(s, a)
	case CompletionLost:
		return c.loseCompletion(s, a)
	case Deliver:
		return c.deliver(s, a)
	case Abort:
		return c.abort(s, a)
	case NdkFlush:
		return c.cancelling(s, a)(c.Dialect.flush(s.Qps[a.Qp], c.Dialect.afterFlush(s.Qps[a.Qp].State)))
	case NdkDisconnect:
		return c.cancelling(s, a)(c.Dialect.flush(s.Qps[a.Qp], afterDisconnect(s.Qps[a.Qp].State)))
	case NdkCloseQp:
		return c.cancelling(s, a)(c.Dialect.closeQp(s.Qps[a.Qp], a.Waits))
	case CloseBegins:
		return c.cancelling(s, a)(s.Qps[a.Qp].beginClose())
	case TokenDies:
		if s.Tokens[a.Token] == Invalid {
			return s, tokenIsDead
		}
		return s.withToken(a.Token, Invalid), nil
	case NdkCloseCompletionEnter:
		return c.finishCloseQp(s, a)
	case NdkCloseCompletion:
		return c.finishCloseCq(s, a)
	}
	p, refusal := c.Dialect.stepQp(s.Qps[a.Qp], c.Qps[a.Qp].Type, a)
	if refusal != nil {
		return s, refusal
	}
	return s.withQp(a.Qp, p), nil
}

// cancelling returns what makes of a step that cancels requests of a QP the state that follows s.
func (c *Contract) cancelling(s State, a Action) func(Qp, []Request, *Refusal) (State, *Refusal) {
	return func(p Qp, cancelled []Request, refusal *Refusal) (State, *Refusal) {
		if refusal != nil {
			return s, refusal
		}
		return c.cancelTokens(s.withQp(a.Qp, p), cancelled), nil
	}
}

func (s State) eachCq(i int, cqs []Cq) []State {
	next := slices.Grow([]State(nil), len(cqs))
	for _, q := range cqs {
		next = append(next, s.withCq(i, q))
	}
	return next
}

func (c *Contract) stepCq(s State, a Action) ([]Cq, *Refusal) {
	d, q := c.Dialect, s.Cqs[a.Cq]
	switch a.Name {
	case NdkArmCq:
		return d.arm(q, a.Type)
	case NdkGetCqResults, NdkGetCqResultsEx:
		return d.poll(q, a.N, a.K)
	case NdkCqNotificationCallbackEnter:
		return d.enter(q, a.CqStatus)
	case NdkCqNotificationCallbackExit:
		return d.exit(q)
	case NdkResizeCq:
		return d.askResize(q, a.Depth)
	case Resize:
		return d.resize(q)
	case NdkRequestCompletionEnter:
		return d.tellResize(q, a.Outcome)
	case NdkRequestCompletionExit:
		return d.endResize(q)
	case NdkCloseCq:
		return d.close(q)
	case ExtraEvent:
		return d.extraEvent(q)
	}
	return d.place(q, c.capacity(s, a.Cq), a.Completion)
}

// stepSrq performs an action on a shared receive queue.
func (c *Contract) stepSrq(s State, a Action) ([]State, *Refusal) {
	srqs, refusal := c.afterSrq(s.Srqs[a.Srq], a)
	next := slices.Grow([]State(nil), len(srqs))
	for _, r := range srqs {
		of := s
		of.Srqs = slices.Clone(s.Srqs)
		of.Srqs[a.Srq] = r
		next = append(next, of)
	}
	return next, refusal
}

func (c *Contract) afterSrq(r Srq, a Action) ([]Srq, *Refusal) {
	d := c.Dialect
	switch a.Name {
	case NdkSrqReceive:
		return r.postReceive()
	case Take:
		return d.take(r, a.Qp)
	case CompleteReceive:
		return d.completeReceive(r, a.Qp)
	case QpEnds:
		return d.endQp(r, a.Qp)
	case LastWqeReached:
		return r.tellLast(a.Qp)
	case NdkModifySrq:
		return r.askModify(a.Depth, a.Threshold)
	case SrqModified:
		return d.modified(r, c.Srqs[a.Srq].Notifies)
	case SrqModifyTold:
		return r.tellModify()
	case NdkSrqNotificationCallbackEnter:
		return d.enterSrq(r, a.CqStatus)
	case NdkSrqNotificationCallbackExit:
		return r.exitSrq()
	case SrqInternalError:
		return r.failSrq(c.Srqs[a.Srq].Notifies)
	case NdkCloseSrq:
		return r.closeSrq()
	}
	return r.finishCloseSrq()
}

func (d Dialect) stepQp(p Qp, t QpType, a Action) (Qp, *Refusal) {
	switch a.Name {
	case NdkConnect:
		return d.connect(p)
	case ConnectionLost:
		return d.lose(p, t)
	case HwIndicate:
		return p.hwIndicate()
	case NdkCloseCompletionExit:
		return p.endClose()
	}
	panic("model: no action " + string(a.Name))
}

// post is a post that returns success. Whether NdkInvalidate of an invalid token may, is a reading (A8).
func (c *Contract) post(s State, a Action) (State, *Refusal) {
	p, refusal := c.Dialect.post(s.Qps[a.Qp], a.Queue, a.Request, a.Deferred)
	switch {
	case refusal != nil:
		return s, refusal
	case c.Dialect.A8 == A8Inline && s.namesDeadToken(a.Request, s.Qps[a.Qp].Initiator):
		return s, deadTokenAccepted
	}
	return s.withQp(a.Qp, p), nil
}

// refusePost is a post that returns failure: it queues nothing (DEF-03), and ends the chains that it has to end (DEF-05).
func (c *Contract) refusePost(s State, a Action) (State, *Refusal) {
	switch d := c.Dialect; {
	case s.Qps[a.Qp].State.Closing():
		return s, usedAfterClose
	case a.Invalid && !s.Qps[a.Qp].State.NotConnected():
		return s, refusedConnected
	case d.A8 == A8Completion && s.namesDeadToken(a.Request, s.Qps[a.Qp].Initiator):
		return s, deadTokenRefused
	case a.Queue == Receive && d.A30 == A30Initiator:
		return s, nil
	case d.A10 == A10Qp:
		return s.withQp(a.Qp, d.afterRefusal(s.Qps[a.Qp])), nil
	}
	for i, p := range s.Qps {
		s = s.withQp(i, c.Dialect.afterRefusal(p))
	}
	return s, nil
}

// complete places the completion of an executed request, if it leaves one.
func (c *Contract) complete(s State, a Action) ([]State, *Refusal) {
	p, completion, leaves, refusal := c.Dialect.complete(s.Qps[a.Qp], a.Qp, a.Queue, a.At)
	if refusal != nil {
		return nil, refusal
	}
	s = s.withQp(a.Qp, p)
	if !leaves {
		return []State{s}, nil
	}
	cq := c.Qps[a.Qp].Cq(a.Queue)
	next, refusal := c.Dialect.place(s.Cqs[cq], c.capacity(s, cq), completion)
	return s.eachCq(cq, next), refusal
}

// loseCompletion is CompletionLost: a request completes into a CQ that has failed (ARM-17), or on a QP that is being closed
// (A21), and no event shows it.
func (c *Contract) loseCompletion(s State, a Action) (State, *Refusal) {
	p, _, leaves, refusal := c.Dialect.complete(s.Qps[a.Qp], a.Qp, a.Queue, a.At)
	closing := s.Qps[a.Qp].State == QpClosing && c.Dialect.A21 != A21Kept
	switch {
	case refusal != nil:
		return s, refusal
	case !leaves || s.Cqs[c.Qps[a.Qp].Cq(a.Queue)].Health == OK && !closing:
		return s, lostForNothing
	}
	return s.withQp(a.Qp, p), nil
}

// finishCloseQp is NdkCloseCompletionEnter of a QP: its completions stay in the CQs, or vanish (A21).
func (c *Contract) finishCloseQp(s State, a Action) (State, *Refusal) {
	p := s.Qps[a.Qp]
	if refusal := p.canFinishClose(); refusal != nil {
		return s, refusal
	}
	if a.Dropped && c.Dialect.A21 == A21Kept || !a.Dropped && c.Dialect.A21 == A21Dropped {
		return s, notKeptSo
	}
	p.State = QpCompleting
	s = s.withQp(a.Qp, p)
	for i := 0; a.Dropped && i < len(s.Cqs); i++ {
		s = s.withCq(i, s.Cqs[i].without(a.Qp))
	}
	return s, nil
}

// finishCloseCq is NdkCloseCompletion of a CQ, which comes after those of its QPs (LIFE-04, LIFE-05, LIFE-15).
func (c *Contract) finishCloseCq(s State, a Action) (State, *Refusal) {
	for i, b := range c.Qps {
		if c.Composed && (b.InitiatorCq == a.Cq || b.ReceiveCq == a.Cq) && s.Qps[i].State != QpClosed {
			return s, closedBeforeQps
		}
	}
	q, refusal := s.Cqs[a.Cq].closeCompletion()
	if refusal != nil {
		return s, refusal
	}
	return s.withCq(a.Cq, q), nil
}

// failCq is Overflow and InternalError: the CQ's QPs break with it (ARM-18).
func (c *Contract) failCq(s State, cq int, h Health) ([]State, *Refusal) {
	next, refusal := c.Dialect.fail(s.Cqs[cq], h)
	if refusal != nil {
		return nil, refusal
	}
	if c.Composed && h == BufferOverflow && !c.WaitsForRoom(s, cq) {
		return nil, nothingOverflows
	}
	for i, b := range c.Qps {
		if b.InitiatorCq == cq || b.ReceiveCq == cq {
			s = s.withQp(i, s.Qps[i].breakDown())
		}
	}
	return s.eachCq(cq, next), nil
}

// WaitsForRoom reports whether a completion is about to be placed in the CQ: one overflows for nothing less (ARM-16).
func (c *Contract) WaitsForRoom(s State, cq int) bool {
	for p, b := range c.Qps {
		for _, q := range []Queue{Initiator, Receive} {
			for i := range s.Qps[p].Queue(q) {
				if _, _, leaves, refusal := c.Dialect.complete(s.Qps[p], p, q, i); b.Cq(q) == cq && refusal == nil && leaves {
					return true
				}
			}
		}
	}
	return false
}

// execute gives a request its outcome, and the token its effect.
func (c *Contract) execute(s State, a Action) (State, *Refusal) {
	p, t := s.Qps[a.Qp], c.Qps[a.Qp].Type
	if refusal := c.Dialect.canExecute(p, a.Queue, a.At, a.Outcome); refusal != nil {
		return s, refusal
	}
	r := p.Queue(a.Queue)[a.At]
	if c.Composed && t.Promise().Delivers && a.Outcome == SUCCESS && r.Phase != Unacknowledged && (r.Op.IsSend() || r.Op == ReceiveOp) {
		return s, messageAlone
	}
	if r.Op == ReceiveOp && a.Outcome == SUCCESS && a.Token != NoToken {
		s = s.withToken(a.Token, Invalid) // whether it was valid is for Deliver to say, which knows the peer
	}
	if peer := c.Qps[a.Qp].Peer; c.Composed && a.Outcome == SUCCESS && r.Op == Read && peer >= 0 && !c.Answers(s, peer) {
		return s, notAnswered
	}
	s, refusal := c.executeToken(s, r, a.Outcome)
	if refusal != nil {
		return s, refusal
	}
	p = p.execute(a.Queue, a.At, a.Outcome, a.Solicited, a.Token)
	p.State = c.Dialect.afterOutcome(p.State, t, a.Queue, a.Outcome)
	return s.withQp(a.Qp, p), nil
}

// Answers reports whether a queue pair answers a read of the other end: it was connected, exists, and is not in the error state of libibverbs (RES-14).
func (c *Contract) Answers(s State, qp int) bool {
	switch s.Qps[qp].State {
	case Idle, BrokenIdle, QpClosed:
		return false
	case Ended:
		return !c.Dialect.ErrorState
	}
	return true
}

// deliver is a send that reaches the peer's oldest receive, which succeeds; the send is unacknowledged. The token that it
// names is invalid before the receive completes (RES-09, INV-06).
func (c *Contract) deliver(s State, a Action) (State, *Refusal) {
	peer := c.Qps[a.Qp].Peer
	i, j, refusal := c.meet(s, a.Qp, peer)
	if refusal != nil {
		return s, refusal
	}
	for _, r := range s.Qps[a.Qp].Initiator[:i] {
		if r.arrives() && r.Token != NoToken && s.Tokens[r.Token] == Invalid {
			return s, deadAccess
		}
	}
	send := s.Qps[a.Qp].Initiator[i]
	token := NoToken
	if send.Op == SendAndInvalidate && send.Token != NoToken {
		if s.Tokens[send.Token] == Invalid {
			return s, badTokenDelivered
		}
		token = send.Token
		s = s.withToken(token, Invalid)
	}
	s = s.withQp(a.Qp, s.Qps[a.Qp].received(i))
	return s.withQp(peer, s.Qps[peer].execute(Receive, j, SUCCESS, send.Solicit, token)), nil
}

// abort is a send that names a token which is not valid: the receiver's provider ends the connection (INV-05).
func (c *Contract) abort(s State, a Action) (State, *Refusal) {
	peer := c.Qps[a.Qp].Peer
	i, j, refusal := c.meet(s, a.Qp, peer)
	if refusal != nil {
		return s, refusal
	}
	send := s.Qps[a.Qp].Initiator[i]
	if send.Op != SendAndInvalidate || send.Token == NoToken || s.Tokens[send.Token] == Valid {
		return s, goodTokenAborted
	}
	if refusal := c.Dialect.canExecute(s.Qps[a.Qp], Initiator, i, SUCCESS); refusal != nil {
		return s, refusal // what answers the message acknowledges those before it
	}
	if a.Outcome == CANCELLED {
		return s, cancelledNoCause
	}
	if a.Received == SUCCESS {
		return s, badTokenDelivered
	}
	s = s.withQp(a.Qp, s.Qps[a.Qp].execute(Initiator, i, a.Outcome, false, NoToken))
	s = s.withQp(peer, s.Qps[peer].execute(Receive, j, a.Received, false, NoToken))
	for _, p := range []int{a.Qp, peer} {
		next := Aborted
		if s.Qps[p].State.Closing() {
			next = QpClosing
		}
		qp, cancelled := s.Qps[p].end(next, pendingPhases...)
		s = c.cancelTokens(s.withQp(p, qp), cancelled)
	}
	return s, nil
}

// meet finds the next message of from and the receive of to that takes it: messages are received in posting order, and
// receives wait for those before them.
func (c *Contract) meet(s State, from, to int) (i, j int, refusal *Refusal) {
	if to < 0 || !c.Qps[from].Type.Promise().Delivers {
		return i, j, notPeers
	}
	i = slices.IndexFunc(s.Qps[from].Initiator, func(r Request) bool { return r.Phase < Unacknowledged && r.Op.IsSend() })
	j = slices.IndexFunc(s.Qps[to].Receive, func(r Request) bool { return !r.Phase.executed() })
	if i < 0 || j < 0 {
		return i, j, notPeers
	}
	if refusal = c.Dialect.canReceive(s.Qps[from], i); refusal != nil {
		return i, j, refusal
	}
	return i, j, c.Dialect.canExecute(s.Qps[to], Receive, j, SUCCESS)
}
