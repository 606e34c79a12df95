package doubts

import (
	"slices"
	"strings"

	"ndkoracle/trace"
)

// callObjects knows which objects the calls have named that have not returned, or are pending. What returns, or completes them, need not name
// any.
type callObjects struct {
	running []running // in no order; the memory of those that are over is used again
	pending map[string][]object
}

type running struct {
	op      string
	objects []object
}

// maxCalls bounds the calls that are remembered, of either kind.
const maxCalls = 1 << 10

// begin records a call, or the entry of a callback.
func (c *callObjects) begin(e *trace.Event) {
	if e.Ph != trace.Call && e.Ph != trace.Enter || len(c.running) == maxCalls {
		return
	}
	if len(c.running) == cap(c.running) {
		c.running = slices.Grow(c.running, 1)
	}
	c.running = c.running[:len(c.running)+1]
	r := &c.running[len(c.running)-1]
	r.op, r.objects = e.Op, withParents(appendObjects(r.objects[:0], e), e)
}

// end forgets a call that returns, but for one that pends.
func (c *callObjects) end(e *trace.Event) {
	if e.Ph != trace.Ret && e.Ph != trace.Exit {
		return
	}
	i := c.find(e.Op)
	if i < 0 {
		return
	}
	if e.Status == "STATUS_PENDING" && len(c.pending) < maxCalls {
		if c.pending == nil {
			c.pending = map[string][]object{}
		}
		c.pending[strings.Clone(e.Op)] = cloned(c.running[i].objects)
	}
	over, last := c.running[i], len(c.running)-1
	clear(over.objects)
	c.running[i], c.running[last] = c.running[last], running{objects: over.objects[:0]}
	c.running = c.running[:last]
}

// cloned is a copy that keeps nothing of the memory of which its strings are part.
func cloned(objects []object) []object {
	objects = slices.Clone(objects)
	for i := range objects {
		objects[i].id = strings.Clone(objects[i].id)
	}
	return objects
}

func (c *callObjects) find(op string) int {
	for i := len(c.running) - 1; i >= 0; i-- {
		if c.running[i].op == op {
			return i
		}
	}
	return -1
}

// of returns the objects of the call that an event returns from, or completes.
func (c *callObjects) of(e *trace.Event) []object {
	op := e.Op
	if e.Ph == trace.Call || e.Ph == trace.Enter {
		op = e.For
	}
	if op == "" {
		return nil
	}
	if i := c.find(op); i >= 0 {
		return slices.Clone(c.running[i].objects)
	}
	return slices.Clone(c.pending[op])
}
