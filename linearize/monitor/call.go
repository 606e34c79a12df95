package monitor

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/trace"
)

// A Call is a call or a callback that is under way, or that is remembered.
type Call struct {
	*calls.Function
	Op, Fn, Thr string
	Begun       Place
	Entered     bool // it is a callback
	Cq, Qp, Wr  string
	noRoom      bool // it is a poll that asks for no completion

	role     role
	objects  []*object  // that it uses, its own object first
	few      [2]*object // the memory of objects, as long as they are not more
	names    []Object   // of all of them, once a finding has asked
	ownFirst bool       // it is a function of that one
	creates  *object    // that it is to create, or nil
	within   int        // the index of the entry of the innermost callback that was running on its thread, or -1

	completion
	completes *Call // of a completion callback: the call that it is for, or nil
}

// completion is how a call that returned STATUS_PENDING was completed.
type completion struct {
	pends    bool   // it returned STATUS_PENDING
	answers  int    // completion callbacks that were entered for it
	answered Place  // the entry of the first
	by       *Call  // the callback that completes it, while it runs
	byFn     string // the function of that callback
}

// own returns the object whose function c is, or nil.
func (c *Call) own() *object {
	if c.ownFirst {
		return c.objects[0]
	}
	return nil
}

// named returns the objects that a finding about c is of.
func (c *Call) named() []Object {
	n := len(c.objects)
	if c.creates != nil {
		n++
	}
	if len(c.names) == n {
		return c.names
	}
	c.names = make([]Object, 0, n)
	for _, o := range c.objects {
		c.names = append(c.names, o.Object)
	}
	if c.creates != nil {
		c.names = append(c.names, c.creates.Object)
	}
	return c.names
}

// nestsIn reports whether c was called from a callback that runs, on the same thread, within o (A27).
func (c *Call) nestsIn(o *Call) bool { return c.Thr == o.Thr && c.within > o.Begun.Index }

// name says which call or callback it is, and of which object.
func (c *Call) name() string {
	name := c.Fn
	if c.Kind == calls.Callback {
		name = "the callback"
	}
	own := cmp.Or(c.Wr, c.Cq, c.Qp)
	switch {
	case own != "":
	case c.creates != nil:
		own = c.creates.Name
	case c.ownFirst:
		own = c.objects[0].Name
	}
	if own != "" {
		name += " of " + own
	}
	return name
}

// answer returns what a call returned, in words.
func (c *Call) answer(e *trace.Event) string {
	if c.Verbs {
		return "errno " + cmp.Or(e.Errno, "0")
	}
	return e.Status
}

// openCalls are the calls and callbacks that have not returned.
type openCalls struct {
	calls.Open[Call]
	spare []*Call // that are over, and that nothing refers to
}

// maxSpare is how many calls that are over are kept to be used again.
const maxSpare = 16

func (o *openCalls) begin(op string) *Call {
	var c *Call
	if last := len(o.spare) - 1; last >= 0 {
		c, o.spare = o.spare[last], o.spare[:last]
		*c = Call{Op: op}
	} else {
		c = &Call{Op: op}
	}
	o.Begin(op, c)
	return c
}

// reuse recycles a call that has ended, if nothing refers to it. Only a completion callback refers to a frequent call.
func (o *openCalls) reuse(c *Call) {
	if frequent(c.Kind) && !c.pends && c.answers == 0 && len(o.spare) < maxSpare {
		o.spare = append(o.spare, c)
	}
}

// threads has the entries of the callbacks that run, by thread, the innermost last.
type threads map[string][]int

// begin records a callback that is entered, and returns the entry of the one that was running on the thread before, or -1.
func (t threads) begin(c *Call) int {
	if len(t) == 0 && !c.Entered {
		return -1
	}
	running, within := t[c.Thr], -1
	if len(running) > 0 {
		within = running[len(running)-1]
	}
	if c.Entered {
		t[c.Thr] = append(running, c.Begun.Index)
	}
	return within
}

// end records that a callback has returned.
func (t threads) end(c *Call) {
	if !c.Entered {
		return
	}
	running := slices.DeleteFunc(t[c.Thr], func(entry int) bool { return entry == c.Begun.Index })
	if t[c.Thr] = running; len(running) == 0 {
		delete(t, c.Thr)
	}
}

// running reports whether a callback runs on any thread.
func (t threads) running() bool { return len(t) > 0 }
