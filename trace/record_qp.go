package trace

import (
	"strconv"

	"ndkoracle/ndk"
)

type recordedQp struct {
	adapter   *recordedAdapter
	inner     ndk.Qp
	id        string
	context   any                // the consumer's QPContext
	calls     [transfers]encoded // up to the request's number
	succeeded encoded            // what the result of a request that succeeded says after its wr
}

func (a *recordedAdapter) newRecordedQp(context any) *recordedQp {
	qp := &recordedQp{adapter: a, id: a.newId("qp"), context: context}
	for fn, name := range transferNames {
		qp.calls[fn] = encode(Event{Fn: name, Qp: qp.id}) + `,"wr":"w`
	}
	qp.succeeded = encoded(appendText(appendText(nil, "qp", qp.id), "status", ndk.STATUS_SUCCESS.String()))
	return qp
}

type qpView struct {
	*recordedQp
	thread *Thread
}

// transfer is a request that moves data, so one of those there are many of.
type transfer int

const (
	send transfer = iota
	sendAndInvalidate
	receive
	read
	write
	transfers
)

var transferNames = [transfers]string{"NdkSend", "NdkSendAndInvalidate", "NdkReceive", "NdkRead", "NdkWrite"}

// transferSucceeded is the return of each.
var transferSucceeded = func() (returns [transfers]encoded) {
	for fn, name := range transferNames {
		returns[fn] = encode(Event{Fn: name, Status: ndk.STATUS_SUCCESS.String()})
	}
	return returns
}()

// request is what the provider gets as RequestContext.
type request struct {
	number  uint64
	receive bool
	context any // the consumer's own
}

// wr is the id of a request.
func (r *request) wr() string { return "w" + strconv.FormatUint(r.number, 10) }

// unwrapQp is unwrapCq for a Qp.
func (a *recordedAdapter) unwrapQp(qp ndk.Qp) (ndk.Qp, string) {
	if view, ok := qp.(qpView); ok {
		return view.inner, view.id
	}
	return qp, a.newId("?")
}

// transfer records a request that moves data. inner posts it with a context that is the recorder's own.
func (v qpView) transfer(fn transfer, context any, sgl []ndk.Sge, flags ndk.OpFlags, token *ndk.Token,
	inner func(context any) ndk.Status) ndk.Status {
	r, op := v.beginTransfer(fn, context, sgl, flags, token)
	status := inner(r)
	if status == ndk.STATUS_SUCCESS {
		v.thread.endAs(Ret, op, transferSucceeded[fn])
	} else {
		v.thread.Ret(op, Event{Fn: transferNames[fn], Status: status.String()})
	}
	return status
}

func (v qpView) beginTransfer(fn transfer, context any, sgl []ndk.Sge, flags ndk.OpFlags, token *ndk.Token) (*request, Op) {
	made := request{number: v.adapter.posts.Add(1), receive: fn == receive, context: context}
	s := v.thread.open()
	if s == nil {
		return &request{made.number, made.receive, made.context}, 0
	}
	r := v.thread.requests.value(made)
	line := strconv.AppendUint(append(s.arguments, v.calls[fn]...), r.number, 10)
	line = append(line, '"')
	if flags != 0 {
		line = appendFlags(line, flags.Names())
	}
	line = appendUint32(line, "token", (*uint32)(token))
	s.arguments = strconv.AppendInt(append(line, `,"bytes":`...), length(sgl), 10)
	return r, v.thread.publish(s, Call, 0)
}

// post records any other request; call carries the arguments beyond qp, wr and flags.
func (v qpView) post(call Event, context any, flags ndk.OpFlags, inner func(context any) ndk.Status) ndk.Status {
	op, status := v.beginPost(call, context, flags, inner)
	v.thread.Ret(op, Event{Fn: call.Fn, Status: status.String()})
	return status
}

// beginPost is post without the return, for the calls that have more to tell on it.
func (v qpView) beginPost(call Event, context any, flags ndk.OpFlags,
	inner func(context any) ndk.Status) (Op, ndk.Status) {
	r := &request{number: v.adapter.posts.Add(1), context: context}
	call.Qp, call.Wr, call.Flags = v.id, r.wr(), flags.Names()
	op := v.thread.Call(call)
	return op, inner(r)
}

// length is the sum of the buffers' lengths.
func length(sgl []ndk.Sge) (n int64) {
	for i := range sgl {
		n += int64(len(sgl[i].Buffer))
	}
	return n
}

func (v qpView) NdkSend(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	return v.transfer(send, requestContext, sgl, flags, nil, func(context any) ndk.Status {
		return v.inner.NdkSend(context, sgl, flags)
	})
}

func (v qpView) NdkSendAndInvalidate(requestContext any, sgl []ndk.Sge, flags ndk.OpFlags,
	remoteToken ndk.Token) ndk.Status {
	return v.transfer(sendAndInvalidate, requestContext, sgl, flags, &remoteToken, func(context any) ndk.Status {
		return v.inner.NdkSendAndInvalidate(context, sgl, flags, remoteToken)
	})
}

func (v qpView) NdkReceive(requestContext any, sgl []ndk.Sge) ndk.Status {
	return v.transfer(receive, requestContext, sgl, 0, nil, func(context any) ndk.Status {
		return v.inner.NdkReceive(context, sgl)
	})
}

// NdkRead records the token only where the read invalidates it: it is the local one then.
func (v qpView) NdkRead(requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token,
	flags ndk.OpFlags) ndk.Status {
	var token *ndk.Token
	if flags.Has(ndk.NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) && len(sgl) > 0 {
		token = &sgl[0].MemoryRegionToken
	}
	return v.transfer(read, requestContext, sgl, flags, token, func(context any) ndk.Status {
		return v.inner.NdkRead(context, sgl, remoteAddress, remoteToken, flags)
	})
}

func (v qpView) NdkWrite(requestContext any, sgl []ndk.Sge, remoteAddress uint64, remoteToken ndk.Token,
	flags ndk.OpFlags) ndk.Status {
	return v.transfer(write, requestContext, sgl, flags, nil, func(context any) ndk.Status {
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

func (v qpView) NdkFlush() {
	op := v.thread.Call(Event{Fn: "NdkFlush", Qp: v.id})
	v.inner.NdkFlush()
	v.thread.Ret(op, Event{Fn: "NdkFlush"})
}

func (v qpView) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkCloseQp", Qp: v.id}, v.inner.NdkCloseQp, completion)
}
