package monitor

import (
	"fmt"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// served checks the messages that come to queue pairs which take their receives from a shared queue: POLL-05. Which of them took which receive is not
// followed, so the engines pair no messages of such a connection. All receives of a shared queue that the trace creates are in the trace: no more messages
// succeed, of all that go to its queue pairs, than receives were posted on it.
type served struct {
	nothing
	noRequest
	s         *requests
	verbs     bool
	succeeded map[string]int        // by shared receive queue: messages that took a receive of it
	reported  map[string]bool       // by shared receive queue
	strayed   map[*qpArguments]bool // which may have another peer than the one that is known
}

var _ = group(newServed)

func newServed(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{}
	}
	return &served{s: m.requests, verbs: m.dialect.Ibverbs, succeeded: map[string]int{}, reported: map[string]bool{}, strayed: map[*qpArguments]bool{}}
}

func (v *served) begin(c *Call, e *trace.Event) {
	if p := v.s.qps.get(e.Qp); p != nil && (c.Kind == calls.UnsettleQp || c.Kind == calls.ConnectQp && (e.Conn == "" || e.Conn != p.conn)) {
		v.strayed[p] = true
	}
}

func (v *served) dropped(p *qpArguments, closed bool) {
	if closed {
		delete(v.strayed, p)
	}
}

// completed counts a message that succeeded. One that names a token may have done so without a receive (INV-05).
func (v *served) completed(r *workRequest, c *Call, result *trace.Result) {
	p := r.queue.qp
	if p == nil || r.op != model.Send || v.verbs && r.opcode == "" || calls.OutcomeOf(result.Status) != model.SUCCESS {
		return
	}
	peer := v.s.peer(p)
	if peer == nil || peer.srq == "" || !p.created || !peer.created || p.kind != peer.kind || v.verbs && p.kind != "RC" || v.strayed[p] || v.strayed[peer] {
		return
	}
	srq := v.s.m.objects.byName[Srq].get(peer.srq)
	if srq == nil || !srq.created || v.s.srqs[""] != nil || v.reported[srq.Name] {
		return
	}
	v.succeeded[srq.Name]++
	posted := 0
	if q := v.s.srqs[srq.Name]; q != nil {
		posted = q.posted
	}
	if v.succeeded[srq.Name] <= posted {
		return
	}
	v.reported[srq.Name] = true
	b := breach.TooManySent(r.wr, fmt.Sprintf("more messages to the queue pairs of %s did than receives were posted on it (%d)", srq.Name, posted))
	v.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: b.Rule, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object(), srq.Object},
		Message: b.Message})
}
