package monitor

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
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

// Missing records that a callback of a CQ is missing at the moment of rest on a line.
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

// Unowed records that none was owed when the latest callback of a CQ was entered.
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

// A Named is the rule that a missing callback breaks, and what shows it.
type Named struct {
	breach.Breach
	See   []int
	Rests declared.Ground // beside what each breach of the rule does
}

// Name says which rule the missing callback breaks. It is called when the whole trace is known, because later polls show how requests ended.
//
// The callback was owed for a completion that matches, or for any under one reading of A3. That completion may have been in the CQ when it was armed, or
// else was placed later. Package breach has the rules of both.
func (l *Missing) Name() Named {
	if l.dialect.FreshAtArm == model.Must {
		for i, a := range l.arms {
			armed := l.merged(i + 1)
			for _, r := range l.candidates {
				if c, from, ok := l.completion(r); ok && l.dialect.Obliges(armed, c) && from < a.by() {
					return l.named(l.callbacks(l.arms[:i+1]).NotEnteredAtArm(r.wr, l.kindOf(r)), l.arms[:i+1], r)
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
		if by := l.Matches(c); breach.Precedes(by, rule) {
			rule, of = by, r
		}
	}
	if of == nil {
		return l.named(l.callbacks(l.arms).NotEntered(), l.arms, nil)
	}
	return l.named(l.callbacks(l.arms).NotEnteredFor(of.wr, l.kindOf(of), rule), l.arms, of)
}

// NameUnowed says which rule a callback breaks that is entered and not owed.
func (l *Missing) NameUnowed() Named {
	armed := l.merged(len(l.arms))
	return l.named(l.callbacks(l.arms).Unowed(!l.armed, armed, armed == model.SOLICITED && l.holdsPlain()), l.arms, nil)
}

// holdsPlain reports whether the CQ had an unsolicited success that had not been delivered.
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

// Matches returns the rule by which a completion matches the arms, or "".
func (l *Missing) Matches(c model.Completion) string {
	armed := l.merged(len(l.arms))
	if l.dialect.Match(armed, c) == model.MustNot || armed == model.SOLICITED && l.dialect.Match(armed, c) != model.Must {
		return ""
	}
	for _, a := range l.arms {
		if l.dialect.Match(a.kind, c) == model.MustNot {
			return breach.MatchingMerged()
		}
	}
	return breach.Matching(armed, c.Status != model.SUCCESS)
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

// cancelledFrom returns from when on requests of a QP can have been cancelled: since it ended, or where nothing shows that it has, since the first
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

// message returns the message of the peer that a receive without a recorded outcome takes, if the peer has sent it.
func (p *qpArguments) message(r *workRequest) *workRequest {
	if p.peer == nil {
		return nil
	}
	if i := slices.Index(p.receive.oldest(len(p.peer.sent)), r); i >= 0 {
		return p.peer.sent[i]
	}
	return nil
}

// callbacks returns those of the CQ since it was armed so.
func (l *Missing) callbacks(arms []arm) breach.Callbacks {
	c := breach.Callbacks{Cq: l.cq.name, Read: l.dialect.EventsAreRead}
	for _, a := range arms {
		c.Arms = append(c.Arms, a.kind)
	}
	return c
}

// named says what shows a breach: the request of the completion, if that is known, and the arms.
func (l *Missing) named(b breach.Breach, arms []arm, r *workRequest) Named {
	n := Named{Breach: b}
	if r != nil {
		n.See = append(n.See, r.place.Line)
	}
	for _, a := range arms {
		n.See = append(n.See, a.line)
	}
	if r != nil && r.doneLine > 0 {
		n.See = append(n.See, r.doneLine)
	}
	if r != nil && r.status == "" && r.queue.kind == model.Receive {
		if c, _, _ := l.completion(r); c.Status == model.SUCCESS { // nothing but its message tells that it has completed
			n.Rests = declared.Arrival
		}
	}
	return n
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
