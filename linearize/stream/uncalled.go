package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/model"
)

// An uncalled is a request whose completion a poll delivered, and for which a callback was due by a moment of rest and was not entered, unless
// it waited for a receive then, or a send before it did.
type uncalled struct {
	request *posting
	rule    string // by which its completion matched the arm
}

// noteUncalled remembers r, which the poll delivers, if it is such a request: whether a receive was pending then may be told later.
func (q *cq) noteUncalled(p *poll, r *posting, kinds automaton.Kinds) {
	to := r.lane.other()
	if r.silent || r.unsureAt == 0 || r.unsureAt != r.rested || to == nil || len(to.uncalled) == MaxFollowing || q.mayHold(p, r, kinds) {
		return
	}
	to.uncalled = append(to.uncalled, uncalled{r, q.matches(kinds)})
}

// emptyTells takes that a poll found nothing after a moment of rest: where it shows a receive that was pending then, nothing waited for one.
func (q *cq) emptyTells(p *poll) {
	for _, l := range q.lanes {
		for _, u := range l.uncalled {
			if u.request.hadReceive(u.request.rested) {
				u.report(p.line)
			}
		}
		l.uncalled = slices.DeleteFunc(l.uncalled, func(u uncalled) bool { return u.request.rested <= l.emptyAtRest() })
	}
}

// receivedTells takes that r, a receive, succeeded: the send that it took had not waited since r was posted.
func (r *posting) receivedTells(line int) {
	l := r.lane
	i := slices.IndexFunc(l.uncalled, func(u uncalled) bool {
		m := u.request
		return m.op.IsSend() && m.outcome == model.SUCCESS && m.index() == r.index() && r.index() < l.known
	})
	if i >= 0 && r.returned != 0 && r.returned < l.uncalled[i].request.rested {
		l.uncalled[i].report(line)
		l.uncalled = slices.Delete(l.uncalled, i, i+1)
	}
}

// report reports the callback that was not entered (ARM-03), as another line shows.
func (u uncalled) report(line int) {
	r, home := u.request, u.request.lane.cq
	home.s.unexplained(home.group, u.rule, r.owedLine, []int{r.line, line},
		"the provider was at rest, and a callback of %s that the completion of %s makes due was not entered: it waited for no receive then", home.name, r.wr)
	home.s.also("ARM-03")
}
