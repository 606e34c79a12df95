package model

import "slices"

// Name is the name of an action: the same in tla/, and in traces where the action can be seen. Post stands for NdkSend,
// NdkReceive and all other calls that post a request.
type Name string

// The actions. Those with the prefix Ndk are calls and callbacks, and so are Post and PostRefused; the others are hidden:
// nobody sees when they happen.
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
)

// Action is an action with its arguments; those that its name has no use for are zero.
type Action struct {
	Name       Name
	Cq         int
	Qp         int // of Deliver and Abort: the sender
	Queue      Queue
	Type       Arm        // NdkArmCq
	N, K       int        // NdkGetCqResults, NdkGetCqResultsEx: room, and how many it returned
	CqStatus   Health     // NdkCqNotificationCallbackEnter
	Depth      int        // NdkResizeCq
	Completion Completion // Place
	Request    Request    // Post; PostRefused has no need of it
	Deferred   bool       // Post of an initiator request
	Outcome    Outcome    // Execute; NdkRequestCompletionEnter: of the resize; Abort: of the send
	Received   Outcome    // Abort: of the receive, FAILED or CANCELLED
	Solicited  bool       // Execute of a receive: what the message brought
	Token      int        // Execute of a receive: the token that the message invalidated, or NoToken
}

// Step returns the states that may follow s by a, each once, or the reason why none may. The objects that a names must be
// those of the contract.
func (c *Contract) Step(s State, a Action) ([]State, *Refusal) {
	d := c.Dialect
	switch a.Name {
	case NdkArmCq, NdkGetCqResults, NdkGetCqResultsEx, NdkCqNotificationCallbackEnter, NdkCqNotificationCallbackExit,
		NdkResizeCq, Resize, NdkRequestCompletionEnter, NdkRequestCompletionExit, NdkCloseCq, NdkCloseCompletion, Place, ExtraEvent:
		next, refusal := c.stepCq(s, a)
		return s.eachCq(a.Cq, next), refusal
	case Overflow:
		return c.failCq(s, a.Cq, BufferOverflow)
	case CqInternalError:
		return c.failCq(s, a.Cq, InternalError)
	case Execute:
		return c.execute(s, a)
	case Complete:
		p, completion, placed, refusal := s.Qps[a.Qp].complete(a.Qp, a.Queue)
		if refusal != nil {
			return nil, refusal
		}
		s = s.withQp(a.Qp, p)
		if !placed {
			return []State{s}, nil
		}
		cq := c.Qps[a.Qp].Cq(a.Queue)
		next, refusal := d.place(s.Cqs[cq], c.capacity(s, cq), completion)
		return s.eachCq(cq, next), refusal
	case Deliver:
		return c.deliver(s, a)
	case Abort:
		return c.abort(s, a)
	}
	next, refusal := c.stepQp(s.Qps[a.Qp], a)
	if refusal != nil {
		return nil, refusal
	}
	return []State{s.withQp(a.Qp, next)}, nil
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
	case NdkCloseCompletion:
		return d.closeCompletion(q)
	case ExtraEvent:
		return d.extraEvent(q)
	}
	return d.place(q, c.capacity(s, a.Cq), a.Completion)
}

func (c *Contract) stepQp(p Qp, a Action) (Qp, *Refusal) {
	switch a.Name {
	case NdkConnect:
		return p.connect()
	case ConnectionLost:
		return p.lose()
	case Post:
		return p.post(a.Queue, a.Request, a.Deferred)
	case PostRefused:
		return p.refuse(a.Queue)
	case HwIndicate:
		return p.hwIndicate()
	case NdkFlush, NdkDisconnect:
		return p.flush()
	case NdkCloseQp:
		return p.close()
	}
	panic("model: no action " + string(a.Name))
}

// failCq is Overflow and InternalError: the CQ's QPs break with it (ARM-18).
func (c *Contract) failCq(s State, cq int, h Health) ([]State, *Refusal) {
	next, refusal := c.Dialect.fail(s.Cqs[cq], h)
	if refusal != nil {
		return nil, refusal
	}
	if c.Composed && h == BufferOverflow && !c.waitsForRoom(s, cq) {
		return nil, nothingOverflows
	}
	for i, b := range c.Qps {
		if b.InitiatorCq == cq || b.ReceiveCq == cq {
			s = s.withQp(i, s.Qps[i].breakDown())
		}
	}
	return s.eachCq(cq, next), nil
}

// waitsForRoom reports whether a completion is about to be placed in the CQ (ARM-16).
func (c *Contract) waitsForRoom(s State, cq int) bool {
	for i, b := range c.Qps {
		for _, q := range []Queue{Initiator, Receive} {
			if _, _, placed, refusal := s.Qps[i].complete(i, q); b.Cq(q) == cq && refusal == nil && placed {
				return true
			}
		}
	}
	return false
}

// execute gives the oldest request without an outcome its outcome, and the token its effect.
func (c *Contract) execute(s State, a Action) ([]State, *Refusal) {
	p := s.Qps[a.Qp]
	i, refusal := p.canExecute(a.Queue, a.Outcome)
	if refusal != nil {
		return nil, refusal
	}
	r := p.Queue(a.Queue)[i]
	if c.Composed && a.Outcome == SUCCESS && (r.Op.IsSend() || r.Op == ReceiveOp) {
		return nil, messageAlone
	}
	if r.Op == ReceiveOp && a.Outcome == SUCCESS && a.Token != NoToken {
		s = s.withToken(a.Token, false) // whether it was valid is for Deliver to say, which knows the peer
	}
	if a.Outcome == SUCCESS && r.Token != NoToken {
		switch r.Op {
		case FastRegister, Bind:
			s = s.withToken(r.Token, true)
		case Invalidate:
			if !s.Tokens[r.Token] {
				return nil, deadToken
			}
			s = s.withToken(r.Token, false)
		}
	}
	return []State{s.withQp(a.Qp, p.execute(a.Queue, i, a.Outcome, a.Solicited, a.Token))}, nil
}

// deliver is a send that reaches the peer's oldest receive; both succeed. The token that it names is invalid before the
// receive completes (RES-09, INV-06).
func (c *Contract) deliver(s State, a Action) ([]State, *Refusal) {
	peer := c.Qps[a.Qp].Peer
	i, j, refusal := c.meet(s, a.Qp, peer)
	if refusal != nil {
		return nil, refusal
	}
	send := s.Qps[a.Qp].Initiator[i]
	token := NoToken
	if send.Op == SendAndInvalidate && send.Token != NoToken {
		if !s.Tokens[send.Token] {
			return nil, badTokenDelivered
		}
		token = send.Token
		s = s.withToken(token, false)
	}
	s = s.withQp(a.Qp, s.Qps[a.Qp].execute(Initiator, i, SUCCESS, false, NoToken))
	return []State{s.withQp(peer, s.Qps[peer].execute(Receive, j, SUCCESS, send.Solicit, token))}, nil
}

// abort is a send that names a token which is not valid: the receiver's provider ends the connection (INV-05).
func (c *Contract) abort(s State, a Action) ([]State, *Refusal) {
	peer := c.Qps[a.Qp].Peer
	i, j, refusal := c.meet(s, a.Qp, peer)
	if refusal != nil {
		return nil, refusal
	}
	send := s.Qps[a.Qp].Initiator[i]
	if send.Op != SendAndInvalidate || send.Token == NoToken || s.Tokens[send.Token] {
		return nil, goodTokenAborted
	}
	if a.Outcome == CANCELLED {
		return nil, cancelledNoCause
	}
	if a.Received == SUCCESS {
		return nil, badTokenDelivered
	}
	s = s.withQp(a.Qp, s.Qps[a.Qp].execute(Initiator, i, a.Outcome, false, NoToken))
	s = s.withQp(peer, s.Qps[peer].execute(Receive, j, a.Received, false, NoToken))
	for _, p := range []int{a.Qp, peer} {
		qp := s.Qps[p].cancelAll()
		qp.State = Aborted
		s = s.withQp(p, qp)
	}
	return []State{s}, nil
}

// meet finds the oldest send of from and the oldest receive of to that have no outcome.
func (c *Contract) meet(s State, from, to int) (i, j int, refusal *Refusal) {
	if to < 0 {
		return 0, 0, notPeers
	}
	if i, refusal = s.Qps[from].canExecute(Initiator, SUCCESS); refusal != nil {
		return 0, 0, refusal
	}
	if !s.Qps[from].Initiator[i].Op.IsSend() {
		return 0, 0, notPeers
	}
	j, refusal = s.Qps[to].canExecute(Receive, SUCCESS)
	return i, j, refusal
}
