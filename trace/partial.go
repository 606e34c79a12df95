package trace

import "fmt"

// Begins reports whether a call or a callback begins with an event.
func (e *Event) Begins() bool { return e.Ph == Call || e.Ph == Enter }

// Follows returns the ops that began before an event, whatever thread they are of: the one that it ends, and the one that it completes.
func (e *Event) Follows() []string {
	var ops []string
	if e.Ph == Ret || e.Ph == Exit {
		ops = append(ops, e.Op)
	}
	if e.For != "" {
		ops = append(ops, e.For)
	}
	return ops
}

// InOrder returns a trace in a partial order as one in a total order: that of its events with these values of seq. The error says why they
// can't have happened in that order.
func (t *Trace) InOrder(seqs []uint64) (*Trace, error) {
	bySeq := make(map[uint64]*Event, len(t.Events))
	for i := range t.Events {
		bySeq[t.Events[i].Seq] = &t.Events[i]
	}
	if len(seqs) != len(t.Events) {
		return nil, fmt.Errorf("an order of %d events, and the trace has %d", len(seqs), len(t.Events))
	}
	total := *t
	total.Header.Order, total.Events = "total", make([]Event, 0, len(seqs))
	latest, begun, time := map[string]uint64{}, map[string]bool{}, int64(0)
	for _, seq := range seqs {
		e := bySeq[seq]
		switch {
		case e == nil:
			return nil, fmt.Errorf("no event with seq %d, or none more", seq)
		case e.T < time:
			return nil, fmt.Errorf("the event with seq %d comes behind one with a later time", seq)
		case e.Seq < latest[e.Thr]:
			return nil, fmt.Errorf("the event with seq %d comes behind a later one of its thread", seq)
		}
		for _, op := range e.Follows() {
			if !begun[op] {
				return nil, fmt.Errorf("the event with seq %d comes before op %q began, which it follows", seq, op)
			}
		}
		delete(bySeq, seq)
		if e.Begins() {
			begun[e.Op] = true
		}
		time, latest[e.Thr] = e.T, e.Seq
		total.Events = append(total.Events, *e)
	}
	return &total, nil
}
