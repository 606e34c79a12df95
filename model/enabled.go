package model

import "slices"

// Names lists the names of all actions.
func Names() []Name {
	return []Name{
		NdkArmCq, NdkGetCqResults, NdkGetCqResultsEx, NdkCqNotificationCallbackEnter, NdkCqNotificationCallbackExit,
		NdkResizeCq, Resize, NdkRequestCompletionEnter, NdkRequestCompletionExit, NdkCloseCq, NdkCloseCompletion,
		Place, Overflow, CqInternalError, ExtraEvent,
		NdkConnect, ConnectionLost, Post, PostRefused, HwIndicate, Execute, Complete, NdkFlush, NdkDisconnect, NdkCloseQp,
		Deliver, Abort, CompletionLost, CloseBegins, NdkCloseCompletionEnter, NdkCloseCompletionExit, TokenDies,
		NdkSrqReceive, Take, CompleteReceive, QpEnds, LastWqeReached, NdkModifySrq, SrqModified, SrqModifyTold,
		NdkSrqNotificationCallbackEnter, NdkSrqNotificationCallbackExit, SrqInternalError, NdkCloseSrq, SrqClosed,
	}
}

// Domain bounds the arguments of actions that are unbounded by themselves. Arms, outcomes and the like are few: Enabled tries all of them.
type Domain struct {
	Room        []int        // of NdkGetCqResults and NdkGetCqResultsEx, in completions
	Depths      []int        // of NdkResizeCq and NdkModifySrq
	Thresholds  []int        // of NdkModifySrq
	Completions []Completion // of Place; where QPs place completions, by Complete, there are none
	Requests    []Request    // of Post and PostRefused, on any QP
	Places      int          // of Execute, Complete and CompletionLost: how many places from the head of a queue; at least one
}

// Actions returns all actions with arguments from the domain, whatever a state allows. The order is that of Names, then of
// the objects and arguments.
func (c *Contract) Actions(d Domain) []Action {
	var all []Action
	add := func(a Action) { all = append(all, a) }
	for _, name := range Names() {
		for i := range c.Depth {
			c.ofCq(Action{Name: name, Cq: i}, d, add)
		}
		for i := range c.Qps {
			c.ofQp(Action{Name: name, Qp: i}, d, add)
		}
		for i, srq := range c.Srqs {
			ofSrq(Action{Name: name, OfSrq: OfSrq{Srq: i}}, srq.Qps, d, add)
		}
		for i := range c.Tokens {
			if name == TokenDies {
				add(Action{Name: name, Token: i})
			}
		}
	}
	return all
}

// Enabled returns those of Actions that are enabled in s: Step does not refuse them. They include actions that do not change s, such as polling an
// empty CQ.
//
// Step and Enabled together are the graph of all states:
//
//	for _, a := range c.Enabled(s, d) {
//		next, _ := c.Step(s, a)
//		...
//	}
func (c *Contract) Enabled(s State, d Domain) []Action {
	return slices.DeleteFunc(c.Actions(d), func(a Action) bool {
		_, refusal := c.Step(s, a)
		return refusal != nil
	})
}

// ofCq calls add with every form that an action about one CQ can have.
func (c *Contract) ofCq(a Action, d Domain, add func(Action)) {
	switch a.Name {
	case NdkArmCq:
		for _, a.Type = range []Arm{ERRORS, SOLICITED, ANY} {
			add(a)
		}
	case NdkGetCqResults, NdkGetCqResultsEx:
		for _, a.N = range d.Room {
			for a.K = range slices.Max(d.Room) + 1 {
				add(a)
			}
		}
	case NdkCqNotificationCallbackEnter:
		for _, a.CqStatus = range []Health{OK, BufferOverflow, InternalError} {
			add(a)
		}
	case NdkResizeCq:
		for _, a.Depth = range d.Depths {
			add(a)
		}
	case NdkRequestCompletionEnter:
		for _, a.Outcome = range []Outcome{SUCCESS, FAILED} {
			add(a)
		}
	case Place:
		for _, a.Completion = range d.Completions {
			add(a)
		}
	case NdkCqNotificationCallbackExit, Resize, NdkRequestCompletionExit, NdkCloseCq, NdkCloseCompletion,
		Overflow, CqInternalError, ExtraEvent:
		add(a)
	}
}

// ofQp calls add with every form that an action about one QP can have.
func (c *Contract) ofQp(a Action, d Domain, add func(Action)) {
	switch a.Name {
	case Post:
		for _, a.Request = range d.Requests {
			a.Queue, a.Deferred = a.Request.Op.Queue(), false
			add(a)
			if a.Queue == Initiator {
				a.Deferred = true
				add(a)
			}
		}
	case PostRefused:
		for _, a.Request = range d.Requests {
			a.Queue, a.Invalid = a.Request.Op.Queue(), false
			add(a)
			if a.Queue == Initiator {
				a.Invalid = true
				add(a)
			}
		}
	case Execute:
		for a.At = range max(d.Places, 1) {
			c.ofExecute(a, add)
		}
	case Complete, CompletionLost:
		for _, a.Queue = range []Queue{Initiator, Receive} {
			for a.At = range max(d.Places, 1) {
				add(a)
			}
		}
	case NdkCloseCompletionEnter:
		for _, a.Dropped = range []bool{false, true} {
			add(a)
		}
	case Abort:
		for _, a.Outcome = range []Outcome{SUCCESS, FAILED} {
			for _, a.Received = range []Outcome{FAILED, CANCELLED} {
				add(a)
			}
		}
	case NdkCloseQp:
		for _, a.Waits = range []bool{false, true} {
			add(a)
		}
	case NdkConnect, ConnectionLost, HwIndicate, NdkFlush, NdkDisconnect, Deliver, CloseBegins, NdkCloseCompletionExit:
		add(a)
	}
}

// ofExecute calls add with every outcome of the request in one place of each queue.
func (c *Contract) ofExecute(a Action, add func(Action)) {
	a.Token = NoToken
	for _, a.Queue = range []Queue{Initiator, Receive} {
		for _, a.Outcome = range []Outcome{FAILED, CANCELLED} {
			add(a)
		}
	}
	a.Queue, a.Outcome = Initiator, SUCCESS
	add(a)
	a.Queue = Receive
	for _, a.Solicited = range []bool{false, true} {
		for a.Token = NoToken; a.Token < c.Tokens; a.Token++ {
			add(a)
		}
	}
}

// ofSrq calls add with every form that an action about one shared receive queue can have.
func ofSrq(a Action, qps int, d Domain, add func(Action)) {
	switch a.Name {
	case Take, CompleteReceive, QpEnds, LastWqeReached:
		for a.Qp = range qps {
			add(a)
		}
	case NdkModifySrq:
		for _, a.Depth = range d.Depths {
			for _, a.Threshold = range d.Thresholds {
				add(a)
			}
		}
	case NdkSrqNotificationCallbackEnter:
		for _, a.CqStatus = range []Health{OK, InternalError} {
			add(a)
		}
	case NdkSrqReceive, SrqModified, SrqModifyTold, NdkSrqNotificationCallbackExit, SrqInternalError, NdkCloseSrq, SrqClosed:
		add(a)
	}
}
