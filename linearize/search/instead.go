package search

import (
	"fmt"
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// event returns the operation of the event at which no explanation was left: not a hidden step that had to come before it, unless a
// point tells of that.
func (c *component) event(death moment) *operation {
	for _, o := range c.ops {
		told := o.effect == doComplete && o.request.point != nil
		if o.ret == death && (told || !o.effect.hidden()) {
			return o
		}
	}
	return nil
}

// instead says what an explanation would have allowed in place of the event that o is of, or "" where that is nothing else.
func (c *component) instead(s state, o *operation) string {
	if o == nil {
		return ""
	}
	allows := func(a model.Action) bool {
		_, refusal := c.contract.Step(s.model, a)
		return refusal == nil
	}
	switch o.effect {
	case doPoll:
		return c.insteadOfPoll(s, o, allows)
	case doEnter, doRead:
		return c.insteadOfCallback(s, o, allows)
	case doRest:
		return c.insteadOfRest(s, o)
	case doPost:
		return c.insteadOfPost(s, o, allows)
	case doComplete:
		return c.insteadOfPoint(s, o.request)
	case doCloseQp:
		return c.insteadOfCloseQp(s, o)
	case doResize:
		return o.span.fn + " is refused"
	case doCloseDone, doCloseCqAtOnce:
		if s.model.Cqs[o.cq].Running {
			return verdict.ClosesLater
		}
	}
	return ""
}

// insteadOfPoll names the most completions that the poll might have returned.
func (c *component) insteadOfPoll(s state, o *operation, allows func(model.Action) bool) string {
	entries := s.model.Cqs[o.cq].Entries
	room := len(o.span.end.Results)
	if o.span.begin.N != nil {
		room = int(*o.span.begin.N)
	}
	for k := min(room, len(entries)); k >= 0; k-- {
		if !allows(model.Action{Name: model.NdkGetCqResults, Cq: o.cq, N: room, K: k}) {
			continue
		}
		if k == 0 {
			return o.span.fn + " returns nothing"
		}
		var wrs []string
		for _, entry := range entries[:k] {
			wrs = append(wrs, fmt.Sprintf("%s (%v)", c.h.requests[entry.Request].wr, entry.Status))
		}
		return o.span.fn + " returns " + strings.Join(wrs, ", ")
	}
	return ""
}

// insteadOfCallback names a callback with another status, or says what has to come before any.
func (c *component) insteadOfCallback(s state, o *operation, allows func(model.Action) bool) string {
	for _, status := range []model.Health{model.OK, model.BufferOverflow, model.InternalError} {
		if allows(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: o.cq, CqStatus: status}) {
			return "a callback with " + status.String()
		}
	}
	what := "no callback"
	if o.effect == doRead {
		what = "no event"
	}
	return verdict.NoCallback(what, &s.model.Cqs[o.cq])
}

// insteadOfPoint names the request that is to complete before r, or says that r is not.
func (c *component) insteadOfPoint(s state, r *request) string {
	if queue := s.queueOf(r); len(queue) > 0 && queue[0].Id != r.id {
		return "first a completion of " + c.h.requests[queue[0].Id].wr
	}
	return "no completion of " + r.wr
}

// insteadOfRest names what had to come before the provider was at rest.
func (c *component) insteadOfRest(s state, o *operation) string {
	var owed []string
	for i, q := range s.model.Cqs {
		if q.Due > 0 && c.notified(i, o.call) {
			owed = append(owed, verdict.NoticesOf(&c.contract.Dialect, q.Due, c.cqs[i].name))
		}
		if q.ErrorDue {
			owed = append(owed, fmt.Sprintf("a callback of %s with %v", c.cqs[i].name, q.Health))
		}
	}
	for _, p := range c.qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			behind := false // something that has not ended
			for _, q := range s.model.Qps[p.index].Queue(queue) {
				r := c.h.requests[q.Id]
				if r.owed <= o.call || !behind && c.isUnfinished(s, r, q, o.call) {
					owed = append(owed, "the completion of "+r.wr)
				}
				behind = behind || !r.silent || r.told
			}
		}
		if send, _ := c.waitForEachOther(s, p.index, o.call); send != nil && len(owed) == 0 {
			owed = append(owed, "the completion of "+send.wr)
		}
	}
	if len(owed) == 0 {
		return ""
	}
	const most = 4
	if len(owed) > most {
		owed = append(owed[:most], "others")
	}
	return "first " + strings.Join(owed, " and ")
}

// insteadOfCloseQp names what is to complete before the close cancels it.
func (c *component) insteadOfCloseQp(s state, o *operation) string {
	for _, queue := range []model.Queue{model.Initiator, model.Receive} {
		if pending := s.model.Qps[o.qp].Queue(queue); len(pending) > 0 {
			return "first a completion of " + c.h.requests[pending[0].Id].wr
		}
	}
	return ""
}

// insteadOfPost says that the post might have had the other answer.
func (c *component) insteadOfPost(s state, o *operation, allows func(model.Action) bool) string {
	for _, r := range o.span.requests {
		a := model.Action{Name: model.PostRefused, Qp: o.qp, Queue: r.queue, Request: c.request(r)}
		answer := "is refused"
		if !r.accepted {
			a.Name, a.Deferred, answer = model.Post, r.deferred, "succeeds"
		}
		if allows(a) {
			return fmt.Sprintf("%s of %s %s", o.span.fn, r.wr, answer)
		}
	}
	return ""
}
