package histories

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

func (r *Run) ofQp(i int, add func(int, func())) {
	p, name := r.s.Qps[i], QpName(i)
	if r.ended[name] {
		return
	}
	if p.State == model.Idle && !r.busy(name) && !r.ended["connect "+name] {
		add(8, func() { r.connect(i) })
		if !r.failed[i] {
			add(2, func() { r.connectInVain(i) })
		}
	}
	if r.mayShare("initiator "+name) && len(p.Initiator) < 4 && (p.State != model.Idle || r.draw(4, "unconnected") == 3) {
		add(5+r.shared("initiator "+name), func() { r.post(i, model.Initiator) })
	}
	if r.mayShare("receive "+name) && len(p.Receive) < 4 {
		add(4+r.shared("receive "+name), func() { r.post(i, model.Receive) })
	}
	if p.State != model.Idle && !r.busy("state of "+name) && (r.Overlaps || !r.busy(name)) {
		add(1, func() { r.flush(i) })
	}
	if p.State != model.Idle && !r.busy(name) {
		add(1, func() { r.closeQp(i) })
	}
}

// typeNames are the types of queue pairs of libibverbs, as its traces name them.
var typeNames = map[model.QpType]string{model.RC: "RC", model.UC: "UC", model.UD: "UD"}

// drawTypes gives the queue pairs of libibverbs a type: most are RC. Peers are of the same, and UD has none.
func (r *Run) drawTypes() {
	if !r.verbs() || r.draw(3, "types") > 0 {
		return
	}
	for i, b := range r.c.Qps {
		switch {
		case b.Peer < 0:
			r.c.Qps[i].Type = model.QpType(r.draw(3, "type"))
		case b.Peer < i:
			t := model.QpType(r.draw(2, "type"))
			r.c.Qps[i].Type, r.c.Qps[b.Peer].Type = t, t
		}
	}
}

// does lists what a queue pair can do: UC does not read, and UD sends alone.
func (r *Run) does(i int) []model.Op {
	switch r.c.Qps[i].Type {
	case model.UC:
		return []model.Op{model.Send, model.Write, model.Send, model.Write}
	case model.UD:
		return []model.Op{model.Send}
	}
	ops := []model.Op{model.Send, model.Read, model.Write, model.Send, model.FastRegister, model.Invalidate, model.SendAndInvalidate}
	neither := r.c.Dialect.A8 == model.A8Completion && r.s.Qps[i].State.Unconnected() // of an invalidation: it can't be refused, nor accepted
	if r.c.Tokens == 0 || neither {
		ops = ops[:4]
	}
	if r.memory && len(ops) > 4 {
		return []model.Op{model.FastRegister, model.SendAndInvalidate, model.Invalidate, model.Send, model.FastRegister, model.SendAndInvalidate, model.Invalidate}
	}
	return ops
}

func (r *Run) connect(i int) {
	r.ended["connect "+QpName(i)] = true
	call := trace.Event{Qp: QpName(i), Conn: "lone" + QpName(i)}
	if peer := r.c.Qps[i].Peer; peer >= 0 {
		call.Conn = fmt.Sprintf("c%d", min(i, peer))
	}
	if r.verbs() {
		call.State = "RTR"
	}
	if r.c.Qps[i].Type == model.UD {
		call.Conn = ""
	}
	r.start(r.fn("NdkConnect", "ibv_modify_qp"), call, func(f *inFlight) {
		left := r.failed[i] && r.s.Qps[i].State == model.BrokenIdle && !r.verbs() // by an attempt that failed
		if again := left && r.draw(2, "connects again") == 1; again {
			if r.again = true; !mayBreak(r.vainly[i], r.Trace.Events, QpName(i)) {
				r.s.Qps = slices.Clone(r.s.Qps)
				r.s.Qps[i].State = model.Idle
			}
		} else if r.s.Qps[i].State != model.Idle { // a receive failed, or a CQ
			f.ret = trace.Event{Status: "STATUS_CONNECTION_ABORTED"}
			if r.verbs() {
				f.ret = trace.Event{Errno: "EINVAL"}
			}
			return
		}
		r.take(model.Action{Name: model.NdkConnect, Qp: i})
	}, QpName(i), "state of "+QpName(i))
}

// connectInVain is an attempt to connect that fails: it is refused, aborted or takes too long. In libibverbs it does nothing; else it may leave a
// queue pair behind that cancels its receives.
func (r *Run) connectInVain(i int) {
	r.failed[i] = true
	call := trace.Event{Qp: QpName(i), Conn: fmt.Sprintf("vain%s", QpName(i))}
	statuses := []string{"STATUS_CONNECTION_REFUSED", "STATUS_CONNECTION_ABORTED", "STATUS_IO_TIMEOUT"}
	if r.verbs() {
		call.State = "RTR"
	}
	r.start(r.fn("NdkConnect", "ibv_modify_qp"), call, func(f *inFlight) {
		if f.ret = (trace.Event{Status: statuses[r.draw(len(statuses), "fails")]}); r.verbs() {
			f.ret = trace.Event{Errno: "ETIMEDOUT"}
		}
		r.vainly[i] = calls.MadeNoConnection(f.ret.Status)
		all := afterFailedConnect(r.c, r.s, i)
		if r.s = all[r.draw(len(all), "left behind")]; r.s.Qps[i].State != model.Idle {
			r.broken[i] = true
		}
	}, QpName(i), "state of "+QpName(i))
}

// afterFailedConnect returns the states that an attempt to connect a queue pair leaves which fails: nothing has happened, or, but in libibverbs, the
// queue pair is broken before it was connected, and may cancel its receives.
func afterFailedConnect(c *model.Contract, s model.State, qp int) []model.State {
	if c.Dialect.ErrorState || s.Qps[qp].State != model.Idle {
		return []model.State{s}
	}
	broken := s
	broken.Qps = slices.Clone(s.Qps)
	broken.Qps[qp].State = model.BrokenIdle
	return []model.State{s, broken}
}

// mayBreak reports whether an attempt to connect a queue pair that failed may leave it behind as a flush does, by the events before it is connected: one that
// was refused has made no connection, so that it takes a receive which was cancelled.
func mayBreak(refused bool, before []trace.Event, qp string) bool {
	return !refused || slices.ContainsFunc(before, func(e trace.Event) bool { return e.Ph == trace.Call && e.Qp == qp && e.Fn == "NdkReceive" })
}

func (r *Run) post(i int, queue model.Queue) {
	ops := r.does(i)
	q := model.Request{Id: len(r.requests), Op: model.ReceiveOp, Token: model.NoToken}
	deferred := false
	if queue == model.Initiator {
		q.Op = ops[r.draw(len(ops), "op")]
		q.Silent = r.draw(3, "silent") == 2 && !r.signals[i]
		q.Solicit = q.Op.IsSend() && r.draw(2, "solicit") == 1
		q.Fence = r.draw(3, "fence") == 2
		deferred = !r.verbs() && r.draw(3, "deferred") == 2 && r.c.Dialect.Defers // else it has no such flag (POST-11)
		if q.Op == model.FastRegister || q.Op == model.Invalidate || q.Op == model.SendAndInvalidate {
			q.Token = r.draw(r.c.Tokens, "token")
		}
	}
	r.requests = append(r.requests, q)
	fn, call := r.postEvent(i, q, deferred)
	r.start(fn, call, func(f *inFlight) {
		state := r.s.Qps[i].State
		unconnected := state == model.Idle || state == model.BrokenIdle && !r.verbs()
		accepted := model.Action{Name: model.Post, Qp: i, Queue: queue, Request: q, Deferred: deferred}
		refused := model.Action{Name: model.PostRefused, Qp: i, Queue: queue, Request: q}
		refuses := queue == model.Initiator && unconnected || r.draw(8, "refused") == 7
		if r.mustFail(accepted) || refuses && !r.mustFail(refused) { // by how the dialect reads A8
			r.take(refused)
			f.ret = trace.Event{Status: "STATUS_INSUFFICIENT_RESOURCES"}
			if r.verbs() {
				f.ret = trace.Event{Errno: "ENOMEM", BadWr: wrName(q.Id)}
			}
			return
		}
		r.take(accepted)
	}, queue.String()+" "+QpName(i), QpName(i))
}

// mustFail reports whether the model refuses an answer of a post for what its token is (POLL-08).
func (r *Run) mustFail(answer model.Action) bool {
	_, refusal := r.c.Step(r.s, answer)
	return refusal != nil && refusal.Rule == "POLL-08"
}

var opcodes = map[model.Op]string{model.Send: "SEND", model.SendAndInvalidate: "SEND_WITH_INV", model.Read: "RDMA_READ",
	model.Write: "RDMA_WRITE", model.FastRegister: "BIND_MW", model.Invalidate: "LOCAL_INV", model.ReceiveOp: ""}

func (r *Run) postEvent(i int, q model.Request, deferred bool) (string, trace.Event) {
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
		flag(!q.Silent && q.Op != model.ReceiveOp && (!r.signals[i] || r.draw(2, "signaled") == 1), "SIGNALED")
		flag(q.Solicit, "SOLICITED")
		flag(q.Fence, "FENCE")
		fn := "ibv_post_send"
		if q.Op == model.ReceiveOp {
			fn = "ibv_post_recv"
		}
		return fn, trace.Event{Qp: QpName(i), Wrs: []trace.WorkRequest{{Wr: wrName(q.Id), Opcode: opcodes[q.Op], Flags: flags, Token: t}}}
	}
	flag(q.Silent, "SILENT_SUCCESS")
	flag(q.Solicit, "SEND_AND_SOLICIT_EVENT")
	flag(q.Fence, "READ_FENCE")
	flag(deferred, "DEFER")
	return "Ndk" + q.Op.String(), trace.Event{Qp: QpName(i), Wr: wrName(q.Id), Flags: flags, Token: t, Mr: "mr"}
}

func (r *Run) flush(i int) {
	fn, name, call := "NdkFlush", model.NdkFlush, trace.Event{Qp: QpName(i)}
	switch {
	case r.verbs():
		fn, call.State = "ibv_modify_qp", "ERR"
	case r.draw(2, "disconnect") == 1:
		fn, name, r.apart[i] = "NdkDisconnect", model.NdkDisconnect, true
	}
	r.start(fn, call, func(f *inFlight) { r.take(model.Action{Name: name, Qp: i}) }, QpName(i), "state of "+QpName(i))
}

func (r *Run) closeQp(i int) {
	r.ended[QpName(i)] = true
	r.start(r.fn("NdkCloseQp", "ibv_destroy_qp"), trace.Event{Qp: QpName(i)}, func(f *inFlight) {
		r.take(model.Action{Name: model.NdkCloseQp, Qp: i})
		switch {
		case r.isEmpty(i):
			r.mayDrop(i)
		case !r.verbs():
			f.ret = trace.Event{Status: "STATUS_PENDING"}
			r.closing = append(r.closing, f)
		}
	}, QpName(i))
}

// mayDrop lets the completions of a QP whose close completes stay in the CQs, or vanish (A21).
func (r *Run) mayDrop(i int) {
	if p := r.s.Qps[i]; p.State != model.QpClosing || len(p.Initiator)+len(p.Receive) > 0 || r.draw(2, "vanish") == 0 {
		return
	}
	next, _ := r.c.Step(r.s, model.Action{Name: model.NdkCloseCompletionEnter, Qp: i, Manner: model.Manner{Dropped: true}})
	r.s = next[0]
}

// isEmpty reports whether a QP has no request left, but for what completes into a CQ that has failed.
func (r *Run) isEmpty(i int) bool {
	p, b := r.s.Qps[i], r.c.Qps[i]
	return (len(p.Initiator) == 0 || r.s.Cqs[b.InitiatorCq].Health != model.OK) &&
		(len(p.Receive) == 0 || r.s.Cqs[b.ReceiveCq].Health != model.OK)
}

// mayReturn reports whether a call that has taken effect can return: in libibverbs a QP is destroyed when nothing of it is left.
func (r *Run) mayReturn(f *inFlight) bool {
	return f.fn != "ibv_destroy_qp" || r.isEmpty(index(f.call.Qp))
}

// closeQps completes the closes that were pending and of whose QPs nothing is left (LIFE-07).
func (r *Run) closeQps() {
	r.closing = slices.DeleteFunc(r.closing, func(f *inFlight) bool {
		if slices.Contains(r.open, f) || !r.isEmpty(index(f.call.Qp)) {
			return false
		}
		r.mayDrop(index(f.call.Qp))
		op := r.newOp()
		r.Event(trace.Enter, op, "NdkCloseCompletion", trace.Event{For: f.op, Status: "STATUS_SUCCESS"})
		r.Event(trace.Exit, op, "NdkCloseCompletion", trace.Event{})
		return true
	})
}

// isClosed reports whether the close of a QP has completed.
func (r *Run) isClosed(i int) bool {
	return r.s.Qps[i].State.Closing() && !r.busy(QpName(i)) &&
		!slices.ContainsFunc(r.closing, func(f *inFlight) bool { return f.call.Qp == QpName(i) })
}
