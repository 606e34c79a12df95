package model

import "slices"

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
	return slices.DeleteFunc(c.actions(d), func(a Action) bool {
		_, refusal := c.Step(s, a)
		return refusal != nil
	})
}

// actions returns every action with arguments from the domain, enabled anywhere or not.
func (c *Contract) actions(d Domain) []Action {
	var all []Action
	for _, name := range Names() {
		for i := range c.Depth {
			all = append(all, ofCq(name, i, d)...)
		}
		for i := range c.Qps {
			all = append(all, ofQp(name, i, d)...)
		}
	}
	return all
}

// ofCq returns the actions of one name that are about one CQ.
func ofCq(name Name, cq int, d Domain) []Action {
	var all []Action
	a := Action{Name: name, Cq: cq}
	switch name {
	case NdkArmCq:
		for _, a.Type = range []Arm{ERRORS, SOLICITED, ANY} {
			all = append(all, a)
		}
	case NdkGetCqResults, NdkGetCqResultsEx:
		for _, a.N = range d.Room {
			for a.K = 0; a.K <= a.N; a.K++ {
				all = append(all, a)
			}
		}
	case NdkCqNotificationCallbackEnter:
		for _, a.CqStatus = range []Health{OK, BufferOverflow, InternalError} {
			all = append(all, a)
		}
	case Place:
		for _, a.Completion = range d.Completions {
			all = append(all, a)
		}
	case NdkCqNotificationCallbackExit, NdkCloseCq, NdkCloseCompletion, Overflow, CqInternalError, ExtraEvent:
		all = append(all, a)
	}
	return all
}

// ofQp returns the actions of one name that are about one QP.
func ofQp(name Name, qp int, d Domain) []Action {
	var all []Action
	a := Action{Name: name, Qp: qp}
	switch name {
	case Post:
		for _, a.Request = range d.Requests {
			a.Queue, a.Deferred = a.Request.Op.Queue(), false
			all = append(all, a)
			if a.Queue == Initiator {
				a.Deferred = true
				all = append(all, a)
			}
		}
	case PostRefused:
		for _, a.Request = range d.Requests {
			a.Queue = a.Request.Op.Queue()
			all = append(all, a)
		}
	case Execute:
		a.Token = NoToken
		for _, a.Queue = range []Queue{Initiator, Receive} {
			for _, a.Outcome = range []Outcome{SUCCESS, FAILED, CANCELLED} {
				a.Solicited = false
				all = append(all, a)
				if a.Queue == Receive && a.Outcome == SUCCESS {
					a.Solicited = true
					all = append(all, a)
				}
			}
		}
	case Complete:
		for _, a.Queue = range []Queue{Initiator, Receive} {
			all = append(all, a)
		}
	case Abort:
		for _, a.Outcome = range []Outcome{SUCCESS, FAILED} {
			for _, a.Received = range []Outcome{FAILED, CANCELLED} {
				all = append(all, a)
			}
		}
	case NdkConnect, ConnectionLost, HwIndicate, NdkFlush, NdkDisconnect, NdkCloseQp, Deliver:
		all = append(all, a)
	}
	return all
}
