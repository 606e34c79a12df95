package trace

import "ndkoracle/ndk"

type recordedCq struct {
	adapter *recordedAdapter
	inner   ndk.Cq
	id      string
}

type cqView struct {
	*recordedCq
	thread *Thread
}

// unwrapCq returns the provider's own object and its id. A Cq that is not of this recording goes through as it is.
func (a *recordedAdapter) unwrapCq(cq ndk.Cq) (ndk.Cq, string) {
	if view, ok := cq.(cqView); ok {
		return view.inner, view.id
	}
	return cq, a.newId("?")
}

func (v cqView) NdkArmCq(notifyType ndk.NotifyType) {
	op := v.thread.Call(Event{Fn: "NdkArmCq", Cq: v.id, Type: notifyType.String()})
	v.inner.NdkArmCq(notifyType)
	v.thread.Ret(op, Event{Fn: "NdkArmCq"})
}

func (v cqView) NdkGetCqResults(results []ndk.Result) int {
	room := int64(len(results))
	op := v.thread.Call(Event{Fn: "NdkGetCqResults", Cq: v.id, N: &room})
	n := v.inner.NdkGetCqResults(results)
	recorded := make([]Result, min(max(n, 0), len(results)))
	for i := range recorded {
		recorded[i] = v.adapter.result(&results[i])
	}
	v.thread.Ret(op, Event{Fn: "NdkGetCqResults", Results: recorded})
	return n
}

func (v cqView) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	room := int64(len(results))
	op := v.thread.Call(Event{Fn: "NdkGetCqResultsEx", Cq: v.id, N: &room})
	n := v.inner.NdkGetCqResultsEx(results)
	recorded := make([]Result, min(max(n, 0), len(results)))
	for i := range recorded {
		ex := &results[i]
		recorded[i] = v.adapter.result(&ex.Result)
		recorded[i].Type = ex.Type.String()
		if ex.Type == ndk.NdkOperationTypeReceiveAndInvalidate {
			token := uint32(ex.TypeSpecificCompletionOutput)
			recorded[i].Token = &token
		}
		if ex.ProviderErrorCode != 0 {
			recorded[i].ProviderError = &ex.ProviderErrorCode
		}
	}
	v.thread.Ret(op, Event{Fn: "NdkGetCqResultsEx", Results: recorded})
	return n
}

// result returns what a trace tells of a completion, and puts the consumer's own contexts back into it. A context that
// this recording never gave out stays as it is, and is recorded under an id that no request has.
func (a *recordedAdapter) result(r *ndk.Result) Result {
	recorded := Result{Status: r.Status.String()}
	receive := false
	if request, ok := r.RequestContext.(*request); ok {
		recorded.Wr, receive = request.wr, request.receive
		r.RequestContext = request.context
	} else {
		recorded.Wr = a.newId("?")
	}
	if qp, ok := r.QPContext.(*recordedQp); ok {
		recorded.Qp = qp.id
		r.QPContext = qp.context
	} else {
		recorded.Qp = a.newId("?")
	}
	if receive {
		bytes := int64(r.BytesTransferred)
		recorded.Bytes = &bytes
	}
	return recorded
}

func (v cqView) NdkCloseCq(completion ndk.NdkCloseCompletion) ndk.Status {
	return v.adapter.closing(v.thread, Event{Fn: "NdkCloseCq", Cq: v.id}, v.inner.NdkCloseCq, completion)
}

// recordedNotification stands between the provider and the consumer's CqNotification.
type recordedNotification struct {
	cq       *recordedCq
	consumer ndk.CqNotification
}

// Enter records enter at the provider's own moment; the function that it returns runs the consumer's callback, with a
// view of the CQ on the callback's own thread, and records exit. Callbacks that a faulty provider lets overlap get a
// thread each.
func (n recordedNotification) Enter(_ ndk.Cq, cqStatus ndk.Status) func() {
	recorder := n.cq.adapter.recorder
	own := recorder.callbackThread()
	op := own.Enter(Event{Fn: "NdkCqNotificationCallback", Cq: n.cq.id, Status: cqStatus.String()})
	callback := n.consumer.Enter(cqView{n.cq, own}, cqStatus)
	return func() {
		if callback != nil {
			callback()
		}
		own.Exit(op, Event{Fn: "NdkCqNotificationCallback"})
		recorder.giveBack(own)
	}
}
