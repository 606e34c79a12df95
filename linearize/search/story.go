package search

import (
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/declared"
	"ndkoracle/model"
)

// An account is what a path tells of one CQ.
type account struct {
	owed int // callbacks
}

// A story is a path told: why callbacks are owed, and how often each rule had something to say.
type story struct {
	c        *component
	accounts []account
	counts   map[string]int
	remote   map[int]*request // tokens that a peer's NdkSendAndInvalidate invalidated, and the receive that tells
}

func (c *component) storyOfPath(path []*node, until moment) *story {
	t := &story{c: c, accounts: make([]account, len(c.cqs)), counts: map[string]int{}, remote: map[int]*request{}}
	for _, n := range path {
		t.step(n.from.state.model, n.state.model, n.op)
	}
	t.refusedResizes(until)
	return t
}

// count counts an occasion for the rules that it exercises.
func (t *story) count(o declared.Occasion) {
	t.rules(declared.By(o)...)
}

func (t *story) rules(ids ...string) {
	for _, id := range ids {
		t.counts[id]++
	}
}

func (t *story) step(before, after model.State, o *operation) {
	t.silent(before, after, o)
	switch o.effect {
	case doArm:
		t.arm(before.Cqs[o.cq], after.Cqs[o.cq], o)
	case doEnter, doRead:
		t.enter(o)
	case doPoll:
		t.count(declared.PollTakes)
	case doComplete:
		t.complete(before, after, o)
	case doFlush:
		t.count(declared.Flushed)
	case doCloseCq, doCloseCqAtOnce, doCloseDone:
		t.count(declared.CqCloses)
	case doPost:
		t.post(before, o)
	case doDeliver:
		t.deliver(before, after, o)
	case doExecute:
		t.execute(o)
	case doFailCq:
		if before.Cqs[o.cq].Health != after.Cqs[o.cq].Health {
			t.count(declared.CqFails)
		}
	case doResize:
		t.resize(before.Cqs[o.cq], o)
	case doRest:
		t.count(declared.Resting)
	}
}

// silent counts the requests that left their queue without a completion, as they have to when they succeed (FLAG-01).
func (t *story) silent(before, after model.State, o *operation) {
	for i := range before.Qps {
		gone := len(before.Qps[i].Initiator) - len(after.Qps[i].Initiator)
		for _, q := range before.Qps[i].Initiator[:max(gone, 0)] {
			if r := t.c.h.requests[q.Id]; r.silent && !r.told && r != o.request {
				t.count(declared.Silent)
			}
		}
	}
}

func (t *story) arm(before, after model.Cq, o *operation) {
	a := &t.accounts[o.cq]
	if before.Arm != model.NONE {
		t.count(declared.ArmsAgain)
	}
	found := declared.ArmMeetsOthers
	if t.c.contract.Dialect.FreshMatch(before, model.Stronger(before.Arm, o.arm)) {
		found = declared.ArmMeetsFresh
	}
	if len(before.Entries) > 0 {
		t.count(found)
	}
	if after.Arm == model.NONE {
		a.settle(after.Due)
	}
}

// settle records that the arm was satisfied. Where it merged with a callback owed already, that one is owed for both.
func (a *account) settle(due int) {
	if a.owed < due {
		a.owed++
	}
}

func (t *story) enter(o *operation) {
	a := &t.accounts[o.cq]
	if t.c.contract.Dialect.Serialised {
		t.count(declared.Callback)
	} else {
		t.count(declared.Event)
	}
	if o.status == model.OK && a.owed > 0 {
		a.owed--
	}
}

func (t *story) complete(before, after model.State, o *operation) {
	r := o.request
	entries := after.Cqs[o.cq].Entries
	if len(entries) == len(before.Cqs[o.cq].Entries) {
		return // it need not have been placed, and was not
	}
	c := entries[len(entries)-1]
	t.count(declared.Completes)
	if r.silent {
		t.count(declared.Silent)
	}
	if len(entries) > after.Cqs[o.cq].Depth {
		t.rules(breach.NoneTooMany.Rule) // it need not have been lost (A35)
	}
	if r.deferred {
		t.count(declared.Deferred)
		if r.endedByRefusal() {
			t.count(declared.RefusedChain)
		}
	}
	if c.Status == model.CANCELLED {
		t.count(declared.Cancelled)
	}
	met := matched(before.Cqs[o.cq].Arm, c)
	if met == "" {
		return
	}
	t.count(met)
	if after.Cqs[o.cq].Arm == model.NONE && before.Cqs[o.cq].Arm != model.NONE {
		t.accounts[o.cq].settle(after.Cqs[o.cq].Due)
	}
}

// matched returns by which rule c matches the arm, or does not, as an occasion of it; or "" where there is no arm.
func matched(arm model.Arm, c model.Completion) declared.Occasion {
	switch {
	case arm == model.ANY:
		return declared.PlacedAny
	case arm == model.SOLICITED && c.Status != model.SUCCESS:
		return declared.PlacedFails
	case arm == model.SOLICITED && c.Solicited:
		return declared.PlacedSolicits
	case arm == model.SOLICITED:
		return declared.PlacedPlain
	case arm == model.ERRORS:
		return declared.PlacedErrors
	}
	return ""
}

func (t *story) post(before model.State, o *operation) {
	for _, r := range o.span.requests {
		idle := before.Qps[o.qp].State.Unconnected()
		switch {
		case r.queue == model.Receive && idle:
			t.count(declared.ReceivePosted)
		case !r.accepted && idle:
			t.count(declared.RefusedAsIdle)
		case !r.accepted && r.op == model.Invalidate && r.token != nil:
			if token, known := t.c.tokens[*r.token]; known && t.remote[token] != nil {
				t.count(declared.Invalidated) // refused in the call (A8)
			}
		}
	}
}

func (t *story) deliver(before, after model.State, o *operation) {
	token := t.c.token(o.request)
	switch {
	case after.Qps[o.qp].State == model.Aborted && before.Qps[o.qp].State != model.Aborted:
		t.count(declared.BadToken)
	case before.Tokens[token] != model.Invalid && after.Tokens[token] == model.Invalid:
		t.count(declared.TokenTold)
		t.remote[token] = t.c.h.takenBy[o.request]
	}
}

func (t *story) execute(o *operation) {
	token := t.c.token(o.request)
	if o.request.op != model.Invalidate || token == model.NoToken {
		return
	}
	if _, dead := t.remote[token]; dead {
		t.count(declared.Invalidated)
	}
}
