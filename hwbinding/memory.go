package hwbinding

import (
	"runtime"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

type pd struct {
	object
	dev devicePD
}

// NdkCreatePd returns STATUS_INVALID_PARAMETER on a closed adapter.
func (a *adapter) NdkCreatePd() (ndk.Pd, ndk.Status) {
	a.lock()
	defer a.unlock()
	if a.closed {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	dev, err := a.dev.AllocPD()
	if err != nil {
		a.note(err)
		return nil, refusalOf(err)
	}
	p := &pd{a.newObject(), dev}
	p.onClosed = func() { a.note(p.dev.Dealloc()) }
	a.objects[&p.object] = struct{}{}
	return p, ndk.STATUS_SUCCESS
}

// NdkClosePd is pending while an object of the PD is open (LIFE-04).
func (p *pd) NdkClosePd(completion ndk.NdkCloseCompletion) ndk.Status { return p.close(completion) }

const (
	remoteAccess      = ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ | ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE
	registrationFlags = remoteAccess | ndk.NDK_OP_FLAG_RDMA_READ_SINK
)

// accessOf maps the flags of a registration to those of verbs, where a read needs a sink that it may write to.
func accessOf(flags ndk.OpFlags) verbs.Access {
	var access verbs.Access
	if flags&(ndk.NDK_OP_FLAG_ALLOW_LOCAL_WRITE|ndk.NDK_OP_FLAG_RDMA_READ_SINK) != 0 {
		access |= verbs.IBV_ACCESS_LOCAL_WRITE
	}
	if flags.Has(ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE) {
		access |= verbs.IBV_ACCESS_REMOTE_WRITE
	}
	if flags.Has(ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ) {
		access |= verbs.IBV_ACCESS_REMOTE_READ
	}
	return access
}

type mr struct {
	object
	pd     *pd
	dev    *verbs.MR // nil before NdkRegisterMr
	buffer []byte
	pinner runtime.Pinner
	access verbs.Access
}

// NdkCreateMr returns STATUS_NOT_SUPPORTED for fast registration, and STATUS_INVALID_PARAMETER on a closed PD.
func (p *pd) NdkCreateMr(fastRegister bool) (ndk.Mr, ndk.Status) {
	a := p.adapter
	a.lock()
	defer a.unlock()
	switch {
	case p.closing:
		return nil, ndk.STATUS_INVALID_PARAMETER
	case fastRegister:
		return nil, ndk.STATUS_NOT_SUPPORTED
	}
	m := &mr{object: a.newObject(&p.object), pd: p}
	m.onClosed = m.deregister
	a.objects[&m.object] = struct{}{}
	return m, ndk.STATUS_SUCCESS
}

// NdkRegisterMr returns STATUS_INVALID_PARAMETER for an Mr registered already or closed, for flags other than NDK_OP_FLAG_ALLOW_* and
// NDK_OP_FLAG_RDMA_READ_SINK, and for an empty buffer. It returns STATUS_INSUFFICIENT_RESOURCES if the device may lock no more memory.
func (m *mr) NdkRegisterMr(buffer []byte, flags ndk.OpFlags) ndk.Status {
	a := m.adapter
	a.lock()
	defer a.unlock()
	if m.closing || m.dev != nil || len(buffer) == 0 || flags&^registrationFlags != 0 {
		return ndk.STATUS_INVALID_PARAMETER
	}
	access := accessOf(flags)
	allowed := access
	if a.attributes.MemWindowType2 {
		allowed |= verbs.IBV_ACCESS_MW_BIND
	}
	m.pinner.Pin(&buffer[0])
	dev, err := m.pd.dev.RegMR(buffer, allowed)
	if err != nil {
		m.pinner.Unpin()
		a.note(explainLocking(err))
		return refusalOf(err)
	}
	m.dev, m.buffer, m.access = dev, buffer, access
	a.regions[ndk.Token(dev.LKey)] = m
	return ndk.STATUS_SUCCESS
}

func (m *mr) deregister() {
	if m.dev == nil {
		return
	}
	delete(m.adapter.regions, ndk.Token(m.dev.LKey))
	m.adapter.note(m.pd.dev.DeregMR(m.dev))
	m.pinner.Unpin()
}

func (m *mr) contains(buffer []byte) bool {
	size, offset := uint64(len(m.buffer)), ndk.VirtualAddress(buffer)-ndk.VirtualAddress(m.buffer)
	return offset <= size && uint64(len(buffer)) <= size-offset
}

// NdkGetLocalTokenFromMr returns 0 before NdkRegisterMr.
func (m *mr) NdkGetLocalTokenFromMr() ndk.Token {
	m.adapter.lock()
	defer m.adapter.unlock()
	if m.dev == nil {
		return 0
	}
	return ndk.Token(m.dev.LKey)
}

// RemoteToken returns 0 before NdkRegisterMr.
func (m *mr) RemoteToken() ndk.Token {
	m.adapter.lock()
	defer m.adapter.unlock()
	if m.dev == nil {
		return 0
	}
	return ndk.Token(m.dev.RKey)
}

// NdkCloseMr is pending while a window is bound to the Mr (LIFE-15).
func (m *mr) NdkCloseMr(completion ndk.NdkCloseCompletion) ndk.Status { return m.close(completion) }

// mw is a memory window of type 2, bound to the QP that bound it.
type mw struct {
	object
	pd    *pd
	dev   *verbs.MW // nil when the window has to be made anew before the next bind
	token uint32    // of the last bind
	bound bool      // was ever
	valid bool      // the token is, as far as the provider has posted and seen
	mr    *mr       // that the window shows, until the device no longer has it so; an Mr closes after that (LIFE-15)
	qp    *qp       // that bound it
}

// NdkCreateMw returns STATUS_NOT_SUPPORTED where the device has no windows of type 2 or can't invalidate them, and
// STATUS_INVALID_PARAMETER on a closed PD.
func (p *pd) NdkCreateMw() (ndk.Mw, ndk.Status) {
	a := p.adapter
	a.lock()
	defer a.unlock()
	switch {
	case p.closing:
		return nil, ndk.STATUS_INVALID_PARAMETER
	case !a.attributes.MemWindowType2 || !a.attributes.MemMgtExtensions:
		return nil, ndk.STATUS_NOT_SUPPORTED
	}
	dev, err := p.dev.AllocMW()
	if err != nil {
		a.note(err)
		return nil, refusalOf(err)
	}
	w := &mw{object: a.newObject(&p.object), pd: p, dev: dev}
	w.onClosing = w.free
	w.onClosed = func() {}
	a.objects[&w.object] = struct{}{}
	return w, ndk.STATUS_SUCCESS
}

// bind makes a new token valid.
func (w *mw) bind(m *mr, q *qp, token uint32) {
	w.unbind()
	if w.qp != nil {
		delete(w.qp.windows, w)
	}
	w.bound, w.valid, w.mr, w.qp, w.token = true, true, m, q, token
	m.successors++
	q.windows[w] = struct{}{}
	q.in.allow(token)
}

// unbind ends the token, and lets the Mr go.
func (w *mw) unbind() {
	w.valid = false
	if w.bound {
		w.qp.in.claim(w.token)
	}
	if m := w.mr; m != nil {
		w.mr = nil
		m.successors--
		m.finishClose()
	}
}

// free gives the device's window back, and with it the token. A window keeps its QP from being destroyed.
func (w *mw) free() {
	w.unbind()
	if w.qp != nil {
		delete(w.qp.windows, w)
	}
	if w.dev != nil {
		w.adapter.note(w.pd.dev.DeallocMW(w.dev))
		w.dev = nil
	}
}

// RemoteToken returns 0 before the first bind.
func (w *mw) RemoteToken() ndk.Token {
	w.adapter.lock()
	defer w.adapter.unlock()
	return ndk.Token(w.token)
}

// NdkCloseMw makes the window's token invalid at once.
func (w *mw) NdkCloseMw(completion ndk.NdkCloseCompletion) ndk.Status { return w.close(completion) }
