package conformance

import (
	"bytes"
	"fmt"

	"ndkoracle/ndk"
)

// access is what every registration here allows. It contains NDK_OP_FLAG_ALLOW_LOCAL_WRITE.
const access = ndk.NDK_OP_FLAG_ALLOW_REMOTE_READ | ndk.NDK_OP_FLAG_ALLOW_REMOTE_WRITE

const regionSize = 64 // bytes

// region is memory of an endpoint that a peer may reach by a token.
type region struct {
	object ndk.MrOrMw
	close  func(ndk.NdkCloseCompletion) ndk.Status
	name   string // of the close
	buffer []byte
	token  ndk.Token
	known  bool // valid for certain: the provider came to rest after the request
}

// register makes a region by NdkFastRegister or NdkBind, whichever the adapter has. The region is nil when the provider
// refused the request.
func (e *endpoint) register(flags ndk.OpFlags) (*region, error) {
	r := e.run
	g := &region{buffer: r.take(regionSize)}
	var request func() ndk.Status
	switch {
	case r.info.FastRegister && (!r.info.Bind || r.chance(2)):
		mr, status := r.pd.NdkCreateMr(true)
		if status != ndk.STATUS_SUCCESS {
			return nil, fmt.Errorf("NdkCreateMr for fast registration: %v", status)
		}
		g.object, g.close, g.name = mr, mr.NdkCloseMr, "NdkCloseMr"
		request = func() ndk.Status { return e.qp.NdkFastRegister(&post{}, mr, g.buffer, flags|access) }
	case r.info.Bind:
		mw, status := r.pd.NdkCreateMw()
		if status != ndk.STATUS_SUCCESS {
			return nil, fmt.Errorf("NdkCreateMw: %v", status)
		}
		g.object, g.close, g.name = mw, mw.NdkCloseMw, "NdkCloseMw"
		request = func() ndk.Status { return e.qp.NdkBind(&post{}, r.memory, mw, g.buffer, flags|access) }
	default:
		return nil, fmt.Errorf("NdkFastRegister and NdkBind: %w", ErrUnsupported)
	}
	r.regions = append(r.regions, g)
	if e.initiated(request(), flags) != ndk.STATUS_SUCCESS {
		return nil, nil
	}
	g.token = g.object.RemoteToken()
	return g, nil
}

// closeRegions closes the Mrs and Mws of all regions of the world.
func (r *Run) closeRegions() error {
	regions := r.regions
	r.regions = nil
	for _, g := range regions {
		if err := r.closed(g.name, g.close); err != nil {
			return err
		}
	}
	return nil
}

func (e *endpoint) invalidate(g *region, flags ndk.OpFlags) ndk.Status {
	return e.initiated(e.qp.NdkInvalidate(&post{}, g.object, flags), flags)
}

// write posts NdkWrite of a new message to the beginning of the peer's region.
func (e *endpoint) write(g *region, flags ndk.OpFlags) {
	message := e.run.message(maxPayload)
	p := &post{buffer: g.buffer[:len(message)], want: bytes.Clone(message)}
	sgl := []ndk.Sge{{Buffer: message, MemoryRegionToken: e.run.token}}
	if e.initiated(e.qp.NdkWrite(p, sgl, ndk.VirtualAddress(g.buffer), g.token, flags), flags).Success() {
		e.targets = append(e.targets, p)
	}
}

// read posts NdkRead of the beginning of the peer's region.
func (e *endpoint) read(g *region, flags ndk.OpFlags) {
	p := &post{buffer: e.run.take(maxPayload), want: bytes.Clone(g.buffer[:maxPayload])}
	sgl := []ndk.Sge{{Buffer: p.buffer, MemoryRegionToken: e.run.token}}
	if e.initiated(e.qp.NdkRead(p, sgl, ndk.VirtualAddress(g.buffer), g.token, flags), flags).Success() {
		e.targets = append(e.targets, p)
	}
}
