// Package counterexample turns what TLC found into a trace that tracecheck reads: each call and callback of the
// counter-example becomes its events, and each completion that is placed a point. What the specification leaves out is made up:
// objects are created and connected first, and a completion that comes from nowhere gets a request that it completes.
package counterexample

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"ndkoracle/trace"
)

// Example is a counter-example of an MC module of tla/.
type Example struct {
	Configuration string // its name, for the header
	Dialect       string // ndkpi, ndspi or verbs
	Depth         int    // of each CQ, in completions
	// Actions are those of the steps, with their arguments as they are written in TLA+: MCNdkArmCq("q", "ANY").
	Actions []string
	// Last are the variables of the last state, by their names, as TLC prints them.
	Last map[string]string
	// Stutters says that TLC found that nothing need happen after the last state.
	Stutters bool
}

// Write writes the counter-example as a trace. The error says which step can't be told as events, and why; then nothing is
// written.
func Write(out io.Writer, example Example) error {
	events, err := tell(example)
	if err != nil {
		return err
	}
	atRest, err := example.atRest()
	if err != nil {
		return err
	}
	w, err := trace.NewWriter(out, trace.Header{Dialect: example.Dialect, Side: "provider", Order: "total",
		Producer: trace.Producer{Name: "tlcrun", Version: trace.Version},
		Run:      map[string]string{"configuration": example.Configuration}})
	if err != nil {
		return err
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return err
		}
	}
	return w.Close(trace.End{Quiescent: atRest})
}

// tell returns the events of the counter-example.
func tell(example Example) ([]trace.Event, error) {
	c := converter{script: new(script), entries: map[string][]trace.Result{}}
	switch example.Dialect {
	case "ndkpi", "ndspi":
		c.words = &ndkWords{c.script, example.Dialect == "ndkpi", map[string][]string{}}
	case "verbs":
		c.words = &verbsWords{script: c.script}
	default:
		return nil, fmt.Errorf("there is no dialect %q", example.Dialect)
	}
	actions := make([]action, len(example.Actions))
	for i, text := range example.Actions {
		var err error
		if actions[i], err = parseAction(text); err == nil && actions[i].name == "Place" && !actions[i].places() {
			err = errors.New("it does not say which completion is placed")
		}
		if err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, text, err)
		}
	}
	c.prepare(actions, int64(example.Depth))
	for i, a := range actions {
		if err := c.take(a); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, example.Actions[i], err)
		}
	}
	return c.events, nil
}

type converter struct {
	*script
	words
	requests []arrival                 // the requests of the completions that come from nowhere, in their order
	entries  map[string][]trace.Result // of each CQ, oldest first
}

// An arrival is a request whose completion comes from nowhere, and what has to be posted just before: itself, or the
// message that it receives.
type arrival struct {
	request
	before request
}

// prepare creates the objects. Each completion that comes from nowhere is of a QP of its own, so that none has to do with
// another: a write, or where it is solicited a receive.
func (c *converter) prepare(actions []action, depth int64) {
	seen := map[string]bool{}
	peers := false
	for _, a := range actions {
		if cq := a.word(0); !seen[cq] {
			seen[cq] = true
			c.createCq(cq, depth)
		}
	}
	for _, a := range actions {
		if a.name != "Place" {
			continue
		}
		n := strconv.Itoa(len(c.requests) + 1)
		r := arrival{request: request{wr: "w" + n, qp: "qp" + n, op: "Write"}}
		r.before = r.request
		c.connect(r.qp, a.word(0), "c"+n, false)
		if isSolicited(a.arguments[1]) {
			r.wr, r.op = "r"+n, "Receive"
			r.before = request{wr: "s" + n, qp: "peer" + n, op: "Send", solicit: true}
			if !peers {
				peers = true
				c.createCq("peers", int64(len(actions)))
			}
			c.connect(r.before.qp, "peers", "c"+n, true)
			c.post(r.request)
		}
		c.requests = append(c.requests, r)
	}
	c.listen()
}
