package stream

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/automaton"
)

// An uncalled is a request whose completion a poll delivered, and for which a callback was due by a moment of rest and was not entered, unless
// it waited for a receive then, or a send before it did.
type uncalled struct {
	request *posting
	rule    string // by which its completion matched the arm
	untold  bool   // the callback may have been entered, and the consumer has yet to tell of it
	shown   int    // the line that shows that it waited for none, or 0
	ranked  bool   // a send that succeeded, as all before it have: it took the receive of its rank among those that succeed
}

// noteUncalled remembers r, which the poll delivers, if it is such a request: whether a receive was pending then may be told later.
func (q *cq) noteUncalled(p *poll, r *posting, kinds automaton.Kinds) {
	to := r.lane.other()
	if r.unsureAt == 0 || r.unsureAt != r.rested || to == nil || len(to.uncalled) == MaxFollowing || q.mayHoldTold(p, r, kinds) {
		return
	}
	untold := q.mayHold(p, r, kinds)
	q.untold = q.untold || untold
	to.uncalled = append(to.uncalled, uncalled{request: r, rule: q.matches(kinds), untold: untold,
		ranked: kinds == automaton.Plain && r.op.IsSend() && r.lane.took == r.sends+1})
}

// toldLate handles a callback of the CQ that the consumer records. It may be the one that was still missing.
func (q *cq) toldLate() {
	if !q.untold {
		return
	}
	q.untold = false
	for _, l := range q.lanes {
		if to := l.other(); to != nil {
			to.uncalled = slices.DeleteFunc(to.uncalled, func(u uncalled) bool { return u.untold && u.request.lane.cq == q })
		}
	}
}

// neverTold handles the end of a consumer's trace: no callback follows.
func (l *lane) neverTold() {
	for i := range l.uncalled {
		if u := &l.uncalled[i]; u.shown != 0 {
			u.report(u.shown)
		}
	}
	l.uncalled = nil
}

// emptyTells handles a poll that found nothing after a moment of rest. Where it shows a receive that was pending then, nothing waited for a receive.
func (q *cq) emptyTells(p *poll) {
	for _, l := range q.lanes {
		for i := range l.uncalled {
			if u := &l.uncalled[i]; u.request.hadReceive(u.request.rested) {
				u.shows(p.line)
			}
		}
		l.uncalled = slices.DeleteFunc(l.uncalled, func(u uncalled) bool { return u.shown == 0 && u.request.rested <= l.emptyAtRest() })
	}
}

// receivedTells handles the success of r, a receive: the send that it took had not waited since r was posted.
func (r *posting) receivedTells(line int) {
	l := r.lane
	i := slices.IndexFunc(l.uncalled, func(u uncalled) bool {
		return u.ranked && u.request.sends == l.took
	})
	if i >= 0 && r.returned != 0 && r.returned < l.uncalled[i].request.rested {
		if u := &l.uncalled[i]; u.shows(line) {
			l.uncalled = slices.Delete(l.uncalled, i, i+1)
		}
	}
}

// shows records that the event at a line shows that the request waited for no receive. It reports whether that was known.
func (u *uncalled) shows(line int) bool {
	if u.untold {
		u.shown = cmp.Or(u.shown, line)
		return false
	}
	u.report(line)
	return true
}

// report reports the callback that was not entered (ARM-03), as another line shows.
func (u *uncalled) report(line int) {
	r, home := u.request, u.request.lane.cq
	home.s.unexplained(home.group, u.rule, r.owedLine, []int{r.line, line},
		"the provider was at rest, and a callback of %s that the completion of %s makes due was not entered: it waited for no receive then", home.name, r.wr)
	home.s.also("ARM-03")
	home.s.misses(home)
}
