package stream

import (
	"cmp"
	"fmt"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// died reports that no explanation of a CQ is left, and which rule was in the way.
func (q *cq) died(a *automaton.Queue, e *observation) {
	if err := a.Err(); err != nil {
		q.bounded(err)
		return
	}
	q.queue = a
	defer a.Resume()
	if e.what == exited && q.group.root().broken {
		return // of a callback that was told of when it was entered
	}
	f := verdict.Finding{Line: e.line, Message: q.seen(e) + ", and nothing explains what was seen before"}
	if e.what == noEvent {
		f.Line = cmp.Or(q.arms.restLine, q.restedLine)
	}
	if e.what == owes {
		f.Line = e.request.inPlaceLine()
	}
	if e.what == readers { // an event was not read that had to be read by then
		says(&f, breach.Unread(q.seen(e)))
		f.Line = cmp.Or(q.unreadLine, q.restedLine)
	}
	if why := a.Why(); e.unnamed && (len(why) == 0 || !breach.IsOfClosed(why[0])) { // a CQ that is closed gives no events, on any channel
		q.group.leaveOpen(q.seen(e) + ", which nothing explains, and " + verdict.NotOnChannel)
		return
	}
	if why := a.Why(); len(why) > 0 {
		first := why[0]
		if e.what == enter && e.status == model.BufferOverflow {
			first = why[len(why)-1] // of an explanation in which the CQ had overflowed
		}
		f.Rule, f.Message = first.Rule, q.seen(e)+", and "+first.Why
		q.refine(&f, first, e)
	}
	if q.window.isFollowed() {
		q.group.root().without = q
	}
	q.s.unexplained(q.group, f.Rule, f.Line, f.See, "%s", f.Message)
	q.group.root().without = nil
	switch told := len(q.s.findings) - 1; {
	case q.s.muted:
	case q.isMissing(a.Why(), e):
		if e.what == owes {
			q.s.findings[told].Line = q.missedBy(e)
		}
		q.s.misses(q)
	case q.isUnowed(&f, e):
		q.s.findings[told].unowed = q.s.monitor.Unowed(q.name)
	}
	if q.s.also(f.Also...); e.what == foundNothing && breach.IsOfPassedOver(f.Rule) {
		q.alsoByResize(q.oldest(), f.Also...)
	}
	if !q.s.muted {
		told := &q.s.findings[len(q.s.findings)-1]
		told.Before, told.Instead = q.before(a, e)
	}
	if e.what == enter && e.status != model.OK {
		q.s.silence(q.group)
	}
	if why := a.Why(); len(why) > 0 && q.isOvertaken(why[0], e) {
		q.oldestOwed(e.request.called).missed = true // it is told
	}
}

// isMissing reports whether what nothing explains is that a callback for completions was not entered by a moment of rest.
func (q *cq) isMissing(why []*model.Refusal, e *observation) bool {
	switch {
	case e.what == readers:
		return true
	case len(why) == 0:
		return false
	case q.isOvertaken(why[0], e):
		return false
	case why[0] == breach.BehindFence && e.what == delivered && q.arms.latest != model.NONE && (q.group.root().overflown != q || q.failed.told):
		return e.request != nil
	}
	return why[0] == breach.CallbackDue && !q.isOutOfOrder(why[0], e)
}

// isOutOfOrder reports whether what nothing explains is that a completion had been placed by a moment of rest, or by the close of its QP: others that were
// placed later were delivered before it. Of a CQ that was never armed no callback is owed that could have been in the way.
func (q *cq) isOutOfOrder(why *model.Refusal, e *observation) bool {
	return why == breach.CallbackDue && e.what == owes && q.arms.latest == model.NONE
}

// isOvertaken reports whether the unexplained event is the delivery of a request posted after a moment of rest, while another request had to complete by
// that moment and is not delivered.
func (q *cq) isOvertaken(why *model.Refusal, e *observation) bool {
	return why == breach.BehindFence && e.request != nil && e.what == delivered && q.oldestOwed(e.request.called) != nil
}

// missedBy returns the line of the moment of rest by which a callback was missing for what is known now to have been owed: the first one at which it
// was, and the CQ was armed.
func (q *cq) missedBy(e *observation) int {
	if q.arms.calledAt > e.owed && q.arms.restLine != 0 && !q.s.monitor.Missing(q.name, e.request.owedLine).IsArmed() {
		return q.arms.restLine
	}
	return e.request.owedLine
}

// isUnowed reports whether what nothing explains is that a callback for completions was entered.
func (q *cq) isUnowed(f *verdict.Finding, e *observation) bool {
	entered := (e.what == enter && e.status == model.OK || e.what == read) && e.line == q.s.line()
	return (entered || q.shows != nil && f.Line == q.shows.line) && breach.IsOfUnowed(f.Rule)
}

// refine replaces a general rule by the one that what is known of the CQ shows to be broken.
func (q *cq) refine(f *verdict.Finding, why *model.Refusal, e *observation) {
	switch {
	case e.what == delivered && q.group.root().overflown == q && !q.failed.told:
		says(f, breach.LostAndDelivered(q.name, q.seen(e)))
	case why == breach.OtherExpected && q.arms.latest == model.NONE:
		says(f, breach.AnotherPlacedFirst(q.seen(e)))
	case q.isOutOfOrder(why, e):
		says(f, breach.BehindLater(q.seen(e), e.request.wr))
		f.See = []int{e.line}
	case q.isOvertaken(why, e) || why == breach.BehindFence && e.request != nil && q.arms.latest == model.NONE:
		late := cmp.Or(q.oldestOwed(cmp.Or(e.request.owed, q.s.at)), e.request) // what was there before comes first
		says(f, late.overdueAt(late.owed))
		f.Line, f.Message = late.owedLine, "the provider was at rest, and "+f.Message
		f.See = append(f.See, late.line)
	case q.shows != nil && e.what == delivered && e.from > q.shows.at: // nor for what came behind that
		f.Rule, f.Line, f.See = breach.ForNothing(), q.shows.line, []int{e.line}
	case q.shows != nil && q.shows.latest && (e.what == foundNothing && e.n == 0 && breach.IsOfPassedOver(why.Rule) || (e.what == placedNow || e.what == gone && e.request.wq == nil) && why == breach.TooFew):
		f.Rule, f.Line, f.See = breach.ForNothing(), q.shows.line, []int{e.line} // it was for nothing that the CQ held
	case breach.IsOfUnarmed(why) && e.status == model.OK && q.arms.latest != model.NONE:
		says(f, breach.UsedUp(q.seen(e)))
	case why == breach.TooFew:
		if b, ok := breach.TooFewFor(q.arms.latest); ok {
			f.Rule, f.Also = b.Rule, b.Also
		}
	case why == breach.HadEnded, why == breach.OwedBefore:
		f.Also = []string{breach.OrLate()} // or it had failed by then, and the callback came late
	case why == breach.BehindFence && e.request != nil && q.arms.calledAt > e.owed && q.arms.restLine != 0:
		says(f, breach.LateOrNotEnteredAtArm(q.name, e.request.wr, q.arms.matches(e.kinds)))
		f.Line = q.arms.restLine
	case why == breach.BehindFence && e.request != nil:
		says(f, breach.LateOrNotEntered(e.request.wr, q.matches(e)))
		f.Line = e.request.owedLine
	}
}

// says lets a finding be of a breach.
func says(f *verdict.Finding, b breach.Breach) { f.Rule, f.Also, f.Message = b.Rule, b.Also, b.Message }

// matches returns the rule by which the completion of a request that was due at a moment of rest matches what the CQ was armed for then.
func (q *cq) matches(e *observation) string {
	c := model.Completion{Queue: e.request.wq.queue, Status: model.SUCCESS, Solicited: e.kinds&automaton.Plain == 0}
	if e.kinds&(automaton.Plain|automaton.Solicited) == 0 {
		c.Status = model.FAILED
	}
	return cmp.Or(q.s.monitor.Missing(q.name, e.request.owedLine).Matches(c), q.arms.matches(e.kinds))
}

// matches returns the rule by which a completion of one of the kinds matches the latest arm.
func (a *arming) matches(kinds automaton.Kinds) string {
	return breach.Matching(a.latest, kinds&(automaton.Plain|automaton.Solicited) == 0)
}

// bounded records that a bound ends what can be said of a CQ.
func (q *cq) bounded(err error) {
	g := q.group.root()
	g.unclear = fmt.Sprintf("%v: of %s nothing more is decided%sporcupine", err, q.name, verdict.Shorter)
}

// seen says in words what was seen.
func (q *cq) seen(e *observation) string {
	switch e.what {
	case enter:
		return "the callback of " + q.name + " was entered"
	case read:
		return "an event of " + q.name + " was read"
	case failedByNow:
		return "an error of " + q.name + " was reported"
	case exited:
		return "the callback of " + q.name + " returned"
	case stayed:
		return "the completions of " + q.closedQps.latest.name + " in " + q.name + " stay there"
	case delivered, owes:
		return q.name + " delivered " + e.request.wr
	case remaining:
		return "the completion of " + e.request.wr + " lies in " + q.name
	case foundNothing:
		if e.n > 0 {
			return "a poll of " + q.name + " returned less than it had room for"
		}
		return "a poll of " + q.name + " returned no completion"
	case restful, readers, noEvent:
		return "the provider was at rest"
	case placedNow:
		return "a completion was placed in " + q.name
	case resized:
		return "the resize of " + q.name + " was refused"
	case gone:
		switch {
		case e.request.wq == nil:
			return "another CQ delivered " + e.request.wr + ", a receive of a shared queue"
		case !e.request.silent:
			return e.request.wr + " waits for a message"
		}
		return e.request.wr + " succeeded silently"
	}
	return "the close of " + q.name + " completed"
}
