package monitor

import (
	"fmt"
	"strings"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A failure is a request that failed or was flushed.
type failure struct {
	rule           string // that a success behind it breaks
	position, line int
	wr, status     string
}

// reportBehind reports a request that succeeded behind one of its queue that had ended the connection.
func (n *ends) reportBehind(s success, f *failure) {
	r, why := s.request, ""
	if f.rule == breach.BadToken {
		why = ", as the token of a message was not valid"
	}
	n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: f.rule, Place: s.place, See: []int{f.line, r.place.Line},
		Objects: []Object{r.queue.object(), {Cq, s.cq}}, Follows: true,
		Message: fmt.Sprintf("%s succeeded behind %s on the same queue of %s, which ended with %s%s", r.wr, f.wr, r.queue.name, f.status, why)})
}

// endsQueue reports whether nothing behind a request succeeds that ended so. In NDKPI it may (A40), and what has passed a read may. A failed send
// of UC or UD stops the initiator queue. UC and UD go on after a failure of a receive.
func (n *ends) endsQueue(r *workRequest, outcome model.Outcome) bool {
	switch {
	case n.mayBePassed(r):
		return false
	case n.verbs():
		t := n.kindOf(r.queue.name)
		return r.queue.kind == model.Initiator || t != "UC" && t != "UD"
	case n.s.m.dialect.FailureEnds:
		return outcome == model.FAILED
	}
	return false
}

// mayBePassed reports whether what is behind a request on its queue may be executed first.
func (n *ends) mayBePassed(r *workRequest) bool {
	unknown := r.opcode == "" && n.verbs() && r.op != model.ReceiveOp
	return r.op == model.Read || r.opcode == "RDMA_READ" || strings.HasPrefix(r.opcode, "ATOMIC") || unknown
}

// endsBoth reports whether the connection of a queue pair has ended once a poll has delivered a request that ended so.
func (n *ends) endsBoth(r *workRequest, outcome model.Outcome) bool {
	if n.verbs() {
		t := n.kindOf(r.queue.name)
		return t == "RC" || strings.HasPrefix(t, "XRC")
	}
	return n.s.m.dialect.FailureEnds && outcome == model.FAILED
}

// fails records the end of a connection that a poll shows. Pending requests complete as well: in libibverbs the queue pair is in its error state; in
// NDSPI the receives may wait.
func (n *ends) fails(r *workRequest, result *trace.Result) {
	p := r.queue.qp
	if n.of[p.name] != nil {
		return // what is pending is known to be flushed
	}
	e := &qpEnd{rule: breach.OfErrorState, sends: true, receives: n.verbs(), what: fmt.Sprintf("a poll had shown that %s ended with %s", r.wr, result.Status), at: n.s.m.now}
	n.note(p.name, e)
	for _, q := range []*requestQueue{p.initiator, p.receive} {
		if !e.flushes(q) {
			continue
		}
		for other := q.requests.next; other != &q.requests && len(n.behind) < maxRequests; other = other.next {
			if other != r && other.accepted && !other.silent {
				n.behind[other.wr] = &late{request: other, end: e, pending: true}
			}
		}
	}
}
