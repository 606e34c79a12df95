package automaton

import (
	"slices"

	"ndkoracle/model"
)

// A State is what one explanation says of a CQ.
type State struct {
	Cq    model.Cq // what it holds left out, and with as few callbacks owed as may be
	Most  int      // callbacks that may be owed
	Holds int      // completions that it holds at least
	Ahead int      // callbacks that were entered, that the trace has not recorded yet
}

// Before returns what the explanations said that were alive before the latest event, no two of them alike, and no more than a few.
func (q *Queue) Before(most int) []State {
	if q.prior == nil {
		return nil
	}
	var all []State
	var seen []control
	for _, x := range q.prior.alive {
		s := State{Cq: x.cq(x.least, nil, 0), Most: int(x.most + q.owed), Ahead: int(x.ahead)}
		for _, c := range x.cells {
			if c.form == one || c.form == point {
				s.Holds++
			}
		}
		same := func(o State) bool { return o.Holds == s.Holds && o.Most == s.Most }
		if i := slices.Index(seen, x.control); i >= 0 && same(all[i]) {
			continue
		}
		if seen, all = append(seen, x.control), append(all, s); len(all) == most {
			break
		}
	}
	return all
}
