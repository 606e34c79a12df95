package trace

import (
	"strconv"

	"ndkoracle/ndk"
)

type recordedCq struct {
	adapter  *recordedAdapter
	inner    ndk.Cq
	id       string
	arms     [notifyTypes]encoded
	polls    [2]encoded // up to the room
	notified encoded    // with success
}

func (a *recordedAdapter) newRecordedCq() *recordedCq {
	cq := &recordedCq{adapter: a, id: a.newId("cq")}
	cq.notified = encode(Event{Fn: notificationCallback, Cq: cq.id, Status: ndk.STATUS_SUCCESS.String()})
	for t := range cq.arms {
		cq.arms[t] = encode(Event{Fn: "NdkArmCq", Cq: cq.id, Type: ndk.NotifyType(t).String()})
	}
	for p, name := range pollNames {
		cq.polls[p] = encode(Event{Fn: name, Cq: cq.id}) + `,"n":`
	}
	return cq
}

const (
	notificationCallback = "NdkCqNotificationCallback"
	notifyTypes          = ndk.NDK_CQ_NOTIFY_SOLICITED + 1
)

var (
	armed         = encode(Event{Fn: "NdkArmCq"})
	notifiedExits = encode(Event{Fn: notificationCallback})
)

// poll is one of the two functions that poll.
type poll int

const (
	getCqResults poll = iota
	getCqResultsEx
)

var pollNames = [...]string{"NdkGetCqResults", "NdkGetCqResultsEx"}

// polled is the return of each, up to the results.
var polled = [...]encoded{encode(Event{Fn: pollNames[0]}) + `,"results":[`, encode(Event{Fn: pollNames[1]}) + `,"results":[`}

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
	var op Op
	if notifyType < notifyTypes {
		op = v.thread.beginAs(Call, v.arms[notifyType])
	} else {
		op = v.thread.Call(Event{Fn: "NdkArmCq", Cq: v.id, Type: notifyType.String()})
	}
	v.inner.NdkArmCq(notifyType)
	v.thread.endAs(Ret, op, armed)
}

func (v cqView) beginPoll(p poll, room int) Op {
	s := v.thread.open()
	if s == nil {
		return 0
	}
	s.arguments = strconv.AppendInt(append(s.arguments, v.polls[p]...), int64(room), 10)
	return v.thread.publish(s, Call, 0)
}

func (v cqView) NdkGetCqResults(results []ndk.Result) int {
	op := v.beginPoll(getCqResults, len(results))
	n := v.inner.NdkGetCqResults(results)
	delivered := results[:min(max(n, 0), len(results))]
	if s := v.thread.openEnd(op); s != nil {
		line := append(s.arguments, polled[getCqResults]...)
		for i := range delivered {
			line = append(v.adapter.appendCompletion(line, i, &delivered[i]), '}')
		}
		s.arguments = append(line, ']')
		v.thread.publish(s, Ret, op)
	}
	for i := range delivered {
		restoreContexts(&delivered[i])
	}
	return n
}

func (v cqView) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	op := v.beginPoll(getCqResultsEx, len(results))
	n := v.inner.NdkGetCqResultsEx(results)
	delivered := results[:min(max(n, 0), len(results))]
	if s := v.thread.openEnd(op); s != nil {
		line := append(s.arguments, polled[getCqResultsEx]...)
		for i := range delivered {
			ex := &delivered[i]
			line = appendText(v.adapter.appendCompletion(line, i, &ex.Result), "type", ex.Type.String())
			if ex.Type == ndk.NdkOperationTypeReceiveAndInvalidate {
				token := uint32(ex.TypeSpecificCompletionOutput)
				line = appendUint32(line, "token", &token)
			}
			if ex.ProviderErrorCode != 0 {
				line = appendUint32(line, "provider_error", &ex.ProviderErrorCode)
			}
			line = append(line, '}')
		}
		s.arguments = append(line, ']')
		v.thread.publish(s, Ret, op)
	}
	for i := range delivered {
		restoreContexts(&delivered[i].Result)
	}
	return n
}

// appendCompletion appends what a trace tells of the i-th completion of a poll, without the end of its object. A context
// that this recording never gave out is recorded under an id that no request has.
func (a *recordedAdapter) appendCompletion(line []byte, i int, r *ndk.Result) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	posted, known := r.RequestContext.(*request)
	if known {
		line = append(strconv.AppendUint(append(line, `{"wr":"w`...), posted.number, 10), '"')
	} else {
		line = appendString(append(line, `{"wr":`...), a.newId("?"))
	}
	switch qp, ok := r.QPContext.(*recordedQp); {
	case ok && r.Status == ndk.STATUS_SUCCESS:
		line = append(line, qp.succeeded...)
	case ok:
		line = appendText(appendText(line, "qp", qp.id), "status", r.Status.String())
	default:
		line = appendText(appendText(line, "qp", a.newId("?")), "status", r.Status.String())
	}
	if known && posted.receive {
		line = strconv.AppendUint(append(line, `,"bytes":`...), uint64(r.BytesTransferred), 10)
	}
	return line
}

// restoreContexts puts the consumer's own contexts back into a completion. One that this recording never gave out stays
// as it is.
func restoreContexts(r *ndk.Result) {
	if posted, ok := r.RequestContext.(*request); ok {
		r.RequestContext = posted.context
	}
	if qp, ok := r.QPContext.(*recordedQp); ok {
		r.QPContext = qp.context
	}
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
	var op Op
	if cqStatus == ndk.STATUS_SUCCESS {
		op = own.beginAs(Enter, n.cq.notified)
	} else {
		op = own.Enter(Event{Fn: notificationCallback, Cq: n.cq.id, Status: cqStatus.String()})
	}
	callback := n.consumer.Enter(cqView{n.cq, own}, cqStatus)
	return func() {
		if callback != nil {
			callback()
		}
		own.endAs(Exit, op, notifiedExits)
		recorder.giveBack(own)
	}
}
