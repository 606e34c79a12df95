package stream

// An occasion exercises rules, each once. Occasions are counted, as there are many of them: the rules only at the end.
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
	aCallback:        {"ARM-01", "ARM-02", "ARM-06", "ARM-21"},
	anEvent:          {"ARM-01", "ARM-02", "ARM-21"},
	aPoll:            {"POLL-02", "POLL-03"},
	aResult:          {"POLL-05"},
	aResultOfRequest: {"POLL-04", "DEF-03", "DEF-04", "POLL-09"},
	aCancelled:       {"RES-10"},
	aDeferred:        {"DEF-02", "DEF-07"},
	aRefusedChain:    {"DEF-05"},
	aSilentFailure:   {"FLAG-01"},
	aSilentSuccess:   {"FLAG-02"},
	anUnmatched:      {"ARM-12"},
	anUnfailed:       {"ARM-08"},
}

func (s *Stream) exercised(ids ...string) {
	for _, id := range ids {
		s.counts[id]++
	}
}

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
