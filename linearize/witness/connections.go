package witness

import (
	"math"
	"slices"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// findTokens numbers the tokens, and finds those that may have been valid when the trace began: one is made invalid that no
// request had made valid, and the trace does not have the creation of its region; or a call gave memory a token that is not told.
func (f *facts) findTokens() {
	f.followed = true
	made, registered, given := map[string]bool{}, map[uint32]bool{}, math.MaxInt
	for _, c := range f.calls {
		if regions[c.begin.Fn] {
			made[c.begin.Mr+c.begin.Mw] = true
		}
		if givesToken[c.begin.Fn] && !c.refused() {
			given = min(given, c.from)
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
		unmade := r.Op == model.Invalidate && !made[r.post.begin.Mr+r.post.begin.Mw]
		if !registered[*r.token] && (unmade || given < r.post.to) && !old[*r.token] {
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

// findPeers joins the two QPs of each connection. It is not known which messages reach which end if a QP was connected over connections of different
// names, or takes its receives from a shared queue.
func (f *facts) findPeers() {
	surely, several := map[int]string{}, map[int]bool{}
	for _, c := range f.calls {
		i, known := f.qps.index[c.begin.Qp]
		if !known || !f.joins(c) || c.begin.Conn == "" || !f.deliversMessages(i) {
			continue
		}
		if f.conns[i] = c.begin.Conn; !f.failed(c) {
			several[i] = several[i] || surely[i] != "" && surely[i] != c.begin.Conn
			surely[i] = c.begin.Conn
		}
	}
	for i := range several {
		if several[i] {
			f.conns[i] = ""
		}
	}
	ends := map[string][]int{}
	for i, conn := range f.conns {
		if conn != "" {
			ends[conn] = append(ends[conn], i)
		}
	}
	for _, both := range ends {
		isFed := func(i int) bool { return f.created[i].begin.Srq != "" }
		if len(both) == 2 && !slices.ContainsFunc(both, isFed) {
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

// findLosses finds the event from which on the connection of each QP may be lost (RES-10). Without the peer in the trace, it may be lost at any moment.
// With the peer, it may be lost once the peer was flushed, closed or failed, once a CQ of the peer may have failed, or once an event shows an end. In
// NDKPI and NDSPI it may also be lost once a request was posted that was cancelled, whatever the cause. A request without a recorded outcome may have
// failed, which is enough.
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
		if !q.told || q.failed && (q.cancelled || q.post.verbs()) { // what broke the QP may be reported as flushed
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
	for _, c := range f.calls {
		if i, known := f.qps.index[c.begin.Qp]; known && f.showsLoss(c) {
			lost(i, 0)
			lost(f.contract.Qps[i].Peer, 0)
		}
	}
}

// showsLoss reports whether a call shows that the connection of its QP, or the attempt to make it, has ended: a connect failed, or a post was
// refused because the QP is not connected.
func (f *facts) showsLoss(c *call) bool {
	if c.connects() || completesConnect[c.begin.Fn] {
		return f.failed(c)
	}
	return c.refused() && c.end.Status == "STATUS_CONNECTION_INVALID"
}

// failed reports whether a call failed, by its return or by its answer.
func (f *facts) failed(c *call) bool {
	answer := f.answers[c.begin.Op]
	return c.refused() || c.pending() && answer != nil && !reportsSuccess(answer)
}

// deliversMessages reports whether each message of the i'th QP reaches a receive of its peer, or its send does not succeed. UC and UD lose
// messages. One of unknown type counts as RC, as it does for the engines.
func (f *facts) deliversMessages(i int) bool {
	switch f.created[i].begin.QpType {
	case "UC", "UD", "XRC_SEND", "XRC_RECV", "RAW_PACKET", "DRIVER":
		return false
	}
	return true
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

// joins reports whether a call connects its QP, or may have: one that fails in the end may have made a connection that was lost.
func (f *facts) joins(c *call) bool { return c.connects() && !(c.refused() && c.verbs()) }

// connectsOf returns the calls that connect a QP, or try to.
func (f *facts) connectsOf(qp string) (all []*call) {
	for _, c := range f.calls {
		if c.connects() && c.begin.Qp == qp {
			all = append(all, c)
		}
	}
	return all
}

// mayStayOpen reports whether the close of a QP may do nothing but wait until it completes: its connector may be open (A36).
func (f *facts) mayStayOpen(closes *call) bool {
	return closes.pending() && !closes.verbs() && len(f.connectsOf(closes.begin.Qp)) > 0
}

// onlyFailedToConnect reports whether each connect of a QP that was called before an event had failed by then, and there was one; and none of them carried
// anything, which the success of a request posted before the failure would show. For a receive whose outcome the trace does not record, that is not
// known.
func (f *facts) onlyFailedToConnect(qp string, at int) bool {
	tried := false
	for _, c := range f.connectsOf(qp) {
		if c.from >= at {
			continue
		}
		tried = true
		failed := f.connectOver(c)
		carried := func(r *request) bool {
			return f.qps.list[r.qp] == qp && r.post.from < failed && (r.told && !r.failed || f.mayHaveReceived(r, failed))
		}
		if !f.failed(c) || failed >= at || slices.ContainsFunc(f.requests, carried) {
			return false
		}
	}
	return tried
}

// connectOver returns the event by which a connect that failed is known to have.
func (f *facts) connectOver(c *call) int {
	if answer := f.answers[c.begin.Op]; c.pending() && answer != nil {
		return answer.from
	}
	return c.to
}

// mayHaveReceived reports whether r is a receive that may have succeeded by an event, as nothing shows of it: no poll that was called later found its CQ
// empty.
func (f *facts) mayHaveReceived(r *request, by int) bool {
	q := f.cqs.list[f.contract.Qps[r.qp].ReceiveCq]
	return r.queue == model.Receive && r.accepted && !r.told && !slices.ContainsFunc(f.calls, func(c *call) bool {
		return c.from > by && c.begin.Cq == q && polls[c.begin.Fn] && c.end != nil && len(c.end.Results) == 0
	})
}

// onlyRefusedToConnect reports whether there was a connect of a QP before an event, and each such connect failed, possibly later, without making a
// connection.
func (f *facts) onlyRefusedToConnect(qp string, at int) bool {
	tried := false
	for _, c := range f.connectsOf(qp) {
		if c.from > at {
			continue
		}
		tried = true
		if !f.failed(c) || !c.refused() && !madeNone[f.answers[c.begin.Op].begin.Status] || c.refused() && !madeNone[c.end.Status] {
			return false
		}
	}
	return tried
}

// madeNone has the statuses of a connect by which no connection was made.
var madeNone = map[string]bool{"STATUS_CONNECTION_REFUSED": true, "STATUS_NETWORK_UNREACHABLE": true, "STATUS_HOST_UNREACHABLE": true}

// carriedNothing reports whether there was a connect of a QP, each one failed, and no success shows that a connection existed: neither of a request of
// either end, nor of a connect of the other end.
func (f *facts) carriedNothing(qp int) bool {
	connects := f.connectsOf(f.qps.list[qp])
	if len(connects) == 0 || slices.ContainsFunc(connects, func(c *call) bool { return !f.failed(c) }) {
		return false
	}
	isEnd := func(other int) bool { return other == qp || f.conns[qp] != "" && f.conns[other] == f.conns[qp] }
	for other, name := range f.qps.list {
		if other != qp && isEnd(other) && slices.ContainsFunc(f.connectsOf(name), func(c *call) bool { return !f.failed(c) }) {
			return false
		}
	}
	mayHaveReceived := func(r *request) bool {
		return slices.ContainsFunc(connects, func(c *call) bool {
			by := f.connectOver(c)
			return r.qp == qp && r.post.from < by && f.mayHaveReceived(r, by)
		})
	}
	return !slices.ContainsFunc(f.requests, func(r *request) bool { return isEnd(r.qp) && r.told && !r.failed || mayHaveReceived(r) })
}

// completesUnsignaled reports whether a poll delivered a request of a QP that succeeded and that was posted without SIGNALED.
func (f *facts) completesUnsignaled(qp string) bool {
	unsignaled := map[string]bool{}
	for i := range f.events {
		e := &f.events[i]
		for _, w := range e.Wrs {
			if e.Fn == "ibv_post_send" && e.Qp == qp && !slices.Contains(w.Flags, "SIGNALED") && !slices.Contains(w.Flags, "IBV_SEND_SIGNALED") {
				unsignaled[w.Wr] = true
			}
		}
		for _, result := range e.Results {
			if unsignaled[result.Wr] && outcomeOf(result.Status) == model.SUCCESS {
				return true
			}
		}
	}
	return false
}
