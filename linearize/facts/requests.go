package facts

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// signaling says which requests of a queue pair have a completion that succeed.
type signaling struct {
	all   bool
	sends bool // it was moved to RTS, or posted on as if it were
	used  bool // it was to be connected, or posted on
}

func (r *Reader) signalingOf(qp string) *signaling {
	s := r.signaling[qp]
	if s == nil {
		s = &signaling{}
		r.signaling[qp] = s
	}
	return s
}

const sharedQueue = "a shared receive queue"

// shared is what is known of shared receive queues.
type shared struct {
	posted bool // a receive was posted to one
	named  bool // a queue pair was created that names the one that it takes its receives from
	apart  bool // a queue pair was created that names no shared queue
}

// mayShare leaves everything undecided where receives are posted to a shared queue, and no queue pair names one: any may take them.
func (r *Reader) mayShare() {
	if r.shared.posted && r.shared.apart && !r.shared.named {
		r.to.Beyond("", "", sharedQueue)
	}
}

func (r *Reader) createQp(e *trace.Event) {
	all, _ := calls.SignalsAll(e)
	r.signaling[e.Qp] = &signaling{all: all}
	r.to.QpCreated(Qp{Name: e.Qp, InitiatorCq: e.InitiatorCq, Receive: e.ReceiveCq,
		Reliable: calls.IsReliable(e), Loses: !calls.MayLoseConnection(e), Paired: calls.DeliversMessages(e), Srq: e.Srq})
	if e.Srq == "" {
		r.shared.apart = true
		r.mayShare()
		return
	}
	if r.shared.named = true; !calls.IsReliable(e) { // a receive that fails breaks it, and which it took is not followed
		r.to.Beyond("", e.Qp, sharedQueue)
	}
}

// requests reads the requests of a post.
func (r *Reader) requests(c *Call, e *trace.Event) {
	switch {
	case !c.Verbs:
		if c.Op.Registers() {
			c.memory = append(c.memory, e.Mw, e.Mr)
		}
		q := r.withToken(Request{Wr: e.Wr, Op: c.Op}, e.Token, e.Mw, e.Mr)
		if c.Queue == model.Initiator {
			q.Silent, q.Deferred, q.Fence = slices.Contains(e.Flags, "SILENT_SUCCESS"), slices.Contains(e.Flags, "DEFER"), slices.Contains(e.Flags, "READ_FENCE")
			q.Invalidates = slices.Contains(e.Flags, localInvalidate)
		}
		c.Requests = append(c.Requests, q)
	case c.Fn == "ibv_bind_mw":
		c.memory = append(c.memory, e.Mw, e.Mr)
		c.Requests = append(c.Requests, r.withToken(Request{Wr: e.Wr, Op: model.Bind, Silent: true}, e.Token, e.Mw, e.Mr))
	default:
		for i := range e.Wrs {
			c.Requests = append(c.Requests, r.request(c, e.Qp, &e.Wrs[i]))
		}
		if e.Cut > 0 {
			r.to.Beyond("", e.Qp, "a list of requests that was cut short")
		}
	}
}

func (r *Reader) request(c *Call, qp string, w *trace.WorkRequest) Request {
	if c.Queue == model.Receive {
		return Request{Wr: w.Wr, Op: model.ReceiveOp}
	}
	op, unknown := calls.OpOfRequest(w)
	s := r.signalingOf(qp)
	s.sends = true
	if unknown != "" {
		r.to.Beyond("", qp, unknown)
	}
	q := Request{Wr: w.Wr, Op: op, Silent: !s.all && !calls.HasVerbsFlag(w.Flags, "SIGNALED"), Fence: calls.HasVerbsFlag(w.Flags, "FENCE")}
	q.Invalidates = slices.Contains(w.Flags, localInvalidate)
	return r.withToken(q, w.Token, w.Mw, w.Mr)
}

const localInvalidate = "RDMA_READ_LOCAL_INVALIDATE"

// accepted returns how many requests a post has queued.
func (r *Reader) accepted(c *Call, ret *trace.Event) int {
	if calls.IsSuccess(c.Verbs, ret) || !c.Verbs && calls.Pending(ret) {
		return len(c.Requests)
	}
	n := slices.IndexFunc(c.Requests, func(q Request) bool { return q.Wr == ret.BadWr })
	if n < 0 && len(c.Requests) > 1 {
		r.to.Beyond("", c.Qp, calls.StoppedSomewhere(c.Fn))
	}
	return max(0, n)
}
