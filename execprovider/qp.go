package execprovider

import "ndkoracle/ndk"

type qp struct {
	adapter *Adapter
	id      string
	context any
}

// request is one that was posted.
type request struct {
	context any
	qp      string
}

// post names a request, and posts it.
func (q *qp) post(method string, context any, p params) ndk.Status {
	a := q.adapter
	wr := a.newID("w")
	p["qp"], p["wr"] = q.id, wr
	a.mu.Lock()
	a.requests[wr] = &request{context, q.id}
	a.mu.Unlock()
	return a.status(method, p)
}

func (q *qp) NdkSend(context any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkSend", context, params{"sgl": sglOf(sgl)}.withFlags(sgl, flags))
}

func (q *qp) NdkSendAndInvalidate(context any, sgl []ndk.Sge, flags ndk.OpFlags, token ndk.Token) ndk.Status {
	return q.post("NdkSendAndInvalidate", context, params{"sgl": sglOf(sgl), "token": token}.withFlags(sgl, flags))
}

func (q *qp) NdkReceive(context any, sgl []ndk.Sge) ndk.Status {
	return q.post("NdkReceive", context, params{"sgl": sglOf(sgl)})
}

func (q *qp) NdkRead(context any, sgl []ndk.Sge, address uint64, token ndk.Token, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkRead", context, params{"sgl": sglOf(sgl), "remote_address": address, "remote_token": token}.withFlags(sgl, flags))
}

func (q *qp) NdkWrite(context any, sgl []ndk.Sge, address uint64, token ndk.Token, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkWrite", context, params{"sgl": sglOf(sgl), "remote_address": address, "remote_token": token}.withFlags(sgl, flags))
}

func (q *qp) NdkFastRegister(context any, m ndk.Mr, buffer []byte, flags ndk.OpFlags) ndk.Status {
	own, known := m.(*mr)
	if !known {
		return ndk.STATUS_INVALID_PARAMETER
	}
	q.adapter.memory.register(buffer)
	address, length := ndk.VirtualAddress(buffer), len(buffer)
	return q.post("NdkFastRegister", context, params{"mr": own.id, "address": address, "length": length}.withFlags(nil, flags))
}

func (q *qp) NdkBind(context any, m ndk.Mr, w ndk.Mw, buffer []byte, flags ndk.OpFlags) ndk.Status {
	region, known := m.(*mr)
	window, both := w.(*mw)
	if !known || !both {
		return ndk.STATUS_INVALID_PARAMETER
	}
	address, length := ndk.VirtualAddress(buffer), len(buffer)
	return q.post("NdkBind", context, params{"mr": region.id, "mw": window.id, "address": address, "length": length}.withFlags(nil, flags))
}

func (q *qp) NdkInvalidate(context any, object ndk.MrOrMw, flags ndk.OpFlags) ndk.Status {
	p := params{}.withFlags(nil, flags)
	switch o := object.(type) {
	case *mr:
		p["mr"] = o.id
	case *mw:
		p["mw"] = o.id
	default:
		return ndk.STATUS_INVALID_PARAMETER
	}
	return q.post("NdkInvalidate", context, p)
}

func (q *qp) NdkFlush() {
	var nothing struct{}
	q.adapter.ask("NdkFlush", params{"qp": q.id}, &nothing)
}

func (q *qp) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status {
	return q.adapter.closing("NdkCloseQp", q.id, params{"qp": q.id}, completion)
}
