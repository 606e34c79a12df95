package linearize

import (
	"sync"

	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// The bounds of a random history.
const (
	mostOperations = 40 // calls and callbacks
	mostSteps      = 24 // of the run, hidden ones too, twice at most, beside what brings it to rest
	mostOrders     = 8  // that a partial order leaves open
)

// A drawn is a random history, legal or spoilt, under one reading of one dialect.
type drawn struct {
	run       *run
	trace     *trace.Trace    // the run's, or the same in a partial order
	orders    [][]trace.Event // all that the partial order leaves open; of a total order nil
	options   Options
	quiescent bool
	spoilt    string       // how, or "nothing"
	less      *trace.Trace // without some optional fields, or nil
	left      []string     // which
	more      *trace.Trace // with objects of other kinds beside it, or nil
	breach    string       // of the lives of those, or "nothing"
}

// drawHistory draws until a history is short enough.
func drawHistory(d dice, resizes, lossy bool) *drawn {
	for {
		h := drawAny(d, resizes, lossy)
		if h.operations() <= mostOperations && (h.trace.Header.Order == "total" || h.orders != nil) {
			return h
		}
	}
}

func drawAny(d dice, resizes, lossy bool) *drawn {
	dialect := dialects()[d.roll(len(dialects()), "dialect")]
	h := &drawn{options: Options{MaxMemory: memoryOfSearch, DeviceLevel: dialect.FailsAsFlushed}}
	if flip(d, "another reading") {
		other := choices()[d.roll(len(choices()), "reading")]
		if resizes && flip(d, "one of resizes") {
			other = choiceOf{"A16", "REFUSED"}
		}
		dialect = h.assume(d, dialect, other)
	}
	h.run = newRun(d, dialect)
	h.run.resizes, h.run.lossy = resizes, lossy && dialect.ErrorsArm // in libibverbs a loss fails the request that meets it
	h.run.overlaps = flip(d, "overlaps")
	if d.roll(4, "depth") > 0 {
		h.run.deepen(64)
	}
	steps, partial := 1+d.roll(mostSteps, "most steps"), d.roll(8, "partial order") == 0
	if partial {
		steps = 1 + steps/2 // many orders are possible soon
	}
	for range 1 + d.roll(2, "rounds") {
		h.run.walk(d.roll(steps, "steps"))
		if flip(d, "rest") {
			h.run.rest()
			h.run.drain()
		}
	}
	h.quiescent, h.spoilt = h.run.conclude(d)
	if h.trace = h.run.trace; d.roll(4, "fields are left out") == 0 {
		h.less, h.left = leaveOut(d, h.trace)
	}
	if !partial && d.roll(6, "other objects") == 0 {
		h.more, h.breach = withObjects(d, h.trace, h.run.verbs())
	}
	if partial {
		h.trace = spread(d, h.trace)
		h.orders = allOrders(h.trace.Events, mostOrders)
	}
	return h
}

// assume reads the history by another reading, and returns the dialect with that.
func (h *drawn) assume(d dice, dialect model.Dialect, other choiceOf) model.Dialect {
	assumed, err := dialect.Assume(other.reading, other.choice)
	if err != nil {
		d.Fatalf("%v", err)
	}
	h.options.Assume = map[string]string{other.reading: other.choice}
	return assumed
}

func (h *drawn) operations() int {
	n := 0
	for i := range h.trace.Events {
		if h.trace.Events[i].Begins() {
			n++
		}
	}
	return n
}

type choiceOf struct{ reading, choice string }

// choices are the readings that the judge takes.
var choices = sync.OnceValue(func() []choiceOf {
	var all []choiceOf
	for _, r := range rules.Readings() {
		for _, choice := range r.Choices {
			if Takes(r.ID) {
				all = append(all, choiceOf{r.ID, choice})
			}
		}
	}
	return all
})
