package histories

import (
	"slices"

	"ndkoracle/internal/notation"
	"ndkoracle/model"
	"ndkoracle/trace"
)

func (r *Run) ofCq(i int, add func(int, func())) {
	name := CqName(i)
	if !r.ended[name] && r.mayShare(name) {
		add(4+r.shared(name), func() { r.poll(i) })
		add(4, func() { r.arm(i) })
		if r.mayCloseCq(i) && !r.busy(name) {
			add(1, func() { r.closeCq(i) })
		}
		if r.mayResize(i) {
			add(2, func() { r.resize(i) })
		}
	}
	if r.isResized(i) {
		add(3, func() { r.resized(i) })
	}
	if r.s.Cqs[i].Open == model.Closing && !r.busy(name) {
		if _, refusal := r.c.Step(r.s, model.Action{Name: model.NdkCloseCompletion, Cq: i}); refusal == nil {
			add(3, func() { r.closed(i) })
		}
	}
	if r.c.Dialect.EventsAreRead {
		if r.mayRead(i) {
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

func (r *Run) poll(i int) {
	n := 1 + r.draw(3, "room")
	fn := r.fn("NdkGetCqResults", "ibv_poll_cq")
	if !r.verbs() && r.draw(2, "Ex") == 1 {
		fn = "NdkGetCqResultsEx"
	}
	r.start(fn, trace.Event{Cq: CqName(i), N: notation.Number(int64(n))}, func(f *inFlight) {
		entries := r.s.Cqs[i].Entries
		k := min(n, len(entries))
		if k > 1 && r.c.Dialect.A7 == model.A7May && r.draw(4, "short batch") == 3 {
			k--
		}
		results := []trace.Result{}
		for _, c := range entries[:k] {
			results = append(results, r.result(fn, c))
		}
		r.take(model.Action{Name: model.NdkGetCqResults, Cq: i, N: n, K: k})
		f.ret = trace.Event{Results: results}
	}, CqName(i))
}

func (r *Run) result(fn string, c model.Completion) trace.Result {
	result := trace.Result{Wr: wrName(c.Request), Qp: QpName(c.Qp), Status: r.status(c.Status)}
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

func (r *Run) arm(i int) {
	types := []model.Arm{model.SOLICITED, model.ANY}
	if r.c.Dialect.ErrorsArm {
		types = append(types, model.ERRORS)
	}
	a := types[r.draw(len(types), "type")]
	call := trace.Event{Cq: CqName(i), Type: a.String()}
	if r.verbs() {
		call = trace.Event{Cq: CqName(i), SolicitedOnly: notation.Bool(a == model.SOLICITED)}
	}
	r.start(r.fn("NdkArmCq", "ibv_req_notify_cq"), call, func(f *inFlight) {
		f.ret = trace.Event{}
		r.take(model.Action{Name: model.NdkArmCq, Cq: i, Type: a})
	}, CqName(i))
}

// mayCloseCq reports whether no QP completes into the CQ any more.
func (r *Run) mayCloseCq(i int) bool {
	for p, b := range r.c.Qps {
		if (b.InitiatorCq == i || b.ReceiveCq == i) && !r.isClosed(p) {
			return false
		}
	}
	waiter, _ := r.waiter(i)
	return !r.busy(waiter) && !r.busy("resize "+CqName(i))
}

func (r *Run) closeCq(i int) {
	r.ended[CqName(i)] = true
	r.start(r.fn("NdkCloseCq", "ibv_destroy_cq"), trace.Event{Cq: CqName(i)}, func(f *inFlight) {
		for _, running := range slices.Clone(r.running) {
			if r.verbs() && running.cq == i { // ibv_destroy_cq waits for it
				r.returns(running)
			}
		}
		r.take(model.Action{Name: model.NdkCloseCq, Cq: i})
		done := model.Action{Name: model.NdkCloseCompletion, Cq: i}
		if _, refusal := r.c.Step(r.s, done); refusal == nil && (r.verbs() || r.draw(2, "at once") == 1) {
			r.take(done)
			return
		}
		f.ret = trace.Event{Status: "STATUS_PENDING"}
	}, CqName(i))
}

// closed is the completion of a close that was pending.
func (r *Run) closed(i int) {
	var of string
	for _, e := range r.Trace.Events {
		if e.Fn == "NdkCloseCq" && e.Cq == CqName(i) {
			of = e.Op
		}
	}
	r.take(model.Action{Name: model.NdkCloseCompletion, Cq: i})
	op := r.newOp()
	r.Event(trace.Enter, op, "NdkCloseCompletion", trace.Event{For: of, Status: "STATUS_SUCCESS"})
	r.Event(trace.Exit, op, "NdkCloseCompletion", trace.Event{})
}

// enter enters a callback. A consumer that records may take it down later.
func (r *Run) enter(i int, health model.Health) {
	r.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: i, CqStatus: health})
	f := &inFlight{fn: r.fn("NdkCqNotificationCallback", "comp_handler"), op: r.newOp(), cq: i}
	entered := trace.Event{Cq: CqName(i)}
	if !r.verbs() {
		entered.Status = health.String()
	}
	f.effect = func(f *inFlight) { r.Event(trace.Enter, f.op, f.fn, entered) }
	r.running = append(r.running, f)
	if r.Trace.Header.Side == "provider" {
		r.effect(f)
	}
}

// onCallback records that a callback was entered, or returns from it.
func (r *Run) onCallback(f *inFlight) {
	if f.effect != nil {
		r.effect(f)
		return
	}
	r.Event(trace.Exit, f.op, f.fn, trace.Event{})
	if r.c.Dialect.Serialised {
		r.take(model.Action{Name: model.NdkCqNotificationCallbackExit, Cq: f.cq})
	}
	r.running = slices.DeleteFunc(r.running, func(g *inFlight) bool { return f == g })
}
