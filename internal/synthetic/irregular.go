package synthetic

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"ndkoracle/model"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// WriteIrregular writes a trace without rounds: a random walk of the contract itself. A pair of queue pairs crosses two completion queues, which
// are polled, and armed for every type, at any time. Requests are silent, deferred and fenced as it comes, one fails now and then, and some are
// flushed. Then the pair is closed, and another one takes its place. Of the options it takes the seed and how many events there are to be.
func WriteIrregular(w io.Writer, o Options) error {
	out, err := begin(w, map[string]string{"seed": strconv.FormatUint(o.Seed, 10), "events": strconv.FormatUint(o.Events, 10), "irregular": "true"})
	if err != nil {
		return err
	}
	g := &generator{Options: o, random: rand.New(rand.NewPCG(o.Seed, 1)), out: out}
	walk := newWalk(g)
	walk.createCqs()
	for walk.err == nil && g.seq < o.Events {
		walk.pair()
	}
	if walk.err != nil {
		return walk.err
	}
	return out.Close(trace.End{Quiescent: true})
}

// A walk is a provider that keeps the contract, and a consumer that keeps its own.
type walk struct {
	*generator
	contract model.Contract
	state    model.State
	hidden   []model.Action // that may be tried
	pairs    int            // that were created
	requests int            // that were posted
	running  [2]string      // of each CQ, the op of the callback that runs, or ""
	fails    bool           // a request of this pair may fail
	err      error          // of writing
}

const (
	deepest = 64  // completions that a CQ has room for
	longest = 8   // requests outstanding in a queue
	lasts   = 300 // steps that a pair lives for, half as many more at most
)

func newWalk(g *generator) *walk {
	w := &walk{generator: g, contract: model.Contract{Dialect: model.Ndkpi(), Composed: true, Depth: []int{deepest, deepest},
		Qps: []model.Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 0, Peer: 0}}}}
	w.state = w.contract.Init()
	for _, a := range w.contract.Actions(model.Domain{Places: 3}) {
		switch a.Name {
		case model.HwIndicate, model.Execute, model.Complete, model.Deliver:
			w.hidden = append(w.hidden, a)
		}
	}
	return w
}

func (w *walk) event(e trace.Event) {
	if w.err == nil {
		w.err = w.write(e)
	}
}

// call has a function called, take effect and return, and hidden steps happen meanwhile.
func (w *walk) call(thread string, call trace.Event, effect func() trace.Event) (op string) {
	w.ops++
	op = strconv.FormatUint(w.ops, 10)
	call.Thr, call.Ph, call.Op = thread, trace.Call, op
	w.event(call)
	w.drift()
	ret := effect()
	w.drift()
	ret.Thr, ret.Ph, ret.Op, ret.Fn = thread, trace.Ret, op, call.Fn
	w.event(ret)
	return op
}

// take performs a step of the model, and reports whether the model has that step.
func (w *walk) take(a model.Action) bool {
	next, refusal := w.contract.Step(w.state, a)
	if refusal != nil {
		return false
	}
	w.state = next[w.random.IntN(len(next))]
	return true
}

// must performs a step that the model has.
func (w *walk) must(a model.Action) {
	if !w.take(a) {
		panic(fmt.Sprintf("synthetic: the model refuses %+v", a))
	}
}

// drift lets some hidden steps happen, or none.
func (w *walk) drift() {
	for range w.random.IntN(6) {
		w.try(w.hidden[w.random.IntN(len(w.hidden))])
	}
}

// try performs a hidden step if the model has it and a provider could do it. A message fails only together with its pair, and at most one request of a
// pair fails.
func (w *walk) try(a model.Action) bool {
	if mc.IsUnanswered(&w.contract, w.state, a) {
		return false
	}
	if a.Name == model.Execute && a.Outcome == model.FAILED {
		queue := w.state.Qps[a.Qp].Initiator
		if !w.fails || a.Queue == model.Receive || a.At >= len(queue) || queue[a.At].Op.IsSend() {
			return false
		}
	}
	taken := w.take(a)
	if taken && a.Outcome == model.FAILED {
		w.fails = false
	}
	return taken
}

func (w *walk) createCqs() {
	depth := int64(deepest)
	for i := range w.contract.Depth {
		w.call("main", trace.Event{Fn: "NdkCreateCq", Cq: cqOf(i), Depth: &depth}, succeeds)
	}
}

// pair is the life of two queue pairs.
func (w *walk) pair() {
	w.pairs++
	w.state.Qps = w.contract.Init().Qps
	w.fails = w.random.IntN(4) == 0
	room, inline := int64(2*lasts), int64(0) // a silent request keeps its place until a later one is polled (A12)
	for i, b := range w.contract.Qps {
		w.call("main", trace.Event{Fn: "NdkCreateQp", Qp: w.qp(i), ReceiveCq: cqOf(b.ReceiveCq), InitiatorCq: cqOf(b.InitiatorCq),
			ReceiveDepth: &room, InitiatorDepth: &room, Inline: &inline}, succeeds)
	}
	for i, fn := range []string{"NdkAccept", "NdkConnect"} {
		w.call("main", trace.Event{Fn: fn, Qp: w.qp(i), Conn: strconv.Itoa(w.pairs)}, func() trace.Event {
			w.must(model.Action{Name: model.NdkConnect, Qp: i})
			return success
		})
	}
	for range lasts/2 + w.random.IntN(lasts) {
		w.step()
	}
	if w.random.IntN(3) == 0 {
		qp := w.random.IntN(2)
		w.call("main", trace.Event{Fn: "NdkFlush", Qp: w.qp(qp)}, func() trace.Event {
			w.must(model.Action{Name: model.NdkFlush, Qp: qp})
			return trace.Event{}
		})
		for range lasts / 10 {
			w.step()
		}
	}
	w.close()
	if w.random.IntN(8) == 0 {
		w.event(trace.Event{Thr: "main", Ph: trace.Point, Fn: "quiesce"})
	}
}

// step is one thing that happens.
func (w *walk) step() {
	i := w.random.IntN(2)
	switch w.random.IntN(8) {
	case 0, 1, 2:
		w.post(i)
	case 3:
		w.arm(i)
	case 4, 5:
		w.poll(i)
	default:
		w.callback(i)
	}
}

// post posts to a queue that has room, if the CQ has room for what may come.
func (w *walk) post(i int) {
	request, fn := model.Request{Id: w.requests, Op: model.ReceiveOp, Token: model.NoToken}, "NdkReceive"
	var flags []string
	chance := func(one int, flag string) bool {
		is := w.random.IntN(one) == 0
		if is {
			flags = append(flags, flag)
		}
		return is
	}
	deferred := false
	if w.random.IntN(2) == 0 {
		request.Op = []model.Op{model.Send, model.Send, model.Read, model.Write}[w.random.IntN(4)]
		fn = "Ndk" + request.Op.String()
		request.Silent, deferred = chance(3, "SILENT_SUCCESS"), chance(3, "DEFER")
		request.Fence = chance(4, "READ_FENCE")
		request.Solicit = request.Op.IsSend() && chance(2, "SEND_AND_SOLICIT_EVENT")
	}
	queue := request.Op.Queue()
	if len(w.state.Qps[i].Queue(queue)) == longest || !w.hasRoom(w.contract.Qps[i].Cq(queue)) {
		return
	}
	w.requests++
	size := length
	w.call("main", trace.Event{Fn: fn, Qp: w.qp(i), Wr: wrOf(request.Id), Flags: flags, Bytes: &size}, func() trace.Event {
		post := model.Action{Name: model.Post, Qp: i, Queue: queue, Request: request, Deferred: deferred}
		if w.random.IntN(16) > 0 && w.take(post) {
			return success
		}
		w.must(model.Action{Name: model.PostRefused, Qp: i, Queue: queue, Request: request})
		return trace.Event{Status: "STATUS_INSUFFICIENT_RESOURCES"}
	})
}

// hasRoom reports whether a CQ has room for one completion more than those that it has and those that may come.
func (w *walk) hasRoom(cq int) bool {
	room := deepest - len(w.state.Cqs[cq].Entries)
	for i, b := range w.contract.Qps {
		for _, queue := range []model.Queue{model.Initiator, model.Receive} {
			if b.Cq(queue) == cq {
				room -= len(w.state.Qps[i].Queue(queue))
			}
		}
	}
	return room > 1
}

func (w *walk) arm(i int) {
	arm := []model.Arm{model.ANY, model.SOLICITED, model.ERRORS}[w.random.IntN(3)]
	w.call("main", trace.Event{Fn: "NdkArmCq", Cq: cqOf(i), Type: arm.String()}, func() trace.Event {
		w.must(model.Action{Name: model.NdkArmCq, Cq: i, Type: arm})
		return trace.Event{}
	})
}

// poll polls, from the callback if one runs.
func (w *walk) poll(i int) {
	thread := "main"
	if w.running[i] != "" {
		thread = callbackOf(i)
	}
	room := int64(1 + w.random.IntN(6))
	w.call(thread, trace.Event{Fn: "NdkGetCqResults", Cq: cqOf(i), N: &room}, func() trace.Event {
		entries := w.state.Cqs[i].Entries
		taken := entries[:min(int(room), len(entries))]
		w.must(model.Action{Name: model.NdkGetCqResults, Cq: i, N: int(room), K: len(taken)})
		results := []trace.Result{}
		for _, c := range taken {
			results = append(results, w.result(c))
		}
		return trace.Event{Results: results}
	})
}

func (w *walk) result(c model.Completion) trace.Result {
	r := trace.Result{Wr: wrOf(c.Request), Qp: w.qp(c.Qp), Status: [...]string{"STATUS_SUCCESS", "STATUS_ACCESS_VIOLATION", "STATUS_CANCELLED"}[c.Status]}
	if c.Queue == model.Receive && c.Status == model.SUCCESS {
		size := length
		r.Bytes = &size
	}
	return r
}

// callback has a callback entered that is owed, or return that runs.
func (w *walk) callback(i int) {
	e := trace.Event{Thr: callbackOf(i), Op: w.running[i], Fn: "NdkCqNotificationCallback"}
	if e.Op != "" {
		w.must(model.Action{Name: model.NdkCqNotificationCallbackExit, Cq: i})
		e.Ph, w.running[i] = trace.Exit, ""
		w.event(e)
		return
	}
	if !w.take(model.Action{Name: model.NdkCqNotificationCallbackEnter, Cq: i}) {
		return
	}
	w.ops++
	e.Ph, e.Op, e.Cq, e.Status = trace.Enter, strconv.FormatUint(w.ops, 10), cqOf(i), "STATUS_SUCCESS"
	w.running[i] = e.Op
	w.event(e)
}

// close closes both queue pairs, and leaves nothing of them.
func (w *walk) close() {
	var closes [2]string
	for i := range closes {
		closes[i] = w.call("main", trace.Event{Fn: "NdkCloseQp", Qp: w.qp(i)}, func() trace.Event {
			w.must(model.Action{Name: model.NdkCloseQp, Qp: i})
			return trace.Event{Status: "STATUS_PENDING"}
		})
	}
	for w.settles() {
	}
	for i := range closes {
		for _, ph := range []trace.Phase{trace.Enter, trace.Exit} {
			name := model.NdkCloseCompletionEnter
			e := trace.Event{Thr: "closes", Ph: ph, Fn: "NdkCloseCompletion", Op: "close" + closes[i]}
			if ph == trace.Enter {
				e.For, e.Status = closes[i], "STATUS_SUCCESS"
			} else {
				name = model.NdkCloseCompletionExit
			}
			w.must(model.Action{Name: name, Qp: i})
			w.event(e)
		}
	}
}

// settles does one thing that is left to do, and reports whether there was one.
func (w *walk) settles() bool {
	if slices.ContainsFunc(w.contract.Enabled(w.state, model.Domain{Places: longest}), func(a model.Action) bool {
		return slices.ContainsFunc(w.hidden, func(h model.Action) bool { return h.Name == a.Name }) && w.try(a)
	}) {
		return true
	}
	for i, q := range w.state.Cqs {
		switch {
		case len(q.Entries) > 0:
			w.poll(i)
			return true
		case w.running[i] != "" || q.Due > 0:
			w.callback(i)
			return true
		}
	}
	return false
}

func succeeds() trace.Event { return success }

func cqOf(i int) string       { return fmt.Sprintf("cq%d", i+1) }
func callbackOf(i int) string { return fmt.Sprintf("callback%d", i+1) }
func wrOf(id int) string      { return "w" + strconv.Itoa(id) }

// qp names a queue pair of the present pair.
func (w *walk) qp(i int) string { return fmt.Sprintf("qp%d.%d", w.pairs, i+1) }
