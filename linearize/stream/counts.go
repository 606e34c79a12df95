package stream

import (
	"slices"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/model"
)

// A tally counts what the trace has exercised: occasions of rules, and cases of them.
type tally struct {
	counts       map[string]int
	seen         [occasions]int
	cases        cases.Counts
	requestCases requestCases
	may          mayArm
}

// An occasion is a frequent one, or two in one, of those that exercise rules. Its number is counted, and the rules only at the end.
type occasion uint8

// The occasions.
const (
	aCallback occasion = iota
	anEvent
	aPoll
	aResult
	aResultOfRequest
	aCancelled
	aDeferred
	aRefusedChain
	aSilent
	anUnmatched
	anUnfailed
	aRest // of a CQ
	occasions
)

var exercisedBy = [occasions][]string{
	aCallback:        declared.By(declared.Callback),
	anEvent:          declared.By(declared.Event),
	aPoll:            slices.Concat(declared.By(declared.Poll), declared.By(declared.PollTakes)),
	aResult:          declared.By(declared.Told),
	aResultOfRequest: slices.Concat(declared.By(declared.ToldOfRequest), declared.By(declared.Completes)),
	aCancelled:       declared.By(declared.Cancelled),
	aDeferred:        declared.By(declared.Deferred),
	aRefusedChain:    declared.By(declared.RefusedChain),
	aSilent:          declared.By(declared.Silent),
	anUnmatched:      declared.By(declared.PlacedPlain),
	anUnfailed:       declared.By(declared.PlacedErrors),
	aRest:            declared.By(declared.Resting),
}

func (t *tally) exercised(id string) { t.counts[id]++ }

// meets counts the rules that an occasion exercises.
func (t *tally) meets(o declared.Occasion) {
	for _, id := range declared.By(o) {
		t.exercised(id)
	}
}

// sumOccasions counts the rules that occasions exercised.
func (t *tally) sumOccasions() {
	for o, n := range t.seen {
		for _, id := range exercisedBy[o] {
			if n > 0 {
				t.counts[id] += n
			}
		}
	}
}

// countClose counts a close of the CQ that was not refused.
func (t *tally) countClose(u *underWay) {
	if u.inCallback {
		t.cases.Met(cases.CloseInCallback)
	}
	if u.beforeQp {
		t.cases.Met(cases.CloseCqFirst)
	}
}

// countEnded counts how a request ended, as a poll tells.
func (t *tally) countEnded(r *request, outcome model.Outcome) {
	if outcome == model.CANCELLED {
		t.cases.Met(cancelled[r.wq.queue])
	}
	switch {
	case !r.silent:
	case outcome == model.FAILED:
		t.cases.Met(cases.SilentFailed)
	case outcome == model.CANCELLED:
		t.cases.Met(cases.SilentCancelled)
	}
	p := r.wq.qp
	if r.deferred && r.ended == 0 && outcome != model.CANCELLED && p.running[model.Initiator]+p.flushing == 0 && !p.flushOverlaps && p.closing == 0 {
		t.cases.Add(cases.DeferredEarly, cases.Count{AtLeast: 1})
	}
}

// metByPoll counts what a poll with room for n found.
func (t *tally) metByPoll(found, n int) {
	switch {
	case n == 0:
	case found == 0:
		t.cases.Met(cases.PollNothing)
	case found == n:
		t.cases.Met(cases.PollFull)
	case found < n: // and not more, which would break POLL-02
		t.cases.Met(cases.PollFewer)
	}
}

// metByError counts that a callback reports an error.
func (t *tally) metByError(status model.Health) {
	if status == model.BufferOverflow {
		t.cases.Met(cases.StatusBufferOverflow)
	} else {
		t.cases.Met(cases.StatusInternalError)
	}
}
