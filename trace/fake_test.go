package trace

import "ndkoracle/ndk"

// fakeAdapter is a provider small enough to see through: a posted request completes at once in the initiator CQ, an
// armed CQ notifies in the call that completes, and closing is always pending. Its fields make it faulty.
type fakeAdapter struct {
	refuse      ndk.Status    // what posts return, when not STATUS_SUCCESS
	result      *ndk.ResultEx // what posts complete with, instead of the truth
	overlapping bool          // callbacks of one CQ overlap: entered at once, run by finish
	finish      []func()
	qps         map[string]ndk.Qp // offered or joined, by address
	unjoined    bool              // NdkConnect fails
}

func (a *fakeAdapter) NdkQueryAdapterInfo() ndk.AdapterInfo { return ndk.AdapterInfo{MaxCqDepth: 7} }

func (a *fakeAdapter) NdkCreatePd() (ndk.Pd, ndk.Status) { return &fakePd{a}, ndk.STATUS_SUCCESS }

func (a *fakeAdapter) NdkCreateCq(depth uint32, notification ndk.CqNotification) (ndk.Cq, ndk.Status) {
	if depth == 0 {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	return &fakeCq{adapter: a, notification: notification}, ndk.STATUS_SUCCESS
}

func (a *fakeAdapter) NdkConnect(qp ndk.Qp, address string) ndk.Status {
	if a.unjoined {
		return ndk.STATUS_CONNECTION_REFUSED
	}
	return a.join(qp, address)
}

func (a *fakeAdapter) NdkAccept(qp ndk.Qp, address string) ndk.Status { return a.join(qp, address) }

func (a *fakeAdapter) join(qp ndk.Qp, address string) ndk.Status {
	a.qps[address] = qp.(*fakeQp)
	return ndk.STATUS_SUCCESS
}

func (a *fakeAdapter) NdkCloseAdapter() {}

type fakePd struct{ adapter *fakeAdapter }

func (p *fakePd) NdkCreateMr(bool) (ndk.Mr, ndk.Status) { return &fakeMr{}, ndk.STATUS_SUCCESS }
func (p *fakePd) NdkCreateMw() (ndk.Mw, ndk.Status)     { return &fakeMw{}, ndk.STATUS_SUCCESS }

func (p *fakePd) NdkCreateQp(attributes ndk.QpAttributes) (ndk.Qp, ndk.Status) {
	if attributes.InitiatorCq == nil {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	cq := attributes.InitiatorCq.(*fakeCq) // panics where a view was not unwrapped
	_ = attributes.ReceiveCq.(*fakeCq)
	return &fakeQp{p.adapter, cq, attributes.QPContext}, ndk.STATUS_SUCCESS
}

func (p *fakePd) NdkClosePd(completion ndk.NdkCloseCompletion) ndk.Status { return pending(completion) }

func pending(completion ndk.NdkCloseCompletion) ndk.Status {
	completion()
	return ndk.STATUS_PENDING
}

type fakeCq struct {
	adapter      *fakeAdapter
	notification ndk.CqNotification
	armed        bool
	results      []ndk.ResultEx
}

func (c *fakeCq) place(r ndk.ResultEx) {
	c.results = append(c.results, r)
	if !c.armed {
		return
	}
	callback := c.notification.Enter(c, ndk.STATUS_SUCCESS)
	if c.adapter.overlapping {
		c.adapter.finish = append(c.adapter.finish, callback)
		return
	}
	c.armed = false
	callback()
}

func (c *fakeCq) NdkArmCq(ndk.NotifyType) { c.armed = true }

func (c *fakeCq) NdkGetCqResults(results []ndk.Result) int {
	n := min(len(results), len(c.results))
	for i := range n {
		results[i] = c.results[i].Result
	}
	c.results = c.results[n:]
	return n
}

func (c *fakeCq) NdkGetCqResultsEx(results []ndk.ResultEx) int {
	n := copy(results, c.results)
	c.results = c.results[n:]
	return n
}

func (c *fakeCq) NdkCloseCq(completion ndk.NdkCloseCompletion) ndk.Status { return pending(completion) }

type fakeQp struct {
	adapter *fakeAdapter
	cq      *fakeCq
	context any
}

func (q *fakeQp) post(requestContext any, t ndk.OperationType) ndk.Status {
	if q.adapter.refuse != ndk.STATUS_SUCCESS {
		return q.adapter.refuse
	}
	result := ndk.ResultEx{Result: ndk.Result{QPContext: q.context, RequestContext: requestContext, BytesTransferred: 3}, Type: t}
	if q.adapter.result != nil {
		result = *q.adapter.result
	}
	q.cq.place(result)
	return ndk.STATUS_SUCCESS
}

func (q *fakeQp) NdkSend(c any, _ []ndk.Sge, _ ndk.OpFlags) ndk.Status {
	return q.post(c, ndk.NdkOperationTypeSend)
}

func (q *fakeQp) NdkSendAndInvalidate(c any, _ []ndk.Sge, _ ndk.OpFlags, _ ndk.Token) ndk.Status {
	return q.post(c, ndk.NdkOperationTypeSend)
}

func (q *fakeQp) NdkReceive(c any, _ []ndk.Sge) ndk.Status {
	return q.post(c, ndk.NdkOperationTypeReceive)
}

func (q *fakeQp) NdkRead(c any, _ []ndk.Sge, _ uint64, _ ndk.Token, _ ndk.OpFlags) ndk.Status {
	return q.post(c, ndk.NdkOperationTypeRead)
}

func (q *fakeQp) NdkWrite(c any, _ []ndk.Sge, _ uint64, _ ndk.Token, _ ndk.OpFlags) ndk.Status {
	return q.post(c, ndk.NdkOperationTypeWrite)
}

func (q *fakeQp) NdkFastRegister(c any, mr ndk.Mr, _ []byte, _ ndk.OpFlags) ndk.Status {
	mr.(*fakeMr).token = 0x10
	return q.post(c, ndk.NdkOperationTypeFastRegister)
}

func (q *fakeQp) NdkBind(c any, mr ndk.Mr, mw ndk.Mw, _ []byte, _ ndk.OpFlags) ndk.Status {
	_ = mr.(*fakeMr)
	mw.(*fakeMw).token = 0x20
	return q.post(c, ndk.NdkOperationTypeBind)
}

func (q *fakeQp) NdkInvalidate(c any, object ndk.MrOrMw, _ ndk.OpFlags) ndk.Status {
	switch o := object.(type) {
	case *fakeMr:
		o.token = 0
	case *fakeMw:
		o.token = 0
	default:
		return ndk.STATUS_INVALID_PARAMETER
	}
	return q.post(c, ndk.NdkOperationTypeInvalidate)
}

func (q *fakeQp) NdkFlush() {}

func (q *fakeQp) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status { return pending(completion) }

type fakeMr struct{ token ndk.Token }

func (m *fakeMr) RemoteToken() ndk.Token                                  { return m.token }
func (m *fakeMr) NdkRegisterMr([]byte, ndk.OpFlags) ndk.Status            { return ndk.STATUS_SUCCESS }
func (m *fakeMr) NdkGetLocalTokenFromMr() ndk.Token                       { return m.token + 1 }
func (m *fakeMr) NdkCloseMr(completion ndk.NdkCloseCompletion) ndk.Status { return pending(completion) }

type fakeMw struct{ token ndk.Token }

func (m *fakeMw) RemoteToken() ndk.Token                                  { return m.token }
func (m *fakeMw) NdkCloseMw(completion ndk.NdkCloseCompletion) ndk.Status { return pending(completion) }
