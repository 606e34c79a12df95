package counterexample

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ndkoracle/model"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// words write down what happens with the functions of NDKPI, or with those of libibverbs.
type words interface {
	createCq(cq string, depth int64)
	createQp(qp mc.Qp)
	// connect connects a QP, or accepts.
	connect(qp, conn string, accept bool)
	post(r request) error
	// tokenDies closes the window, or deregisters the region, that has a token.
	tokenDies(token uint32) error
	// flush is the call of that name, or NdkDisconnect.
	flush(fn, qp string) error
	// closeQp and closeCq begin a close; closeEnter and closeExit are its NdkCloseCompletion.
	closeQp(qp string) error
	closeCq(cq string) error
	closeEnter(object string) error
	closeExit(object string) error
	arm(thread, cq, kind string) error
	// listen begins to wait for events, where that is a call.
	listen()
	enter(cq, status string) error
	exit(cq string) error
	// resize begins to resize a CQ, and resized tells how that ended.
	resize(cq string, depth int64) error
	resized(cq, outcome string) error
	poll(thread, fn, cq string, room int64, results []trace.Result)
	// status is the status of a completion of one of the Outcomes.
	status(outcome string) string
}

// A request is one that is posted.
type request struct {
	wr, qp, op string
	flags      []string // of NDKPI, without NDK_OP_FLAG_
	token      *uint32
	refused    bool
}

// ndkWords are those of dialects ndkpi and ndspi.
type ndkWords struct {
	*script
	serialised bool                // callbacks run; else they are data that is read, and end where they begin
	running    map[string][]string // ops of the callbacks of a CQ that have begun and not returned, oldest first
	closes     map[string]string   // by object: the op of a close, and then of its NdkCloseCompletion
	resizes    map[string]string   // by CQ: the op of the latest resize
	windows    map[uint32]string   // by token: the memory window that was last bound to it, until it is closed
	closed     int                 // memory windows
}

func newNdkWords(s *script, serialised bool) *ndkWords {
	return &ndkWords{script: s, serialised: serialised, running: map[string][]string{}, closes: map[string]string{},
		resizes: map[string]string{}, windows: map[uint32]string{}}
}

func succeeded() trace.Event { return trace.Event{Status: "STATUS_SUCCESS"} }

func (w *ndkWords) createCq(cq string, depth int64) {
	w.call(mainThread, "NdkCreateCq", trace.Event{Cq: cq, Depth: &depth}, succeeded())
}

func (w *ndkWords) createQp(qp mc.Qp) {
	w.call(mainThread, "NdkCreateQp", trace.Event{Qp: qp.Name, ReceiveCq: qp.ReceiveCq, InitiatorCq: qp.InitiatorCq}, succeeded())
}

func (w *ndkWords) connect(qp, conn string, accept bool) {
	fn := "NdkConnect"
	if accept {
		fn = "NdkAccept"
	}
	w.call(mainThread, fn, trace.Event{Qp: qp, Conn: conn}, succeeded())
}

func (w *ndkWords) post(r request) error {
	call, ret := trace.Event{Qp: r.qp, Wr: r.wr, Flags: r.flags}, succeeded()
	switch r.op {
	case "FastRegister":
		call.Mr, ret.Token = memory(r.token), r.token
	case "Bind":
		call.Mw, ret.Token = w.window(r.token), r.token
	case "Invalidate":
		call.Mr, call.Token = memory(r.token), r.token
	case "Read":
		if call.Token = r.token; r.token != nil {
			call.Flags = append(call.Flags, "RDMA_READ_LOCAL_INVALIDATE")
		}
	case "SendAndInvalidate":
		call.Token = r.token
	} // no event tells through which token a write goes
	if r.refused {
		ret = trace.Event{Status: "STATUS_INSUFFICIENT_RESOURCES"}
	}
	w.call(mainThread, "Ndk"+r.op, call, ret)
	return nil
}

// memory names what a token gives access to.
func memory(token *uint32) string {
	if token == nil {
		return "memory"
	}
	return fmt.Sprintf("memory%d", *token)
}

// window names the memory window that a bind gives a token. One that was closed is not bound again.
func (w *ndkWords) window(token *uint32) string {
	name := fmt.Sprintf("window%d", w.closed)
	if token != nil {
		name = fmt.Sprintf("window%d.%d", *token, w.closed)
		w.windows[*token] = name
	}
	return name
}

func (w *ndkWords) tokenDies(token uint32) error {
	if window, ok := w.windows[token]; ok {
		delete(w.windows, token)
		w.closed++
		w.call(mainThread, "NdkCloseMw", trace.Event{Mw: window}, succeeded())
		return nil
	}
	w.call(mainThread, "NdkDeregisterMr", trace.Event{Mr: memory(&token)}, succeeded())
	return nil
}

func (w *ndkWords) flush(fn, qp string) error {
	w.call(mainThread, fn, trace.Event{Qp: qp}, succeeded())
	return nil
}

func (w *ndkWords) closeQp(qp string) error { return w.close("NdkCloseQp", qp, trace.Event{Qp: qp}) }
func (w *ndkWords) closeCq(cq string) error { return w.close("NdkCloseCq", cq, trace.Event{Cq: cq}) }

func (w *ndkWords) close(fn, object string, call trace.Event) error {
	w.call(mainThread, fn, call, trace.Event{Status: "STATUS_PENDING"})
	w.closes[object] = strconv.Itoa(w.ops)
	return nil
}

func (w *ndkWords) resize(cq string, depth int64) error {
	w.call(mainThread, "NdkResizeCq", trace.Event{Cq: cq, Depth: &depth}, trace.Event{Status: "STATUS_PENDING"})
	w.resizes[cq] = strconv.Itoa(w.ops)
	return nil
}

const requestCompletion = "NdkRequestCompletion"

func (w *ndkWords) resized(cq, outcome string) error {
	if w.resizes[cq] == "" {
		return fmt.Errorf("no resize of %s has begun", cq)
	}
	op := w.begin(trace.Event{Thr: callbackThread, Ph: trace.Enter, Fn: requestCompletion, For: w.resizes[cq], Status: w.status(outcome)})
	w.add(trace.Event{Thr: callbackThread, Ph: trace.Exit, Fn: requestCompletion, Op: op})
	return nil
}

const closeCompletion = "NdkCloseCompletion"

func (w *ndkWords) closeEnter(object string) error {
	op, ok := w.closes[object]
	if !ok {
		return fmt.Errorf("no close of %s has begun", object)
	}
	w.closes[object] = w.begin(trace.Event{Thr: callbackThread, Ph: trace.Enter, Fn: closeCompletion, For: op})
	return nil
}

func (w *ndkWords) closeExit(object string) error {
	op, ok := w.closes[object]
	if !ok {
		return fmt.Errorf("no close of %s has begun", object)
	}
	w.add(trace.Event{Thr: callbackThread, Ph: trace.Exit, Fn: closeCompletion, Op: op})
	return nil
}

func (w *ndkWords) arm(thread, cq, kind string) error {
	w.call(thread, "NdkArmCq", trace.Event{Cq: cq, Type: kind}, trace.Event{})
	return nil
}

func (w *ndkWords) listen() {}

const callback = "NdkCqNotificationCallback"

func (w *ndkWords) enter(cq, status string) error {
	op := w.begin(trace.Event{Thr: callbackThread, Ph: trace.Enter, Fn: callback, Cq: cq, Status: status})
	if w.serialised {
		w.running[cq] = append(w.running[cq], op)
	} else {
		w.leave(op)
	}
	return nil
}

func (w *ndkWords) exit(cq string) error {
	if w.serialised && len(w.running[cq]) == 0 {
		return fmt.Errorf("no callback of %s is running", cq)
	}
	if w.serialised {
		w.leave(w.running[cq][0])
		w.running[cq] = w.running[cq][1:]
	}
	return nil
}

func (w *ndkWords) leave(op string) {
	w.add(trace.Event{Thr: callbackThread, Ph: trace.Exit, Fn: callback, Op: op})
}

func (w *ndkWords) poll(thread, fn, cq string, room int64, results []trace.Result) {
	w.call(thread, fn, trace.Event{Cq: cq, N: &room}, trace.Event{Results: results})
}

func (w *ndkWords) status(outcome string) string {
	switch outcome {
	case "SUCCESS":
		return "STATUS_SUCCESS"
	case "CANCELLED":
		return "STATUS_CANCELLED"
	}
	return "STATUS_ACCESS_VIOLATION"
}

// verbsWords are those of dialect verbs. One thread reads the events, and has no other use.
type verbsWords struct {
	*script
	waiting string                 // op of the call that waits for an event, or ""
	closes  map[string]trace.Event // by object: the return of its close
}

func (w *verbsWords) createCq(cq string, depth int64) {
	w.call(mainThread, "ibv_create_cq", trace.Event{Cq: cq, Depth: &depth, Channel: channel}, trace.Event{})
}

func (w *verbsWords) createQp(qp mc.Qp) {
	signalsAll := false
	w.call(mainThread, "ibv_create_qp",
		trace.Event{Qp: qp.Name, ReceiveCq: qp.ReceiveCq, InitiatorCq: qp.InitiatorCq, SqSigAll: &signalsAll,
			QpType: qpTypes[qp.Type]}, trace.Event{})
	w.call(mainThread, modifyQp, trace.Event{Qp: qp.Name, State: "INIT"}, trace.Event{})
}

const modifyQp = "ibv_modify_qp"

// errHasNo is of a step that no call of libibverbs stands for.
var errHasNo = errors.New("libibverbs has no")

var qpTypes = map[model.QpType]string{model.RC: "RC", model.UC: "UC", model.UD: "UD"}

func (w *verbsWords) connect(qp, conn string, _ bool) {
	w.call(mainThread, modifyQp, trace.Event{Qp: qp, State: "RTR", Conn: conn}, trace.Event{})
	w.call(mainThread, modifyQp, trace.Event{Qp: qp, State: "RTS"}, trace.Event{})
}

var opcodes = map[string]string{"Send": "SEND", "SendAndInvalidate": "SEND_WITH_INV", "Write": "RDMA_WRITE", "Read": "RDMA_READ",
	"Invalidate": "LOCAL_INV", "Bind": "BIND_MW"}

func (w *verbsWords) post(r request) error {
	fn, wr := "ibv_post_send", trace.WorkRequest{Wr: r.wr, Opcode: opcodes[r.op], Token: r.token}
	if r.op == "Receive" {
		fn = "ibv_post_recv"
	} else if wr.Opcode == "" {
		return fmt.Errorf("%w %s", errHasNo, r.op)
	}
	if r.op != "Receive" && !slices.Contains(r.flags, "SILENT_SUCCESS") {
		wr.Flags = []string{"SIGNALED"}
	}
	for _, flag := range r.flags {
		switch flag {
		case "DEFER":
			return errors.New("libibverbs has no chains: a call posts a list")
		case "SEND_AND_SOLICIT_EVENT":
			wr.Flags = append(wr.Flags, "SOLICITED")
		case "READ_FENCE":
			wr.Flags = append(wr.Flags, "FENCE")
		}
	}
	call, ret := trace.Event{Qp: r.qp, Wrs: []trace.WorkRequest{wr}}, trace.Event{}
	if r.refused {
		ret = trace.Event{Errno: "ENOMEM", BadWr: r.wr}
	}
	w.call(mainThread, fn, call, ret)
	return nil
}

func (w *verbsWords) tokenDies(uint32) error {
	return errors.New("with libibverbs no request gives a region its token")
}

func (w *verbsWords) flush(fn, qp string) error {
	if fn != "NdkFlush" {
		return fmt.Errorf("%w %s", errHasNo, fn)
	}
	w.call(mainThread, modifyQp, trace.Event{Qp: qp, State: "ERR"}, trace.Event{})
	return nil
}

func (w *verbsWords) resize(string, int64) error {
	return errors.New("with libibverbs a CQ has its new size when the call returns")
}

func (w *verbsWords) resized(cq, _ string) error { return w.resize(cq, 0) }

// A close is a call that returns when nothing keeps it any more.
func (w *verbsWords) closeQp(qp string) error {
	return w.close("ibv_destroy_qp", qp, trace.Event{Qp: qp})
}

func (w *verbsWords) closeCq(cq string) error {
	return w.close("ibv_destroy_cq", cq, trace.Event{Cq: cq})
}

func (w *verbsWords) close(fn, object string, call trace.Event) error {
	call.Thr, call.Ph, call.Fn = "closing "+object, trace.Call, fn
	w.closes[object] = trace.Event{Thr: call.Thr, Ph: trace.Ret, Fn: fn, Op: w.begin(call)}
	return nil
}

func (w *verbsWords) closeEnter(string) error { return nil }

func (w *verbsWords) closeExit(object string) error {
	ret, ok := w.closes[object]
	if !ok {
		return fmt.Errorf("no close of %s has begun", object)
	}
	w.add(ret)
	return nil
}

func (w *verbsWords) arm(thread, cq, kind string) error {
	if kind == "ERRORS" {
		return fmt.Errorf("libibverbs has no arm for errors alone")
	}
	w.call(thread, "ibv_req_notify_cq", trace.Event{Cq: cq, SolicitedOnly: pointer(kind == "SOLICITED")}, trace.Event{})
	return nil
}

const getEvent = "ibv_get_cq_event"

// channel is where all events of a trace come.
const channel = "channel1"

func (w *verbsWords) listen() {
	w.waiting = w.begin(trace.Event{Thr: callbackThread, Ph: trace.Call, Fn: getEvent, Channel: channel})
}

func (w *verbsWords) enter(cq, status string) error {
	if status != "STATUS_SUCCESS" {
		return fmt.Errorf("libibverbs tells errors of a CQ as asynchronous events")
	}
	if w.waiting == "" {
		w.listen()
	}
	w.add(trace.Event{Thr: callbackThread, Ph: trace.Ret, Fn: getEvent, Op: w.waiting, Cq: cq})
	w.waiting = ""
	return nil
}

func (w *verbsWords) exit(string) error {
	w.listen()
	return nil
}

func (w *verbsWords) poll(thread, _, cq string, room int64, results []trace.Result) {
	w.call(thread, "ibv_poll_cq", trace.Event{Cq: cq, N: &room}, trace.Event{Results: results})
}

func (w *verbsWords) status(outcome string) string {
	switch outcome {
	case "SUCCESS":
		return "IBV_WC_SUCCESS"
	case "CANCELLED":
		return "IBV_WC_WR_FLUSH_ERR"
	}
	return "IBV_WC_REM_ACCESS_ERR"
}
