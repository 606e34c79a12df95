package stream

import (
	"math/bits"
	"slices"

	"ndkoracle/linearize/cases"
	"ndkoracle/model"
)

// What of the cases of the rules is hidden is counted from both sides: how often it was met in every explanation, and how often in any.

// armCases counts the arms of a CQ by what was outstanding, and by what they found in it.
type armCases struct {
	asked                  [model.ANY + 1]int // of each type
	merged                 [model.ANY + 1][model.ANY + 1]cases.Count
	unheard                [model.ANY + 1][model.ANY + 1]int // certain, if the CQ had no error that is still to be told
	match, others, nothing int                               // for certain
}

// confirm takes that the provider is at rest, and no callback of the CQ runs: an error of it would have been told to an arm that was outstanding.
func (a *armCases) confirm() {
	for outstanding := range a.unheard {
		for t, n := range a.unheard[outstanding] {
			a.merged[outstanding][t].AtLeast += n
			a.unheard[outstanding][t] = 0
		}
	}
}

// A certainty says what is known of the state that a CQ was in when it was armed.
type certainty uint8

// The certainties.
const (
	followed certainty = iota
	failed             // it may have failed before it told so, which satisfies an arm
	doubtful           // what the trace does not tell bears on it
)

func (q *cq) certainty() certainty {
	g := q.group.root()
	switch {
	case !q.created || slices.ContainsFunc(q.lanes, func(l *lane) bool { return l.qp.fed }):
		return doubtful
	case q.failed != 0 || q.crowded.from != 0:
		return failed
	case g.unclear != "" || g.doubt != "" || slices.ContainsFunc(q.lanes, func(l *lane) bool { return l.qp.doubt != "" }):
		return doubtful
	}
	return followed
}

// sum adds how often each case was met, with a sign.
func (a *armCases) sum(counts *cases.Counts, of certainty, sign int) {
	add := func(which cases.Case, n cases.Count) {
		counts.Add(which, cases.Count{AtLeast: sign * n.AtLeast, AtMost: sign * n.AtMost})
	}
	all := 0
	for t := model.ERRORS; t <= model.ANY; t++ {
		all += a.asked[t]
		unheard := 0
		for outstanding := range a.unheard {
			unheard += a.unheard[outstanding][t]
		}
		first := a.merged[model.NONE][t].AtLeast
		for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
			n := a.merged[outstanding][t]
			switch {
			case of == doubtful:
				n = cases.Count{AtMost: a.asked[t]}
			case outstanding != model.NONE && a.asked[outstanding] <= inside(outstanding == t):
				n = cases.Count{} // there was none before
			case of == followed:
				n.AtMost = min(n.AtMost+unheard-a.unheard[outstanding][t], a.asked[t])
			case outstanding == model.NONE:
				n.AtMost = a.asked[t]
			default:
				n = cases.Count{AtMost: a.asked[t] - first}
			}
			add(cases.Merge(outstanding, t), n)
		}
	}
	if of == doubtful {
		for _, which := range []cases.Case{cases.ArmFoundMatch, cases.ArmFoundOthers, cases.ArmFoundNothing} {
			add(which, cases.Count{AtMost: all})
		}
		return
	}
	add(cases.ArmFoundMatch, cases.Count{AtLeast: a.match, AtMost: all - a.others - a.nothing})
	add(cases.ArmFoundOthers, cases.Count{AtLeast: a.others, AtMost: all - a.match - a.nothing})
	add(cases.ArmFoundNothing, cases.Count{AtLeast: a.nothing, AtMost: all - a.match - a.others})
}

// anyArm is what may be outstanding where that is not followed.
const anyArm = model.Arms(1<<(model.ANY+1) - 1)

// mayBeArmed returns what may be outstanding, NONE too, when an arm that is called now takes effect, if nothing is posted meanwhile.
func (q *cq) mayBeArmed() model.Arms {
	switch {
	case q.certain.called == 0:
		return 1 << model.NONE
	case !q.isFollowed():
		return anyArm
	}
	arms := q.queue.Arms(q.pending > 0)
	if q.crowded.from != 0 || q.s.dialect.ExtraEvent { // which satisfy an arm, too
		arms |= 1 << model.NONE
	}
	return arms
}

// isFollowed reports whether the explanations of the CQ are those of the present moment.
func (q *cq) isFollowed() bool {
	return len(q.polls)+len(q.arms) == 0 && q.failed == 0 && !q.stopped() && q.queue.Err() == nil
}

// countMerge takes the return of an arm: what it merged with, if with anything (ARM-07), and whether it found the CQ empty.
func (q *cq) countMerge(u *underWay) {
	switch late := q.added >= u.call; {
	case u.nothing && !late:
		q.armCases.nothing++
	case u.aged && !late && !q.certain.found:
		q.certain.found = true
		q.s.exercised("ARM-05")
		q.armCases.others++
	}
	if q.added >= u.call || bits.OnesCount8(uint8(u.merging)) > 1 {
		u.merging |= 1 << model.NONE
	}
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if n := &q.armCases.merged[outstanding][u.arm]; u.merging.Has(outstanding) {
			n.AtMost++
			switch {
			case u.merging != 1<<outstanding:
			case outstanding == model.NONE:
				n.AtLeast++
			default:
				q.unheard[outstanding][u.arm]++
			}
		}
	}
}

// mayMerge takes that an arm has not returned: it may have taken effect or not.
func (q *cq) mayMerge(u *underWay) {
	for outstanding := model.NONE; outstanding <= model.ANY; outstanding++ {
		if u.merging.Has(outstanding) || outstanding == model.NONE {
			q.armCases.merged[outstanding][u.arm].AtMost++
		}
	}
}

func inside(is bool) int {
	if is {
		return 1
	}
	return 0
}

// mayDefer counts, when a callback returns, whether another one is owed (ARM-06).
func (q *cq) mayDefer() {
	certain, maybe := q.queue.Owes()
	known := len(q.polls) == 0 && !q.stopped() && q.queue.Err() == nil && q.certainty() == followed
	switch {
	case known && certain:
		q.s.cases.Met(cases.CallbackDeferred)
	case !known || maybe || len(q.arms) > 0 || q.s.consumer || q.queue.Arms(false) != 1<<model.NONE: // an error of the CQ may be owed to an arm
		q.s.cases.MayHave(cases.CallbackDeferred)
	}
}

// noteClose notes when the close of the CQ is called.
func (q *cq) noteClose(u *underWay) {
	u.inCallback = q.calling > 0
	u.beforeQp = slices.ContainsFunc(q.lanes, func(l *lane) bool { return l.qp.exists && l.qp.closing == 0 })
}

// countClose takes that a close of the CQ was not refused.
func (s *Stream) countClose(u *underWay) {
	if u.inCallback {
		s.cases.Met(cases.CloseInCallback)
	}
	if u.beforeQp {
		s.cases.Met(cases.CloseCqFirst)
	}
}

// unended counts the requests that were posted and of which nothing has told how they ended.
type unended struct {
	requests [2]int // by queue
	silent   int
}

func (n *unended) add(r *posting, more int) {
	if r.lane.qp.remote != nil {
		return // it is the other host's
	}
	n.requests[r.lane.queue] += more
	if r.silent {
		n.silent += more
	}
}

// sum adds that each of them may have failed or been cancelled.
func (n *unended) sum(counts *cases.Counts) {
	for queue, which := range cancelled {
		counts.Add(which, cases.Count{AtMost: n.requests[queue]})
	}
	counts.Add(cases.SilentFailed, cases.Count{AtMost: n.silent})
	counts.Add(cases.SilentCancelled, cases.Count{AtMost: n.silent})
}

// cancelled are the cases of RES-08, by queue.
var cancelled = [...]cases.Case{model.Initiator: cases.CancelledInitiator, model.Receive: cases.CancelledReceive}

// countEnded counts how a request ended, as a poll tells.
func (s *Stream) countEnded(r *posting, outcome model.Outcome) {
	if outcome == model.CANCELLED {
		s.cases.Met(cancelled[r.lane.queue])
	}
	switch {
	case !r.silent:
	case outcome == model.FAILED:
		s.cases.Met(cases.SilentFailed)
	case outcome == model.CANCELLED:
		s.cases.Met(cases.SilentCancelled)
	}
	p := r.lane.qp
	if r.deferred && r.ended == 0 && outcome != model.CANCELLED && p.posting[model.Initiator]+p.flushing == 0 && !p.flushOverlaps && p.closing == 0 {
		s.cases.Add(cases.DeferredEarly, cases.Count{AtLeast: 1})
	}
}

// countChain takes that a post of the initiator queue was answered, or a flush: it ended a chain, or was refused in one. Where a flush overlapped
// posts it is not known which of them came first (POST-04).
func (p *qp) countChain(behind int, flushed, refused bool) {
	counts := &p.s.cases
	switch unsure := p.flushOverlaps && p.chained; {
	case unsure && refused:
		for k := 1; k <= 4; k++ {
			counts.MayHave(cases.Refused(k))
		}
	case unsure && flushed:
		counts.MayHave(cases.ChainEndedByFlush)
	case unsure:
		counts.MayHave(cases.ChainEndedByPost)
	case behind == 0:
	case refused:
		counts.Met(cases.Refused(behind))
	case flushed:
		counts.Met(cases.ChainEndedByFlush)
	default:
		counts.Met(cases.ChainEndedByPost)
	}
}

// countReceived takes a receive that succeeded, and that a function fetched: its message may have invalidated a token.
func (s *Stream) countReceived(r *posting, fn, kind string) {
	if from := r.lane.other(); kind == "Receive" || from != nil && from.qp.created && from.names == 0 {
		return
	}
	s.cases.Add(fetchedBy(fn), cases.Count{AtMost: 1})
}

func fetchedBy(fn string) cases.Case {
	if fn == "NdkGetCqResultsEx" {
		return cases.InvalidatedByExtendedPoll
	}
	return cases.InvalidatedByPlainPoll
}

// invalidateFailed takes that r, an NdkInvalidate, failed in one way or the other. The token that it names may be nil, as it is not followed.
func (s *Stream) invalidateFailed(t *token, r *posting, how cases.Case) {
	if t == nil || !t.isRemote(r) || slices.ContainsFunc(t.pending, func(o *posting) bool { return registers(o.op) }) {
		s.cases.MayHave(how)
		return
	}
	s.exercised("POLL-07", "POLL-08")
	s.cases.Met(how)
}

// sumCases returns how often each case was met, and counts the arms that merged with another one.
func (s *Stream) sumCases() *cases.Counts {
	all := s.cases
	for _, which := range cases.All() {
		all.Add(which, s.retired.cases[which])
	}
	for _, q := range s.inOrder {
		for _, u := range q.arms {
			q.mayMerge(u)
		}
		q.armCases.sum(&all, q.certainty(), 1)
	}
	s.unended.sum(&all)
	all.Add(cases.DeferredEarly, cases.Count{AtMost: s.deferrals})
	for outstanding := model.ERRORS; outstanding <= model.ANY; outstanding++ {
		for t := model.ERRORS; t <= model.ANY; t++ {
			if n := all[cases.Merge(outstanding, t)].AtLeast; n > 0 {
				s.counts["ARM-07"] += n
			}
		}
	}
	return &all
}

// metByPoll counts what a poll with room for n found.
func (s *Stream) metByPoll(found, n int) {
	switch {
	case n == 0:
	case found == 0:
		s.cases.Met(cases.PollNothing)
	case found == n:
		s.cases.Met(cases.PollFull)
	case found < n: // and not more, which would break POLL-02
		s.cases.Met(cases.PollFewer)
	}
}

// metByError counts that a callback reports an error.
func (s *Stream) metByError(status model.Health) {
	if status == model.BufferOverflow {
		s.cases.Met(cases.StatusBufferOverflow)
	} else {
		s.cases.Met(cases.StatusInternalError)
	}
}
