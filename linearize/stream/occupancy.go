package stream

// An occupancy is what a CQ may hold: how many completions it holds, and how many may be on their way into it.
type occupancy struct {
	depth   int        // or the one that a pending resize asks for, if that is less
	pending int        // requests, not delivered, that could complete into it now
	points  []*request // these, oldest first
	shown   int        // completions that it holds by what points of the trace tell
	owed    int        // outstanding requests that had to have completed at a moment of rest
	added   eventIndex // when the latest of its requests was posted
}

// load returns how many completions the CQ holds, if each that may be on its way has arrived.
func (o *occupancy) load() int { return o.pending + o.shown }

// fits reports whether the CQ has room for all of them.
func (o *occupancy) fits() bool { return o.load() <= o.depth }
