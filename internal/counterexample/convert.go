// Package counterexample turns what TLC found into a trace that tracecheck reads: each call and callback of the
// counter-example becomes its events, and each completion that is placed a point. What the specification leaves out is made up:
// objects are created and connected first, and a completion that comes from nowhere gets a request that it completes.
package counterexample

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// Example is a counter-example of an MC module of tla/.
type Example struct {
	Configuration string // its name, for the header
	Dialect       string // ndkpi, ndspi or verbs
	Property      string // that it breaks, for the header
	Depth         int    // of each CQ, in completions
	Qps           []mc.Qp
	Steps         []Step
	// Stutters says that TLC found that nothing need happen after the last state.
	Stutters bool
}

// A Step is an action with its arguments as they are written in TLA+, such as MCNdkArmCq("q", "ANY"), and the variables of the
// state that it leads to, by their names, as TLC prints them.
type Step struct {
	Action string
	After  map[string]string
}

// Of returns the example of a configuration before its first step. One without a CQ has no depth, and its steps can't be told.
func Of(configuration string, machine *mc.Machine) Example {
	contract := machine.Contract()
	example := Example{Configuration: configuration, Dialect: contract.Dialect.Name, Qps: machine.Qps()}
	if len(contract.Depth) > 0 {
		example.Depth = contract.Depth[0]
	}
	return example
}

// Write writes the counter-example as a trace. The error says which step can't be told as events, and why; then nothing is
// written.
func Write(out io.Writer, example Example) error {
	told, err := Tell(example)
	if err != nil {
		return err
	}
	events := told.Events
	atRest, err := example.atRest()
	if err != nil {
		return err
	}
	w, err := trace.NewWriter(out, trace.Header{Dialect: example.Dialect, Side: "provider", Order: "total",
		Producer: trace.Producer{Name: "tlcrun", Version: trace.Version},
		Run:      map[string]string{"configuration": example.Configuration, "property": example.Property}})
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

// Told is what a trace of a counter-example holds, and the steps between its events that no trace holds.
type Told struct {
	Events []trace.Event
	Hidden []Hidden
}

// Hidden is a step that is not an event.
type Hidden struct {
	Behind int    // the index of the event that it follows; -1 before all
	Action string // as TLC writes it, without the prefix MC
}

// Tell returns the events of the counter-example, and its hidden steps.
func Tell(example Example) (*Told, error) {
	c := &converter{script: new(script), entries: map[string][]trace.Result{}, users: map[string][]string{}}
	switch example.Dialect {
	case "ndkpi", "ndspi":
		c.words = newNdkWords(c.script, example.Dialect == "ndkpi")
	case "verbs", "kverbs":
		verbs := &verbsWords{script: c.script, closes: map[string]trace.Event{}}
		if c.words = verbs; example.Dialect == "kverbs" {
			c.words = newKernelWords(verbs)
		}
	default:
		return nil, fmt.Errorf("there is no dialect %q", example.Dialect)
	}
	steps := make([]step, len(example.Steps))
	for i, text := range example.Steps {
		a, err := parseAction(text.Action)
		if err == nil && a.name == "Place" && !a.places() {
			err = errors.New("it does not say which completion is placed")
		}
		if err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, text.Action, err)
		}
		steps[i] = step{action: a, after: text.After}
		if i > 0 {
			steps[i].before = example.Steps[i-1].After
		}
	}
	take := c.take
	if len(example.Qps) > 0 {
		take = newPairs(c, example).take
	} else if err := c.prepare(steps, int64(example.Depth)); err != nil {
		return nil, err
	}
	told := &Told{}
	for i, s := range steps {
		events := len(c.events)
		if err := take(s); err != nil {
			return nil, fmt.Errorf("step %d, %s: %w", i+1, example.Steps[i].Action, err)
		}
		if len(c.events) == events {
			told.Hidden = append(told.Hidden, Hidden{events - 1, strings.TrimPrefix(example.Steps[i].Action, "MC")})
		}
	}
	told.Events = c.events
	return told, nil
}

// A step is an action between two states. Before the first nothing is known.
type step struct {
	action
	before, after map[string]string
}

type converter struct {
	*script
	words

	// Of a CQ by itself:
	requests []arrival                 // the requests of the completions that come from nowhere, in their order
	entries  map[string][]trace.Result // of each CQ, oldest first
	users    map[string][]string       // of each CQ, the QPs
}
