package minimize

import "ndkoracle/trace"

// smaller makes numbers smaller: the depth of CQs, which lets fewer requests overflow them, and the room of polls.
func (s *shrinker) smaller(t *trial) *trial {
	for i := range t.events {
		if s.over() {
			break
		}
		for _, field := range []func(*trace.Event) **int64{depth, room} {
			number := *field(&t.events[i])
			if number == nil {
				continue
			}
			for _, value := range []int64{1, 2, *number / 2} {
				least := max(1, int64(len(t.resultsOf(i))))
				if value = max(value, least); value >= *number {
					continue
				}
				tried := t.changed(i, field, value)
				if s.fails(tried) {
					t = tried
					break
				}
			}
		}
	}
	return t
}

func depth(e *trace.Event) **int64 { return &e.Depth }
func room(e *trace.Event) **int64  { return &e.N }

// resultsOf returns what the poll delivered whose call is event i.
func (t *trial) resultsOf(i int) []trace.Result {
	for _, e := range t.events[i:] {
		if e.Op == t.events[i].Op && e.Op != "" && e.Results != nil {
			return e.Results
		}
	}
	return nil
}

func (t *trial) changed(i int, field func(*trace.Event) **int64, value int64) *trial {
	next := &trial{whole: t.whole, events: append([]trace.Event(nil), t.events...), cut: t.cut}
	*field(&next.events[i]) = &value
	next.units = unitsOf(next.events)
	return next
}
