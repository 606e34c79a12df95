package monitor

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// ends checks that nothing succeeds on a queue pair whose connection has ended, and that what is posted on it completes: DISC-10, FLUSH-06,
// POST-08 and DEF-04. It looks at requests that were posted after the end, and at those behind a request of their queue that failed. When a
// request that was posted before was executed, these events do not show.
type ends struct {
	nothing
	noRequest
	s        *requests
	of       map[string]*qpEnd   // by queue pair
	joined   map[string]int      // queue pairs that were connected: the index of the event that told so last
	half     map[string]bool     // queue pairs that NdkConnect alone connected, so that their posts may be refused yet (A37)
	tried    map[string]bool     // queue pairs that were to be connected
	fresh    map[queueOf]fresh   // what may have failed before the present connection
	moving   map[string]*move    // by the op of a call of ibv_modify_qp
	failed   map[queueOf]failure // the first of each queue
	names    map[string]bool     // queue pairs that posted a message which names a token
	behind   map[string]*late    // by wr: requests that were posted after an end
	owing    map[string]int      // by CQ: those of them that had to complete by a moment of rest
	broken   map[string]bool     // CQs that reported an error, or were resized
	lost     []lostRequest       // what had not completed by a moment of rest
	disc, ok *int
}

// queueOf names a queue of a queue pair.
type queueOf struct {
	qp   string
	kind model.Queue
}

// fresh says which requests of a queue may have failed before the present connection: those that were posted before an event. Of the first
// connection there are none behind a request that succeeded.
type fresh struct {
	before int // the index of the event
	first  bool
}

// A qpEnd is the end of a connection.
type qpEnd struct {
	rule     string // that a success breaks afterwards, or "" where it breaks none of these
	sends    bool   // what is posted afterwards to the initiator queue completes
	receives bool   // what is posted afterwards to the receive queue completes
	what     string
	at       Place
	see      []int  // lines that show it, beside that
	there    string // the queue pair at the other end, on which nothing succeeds either that reaches this one, or ""
}

// flushes reports whether what is posted to a queue after the end completes.
func (e *qpEnd) flushes(q *requestQueue) bool {
	if q.kind == model.Receive {
		return e.receives
	}
	return e.sends
}

// byDisconnect is the rule that nothing succeeds behind a disconnect. Package breach has those of other ends.
const byDisconnect = "DISC-10"

// A move is a call of ibv_modify_qp that has not returned.
type move struct {
	qp, state string
	contested bool // another one overlaps it, and moves the queue pair into another state
}

var _ = decides(
	rule{ID: byDisconnect, On: on{"a request is posted after a disconnect"}, OnlyNdk: true},
	rule{ID: breach.OfErrorState, On: on{"a request is posted, or completes, on a queue pair in its error state"}, Rests: declared.Arrival},
)

func newEnds(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // what came after an end is not known
	}
	n := &ends{s: m.requests, of: map[string]*qpEnd{}, joined: map[string]int{}, half: map[string]bool{},
		tried: map[string]bool{}, fresh: map[queueOf]fresh{}, moving: map[string]*move{}, failed: map[queueOf]failure{}, behind: map[string]*late{}, names: map[string]bool{}, owing: map[string]int{}, broken: map[string]bool{},
		disc: m.counter(byDisconnect), ok: m.counter(breach.OfErrorState)}
	m.ends = n
	return n
}

func (n *ends) verbs() bool { return n.s.m.dialect.Ibverbs }

// kindOf returns the type of a queue pair of libibverbs, or "".
func (n *ends) kindOf(qp string) string {
	if p := n.s.qps.get(qp); p != nil {
		return p.kind
	}
	return ""
}

func (n *ends) begin(c *Call, e *trace.Event) {
	switch {
	case c.Kind == calls.ResizeCq:
		n.broken[e.Cq] = true
	case c.Kind == calls.CloseQp:
		n.forget(e.Qp)
	case c.Kind == calls.Callback && e.Status != "" && e.Status != "STATUS_SUCCESS":
		n.broken[e.Cq] = true
	case e.Fn == "ibv_modify_qp":
		n.moves(c, e)
	case c.Kind == calls.ConnectQp, c.Kind == calls.CompleteConnection:
		if c.Kind == calls.ConnectQp && n.tried[e.Qp] {
			n.begins(e.Qp, false)
		}
		n.tried[e.Qp] = true
		n.revives(e.Qp)
	}
}

// moves records a call of ibv_modify_qp. Of two that overlap and move a queue pair into different states, either may be the last.
func (n *ends) moves(c *Call, e *trace.Event) {
	m := &move{qp: e.Qp, state: e.State}
	for _, other := range n.moving {
		if other.qp == m.qp && other.state != m.state {
			other.contested, m.contested = true, true
		}
	}
	n.moving[c.Op] = m
	if e.State != "ERR" && e.State != "SQE" && e.State != "SQD" {
		n.revives(e.Qp)
	}
}

// moved records that a call of ibv_modify_qp has returned.
func (n *ends) moved(m *move, refused bool) {
	switch {
	case refused || m.contested && m.state == "ERR":
	case m.state == "ERR":
		n.note(m.qp, &qpEnd{rule: breach.OfErrorState, sends: true, receives: true, what: m.qp + " was moved into its error state", at: n.s.m.now})
	case m.state == "RTS" && n.kindOf(m.qp) != "RC": // it brings back an initiator queue that a failure had stopped
		queue := queueOf{m.qp, model.Initiator}
		delete(n.failed, queue)
		n.fresh[queue] = fresh{n.s.m.now.Index, false}
	}
}

func (n *ends) end(c *Call, e *trace.Event) {
	if cq, _, is := calls.CqErrorOf(e); is {
		n.broken[cq] = true
	}
	refused := calls.IsRefusal(c.Verbs, e)
	if m := n.moving[c.Op]; m != nil {
		delete(n.moving, c.Op)
		n.moved(m, refused)
	}
	if c.Kind == calls.Post && c.Queue == model.Initiator && e.Status == "STATUS_CONNECTION_INVALID" && n.isJoined(c.Qp) && n.joined[c.Qp] < c.Begun.Index && !n.half[c.Qp] {
		n.note(c.Qp, &qpEnd{rule: breach.NeedConnection, what: c.Wr + " was refused with STATUS_CONNECTION_INVALID", at: n.s.m.now})
	}
}

func (n *ends) done(c *Call, succeeded bool) {
	switch {
	case c.Qp == "":
	case c.Kind == calls.ConnectQp && !c.Verbs || c.Kind == calls.CompleteConnection:
		n.revives(c.Qp)
		if succeeded && !n.isJoined(c.Qp) {
			n.begins(c.Qp, true)
		}
		if succeeded {
			n.joined[c.Qp] = n.s.m.now.Index
			n.half[c.Qp] = c.Fn == "NdkConnect" || c.Fn == "NdkConnectWithSharedEndpoint"
		}
	case c.Fn == "NdkDisconnect" && n.tried[c.Qp] && !n.isJoined(c.Qp): // it may have ended nothing
	case c.Fn == "NdkDisconnect" && succeeded:
		n.note(c.Qp, &qpEnd{rule: byDisconnect, sends: true, receives: !n.mayBeAborted(c.Qp), what: "NdkDisconnect of " + c.Qp + " had completed", at: n.s.m.now, there: n.otherEnd(c.Qp)})
	case c.Fn == "NdkDisconnect" && c.pends: // it had begun, so it has ended the connection; the trace does not record the rest
		n.note(c.Qp, &qpEnd{rule: byDisconnect, what: "NdkDisconnect of " + c.Qp + " had completed with a failure", at: n.s.m.now, there: n.otherEnd(c.Qp)})
	case c.Fn == "NdkFlush" && succeeded && n.s.m.dialect.A15 == model.A15Cancelled && n.of[c.Qp] == nil && (n.isJoined(c.Qp) || !n.tried[c.Qp]):
		n.note(c.Qp, &qpEnd{rule: "", sends: true, receives: true, what: "NdkFlush of " + c.Qp + " had returned", at: n.s.m.now})
	}
}

// begins records that what was posted on a queue pair up to now may have failed before its next connection, or before its first one.
func (n *ends) begins(qp string, first bool) {
	for _, q := range []model.Queue{model.Initiator, model.Receive} {
		if _, later := n.fresh[queueOf{qp, q}]; !first || !later {
			n.fresh[queueOf{qp, q}] = fresh{n.s.m.now.Index, first}
		}
	}
}

// isJoined reports whether a queue pair was connected.
func (n *ends) isJoined(qp string) bool { return n.joined[qp] > 0 }

// otherEnd returns the queue pair that one is connected with, unless a bad token may have ended their connection before (INV-05), or "".
func (n *ends) otherEnd(qp string) string {
	if p := n.s.qps.all[qp]; p != nil && !n.mayBeAborted(qp) {
		if peer := n.s.peer(p); peer != nil && n.isJoined(qp) && n.isJoined(peer.name) {
			return peer.name
		}
	}
	return ""
}

// endBehind returns the end that a request which is posted now comes behind: of its queue pair, or at the other end, if it reaches that.
func (n *ends) endBehind(r *workRequest) *qpEnd {
	own := n.of[r.queue.name]
	if own != nil || !r.op.IsSend() && r.op != model.Write && r.op != model.Read {
		return own
	}
	if peer := n.s.peer(r.queue.qp); peer != nil {
		if e := n.of[peer.name]; e != nil && e.there == r.queue.name {
			return &qpEnd{rule: e.rule, what: e.what, at: e.at}
		}
	}
	return nil
}

func (n *ends) note(qp string, e *qpEnd) {
	if old := n.of[qp]; old == nil || old.rule == "" {
		n.of[qp] = e
	}
}

// revives forgets the end of a queue pair that is connected, or moved into another state.
func (n *ends) revives(qp string) {
	if other := n.otherEnd(qp); n.of[other] != nil {
		n.of[other].there = ""
	}
	delete(n.of, qp)
	delete(n.failed, queueOf{qp, model.Initiator})
	delete(n.failed, queueOf{qp, model.Receive})
	for wr, l := range n.behind {
		if l.request.queue.name == qp {
			n.drop(wr)
		}
	}
}

func (n *ends) forget(qp string) {
	n.revives(qp)
	delete(n.joined, qp)
	delete(n.half, qp)
	delete(n.tried, qp)
	delete(n.names, qp)
	delete(n.fresh, queueOf{qp, model.Initiator})
	delete(n.fresh, queueOf{qp, model.Receive})
}

func (n *ends) drop(wr string) {
	if l := n.behind[wr]; l != nil && l.owed != (Place{}) {
		n.owing[l.request.queue.cq]--
	}
	delete(n.behind, wr)
}

// mayLose reports whether a call may make its queue pair lose requests, or take other messages than those of its connection.
func (n *ends) mayLose(c *Call) bool {
	switch c.Kind {
	case calls.FlushQp, calls.UnsettleQp, calls.CloseQp:
		return true
	}
	return c.Kind == calls.ConnectQp && n.isJoined(c.Qp)
}

// mayFail reports whether a CQ may have lost completions: it reported an error, was resized, or may have overflowed.
func (n *ends) mayFail(cq string) bool { return n.broken[cq] || n.s.mayOverflow(cq) }

// mayBeAborted reports whether a bad token may have ended the connection of a queue pair. Receives may wait there (INV-05).
func (n *ends) mayBeAborted(qp string) bool {
	p := n.s.qps.all[qp]
	if p == nil {
		return true
	}
	peer := n.s.peer(p)
	return n.names[qp] || peer != nil && n.names[peer.name]
}

func (n *ends) called(r *workRequest, c *Call, flags []string) {
	if r.op == model.SendAndInvalidate {
		n.names[r.queue.name] = true
	}
	if r.queue.qp == nil || len(n.behind) >= maxRequests {
		return
	}
	e := n.endBehind(r)
	if e == nil {
		return
	}
	switch e.rule {
	case byDisconnect:
		*n.disc++
	case breach.OfErrorState:
		*n.ok++
	}
	n.behind[r.wr] = &late{request: r, end: e, defers: isDeferred(flags)}
}

func (n *ends) completed(r *workRequest, c *Call, result *trace.Result) {
	l := n.behind[r.wr]
	n.drop(r.wr)
	if r.queue.qp == nil {
		return
	}
	queue, outcome := queueOf{r.queue.name, r.queue.kind}, calls.OutcomeOf(result.Status)
	f, failed := n.failed[queue]
	if failed && r.position > f.position && f.rule == breach.OfErrorState {
		*n.ok++
	}
	if outcome == model.SUCCESS && n.fresh[queue].first && !r.overlaps {
		delete(n.fresh, queue)
	}
	switch {
	case outcome != model.SUCCESS && r.place.Index < n.fresh[queue].before:
	case outcome != model.SUCCESS:
		if n.endsQueue(r, outcome) && !r.overlaps && (!failed || r.position < f.position) {
			n.failed[queue] = failure{breach.OfErrorState, r.position, r.place.Line, r.wr, result.Status}
		}
		if n.endsBoth(r, outcome) {
			n.fails(r, result)
		}
	case l != nil && !l.pending && l.end.rule != "":
		n.report(r, c, l.end.rule, append(l.end.see, l.end.at.Line), fmt.Sprintf("%s was posted after %s, and succeeded", r.wr, l.end.what))
	case failed && r.position > f.position && !r.overlaps:
		n.reportBehind(success{r, c.Cq, n.s.m.now}, &f)
	}
}

func (n *ends) report(r *workRequest, c *Call, rule string, see []int, message string) {
	n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, See: append(slices.Clone(see), r.place.Line), Objects: []Object{r.queue.object(), {Cq, c.Cq}},
		Follows: true, Message: message})
}

func (n *ends) finish() { n.reportLost() }
