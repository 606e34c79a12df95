package refimpl

import "ndkoracle/ndk"

// request is one posted request, and in the end its outcome.
type request struct {
	ndk.ResultEx
	flags          ndk.OpFlags
	sgl            []ndk.Sge
	inline         []byte // the data of a request with NDK_OP_FLAG_INLINE, taken at the post (FLAG-07)
	remoteAddress  uint64
	remoteToken    ndk.Token
	peerInvalidate bool // NdkSendAndInvalidate of remoteToken
	object         *revocable
	region         *region // that the request registers, binds or invalidates
	solicited      bool    // of a receive: the sender asked for an event
}

// queue is one of a QP's two: its requests in posting order. The first ones were executed, and wait for their completion
// to be placed; those and the next ones are indicated to the device; the rest is deferred.
type queue struct {
	requests  []*request
	executed  int
	indicated int
	depth     int
	cq        *cq
}

func (q *queue) post(r *request) { q.requests = append(q.requests, r) }

func (q *queue) indicate() { q.indicated = len(q.requests) }

// next returns the request to execute next, nil when none is indicated.
func (q *queue) next() *request {
	if q.executed == q.indicated {
		return nil
	}
	return q.requests[q.executed]
}

// finish gives the next request its outcome.
func (q *queue) finish(status ndk.Status) {
	q.requests[q.executed].Status = status
	q.executed++
}

// remove removes the oldest request, which was executed, from the queue.
func (q *queue) remove() *request {
	r := q.requests[0]
	q.requests[0] = nil
	q.requests = q.requests[1:]
	q.executed--
	q.indicated--
	return r
}
