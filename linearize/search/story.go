package search

import (
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

func (c *component) tell(path []*node, until moment) *story {
	t := &story{c: c, accounts: make([]account, len(c.cqs)), counts: map[string]int{}, remote: map[int]*request{}}
	for _, n := range path {
		t.step(n.from.state.model, n.state.model, n.op)
	}
	t.refusedResizes(until)
	return t
}

func (t *story) count(ids ...string) {
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
		t.count("POLL-03")
	case doComplete:
		t.complete(before, after, o)
	case doFlush:
		t.count("FLUSH-01", "FLUSH-02")
	case doCloseCq, doCloseCqAtOnce, doCloseDone:
		t.count("ARM-20", "LIFE-09")
	case doPost:
		t.post(before, o)
	case doDeliver:
		t.deliver(before, after, o)
	case doExecute:
		t.execute(o)
	case doFailCq:
		if before.Cqs[o.cq].Health != after.Cqs[o.cq].Health {
			t.count("ARM-16", "ARM-17")
		}
	case doResize:
		t.resize(before.Cqs[o.cq], o)
	case doRest:
		t.count("ARM-03")
	}
}

// silent counts the requests that left their queue without a completion, as they have to when they succeed (FLAG-01).
func (t *story) silent(before, after model.State, o *operation) {
	for i := range before.Qps {
		gone := len(before.Qps[i].Initiator) - len(after.Qps[i].Initiator)
		for _, q := range before.Qps[i].Initiator[:max(gone, 0)] {
			if r := t.c.h.requests[q.Id]; r.silent && !r.told && r != o.request {
				t.count("FLAG-01")
			}
		}
	}
}

func (t *story) arm(before, after model.Cq, o *operation) {
	a := &t.accounts[o.cq]
	if before.Arm != model.NONE {
		t.count("ARM-07")
	}
	rule := "ARM-05"
	if t.c.contract.Dialect.FreshMatch(before, model.Stronger(before.Arm, o.arm)) {
		rule = "ARM-04"
	}
	if len(before.Entries) > 0 {
		t.count(rule)
	}
	if after.Arm == model.NONE {
		a.settle(after.Due)
	}
}

// settle notes that the arm was satisfied. Where it merged with a callback owed already, that one is owed for both.
func (a *account) settle(due int) {
	if a.owed < due {
		a.owed++
	}
}

func (t *story) enter(o *operation) {
	a := &t.accounts[o.cq]
	t.count("ARM-01", "ARM-02", "ARM-21")
	if t.c.contract.Dialect.Serialised {
		t.count("ARM-06")
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
	t.count("DEF-04", "POLL-09")
	if len(entries) > after.Cqs[o.cq].Depth {
		t.count("ARM-16") // it need not have been lost (A35)
	}
	if r.silent {
		t.count("FLAG-02")
	}
	if r.deferred {
		t.count("DEF-02", "DEF-07")
		if r.endedByRefusal() {
			t.count("DEF-05")
		}
	}
	if c.Status == model.CANCELLED {
		t.count("RES-10")
	}
	rule := matched(before.Cqs[o.cq].Arm, c)
	if rule == "" {
		return
	}
	t.count(rule)
	if after.Cqs[o.cq].Arm == model.NONE && before.Cqs[o.cq].Arm != model.NONE {
		t.accounts[o.cq].settle(after.Cqs[o.cq].Due)
	}
}

// matched returns the rule by which c matches the arm, or does not, or "" where there is no arm.
func matched(arm model.Arm, c model.Completion) string {
	switch {
	case arm == model.ANY:
		return "ARM-09"
	case arm == model.SOLICITED && c.Status != model.SUCCESS:
		return "ARM-11"
	case arm == model.SOLICITED && c.Solicited:
		return "ARM-10"
	case arm == model.SOLICITED:
		return "ARM-12"
	case arm == model.ERRORS:
		return "ARM-08"
	}
	return ""
}

func (t *story) post(before model.State, o *operation) {
	for _, r := range o.span.requests {
		idle := before.Qps[o.qp].State.Unconnected()
		switch {
		case r.queue == model.Receive && idle:
			t.count("POST-09")
		case !r.accepted && idle:
			t.count("POST-08")
		case !r.accepted && r.op == model.Invalidate && r.token != nil:
			if token, known := t.c.tokens[*r.token]; known && t.remote[token] != nil {
				t.count("POLL-07", "POLL-08") // refused in the call (A8)
			}
		}
	}
}

func (t *story) deliver(before, after model.State, o *operation) {
	token := t.c.token(o.request)
	switch {
	case after.Qps[o.qp].State == model.Aborted && before.Qps[o.qp].State != model.Aborted:
		t.count("INV-05")
	case before.Tokens[token] != model.Invalid && after.Tokens[token] == model.Invalid:
		t.count("INV-06", "RES-09")
		t.remote[token] = t.c.h.takenBy[o.request]
	}
}

func (t *story) execute(o *operation) {
	token := t.c.token(o.request)
	if o.request.op != model.Invalidate || token == model.NoToken {
		return
	}
	if _, dead := t.remote[token]; dead {
		t.count("POLL-07", "POLL-08")
	}
}
