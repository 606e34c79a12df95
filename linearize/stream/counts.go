package stream

import (
	"slices"

	"ndkoracle/linearize/declared"
)

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
	aSilentFailure
	aSilentSuccess
	anUnmatched
	anUnfailed
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
	aSilentFailure:   {"FLAG-01"},
	aSilentSuccess:   {"FLAG-02"},
	anUnmatched:      declared.By(declared.PlacedPlain),
	anUnfailed:       declared.By(declared.PlacedErrors),
}

func (s *Stream) exercised(ids ...string) {
	for _, id := range ids {
		s.counts[id]++
	}
}

// meets counts the rules that an occasion exercises.
func (s *Stream) meets(o declared.Occasion) { s.exercised(declared.By(o)...) }

// sumOccasions counts the rules that occasions exercised.
func (s *Stream) sumOccasions() {
	for o, n := range s.seen {
		for _, id := range exercisedBy[o] {
			if n > 0 {
				s.counts[id] += n
			}
		}
	}
}
