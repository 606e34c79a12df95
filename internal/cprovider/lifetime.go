package main

// #include "glue.h"
import "C"

import (
	"runtime/cgo"
	"sync"

	"ndkoracle/ndk"
)

// lifetime is what holds the close of an object back: its callbacks that run, and objects that use it (LIFE-04, LIFE-07, LIFE-08). The reference
// provider knows neither connectors nor listeners, so this is here.
type lifetime struct {
	mu      sync.Mutex
	holds   int
	closing func() // the close that waits
}

func (l *lifetime) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holds++
}

func (l *lifetime) letGo() {
	l.mu.Lock()
	l.holds--
	var closing func()
	if l.holds == 0 {
		closing, l.closing = l.closing, nil
	}
	l.mu.Unlock()
	if closing != nil {
		closing()
	}
}

// close ends the object when nothing holds it any more. closed is called where that was pending.
func (l *lifetime) close(end func() ndk.Status, closed func()) ndk.Status {
	l.mu.Lock()
	if l.holds > 0 {
		defer l.mu.Unlock()
		l.closing = func() {
			if end() == ndk.STATUS_SUCCESS {
				closed()
			}
		}
		return ndk.STATUS_PENDING
	}
	l.mu.Unlock()
	return end()
}

// queuePair is an NDK_QP, which its connector uses.
type queuePair struct {
	lifetime
	ndk.Qp
	uses []*lifetime // of its PD and CQs, whose closes wait until the callback of its own has returned (LIFE-05)
}

func (q *queuePair) released() {
	for _, used := range q.uses {
		used.letGo()
	}
}

// completionQueue is an NDK_CQ, which QPs use.
type completionQueue struct {
	lifetime
	ndk.Cq
}

// domain is an NDK_PD, which QPs use.
type domain struct {
	lifetime
	ndk.Pd
}

// goClose closes any object but an adapter, and frees it when it is closed.
//
//export goClose
func goClose(handle C.uintptr_t, o *C.glue_object, completion C.NDK_FN_CLOSE_COMPLETION, context C.uintptr_t) C.NTSTATUS {
	released := func() {}
	closed := func() {
		C.glue_closed(completion, context)
		C.glue_free(o)
		released()
	}
	atOnce := func() ndk.Status { return ndk.STATUS_SUCCESS }
	var s ndk.Status
	switch v := cgo.Handle(handle).Value().(type) {
	case *completionQueue:
		s = v.close(func() ndk.Status { return v.NdkCloseCq(closed) }, closed)
	case *domain:
		s = v.close(func() ndk.Status { return v.NdkClosePd(closed) }, closed)
	case *queuePair:
		released = v.released
		s = v.close(func() ndk.Status { return v.NdkCloseQp(closed) }, closed)
	case ndk.Mr:
		s = v.NdkCloseMr(closed)
	case ndk.Mw:
		s = v.NdkCloseMw(closed)
	case *listener:
		v.leave()
		s = v.close(atOnce, closed)
	case *connector:
		released = v.released
		s = v.close(atOnce, closed)
	}
	cgo.Handle(handle).Delete()
	if s == ndk.STATUS_SUCCESS {
		C.glue_free(o)
		released()
	}
	return status(s)
}
