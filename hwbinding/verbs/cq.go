//go:build linux && cgo && ibverbs

package verbs

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"ndkoracle/trace"
)

// CQ is struct ibv_cq, with a completion channel of its own.
type CQ struct {
	Name    string // in the trace
	Channel string // the id of its completion channel
	context *Context
	channel *C.struct_ibv_comp_channel
	events  *eventFile
	waiter  *trace.Thread

	mutex   sync.Mutex // one call at a time
	c       *C.struct_ibv_cq
	thread  *trace.Thread
	wc      []C.struct_ibv_wc
	results []trace.Result
}

// CreateCQ is ibv_create_comp_channel and ibv_create_cq with room for cqe completions. The library may make room for more; the trace records how many.
func (x *Context) CreateCQ(cqe int) (*CQ, error) {
	q := &CQ{Name: x.newName("cq"), Channel: x.newName("channel"), context: x}
	q.thread, q.waiter = x.recorder.Thread(q.Name), x.recorder.Thread(q.Name+"-events")
	if err := q.createChannel(); err != nil {
		return nil, err
	}
	var err error
	if q.events, err = newEventFile(q.channel.fd); err != nil {
		q.destroyChannel()
		return nil, fmt.Errorf("the events of a CQ: %w", err)
	}
	depth := int64(cqe)
	op := q.thread.Call(trace.Event{Fn: "ibv_create_cq", Cq: q.Name, Depth: &depth, Channel: q.Channel})
	var errno error
	q.c, errno = C.ibv_create_cq(x.c, C.int(cqe), nil, q.channel, 0)
	if q.c == nil {
		err := failed("ibv_create_cq", errno)
		q.thread.Ret(op, trace.Event{Fn: "ibv_create_cq", Cq: q.Name, Errno: errnoName(err.Errno)})
		q.events.close()
		q.destroyChannel()
		return nil, err
	}
	made := int64(q.c.cqe)
	q.thread.Ret(op, trace.Event{Fn: "ibv_create_cq", Cq: q.Name, Depth: &made})
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.objects[unsafe.Pointer(q.c)] = q.Name
	return q, nil
}

// ReqNotify is ibv_req_notify_cq.
func (q *CQ) ReqNotify(solicitedOnly bool) error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	only := C.int(0)
	if solicitedOnly {
		only = 1
	}
	op := q.thread.Call(trace.Event{Fn: "ibv_req_notify_cq", Cq: q.Name, SolicitedOnly: &solicitedOnly})
	err := errnoOf("ibv_req_notify_cq", C.ibv_req_notify_cq(q.c, only))
	q.thread.Ret(op, trace.Event{Fn: "ibv_req_notify_cq", Cq: q.Name, Errno: errnoText(err)})
	return err
}

// Poll is ibv_poll_cq: it removes the oldest completions, as many as there are and fit.
func (q *CQ) Poll(completions []WC) (int, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(completions) == 0 {
		return 0, nil
	}
	if len(q.wc) < len(completions) {
		q.wc = make([]C.struct_ibv_wc, len(completions))
	}
	room := int64(len(completions))
	op := q.thread.Call(trace.Event{Fn: "ibv_poll_cq", Cq: q.Name, N: &room})
	n := int(C.ibv_poll_cq(q.c, C.int(room), &q.wc[0]))
	if n < 0 {
		err := errnoOf("ibv_poll_cq", C.int(n))
		q.thread.Ret(op, trace.Event{Fn: "ibv_poll_cq", Cq: q.Name, Errno: errnoText(err)})
		return 0, err
	}
	for i := range n {
		wc := &q.wc[i]
		completions[i] = WC{
			WRID: uint64(wc.wr_id), Status: WCStatus(wc.status), Opcode: WCOpcode(wc.opcode),
			VendorErr: uint32(wc.vendor_err), ByteLen: uint32(wc.byte_len), QPNum: uint32(wc.qp_num),
		}
		if completions[i].Status == IBV_WC_SUCCESS && wc.wc_flags&C.IBV_WC_WITH_INV != 0 {
			completions[i].WithInv = true
			completions[i].InvalidatedKey = uint32(C.invalidated_rkey(wc))
		}
	}
	if q.thread != nil {
		q.thread.Ret(op, trace.Event{Fn: "ibv_poll_cq", Cq: q.Name, Results: q.record(completions[:n])})
	}
	return n, nil
}

// record says of each completion what has a meaning in it.
func (q *CQ) record(completions []WC) []trace.Result {
	q.results = slices.Grow(q.results[:0], max(1, len(completions)))[:len(completions)] // none is not nil
	for i := range completions {
		wc := &completions[i]
		r := trace.Result{Wr: wrName(wc.WRID), Qp: q.context.qpName(wc.QPNum), Status: wc.Status.String()}
		if wc.Status == IBV_WC_SUCCESS {
			r.Opcode = wc.Opcode.String()
			if wc.Opcode == IBV_WC_RECV {
				bytes := int64(wc.ByteLen)
				r.Bytes = &bytes
			}
			if wc.WithInv {
				r.Token = &wc.InvalidatedKey
			}
		} else {
			r.ProviderError = &wc.VendorErr
		}
		q.results[i] = r
	}
	return q.results
}

// createChannel is ibv_create_comp_channel.
func (q *CQ) createChannel() error {
	op := q.thread.Call(trace.Event{Fn: "ibv_create_comp_channel", Channel: q.Channel})
	var errno error
	if q.channel, errno = C.ibv_create_comp_channel(q.context.c); q.channel == nil {
		err := failed("ibv_create_comp_channel", errno)
		q.thread.Ret(op, trace.Event{Fn: "ibv_create_comp_channel", Errno: errnoName(err.Errno)})
		return err
	}
	q.thread.Ret(op, trace.Event{Fn: "ibv_create_comp_channel"})
	return nil
}

// destroyChannel is ibv_destroy_comp_channel.
func (q *CQ) destroyChannel() error {
	op := q.thread.Call(trace.Event{Fn: "ibv_destroy_comp_channel", Channel: q.Channel})
	err := errnoOf("ibv_destroy_comp_channel", C.ibv_destroy_comp_channel(q.channel))
	q.thread.Ret(op, trace.Event{Fn: "ibv_destroy_comp_channel", Errno: errnoText(err)})
	return err
}

// GetCQEvent waits for an event with ibv_get_cq_event. EINTR after Interrupt. One goroutine at a time may wait.
func (q *CQ) GetCQEvent() error {
	var cq *C.struct_ibv_cq
	var context unsafe.Pointer
	op := q.waiter.Call(trace.Event{Fn: "ibv_get_cq_event", Channel: q.Channel})
	err := q.events.wait("ibv_get_cq_event", func() (C.int, error) {
		result, errno := C.ibv_get_cq_event(q.channel, &cq, &context)
		return result, errno
	})
	if err != nil {
		q.waiter.Ret(op, trace.Event{Fn: "ibv_get_cq_event", Errno: errnoName(err.Errno)})
		return err
	}
	q.waiter.Ret(op, trace.Event{Fn: "ibv_get_cq_event", Cq: q.Name})
	return nil
}

// AckEvents is ibv_ack_cq_events. Every event has to be acknowledged before the CQ is destroyed.
func (q *CQ) AckEvents(n int) {
	events := int64(n)
	op := q.waiter.Call(trace.Event{Fn: "ibv_ack_cq_events", Cq: q.Name, N: &events})
	C.ibv_ack_cq_events(q.c, C.uint(n))
	q.waiter.Ret(op, trace.Event{Fn: "ibv_ack_cq_events", Cq: q.Name})
}

// Interrupt makes the present and every later GetCQEvent return EINTR.
func (q *CQ) Interrupt() { q.events.interrupt() }

// Destroy is ibv_destroy_cq and ibv_destroy_comp_channel. No thread may still wait in GetCQEvent, and every QP of the CQ must be destroyed.
func (q *CQ) Destroy() error {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	op := q.thread.Call(trace.Event{Fn: "ibv_destroy_cq", Cq: q.Name})
	c := unsafe.Pointer(q.c)
	err := errnoOf("ibv_destroy_cq", C.ibv_destroy_cq(q.c))
	q.thread.Ret(op, trace.Event{Fn: "ibv_destroy_cq", Cq: q.Name, Errno: errnoText(err)})
	if err != nil {
		return err
	}
	q.context.mutex.Lock()
	delete(q.context.objects, c)
	q.context.mutex.Unlock()
	q.events.close()
	return q.destroyChannel()
}
