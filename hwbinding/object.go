package hwbinding

import "ndkoracle/ndk"

// object is what closing needs of any NDK object. An object made from others, or using them, is their successor; they
// are its antecedents (LIFE-15).
type object struct {
	adapter     *adapter
	antecedents []*object
	successors  int
	busy        func() bool // holds the close back, beside successors; nil: nothing does
	onClosing   func()      // when the close begins; nil: nothing
	onClosed    func()      // when it has completed: gives the device's object back

	closing, closed bool
	pending         bool // the close returned STATUS_PENDING
	completion      ndk.NdkCloseCompletion
}

func (a *adapter) newObject(antecedents ...*object) object {
	for _, antecedent := range antecedents {
		antecedent.successors++
	}
	return object{adapter: a, antecedents: antecedents}
}

// close is every NdkClose…: STATUS_SUCCESS or STATUS_PENDING (LIFE-12), and STATUS_INVALID_PARAMETER for the misuse of
// closing twice.
func (o *object) close(completion ndk.NdkCloseCompletion) ndk.Status {
	o.adapter.lock()
	defer o.adapter.unlock()
	if o.closing {
		return ndk.STATUS_INVALID_PARAMETER
	}
	return o.startClose(completion)
}

func (o *object) startClose(completion ndk.NdkCloseCompletion) ndk.Status {
	o.closing = true
	if o.onClosing != nil {
		o.onClosing()
	}
	if o.held() {
		o.pending, o.completion = true, completion
		return ndk.STATUS_PENDING
	}
	o.finishClose()
	return ndk.STATUS_SUCCESS
}

func (o *object) held() bool { return o.successors > 0 || o.busy != nil && o.busy() }

// finishClose completes a close that nothing holds back any more (LIFE-04, LIFE-08). The antecedents are let go after
// the completion callback has returned (LIFE-05).
func (o *object) finishClose() {
	if !o.closing || o.closed || o.held() {
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
		o.adapter.lock()
		defer o.adapter.unlock()
		o.adapter.completing--
		o.release()
	})
}

func (o *object) release() {
	for _, antecedent := range o.antecedents {
		antecedent.successors--
		antecedent.finishClose()
	}
	o.antecedents = nil
}
