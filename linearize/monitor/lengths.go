package monitor

import (
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// lengths checks how many bytes a receive says that it got: RES-13.
type lengths struct {
	seldom
	noRequest
	s     *requests
	count *int
}

// tooLong is the rule that a message fits into the buffers of its receive.
const tooLong = "RES-13"

var _ = decides(
	rule{ID: tooLong, On: on{"a receive succeeds whose buffers are known"}, Alone: true, Undefined: "a property of one result: the contract has no lengths"},
)

func newLengths(m *Monitor) checks { return &lengths{s: m.requests, count: m.counter(tooLong)} }

// completed is RES-13. An RDMA write with immediate data consumes a receive, and its bytes go elsewhere. With a datagram come 40 bytes of header,
// which count on both sides.
func (l *lengths) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.op != model.ReceiveOp || r.bytes == unknown || result.Bytes == nil || calls.OutcomeOf(result.Status) != model.SUCCESS ||
		result.Opcode == "RECV_RDMA_WITH_IMM" {
		return
	}
	may := l.consumersOf(r)
	written := c.Verbs && result.Opcode == "" && may.writes
	if written && !may.sends {
		return
	}
	*l.count++
	if *result.Bytes <= r.bytes {
		return
	}
	f := Finding{Verdict: verdict.ProviderViolation, Rule: tooLong, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()},
		Message: fmt.Sprintf("the receive %s succeeded with %d bytes, and its buffers have %d", r.wr, *result.Bytes, r.bytes)}
	if written {
		f.Verdict = verdict.Inconclusive
		f.Message += ", unless it was consumed by an RDMA write with immediate data: the trace does not record the opcode of the completion (field opcode)"
	}
	l.s.m.report(f)
}

// consumersOf returns what may have consumed a receive. UD has no RDMA writes.
func (l *lengths) consumersOf(r *workRequest) consumers {
	p := r.queue.qp
	if p == nil {
		return consumers{sends: true, writes: true}
	}
	peer := l.s.peer(p)
	if peer == nil || !peer.created {
		return consumers{sends: true, writes: p.kind != "UD"}
	}
	return consumers{peer.consumers.sends, peer.consumers.writes && p.kind != "UD"}
}
