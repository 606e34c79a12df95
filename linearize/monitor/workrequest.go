package monitor

import (
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A workRequest is one that was posted and of which no completion was delivered. Its arguments are kept until then, or until its
// queue pair is closed.
type workRequest struct {
	wr       string
	place    Place // of the call of its post
	fn       string
	opcode   string // libibverbs: without IBV_WR_, or "" where the trace does not record it
	op       model.Op
	bytes    int64 // of its buffers, or unknown
	token    int64 // that it names, or unknown
	queue    *requestQueue
	position int          // among the requests of its queue
	silent   bool         // it may have no completion if it succeeds
	accepted bool         // its post has returned success
	refused  bool         // its post was refused
	over     bool         // its completion was delivered, or its post was refused
	overlaps bool         // its post overlaps another of the queue, so that their order is not known
	next     *workRequest // of its queue
	previous *workRequest
	ruin     *ruin      // what its queue pair suffered before its post was called, or nil
	memory   [2]*object // the region and the window that it names, or nil
	notice
}

// names records the region and the window that a request of NDKPI is of.
func (r *workRequest) names(c *Call) {
	if c.Verbs {
		return
	}
	n := 0
	for _, o := range c.objects {
		if (o.Kind == Mr || o.Kind == Mw) && n < len(r.memory) {
			r.memory[n] = o
			o.named++
			n++
		}
	}
}

// unknown stands for a number that the trace does not record.
const unknown = -1

func known[N int64 | uint32](n *N) int64 {
	if n == nil {
		return unknown
	}
	return int64(*n)
}

// A requestQueue is a queue of a queue pair, or a shared receive queue.
type requestQueue struct {
	name        string       // of the queue pair, or of the shared receive queue
	qp          *qpArguments // or nil
	kind        model.Queue
	cq          string         // into which it completes, or "" where that is not known
	crowd       *crowd         // of that, since its first post
	depth       int64          // how many requests may be outstanding, or unknown
	outstanding int64          // requests that were accepted, and whose place is not free (A12)
	posted      int            // requests so far
	posting     int            // calls that are under way
	indicated   int            // the position of the latest request without NDK_OP_FLAG_DEFER, or -1
	silent      []*workRequest // those that may be silent, in the order of posting
	takes       bool           // a request was accepted
	uncertain   bool           // it may hold other requests than these
	requests    workRequest    // the ring of those that are not over
}

func newRequestQueue(name string, p *qpArguments, kind model.Queue) *requestQueue {
	q := &requestQueue{name: name, qp: p, kind: kind, depth: unknown, indicated: -1}
	q.requests.next, q.requests.previous = &q.requests, &q.requests
	return q
}

// object is what findings of the queue are of.
func (q *requestQueue) object() Object {
	if q.qp == nil {
		return Object{Srq, q.name}
	}
	return Object{Qp, q.name}
}

// qpArguments are what the trace says of a queue pair.
type qpArguments struct {
	name      string
	conn      string
	attempt   attempted
	kind      string       // libibverbs: its type, or "" where the trace does not record it
	created   bool         // the trace holds its creation
	signals   bool         // libibverbs: each of its requests has a completion, whatever its flags (sq_sig_all)
	srq       string       // from which it takes its receives, or "" where it takes them from its own queue, or the trace does not record it
	inline    int64        // the most bytes of inline data in a request, or unknown
	limitedAt int          // the line that says so
	chain     *workRequest // the latest of its deferred requests, if no request without NDK_OP_FLAG_DEFER followed
	flushing  int          // flushes that have not returned, or pend
	consumers consumers    // libibverbs: what it may have posted that consumes a receive of its peer
	initiator *requestQueue
	receive   *requestQueue
	peer      *qpArguments    // the other end of its connection, where the trace holds the creation of both; it may be closed
	sent      []*workRequest  // the messages that its peer has not received
	ended     int             // the index of the event that may have ended its connection first: a flush, a failure, a close; or -1
	reported  map[string]bool // what was said of it, and is said once
}

// consumers are the kinds of requests that consume a receive of the peer: sends, and RDMA writes with immediate data, whose bytes go elsewhere.
type consumers struct{ sends, writes bool }

func (c *consumers) add(opcode string) {
	c.sends = c.sends || opcode == "" || strings.HasPrefix(opcode, "SEND")
	c.writes = c.writes || opcode == "" || opcode == "RDMA_WRITE_WITH_IMM"
}

// once reports whether something is said of the queue pair for the first time.
func (p *qpArguments) once(what string) bool {
	if p.reported[what] {
		return false
	}
	if p.reported == nil {
		p.reported = map[string]bool{}
	}
	p.reported[what] = true
	return true
}

// A posting is a post that is under way.
type posting struct {
	call     *Call
	queue    *requestQueue
	requests []*workRequest
}

// A polling is a poll that is under way.
type polling struct {
	call *Call
	cq   string
	room int64
	asks bool // the trace records that it asks for completions
}

// roomOf returns how many completions the polls of a completion queue may be taking that are under way.
func (s *requests) roomOf(cq string) int64 {
	room := int64(0)
	for _, p := range s.polls {
		if p.cq == cq {
			room += min(p.room, maxRequests)
		}
	}
	return room
}

// limit records the limits that an event of a creation records.
func (p *qpArguments) limit(e *trace.Event) {
	note := func(to *int64, limit *int64) {
		if limit != nil {
			*to = *limit
		}
	}
	note(&p.initiator.depth, e.InitiatorDepth)
	note(&p.receive.depth, e.ReceiveDepth)
	if note(&p.inline, e.Inline); e.Inline != nil {
		p.limitedAt = e.Line
	}
}

// maxSilent is how many requests of a queue are followed that may have succeeded without a word. The place of an older one counts as free.
const maxSilent = 256

func (q *requestQueue) keepSilent(s *requests, r *workRequest) {
	if q.silent = append(q.silent, r); len(q.silent) <= maxSilent {
		return
	}
	if oldest := q.silent[0]; !oldest.over {
		s.remove(oldest)
	}
	q.silent = q.silent[1:]
}

// oldest returns up to n of the requests that are outstanding, the oldest first.
func (q *requestQueue) oldest(n int) []*workRequest {
	var all []*workRequest
	for r := q.requests.next; r != &q.requests && len(all) < n; r = r.next {
		all = append(all, r)
	}
	return all
}

// newRequest returns a request. They are made some at a time.
func (s *requests) newRequest(wr string, bytes *int64, token *uint32) *workRequest {
	if len(s.block) == 0 {
		s.block = make([]workRequest, 16)
	}
	r := &s.block[0]
	s.block = s.block[1:]
	r.wr, r.bytes, r.token = wr, known(bytes), known(token)
	return r
}
