package witness

import (
	"math"
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// findTokens numbers the tokens, and finds those that may have been valid when the trace began: one is made invalid that no
// request had made valid, and the trace does not hold the creation of its region.
func (f *facts) findTokens() {
	f.followed = true
	made, registered := map[string]bool{}, map[uint32]bool{}
	for _, c := range f.calls {
		if regions[c.begin.Fn] {
			made[c.begin.Mr+c.begin.Mw] = true
		}
		if c.end != nil {
			for _, result := range c.end.Results {
				f.number(result.Token)
			}
		}
	}
	old := map[uint32]bool{}
	for _, r := range f.requests {
		makesValid := r.Op == model.FastRegister || r.Op == model.Bind
		if r.token == nil {
			f.followed = f.followed && !(makesValid && r.accepted)
			continue
		}
		f.number(r.token)
		if _, known := registered[*r.token]; !known {
			registered[*r.token] = makesValid
		}
		unmade := !registered[*r.token] && !made[r.post.begin.Mr+r.post.begin.Mw]
		if r.Op == model.Invalidate && unmade && !old[*r.token] {
			old[*r.token] = true
			f.old = append(f.old, f.tokens[*r.token])
		}
	}
	for _, r := range f.requests {
		if r.token != nil && f.followed && r.Op != model.Read && r.Op != model.Write {
			r.Token = f.tokens[*r.token]
		}
	}
	f.contract.Tokens = len(f.tokens)
}

func (f *facts) number(token *uint32) {
	if token == nil {
		return
	}
	if _, known := f.tokens[*token]; !known {
		f.tokens[*token] = len(f.tokens)
	}
}

// findPeers joins the two QPs of each connection.
func (f *facts) findPeers() {
	for _, c := range f.calls {
		i, known := f.qps.index[c.begin.Qp]
		if known && f.joins(c) && c.begin.Conn != "" {
			f.conns[i] = c.begin.Conn
		}
	}
	ends := map[string][]int{}
	for i, conn := range f.conns {
		if conn != "" {
			ends[conn] = append(ends[conn], i)
		}
	}
	for _, both := range ends {
		if len(both) == 2 {
			f.contract.Qps[both[0]].Peer, f.contract.Qps[both[1]].Peer = both[1], both[0]
		}
	}
	f.firstTo = slices.Repeat([][2]int{{math.MaxInt, math.MaxInt}}, len(f.qps.list))
	for _, r := range f.requests {
		if to := f.contract.Qps[r.qp].Peer; r.accepted && r.Op.IsSend() && to >= 0 {
			i := 0
			if r.Solicit {
				i = 1
			}
			f.firstTo[to][i] = min(f.firstTo[to][i], r.post.from)
		}
	}
}

// findLosses finds from which event on the connection of each QP may be lost (RES-08): at any moment, where the trace does not hold the peer, and
// else once that was flushed, closed or failed, or a CQ of it may have, or something told of an end. What a request may have done of which nothing
// is told is enough.
func (f *facts) findLosses() {
	f.lostFrom = slices.Repeat([]int{math.MaxInt}, len(f.qps.list))
	lost := func(qp, from int) {
		if qp >= 0 {
			f.lostFrom[qp] = min(f.lostFrom[qp], from)
		}
	}
	outstanding := make([]int, len(f.cqs.list))
	for _, q := range f.requests {
		binding := f.contract.Qps[q.qp]
		if !q.accepted {
			continue
		}
		outstanding[binding.Cq(q.queue)]++
		if !q.told || q.failed && q.post.verbs() { // what broke the QP may be told as flushed
			lost(q.qp, q.post.from)
		}
		if !q.told || q.failed {
			lost(binding.Peer, q.post.from)
		}
	}
	ends := f.endings()
	for i, b := range f.contract.Qps {
		mayFail := func(cq int) bool { return f.reports[cq] || outstanding[cq] > f.contract.Depth[cq] }
		if mayFail(b.InitiatorCq) || mayFail(b.ReceiveCq) {
			lost(b.Peer, 0)
		}
		for _, c := range f.flushes[i] {
			lost(b.Peer, c.from)
		}
		if c := f.closed[f.qps.list[i]]; c != nil {
			lost(b.Peer, c.from)
		}
		for _, c := range ends {
			switch e := c.begin; {
			case e.Qp != "" && e.Qp != f.qps.list[i] || e.Conn != "" && e.Conn != f.conns[i]: // it is of another connection
			case e.Ph == trace.Call && e.Fn == "NdkCloseConnector":
				lost(i, c.from)
			default:
				lost(i, 0) // the end came before it was told
			}
		}
		if b.Peer < 0 {
			f.lostFrom[i] = 0
		}
	}
}

// endings returns the calls and callbacks that end a connection, or tell of its end.
func (f *facts) endings() (all []*call) {
	for _, c := range f.calls {
		switch c.begin.Fn {
		case "NdkCloseConnector", "NdkDisconnectEventCallback", "NdkDisconnectEventCallbackEx", "ibv_get_async_event":
			if !c.refused() {
				all = append(all, c)
			}
		}
	}
	return all
}

// solicitedBy says whether the message was solicited that q took, a receive of a QP: known where all are alike that its peer had sent before
// that was told.
func (f *facts) solicitedBy(q *request, qp int) (solicited, known bool) {
	sent := f.firstTo[qp]
	plain, solicits := sent[0] < q.delivered, sent[1] < q.delivered
	return solicits, q.told && plain != solicits
}

// joins reports whether a call connects its QP, or may yet.
func (f *facts) joins(c *call) bool {
	if !c.connects() || c.refused() {
		return false
	}
	answer := f.answers[c.begin.Op]
	return !c.pending() || answer == nil || reportsSuccess(answer)
}
