// Command cprovider is the reference provider behind the dispatch tables of NDKPI, as a library for programs in C: ndkprovider.h says what they call.
// It is built with -buildmode=c-archive.
package main

/*
#cgo CFLAGS: -std=c99 -Wall -Wextra -Wno-unused-parameter -I${SRCDIR}/../../c
#include "glue.h"
*/
import "C"

import (
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"time"

	"ndkoracle/ndk"
	"ndkoracle/refimpl"
)

func main() {}

// adapter is an NDK_ADAPTER.
type adapter struct {
	ndk.Adapter
	refuse atomic.Bool // the next request of an initiator

	mu        sync.Mutex
	listeners map[uint16]*listener
	ports     uint16 // the one that was given to a connector last
	joined    int    // connections that were made, each of which has a name of its own
	joins     sync.WaitGroup
}

// object returns what a handle stands for.
func object[T any](handle C.uintptr_t) T { return cgo.Handle(handle).Value().(T) }

func newHandle(v any) C.uintptr_t { return C.uintptr_t(cgo.NewHandle(v)) }

func status(s ndk.Status) C.NTSTATUS { return C.NTSTATUS(int32(s)) }

//export goOpen
func goOpen(seed C.uint64_t) C.uintptr_t {
	a := &adapter{listeners: map[uint16]*listener{}, ports: 49151}
	a.Adapter = refimpl.Open(refimpl.Options{Seed: uint64(seed), Refuse: func(uint64) bool { return a.refuse.Swap(false) }})
	return newHandle(a)
}

//export goQuiesce
func goQuiesce(handle C.uintptr_t, milliseconds C.uint) C.int {
	a := object[*adapter](handle)
	if a.Adapter.(refimpl.Quiescer).Quiesce(time.Duration(milliseconds) * time.Millisecond) {
		return 1
	}
	return 0
}

//export goRefuseNext
func goRefuseNext(handle C.uintptr_t) { object[*adapter](handle).refuse.Store(true) }

//export goCloseAdapter
func goCloseAdapter(handle C.uintptr_t) {
	a := object[*adapter](handle)
	a.joins.Wait()
	a.NdkCloseAdapter()
	cgo.Handle(handle).Delete()
}

// goLimit returns a limit of the adapter: of a CQ, of an initiator's queue, of a receive queue, in requests, and of inline data, in bytes.
//
//export goLimit
func goLimit(handle C.uintptr_t, which C.int) C.uint32_t {
	info := object[*adapter](handle).NdkQueryAdapterInfo()
	return C.uint32_t([]uint32{info.MaxCqDepth, info.MaxInitiatorQueueDepth, info.MaxReceiveQueueDepth, info.MaxInlineDataSize}[which])
}
