package linearize

import (
	"fmt"
	"math"
	"strings"

	"ndkoracle/model"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// A moment is the index of an event in the trace. Moments order everything: they are seq without its gaps.
type moment = int

// never is the moment of what did not happen in the trace.
const never moment = math.MaxInt

// A span is a call or a callback with both its ends.
type span struct {
	fn         string
	kind       kind
	call, ret  moment // ret is never when the trace ends before
	begin, end *trace.Event
	within     *span      // the callback that was running on this thread
	requests   []*request // of a post
}

func (s *span) returned() bool { return s.end != nil }

// overlaps reports whether two spans were under way at the same time.
func (s *span) overlaps(t *span) bool { return s.call < t.ret && t.call < s.ret }

// nestsIn reports whether s was called from a callback that ran, on the same thread, within the call t: the provider may call
// back from within a call, and the consumer may call from within a callback (A27).
func (s *span) nestsIn(t *span) bool {
	return s.begin.Thr == t.begin.Thr && s.within != nil && s.within.call > t.call && s.ret <= t.ret
}

// kind is what a function means to the contract: one name for the same thing in NDKPI and in libibverbs.
type kind uint8

const (
	other kind = iota
	createCq
	createQp
	connectQp
	post
	armCq
	pollCq
	callback
	readEvent // an event of the verbs dialect: a callback that is read rather than run
	flushQp
	endConnection // of a connection that need not be told: a disconnect event, or the close of a connector
	closeCq
	closeQp
	closeDone
	modifyQp
	quiesce
	placed
	resizeCq
	postShared // a receive of a shared receive queue
	createRegion
	unsettleQp // ibv_modify_qp to a state in which requests are dropped, or wait
	deviceEvent
)

var kinds = map[string]kind{
	"NdkCreateCq": createCq, "ibv_create_cq": createCq, "ibv_create_cq_ex": createCq,
	"NdkCreateQp": createQp, "ibv_create_qp": createQp, "ibv_create_qp_ex": createQp,
	"NdkConnect": connectQp, "NdkConnectWithSharedEndpoint": connectQp, "NdkAccept": connectQp, "NdkAcceptEx": connectQp,
	"NdkSend": post, "NdkSendAndInvalidate": post, "NdkReceive": post, "NdkRead": post, "NdkWrite": post,
	"NdkFastRegister": post, "NdkBind": post, "NdkInvalidate": post, "ibv_post_send": post, "ibv_post_recv": post,
	"ibv_bind_mw": post, "NdkSrqReceive": postShared, "ibv_post_srq_recv": postShared,
	"NdkResizeCq": resizeCq, "ibv_resize_cq": resizeCq,
	"NdkArmCq": armCq, "ibv_req_notify_cq": armCq,
	"NdkGetCqResults": pollCq, "NdkGetCqResultsEx": pollCq, "ibv_poll_cq": pollCq,
	"NdkCqNotificationCallback": callback, "ibv_get_cq_event": readEvent,
	"NdkFlush": flushQp, "NdkDisconnect": flushQp, "ibv_modify_qp": modifyQp,
	"NdkCloseCq": closeCq, "ibv_destroy_cq": closeCq, "NdkCloseQp": closeQp, "ibv_destroy_qp": closeQp,
	"NdkDisconnectEventCallback": endConnection, "NdkDisconnectEventCallbackEx": endConnection, "NdkCloseConnector": endConnection,
	"NdkCreateMr": createRegion, "NdkInitializeFastRegisterMr": createRegion, "NdkCreateMw": createRegion,
	"ibv_reg_mr": createRegion, "ibv_alloc_mw": createRegion, "ibv_get_async_event": deviceEvent,
	"NdkCloseCompletion": closeDone, "quiesce": quiesce, "CqePlaced": placed,
}

// kindOf resolves what depends on arguments: ibv_modify_qp connects or flushes, by the state it asks for.
func kindOf(e *trace.Event) kind {
	k := kinds[e.Fn]
	if k != modifyQp {
		return k
	}
	switch strings.TrimPrefix(e.State, "IBV_QPS_") {
	case "RTR":
		return connectQp
	case "ERR", "SQE":
		return flushQp
	case "RESET", "SQD":
		return unsettleQp
	}
	return other
}

// pairUp joins the events of a trace into spans, in the order of their beginnings. Points are spans of one moment.
func pairUp(events []trace.Event) []*span {
	var spans []*span
	open := map[string]*span{}
	running := map[string][]*span{} // callbacks, by thread
	for i := range events {
		e := &events[i]
		switch e.Ph {
		case trace.Call, trace.Enter:
			s := &span{fn: e.Fn, kind: kindOf(e), call: i, ret: never, begin: e}
			spans = append(spans, s)
			open[e.Op] = s
			inner := running[e.Thr]
			for len(inner) > 0 && inner[len(inner)-1].returned() {
				inner = inner[:len(inner)-1]
			}
			if len(inner) > 0 {
				s.within = inner[len(inner)-1]
			}
			if e.Ph == trace.Enter {
				inner = append(inner, s)
			}
			running[e.Thr] = inner
		case trace.Ret, trace.Exit:
			if s := open[e.Op]; s != nil {
				s.ret, s.end = i, e
				delete(open, e.Op)
				if s.refused() && s.kind != post && s.kind != postShared && s.kind != readEvent && s.fn != "NdkDisconnect" {
					s.kind = other // it did nothing; a disconnect that fails may have flushed all the same (DISC-08)
				}
			}
		case trace.Point:
			spans = append(spans, &span{fn: e.Fn, kind: kindOf(e), call: i, ret: i, begin: e, end: e})
		}
	}
	return spans
}

// succeeded reports whether the call returned, and returned success.
func (s *span) succeeded() bool { return s.returned() && isSuccess(s.verbs(), s.end) }

func (s *span) verbs() bool { return strings.HasPrefix(s.fn, "ibv_") }

// isSuccess reports whether a call returned success: an NTSTATUS, or an errno of 0.
func isSuccess(verbs bool, ret *trace.Event) bool {
	if verbs {
		return ret.Errno == "" || ret.Errno == "0"
	}
	if ret.Status == statusSuccess {
		return true
	}
	status, err := ndk.ParseStatus(ret.Status)
	return err == nil && status.Success() && status != ndk.STATUS_PENDING
}

// isRefusal reports whether a call returned failure.
func isRefusal(verbs bool, ret *trace.Event) bool {
	return (verbs || ret.Status != "") && !isSuccess(verbs, ret) && !pending(ret)
}

// pending reports whether a call returned STATUS_PENDING.
func pending(ret *trace.Event) bool { return ret.Status == statusPending }

// reportsSuccess reports whether a completion callback says that its call succeeded.
func (s *span) reportsSuccess() bool {
	status, err := ndk.ParseStatus(s.begin.Status)
	return err == nil && status.Success()
}

// refused reports whether the call returned, and returned failure.
func (s *span) refused() bool { return s.returned() && isRefusal(s.verbs(), s.end) }

// pending reports whether the call returned STATUS_PENDING.
func (s *span) pending() bool { return s.returned() && pending(s.end) }

// What most calls return.
var statusPending, statusSuccess = ndk.STATUS_PENDING.String(), ndk.STATUS_SUCCESS.String()

// outcomeOf reads the status of a completion in either dialect.
func outcomeOf(status string) model.Outcome {
	switch strings.TrimPrefix(status, "IBV_WC_") {
	case "STATUS_SUCCESS", "SUCCESS":
		return model.SUCCESS
	case "STATUS_CANCELLED", "WR_FLUSH_ERR":
		return model.CANCELLED
	}
	return model.FAILED
}

// healthOf reads the CqStatus of a callback; ok is false when it is none that a callback may report (ARM-15).
func healthOf(status string) (h model.Health, ok bool) {
	switch status {
	case "", "STATUS_SUCCESS":
		return model.OK, true
	case "STATUS_BUFFER_OVERFLOW":
		return model.BufferOverflow, true
	case "STATUS_INTERNAL_ERROR":
		return model.InternalError, true
	}
	return model.OK, false
}

// armOf reads the type of an arm; ok is false when there is no such type (ARM-13).
func armOf(e *trace.Event) (a model.Arm, ok bool) {
	if e.SolicitedOnly != nil {
		if *e.SolicitedOnly {
			return model.SOLICITED, true
		}
		return model.ANY, true
	}
	switch e.Type {
	case "ERRORS":
		return model.ERRORS, true
	case "SOLICITED":
		return model.SOLICITED, true
	case "ANY":
		return model.ANY, true
	}
	return model.NONE, false
}

var opsOfFn = map[string]model.Op{
	"NdkSend": model.Send, "NdkSendAndInvalidate": model.SendAndInvalidate, "NdkReceive": model.ReceiveOp,
	"NdkRead": model.Read, "NdkWrite": model.Write, "NdkFastRegister": model.FastRegister, "NdkBind": model.Bind,
	"NdkInvalidate": model.Invalidate,
}

// opOf returns what a work request of ibv_post_send does, or why nobody knows.
func opOf(w *trace.WorkRequest) (op model.Op, unknown string) {
	op, ok := opsOfOpcode[strings.TrimPrefix(w.Opcode, "IBV_WR_")]
	if !ok {
		return model.Write, fmt.Sprintf("the contract does not say what %s does, whose opcode is %q", w.Wr, w.Opcode)
	}
	return op, ""
}

// stoppedSomewhere is why nobody knows which requests of a list were posted.
const stoppedSomewhere = "the trace does not tell at which request %s stopped"

var opsOfOpcode = map[string]model.Op{
	"SEND": model.Send, "SEND_WITH_IMM": model.Send, "RDMA_WRITE_WITH_IMM": model.Send,
	"SEND_WITH_INV": model.SendAndInvalidate, "RDMA_WRITE": model.Write, "RDMA_READ": model.Read,
	"ATOMIC_CMP_AND_SWP": model.Read, "ATOMIC_FETCH_AND_ADD": model.Read,
	"LOCAL_INV": model.Invalidate, "BIND_MW": model.Bind, "REG_MR": model.FastRegister,
}
