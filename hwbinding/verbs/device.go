//go:build linux && cgo && ibverbs

package verbs

/*
#cgo LDFLAGS: -libverbs
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"ndkoracle/trace"
)

// The constants of types.go are those of the header this was built with: a difference is an index out of range.
var _ = [1]struct{}{
	C.IBV_WC_GENERAL_ERR - int(IBV_WC_GENERAL_ERR) +
		C.IBV_WC_RECV - int(IBV_WC_RECV) + C.IBV_WC_LOCAL_INV - int(IBV_WC_LOCAL_INV) +
		C.IBV_WR_SEND_WITH_INV - int(IBV_WR_SEND_WITH_INV) + C.IBV_WR_BIND_MW - int(IBV_WR_BIND_MW) +
		C.IBV_SEND_INLINE - int(IBV_SEND_INLINE) + C.IBV_ACCESS_MW_BIND - int(IBV_ACCESS_MW_BIND) +
		C.IBV_QPS_ERR - int(IBV_QPS_ERR) + C.IBV_EVENT_DEVICE_FATAL - int(IBV_EVENT_DEVICE_FATAL): {},
}

// GetDeviceList returns the names of the devices that libibverbs can open.
func GetDeviceList() ([]string, error) {
	var names []string
	err := eachDevice(func(device *C.struct_ibv_device) bool {
		names = append(names, C.GoString(C.ibv_get_device_name(device)))
		return true
	})
	return names, err
}

// eachDevice calls visit for each device until it returns false.
func eachDevice(visit func(*C.struct_ibv_device) bool) error {
	var n C.int
	list, errno := C.ibv_get_device_list(&n)
	if list == nil {
		return failed("ibv_get_device_list", errno)
	}
	defer C.ibv_free_device_list(list)
	for _, device := range unsafe.Slice(list, n) {
		if !visit(device) {
			break
		}
	}
	return nil
}

// Context is struct ibv_context: an open device. It uses port 1 of the device.
type Context struct {
	c        *C.struct_ibv_context
	recorder *trace.Recorder
	thread   *trace.Thread // of calls that make and destroy objects; guarded by mutex
	events   *eventFile    // asynchronous events
	waiter   *trace.Thread

	mutex   sync.Mutex
	objects map[unsafe.Pointer]string // the CQs and QPs that exist
	qps     map[uint32]string         // by number
	count   map[string]int            // of objects ever made, by the kind of their names
}

// OpenDevice opens the device of that name. recorder may be nil: nothing is recorded then.
func OpenDevice(name string, recorder *trace.Recorder) (*Context, error) {
	var context *C.struct_ibv_context
	var errno error
	found := false
	err := eachDevice(func(device *C.struct_ibv_device) bool {
		if found = C.GoString(C.ibv_get_device_name(device)) == name; found {
			context, errno = C.ibv_open_device(device)
		}
		return !found
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, failed("ibv_open_device", syscall.ENODEV)
	case context == nil:
		return nil, failed("ibv_open_device", errno)
	}
	events, err := newEventFile(context.async_fd)
	if err != nil {
		C.ibv_close_device(context)
		return nil, fmt.Errorf("the asynchronous events of %s: %w", name, err)
	}
	return &Context{
		c: context, recorder: recorder, events: events,
		thread: recorder.Thread("device"), waiter: recorder.Thread("async"),
		objects: map[unsafe.Pointer]string{}, qps: map[uint32]string{}, count: map[string]int{},
	}, nil
}

// Close is ibv_close_device. Everything made from the context must be destroyed.
func (x *Context) Close() error {
	x.events.close()
	return errnoOf("ibv_close_device", C.ibv_close_device(x.c))
}

// Quiesce marks in the trace that the device is at rest.
func (x *Context) Quiesce() { x.thread.Quiesce() }

// QueryDevice is ibv_query_device.
func (x *Context) QueryDevice() (DeviceAttr, error) {
	var attr C.struct_ibv_device_attr
	if err := errnoOf("ibv_query_device", C.ibv_query_device(x.c, &attr)); err != nil {
		return DeviceAttr{}, err
	}
	return DeviceAttr{
		MaxCQE: int(attr.max_cqe), MaxQPWR: int(attr.max_qp_wr), MaxSGE: int(attr.max_sge),
		MaxQPRdAtom:      int(attr.max_qp_rd_atom),
		MemMgtExtensions: attr.device_cap_flags&C.IBV_DEVICE_MEM_MGT_EXTENSIONS != 0,
		MemWindowType2:   attr.device_cap_flags&(C.IBV_DEVICE_MEM_WINDOW_TYPE_2A|C.IBV_DEVICE_MEM_WINDOW_TYPE_2B) != 0,
	}, nil
}

// GetAsyncEvent waits for an asynchronous event and acknowledges it at once: the event itself is not needed any more, and an object can't be
// destroyed before its events are acknowledged. It returns EINTR after InterruptAsync, and EIO when the device is gone.
func (x *Context) GetAsyncEvent() (AsyncEvent, error) {
	var event C.struct_ibv_async_event
	op := x.waiter.Call(trace.Event{Fn: "ibv_get_async_event"})
	err := x.events.wait("ibv_get_async_event", func() (C.int, error) {
		result, errno := C.ibv_get_async_event(x.c, &event)
		return result, errno
	})
	if err != nil {
		x.waiter.Ret(op, trace.Event{Fn: "ibv_get_async_event", Errno: errnoName(err.Errno)})
		return AsyncEvent{}, err
	}
	object := x.objectName(C.event_object(&event))
	result := AsyncEvent{Type: EventType(event.event_type), Object: object}
	C.ibv_ack_async_event(&event)
	if x.waiter != nil {
		e := trace.Event{Fn: "ibv_get_async_event", Type: result.Type.String()}
		if result.Type == IBV_EVENT_CQ_ERR {
			e.Cq = object
		} else {
			e.Qp = object
		}
		x.waiter.Ret(op, e)
	}
	return result, nil
}

// InterruptAsync makes the present and every later GetAsyncEvent return EINTR.
func (x *Context) InterruptAsync() { x.events.interrupt() }

func (x *Context) newName(kind string) string {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.count[kind]++
	return fmt.Sprintf("%s%d", kind, x.count[kind])
}

func (x *Context) objectName(object unsafe.Pointer) string {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return x.objects[object]
}

func (x *Context) qpName(number uint32) string {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return x.qps[number]
}

// PD is struct ibv_pd.
type PD struct {
	context *Context
	c       *C.struct_ibv_pd
}

// AllocPD is ibv_alloc_pd.
func (x *Context) AllocPD() (*PD, error) {
	pd, errno := C.ibv_alloc_pd(x.c)
	if pd == nil {
		return nil, failed("ibv_alloc_pd", errno)
	}
	return &PD{x, pd}, nil
}

// Dealloc is ibv_dealloc_pd.
func (p *PD) Dealloc() error { return errnoOf("ibv_dealloc_pd", C.ibv_dealloc_pd(p.c)) }

// RegMR is ibv_reg_mr. The caller sees to it that buffer, which is not empty, stays where it is until the MR is
// deregistered: runtime.Pinner, or memory that Go does not manage.
func (p *PD) RegMR(buffer []byte, access Access) (*MR, error) {
	mr, errno := C.reg_mr(p.c, C.uint64_t(address(buffer)), C.size_t(len(buffer)), C.int(access))
	runtime.KeepAlive(buffer)
	if mr == nil {
		return nil, failed("ibv_reg_mr", errno)
	}
	return &MR{LKey: uint32(mr.lkey), RKey: uint32(mr.rkey), c: unsafe.Pointer(mr)}, nil
}

// Dereg is ibv_dereg_mr.
func (m *MR) Dereg() error { return errnoOf("ibv_dereg_mr", C.ibv_dereg_mr((*C.struct_ibv_mr)(m.c))) }

// AllocMW is ibv_alloc_mw, of type 2.
func (p *PD) AllocMW() (*MW, error) {
	mw, errno := C.ibv_alloc_mw(p.c, C.IBV_MW_TYPE_2)
	if mw == nil {
		return nil, failed("ibv_alloc_mw", errno)
	}
	return &MW{RKey: uint32(mw.rkey), Name: p.context.newName("mw"), c: unsafe.Pointer(mw)}, nil
}

// Dealloc is ibv_dealloc_mw.
func (m *MW) Dealloc() error {
	return errnoOf("ibv_dealloc_mw", C.ibv_dealloc_mw((*C.struct_ibv_mw)(m.c)))
}

// failed makes an Error of what cgo returns as the errno of a call.
func failed(call string, errno error) *Error {
	number, ok := errno.(syscall.Errno)
	if !ok {
		number = syscall.EIO // the library failed and did not say why
	}
	return &Error{call, number}
}

// errnoOf makes an error of a call that returns an errno, or -1 and leaves it in errno.
func errnoOf(call string, result C.int) error {
	switch {
	case result == 0:
		return nil
	case result < 0:
		return &Error{call, syscall.EIO}
	}
	return &Error{call, syscall.Errno(result)}
}
