package main

// #include "glue.h"
import "C"

import (
	"fmt"
	"runtime/cgo"

	"ndkoracle/ndk"
)

// listener is an NDK_LISTENER.
type listener struct {
	lifetime
	adapter *adapter
	event   C.NDK_FN_CONNECT_EVENT_CALLBACK
	context C.uintptr_t
	port    uint16
}

// connector is an NDK_CONNECTOR. Two of them are the ends of a connection: the one that connects, and the one that a listener gives out.
type connector struct {
	lifetime
	adapter     *adapter
	local, peer uint16 // ports
	other       *connector
	listener    *listener // that gave it out, or nil
	qp          *queuePair
	answer      func(ndk.Status) // ends the NdkConnect or NdkAccept that is pending
}

// released lets go of what the connector keeps: its listener, and the QP that it has connected (LIFE-15).
func (c *connector) released() {
	if c.listener != nil {
		c.listener.letGo()
	}
	if c.qp != nil {
		c.qp.letGo()
	}
}

// connects has the connector keep its QP.
func (c *connector) connects(qp *queuePair) {
	if c.qp != nil {
		c.qp.letGo()
	}
	qp.hold()
	c.qp = qp
}

// pending returns what ends a call with its completion.
func (c *connector) pending(completion C.NDK_FN_REQUEST_COMPLETION, context C.uintptr_t) func(ndk.Status) {
	c.hold()
	return func(s ndk.Status) {
		C.glue_requested(completion, context, status(s))
		c.letGo()
	}
}

//export goCreateConnector
func goCreateConnector(handle C.uintptr_t) C.uintptr_t {
	return newHandle(&connector{adapter: object[*adapter](handle)})
}

//export goCreateListener
func goCreateListener(handle C.uintptr_t, event C.NDK_FN_CONNECT_EVENT_CALLBACK, context C.uintptr_t) C.uintptr_t {
	return newHandle(&listener{adapter: object[*adapter](handle), event: event, context: context})
}

//export goListen
func goListen(handle C.uintptr_t, port C.uint) C.NTSTATUS {
	l := object[*listener](handle)
	l.adapter.mu.Lock()
	defer l.adapter.mu.Unlock()
	if l.adapter.listeners[uint16(port)] != nil {
		return status(ndk.STATUS_SHARING_VIOLATION)
	}
	l.port = uint16(port)
	l.adapter.listeners[l.port] = l
	return status(ndk.STATUS_SUCCESS)
}

// leave has connections refused from now on.
func (l *listener) leave() {
	l.adapter.mu.Lock()
	defer l.adapter.mu.Unlock()
	if l.adapter.listeners[l.port] == l {
		delete(l.adapter.listeners, l.port)
	}
}

// goPort returns the port of a listener, or of one end of a connector.
//
//export goPort
func goPort(handle C.uintptr_t, peer C.int) C.uint {
	switch v := cgo.Handle(handle).Value().(type) {
	case *listener:
		return C.uint(v.port)
	case *connector:
		if peer != 0 {
			return C.uint(v.peer)
		}
		return C.uint(v.local)
	}
	return 0
}

// goConnect is NdkConnect: pending until the other end is accepted or rejected.
//
//export goConnect
func goConnect(handle, qp C.uintptr_t, from, to C.uint, completion C.NDK_FN_REQUEST_COMPLETION, context C.uintptr_t) C.NTSTATUS {
	c := object[*connector](handle)
	a := c.adapter
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.listeners[uint16(to)]
	if l == nil {
		return status(ndk.STATUS_CONNECTION_REFUSED)
	}
	if from == 0 {
		a.ports++
		from = C.uint(a.ports)
	}
	c.local, c.peer, c.answer = uint16(from), uint16(to), c.pending(completion, context)
	c.connects(object[*queuePair](qp))
	c.other = &connector{adapter: a, local: c.peer, peer: c.local, other: c, listener: l}
	l.hold() // of the callback
	l.hold() // of the connector
	a.joins.Go(func() {
		C.glue_connect_event(l.event, l.context, C.glue_new(C.NdkObjectTypeConnector, newHandle(c.other)))
		l.letGo()
	})
	return status(ndk.STATUS_PENDING)
}

// goAccept is NdkAccept: pending until the other end calls NdkCompleteConnect (CONN-03).
//
//export goAccept
func goAccept(handle, qp C.uintptr_t, completion C.NDK_FN_REQUEST_COMPLETION, context C.uintptr_t) C.NTSTATUS {
	c := object[*connector](handle)
	c.connects(object[*queuePair](qp))
	c.answer = c.pending(completion, context)
	c.adapter.joins.Go(func() { c.other.answer(ndk.STATUS_SUCCESS) })
	return status(ndk.STATUS_PENDING)
}

//export goReject
func goReject(handle C.uintptr_t) C.NTSTATUS {
	c := object[*connector](handle)
	if c.other == nil {
		return status(ndk.STATUS_CONNECTION_INVALID)
	}
	c.adapter.joins.Go(func() { c.other.answer(ndk.STATUS_CONNECTION_REFUSED) })
	return status(ndk.STATUS_SUCCESS)
}

// goCompleteConnect joins the two QPs, and ends the NdkAccept of the other end.
//
//export goCompleteConnect
func goCompleteConnect(handle C.uintptr_t, completion C.NDK_FN_REQUEST_COMPLETION, context C.uintptr_t) C.NTSTATUS {
	c := object[*connector](handle)
	a := c.adapter
	if c.other == nil || c.other.qp == nil {
		return status(ndk.STATUS_CONNECTION_INVALID)
	}
	a.mu.Lock()
	a.joined++
	address := fmt.Sprint(a.joined)
	a.mu.Unlock()
	completed := c.pending(completion, context)
	a.joins.Go(func() { c.other.answer(a.NdkAccept(c.other.qp.Qp, address)) })
	a.joins.Go(func() { completed(a.NdkConnect(c.qp.Qp, address)) })
	return status(ndk.STATUS_PENDING)
}
