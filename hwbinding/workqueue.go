package hwbinding

import (
	"slices"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// request is a request of a consumer, or one of the provider's own: a marker, which only tells that all before it is
// done.
type request struct {
	ndk.ResultEx // as it will be, but for the outcome
	id           uint64
	silent       bool
	marker       bool
	signalled    bool // the device will say when it succeeded
	ended        bool // in software: the device does not have it
	doomed       bool // it names a local token that the provider does not know: the device will fail it

	work    verbs.SendWR // of the initiator's requests
	message *message     // of sends
	window  *mw          // whose token the request makes valid or invalid
	token   uint32       // that token
	inline  []byte       // the data of an inline request, kept until it is posted
}

// solicited says whether the request is a receive whose sender asked for an event (ARM-10).
func (r *request) solicited() bool {
	receive := r.Type == ndk.NdkOperationTypeReceive || r.Type == ndk.NdkOperationTypeReceiveAndInvalidate
	return receive && r.message != nil && r.message.solicited
}

// end gives the request its outcome without the device.
func (r *request) end(status ndk.Status) {
	r.ended, r.Status = true, status
}

// workQueue is what was posted to one queue of a QP and has not completed, oldest first. It knows no device and no lock.
type workQueue struct {
	depth    int
	requests []*request
	deferred int // how many of the newest were not given to the device
	unmarked int // unsignalled requests that no signalled one follows yet
}

func (w *workQueue) full() bool { return w.count() >= w.depth }

// count does not count markers: the send queue has room for them beyond the depth.
func (w *workQueue) count() int {
	n := 0
	for _, r := range w.requests {
		if !r.marker {
			n++
		}
	}
	return n
}

// add appends a request that the device does not have yet.
func (w *workQueue) add(r *request) {
	w.requests = append(w.requests, r)
	w.deferred++
}

// addMarker appends a marker to what the device has, before deferred requests.
func (w *workQueue) addMarker(r *request) {
	w.requests = slices.Insert(w.requests, len(w.requests)-w.deferred, r)
	w.unmarked = 0
}

// chain returns the deferred requests, and decides for each whether it is signalled. The device frees the place of an unsignalled request only when
// a later signalled one completes, so each half of the queue has a signalled one. A request that changes a token is also signalled, because its
// outcome must be known.
func (w *workQueue) chain() []*request {
	chain := w.requests[len(w.requests)-w.deferred:]
	unmarked := w.unmarked
	for _, r := range chain {
		r.signalled = !r.silent || r.window != nil || unmarked+1 >= max(1, w.depth/2)
		if r.signalled {
			unmarked = 0
		} else {
			unmarked++
		}
	}
	return chain
}

// posted says that the device took the oldest n deferred requests.
func (w *workQueue) posted(n int) {
	for _, r := range w.chain()[:n] {
		if r.signalled {
			w.unmarked = 0
		} else {
			w.unmarked++
		}
	}
	w.deferred -= n
}

// removeLast removes the newest request, which the device does not have.
func (w *workQueue) removeLast() {
	w.requests = w.requests[:len(w.requests)-1]
	w.deferred--
}

// endDeferred ends the deferred requests: the first with its own status, those behind it as flushed.
func (w *workQueue) endDeferred(first ndk.Status) {
	for i, r := range w.requests[len(w.requests)-w.deferred:] {
		if i == 0 {
			r.end(first)
		} else {
			r.end(ndk.STATUS_CANCELLED)
		}
	}
	w.deferred = 0
}

// complete removes r, whose outcome the device reported, and the requests that are then known to be done: unsignalled requests before it have
// succeeded, because the device completes a queue in order (POLL-09) and reports each failure. It returns those that have a completion, in order.
func (w *workQueue) complete(r *request) []*request {
	at := slices.Index(w.requests, r)
	if at < 0 {
		return nil
	}
	var done, kept []*request
	for _, earlier := range w.requests[:at] {
		switch {
		case earlier.ended:
			done = append(done, earlier)
		case earlier.signalled:
			kept = append(kept, earlier) // the device left it behind: that is not for this provider to hide
		}
	}
	if !r.marker && (!r.silent || r.Status != ndk.STATUS_SUCCESS) {
		done = append(done, r)
	}
	w.requests = append(kept, w.requests[at+1:]...)
	return append(done, w.settle()...)
}

// settle removes the requests that ended in software and have no outstanding request ahead of them.
func (w *workQueue) settle() []*request {
	n := 0
	for n < len(w.requests) && w.requests[n].ended {
		n++
	}
	done := w.requests[:n]
	w.requests = w.requests[n:]
	return done
}

// occupied says whether the device has anything.
func (w *workQueue) occupied() bool {
	return slices.ContainsFunc(w.requests[:len(w.requests)-w.deferred], func(r *request) bool { return !r.ended })
}

// awaited reports whether the device will complete any of its requests, if the newest sends, waiting of them, have no receive. A send that is doomed
// fails without a receive.
func (w *workQueue) awaited(waiting int) bool {
	posted := w.requests[:len(w.requests)-w.deferred]
	for at := len(posted) - 1; at >= 0 && waiting > 0; at-- {
		if posted[at].message != nil {
			waiting--
		}
		if waiting == 0 && posted[at].doomed {
			return true
		}
		posted = posted[:at]
	}
	return slices.ContainsFunc(posted, func(r *request) bool { return r.signalled && !r.ended })
}
