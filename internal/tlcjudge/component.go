package tlcjudge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// sets is a disjoint-set forest over names.
type sets map[string]string

func (s sets) find(name string) string {
	for s[name] != "" {
		name = s[name]
	}
	return name
}

func (s sets) join(a, b string) {
	if a, b = s.find(a), s.find(b); a != b {
		s[b] = a
	}
}

// split groups the objects that share something: a QP and the CQs that it completes into, the two ends of a connection, the
// QPs that change the same token. Calls of no object have a component of their own. Moments of rest are of all.
func (h *history) split(ends map[int]*call) {
	joined := sets{}
	for _, p := range h.qpList {
		for _, q := range []*cq{p.initiator, p.receive} {
			if q != nil {
				joined.join(p.id, q.id)
			}
		}
		if p.peer != nil {
			joined.join(p.id, p.peer.id)
		}
		for _, r := range p.requests {
			if t := r.localToken(); t != nil {
				joined.join(p.id, fmt.Sprint("token ", *t))
			}
		}
	}
	srqs := map[string]string{} // a QP of a lane of each shared receive queue: one call may post on several
	for _, p := range h.qpList {
		if p.lane != nil {
			srqs[p.lane.Srq] = cmp.Or(srqs[p.lane.Srq], p.id)
			joined.join(srqs[p.lane.Srq], p.id)
		}
	}
	for _, c := range h.calls { // of a QP whose creation the trace does not record
		for _, r := range c.results {
			if r != nil {
				joined.join(r.qp.id, c.cq.id)
			}
		}
	}
	byRoot := map[string]*component{}
	of := func(name string) *component {
		root := joined.find(name)
		c := byRoot[root]
		if c == nil {
			c = &component{tokens: map[uint32]string{}}
			byRoot[root] = c
			h.components = append(h.components, c)
		}
		return c
	}
	for _, q := range h.cqList {
		q.component = of(q.id)
		q.component.cqs = append(q.component.cqs, q)
	}
	for _, p := range h.qpList {
		p.component = of(p.id)
		p.component.qps = append(p.component.qps, p)
	}
	refused := map[string]*component{} // of QPs
	for _, c := range h.calls {
		region := (*qp)(nil)
		if c.kind == "token dies" {
			region = h.ofRegion(c)
		}
		switch {
		case c.kind == "rest":
			continue
		case c.qp != nil:
			c.component = c.qp.component
		case c.cq != nil:
			c.component = c.cq.component
		case region != nil:
			c.component = region.component
		case c.completes != nil:
			c.component = c.completes.component
		case h.cqs[c.first.Cq] != nil:
			c.component = h.cqs[c.first.Cq].component
		case h.qps[c.first.Qp] != nil:
			c.component = h.qps[c.first.Qp].component
		case h.cqs[c.first.InitiatorCq] != nil: // of a QP that was not created
			c.component = h.cqs[c.first.InitiatorCq].component
			refused[c.first.Qp] = c.component
		case refused[c.first.Qp] != nil:
			c.component = refused[c.first.Qp]
		default:
			c.component = of("no object")
		}
		c.component.calls = append(c.component.calls, c)
	}
	for i := range h.trace.Events {
		h.addEvent(i, ends[i])
	}
	if h.trace.End != nil && h.trace.End.Quiescent {
		h.rest(len(h.trace.Events))
	}
	for _, c := range h.components {
		h.complete(c)
	}
}

// rest adds a moment of rest to all components.
func (h *history) rest(at int) {
	for _, c := range h.components {
		mark := &call{fn: "quiesce", kind: "rest", component: c}
		for _, q := range c.cqs {
			if !h.eventsAreRead || h.awaited[at][q.name] {
				mark.awaited = append(mark.awaited, q.id)
			}
		}
		c.calls = append(c.calls, mark)
		c.events = append(c.events, event{mark, false, at})
		mark.begin, mark.end = len(c.events), len(c.events)
	}
}

// addEvent adds the event at a place of the trace to its component. From here on calls begin and end at events of their
// component.
func (h *history) addEvent(at int, ended *call) {
	e := &h.trace.Events[at]
	if e.Ph == trace.Point && kindOf(e) == "rest" {
		h.rest(at)
		return
	}
	c := ended
	if c == nil {
		i, _ := slices.BinarySearchFunc(h.calls, at+1, func(c *call, begin int) int { return c.place - begin })
		c = h.calls[i]
	}
	to := c.component
	to.events = append(to.events, event{c, ended != nil, at})
	if ended != nil {
		c.end = len(to.events)
	} else {
		c.begin = len(to.events)
		if e.Ph == trace.Point {
			c.end = c.begin
		}
	}
}

// localToken returns the token that a request makes valid or invalid at this end, or nil.
func (r *request) localToken() *uint32 {
	switch {
	case r.op == "FastRegister" || r.op == "Bind" || r.op == "Invalidate", r.op == "SendAndInvalidate" && r.qp.peer != nil:
		return r.token
	case r.op == "Receive" && r.qp.peer == nil && r.result != nil && r.result.Type == "ReceiveAndInvalidate":
		return r.result.Token
	}
	return nil
}

// complete numbers the requests and tokens of a component, and says why it can't be decided, if so.
func (h *history) complete(c *component) {
	slices.SortStableFunc(c.calls, func(a, b *call) int { return a.begin - b.begin })
	for _, k := range c.calls {
		if k.answer() == "FAILURE" && k.last.BadWr == "" && len(k.first.Wrs) > 1 {
			c.reason = calls.StoppedSomewhere(k.fn)
		}
		for _, r := range k.requests {
			c.requests = append(c.requests, r)
			r.number = len(c.requests)
			if r.op == "" && !r.behind {
				c.reason = r.wr + " has an opcode (field opcode) of which the specification does not speak"
			}
		}
	}
	for _, q := range c.cqs {
		if q.reason != "" {
			c.reason = q.reason
		}
	}
	for _, p := range c.qps {
		if p.initiator == nil || p.receive == nil {
			c.reason = p.unbound(h.trace.Header.Dialect)
		}
	}
	h.findTokens(c)
}

// findTokens names the tokens that the requests of a component change. If a token was made valid that the trace does not
// record, none is followed. Then no peer may name one.
func (h *history) findTokens(c *component) {
	names, valid := false, true
	for _, r := range c.requests {
		if t := r.localToken(); t != nil && c.tokens[*t] == "" {
			c.tokens[*t] = fmt.Sprint("t", *t)
		}
		names = names || r.op == "SendAndInvalidate" && r.qp.peer != nil
	}
	for _, p := range h.qpList {
		for _, r := range p.requests {
			if r.accepted && r.changesUnknownToken() {
				valid = valid && r.op != "FastRegister" && r.op != "Bind"
				if names {
					if c.reason = verdict.TokenUntold(r.wr); r.op == "Read" {
						c.reason = verdict.ReadInvalidates(r.wr)
					}
				}
			}
		}
	}
	if !valid {
		c.tokens = nil
	}
	h.findOldTokens(c)
}

var createsRegion = []string{"NdkCreateMr", "NdkCreateMw", "NdkInitializeFastRegisterMr", "ibv_reg_mr", "ibv_alloc_mw"}

// givesToken are the functions that give memory a token which no event need tell.
var givesToken = []string{"NdkRegisterMr", "ibv_reg_mr", "ibv_alloc_mw"}

// findOldTokens finds the tokens that may have been made valid before the trace began, or by a call that does not tell it: the first request that
// names one does not make it valid, and one makes it invalid of whose object the trace does not have the creation, or comes after such a call.
func (h *history) findOldTokens(c *component) {
	created, first, given := map[string]bool{}, map[string]bool{}, math.MaxInt
	for _, k := range h.calls {
		if slices.Contains(givesToken, k.fn) && k.answer() != "FAILURE" {
			given = min(given, k.place)
		}
		if slices.Contains(createsRegion, k.fn) {
			created[k.first.Mr+k.first.Mw] = true
		}
	}
	for _, r := range c.requests {
		if r.token == nil || c.tokens[*r.token] == "" {
			continue
		}
		token, object := c.tokens[*r.token], r.post.first.Mr+r.post.first.Mw
		if _, named := first[token]; !named {
			first[token] = r.op == "FastRegister" || r.op == "Bind"
		}
		old := r.op == "Invalidate" && !created[object]
		if !first[token] && (old || given < r.post.lastPlace) && !slices.Contains(c.oldTokens, token) {
			c.oldTokens = append(c.oldTokens, token)
		}
	}
}

func (r *request) changesUnknownToken() bool {
	switch r.op {
	case "FastRegister", "Bind", "Invalidate":
		return r.token == nil
	case "SendAndInvalidate":
		return r.token == nil && r.qp.peer != nil
	case "Read":
		return slices.Contains(r.flags, "RDMA_READ_LOCAL_INVALIDATE")
	case "Receive":
		return r.qp.peer == nil && r.result != nil && isSuccess(r.result.Status) && r.localToken() == nil &&
			(r.result.Type == "" || r.result.Type == "ReceiveAndInvalidate")
	}
	return false
}
