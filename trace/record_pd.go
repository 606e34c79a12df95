package trace

import "ndkoracle/ndk"

type recordedPd struct {
	adapter *recordedAdapter
	inner   ndk.Pd
	id      string
}

type pdView struct {
	*recordedPd
	thread *Thread
}

type recordedMr struct {
	adapter *recordedAdapter
	inner   ndk.Mr
	id      string
}

type mrView struct {
	*recordedMr
	thread *Thread
}

type recordedMw struct {
	adapter *recordedAdapter
	inner   ndk.Mw
	id      string
}

type mwView struct {
	*recordedMw
	thread *Thread
}

// unwrapMr is unwrapCq for an Mr.
func (a *recordedAdapter) unwrapMr(mr ndk.Mr) (ndk.Mr, string) {
	if view, ok := mr.(mrView); ok {
		return view.inner, view.id
	}
	return mr, a.newId("?")
}

// unwrapMw is unwrapCq for an Mw.
func (a *recordedAdapter) unwrapMw(mw ndk.Mw) (ndk.Mw, string) {
	if view, ok := mw.(mwView); ok {
		return view.inner, view.id
	}
	return mw, a.newId("?")
}

func (v pdView) NdkCreateMr(fastRegister bool) (ndk.Mr, ndk.Status) {
	id := v.adapter.newId("mr")
	op := v.thread.Call(Event{Fn: "NdkCreateMr", Mr: id, Pd: v.id})
	inner, status := v.inner.NdkCreateMr(fastRegister)
	v.thread.Ret(op, Event{Fn: "NdkCreateMr", Status: status.String()})
	if inner == nil {
		return nil, status
	}
	return mrView{&recordedMr{v.adapter, inner, id}, v.thread}, status
}

func (v pdView) NdkCreateMw() (ndk.Mw, ndk.Status) {
	id := v.adapter.newId("mw")
	op := v.thread.Call(Event{Fn: "NdkCreateMw", Mw: id, Pd: v.id})
	inner, status := v.inner.NdkCreateMw()
	v.thread.Ret(op, Event{Fn: "NdkCreateMw", Status: status.String()})
	if inner == nil {
		return nil, status
	}
	return mwView{&recordedMw{v.adapter, inner, id}, v.thread}, status
}

func (v pdView) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	qp := v.adapter.newRecordedQp(attributes.QPContext)
	call := Event{Fn: "NdkCreateQp", Qp: qp.id, Pd: v.id}
	attributes.QPContext = qp
	attributes.ReceiveCq, call.ReceiveCq = v.adapter.unwrapCq(attributes.ReceiveCq)
	attributes.InitiatorCq, call.InitiatorCq = v.adapter.unwrapCq(attributes.InitiatorCq)
	receiveDepth, initiatorDepth := int64(attributes.ReceiveQueueDepth), int64(attributes.InitiatorQueueDepth)
	inline := int64(attributes.InlineDataSize)
	call.ReceiveDepth, call.InitiatorDepth, call.Inline = &receiveDepth, &initiatorDepth, &inline

	op := v.thread.Call(call)
	inner, status := v.inner.NdkCreateQp(attributes)
	v.thread.Ret(op, Event{Fn: "NdkCreateQp", Status: status.String()})
	if inner == nil {
		return nil, status
	}
	qp.inner = inner
	return qpView{qp, v.thread}, status
}

func (v pdView) NdkClosePd(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkClosePd", Pd: v.id}, v.inner.NdkClosePd, completion)
}

func (v mrView) NdkRegisterMr(buffer []byte, flags ndk.OpFlags) ndk.Status {
	size := int64(len(buffer))
	op := v.thread.Call(Event{Fn: "NdkRegisterMr", Mr: v.id, Flags: flags.Names(), Length: &size})
	status := v.inner.NdkRegisterMr(buffer, flags)
	v.thread.Ret(op, Event{Fn: "NdkRegisterMr", Status: status.String()})
	return status
}

func (v mrView) NdkGetLocalTokenFromMr() ndk.Token {
	op := v.thread.Call(Event{Fn: "NdkGetLocalTokenFromMr", Mr: v.id})
	token := v.inner.NdkGetLocalTokenFromMr()
	v.thread.Ret(op, Event{Fn: "NdkGetLocalTokenFromMr", Token: (*uint32)(&token)})
	return token
}

// RemoteToken is recorded as NdkGetRemoteTokenFromMr.
func (v mrView) RemoteToken() ndk.Token {
	op := v.thread.Call(Event{Fn: "NdkGetRemoteTokenFromMr", Mr: v.id})
	token := v.inner.RemoteToken()
	v.thread.Ret(op, Event{Fn: "NdkGetRemoteTokenFromMr", Token: (*uint32)(&token)})
	return token
}

func (v mrView) NdkCloseMr(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkCloseMr", Mr: v.id}, v.inner.NdkCloseMr, completion)
}

// RemoteToken is recorded as NdkGetRemoteTokenFromMw.
func (v mwView) RemoteToken() ndk.Token {
	op := v.thread.Call(Event{Fn: "NdkGetRemoteTokenFromMw", Mw: v.id})
	token := v.inner.RemoteToken()
	v.thread.Ret(op, Event{Fn: "NdkGetRemoteTokenFromMw", Token: (*uint32)(&token)})
	return token
}

func (v mwView) NdkCloseMw(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkCloseMw", Mw: v.id}, v.inner.NdkCloseMw, completion)
}
