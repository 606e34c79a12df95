// Package histories draws random histories, and has the plain search that decides which of them the contract allows. It is for tests alone. A Run is a walk
// of the model with its recorded trace, legal or spoilt. The referee shares no code with the engines.
package histories

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"ndkoracle/linearize"
	"ndkoracle/model"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

// The bounds of a random history.
const (
	mostOperations = 40 // calls and callbacks
	mostSteps      = 24 // of the run, hidden ones included, at most twice, beside those that bring it to rest
	mostOrders     = 8  // that a partial order leaves open
)

// A drawn is a random history, legal or spoilt, under one reading of one dialect.
type drawn struct {
	run       *Run
	trace     *trace.Trace    // the run's, or the same in a partial order
	orders    [][]trace.Event // all that the partial order leaves open; of a total order nil
	options   linearize.Options
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
	dialect := Dialects()[d.Roll(len(Dialects()), "dialect")]
	h := &drawn{options: linearize.Options{MaxMemory: memoryOfSearch, DeviceLevel: dialect.FailsAsFlushed}}
	if Flip(d, "another reading") {
		other := choices()[d.Roll(len(choices()), "reading")]
		if resizes && Flip(d, "one of resizes") {
			other = choiceOf{"A16", "REFUSED"}
		}
		dialect = h.assume(d, dialect, other)
	}
	h.run = NewRun(d, dialect)
	h.run.resizes, h.run.lossy = resizes, lossy && dialect.LossCancels // in libibverbs a loss fails the request that meets it
	h.run.Overlaps = Flip(d, "overlaps")
	if d.Roll(4, "depth") > 0 {
		h.run.deepen(64)
	}
	steps, partial := 1+d.Roll(mostSteps, "most steps"), d.Roll(8, "partial order") == 0
	if partial {
		steps = 1 + steps/2 // many orders are possible soon
	}
	for range 1 + d.Roll(2, "rounds") {
		h.run.Walk(d.Roll(steps, "steps"))
		if Flip(d, "rest") {
			h.run.Rest()
			h.run.Drain()
		}
	}
	h.quiescent, h.spoilt = h.run.conclude(d)
	if h.trace = h.run.Trace; d.Roll(4, "fields are left out") == 0 {
		h.less, h.left = leaveOut(d, h.trace)
	}
	if !partial && d.Roll(6, "other objects") == 0 {
		h.more, h.breach = withObjects(d, h.trace, h.run.verbs(), noCloseFails(dialect))
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

// noCloseFails reports whether no close may fail (LIFE-12, A22).
func noCloseFails(d model.Dialect) bool { return d.Name == "ndkpi" && d.A22 == model.A22MustNot }

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
			if linearize.Takes(r.ID) {
				all = append(all, choiceOf{r.ID, choice})
			}
		}
	}
	return all
})

// The bounds of the searches. One that needs more gives no answer, on each machine alike.
const (
	memoryOfSearch  = 2 << 20 // bytes, of porcupine
	configsOfSearch = 300     // of the plain search

	configsOfDoubt   = 100 * configsOfSearch    // where an engine accuses alone
	configsOfDispute = 10_000 * configsOfSearch // where nothing less has an answer: six seconds, and 400 MB
)

func (h *drawn) String() string {
	text := fmt.Sprintf("dialect %s, %v, at rest: %v, spoilt: %s\n", h.run.c.Dialect.Name, h.options.Assume, h.quiescent, h.spoilt)
	if h.orders != nil {
		for i := range h.trace.Events {
			e := &h.trace.Events[i]
			text += fmt.Sprintf("line %d: thread %s at %d: %s %s\n", e.Line, e.Thr, e.T, e.Ph, e.Op)
		}
	}
	return text + h.run.String() + "\n" + AsWritten(h.trace)
}

// AsWritten returns a trace in its format, for tracecheck.
func AsWritten(t *trace.Trace) string {
	var text strings.Builder
	out, err := trace.NewWriter(&text, t.Header)
	for i := range t.Events {
		if err == nil {
			err = out.Write(&t.Events[i])
		}
	}
	if err == nil {
		err = out.Close(*cmp.Or(t.End, &trace.End{}))
	}
	if err != nil {
		return err.Error()
	}
	return text.String()
}
