package counterexample

import (
	"fmt"

	"ndkoracle/trace"
)

// words write down what happens with the functions of NDKPI, or with those of libibverbs.
type words interface {
	createCq(cq string, depth int64)
	// connect creates a QP, and connects it or accepts.
	connect(qp, cq, conn string, accept bool)
	post(r request)
	arm(thread, cq, kind string) error
	// listen begins to wait for events, where that is a call.
	listen()
	enter(cq, status string) error
	exit(cq string) error
	poll(thread, cq string, room int64, results []trace.Result)
	// status is the status of a completion of one of the Outcomes.
	status(outcome string) string
}

// A request is one that is posted: a Write, a Send or a Receive.
type request struct {
	wr, qp, op string
	solicit    bool // of a Send: it has NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT
}

// ndkWords are those of dialects ndkpi and ndspi.
type ndkWords struct {
	*script
	serialised bool                // callbacks run; else they are data that is read, and end where they begin
	running    map[string][]string // ops of the callbacks of a CQ that have begun and not returned, oldest first
}

func succeeded() trace.Event { return trace.Event{Status: "STATUS_SUCCESS"} }

func (w *ndkWords) createCq(cq string, depth int64) {
	w.call(mainThread, "NdkCreateCq", trace.Event{Cq: cq, Depth: &depth}, succeeded())
}

func (w *ndkWords) connect(qp, cq, conn string, accept bool) {
	fn := "NdkConnect"
	if accept {
		fn = "NdkAccept"
	}
	w.call(mainThread, "NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: cq, InitiatorCq: cq}, succeeded())
	w.call(mainThread, fn, trace.Event{Qp: qp, Conn: conn}, succeeded())
}

func (w *ndkWords) post(r request) {
	call := trace.Event{Qp: r.qp, Wr: r.wr}
	if r.solicit {
		call.Flags = []string{"SEND_AND_SOLICIT_EVENT"}
	}
	w.call(mainThread, "Ndk"+r.op, call, succeeded())
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

func (w *ndkWords) poll(thread, cq string, room int64, results []trace.Result) {
	w.call(thread, "NdkGetCqResults", trace.Event{Cq: cq, N: &room}, trace.Event{Results: results})
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
	waiting string // op of the call that waits for an event, or ""
}

func (w *verbsWords) createCq(cq string, depth int64) {
	w.call(mainThread, "ibv_create_cq", trace.Event{Cq: cq, Depth: &depth}, trace.Event{})
}

func (w *verbsWords) connect(qp, cq, conn string, _ bool) {
	w.call(mainThread, "ibv_create_qp", trace.Event{Qp: qp, ReceiveCq: cq, InitiatorCq: cq}, trace.Event{})
	w.call(mainThread, "ibv_modify_qp", trace.Event{Qp: qp, State: "INIT"}, trace.Event{})
	w.call(mainThread, "ibv_modify_qp", trace.Event{Qp: qp, State: "RTR", Conn: conn}, trace.Event{})
	w.call(mainThread, "ibv_modify_qp", trace.Event{Qp: qp, State: "RTS"}, trace.Event{})
}

func (w *verbsWords) post(r request) {
	fn, wr := "ibv_post_send", trace.WorkRequest{Wr: r.wr, Flags: []string{"SIGNALED"}}
	switch r.op {
	case "Receive":
		fn, wr.Flags = "ibv_post_recv", nil
	case "Send":
		wr.Opcode = "SEND"
	case "Write":
		wr.Opcode = "RDMA_WRITE"
	}
	if r.solicit {
		wr.Flags = append(wr.Flags, "SOLICITED")
	}
	w.call(mainThread, fn, trace.Event{Qp: r.qp, Wrs: []trace.WorkRequest{wr}}, trace.Event{})
}

func (w *verbsWords) arm(thread, cq, kind string) error {
	if kind == "ERRORS" {
		return fmt.Errorf("libibverbs has no arm for errors alone")
	}
	w.call(thread, "ibv_req_notify_cq", trace.Event{Cq: cq, SolicitedOnly: pointer(kind == "SOLICITED")}, trace.Event{})
	return nil
}

const getEvent = "ibv_get_cq_event"

func (w *verbsWords) listen() {
	w.waiting = w.begin(trace.Event{Thr: callbackThread, Ph: trace.Call, Fn: getEvent})
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

func (w *verbsWords) poll(thread, cq string, room int64, results []trace.Result) {
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
