package linearize

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A run is a random walk of the contract itself, with what a recorder would have seen of it: a provider that keeps the
// contract, and a consumer that keeps its own. Each call takes effect at a moment between its call and its return; hidden
// steps leave no event.
type run struct {
	t        *rapid.T
	c        *model.Contract
	s        model.State
	trace    *trace.Trace
	open     []*inFlight
	running  []*inFlight // callbacks that were entered
	ops      int
	requests []model.Request // by id, from 0
	ended    map[string]bool // objects whose close was called
	broken   map[int]bool    // QPs that broke for a reason of their own, other than a failed receive
	sends    map[int]int     // of each QP, as many as were accepted
	received map[int]int     // of each QP: receives that have ended
	points   bool            // the recorder knows when completions are placed
	lost     bool            // a CQ failed, and what it lost nobody saw
	told     []string        // every step, for a failure's sake
}

// An inFlight call was called, and may have taken effect, but has not returned. A callback is one whose entry may still
// have to be taken down.
type inFlight struct {
	fn, op  string
	call    trace.Event
	ret     trace.Event
	effect  func(*inFlight) // nil once taken
	objects []string        // that no other call of the same kind may use meanwhile
	cq      int
}

func (r *run) verbs() bool { return strings.HasPrefix(r.c.Dialect.Name, "verbs") }

func (r *run) draw(n int, label string) int { return rapid.IntRange(0, n-1).Draw(r.t, label) }

func (r *run) event(ph trace.Phase, op, fn string, e trace.Event) {
	e.Ph, e.Op, e.Fn, e.Thr = ph, op, fn, "t"
	e.Seq, e.Line = uint64(len(r.trace.Events)+1), len(r.trace.Events)+2
	r.trace.Events = append(r.trace.Events, e)
}

func (r *run) newOp() string {
	r.ops++
	return fmt.Sprint(r.ops)
}

func (r *run) atOnce(fn string, call, ret trace.Event) {
	op := r.newOp()
	r.event(trace.Call, op, fn, call)
	r.event(trace.Ret, op, fn, ret)
}

func cqName(i int) string  { return fmt.Sprintf("cq%d", i+1) }
func qpName(i int) string  { return fmt.Sprintf("qp%d", i+1) }
func wrName(id int) string { return fmt.Sprintf("w%d", id) }
func token(id int) *uint32 { t := uint32(id + 7); return &t }
func word(b bool) *bool    { return &b }

// begin creates the objects.
func (r *run) begin() {
	for i, depth := range r.c.Depth {
		r.atOnce(r.fn("NdkCreateCq", "ibv_create_cq"), trace.Event{Cq: cqName(i), Depth: number(int64(depth))}, r.ok())
	}
	for i, b := range r.c.Qps {
		r.atOnce(r.fn("NdkCreateQp", "ibv_create_qp"), trace.Event{Qp: qpName(i), InitiatorCq: cqName(b.InitiatorCq),
			ReceiveCq: cqName(b.ReceiveCq), SqSigAll: word(false)}, r.ok())
	}
	if r.draw(4, "connected") == 0 {
		return
	}
	for i := range r.c.Qps {
		r.connect(i)
		r.effect(r.open[0])
		r.finish(r.open[0])
	}
}

func (r *run) fn(ndk, verbs string) string {
	if r.verbs() {
		return verbs
	}
	return ndk
}

func (r *run) ok() trace.Event {
	if r.verbs() {
		return trace.Event{}
	}
	return success
}

// take takes one step of the model, whose successor is drawn.
func (r *run) take(a model.Action) {
	next, refusal := r.c.Step(r.s, a)
	if len(next) == 0 {
		r.t.Fatalf("the run takes %+v, which the model refuses: %+v", a, refusal)
	}
	r.s = next[r.draw(len(next), "successor")]
	switch a.Name {
	case model.Execute:
		if a.Queue == model.Receive {
			r.received[a.Qp]++
		} else if a.Outcome == model.FAILED {
			r.broken[a.Qp] = true
		}
	case model.Deliver, model.Abort:
		r.received[r.c.Qps[a.Qp].Peer]++
	case model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp:
		r.broken[a.Qp] = true
	case model.Overflow, model.CqInternalError:
		r.lost = true
		for i, b := range r.c.Qps {
			r.broken[i] = r.broken[i] || b.InitiatorCq == a.Cq || b.ReceiveCq == a.Cq
		}
	case model.Post:
		if a.Request.Op.IsSend() {
			r.sends[a.Qp]++
		}
	}
	r.told = append(r.told, fmt.Sprintf("%s cq%d qp%d %v %v %v id%d k%d (after event %d)", a.Name, a.Cq+1, a.Qp+1, a.Queue, a.Outcome,
		a.Type, a.Request.Id, a.K, len(r.trace.Events)))
}

// start calls a function: it takes effect and returns later.
func (r *run) start(fn string, call trace.Event, effect func(*inFlight), objects ...string) {
	f := &inFlight{fn: fn, op: r.newOp(), call: call, ret: r.ok(), effect: effect, objects: objects}
	r.open = append(r.open, f)
	r.event(trace.Call, f.op, fn, call)
}

func (r *run) finish(f *inFlight) {
	r.event(trace.Ret, f.op, f.fn, f.ret)
	r.open = slices.DeleteFunc(r.open, func(g *inFlight) bool { return f == g })
}

func (r *run) effect(f *inFlight) {
	f.effect(f)
	f.effect = nil
}

func (r *run) busy(object string) bool {
	return slices.ContainsFunc(r.open, func(f *inFlight) bool { return slices.Contains(f.objects, object) })
}

// A choice is one thing that can happen next.
type choice struct {
	weight int
	do     func()
}

// choices lists what can happen next, visible and hidden.
func (r *run) choices() []choice {
	var all []choice
	add := func(weight int, do func()) { all = append(all, choice{weight, do}) }
	for _, f := range r.open {
		if f.effect != nil {
			if f.fn != "ibv_get_cq_event" || r.s.Cqs[f.cq].Due > 0 {
				add(6, func() { r.effect(f) })
			}
		} else {
			add(6, func() { r.finish(f) })
		}
	}
	for i := range r.c.Depth {
		r.ofCq(i, add)
	}
	for i := range r.c.Qps {
		r.ofQp(i, add)
	}
	for _, a := range r.hidden() {
		add(weights[a.Name], func() { r.step(a) })
	}
	return all
}

var weights = map[model.Name]int{model.Complete: 8, model.Execute: 3, model.Deliver: 6, model.Abort: 1, model.Overflow: 1,
	model.CqInternalError: 1, model.ConnectionLost: 1, model.HwIndicate: 2, model.ExtraEvent: 1}

// hidden lists the hidden steps that are possible and that a judge is to allow for.
func (r *run) hidden() []model.Action {
	return slices.DeleteFunc(r.c.Enabled(r.s, model.Domain{}), func(a model.Action) bool {
		switch a.Name {
		case model.Execute: // nothing happens to a QP that was never connected
			return r.s.Qps[a.Qp].State == model.Idle || a.Outcome == model.SUCCESS && r.needsPeer(a.Qp, a.Queue) ||
				a.Outcome == model.FAILED && a.Queue == model.Receive && !r.hasMessage(a.Qp)
		case model.Overflow:
			return r.idle(a.Cq) || !r.waitsForRoom(a.Cq)
		case model.CqInternalError: // the judge has to be told
			q := r.s.Cqs[a.Cq]
			return r.idle(a.Cq) || !r.c.Dialect.ErrorsArm || q.Arm == model.NONE || q.Open != model.Open || r.ended[cqName(a.Cq)]
		case model.ConnectionLost:
			peer := r.c.Qps[a.Qp].Peer
			return peer >= 0 && !r.broken[peer]
		}
		return weights[a.Name] == 0
	})
}

// needsPeer reports whether the oldest request of the queue that has no outcome is half of a message, and the trace holds
// the other half.
func (r *run) needsPeer(p int, queue model.Queue) bool {
	if r.c.Qps[p].Peer < 0 || queue == model.Receive {
		return r.c.Qps[p].Peer >= 0
	}
	for _, q := range r.s.Qps[p].Initiator {
		if q.Phase < model.Executed {
			return q.Op.IsSend()
		}
	}
	return false
}

// hasMessage reports whether the peer has sent something for the oldest receive without an outcome.
func (r *run) hasMessage(p int) bool {
	peer := r.c.Qps[p].Peer
	return peer < 0 || r.received[p] < r.sends[peer]
}

// idle reports whether a QP that completes into the CQ has not been connected.
func (r *run) idle(cq int) bool {
	for i, b := range r.c.Qps {
		if (b.InitiatorCq == cq || b.ReceiveCq == cq) && r.s.Qps[i].State == model.Idle {
			return true
		}
	}
	return false
}

// waitsForRoom reports whether a completion is about to be placed in the CQ.
func (r *run) waitsForRoom(cq int) bool {
	for i, p := range r.s.Qps {
		b := r.c.Qps[i]
		if b.InitiatorCq == cq && waitsForRoom(p.Initiator) || b.ReceiveCq == cq && waitsForRoom(p.Receive) {
			return true
		}
	}
	return false
}

func waitsForRoom(queue []model.Request) bool {
	return len(queue) > 0 && queue[0].Phase >= model.Executed && !(queue[0].Silent && queue[0].Phase == model.Executed)
}

// step takes a hidden step. Of a completion the recorder may know.
func (r *run) step(a model.Action) {
	if a.Name != model.Complete || !r.points {
		r.take(a)
		return
	}
	b := r.c.Qps[a.Qp]
	cq := b.InitiatorCq
	if a.Queue == model.Receive {
		cq = b.ReceiveCq
	}
	before := len(r.s.Cqs[cq].Entries)
	r.take(a)
	if entries := r.s.Cqs[cq].Entries; len(entries) > before {
		c := entries[before]
		r.event(trace.Point, "", "CqePlaced", trace.Event{Cq: cqName(cq), Wr: wrName(c.Request), Status: r.status(c.Status),
			Solicited: word(c.Solicited)})
	}
}

func (r *run) status(o model.Outcome) string {
	if r.verbs() {
		return [...]string{"IBV_WC_SUCCESS", "IBV_WC_REM_ACCESS_ERR", "IBV_WC_WR_FLUSH_ERR"}[o]
	}
	return [...]string{"STATUS_SUCCESS", "STATUS_ACCESS_VIOLATION", "STATUS_CANCELLED"}[o]
}

func (r *run) ofCq(i int, add func(int, func())) {
	name := cqName(i)
	if !r.ended[name] && !r.busy(name) {
		add(4, func() { r.poll(i) })
		add(4, func() { r.arm(i) })
		if r.mayCloseCq(i) {
			add(1, func() { r.closeCq(i) })
		}
	}
	if r.s.Cqs[i].Open == model.Closing && !r.busy(name) {
		if _, refusal := r.c.Step(r.s, model.Action{Name: model.NdkCloseCompletion, Cq: i}); refusal == nil {
			add(3, func() { r.closed(i) })
		}
	}
	if r.verbs() {
		if !r.busy("event "+name) && !r.ended[name] {
			add(2, func() { r.readEvent(i) })
		}
		return
	}
	for _, health := range []model.Health{model.OK, model.BufferOverflow, model.InternalError} {
		if _, refusal := r.c.Step(r.s, model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: i, CqStatus: health}); refusal == nil {
			add(8, func() { r.enter(i, health) })
		}
	}
	for _, f := range r.running {
		if f.cq == i {
			add(3, func() { r.onCallback(f) })
		}
	}
}

func (r *run) poll(i int) {
	n := 1 + r.draw(3, "room")
	fn := r.fn("NdkGetCqResults", "ibv_poll_cq")
	if !r.verbs() && r.draw(2, "Ex") == 1 {
		fn = "NdkGetCqResultsEx"
	}
	r.start(fn, trace.Event{Cq: cqName(i), N: number(int64(n))}, func(f *inFlight) {
		entries := r.s.Cqs[i].Entries
		k := min(n, len(entries))
		if k > 1 && r.draw(4, "short batch") == 3 {
			k--
		}
		results := []trace.Result{}
		for _, c := range entries[:k] {
			results = append(results, r.result(fn, c))
		}
		r.take(model.Action{Name: model.NdkGetCqResults, Cq: i, N: n, K: k})
		f.ret = trace.Event{Results: results}
	}, cqName(i))
}

func (r *run) result(fn string, c model.Completion) trace.Result {
	result := trace.Result{Wr: wrName(c.Request), Qp: qpName(c.Qp), Status: r.status(c.Status)}
	if fn != "NdkGetCqResultsEx" {
		return result
	}
	result.Type = r.requests[c.Request].Op.String()
	switch {
	case c.Queue == model.Initiator && r.requests[c.Request].Op.IsSend():
		result.Type = "Send"
	case c.Token != model.NoToken:
		result.Type, result.Token = "ReceiveAndInvalidate", token(c.Token)
	}
	return result
}

func (r *run) arm(i int) {
	types := []model.Arm{model.SOLICITED, model.ANY}
	if r.c.Dialect.ErrorsArm {
		types = append(types, model.ERRORS)
	}
	a := types[r.draw(len(types), "type")]
	call := trace.Event{Cq: cqName(i), Type: a.String()}
	if r.verbs() {
		call = trace.Event{Cq: cqName(i), SolicitedOnly: word(a == model.SOLICITED)}
	}
	r.start(r.fn("NdkArmCq", "ibv_req_notify_cq"), call, func(f *inFlight) {
		f.ret = trace.Event{}
		r.take(model.Action{Name: model.NdkArmCq, Cq: i, Type: a})
	}, cqName(i))
}

// mayCloseCq reports whether no QP completes into the CQ any more.
func (r *run) mayCloseCq(i int) bool {
	for p, b := range r.c.Qps {
		if (b.InitiatorCq == i || b.ReceiveCq == i) && (r.s.Qps[p].State != model.QpClosed || r.busy(qpName(p))) {
			return false
		}
	}
	return !r.busy("event " + cqName(i))
}

func (r *run) closeCq(i int) {
	r.ended[cqName(i)] = true
	r.start(r.fn("NdkCloseCq", "ibv_destroy_cq"), trace.Event{Cq: cqName(i)}, func(f *inFlight) {
		r.take(model.Action{Name: model.NdkCloseCq, Cq: i})
		done := model.Action{Name: model.NdkCloseCompletion, Cq: i}
		if _, refusal := r.c.Step(r.s, done); refusal == nil && (r.verbs() || r.draw(2, "at once") == 1) {
			r.take(done)
			return
		}
		f.ret = trace.Event{Status: "STATUS_PENDING"}
	}, cqName(i))
}

// closed is the completion of a close that was pending.
func (r *run) closed(i int) {
	var of string
	for _, e := range r.trace.Events {
		if e.Fn == "NdkCloseCq" && e.Cq == cqName(i) {
			of = e.Op
		}
	}
	r.take(model.Action{Name: model.NdkCloseCompletion, Cq: i})
	op := r.newOp()
	r.event(trace.Enter, op, "NdkCloseCompletion", trace.Event{For: of, Status: "STATUS_SUCCESS"})
	r.event(trace.Exit, op, "NdkCloseCompletion", trace.Event{})
}

func (r *run) readEvent(i int) {
	r.start("ibv_get_cq_event", trace.Event{Cq: cqName(i)}, func(f *inFlight) {
		r.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: i})
		f.ret = trace.Event{Cq: cqName(i)}
	}, "event "+cqName(i))
	r.open[len(r.open)-1].cq = i
}

// enter enters a callback. A consumer that records may take it down later.
func (r *run) enter(i int, health model.Health) {
	r.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: i, CqStatus: health})
	f := &inFlight{fn: "NdkCqNotificationCallback", op: r.newOp(), cq: i}
	f.effect = func(f *inFlight) {
		r.event(trace.Enter, f.op, f.fn, trace.Event{Cq: cqName(i), Status: health.String()})
	}
	r.running = append(r.running, f)
	if r.trace.Header.Side == "provider" {
		r.effect(f)
	}
}

// onCallback takes down that a callback was entered, or returns from it.
func (r *run) onCallback(f *inFlight) {
	if f.effect != nil {
		r.effect(f)
		return
	}
	r.event(trace.Exit, f.op, f.fn, trace.Event{})
	if r.c.Dialect.Serialised {
		r.take(model.Action{Name: model.NdkCqNotificationCallbackExit, Cq: f.cq})
	}
	r.running = slices.DeleteFunc(r.running, func(g *inFlight) bool { return f == g })
}

func (r *run) ofQp(i int, add func(int, func())) {
	p, name := r.s.Qps[i], qpName(i)
	if r.ended[name] {
		return
	}
	if p.State == model.Idle && !r.busy(name) && !r.ended["connect "+name] {
		add(8, func() { r.connect(i) })
	}
	if !r.busy("initiator "+name) && len(p.Initiator) < 4 && (p.State != model.Idle || r.draw(4, "unconnected") == 3) {
		add(5, func() { r.post(i, model.Initiator) })
	}
	if !r.busy("receive "+name) && len(p.Receive) < 4 {
		add(4, func() { r.post(i, model.Receive) })
	}
	if p.State != model.Idle && !r.busy(name) {
		add(1, func() { r.flush(i) })
		add(1, func() { r.closeQp(i) })
	}
}

func (r *run) connect(i int) {
	r.ended["connect "+qpName(i)] = true
	call := trace.Event{Qp: qpName(i), Conn: "lone" + qpName(i)}
	if peer := r.c.Qps[i].Peer; peer >= 0 {
		call.Conn = fmt.Sprintf("c%d", min(i, peer))
	}
	if r.verbs() {
		call.State = "RTR"
	}
	r.start(r.fn("NdkConnect", "ibv_modify_qp"), call, func(f *inFlight) {
		if r.s.Qps[i].State != model.Idle { // a receive failed, or a CQ
			f.ret = trace.Event{Status: "STATUS_CONNECTION_ABORTED"}
			if r.verbs() {
				f.ret = trace.Event{Errno: "EINVAL"}
			}
			return
		}
		r.take(model.Action{Name: model.NdkConnect, Qp: i})
	}, qpName(i))
}

func (r *run) post(i int, queue model.Queue) {
	ops := []model.Op{model.Send, model.Read, model.Write, model.Send, model.FastRegister, model.Invalidate, model.SendAndInvalidate}
	if r.c.Tokens == 0 {
		ops = ops[:4]
	}
	q := model.Request{Id: len(r.requests), Op: model.ReceiveOp, Token: model.NoToken}
	deferred := false
	if queue == model.Initiator {
		q.Op = ops[r.draw(len(ops), "op")]
		q.Silent = r.draw(3, "silent") == 2
		q.Solicit = q.Op.IsSend() && r.draw(2, "solicit") == 1
		deferred = !r.verbs() && r.draw(3, "deferred") == 2
		if q.Op == model.FastRegister || q.Op == model.Invalidate || q.Op == model.SendAndInvalidate {
			q.Token = r.draw(r.c.Tokens, "token")
		}
	}
	r.requests = append(r.requests, q)
	fn, call := r.postEvent(i, q, deferred)
	r.start(fn, call, func(f *inFlight) {
		if queue == model.Initiator && r.s.Qps[i].State == model.Idle || r.draw(8, "refused") == 7 {
			r.take(model.Action{Name: model.PostRefused, Qp: i, Queue: queue, Request: q})
			f.ret = trace.Event{Status: "STATUS_INSUFFICIENT_RESOURCES"}
			if r.verbs() {
				f.ret = trace.Event{Errno: "ENOMEM", BadWr: wrName(q.Id)}
			}
			return
		}
		r.take(model.Action{Name: model.Post, Qp: i, Queue: queue, Request: q, Deferred: deferred})
	}, queue.String()+" "+qpName(i), qpName(i))
}

var opcodes = map[model.Op]string{model.Send: "SEND", model.SendAndInvalidate: "SEND_WITH_INV", model.Read: "RDMA_READ",
	model.Write: "RDMA_WRITE", model.FastRegister: "BIND_MW", model.Invalidate: "LOCAL_INV", model.ReceiveOp: ""}

func (r *run) postEvent(i int, q model.Request, deferred bool) (string, trace.Event) {
	var flags []string
	flag := func(set bool, name string) {
		if set {
			flags = append(flags, name)
		}
	}
	var t *uint32
	if q.Token != model.NoToken {
		t = token(q.Token)
	}
	if r.verbs() {
		flag(!q.Silent && q.Op != model.ReceiveOp, "SIGNALED")
		flag(q.Solicit, "SOLICITED")
		fn := "ibv_post_send"
		if q.Op == model.ReceiveOp {
			fn = "ibv_post_recv"
		}
		return fn, trace.Event{Qp: qpName(i), Wrs: []trace.WorkRequest{{Wr: wrName(q.Id), Opcode: opcodes[q.Op], Flags: flags, Token: t}}}
	}
	flag(q.Silent, "SILENT_SUCCESS")
	flag(q.Solicit, "SEND_AND_SOLICIT_EVENT")
	flag(deferred, "DEFER")
	return "Ndk" + q.Op.String(), trace.Event{Qp: qpName(i), Wr: wrName(q.Id), Flags: flags, Token: t, Mr: "mr"}
}

func (r *run) flush(i int) {
	fn, name, call := "NdkFlush", model.NdkFlush, trace.Event{Qp: qpName(i)}
	switch {
	case r.verbs():
		fn, call.State = "ibv_modify_qp", "ERR"
	case r.draw(2, "disconnect") == 1:
		fn, name = "NdkDisconnect", model.NdkDisconnect
	}
	r.start(fn, call, func(f *inFlight) { r.take(model.Action{Name: name, Qp: i}) }, qpName(i))
}

func (r *run) closeQp(i int) {
	r.ended[qpName(i)] = true
	r.start(r.fn("NdkCloseQp", "ibv_destroy_qp"), trace.Event{Qp: qpName(i)},
		func(f *inFlight) { r.take(model.Action{Name: model.NdkCloseQp, Qp: i}) }, qpName(i))
}

// walk lets n things happen.
func (r *run) walk(n int) {
	for range n {
		all := r.choices()
		total := 0
		for _, c := range all {
			total += c.weight
		}
		if total == 0 {
			return
		}
		at := r.draw(total, "choice")
		for _, c := range all {
			if at -= c.weight; at < 0 {
				c.do()
				break
			}
		}
	}
}

// report enters the callbacks that report internal errors: without them a judge cannot know.
func (r *run) report() {
	for i := range r.s.Cqs {
		for r.s.Cqs[i].ErrorDue && r.s.Cqs[i].Health == model.InternalError {
			for _, f := range slices.Clone(r.running) {
				if f.cq == i && r.c.Dialect.Serialised {
					r.returns(f)
				}
			}
			r.enter(i, model.InternalError)
			if f := r.running[len(r.running)-1]; f.effect != nil {
				r.effect(f)
			}
		}
	}
}

func (r *run) returns(f *inFlight) {
	if f.effect != nil {
		r.onCallback(f)
	}
	r.onCallback(f)
}

// rest lets every call return, and the provider do all that it owes, and says so.
func (r *run) rest() {
	for _, f := range slices.Clone(r.open) {
		if f.effect != nil && f.fn == "ibv_get_cq_event" && r.s.Cqs[f.cq].Due == 0 {
			continue
		}
		if f.effect != nil {
			r.effect(f)
		}
		r.finish(f)
	}
	for i, p := range r.s.Qps {
		if peer := r.c.Qps[i].Peer; p.State == model.Idle && peer >= 0 && r.s.Qps[peer].State != model.Idle && !r.ended["connect "+qpName(i)] && !r.ended[qpName(i)] {
			r.connect(i)
			r.effect(r.open[len(r.open)-1])
			r.finish(r.open[len(r.open)-1])
		}
	}
	for steps := 0; r.owes() && steps < 1000; steps++ {
	}
	r.event(trace.Point, "", "quiesce", trace.Event{})
}

// owes does one thing that the provider owes, and reports whether there was one.
func (r *run) owes() bool {
	for _, f := range r.running {
		r.returns(f)
		return true
	}
	for i, q := range r.s.Cqs {
		if q.Open == model.Closing {
			r.closed(i)
			return true
		}
		if q.Open == model.Closed {
			continue
		}
		if r.verbs() {
			for _, f := range r.open {
				if f.cq == i && q.Due > 0 {
					r.effect(f)
					r.finish(f)
					return true
				}
			}
			continue
		}
		if q.Due > 0 {
			r.enter(i, model.OK)
			return true
		}
		if q.ErrorDue {
			r.enter(i, q.Health)
			return true
		}
	}
	var due []model.Action
	for _, a := range r.hidden() {
		switch a.Name {
		case model.Complete, model.Deliver, model.Abort, model.Overflow:
			due = append(due, a)
		case model.Execute:
			if a.Queue == model.Initiator && !r.waits(a.Qp) {
				due = append(due, a)
			}
		}
	}
	if len(due) == 0 {
		return false
	}
	r.step(due[r.draw(len(due), "due")])
	return true
}

// waits reports whether the oldest request of the initiator queue waits for a receive: of a peer that lives, or of one that
// the trace does not hold.
func (r *run) waits(p int) bool {
	peer := r.c.Qps[p].Peer
	if r.s.Qps[p].State != model.Connected || peer >= 0 && r.s.Qps[peer].State != model.Connected {
		return false
	}
	for _, q := range r.s.Qps[p].Initiator {
		if q.Phase < model.Executed {
			return q.Op.IsSend()
		}
	}
	return false
}

// drain polls every CQ until it is empty.
func (r *run) drain() {
	for i := range r.s.Cqs {
		for !r.ended[cqName(i)] {
			empty := len(r.s.Cqs[i].Entries) == 0
			r.poll(i)
			f := r.open[len(r.open)-1]
			r.effect(f)
			r.finish(f)
			if empty {
				break
			}
		}
	}
}

func (r *run) String() string {
	var text strings.Builder
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		fmt.Fprintf(&text, "%3d %-5s %-3s %-26s %s%s%s wr=%s%v %s%s %v", e.Line, e.Ph, e.Op, e.Fn, e.Cq, e.Qp, e.Conn, e.Wr, e.Wrs, e.Type,
			e.Status, e.Flags)
		for _, result := range e.Results {
			fmt.Fprintf(&text, " %s:%s", result.Wr, result.Status)
		}
		text.WriteByte('\n')
	}
	return text.String() + strings.Join(r.told, "\n") + fmt.Sprintf("\n%+v\n%+v", r.c, r.s)
}

// newRun draws the objects of a run.
func newRun(t *rapid.T, d model.Dialect) *run {
	c := &model.Contract{Dialect: d}
	switch rapid.SampledFrom([]string{"one QP", "two QPs, one CQ", "connection", "crossed", "tokens", "pair and a third"}).Draw(t, "objects") {
	case "one QP":
		c.Depth, c.Qps = []int{4, 2}, []model.Binding{{InitiatorCq: 0, ReceiveCq: rapid.IntRange(0, 1).Draw(t, "cq"), Peer: -1}}
	case "two QPs, one CQ":
		c.Depth, c.Qps = []int{3}, []model.Binding{{Peer: -1}, {Peer: -1}}
	case "connection":
		c.Depth, c.Qps = []int{8, 8}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}
	case "crossed":
		c.Depth, c.Qps = []int{3, 8}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 0, Peer: 0}}
	case "tokens":
		c.Depth, c.Qps, c.Tokens = []int{8, 8}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}, 2
	case "pair and a third":
		c.Depth, c.Qps = []int{8, 4}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 0, ReceiveCq: 1, Peer: 0}, {InitiatorCq: 1, ReceiveCq: 1, Peer: -1}}
	}
	side := "provider"
	if !strings.HasPrefix(d.Name, "verbs") && rapid.IntRange(0, 3).Draw(t, "side") == 3 {
		side = "consumer"
	}
	header := trace.Header{Dialect: strings.Fields(d.Name)[0], Side: side, Order: "total"}
	r := &run{t: t, c: c, s: c.Init(), trace: &trace.Trace{Name: "run", Header: header}, ended: map[string]bool{}, broken: map[int]bool{}, sends: map[int]int{}, received: map[int]int{}}
	r.points = side == "provider" && rapid.IntRange(0, 3).Draw(t, "points") == 3
	r.begin()
	return r
}
