package stream

import (
	"cmp"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A failure is since when a CQ is known to have failed, and what that may have lost.
type failure struct {
	at          eventIndex // when a callback reported an error, or nothing but an overflow explained what was seen; or 0
	line        int
	told        bool // a callback has reported it
	mayHaveLost int  // where a callback reported an overflow: requests of which one was lost
}

// mayReport reports whether a callback can report an error of the CQ (ARM-01, ARM-16, ARM-17).
func (q *cq) mayReport(name string, status model.Health) bool {
	s := q.s
	s.may.fails = true
	s.meets(declared.CqFails)
	s.metByError(status)
	switch {
	case q.failed.told:
		s.tells(q.group, breach.ErrorAgain("the callback of "+q.name+" reports "+name), 0, q.failed.line)
		return false
	case status == model.BufferOverflow && q.window.from == 0:
		b := breach.NeverFull(q.name, name)
		s.unexplained(q.group, b.Rule, 0, nil, "%s", b.Message)
		q.alsoByRefusal()
		s.silence(q.group)
		return false
	case q.arms.latest == model.NONE && s.dialect.A1 != model.A1NoArm:
		b := breach.ErrorUnarmed(q.name, name)
		s.unexplained(q.group, b.Rule, 0, nil, "%s", b.Message)
		s.also(b.Also...)
		s.restsOnNoOverflow() // without an arm, an overflow is not reported
		s.silence(q.group)
		return false
	}
	return true
}

// fails handles a callback that reports an error. The CQ is assumed to have failed just then. What that does not explain is undecided, as the
// CQ may have failed before.
func (q *cq) fails(status model.Health) {
	q.failed.told = true
	switch {
	case status == model.InternalError:
		q.window.unfollowed = true
		if g := q.group.root(); g.overflown == q {
			g.overflown = nil // it was this, perhaps
		}
	case q.failed.at != 0:
		return
	default:
		q.failed.mayHaveLost = q.outstanding()
	}
	if q.losesAll() || status == model.BufferOverflow && !q.window.isFollowed() && q.fits() {
		q.unclear("%s failed before it reported the error, and when that was " + verdict.NotFollowed)
	}
}

// deviceReports handles an asynchronous event. One of a CQ tells that it has failed, and gives no event of completions. What others have done is
// not known.
func (s *Stream) deviceReports(e *trace.Event) {
	if cq, _, is := calls.CqErrorOf(e); is {
		if q := s.cqs[cq]; q != nil && !q.failed.told && !q.stopped() {
			s.may.fails = true
			q.fails(model.InternalError)
			q.take(observation{what: failedByNow, at: s.at})
		}
		return
	}
	if !calls.MayFailDevice(e) {
		return
	}
	for _, q := range s.cqsInOrder {
		if p := s.qps[e.Qp]; p == nil || p.group.root() == q.group.root() {
			q.group.leaveOpen(verdict.DeviceFailed(e.Type, q.name))
		}
	}
}

// losesAll records that the CQ has failed by now, and with it its QPs. It reports whether that may explain what was found before.
func (q *cq) losesAll() bool {
	s := q.s
	q.failed.at, q.failed.line = s.at, s.line()
	q.roomNow() // it may be known only now that the overflow was not followed
	reopened := s.reopen(q.group)
	followed := q.window.isFollowed() && q.group.root().overflown == nil
	if followed {
		q.group.root().overflown = q
	} else {
		q.group.leaveInDoubt(q.failure())
	}
	for _, p := range s.qpsInOrder {
		if p.wqs[0].cq != q && p.wqs[1].cq != q {
			continue
		}
		reopened = s.reopen(p.group) || reopened
		p.breaks(s.at)
		if followed {
			p.doubt = cmp.Or(p.doubt, q.failure()) // should it have a peer after all
		} else if p.leaveInDoubt(q.group.root().doubt); p.peer != nil && p.peer.s == s && s.reopen(p.peer.group) {
			p.leaveOpen(q.group.root().doubt)
		}
	}
	return reopened
}

// failure says what is not known of an error of the CQ.
func (q *cq) failure() string {
	return "when " + q.name + " failed, before it reported the error, " + verdict.NotFollowed
}

// mayHaveLost handles the delivery of r, which was outstanding when a callback had reported an overflow. It reports whether anything is left that
// the overflow can have lost (ARM-16, ARM-17).
func (q *cq) mayHaveLost(r *request, line int) bool {
	if q.failed.mayHaveLost == 0 || r.place != 0 {
		return true
	}
	if q.failed.mayHaveLost--; q.failed.mayHaveLost > 0 {
		return true
	}
	q.s.tells(q.group, breach.LostNothing(q.name, r.wr), line, r.line, q.failed.line)
	r.wq.qp.allows("no completion of %s", r.wr)
	return false
}
