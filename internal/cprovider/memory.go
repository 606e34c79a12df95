package main

// #include "glue.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"

	"ndkoracle/ndk"
)

//export goCreatePd
func goCreatePd(handle C.uintptr_t, out *C.uintptr_t) C.NTSTATUS {
	pd, s := object[*adapter](handle).NdkCreatePd()
	if s == ndk.STATUS_SUCCESS {
		*out = newHandle(&domain{Pd: pd})
	}
	return status(s)
}

//export goCreateMr
func goCreateMr(pd C.uintptr_t, fastRegister C.BOOLEAN, out *C.uintptr_t) C.NTSTATUS {
	mr, s := object[ndk.Pd](pd).NdkCreateMr(fastRegister != 0)
	if s == ndk.STATUS_SUCCESS {
		*out = newHandle(mr)
	}
	return status(s)
}

//export goCreateMw
func goCreateMw(pd C.uintptr_t, out *C.uintptr_t) C.NTSTATUS {
	mw, s := object[ndk.Pd](pd).NdkCreateMw()
	if s == ndk.STATUS_SUCCESS {
		*out = newHandle(mw)
	}
	return status(s)
}

//export goRegisterMr
func goRegisterMr(mr C.uintptr_t, address unsafe.Pointer, length C.size_t, flags C.uint32_t) C.NTSTATUS {
	return status(object[ndk.Mr](mr).NdkRegisterMr(memory(address, length), ndk.OpFlags(flags)))
}

//export goToken
func goToken(mrOrMw C.uintptr_t) C.uint32_t {
	return C.uint32_t(cgo.Handle(mrOrMw).Value().(ndk.MrOrMw).RemoteToken())
}

//export goFastRegister
func goFastRegister(qp, context, mr C.uintptr_t, address unsafe.Pointer, length C.size_t, flags C.uint32_t) C.NTSTATUS {
	return status(object[ndk.Qp](qp).NdkFastRegister(uintptr(context), object[ndk.Mr](mr), memory(address, length), ndk.OpFlags(flags)))
}

//export goBind
func goBind(qp, context, mr, mw C.uintptr_t, address unsafe.Pointer, length C.size_t, flags C.uint32_t) C.NTSTATUS {
	return status(object[ndk.Qp](qp).NdkBind(uintptr(context), object[ndk.Mr](mr), object[ndk.Mw](mw), memory(address, length), ndk.OpFlags(flags)))
}

//export goInvalidate
func goInvalidate(qp, context, mrOrMw C.uintptr_t, flags C.uint32_t) C.NTSTATUS {
	return status(object[ndk.Qp](qp).NdkInvalidate(uintptr(context), object[ndk.MrOrMw](mrOrMw), ndk.OpFlags(flags)))
}
