package stream

import (
	"slices"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/clauses"
)

// missedCallbacks holds the callbacks of a CQ that were due and were not entered, unless a request completed later.
type missedCallbacks struct {
	list   []*missingCallback
	untold bool // a callback that is missing may be one that the consumer has yet to tell of
}

// An uncalled is a request whose completion a poll delivered, and for which a callback was due by a moment of rest and was not entered, unless
// it completed later. Which of the two may be told later.
type missingCallback struct {
	request *request
	rule    string // by which its completion matched the arm
	untold  bool   // the callback may have been entered, and the consumer has yet to tell of it
	shown   int    // the line that shows that it had completed, or 0
	bounds  clauses.Bounds
}

// maxUncalled is how many are kept of a CQ.
const maxUncalled = 8

// noteUncalled remembers r, which the poll delivers, if it is such a request.
func (q *cq) noteUncalled(p *poll, r *request, kinds automaton.Kinds, bounds clauses.Bounds) {
	if r.rested == 0 || r.owed != 0 || len(q.missed.list) == maxUncalled || q.mayHoldTold(p, r, kinds) || !q.s.hidden.engine.Keep(bounds) {
		return
	}
	untold := q.mayHold(p, r, kinds)
	q.missed.untold = q.missed.untold || untold
	q.missed.list = append(q.missed.list, &missingCallback{request: r, rule: q.arms.matches(kinds), untold: untold, bounds: bounds})
	q.s.hidden.kept++
}

// forgetUncalled forgets those for which is holds.
func (q *cq) forgetUncalled(is func(u *missingCallback) bool) {
	q.missed.list = slices.DeleteFunc(q.missed.list, func(u *missingCallback) bool {
		over := is(u)
		if over {
			q.s.hidden.kept--
			q.s.hidden.engine.Release(u.bounds)
		}
		return over
	})
}

// toldLate handles a callback of the CQ that the consumer records. It may be the one that was still missing.
func (q *cq) toldLate() {
	if q.missed.untold {
		q.missed.untold = false
		q.forgetUncalled(func(u *missingCallback) bool { return u.untold })
	}
}

// neverTold handles the end of a consumer's trace: no callback follows.
func (m *missedCallbacks) neverTold() {
	for _, u := range m.list {
		if u.shown != 0 {
			u.report(u.shown)
		}
	}
}

// findUncalled finds the requests that the event at a line shows to have completed.
func (s *Stream) findUncalled(line int) {
	if s.hidden.kept == 0 {
		return
	}
	for _, q := range s.cqsInOrder {
		q.forgetUncalled(func(u *missingCallback) bool {
			if u.shown != 0 || !s.hidden.engine.PlacedBy(u.bounds, u.request.rested) {
				return false
			}
			u.shown = line
			if !u.untold {
				u.report(line)
			}
			return !u.untold
		})
	}
}

// report reports the callback that was not entered, as another line shows.
func (u *missingCallback) report(line int) {
	r, home := u.request, u.request.wq.cq
	b := breach.NotEnteredThough(home.name, r.wr, u.rule)
	home.s.unexplained(home.group, b.Rule, r.owedLine, []int{r.line, line}, "%s", b.Message)
	home.s.also(b.Also...)
}
