// Package calls says what each function of a trace does, in the dialects that have it: which kind of call it is, and whether an answer refuses it.
package calls

import (
	"strings"

	"ndkoracle/linearize/resets"
	"ndkoracle/model"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// Kind is what a function means to the contract: one name for the same thing in NDKPI and in libibverbs.
type Kind uint8

const (
	Other Kind = iota
	CreateCq
	CreateQp
	ConnectQp
	CompleteConnection // of a connect that succeeded
	Post
	ArmCq
	PollCq
	Callback
	ReadEvent // an event of the verbs dialect: a callback that is read rather than run
	FlushQp
	EndConnection // of a connection that need not be told: a disconnect event, or the close of a connector
	CloseCq
	CloseQp
	CloseDone
	modifyQp
	Quiesce
	Placed
	ResizeCq
	PostShared // a receive of a shared receive queue
	CreateRegion
	CloseRegion
	UnsettleQp // ibv_modify_qp to a state in which requests are dropped, or wait
	DeviceEvent
)

var kinds = map[string]Kind{
	"NdkCreateCq": CreateCq, "ibv_create_cq": CreateCq, "ibv_create_cq_ex": CreateCq,
	"NdkCreateQp": CreateQp, "NdkCreateQpWithSrq": CreateQp, "ibv_create_qp": CreateQp, "ibv_create_qp_ex": CreateQp,
	"NdkConnect": ConnectQp, "NdkConnectWithSharedEndpoint": ConnectQp, "NdkAccept": ConnectQp, "NdkAcceptEx": ConnectQp,
	"NdkCompleteConnect": CompleteConnection, "NdkCompleteConnectEx": CompleteConnection,
	"NdkSend": Post, "NdkSendAndInvalidate": Post, "NdkReceive": Post, "NdkRead": Post, "NdkWrite": Post,
	"NdkFastRegister": Post, "NdkBind": Post, "NdkInvalidate": Post, "ibv_post_send": Post, "ibv_post_recv": Post,
	"ibv_bind_mw": Post, "NdkSrqReceive": PostShared, "ibv_post_srq_recv": PostShared,
	"NdkResizeCq": ResizeCq, "ibv_resize_cq": ResizeCq,
	"NdkArmCq": ArmCq, "ibv_req_notify_cq": ArmCq,
	"NdkGetCqResults": PollCq, "NdkGetCqResultsEx": PollCq, "ibv_poll_cq": PollCq,
	"NdkCqNotificationCallback": Callback, "comp_handler": Callback, "ibv_get_cq_event": ReadEvent,
	"NdkFlush": FlushQp, "NdkDisconnect": FlushQp, "ibv_modify_qp": modifyQp,
	"NdkCloseCq": CloseCq, "ibv_destroy_cq": CloseCq, "NdkCloseQp": CloseQp, "ibv_destroy_qp": CloseQp,
	"NdkDisconnectEventCallback": EndConnection, "NdkDisconnectEventCallbackEx": EndConnection, "NdkCloseConnector": EndConnection,
	"NdkCreateMr": CreateRegion, "NdkInitializeFastRegisterMr": CreateRegion, "NdkCreateMw": CreateRegion,
	"ibv_reg_mr": CreateRegion, "ibv_alloc_mw": CreateRegion, "NdkCloseMr": CloseRegion, "NdkCloseMw": CloseRegion, "ibv_dereg_mr": CloseRegion, "ibv_dealloc_mw": CloseRegion,
	"NdkDeregisterMr":     CloseRegion,
	"ibv_get_async_event": DeviceEvent,
	resets.ToReset:        CloseQp, resets.ToInit: CreateQp,
	"NdkCloseCompletion": CloseDone, "quiesce": Quiesce, "CqePlaced": Placed,
}

// KindOf resolves what depends on arguments: ibv_modify_qp connects or flushes, by the state it asks for.
func KindOf(e *trace.Event) Kind {
	k := kinds[e.Fn]
	if e.NoEffect && k != Post {
		return Other
	}
	if k != modifyQp {
		return k
	}
	switch strings.TrimPrefix(e.State, "IBV_QPS_") {
	case "RTR":
		return ConnectQp
	case "ERR", "SQE":
		return FlushQp
	case "RESET", "SQD":
		return UnsettleQp
	}
	return Other
}

// GivesUntoldToken reports whether a function gives memory a token that no event need tell.
func GivesUntoldToken(fn string) bool {
	return fn == "NdkRegisterMr" || fn == "ibv_reg_mr" || fn == "ibv_alloc_mw"
}

// IsSuccess reports whether a call returned success: an NTSTATUS, or an errno of 0.
func IsSuccess(verbs bool, ret *trace.Event) bool {
	if verbs {
		return ret.Errno == "" || ret.Errno == "0"
	}
	if ret.Status == statusSuccess {
		return true
	}
	if ret.Status == "" {
		return ReturnsNothing(ret.Fn)
	}
	status, err := ndk.ParseStatus(ret.Status)
	return err == nil && status.Success() && status != ndk.STATUS_PENDING
}

// ReturnsNothing reports whether a function of NDKPI that could fail is VOID there. That of NDSPI returns a status.
func ReturnsNothing(fn string) bool { return fn == "NdkFlush" || fn == "NdkControlConnectEvents" }

// IsRefusal reports whether a call returned failure.
func IsRefusal(verbs bool, ret *trace.Event) bool {
	return (verbs || ret.Status != "") && !IsSuccess(verbs, ret) && !Pending(ret)
}

// Pending reports whether a call returned STATUS_PENDING.
func Pending(ret *trace.Event) bool { return ret.Status == StatusPending }

// ReportsSuccess reports whether a completion callback says that its call succeeded.
func ReportsSuccess(enter *trace.Event) bool {
	status, err := ndk.ParseStatus(enter.Status)
	return err == nil && status.Success()
}

// MadeNoConnection reports whether the status of a connect that failed says that no connection was made: the peer refused it, or was not
// reached. Any other status may also be that of a connection which was made and lost.
func MadeNoConnection(status string) bool {
	return status == "STATUS_CONNECTION_REFUSED" || status == "STATUS_NETWORK_UNREACHABLE" || status == "STATUS_HOST_UNREACHABLE"
}

// What most calls return: constants, which are compared in place.
const (
	StatusPending = "STATUS_PENDING"
	statusSuccess = "STATUS_SUCCESS"
)

// HealthOf reads the CqStatus of a callback; ok is false when it is none that a callback may report (ARM-15).
func HealthOf(status string) (h model.Health, ok bool) {
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

// ArmOf reads the type of an arm; ok is false when there is no such type (ARM-13).
func ArmOf(e *trace.Event) (a model.Arm, ok bool) {
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

// CqErrorOf returns the CQ that an event reports an error of, and which: a callback with an error, or the asynchronous event CQ_ERR, after which the
// CQ can't be used (ibv_poll_cq(3)). That does not say which error it was.
func CqErrorOf(e *trace.Event) (cq string, error model.Health, ok bool) {
	switch {
	case e == nil || e.Cq == "":
	case e.Type == "CQ_ERR" && e.Ph == trace.Ret && kinds[e.Fn] == DeviceEvent:
		return e.Cq, model.InternalError, true
	case e.Ph == trace.Enter && kinds[e.Fn] == Callback:
		health, known := HealthOf(e.Status)
		return e.Cq, health, known && health != model.OK
	}
	return "", model.OK, false
}

// MayFailDevice reports whether an asynchronous event says that a CQ which it does not name, a QP or the whole device failed, so that completions may
// never come.
func MayFailDevice(e *trace.Event) bool {
	return e != nil && (e.Type == "CQ_ERR" && e.Cq == "" || e.Type == "QP_FATAL" || e.Type == "DEVICE_FATAL")
}
