package stream

import "math"

// A position is where in the trace the stream is.
type position struct {
	at  moment // of the present event, from 1
	now place  // of the present event, or of the end
}

// A moment is the number of an event in the trace, from 1. Of what has not happened it is 0.
type moment = int

// never is the moment of what does not happen in the trace.
const never moment = math.MaxInt

// place is where an event stands. The end of a trace has a place too.
type place struct {
	line int
	seq  uint64
}
