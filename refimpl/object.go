package refimpl

import (
	"runtime"
	"strings"

	"ndkoracle/ndk"
)

// object is what closing needs of any NDK object. An object made from others, or using them, is their successor; they
// are its antecedents (LIFE-15).
type object struct {
	adapter     *adapter
	antecedents []*object
	successors  int
	busy        func() bool // holds the close back, beside successors
	onClosing   func()      // when the close begins
	onClosed    func()      // when it has completed

	closing, closed bool
	pending         bool // the close returned STATUS_PENDING
	completion      ndk.NdkCloseCompletion
}

func (a *adapter) newObject(antecedents ...*object) object {
	for _, antecedent := range antecedents {
		antecedent.successors++
	}
	return object{
		adapter:     a,
		antecedents: antecedents,
		busy:        func() bool { return false },
		onClosing:   func() {},
		onClosed:    func() {},
	}
}

// close is every NdkClose…: STATUS_SUCCESS or STATUS_PENDING (LIFE-12), and STATUS_INVALID_PARAMETER for the misuse of
// closing twice.
func (o *object) close(completion ndk.NdkCloseCompletion) ndk.Status {
	o.adapter.mu.Lock()
	defer o.adapter.mu.Unlock()
	if o.closing {
		return ndk.STATUS_INVALID_PARAMETER
	}
	return o.startClose(completion)
}

func (o *object) startClose(completion ndk.NdkCloseCompletion) ndk.Status {
	o.closing = true
	o.onClosing()
	if o.successors > 0 || o.busy() {
		o.pending, o.completion = true, completion
		return ndk.STATUS_PENDING
	}
	o.finishClose()
	return ndk.STATUS_SUCCESS
}

// finishClose completes a close that nothing holds back any more (LIFE-04, LIFE-08). The antecedents are let go after
// the completion callback has returned (LIFE-05).
func (o *object) finishClose() {
	if !o.closing || o.closed || o.successors > 0 || o.busy() {
		return
	}
	o.closed = true
	delete(o.adapter.objects, o)
	o.onClosed()
	if !o.pending || o.completion == nil {
		o.release()
		return
	}
	o.adapter.completing++
	o.adapter.goroutines.Go(func() {
		runCallback(o.completion)
		o.adapter.mu.Lock()
		defer o.adapter.mu.Unlock()
		o.adapter.completing--
		o.release()
		o.adapter.rest.Broadcast()
	})
}

func (o *object) release() {
	for _, antecedent := range o.antecedents {
		antecedent.successors--
		antecedent.finishClose()
	}
	o.antecedents = nil
}

// runCallback calls the consumer. insideCallback finds it on the stack by its name.
//
//go:noinline
func runCallback(callback func()) {
	if callback != nil {
		callback()
	}
}

func insideCallback() bool {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "/refimpl.runCallback") {
			return true
		}
		if !more {
			return false
		}
	}
}
