package refimpl

import "ndkoracle/ndk"

// region is memory that a token names, from its registration or binding until its invalidation. Each has a token of its
// own, so that a token once invalid stays so.
type region struct {
	token     ndk.Token
	memory    []byte
	flags     ndk.OpFlags // NDK_OP_FLAG_ALLOW_…
	pd        *pd
	revocable bool // fast-registered or bound: what may be invalidated (INV-07)
	within    *mr  // of a bound window
	dead      bool // was invalidated, or will never become valid
	valid     bool
}

// part returns length bytes at address, nil when they are not all inside the region.
func (r *region) part(address, length uint64) []byte {
	size := uint64(len(r.memory))
	offset := address - ndk.VirtualAddress(r.memory)
	if offset > size || length > size-offset {
		return nil
	}
	return r.memory[offset : offset+length]
}

// usable returns the region that token names, if it may be used in pd as flags demand; nil otherwise. A window lives as
// long as its Mr does.
func (a *adapter) usable(token ndk.Token, pd *pd, flags ndk.OpFlags) *region {
	r := a.regions[token]
	if r == nil || r.pd != pd || !r.flags.Has(flags) || r.within != nil && !r.within.current.isValid() {
		return nil
	}
	return r
}

func (r *region) isValid() bool { return r != nil && r.valid }

func (a *adapter) newRegion(pd *pd, memory []byte, flags ndk.OpFlags) *region {
	a.lastToken++
	return &region{token: a.lastToken, memory: memory, flags: flags, pd: pd}
}

func (a *adapter) validate(r *region) {
	r.valid = true
	a.regions[r.token] = r
	if r.within != nil {
		r.within.successors++
	}
}

// invalidate ends a region for good. nil is allowed.
func (a *adapter) invalidate(r *region) {
	if r == nil || r.dead {
		return
	}
	r.dead = true
	if !r.valid {
		return
	}
	r.valid = false
	delete(a.regions, r.token)
	if r.within != nil {
		r.within.successors--
		r.within.finishClose()
	}
}

type pd struct{ object }

func (a *adapter) NdkCreatePd() (ndk.Pd, ndk.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	p := &pd{a.newObject()}
	a.objects[&p.object] = struct{}{}
	return p, ndk.STATUS_SUCCESS
}

// NdkClosePd is pending while an object of the PD is open (LIFE-04).
func (p *pd) NdkClosePd(completion ndk.NdkCloseCompletion) ndk.Status { return p.close(completion) }

// revocable is what an Mr and an Mw have in common: registrations by requests, one at a time.
type revocable struct {
	object
	pd      *pd
	named   *region // whose token the object has: the one last asked for, executed or not
	current *region // the one last made valid
}

// RemoteToken returns 0 before the first registration.
func (r *revocable) RemoteToken() ndk.Token {
	r.adapter.mu.Lock()
	defer r.adapter.mu.Unlock()
	if r.named == nil {
		return 0
	}
	return r.named.token
}

func (r *revocable) forget() { r.adapter.invalidate(r.current) }

type mr struct {
	revocable
	fastRegister bool
}

type mw struct{ revocable }

// NdkCreateMr returns STATUS_INVALID_PARAMETER on a closed PD.
func (p *pd) NdkCreateMr(fastRegister bool) (ndk.Mr, ndk.Status) {
	a := p.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.closing {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	m := &mr{revocable{object: a.newObject(&p.object), pd: p}, fastRegister}
	m.onClosing = m.forget
	a.objects[&m.object] = struct{}{}
	return m, ndk.STATUS_SUCCESS
}

// NdkCreateMw returns STATUS_INVALID_PARAMETER on a closed PD.
func (p *pd) NdkCreateMw() (ndk.Mw, ndk.Status) {
	a := p.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.closing {
		return nil, ndk.STATUS_INVALID_PARAMETER
	}
	m := &mw{revocable{object: a.newObject(&p.object), pd: p}}
	m.onClosing = m.forget
	a.objects[&m.object] = struct{}{}
	return m, ndk.STATUS_SUCCESS
}

// NdkRegisterMr returns STATUS_INVALID_PARAMETER for an Mr made for fast registration (MEM-09), registered already or
// closed, for flags other than NDK_OP_FLAG_ALLOW_… and NDK_OP_FLAG_RDMA_READ_SINK, and for an empty buffer.
func (m *mr) NdkRegisterMr(buffer []byte, flags ndk.OpFlags) ndk.Status {
	m.adapter.mu.Lock()
	defer m.adapter.mu.Unlock()
	if m.fastRegister || m.closing || m.current != nil || len(buffer) == 0 || flags&^registrationFlags != 0 {
		return ndk.STATUS_INVALID_PARAMETER
	}
	m.current = m.adapter.newRegion(m.pd, buffer, flags)
	m.named = m.current
	m.adapter.validate(m.current)
	return ndk.STATUS_SUCCESS
}

// NdkGetLocalTokenFromMr returns the same token as RemoteToken: what it allows is a matter of the region's flags.
func (m *mr) NdkGetLocalTokenFromMr() ndk.Token { return m.RemoteToken() }

// NdkCloseMr makes the Mr's token invalid at once, and is pending while a window is bound to it (LIFE-15).
func (m *mr) NdkCloseMr(completion ndk.NdkCloseCompletion) ndk.Status { return m.close(completion) }

// NdkCloseMw makes the window's token invalid at once.
func (m *mw) NdkCloseMw(completion ndk.NdkCloseCompletion) ndk.Status { return m.close(completion) }
