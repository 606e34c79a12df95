package stream

import "math"

// A position is where in the trace the stream is.
type position struct {
	at  eventIndex // of the present event, from 1
	now place      // of the present event, or of the end
}

// An eventIndex is the number of an event in the trace, from 1. Of what has not happened it is 0.
type eventIndex = int

// never is the index of what does not happen in the trace.
const never eventIndex = math.MaxInt

// place is the position of an event. The end of a trace has a place as well.
type place struct {
	line int
	seq  uint64
}
