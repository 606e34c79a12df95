package tlcjudge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ndkoracle/linearize/resets"
	"ndkoracle/trace"
)

// A call is a call, a callback, a mark of rest or a point, as module TraceCheck has it. Events count from 1, and 0 stands for
// none.
type call struct {
	fn, kind, thread string
	span
	qp         *qp
	cq         *cq
	requests   []*request // of a post
	results    []*request // of a poll; nil for a completion of nothing that was posted
	request    *request   // of a point: that whose completion is placed
	completes  *call      // of a completion callback: the call that returned STATUS_PENDING
	completion *call      // of such a call: its first completion callback, or nil
	lifeUse
	within    *call    // the callback that was running on its thread, or nil
	astray    bool     // of a point: it is of no request, or in another CQ than its own
	told      []uint32 // of the close of a region or window: the tokens that calls told of it
	awaited   []string // of a moment of rest: the CQs whose events a thread waits for
	number    int      // in its component, from 1
	component *component
}

// lifeUse names the objects whose lives a call matters to.
type lifeUse struct {
	creates    string   // the object that it is to create, or ""
	uses       []string // the objects that have to exist for it
	functionOf string   // the object of which it is a function, or ""
	closes     string   // the object that it closes, or ""
}

// A span is where the events of a call are.
type span struct {
	place     int // of its first event in the trace, from 1
	lastPlace int // of its last event in the trace
	begin     int // its first event: in the trace at first, in its component once there is one
	end       int // its last event, likewise
	first     *trace.Event
	last      *trace.Event
}

// kinds says what the functions do to the contract. What is not here does nothing to it.
var kinds = map[string]string{
	"NdkCreateCq": "create CQ", "ibv_create_cq": "create CQ", "ibv_create_cq_ex": "create CQ",
	"NdkCreateQp": "create QP", "NdkCreateQpWithSrq": "create QP", "ibv_create_qp": "create QP", "ibv_create_qp_ex": "create QP", resets.ToInit: "create QP",
	"NdkConnect": "connect", "NdkConnectWithSharedEndpoint": "connect", "NdkAccept": "connect", "NdkAcceptEx": "connect",
	"NdkSend": "post", "NdkSendAndInvalidate": "post", "NdkReceive": "post", "NdkRead": "post", "NdkWrite": "post",
	"NdkFastRegister": "post", "NdkBind": "post", "NdkInvalidate": "post",
	"ibv_post_send": "post", "ibv_post_recv": "post", "ibv_bind_mw": "post",
	"NdkSrqReceive": "shared post", "ibv_post_srq_recv": "shared post",
	"NdkResizeCq": "resize", "ibv_resize_cq": "resize",
	"NdkArmCq": "arm", "ibv_req_notify_cq": "arm",
	"NdkGetCqResults": "poll", "NdkGetCqResultsEx": "poll", "ibv_poll_cq": "poll",
	"NdkCqNotificationCallback": "callback", "comp_handler": "callback", "ibv_get_cq_event": "event",
	"NdkFlush": "flush", "NdkDisconnect": "flush",
	"NdkCloseCq": "close CQ", "ibv_destroy_cq": "close CQ", "NdkCloseQp": "close QP", "ibv_destroy_qp": "close QP", resets.ToReset: "close QP",
	"NdkDisconnectEventCallback": "abort", "NdkDisconnectEventCallbackEx": "abort", "NdkCloseConnector": "abort",
	"NdkCloseMr": "token dies", "NdkCloseMw": "token dies", "ibv_dereg_mr": "token dies",
	"ibv_dealloc_mw": "token dies", "NdkDeregisterMr": "token dies",
	"ibv_get_async_event": "device event", "quiesce": "rest", "CqePlaced": "placed",
}

const other = "other"

func kindOf(e *trace.Event) string {
	if e.Fn == "ibv_modify_qp" {
		switch strings.TrimPrefix(e.State, "IBV_QPS_") {
		case "RTR":
			return "connect"
		case "ERR", "SQE":
			return "flush"
		case "RESET", "SQD":
			return "unsettle"
		}
	}
	if kind, ok := kinds[e.Fn]; ok {
		return kind
	}
	return other
}

func isVerbs(fn string) bool { return strings.HasPrefix(fn, "ibv_") }

// answer is what a call returned: SUCCESS, PENDING, FAILURE, NOTHING for a function without a result, or NEVER.
func (c *call) answer() string {
	switch {
	case c.kind == "rest":
		return "NOTHING"
	case c.last == nil:
		return "NEVER"
	case isVerbs(c.fn) && (c.last.Errno == "" || c.last.Errno == "0"):
		return "SUCCESS"
	case isVerbs(c.fn):
		return "FAILURE"
	case c.last.Status == "" && c.fn == "NdkFlush": // which is VOID in NDKPI
		return "SUCCESS"
	case c.last.Status == "":
		return "NOTHING"
	case c.last.Status == "STATUS_PENDING":
		return "PENDING"
	case isSuccess(c.last.Status):
		return "SUCCESS"
	}
	return "FAILURE"
}

// pair joins the events of a trace into calls, in the order of their beginnings. What returned failure did nothing, apart from
// posts, whose failure is a step of its own, a disconnect, which may have flushed, and a wait for an event, which has been
// waiting.
func pair(events []trace.Event) (calls []*call, ends map[int]*call) {
	under, threads := map[string]*call{}, map[string]string{}
	running := map[string][]*call{} // callbacks, by thread
	ends = map[int]*call{}
	for i := range events {
		e := &events[i]
		if threads[e.Thr] == "" {
			threads[e.Thr] = fmt.Sprint("t", len(threads)+1)
		}
		switch e.Ph {
		case trace.Call, trace.Enter, trace.Point:
			c := &call{fn: e.Fn, kind: kindOf(e), thread: threads[e.Thr], span: span{place: i + 1, lastPlace: math.MaxInt, begin: i + 1, first: e}}
			if e.Ph == trace.Point {
				c.last, c.end, c.lastPlace = e, i+1, i+1
			}
			calls = append(calls, c)
			under[e.Op] = c
			inner := slices.DeleteFunc(running[e.Thr], func(c *call) bool { return c.last != nil })
			if len(inner) > 0 {
				c.within = inner[len(inner)-1]
			}
			if e.Ph == trace.Enter {
				inner = append(inner, c)
			}
			running[e.Thr] = inner
		case trace.Ret, trace.Exit:
			c := under[e.Op]
			c.last, c.end, c.lastPlace = e, i+1, i+1
			if c.answer() == "FAILURE" && c.kind != "post" && c.kind != "event" && c.fn != "NdkDisconnect" && !c.mayHaveConnected() {
				c.kind = other
			}
			ends[i] = c
		}
	}
	byOp := map[string]*call{}
	closed := map[string]bool{} // QPs
	for _, c := range calls {
		switch {
		case c.kind == "close QP":
			closed[c.first.Qp] = true
		case c.fn == "NdkDisconnect" && closed[c.first.Qp]:
			c.kind = other // it is of the connector, which outlives the QP
		}
		if c.first.Ph == trace.Call {
			byOp[c.first.Op] = c
		}
	}
	for _, c := range calls {
		if c.first.For == "" {
			continue
		}
		c.completes = byOp[c.first.For]
		if d := c.completes; d != nil && d.completion == nil {
			d.completion = c
		}
		if c.tellsOfResize() {
			c.kind = "CQ resized"
		}
		if d := c.completes; d != nil && d.kind == "create QP" && d.isToldFailed() {
			d.kind = other
		}
		if c.completes != nil && c.fn == "NdkCloseCompletion" {
			switch c.completes.kind {
			case "close CQ":
				c.kind = "CQ closed"
			case "close QP":
				c.kind = "QP closed"
			}
		}
	}
	return calls, ends
}

// A request is one that was posted, or refused.
type request struct {
	wr       string
	number   int // in its component, from 1
	qp       *qp
	op       string
	opcode   string // of libibverbs, or ""
	flags    []string
	bytes    *int64
	silent   bool
	solicit  bool
	fence    bool
	deferred bool
	postAnswer
	token *uint32
	post  *call

	delivery
}

// A postAnswer is what became of a request when it was posted.
type postAnswer struct {
	accepted    bool
	refused     bool
	behind      bool // it was in a list behind the one that was refused: the provider has not looked at it
	refusedThen bool // a request of the initiator queue was refused before its chain had ended otherwise
}

// A delivery is what a trace says of the completion of a request.
type delivery struct {
	told    []string // the outcomes that it may have had
	point   *call    // CqePlaced
	poll    *call    // that delivered it
	result  *trace.Result
	nothing *call // the last poll that found nothing and should have had its completion

	// Its place among the completions of its CQ that polls delivered, in the order of their returns; that of the first of its poll;
	// and how many had been delivered when that was called.
	turn, firstTurn, since int
}

func (r *request) queue() string {
	if r.op == "Receive" {
		return "receive"
	}
	return "initiator"
}

var operations = map[string]string{
	"NdkSend": "Send", "NdkSendAndInvalidate": "SendAndInvalidate", "NdkReceive": "Receive", "NdkRead": "Read",
	"NdkWrite": "Write", "NdkFastRegister": "FastRegister", "NdkBind": "Bind", "NdkInvalidate": "Invalidate",
	"ibv_bind_mw": "Bind", "ibv_post_recv": "Receive",

	"SEND": "Send", "SEND_WITH_IMM": "Send", "RDMA_WRITE_WITH_IMM": "Send", "SEND_WITH_INV": "SendAndInvalidate",
	"RDMA_WRITE": "Write", "RDMA_READ": "Read", "ATOMIC_CMP_AND_SWP": "Read", "ATOMIC_FETCH_AND_ADD": "Read",
	"LOCAL_INV": "Invalidate", "BIND_MW": "Bind", "REG_MR": "FastRegister",
}

// requestsOf returns what a post posts. Of a list of libibverbs those before bad_wr are accepted, and the others are refused.
func requestsOf(c *call, signalAll bool) []*request {
	accepted := c.answer() == "SUCCESS" || c.last == nil
	if c.first.Wrs == nil {
		token := c.first.Token
		if c.last != nil && c.last.Token != nil {
			token = c.last.Token
		}
		has := func(flag string) bool { return slices.Contains(c.first.Flags, flag) }
		return []*request{{wr: c.first.Wr, op: operations[c.fn], flags: c.first.Flags, postAnswer: postAnswer{accepted: accepted, refused: !accepted},
			bytes: c.first.Bytes, token: token, post: c, silent: has("SILENT_SUCCESS"), solicit: has("SEND_AND_SOLICIT_EVENT"), fence: has("READ_FENCE"),
			deferred: has("DEFER")}}
	}
	var list []*request
	stopped := false
	for i := range c.first.Wrs {
		w := &c.first.Wrs[i]
		r := &request{wr: w.Wr, op: "Receive", opcode: w.Opcode, flags: w.Flags, bytes: w.Bytes, postAnswer: postAnswer{accepted: true}, token: w.Token, post: c}
		if c.fn == "ibv_post_send" {
			r.op = operations[strings.TrimPrefix(w.Opcode, "IBV_WR_")]
			r.silent = !signalAll && !hasVerbsFlag(w.Flags, "SIGNALED")
			r.solicit = hasVerbsFlag(w.Flags, "SOLICITED")
			r.fence = hasVerbsFlag(w.Flags, "FENCE")
		}
		list = append(list, r)
		r.behind = stopped
		stopped = stopped || !accepted && (c.last.BadWr == w.Wr || len(c.first.Wrs) == 1)
		r.accepted, r.refused = !stopped, stopped
	}
	return list
}

func hasVerbsFlag(flags []string, name string) bool {
	return slices.Contains(flags, name) || slices.Contains(flags, "IBV_SEND_"+name)
}
