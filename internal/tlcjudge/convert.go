// Package tlcjudge decides recorded traces with TLC: it writes them as TLA+ beside the contract, and reads what TLC says. It
// reads a trace and converts it; what is allowed, and which rule is broken, the modules TraceCheck and TraceRules say.
package tlcjudge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/lanes"
	"ndkoracle/linearize/verdict"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

type cq struct {
	id, name         string // id is its name in the module
	created          bool
	depth            *int64
	polls            []*call
	delivered        []*request
	resizes          []*call // that were not refused by their return
	requests         int     // that complete into it
	asksForSolicited bool    // it is armed SOLICITED
	reason           string
	component        *component
}

type qp struct {
	id, name           string
	created            *call
	lane               *lanes.Lane // of a shared receive queue, for which p stands; or nil
	initiator, receive *cq
	conn               string
	completions        []*call // NdkCompleteConnect
	connected, closed  *call
	aborted            int // the place from which on an abort may have ended its connection, or 0
	peer               *qp
	requests           []*request
	component          *component
}

func (p *qp) cq(queue string) *cq {
	if queue == "receive" {
		return p.receive
	}
	return p.initiator
}

// A component is a group of objects that share something. Those of different components are judged apart.
type component struct {
	cqs       []*cq
	qps       []*qp
	calls     []*call
	requests  []*request
	tokens    map[uint32]string
	oldTokens []string // that may have been made valid before the trace began
	reason    string   // why it can't be decided, or ""

	events []event
}

// An event is one end of a call.
type event struct {
	call *call
	ends bool
	at   int // in the trace
}

// history is a whole trace, taken apart.
type history struct {
	trace      *trace.Trace
	calls      []*call
	cqs        map[string]*cq
	qps        map[string]*qp
	qpList     []*qp
	cqList     []*cq
	byWr       map[string]*request
	shared     map[string]bool
	objects    objects
	components []*component
	awaited    map[int]map[string]bool // by moment of rest: the CQs for whose events a thread waits
	unplaced   map[string]bool         // by op: calls that read an event, and of which the trace does not say on which channel they waited
	signalling map[string]bool         // QPs of which a request without SIGNALED completes with success

	eventsAreRead bool // notifications are events that waiting threads read, not callbacks

	deviceLevel bool // what a device reports is judged, not what libibverbs promises
}

func isSuccess(status string) bool {
	s, err := ndk.ParseStatus(status)
	return err == nil && s.Success()
}

func read(t *trace.Trace, deviceLevel, eventsAreRead bool) *history {
	h := &history{trace: t, deviceLevel: deviceLevel, eventsAreRead: eventsAreRead, cqs: map[string]*cq{}, qps: map[string]*qp{}, byWr: map[string]*request{}, shared: map[string]bool{},
		objects: objects{}, awaited: trace.Awaited(t), unplaced: trace.Unplaced(t), signalling: signalling(t)}
	calls, ends := pair(t.Events)
	h.calls = calls
	for _, c := range calls {
		if c.kind == "create CQ" {
			h.cq(c.first.Cq).created = true // and nothing is placed in it before
		}
	}
	for _, c := range calls {
		h.take(c)
	}
	h.takeShared()
	h.findUnclear()
	h.findAborts()
	h.findPeers()
	for _, c := range slices.SortedStableFunc(slices.Values(calls), func(a, b *call) int { return a.end - b.end }) {
		h.deliver(c)
	}
	h.findBadlyNamed()
	h.tell()
	h.split(ends)
	return h
}

func (h *history) cq(name string) *cq {
	q := h.cqs[name]
	if q == nil {
		q = &cq{name: name, id: fmt.Sprint("q", len(h.cqs)+1)}
		h.cqs[name] = q
		h.cqList = append(h.cqList, q)
	}
	return q
}

func (h *history) qp(name string) *qp {
	p := h.qps[name]
	if p == nil {
		p = &qp{name: name, id: fmt.Sprint("p", len(h.qps)+1)}
		h.qps[name] = p
		h.qpList = append(h.qpList, p)
	}
	return p
}

// take records the objects and requests that a call is of.
func (h *history) take(c *call) {
	e := c.first
	h.objects.take(c)
	switch c.kind {
	case "create CQ":
		q := h.cq(e.Cq)
		q.depth = e.Depth
		if c.last != nil && c.last.Depth != nil {
			q.depth = c.last.Depth
		}
	case "create QP":
		p := h.qp(e.Qp)
		p.created, p.initiator, p.receive = c, h.cq(e.InitiatorCq), h.cq(e.ReceiveCq)
	case "connect":
		c.qp = h.qp(e.Qp)
		if c.qp.connected == nil {
			c.qp.connected = c
		}
		c.qp.conn = cmp.Or(e.Conn, c.qp.conn)
	case "post":
		c.qp = h.qp(e.Qp)
		c.requests = requestsOf(c, h.signalsAll(c.qp))
		for _, r := range c.requests {
			r.qp = c.qp
			c.qp.requests = append(c.qp.requests, r)
			if h.byWr[r.wr] == nil {
				h.byWr[r.wr] = r
			}
		}
	case "flush":
		c.qp = h.qp(e.Qp)
	case other:
		if p := h.qps[e.Qp]; p != nil && (c.fn == "NdkCompleteConnect" || c.fn == "NdkCompleteConnectEx") {
			p.completions = append(p.completions, c)
		}
		if p := h.qps[e.Qp]; p != nil && c.answer() == "SUCCESS" && c.recovers(p) {
			c.kind, c.qp = "recover", p
		}
	case "close QP":
		c.qp = h.qp(e.Qp)
		c.qp.closed = cmp.Or(c.qp.closed, c)
	case "arm":
		c.cq = h.cq(e.Cq)
		c.cq.asksForSolicited = c.cq.asksForSolicited || c.armType() == "SOLICITED"
	case "close CQ":
		c.cq = h.cq(e.Cq)
	case "callback":
		c.cq = h.cq(e.Cq)
	case "poll":
		c.cq = h.cq(e.Cq)
		c.cq.polls = append(c.cq.polls, c)
	case "event":
		if c.answer() == "SUCCESS" && c.last.Cq != "" {
			c.cq = h.cq(c.last.Cq)
		}
	case "resize":
		c.cq = h.cq(e.Cq)
		c.cq.resizes = append(c.cq.resizes, c)
	case "CQ closed", "CQ resized":
		c.cq = h.cq(c.completes.first.Cq)
	case "QP closed":
		c.qp = h.qp(c.completes.first.Qp)
	case "shared post":
		h.shared[e.Wr] = true
		for _, w := range e.Wrs {
			h.shared[w.Wr] = true
		}
	case "placed":
		h.place(c, h.byWr[e.Wr])
	}
}

// place handles a point, which is of a request, or of none that was posted by then.
func (h *history) place(c *call, r *request) {
	q := h.cqs[c.first.Cq]
	switch {
	case r == nil && (h.shared[c.first.Wr] || q == nil || !q.created):
		c.kind = other // it may have been posted before the trace began
	case r == nil:
		c.astray = true
	default:
		c.astray = c.first.Cq != "" && r.qp.created != nil && r.qp.cq(r.queue()) != q
		r.point, c.request, c.qp = cmp.Or(r.point, c), r, r.qp
		if r.refused && r.post.end > c.begin {
			r.accepted = true // as it could still be; its refusal is the breach (DEF-03)
		}
	}
}

// findPeers joins the two QPs of each connection. Which messages reach which other end is not followed where one takes its receives from a shared
// queue, or was connected over connections of different names.
func (h *history) findPeers() {
	for _, c := range h.calls {
		if c.mayHaveConnected() && !c.isToldFailed() && c.first.Conn != "" && c.qp.conn != "" && c.first.Conn != c.qp.conn {
			c.qp.conn = ""
		}
	}
	byConn := map[string][]*qp{}
	for _, p := range h.qpList {
		if p.conn != "" {
			byConn[p.conn] = append(byConn[p.conn], p)
		}
	}
	for _, ends := range byConn {
		if len(ends) == 2 && !slices.ContainsFunc(ends, isFed) {
			ends[0].peer, ends[1].peer = ends[1], ends[0]
		}
	}
}

// deliver finds the requests that a poll delivered, after those of the polls that returned before it.
func (h *history) deliver(c *call) {
	if c.kind != "poll" || c.last == nil {
		return
	}
	c.results = make([]*request, len(c.last.Results))
	had, _ := slices.BinarySearchFunc(c.cq.delivered, c.begin, func(r *request, begin int) int { return r.poll.end - begin })
	before := len(c.cq.delivered)
	for i := range c.last.Results {
		result := &c.last.Results[i]
		r := h.byWr[result.Wr]
		if r == nil && h.shared[result.Wr] {
			c.cq.reason = verdict.PostedOnShared(result.Wr, h.trace.Header.Dialect)
		}
		if r == nil || r.qp.created != nil && r.qp.cq(r.queue()) != c.cq {
			continue
		}
		c.results[i] = r
		if r.poll == nil {
			r.poll, r.result = c, result
			c.cq.delivered = append(c.cq.delivered, r)
			r.turn, r.firstTurn, r.since = len(c.cq.delivered), before+1, had
		}
		if r.refused && r.post.end > c.end {
			r.accepted = true // as it could still be; its refusal is the breach (DEF-03)
		}
	}
}

// outcomes returns the possible outcomes of a request that completed with a status. Some devices also report as flushed the request whose failure
// broke the QP (RES-11).
func (h *history) outcomes(status string) []string {
	told := outcomes(status)
	if h.deviceLevel && told[0] == "CANCELLED" {
		return []string{"CANCELLED", "FAILED"}
	}
	return told
}

// outcomes are those that a request may have had whose completion has a status.
func outcomes(status string) []string {
	switch strings.TrimPrefix(status, "IBV_WC_") {
	case "SUCCESS":
		return []string{"SUCCESS"}
	case "WR_FLUSH_ERR", "STATUS_CANCELLED":
		return []string{"CANCELLED"}
	}
	if isSuccess(status) {
		return []string{"SUCCESS"}
	}
	return []string{"FAILED"}
}

// contradicts reports whether the point that shows how r ended tells otherwise than a result.
func (r *request) contradicts(result *trace.Result) bool {
	return r.point != nil && outcomes(r.point.first.Status)[0] != outcomes(result.Status)[0]
}

// tell finds what the trace records about each request.
func (h *history) tell() {
	for _, p := range h.qpList {
		var chain []*request
		for _, r := range p.requests {
			q := p.cq(r.queue())
			if q != nil && r.accepted {
				q.requests++
			}
			if r.poll != nil && r.point != nil && r.poll.end < r.point.begin {
				r.point = nil // that places it again (POLL-04)
			}
			switch {
			case r.result != nil && !r.contradicts(r.result):
				r.told = h.outcomes(r.result.Status)
			case r.point != nil:
				r.told = h.outcomes(r.point.first.Status)
			default:
				r.told = []string{"SUCCESS", "FAILED", "CANCELLED"}
			}
			if r.queue() == "receive" {
				continue
			}
			chain = append(chain, r)
			if r.accepted && r.deferred {
				continue
			}
			for _, earlier := range chain {
				earlier.refusedThen = !r.accepted
			}
			chain = nil
		}
	}
	for _, q := range h.cqList {
		for _, p := range h.qpList {
			for _, r := range p.requests {
				if p.cq(r.queue()) == q && r.point == nil {
					r.nothing = q.foundNothing(r)
				}
			}
		}
	}
}

// isEmpty reports whether c is a poll that had room and found nothing.
func (c *call) isEmpty() bool {
	room := c.first.N == nil || *c.first.N > 0
	return c.last != nil && c.kind == "poll" && room && len(c.last.Results) == 0
}

// foundNothing returns the last poll that had room and found nothing, and returned before the call of the one that delivered r. What
// none delivered may have vanished when its QP was closed (A21): of that the polls before the close tell.
func (q *cq) foundNothing(r *request) *call {
	before := cmp.Or(r.poll, r.qp.closed)
	for _, c := range slices.Backward(q.polls) {
		if c.isEmpty() && (before == nil || c.end < before.begin) {
			return c
		}
	}
	return nil
}
