package model

// Names lists the names of all actions.
func Names() []Name {
	return []Name{
		NdkArmCq, NdkGetCqResults, NdkGetCqResultsEx, NdkCqNotificationCallbackEnter, NdkCqNotificationCallbackExit,
		NdkCloseCq, NdkCloseCompletion, Place, Overflow, CqInternalError, ExtraEvent,
		NdkConnect, ConnectionLost, Post, PostRefused, HwIndicate, Execute, Complete, NdkFlush, NdkDisconnect, NdkCloseQp,
		Deliver, Abort,
	}
}

// Domain holds the arguments of actions that have no end by themselves. Arms, outcomes and the like are few: all of them
// are taken.
type Domain struct {
	Room        []int        // of NdkGetCqResults and NdkGetCqResultsEx, in completions
	Completions []Completion // of Place; where QPs place completions, by Complete, there are none
	Requests    []Request    // of Post and PostRefused, on any QP
}

// Enabled returns the actions with arguments from the domain that s allows: those that Step does not refuse. The order is
// that of Names, then of the objects and arguments. Actions are returned that leave s as it is, such as polling an empty CQ.
//
// Step and Enabled together are the graph of all states:
//
//	for _, a := range c.Enabled(s, d) {
//		next, _ := c.Step(s, a)
//		...
//	}
func (c *Contract) Enabled(s State, d Domain) []Action {
	var enabled []Action
	consider := func(a Action) {
		if _, refusal := c.Step(s, a); refusal == nil {
			enabled = append(enabled, a)
		}
	}
	for _, name := range Names() {
		for i := range c.Depth {
			c.ofCq(Action{Name: name, Cq: i}, d, consider)
		}
		for i := range c.Qps {
			c.ofQp(Action{Name: name, Qp: i}, d, consider)
		}
	}
	return enabled
}

// ofCq calls consider with every form that an action about one CQ can have.
func (c *Contract) ofCq(a Action, d Domain, consider func(Action)) {
	switch a.Name {
	case NdkArmCq:
		for _, a.Type = range []Arm{ERRORS, SOLICITED, ANY} {
			consider(a)
		}
	case NdkGetCqResults, NdkGetCqResultsEx:
		for _, a.N = range d.Room {
			for a.K = 0; a.K <= a.N; a.K++ {
				consider(a)
			}
		}
	case NdkCqNotificationCallbackEnter:
		for _, a.CqStatus = range []Health{OK, BufferOverflow, InternalError} {
			consider(a)
		}
	case Place:
		for _, a.Completion = range d.Completions {
			consider(a)
		}
	case NdkCqNotificationCallbackExit, NdkCloseCq, NdkCloseCompletion, Overflow, CqInternalError, ExtraEvent:
		consider(a)
	}
}

// ofQp calls consider with every form that an action about one QP can have.
func (c *Contract) ofQp(a Action, d Domain, consider func(Action)) {
	switch a.Name {
	case Post:
		for _, a.Request = range d.Requests {
			a.Queue, a.Deferred = a.Request.Op.Queue(), false
			consider(a)
			if a.Queue == Initiator {
				a.Deferred = true
				consider(a)
			}
		}
	case PostRefused:
		for _, a.Request = range d.Requests {
			a.Queue = a.Request.Op.Queue()
			consider(a)
		}
	case Execute:
		a.Token = NoToken
		for _, a.Queue = range []Queue{Initiator, Receive} {
			for _, a.Outcome = range []Outcome{FAILED, CANCELLED} {
				consider(a)
			}
		}
		a.Queue, a.Outcome = Initiator, SUCCESS
		consider(a)
		a.Queue = Receive
		for _, a.Solicited = range []bool{false, true} {
			for a.Token = NoToken; a.Token < c.Tokens; a.Token++ {
				consider(a)
			}
		}
	case Complete:
		for _, a.Queue = range []Queue{Initiator, Receive} {
			consider(a)
		}
	case Abort:
		for _, a.Outcome = range []Outcome{SUCCESS, FAILED} {
			for _, a.Received = range []Outcome{FAILED, CANCELLED} {
				consider(a)
			}
		}
	case NdkConnect, ConnectionLost, HwIndicate, NdkFlush, NdkDisconnect, NdkCloseQp, Deliver:
		consider(a)
	}
}
