package monitor

import (
	"fmt"
	"maps"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A late request was posted after an end.
type late struct {
	request *workRequest
	end     *qpEnd
	owed    Place // the first moment of rest by which it had to complete, or none
	defers  bool
	pending bool // it was posted before the end
}

// since says when the request was posted, before the words of its end.
func (l *late) since() string {
	if l.pending {
		return "it was pending, and"
	}
	return "it was posted after"
}

// isDeferred reports whether the flags of a request leave it deferred.
func isDeferred(flags []string) bool { return slices.Contains(flags, "DEFER") }

// owes returns the rule that l breaks if it never completes. A silent request has to complete only as it does not succeed.
func (l *late) owes() string {
	return breach.Overdue{Wr: l.request.wr, Silent: l.request.silent && l.request.opcode == ""}.Breach().Rule
}

// point looks at a completion that was placed.
func (n *ends) point(e *trace.Event) {
	l := n.behind[e.Wr]
	if l == nil || l.pending || l.end.rule == "" || calls.KindOf(e) != calls.Placed || calls.OutcomeOf(e.Status) != model.SUCCESS {
		return
	}
	n.drop(e.Wr)
	r := l.request
	n.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: l.end.rule, See: []int{r.place.Line, l.end.at.Line},
		Objects: []Object{r.queue.object(), {Cq, e.Cq}}, Follows: true, Message: fmt.Sprintf("%s was posted after %s, and succeeded", r.wr, l.end.what)})
}

// rest records which requests have to have completed by now.
func (n *ends) rest() {
	for _, l := range n.behind {
		if r := l.request; l.end.flushes(r.queue) && r.accepted && !l.defers && l.owed == (Place{}) && r.queue.cq != "" {
			l.owed = n.s.m.now
			n.owing[r.queue.cq]++
		}
	}
}

// foundNothing is DEF-04: a poll that began after a moment of rest found nothing.
func (n *ends) foundNothing(c *Call) {
	if n.owing[c.Cq] == 0 || n.mayFail(c.Cq) {
		return
	}
	for _, wr := range slices.Sorted(maps.Keys(n.behind)) {
		l := n.behind[wr]
		r := l.request
		if r.over { // a later completion of its queue was delivered
			n.drop(wr)
			continue
		}
		if r.queue.cq != c.Cq || l.owed == (Place{}) || l.owed.Index > c.Begun.Index {
			continue
		}
		n.drop(wr)
		n.loses(lostRequest{Finding{Verdict: verdict.ProviderViolation, Rule: l.owes(), Place: l.owed, See: []int{r.place.Line, l.end.at.Line, n.s.m.now.Line},
			Objects: []Object{r.queue.object(), {Cq, c.Cq}}, Follows: true,
			Message: fmt.Sprintf("the provider was at rest, and %s had not completed: %s %s", wr, l.since(), l.end.what)}, []string{c.Cq}})
	}
}

// A lostRequest had not completed by a moment of rest, unless one of these CQs had failed, as a callback may tell later.
type lostRequest struct {
	finding Finding
	cqs     []string
}

// loses keeps a finding until no callback can withdraw it.
func (n *ends) loses(lost lostRequest) {
	if n.lost = append(n.lost, lost); len(n.lost) > maxRequests {
		n.reportLost()
	}
}

// reportLost reports what had not completed by a moment of rest, unless the CQ has reported an error since: it may have failed by then.
func (n *ends) reportLost() {
	for _, lost := range n.lost {
		if !slices.ContainsFunc(lost.cqs, n.mayFail) {
			n.s.m.report(lost.finding)
		}
	}
	n.lost = nil
}
