package stream

import (
	"slices"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// A CQ is resized at one moment between the call of a resize and its answer: its return, or the completion of one that returned STATUS_PENDING.
// Until then its depth is taken to be the lesser of the two: at that it may overflow either way.

// A resizing is a resize that is not answered yet.
type resizing struct {
	by       *underWay
	from, to int        // the depth before, and the one that it asks for
	held     []*posting // whose completions the CQ held when it was called
	fits     bool       // at some moment since then it held no more than it is to have room for
	crowded  bool       // more completions may have been on their way, since then, than there was room for before
}

// resizeCalled takes the call of a resize.
func (q *cq) resizeCalled(u *underWay, depth *int64) {
	if q.resize != nil {
		q.group.leaveOpen(q.name + " is resized while another resize of it is pending, and nothing says which of them counts")
		return
	}
	q.resize = &resizing{by: u, from: q.depth, to: unlimitedDepth}
	if depth != nil {
		q.resize.to = int(*depth)
	}
	if q.hasRoom(); !q.resize.fits && q.s.dialect.A16 == model.A16Refused {
		q.resize.held = q.certainlyHeld()
	}
	q.depth = min(q.depth, q.resize.to)
	q.checkRoom(q.s.at, (*lane).completeOrFail)
}

// resizeAnswered takes that a resize has succeeded, and what depth came of it if that is told, or that it was refused.
func (q *cq) resizeAnswered(u *underWay, succeeded bool, told *int64) {
	r := q.resize
	if r == nil || r.by != u {
		return
	}
	q.hasRoom()
	q.resize = nil
	q.s.exercised("RSZ-02")
	if r.to < r.from || !succeeded {
		q.s.exercised("RSZ-03")
	}
	if !succeeded {
		q.resizeRefused(r)
		q.depth = r.from
		q.hasRoom()
		return
	}
	q.checkShrunk(r)
	if q.followsOverflow() {
		q.take(sight{what: resized, at: q.s.at}) // until now it may have overflowed at the lesser depth
	}
	if q.depth = r.to; told != nil {
		q.depth = int(*told)
	}
	q.hasRoom()
	q.checkRoom(q.s.at, (*lane).completeOrFail)
}

// resizeRefused takes back that the CQ may have overflowed at a depth that it was asked to have, and never had (RSZ-03).
func (q *cq) resizeRefused(r *resizing) {
	c := &q.crowded
	switch {
	case c.from == 0 || r.to >= r.from:
	case q.failed >= r.by.call:
		q.unclear("%s overflowed while a resize was pending that was refused, and at which depth this engine does not follow")
	case c.from < r.by.call || r.crowded || c.unfollowed:
		c.unfollowed = true
	default:
		q.crowded = crowding{times: c.times, refuted: c.times}
		q.take(sight{what: resized, at: q.s.at, again: true})
	}
}

// certainlyHeld returns the requests whose completions the CQ holds, as far as that is certain.
func (q *cq) certainlyHeld() []*posting {
	if len(q.polls) > 0 {
		return nil
	}
	held := slices.Clone(q.points)
	for _, l := range q.lanes {
		for _, r := range l.waiting {
			if r.place == 0 && r.dueBy() != 0 && !r.missed && l.qp.closing == 0 && r.mayHaveWaited(r.dueBy()) == nil {
				held = append(held, r)
			}
		}
	}
	return held
}

// checkShrunk is RSZ-03 where a resize below what the CQ holds has to be refused, for one that was not.
func (q *cq) checkShrunk(r *resizing) {
	if q.s.dialect.A16 != model.A16Refused || r.fits {
		return
	}
	n := len(slices.DeleteFunc(r.held, func(p *posting) bool { return p.over }))
	if n <= r.to || len(q.polls) > 0 {
		q.unclear("%s is resized to less than may be on its way into it, and how much it held this engine does not follow")
		return
	}
	q.s.unexplained(q.group, "RSZ-03", 0, []int{r.by.line}, "%s was resized to a depth of %d, and held %s",
		q.name, r.to, verdict.Counted(n, "completion"))
}
