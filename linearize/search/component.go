package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A component is a group of objects that share something, checked apart from all others. QPs share the CQs that they
// complete into; the two QPs of a connection share the tokens that one invalidates for the other.
type component struct {
	h           *history
	contract    *model.Contract
	cqs         []*cq
	qps         []*qp
	spans       []*span
	tokens      map[uint32]int
	old         []int // those that may have been valid when the trace began
	ops         []*operation
	turns       []int // of each CQ: how many completions polls delivered before the limit
	memory      int   // that one search may take, in bytes
	ledger      *ledger
	limit       moment // events from here on are not judged: a finding without a search stands there
	excused     moment // when the consumer broke a rule: what the provider does after it is not held against it
	doubt       *doubt // on which its search rests from then on
	reason      string // why this component cannot be judged, or ""
	keepsTrails bool   // states keep the steps that led to them
}

// unfollowed says why it is not known what a QP with an uncompleted request owed at a moment of rest, or returns "". Either two calls of ibv_modify_qp
// moved it at the same time, one of them into an error state, or one has resumed a send queue that a failure had stopped.
func (c *component) unfollowed() string {
	latest, sends := map[string]*span{}, map[string]bool{} // by QP: the call that returns last, and whether it was in RTS
	for _, s := range c.h.spans {
		p := c.h.qpByName[s.begin.Qp]
		if s.fn != "ibv_modify_qp" || s.refused() || p == nil || p.component != c {
			continue
		}
		before := latest[p.name]
		if before != nil && before.overlaps(s) && (before.kind == calls.FlushQp) != (s.kind == calls.FlushQp) && p.waits() {
			return verdict.MovedTwice(p.name)
		}
		if strings.HasSuffix(s.begin.State, "RTS") {
			if sends[p.name] && !calls.IsReliable(p.creation()) && slices.ContainsFunc(p.initiator, (*request).waitsForEver) {
				return verdict.BroughtBack(p.name)
			}
			sends[p.name] = true
		}
		if before == nil || before.ret < s.ret {
			latest[p.name] = s
		}
	}
	return ""
}

// waits reports whether a request of a QP is not told to have completed.
func (p *qp) waits() bool {
	return slices.ContainsFunc(slices.Concat(p.initiator, p.receive), (*request).waitsForEver)
}

func (r *request) waitsForEver() bool { return r.accepted && !r.told && !r.silent }

// components groups the objects, and lists the operations of each group.
func (h *history) components(d model.Dialect) []*component {
	sets := newUnion()
	for _, p := range h.qps {
		sets.join("qp "+p.name, "qp "+p.name)
		for _, q := range []*cq{p.initiatorCq, p.receiveCq} {
			if q != nil {
				sets.join("qp "+p.name, "cq "+q.name)
			}
		}
	}
	for _, q := range h.cqs { // of a QP whose creation the trace does not record
		for _, r := range q.delivered {
			sets.join("qp "+r.qp.name, "cq "+q.name)
		}
	}
	h.sharing = maps.Clone(sets)
	for _, p := range h.qps {
		if p.peer != nil && (p.usesTokens() || p.peer.usesTokens()) {
			sets.join("qp "+p.name, "qp "+p.peer.name)
		}
	}
	h.joinTokens(sets)
	byRoot := map[string]*component{}
	var all []*component
	of := func(name string) *component {
		root := sets.find(name)
		c := byRoot[root]
		if c == nil {
			c = &component{h: h, contract: &model.Contract{Dialect: d}, tokens: map[uint32]int{}, limit: never, excused: never}
			byRoot[root] = c
			all = append(all, c)
		}
		return c
	}
	for _, q := range h.cqs {
		c := of("cq " + q.name)
		q.component, q.index = c, len(c.cqs)
		c.cqs = append(c.cqs, q)
		c.doubt = earlier(c.doubt, earlier(q.doubt, q.strangers))
		c.contract.Depth = append(c.contract.Depth, q.depth)
	}
	for _, p := range h.qps {
		c := of("qp " + p.name)
		p.component, p.index = c, len(c.qps)
		c.qps = append(c.qps, p)
		c.doubt = earlier(c.doubt, p.doubt)
		if p.peer != nil {
			c.doubt = earlier(c.doubt, p.peer.doubt)
		}
	}
	for _, s := range h.spans {
		if name := h.objectOf(s); name != "" {
			c := of(name)
			c.spans = append(c.spans, s)
		}
		for _, token := range h.dying(s) {
			if c := of(fmt.Sprint("token ", token)); !slices.Contains(c.spans, s) {
				c.spans = append(c.spans, s)
			}
		}
	}
	for _, c := range all {
		c.turns = make([]int, len(c.cqs))
		c.bind()
		c.list()
	}
	return all
}

// objectOf names the object that a span is of, as the sets of components do, or "".
func (h *history) objectOf(s *span) string {
	var q *cq
	switch s.kind {
	case calls.ArmCq, calls.PollCq, calls.Callback, calls.ResizeCq, calls.CloseCq:
		q = h.cqByName[s.begin.Cq]
	case calls.CloseDone:
		q = h.closing[s.begin.For]
	case calls.ReadEvent:
		if s.returned() {
			q = h.cqByName[s.end.Cq]
		}
	case calls.ConnectQp, calls.Post, calls.FlushQp, calls.CloseQp:
		return "qp " + s.begin.Qp
	default:
		if p := h.qpByName[s.begin.Qp]; p != nil && (p.connected == s || calls.KindOf(s.begin) == calls.ConnectQp) {
			return "qp " + p.name // it failed, and may have begun all the same
		}
	}
	if q == nil {
		return ""
	}
	return "cq " + q.name
}

// bind records in the contract into which CQ each queue completes.
func (c *component) bind() {
	for _, q := range c.cqs {
		if q.unclear != "" {
			c.reason = q.unclear
			return
		}
	}
	for _, p := range c.qps {
		b := model.Binding{Peer: -1}
		if p.initiatorCq == nil || p.receiveCq == nil {
			c.reason = p.unbound(c.h.dialect.Name)
			return
		}
		b.InitiatorCq, b.ReceiveCq = p.initiatorCq.index, p.receiveCq.index
		if p.peer != nil && c.has(p.peer) {
			b.Peer = p.peer.index
		}
		c.contract.Qps = append(c.contract.Qps, b)
	}
	c.bindTokens()
}

func (c *component) has(p *qp) bool { return p.component == c }

// union is a disjoint-set forest over names.
type union map[string]string

func newUnion() union { return union{} }

func (u union) find(name string) string {
	for u[name] != "" && u[name] != name {
		name = u[name]
	}
	return name
}

func (u union) join(a, b string) {
	if a, b = u.find(a), u.find(b); a != b {
		u[b] = a
	}
}
