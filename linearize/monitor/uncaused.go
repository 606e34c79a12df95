package monitor

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// uncaused checks that a request which breaks its queue pair completes with its own error: RES-11, of libibverbs. The first request of a queue pair
// that completes as flushed broke the queue pair if nothing else did. That is so if no call moved the queue pair into its error state and no event
// reported a failure. For type RC, also whatever its peer posted succeeded, and each receive that was pending there succeeded or was flushed.
// A peer does nothing to UC and UD, and a failed send leaves their receives alone: for these, no receive is pending that may have failed before a
// send. Receives of RC are checked by the clauses. If the trace does not record the type of a queue pair, each type is tried: there a receive that
// nothing flushed breaks RES-10.
//
// A message that invalidates a token may end the connection and still succeed (INV-05). Once its receive has succeeded, it is known that it did not.
type uncaused struct {
	seldom
	noRequest
	n        *ends
	troubled map[string][2]bool    // by queue pair: the queues that a close, a move, or a request that did not succeed has broken
	failed   map[string]bool       // queue pairs that a request which did not succeed has broken: that may end the connection for the peer
	told     bool                  // an asynchronous event may have told of a failure
	open     map[string]*suspicion // by queue pair
	traffic  map[string]*traffic   // by queue pair
	count    *int
}

// traffic counts the messages of a queue pair.
type traffic struct {
	sent, received int // those received that are known to have succeeded
	invalidates    int // how many had been sent with the latest one that may invalidate a token
}

// A suspicion is that a request broke its queue pair. It becomes a finding once all requests that the peer had posted by then are known to have
// succeeded, and the receives that were pending on the queue pair itself are known not to have failed.
type suspicion struct {
	finding Finding
	peer    string
	waits   []*workRequest
}

var _ = decides(
	rule{ID: breach.OwnError, On: on{"a request fails, or is flushed"}, Undefined: "a property of one result, if nothing else shows the failure"},
)

func newUncaused(m *Monitor) checks {
	if m.ends == nil || !m.ends.verbs() || m.dialect.FailsAsFlushed {
		return nothing{}
	}
	return &uncaused{n: m.ends, troubled: map[string][2]bool{}, failed: map[string]bool{}, open: map[string]*suspicion{}, traffic: map[string]*traffic{}, count: m.counter(breach.OwnError)}
}

func (u *uncaused) begin(c *Call, e *trace.Event) {
	switch c.Kind {
	case calls.FlushQp, calls.UnsettleQp, calls.CloseQp:
		u.troubled[e.Qp] = [2]bool{true, true}
	}
}

func (u *uncaused) end(c *Call, e *trace.Event) {
	if c.Kind == calls.DeviceEvent && !calls.IsRefusal(c.Verbs, e) {
		u.told = true
	}
}

func (u *uncaused) done(c *Call, succeeded bool) {
	if c.Kind == calls.CloseQp && succeeded {
		delete(u.troubled, c.Qp)
		delete(u.failed, c.Qp)
		delete(u.open, c.Qp)
		delete(u.traffic, c.Qp)
	}
}

func (u *uncaused) of(qp string) *traffic {
	if u.traffic[qp] == nil {
		u.traffic[qp] = &traffic{}
	}
	return u.traffic[qp]
}

func (u *uncaused) called(r *workRequest, _ *Call, _ []string) {
	unknown := r.queue.kind == model.Initiator && r.opcode == "" // it may be a message that invalidates a token
	if r.queue.qp == nil || !unknown && !r.op.IsSend() && r.opcode != "RDMA_WRITE_WITH_IMM" {
		return
	}
	t := u.of(r.queue.name)
	if t.sent++; unknown || r.op == model.SendAndInvalidate {
		t.invalidates = t.sent
	}
}

// fails records that a request may have broken a queue pair, and so have ended the connection for its peer.
func (u *uncaused) fails(qp string) {
	u.troubled[qp], u.failed[qp] = [2]bool{true, true}, true
	for name, s := range u.open {
		if s.peer == qp {
			delete(u.open, name)
		}
	}
}

func (u *uncaused) completed(r *workRequest, c *Call, result *trace.Result) {
	q, outcome := r.queue, calls.OutcomeOf(result.Status)
	if q.qp == nil {
		return
	}
	if outcome == model.SUCCESS {
		u.succeeded(r)
		return
	}
	u.clear(r, outcome)
	broken, kind := u.troubled[q.name], q.qp.kind
	untold := kind == "" && q.qp.created // then what breaks the rule of each type does
	if untold {
		kind = "RC"
	}
	first := !broken[q.kind]
	broken[q.kind] = true
	switch {
	case q.kind == model.Initiator && (kind == "UC" || kind == "UD"):
		u.troubled[q.name] = broken
	case first || outcome != model.CANCELLED: // else it was flushed for what came before
		u.fails(q.name)
	}
	if q.kind != model.Initiator && kind == "RC" && !untold || kind != "RC" && kind != "UC" && kind != "UD" {
		return
	}
	fails := !untold || q.kind == model.Initiator // else, if it is RC, it need not have failed itself
	if fails {
		*u.count++
	}
	if outcome != model.CANCELLED || !first || u.told || r.overlaps || u.mayFail(q.qp) || !r.isFirst() {
		return
	}
	peer, waits, known := u.others(q, kind)
	known = known && (!untold || q.isAlone())
	if !known || u.n.mayBePassed(r) && r.next != &q.requests { // one behind it may have been executed first, and failed
		return
	}
	b := breach.BrokeItself(r.wr, result.Status, "flushed it", q.name)
	if !fails {
		b = breach.Uncaused(r.wr, result.Status, "cancelled it, whatever the qp_type of "+q.name)
	}
	s := &suspicion{peer: peer, waits: waits, finding: Finding{Verdict: verdict.ProviderViolation, Rule: b.Rule, Place: u.n.s.m.now, See: []int{r.place.Line},
		Objects: []Object{q.object(), {Cq, c.Cq}}, Follows: true, Message: b.Message}}
	u.open[q.name] = s
	u.settle(q.name)
}

// others returns the requests that may have broken the queue pair of q: those of the peer are to succeed first, and its own receives not to fail. It
// reports whether nothing else may have.
func (u *uncaused) others(q *requestQueue, kind string) (peer string, waits []*workRequest, known bool) {
	if kind != "RC" {
		return "", nil, q.qp.created && (q.kind == model.Receive || q.isAlone())
	}
	p := u.n.s.peer(q.qp)
	if p == nil || !p.created || u.failed[p.name] || u.mayFail(p) {
		return "", nil, false
	}
	if p.kind != "" && p.kind != kind {
		return "", nil, false
	}
	waits = p.initiator.append(nil)
	if q.kind == model.Initiator {
		if q.qp.srq != "" || q.qp.receive.uncertain { // a receive that is not known may have failed
			return "", nil, false
		}
		waits = q.qp.receive.append(waits)
	}
	return p.name, waits, true
}

// mayFail reports whether a CQ of a queue pair may have failed, which breaks that.
func (u *uncaused) mayFail(p *qpArguments) bool {
	return u.n.mayFail(p.initiator.cq) || u.n.mayFail(p.receive.cq)
}

// append appends the requests of a queue that are not over.
func (q *requestQueue) append(to []*workRequest) []*workRequest {
	for r := q.requests.next; r != &q.requests; r = r.next {
		to = append(to, r)
	}
	return to
}

// clear handles that r did not succeed. Where it had been pending beside a request that is suspected, it broke the queue pair itself, or was flushed as
// that was.
func (u *uncaused) clear(r *workRequest, outcome model.Outcome) {
	s := u.open[r.queue.name]
	if s == nil || !slices.Contains(s.waits, r) {
		return
	}
	if outcome == model.FAILED {
		delete(u.open, r.queue.name)
		return
	}
	s.waits = slices.DeleteFunc(s.waits, func(o *workRequest) bool { return o == r })
	u.settle(r.queue.name)
}

// isAlone reports whether nothing is outstanding on the other queue of a queue pair, so that nothing there can have failed before.
func (q *requestQueue) isAlone() bool {
	other := q.qp.receive
	if q.kind == model.Receive {
		other = q.qp.initiator
	}
	return other != nil && !other.uncertain && other.requests.next == &other.requests
}

// succeeded records that r, and each request before it, has completed.
func (u *uncaused) succeeded(r *workRequest) {
	if r.queue.kind == model.Receive {
		u.of(r.queue.name).received++
		u.settle(r.queue.name)
	}
	for name, s := range u.open {
		if s.peer == r.queue.name || name == r.queue.name {
			s.waits = slices.DeleteFunc(s.waits, func(o *workRequest) bool { return o.queue == r.queue && o.position <= r.position })
			u.settle(name)
		}
	}
}

// isFirst reports whether all requests of its queue that were posted before r have succeeded, with a word or without.
func (r *workRequest) isFirst() bool {
	for o := r.previous; o != &r.queue.requests; o = o.previous {
		if !o.silent {
			return false
		}
	}
	return true
}

func (u *uncaused) settle(qp string) {
	s := u.open[qp]
	if s != nil && len(s.waits) == 0 && u.of(qp).received >= u.of(s.peer).invalidates && u.of(s.peer).received >= u.of(qp).invalidates {
		u.n.s.m.report(s.finding)
		delete(u.open, qp)
	}
}
