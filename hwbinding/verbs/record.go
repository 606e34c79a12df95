package verbs

import (
	"errors"
	"strconv"
	"syscall"
	"unsafe"
)

func wrName(id uint64) string { return "w" + strconv.FormatUint(id, 10) }

func lengthOf(list []SGE) *int64 {
	var n int64
	for _, e := range list {
		n += int64(e.Length)
	}
	return &n
}

// errnoText is the name of the errno in err, "" for none.
func errnoText(err error) string {
	var number syscall.Errno
	if err == nil || !errors.As(err, &number) {
		return ""
	}
	return errnoName(number)
}

// address is where memory begins.
func address(memory []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) }
