//go:build linux && cgo && ibverbs

package verbs

import "C"

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// eventFile waits for a file descriptor of libibverbs to have an event. It waits as Go waits for files, so no thread of
// the system is held, and a waiting goroutine can be told to stop.
type eventFile struct {
	file *os.File // a duplicate: libibverbs closes its own
	raw  syscall.RawConn
}

func newEventFile(fd C.int) (*eventFile, error) {
	own, err := syscall.Dup(int(fd))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(own)
	if err := syscall.SetNonblock(own, true); err != nil { // both descriptors': they are one open file
		syscall.Close(own)
		return nil, err
	}
	file := os.NewFile(uintptr(own), "verbs events")
	raw, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // fails where Go can't wait for the file
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &eventFile{file, raw}, nil
}

// wait calls get, which takes one event and returns 0, until it has one. EINTR after interrupt.
func (f *eventFile) wait(call string, get func() (C.int, error)) *Error {
	var errno error
	err := f.raw.Read(func(uintptr) bool {
		var result C.int
		if result, errno = get(); result == 0 {
			errno = nil
			return true
		}
		return !errors.Is(errno, syscall.EAGAIN)
	})
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed):
		return &Error{call, syscall.EINTR}
	case err != nil:
		return failed(call, err)
	case errno != nil:
		return failed(call, errno)
	}
	return nil
}

// interrupt makes the present and every later wait return EINTR. It fails only for a closed file, which has the same
// effect.
func (f *eventFile) interrupt() { _ = f.file.SetReadDeadline(time.Unix(1, 0)) }

func (f *eventFile) close() { f.file.Close() }
