package monitor

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Missing is a callback of a CQ that was owed at a moment of rest, and was not entered. An engine finds that it is missing; which rule that
// breaks is said here, from boundary events alone, so that every engine names the same one. docs/contract.md has the order of precedence.
type Missing struct {
	dialect    model.Dialect
	cq         *notifications
	at         int // the moment of rest
	from       int // the latest callback before it, or -1
	arms       []arm
	armed      bool           // the CQ was at some time
	candidates []*workRequest // whose completion it may have been for
}

// Missing notes that a callback of a CQ is missing at the moment of rest on a line.
func (m *Monitor) Missing(cq string, line int) *Missing {
	o := m.armings
	q := o.cq(cq)
	at := m.now.Index + 1
	if i, found := slices.BinarySearchFunc(o.rests, line, func(r restAt, line int) int { return r.line - line }); found {
		at = o.rests[i].index
	}
	p := &q.present
	if p.from > at && q.previous.to == p.from {
		p = &q.previous
	}
	l := m.lost(q, p, at)
	if len(l.arms) == 0 && m.dialect.SecondArm == model.Merge { // the latest callback was for the first of several arms (A2)
		if l = m.lost(q, &q.previous, at); len(l.arms) > 0 {
			l.arms = l.arms[1:]
		}
	}
	return l
}

// Unowed notes that none was owed when the latest callback of a CQ was entered.
func (m *Monitor) Unowed(cq string) *Missing {
	q := m.armings.cq(cq)
	return m.lost(q, &q.previous, q.present.from)
}

// lost returns what is known of a period of a CQ up to a moment.
func (m *Monitor) lost(q *notifications, p *period, at int) *Missing {
	l := &Missing{dialect: m.dialect, cq: q, at: at, from: p.from, armed: q.armed}
	for _, a := range p.arms {
		if a.called < at {
			l.arms = append(l.arms, a)
		}
	}
	l.candidates = append(append(l.candidates, p.delivered...), p.dropped...)
	for _, w := range q.queues {
		l.candidates = append(l.candidates, w.oldest(maxCandidates)...)
	}
	return l
}

// IsArmed reports whether the CQ had been armed since its latest callback.
func (l *Missing) IsArmed() bool { return len(l.arms) > 0 }

// NameMissing names the rule that a callback of a CQ breaks which is missing at the moment of rest on a line of a trace.
func NameMissing(t *trace.Trace, d model.Dialect, cq string, line int) Named {
	m := New(t.Header, d)
	var missing *Missing
	for i := range t.Events {
		if m.Take(&t.Events[i]); t.Events[i].Line == line {
			missing = m.Missing(cq, line)
		}
	}
	if m.Finish(t.End); missing == nil {
		missing = m.Missing(cq, line)
	}
	return missing.Name()
}

// NameUnowed names the rule that a callback of a CQ breaks which is entered on a line of a trace, and is not owed.
func NameUnowed(t *trace.Trace, d model.Dialect, cq string, line int) Named {
	m := New(t.Header, d)
	var unowed *Missing
	for i := range t.Events {
		if m.Take(&t.Events[i]); t.Events[i].Line == line {
			unowed = m.Unowed(cq)
		}
	}
	if m.Finish(t.End); unowed == nil {
		unowed = m.Unowed(cq)
	}
	return unowed.NameUnowed()
}

// IsOfMissing reports whether a rule is one that a missing callback can break, and IsOfUnowed whether it is one that a callback can break which
// is entered and not owed.
func IsOfMissing(rule string) bool {
	return rule == "ARM-03" || rule == "ARM-04" || slices.Contains(precedence, rule)
}

// IsOfUnowed is said at IsOfMissing.
func IsOfUnowed(rule string) bool {
	return slices.Contains([]string{"ARM-01", "ARM-02", "ARM-08", "ARM-12", "ARM-21"}, rule)
}

// A Named is the rule that a missing callback breaks, and what shows it.
type Named struct {
	Rule    string
	Also    []string
	See     []int
	Message string
}

// Name says which rule the missing callback breaks. It is asked when the whole trace is known, as later polls tell how requests ended.
//
// A completion that matches, or any in one reading of A3, and that may have been in the CQ when it was armed, is a breach of ARM-04. One that can only have come later breaks
// the rule by which it matches: ARM-07 where one of the merged arms alone would not match, and else ARM-11, ARM-10 or ARM-09.
func (l *Missing) Name() Named {
	if l.dialect.FreshAtArm == model.Must {
		for i, a := range l.arms {
			armed := l.merged(i + 1)
			for _, r := range l.candidates {
				if c, from, ok := l.completion(r); ok && l.dialect.Obliges(armed, c) && from < a.by() {
					return l.named("ARM-04", l.arms[:i+1], r)
				}
			}
		}
	}
	rule, of := "", (*workRequest)(nil)
	for _, r := range l.candidates {
		c, _, ok := l.completion(r)
		if !ok {
			continue
		}
		if by := l.matches(c); precedes(by, rule) {
			rule, of = by, r
		}
	}
	if of == nil {
		return l.unnamed()
	}
	return l.named(rule, l.arms, of)
}

// NameUnowed says which rule a callback breaks that is entered and not owed.
func (l *Missing) NameUnowed() Named {
	what, entered, owed := "the callback", "was entered", "callback"
	if l.dialect.EventsAreRead {
		what, entered, owed = "an event", "was read", "event"
	}
	n := Named{Message: fmt.Sprintf("%s of %s %s, and no %s is owed: ", what, l.cq.name, entered, owed)}
	for _, a := range l.arms {
		n.See = append(n.See, a.line)
	}
	armed := l.merged(len(l.arms))
	switch {
	case !l.armed:
		n.Rule, n.Message = "ARM-01", n.Message+"it was never armed"
	case len(l.arms) == 0:
		n.Rule, n.Also, n.Message = "ARM-02", []string{"ARM-01"}, n.Message+"it was not armed since the one before"
	case armed == model.ERRORS:
		n.Rule, n.Also, n.Message = "ARM-08", []string{"ARM-21"}, n.Message+"it was armed ERRORS, and the CQ has reported no error"
	case armed == model.SOLICITED && l.holdsPlain():
		n.Rule, n.Message = "ARM-12", n.Message+"it was armed SOLICITED, and holds only unsolicited successes"
	default:
		n.Rule, n.Message = "ARM-21", n.Message+"it was armed "+typesOf(l.arms)+", and no completion that matches has come since"
	}
	return n
}

// holdsPlain reports whether the CQ held a success that nobody solicited, which had not been delivered.
func (l *Missing) holdsPlain() bool {
	return slices.ContainsFunc(l.candidates, func(r *workRequest) bool {
		c, _, ok := l.completion(r)
		return ok && (r.done < 0 || r.done > l.at) && c.Status == model.SUCCESS && !c.Solicited
	})
}

// by returns by when an arm had taken effect.
func (a arm) by() int {
	if a.returned < 0 {
		return int(^uint(0) >> 1)
	}
	return a.returned
}

// merged returns what the first n arms make together (ARM-07).
func (l *Missing) merged(n int) model.Arm {
	armed := model.NONE
	for _, a := range l.arms[:n] {
		armed = model.Stronger(armed, a.kind)
	}
	return armed
}

// matches returns the rule by which a completion matches the arms, or "".
func (l *Missing) matches(c model.Completion) string {
	armed := l.merged(len(l.arms))
	if l.dialect.Match(armed, c) == model.MustNot || armed == model.SOLICITED && l.dialect.Match(armed, c) != model.Must {
		return ""
	}
	for _, a := range l.arms {
		if l.dialect.Match(a.kind, c) == model.MustNot {
			return "ARM-07"
		}
	}
	switch {
	case armed == model.ERRORS:
		return "ARM-08"
	case armed == model.SOLICITED && c.Status != model.SUCCESS:
		return "ARM-11"
	case armed == model.SOLICITED:
		return "ARM-10"
	}
	return "ARM-09"
}

// precedence lists the rules of a completion that came after the arm. Where several completions may be the one, the first rule is named.
var precedence = []string{"ARM-07", "ARM-11", "ARM-10", "ARM-09", "ARM-08"}

func precedes(rule, other string) bool {
	return rule != "" && (other == "" || slices.Index(precedence, rule) < slices.Index(precedence, other))
}

// completion returns what the completion of a request is, and from when on it can have been placed. It is not ok where it cannot have been placed
// between the latest callback and the rest.
func (l *Missing) completion(r *workRequest) (c model.Completion, from int, ok bool) {
	polled := l.dialect.A25 != model.A25Yes && len(l.arms) > 0 && r.done >= 0 && r.done < l.arms[0].called
	reported := r.reported >= 0 && r.reported <= l.from
	if r.place.Index >= l.at || polled || reported || r.placed >= 0 && (r.placed < l.from || r.placed > l.at) {
		return c, 0, false
	}
	p := r.queue.qp
	receive := r.queue.kind == model.Receive
	from = max(r.place.Index, r.placed)
	c = model.Completion{Queue: model.Initiator, Status: model.SUCCESS}
	if receive {
		c.Queue = model.Receive
	}
	broken := p.ended >= 0 && p.ended < l.at
	switch {
	case r.status != "":
		c.Status, c.Solicited = calls.OutcomeOf(r.status), r.solicited
		from = max(from, r.from)
	case receive:
		switch m := p.message(r); {
		case m != nil && m.place.Index < l.at:
			c.Solicited = m.solicits
			from = max(from, m.place.Index)
		case broken:
			c.Status = model.CANCELLED
		default:
			return c, 0, false // it waits for a message
		}
	case l.isSilent(r) && !broken:
		return c, 0, false // it succeeds without a completion
	case l.isSilent(r):
		c.Status = model.CANCELLED
	}
	if c.Status == model.CANCELLED {
		from = max(from, p.cancelledFrom(broken))
	}
	empty := r.emptyUntil
	if r.done < 0 {
		empty = l.cq.empty
	}
	from = max(from, empty)
	return c, from, from < l.at
}

// isSilent reports whether a request succeeds without a completion. In libibverbs one without SIGNALED need not (sq_sig_all).
func (l *Missing) isSilent(r *workRequest) bool { return r.silent && !l.dialect.Ibverbs }

// cancelledFrom returns from when on requests of a QP can have been cancelled: since it ended, or where nothing tells that it has, since the first
// request of either end that may have failed unseen; or -1.
func (p *qpArguments) cancelledFrom(broken bool) int {
	if broken {
		return p.ended
	}
	first := -1
	for _, end := range []*qpArguments{p, p.peer} {
		if end == nil {
			continue
		}
		for _, r := range end.initiator.oldest(1) {
			if posted := r.place.Index; first < 0 || posted < first {
				first = posted
			}
		}
	}
	return first
}

// message returns the message of the peer that a receive takes, of which nothing is told yet, if the peer has sent it.
func (p *qpArguments) message(r *workRequest) *workRequest {
	if p.peer == nil {
		return nil
	}
	if i := slices.Index(p.receive.oldest(len(p.peer.sent)), r); i >= 0 {
		return p.peer.sent[i]
	}
	return nil
}

// named says which completion the callback was for.
func (l *Missing) named(rule string, arms []arm, r *workRequest) Named {
	what, event := l.words()
	n := Named{Rule: rule, Also: []string{"ARM-03"}, See: []int{r.place.Line}}
	for _, a := range arms {
		n.See = append(n.See, a.line)
	}
	if r.doneLine > 0 {
		n.See = append(n.See, r.doneLine)
	}
	n.Message = fmt.Sprintf("the provider was at rest, and %s of %s is owed and %s: ", what, l.cq.name, event)
	if rule == "ARM-04" {
		n.Message += fmt.Sprintf("when it was armed %s, it may have held the completion of %s (%s), placed since the last callback", typesOf(arms), r.wr, l.kindOf(r))
	} else {
		n.Message += fmt.Sprintf("it was armed %s, and the completion of %s (%s) matches", typesOf(arms), r.wr, l.kindOf(r))
	}
	return n
}

// unnamed says only that a callback is missing.
func (l *Missing) unnamed() Named {
	what, event := l.words()
	n := Named{Rule: "ARM-03", Message: fmt.Sprintf("the provider was at rest, and %s of %s is owed and %s", what, l.cq.name, event)}
	for _, a := range l.arms {
		n.See = append(n.See, a.line)
	}
	return n
}

func (l *Missing) words() (what, event string) {
	if l.dialect.EventsAreRead {
		return "an event", "did not come"
	}
	return "a callback", "was not entered"
}

func typesOf(arms []arm) string {
	var types []string
	for _, a := range arms {
		types = append(types, a.kind.String())
	}
	return strings.Join(types, " then ")
}

// kindOf says what an arm can tell of a completion.
func (l *Missing) kindOf(r *workRequest) string {
	c, _, _ := l.completion(r)
	switch {
	case r.status == "" && c.Status != model.SUCCESS:
		return "cancelled"
	case r.status == "":
		return "its outcome is not recorded"
	case c.Status != model.SUCCESS:
		return r.status
	case c.Solicited:
		return "solicited, success"
	}
	return "success"
}
