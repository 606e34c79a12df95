package events

import "slices"

// request is one that was posted, and whose completion has not been seen.
type request struct {
	wr       string // its name in the trace
	id       uint64 // wr_id or wr_cqe, which other requests may have as well
	place    uint64 // where its description was when it was posted
	signaled bool   // it has a completion when it succeeds
}

// workQueue has the requests of a send queue, a receive queue or a shared receive queue, in the order in which they were posted.
type workQueue struct{ requests []request }

// take finds the request of a completion and takes it out. Of the requests with the same id it is the first; of a success, the first that is signaled. With a
// success of a send queue those before it that are not signaled have succeeded, and are gone. Signaled ones before it stay: their completions may yet come, and whether
// they may come out of order is the judge's matter.
func (q *workQueue) take(id uint64, succeeded, inOrder bool) (wr string, found bool) {
	at := slices.IndexFunc(q.requests, func(r request) bool { return r.id == id && (r.signaled || !succeeded) })
	if at < 0 {
		return "", false
	}
	wr = q.requests[at].wr
	q.requests = slices.Delete(q.requests, at, at+1)
	if succeeded && inOrder {
		first := slices.IndexFunc(q.requests[:at], func(r request) bool { return r.signaled })
		if first < 0 {
			first = at
		}
		q.requests = slices.Delete(q.requests, 0, first)
	}
	return wr, true
}

// refuse removes the requests of a post that was not accepted, from the one that has the name on.
func (q *workQueue) refuse(names []string) {
	q.requests = slices.DeleteFunc(q.requests, func(r request) bool { return slices.Contains(names, r.wr) })
}

// cq is a completion queue that is recorded.
type cq struct {
	id     string
	silent bool // its handler is none that is recorded
}

// srq is a shared receive queue that is recorded.
type srq struct {
	id       string
	receives workQueue
}

// qp is a queue pair that is recorded.
type qp struct {
	id              string
	number          uint32
	kind            uint32 // enum ib_qp_type
	signalAll       bool
	sends, receives workQueue
	shared          *srq
}

// take finds the request of a completion. Whether it is a receive its opcode says. Of a failed one the opcode means nothing on some devices, so the other
// queue is looked at as well.
func (q *qp) take(item *Item) (wr string, found bool) {
	succeeded := item.Status == 0
	fromReceives := func() (string, bool) {
		if q.shared != nil {
			return q.shared.receives.take(item.Id, succeeded, false)
		}
		return q.receives.take(item.Id, succeeded, true)
	}
	receive := item.Opcode&opcodeReceive != 0
	if receive {
		wr, found = fromReceives()
	} else {
		wr, found = q.sends.take(item.Id, succeeded, true)
	}
	switch {
	case found || succeeded:
		return wr, found
	case receive:
		return q.sends.take(item.Id, false, true)
	}
	return fromReceives()
}
