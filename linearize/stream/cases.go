package stream

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/facts"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// What of the cases of the rules is hidden is counted from both sides: how often it was met in every explanation, and how often in any.

// mayDefer counts, when a callback returns, whether another one is owed (ARM-06).
func (q *cq) mayDefer() {
	certain, maybe := q.queue.Owes()
	known := len(q.polls.list) == 0 && !q.stopped() && q.queue.Err() == nil && q.certainty() == followed
	switch {
	case known && certain:
		q.s.cases.Met(cases.CallbackDeferred)
	case !known || maybe || len(q.arms.underWay) > 0 || q.s.consumer || q.queue.Arms(false) != 1<<model.NONE: // an error of the CQ may be owed to an arm
		q.s.cases.MayHave(cases.CallbackDeferred)
	}
}

// noteClose records when the close of the CQ is called.
func (q *cq) noteClose(u *underWay) {
	u.inCallback = q.calling > 0
	u.beforeQp = slices.ContainsFunc(q.wqs, func(l *workQueue) bool { return l.qp.exists && l.qp.closing == 0 })
}

// requestCases counts the requests that were not refused, and those of them without a recorded outcome.
type requestCases struct {
	deferred int
	unended  [2]int // by queue
	silent   int    // of unended, silent ones
}

func (n *requestCases) add(r *request) {
	if n.ends(r, -1); r.deferred && r.wq.queue == model.Initiator && r.wq.qp.remote == nil {
		n.deferred++
	}
}

func (n *requestCases) refuse(r *request) {
	if n.ends(r, 1); r.deferred && r.wq.queue == model.Initiator && r.wq.qp.remote == nil {
		n.deferred--
	}
}

// ends counts that many more requests like r as ended. Those of the other host are not part of this trace.
func (n *requestCases) ends(r *request, more int) {
	if r.wq.qp.remote != nil {
		return
	}
	n.unended[r.wq.queue] -= more
	if r.silent {
		n.silent -= more
	}
}

// settles counts that many silent requests as outstanding, though they have ended: nothing behind them has completed yet.
func (n *requestCases) settles(more int) {
	n.unended[model.Initiator] += more
	n.silent += more
}

// sum adds that each of them may have failed or been cancelled, and may have completed before its chain ended.
func (n *requestCases) sum(counts *cases.Counts) {
	counts.Add(cases.DeferredEarly, cases.Count{AtMost: n.deferred})
	for queue, which := range cancelled {
		counts.Add(which, cases.Count{AtMost: n.unended[queue]})
	}
	counts.Add(cases.SilentFailed, cases.Count{AtMost: n.silent})
	counts.Add(cases.SilentCancelled, cases.Count{AtMost: n.silent})
}

// cancelled are the cases of RES-10, by queue.
var cancelled = [...]cases.Case{model.Initiator: cases.CancelledInitiator, model.Receive: cases.CancelledReceive}

// countChain counts the end of a chain, or a refusal in one: a post of the initiator queue was answered, or a flush. Where a flush overlapped
// posts, their order is not known (POST-04).
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

// mayInvalidate handles a receive that succeeded, and that a function fetched: its message may have invalidated a token. A message of the other host is
// passed to the clauses, which do not have it.
func (s *Stream) mayInvalidate(r *request, fn string, result *trace.Result) {
	from, token := r.wq.other(), result.Token
	switch {
	case result.Type == "Receive", from != nil && from.qp.created && from.names == 0:
		return
	case from != nil && r.index() < r.wq.known && len(from.messages) > 0:
		m := from.messages[0]
		if m.op == model.SendAndInvalidate {
			token = m.token
		}
		if token != nil && r.wq.qp.isRemote() {
			s.hidden.engine.FarMessage(r.wq.qp.name, r.wr, r.called, fn == "NdkGetCqResults", *token, s.hidden.facts.Given(), facts.Moment{At: int(s.at), Line: s.line()})
			s.note()
		}
	}
	if from == nil && (result.Type == "" || token == nil) {
		s.changesUnknown(r)
	}
	met := cases.Count{AtMost: 1}
	if token != nil {
		met.AtLeast = 1
		s.meets(declared.TokenTold)
		s.invalidated(*token)
	}
	if !s.dialect.Ibverbs {
		s.cases.Add(fetchedBy(fn), met)
	}
}

// maxInvalidated is how many tokens are remembered that receives told to be invalid.
const maxInvalidated = 1 << 12

// invalidated remembers that a receive told that the peer had invalidated a token.
func (s *Stream) invalidated(token uint32) {
	if len(s.dead) >= maxInvalidated {
		clear(s.dead)
	}
	s.dead[token] = s.at
}

// revives forgets that a token, or any where that is nil, was told to be invalid: a request may make it valid.
func (t *tokens) revives(token *uint32) {
	if token == nil {
		clear(t.dead)
	} else {
		delete(t.dead, *token)
	}
}

// isDead reports whether r names a token that a receive had shown to be invalid when r was called, and that no later request can have made valid.
func (t *tokens) isDead(r *request) bool {
	if r.token == nil {
		return false
	}
	told := t.dead[*r.token]
	return told != 0 && told < r.called
}

// mayHaveFetched handles polls of objects that are not followed any more: each result may show that a token was invalidated, or is not valid.
func (q *cq) mayHaveFetched(polls []*poll) {
	for _, p := range polls {
		for i := range p.results {
			result := &p.results[i]
			outcome := calls.OutcomeOf(result.Status)
			switch r := q.s.request(q, result.Wr); {
			case q.s.dialect.Ibverbs:
			case outcome == model.SUCCESS && result.Type != "Receive" && (r == nil || r.op == model.ReceiveOp):
				q.s.cases.MayHave(fetchedBy(p.call.fn))
			case outcome == model.FAILED && (r == nil || r.op == model.Invalidate):
				q.s.cases.MayHave(cases.InvalidateFailed)
			}
		}
	}
}

func fetchedBy(fn string) cases.Case {
	if fn == "NdkGetCqResultsEx" {
		return cases.InvalidatedByExtendedPoll
	}
	return cases.InvalidatedByPlainPoll
}

// invalidateFailed counts the way in which r failed, if it is an NdkInvalidate.
func (s *Stream) invalidateFailed(r *request, how cases.Case) {
	switch {
	case r.op != model.Invalidate:
	case !s.isDead(r):
		s.cases.MayHave(how)
	default:
		s.meets(declared.Invalidated)
		s.cases.Met(how)
	}
}

// sumCases returns how often each case was met, and counts the arms that merged with another one.
func (s *Stream) sumCases() *cases.Counts {
	all := s.cases
	for _, which := range cases.All() {
		all.Add(which, s.retired.cases[which])
	}
	for _, q := range s.cqsInOrder {
		for _, u := range q.arms.underWay {
			q.arms.mayMerge(u)
		}
		q.arms.cases.sum(&all, q.certainty(), 1)
	}
	s.requestCases.sum(&all)
	for outstanding := model.ERRORS; outstanding <= model.ANY; outstanding++ {
		for t := model.ERRORS; t <= model.ANY; t++ {
			if n := all[cases.Merge(outstanding, t)].AtLeast; n > 0 {
				for _, id := range declared.By(declared.ArmsAgain) {
					s.counts[id] += n
				}
			}
		}
	}
	return &all
}
