package main

// #include "glue.h"
import "C"

import (
	"unsafe"

	"ndkoracle/ndk"
)

//export goCreateCq
func goCreateCq(handle C.uintptr_t, depth C.uint32_t, notify C.NDK_FN_CQ_NOTIFICATION_CALLBACK, context C.uintptr_t, out *C.uintptr_t) C.NTSTATUS {
	var notification ndk.CqNotification
	if notify != nil {
		notification = ndk.NdkCqNotificationCallback(func(_ ndk.Cq, s ndk.Status) { C.glue_notify(notify, context, status(s)) })
	}
	cq, s := object[*adapter](handle).NdkCreateCq(uint32(depth), notification)
	if s == ndk.STATUS_SUCCESS {
		*out = newHandle(&completionQueue{Cq: cq})
	}
	return status(s)
}

//export goArmCq
func goArmCq(handle C.uintptr_t, notifyType C.uint32_t) {
	object[ndk.Cq](handle).NdkArmCq(ndk.NotifyType(notifyType))
}

// carried writes a number where C has an address: it is not one that Go may follow.
func carried(to *unsafe.Pointer, number any) { *(*uintptr)(unsafe.Pointer(to)) = number.(uintptr) }

//export goGetCqResults
func goGetCqResults(handle C.uintptr_t, results *C.NDK_RESULT, n C.uint32_t) C.uint32_t {
	got := make([]ndk.Result, n)
	got = got[:object[ndk.Cq](handle).NdkGetCqResults(got)]
	to := unsafe.Slice(results, len(got))
	for i := range got {
		r := &to[i]
		r.Status, r.BytesTransferred = status(got[i].Status), C.ULONG(got[i].BytesTransferred)
		carried((*unsafe.Pointer)(&r.QPContext), got[i].QPContext)
		carried((*unsafe.Pointer)(&r.RequestContext), got[i].RequestContext)
	}
	return C.uint32_t(len(got))
}

//export goGetCqResultsEx
func goGetCqResultsEx(handle C.uintptr_t, results *C.NDK_RESULT_EX, n C.uint32_t) C.uint32_t {
	got := make([]ndk.ResultEx, n)
	got = got[:object[ndk.Cq](handle).NdkGetCqResultsEx(got)]
	to := unsafe.Slice(results, len(got))
	for i := range got {
		r := &to[i]
		r.Status, r.BytesTransferred = status(got[i].Status), C.ULONG(got[i].BytesTransferred)
		carried((*unsafe.Pointer)(&r.QPContext), got[i].QPContext)
		carried((*unsafe.Pointer)(&r.RequestContext), got[i].RequestContext)
		r.Type = C.NDK_OPERATION_TYPE(got[i].Type)
		r.ProviderErrorCode = C.ULONG(got[i].ProviderErrorCode)
		r.TypeSpecificCompletionOutput = C.ULONG_PTR(got[i].TypeSpecificCompletionOutput)
	}
	return C.uint32_t(len(got))
}

//export goCreateQp
func goCreateQp(pd, receiveCq, initiatorCq, context C.uintptr_t, numbers *C.uint32_t, out *C.uintptr_t) C.NTSTATUS {
	n := unsafe.Slice((*uint32)(numbers), 5)
	of, receives, initiates := object[*domain](pd), object[*completionQueue](receiveCq), object[*completionQueue](initiatorCq)
	qp, s := of.NdkCreateQp(ndk.QpAttributes{
		ReceiveCq: receives.Cq, InitiatorCq: initiates.Cq, QPContext: uintptr(context),
		ReceiveQueueDepth: n[0], InitiatorQueueDepth: n[1], MaxReceiveRequestSge: n[2], MaxInitiatorRequestSge: n[3], InlineDataSize: n[4],
	})
	if s == ndk.STATUS_SUCCESS {
		q := &queuePair{Qp: qp, uses: []*lifetime{&of.lifetime, &receives.lifetime, &initiates.lifetime}}
		for _, used := range q.uses {
			used.hold()
		}
		*out = newHandle(q)
	}
	return status(s)
}

//export goFlush
func goFlush(qp C.uintptr_t) { object[ndk.Qp](qp).NdkFlush() }

// goRequest posts what has a scatter/gather list. Its type is the operation's, and ReceiveAndInvalidate for NdkSendAndInvalidate.
//
//export goRequest
func goRequest(handle C.uintptr_t, operation C.uint, r *C.glue_request) C.NTSTATUS {
	qp := object[ndk.Qp](handle)
	context, flags, token, address := uintptr(r.context), ndk.OpFlags(r.flags), ndk.Token(r.token), uint64(r.address)
	sgl := make([]ndk.Sge, 0, r.n)
	for _, sge := range unsafe.Slice(r.sgl, r.n) {
		sgl = append(sgl, ndk.Sge{Buffer: memory(sge.address, C.size_t(sge.length)), MemoryRegionToken: ndk.Token(sge.token)})
	}
	switch ndk.OperationType(operation) {
	case ndk.NdkOperationTypeSend:
		return status(qp.NdkSend(context, sgl, flags))
	case ndk.NdkOperationTypeReceiveAndInvalidate:
		return status(qp.NdkSendAndInvalidate(context, sgl, flags, token))
	case ndk.NdkOperationTypeReceive:
		return status(qp.NdkReceive(context, sgl))
	case ndk.NdkOperationTypeRead:
		return status(qp.NdkRead(context, sgl, address, token, flags))
	default:
		return status(qp.NdkWrite(context, sgl, address, token, flags))
	}
}

// memory is a stretch of C's memory.
func memory(address unsafe.Pointer, length C.size_t) []byte {
	return unsafe.Slice((*byte)(address), length)
}
