package trace

import (
	"strconv"

	"ndkoracle/ndk"
)

type recordedQp struct {
	adapter *recordedAdapter
	inner   ndk.Qp
	id      string
	context any // the consumer's QPContext
}

type qpView struct {
	*recordedQp
	thread *Thread
}

// request is what the provider gets as RequestContext.
type request struct {
	wr      string
	receive bool
	context any // the consumer's own
}

// unwrapQp is unwrapCq for a Qp.
func (a *recordedAdapter) unwrapQp(qp ndk.Qp) (ndk.Qp, string) {
	if view, ok := qp.(qpView); ok {
		return view.inner, view.id
	}
	return qp, a.newId("?")
}

// post records a request; call carries the arguments beyond qp, wr and flags.
func (v qpView) post(call Event, context any, flags ndk.OpFlags, inner func(context any) ndk.Status) ndk.Status {
	op, status := v.beginPost(call, context, flags, inner)
	v.thread.Ret(op, Event{Fn: call.Fn, Status: status.String()})
	return status
}

// beginPost is post without the return, for the calls that have more to tell on it.
func (v qpView) beginPost(call Event, context any, flags ndk.OpFlags,
	inner func(context any) ndk.Status) (Op, ndk.Status) {
	wr := "w" + strconv.FormatUint(v.adapter.posts.Add(1), 10)
	r := &request{wr: wr, receive: call.Fn == "NdkReceive", context: context}
	call.Qp, call.Wr, call.Flags = v.id, r.wr, flags.Names()
	op := v.thread.Call(call)
	return op, inner(r)
}

// length is the sum of the buffers' lengths.
func length(sgl []ndk.Sge) *int64 {
	var n int64
	for i := range sgl {
		n += int64(len(sgl[i].Buffer))
	}
	return &n
}

func (v qpView) NdkSend(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	return v.post(Event{Fn: "NdkSend", Bytes: length(sgl)}, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkSend(context, sgl, flags)
	})
}

func (v qpView) NdkSendAndInvalidate(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags,
	remoteToken ndk.Token) ndk.Status {
	call := Event{Fn: "NdkSendAndInvalidate", Bytes: length(sgl), Token: (*uint32)(&remoteToken)}
	return v.post(call, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkSendAndInvalidate(context, sgl, flags, remoteToken)
	})
}

func (v qpView) NdkReceive(requestContext any, sgl []ndk.Sge) ndk.Status {
	return v.post(Event{Fn: "NdkReceive", Bytes: length(sgl)}, requestContext, 0, func(context any) ndk.Status {
		return v.inner.NdkReceive(context, sgl)
	})
}

// NdkRead records the token only where the read invalidates it: it is the local one then.
func (v qpView) NdkRead(requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token,
	flags ndk.OpFlags) ndk.Status {
	call := Event{Fn: "NdkRead", Bytes: length(sgl)}
	if flags.Has(ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) && len(sgl) > 0 {
		call.Token = (*uint32)(&sgl[0].MemoryRegionToken)
	}
	return v.post(call, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkRead(context, sgl, remoteAddress, remoteToken, flags)
	})
}

func (v qpView) NdkWrite(requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token,
	flags ndk.OpFlags) ndk.Status {
	return v.post(Event{Fn: "NdkWrite", Bytes: length(sgl)}, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkWrite(context, sgl, remoteAddress, remoteToken, flags)
	})
}

func (v qpView) NdkFastRegister(requestContext any, mr ndk.Mr, buffer []byte, flags ndk.OpFlags) ndk.Status {
	inner, id := v.adapter.unwrapMr(mr)
	size := int64(len(buffer))
	call := Event{Fn: "NdkFastRegister", Mr: id, Bytes: &size}
	op, status := v.beginPost(call, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkFastRegister(context, inner, buffer, flags)
	})
	v.retWithToken(op, call.Fn, status, inner)
	return status
}

func (v qpView) NdkBind(requestContext any, mr ndk.Mr, mw ndk.Mw, buffer []byte, flags ndk.OpFlags) ndk.Status {
	innerMr, mrId := v.adapter.unwrapMr(mr)
	innerMw, mwId := v.adapter.unwrapMw(mw)
	size := int64(len(buffer))
	call := Event{Fn: "NdkBind", Mr: mrId, Mw: mwId, Bytes: &size}
	op, status := v.beginPost(call, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkBind(context, innerMr, innerMw, buffer, flags)
	})
	v.retWithToken(op, call.Fn, status, innerMw)
	return status
}

// retWithToken records a return after which the object's new token can be read (MEM-05, MEM-17).
func (v qpView) retWithToken(op Op, fn string, status ndk.Status, object ndk.MrOrMw) {
	ret := Event{Fn: fn, Status: status.String()}
	if status == ndk.STATUS_SUCCESS && object != nil {
		token := object.RemoteToken()
		ret.Token = (*uint32)(&token)
	}
	v.thread.Ret(op, ret)
}

// NdkInvalidate records the token on the call: by the time it returns, the token may be another one.
func (v qpView) NdkInvalidate(requestContext any, object ndk.MrOrMw, flags ndk.OpFlags) ndk.Status {
	call := Event{Fn: "NdkInvalidate"}
	switch o := object.(type) {
	case mrView:
		object, call.Mr = o.inner, o.id
	case mwView:
		object, call.Mw = o.inner, o.id
	default:
		call.Mr = v.adapter.newId("?")
	}
	if object != nil {
		token := object.RemoteToken()
		call.Token = (*uint32)(&token)
	}
	return v.post(call, requestContext, flags, func(context any) ndk.Status {
		return v.inner.NdkInvalidate(context, object, flags)
	})
}

func (v qpView) NdkFlush() ndk.Status {
	op := v.thread.Call(Event{Fn: "NdkFlush", Qp: v.id})
	status := v.inner.NdkFlush()
	v.thread.Ret(op, Event{Fn: "NdkFlush", Status: status.String()})
	return status
}

func (v qpView) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkCloseQp", Qp: v.id}, v.inner.NdkCloseQp, completion)
}
