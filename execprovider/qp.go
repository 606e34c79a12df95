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
	p.Qp, p.Wr = q.id, a.newID("w")
	a.mu.Lock()
	a.requests[p.Wr] = &request{context, q.id}
	a.mu.Unlock()
	return a.status(method, p)
}

// dataOf returns what a request carries inline, so that its memory is free when the call returns (FLAG-07). More than the QP takes is for the program to
// refuse.
func dataOf(sgl []ndk.Sge, flags ndk.OpFlags) []byte {
	if !flags.Has(ndk.NDK_OP_FLAG_INLINE) {
		return nil
	}
	data := []byte{}
	for _, s := range sgl {
		data = append(data, s.Buffer...)
	}
	return data
}

func (q *qp) NdkSend(context any, sgl []ndk.Sge, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkSend", context, params{Sgl: sglOf(sgl), Data: dataOf(sgl, flags), Flags: flags.Names()})
}

func (q *qp) NdkSendAndInvalidate(context any, sgl []ndk.Sge, flags ndk.OpFlags, token ndk.Token) ndk.Status {
	return q.post("NdkSendAndInvalidate", context, params{Sgl: sglOf(sgl), Data: dataOf(sgl, flags), Flags: flags.Names(), Token: &token})
}

func (q *qp) NdkReceive(context any, sgl []ndk.Sge) ndk.Status {
	return q.post("NdkReceive", context, params{Sgl: sglOf(sgl)})
}

func (q *qp) NdkRead(context any, sgl []ndk.Sge, address uint64, token ndk.Token, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkRead", context, params{Sgl: sglOf(sgl), RemoteAddress: &address, RemoteToken: &token, Flags: flags.Names()})
}

func (q *qp) NdkWrite(context any, sgl []ndk.Sge, address uint64, token ndk.Token, flags ndk.OpFlags) ndk.Status {
	return q.post("NdkWrite", context, params{Sgl: sglOf(sgl), Data: dataOf(sgl, flags), RemoteAddress: &address, RemoteToken: &token, Flags: flags.Names()})
}

func (q *qp) NdkFastRegister(context any, m ndk.Mr, buffer []byte, flags ndk.OpFlags) ndk.Status {
	own, known := m.(*mr)
	if !known {
		return ndk.STATUS_INVALID_PARAMETER
	}
	q.adapter.memory.register(buffer)
	address, length := ndk.VirtualAddress(buffer), len(buffer)
	return q.post("NdkFastRegister", context, params{Mr: own.id, Address: &address, Length: &length, Flags: flags.Names()})
}

func (q *qp) NdkBind(context any, m ndk.Mr, w ndk.Mw, buffer []byte, flags ndk.OpFlags) ndk.Status {
	region, known := m.(*mr)
	window, both := w.(*mw)
	if !known || !both {
		return ndk.STATUS_INVALID_PARAMETER
	}
	address, length := ndk.VirtualAddress(buffer), len(buffer)
	return q.post("NdkBind", context, params{Mr: region.id, Mw: window.id, Address: &address, Length: &length, Flags: flags.Names()})
}

func (q *qp) NdkInvalidate(context any, object ndk.MrOrMw, flags ndk.OpFlags) ndk.Status {
	p := params{Flags: flags.Names()}
	switch o := object.(type) {
	case *mr:
		p.Mr = o.id
	case *mw:
		p.Mw = o.id
	default:
		return ndk.STATUS_INVALID_PARAMETER
	}
	return q.post("NdkInvalidate", context, p)
}

func (q *qp) NdkFlush() {
	var nothing struct{}
	q.adapter.ask("NdkFlush", params{Qp: q.id}, &nothing)
}

func (q *qp) NdkCloseQp(completion ndk.NdkCloseCompletion) ndk.Status {
	return q.adapter.closing("NdkCloseQp", q.id, params{Qp: q.id}, completion)
}
