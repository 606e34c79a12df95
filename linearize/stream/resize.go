package stream

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A CQ is resized at one moment between the call of a resize and its answer: its return, or the completion of one that returned STATUS_PENDING.
// Until then it may overflow at the lesser of the two depths, and hold as much as the greater has room for; and what it holds stays (RSZ-02).

// resizes is what is known of the resizes of a CQ.
type resizes struct {
	open    *resizing  // that is not answered, or nil
	most    int        // the greatest depth that the CQ had
	line    int        // of the call of the latest that was answered, or 0
	called  eventIndex // the call of that resize
	emptied eventIndex // the call of the latest empty poll before that resize
	refused bool       // that resize was refused
}

// A resizing is a resize that is not answered yet.
type resizing struct {
	by       *underWay
	emptied  eventIndex // the call of the latest empty poll before it
	from, to int        // the depth before, and the one that it asks for
	held     []*request // whose completions the CQ held when it was called
	fits     bool       // at some moment since then it held no more than it is to have room for
	crowded  bool       // more completions may have been on their way, since then, than there was room for before
}

// resizeCalled handles the call of a resize.
func (q *cq) resizeCalled(u *underWay, depth *int64) {
	if q.resizes.open != nil {
		q.group.leaveOpen(verdict.ResizedTwice(q.name, q.s.dialect.Name))
		return
	}
	q.resizes.open = &resizing{by: u, emptied: q.emptiedBy(), from: q.depth, to: unlimitedDepth}
	q.resizes.most = max(q.resizes.most, q.depth)
	if depth != nil {
		q.resizes.open.to = int(*depth)
	}
	if q.hasRoom(); q.s.dialect.A16 == model.A16Refused && !q.resizes.open.fits && !q.stopped() {
		q.resizes.open.held = q.certainlyHeld()
	}
	q.hasDepth(min(q.depth, q.resizes.open.to))
}

// mostHeld returns how many completions the CQ may have without an overflow. It includes completions from before the CQ was made smaller.
func (q *cq) mostHeld() int {
	most := max(q.depth, q.resizes.most)
	if r := q.resizes.open; r != nil {
		most = max(most, r.to)
	}
	return most
}

// hasDepth records the depth of the CQ from now on. A smaller depth makes only those completions overflow that are still to come.
func (q *cq) hasDepth(depth int) {
	less := depth < q.depth
	if q.depth = depth; !less {
		q.hasRoom()
		return
	}
	if q.owed < q.pending {
		q.checkRoom()
	}
}

// resizeReturned handles the return of a resize.
func (q *cq) resizeReturned(u *underWay, e *trace.Event, refused bool) {
	if !calls.Pending(e) {
		q.resizeAnswered(u, !refused, e.Depth)
	}
}

// resizeAnswered handles the answer of a resize: it succeeded, with the depth that the trace records, if any, or it was refused.
func (q *cq) resizeAnswered(u *underWay, succeeded bool, told *int64) {
	r := q.resizes.open
	if r == nil || r.by != u {
		return
	}
	if told != nil && succeeded {
		r.to = int(*told)
	}
	q.hasRoom()
	q.resizes.open = nil
	q.resizes.line, q.resizes.called, q.resizes.emptied, q.resizes.refused = u.line, u.call, r.emptied, !succeeded
	q.s.meets(declared.Resized)
	if r.to < r.from || !succeeded {
		q.s.meets(declared.ResizedLower)
	}
	if !succeeded {
		q.takeBack(r)
		q.hasDepth(r.from)
		return
	}
	q.checkShrunk(r)
	if q.window.isFollowed() {
		q.take(observation{what: resized, at: q.s.at}) // until now it may have overflowed at the lesser depth
	}
	q.hasDepth(r.to)
}

// takeBack undoes that the CQ may have overflowed at a depth that was requested and never applied (RSZ-03).
func (q *cq) takeBack(r *resizing) {
	c := &q.window
	switch {
	case c.from == 0 || r.to >= r.from:
	case q.failed.at >= r.by.call:
		q.unclear("%s overflowed while a resize was pending that was refused, and at which depth " + verdict.NotFollowed)
	case c.from < r.by.call || r.crowded:
		c.unfollowed = true
	default:
		q.window.hadRoom()
		q.take(observation{what: resized, at: q.s.at, again: true})
	}
}

// alsoByResize names RSZ-02 beside the rules of the latest finding, where what was lost or doubled had been posted, at a line, before a resize.
func (q *cq) alsoByResize(line int, rules ...string) {
	if line != 0 && line < q.resizes.line && !q.resizes.refused {
		rules = append(rules, "RSZ-02")
	}
	q.s.also(rules...)
}

// lostByResize returns the line of the call of a resize that was not refused, if one was called between a moment of rest and the next poll that found
// nothing, or 0. The completions in the CQ at rest were there when the resize was called, and are missing after it (RSZ-02).
func (q *cq) lostByResize(rested eventIndex) int {
	between := func(called, emptied eventIndex) bool {
		return rested < called && emptied <= rested && called < q.emptied
	}
	r := &q.resizes
	switch {
	case r.open != nil && between(r.open.by.call, r.open.emptied):
		return r.open.by.line
	case !r.refused && between(r.called, r.emptied):
		return r.line
	}
	return 0
}

// alsoByRefusal names RSZ-03 beside the rule of the latest finding, that the CQ has not overflowed, where a resize was refused.
func (q *cq) alsoByRefusal() {
	if q.resizes.refused && !q.s.muted {
		q.s.also(breach.OrResized())
		f := &q.s.findings[len(q.s.findings)-1]
		f.See = append(f.See, q.resizes.line)
	}
}

// oldest returns the line of the oldest request that could complete into the CQ, or 0.
func (q *cq) oldest() int {
	line := 0
	for _, l := range q.wqs {
		if len(l.waiting) > 0 && (line == 0 || l.waiting[0].line < line) {
			line = l.waiting[0].line
		}
	}
	return line
}

// certainlyHeld returns the requests whose completions the CQ holds, as far as that is certain.
func (q *cq) certainlyHeld() []*request {
	if len(q.polls.list) > 0 {
		return nil
	}
	held := slices.Clone(q.points)
	for _, l := range q.wqs {
		for _, r := range l.waiting {
			if r.place == 0 && r.owed != 0 && !r.missed && l.qp.closing == 0 {
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
	n := len(slices.DeleteFunc(r.held, func(p *request) bool { return p.over }))
	if n <= r.to || len(q.polls.list) > 0 {
		q.unclear("%s is resized to less than may be on its way into it, and how much it held " + verdict.NotFollowed)
		return
	}
	b := breach.Shrunk(q.name, r.to, verdict.Counted(n, "completion"))
	q.s.unexplained(q.group, b.Rule, 0, []int{r.by.line}, "%s", b.Message)
	if q.window.from >= r.by.call { // what it held before stays where it is
		q.s.restsOnNoOverflow()
	}
}
