package counterexample

import (
	"fmt"
	"slices"
	"strconv"

	"ndkoracle/trace"
)

// someRoom is what a consumer polls with that does not say for how many completions it has room.
const someRoom = 16

// word returns an argument as text, "" where there are not so many.
func (a action) word(i int) string {
	if i >= len(a.arguments) {
		return ""
	}
	return a.arguments[i].text
}

// number returns an argument that is a number.
func (a action) number(i int) (int, error) {
	n, err := strconv.Atoi(a.word(i))
	if err != nil {
		return 0, fmt.Errorf("argument %d is no number", i+1)
	}
	return n, nil
}

// places reports whether an action says where it places which completion.
func (a action) places() bool { return len(a.arguments) == 2 && a.arguments[1].fields != nil }

// take writes down one step. The actions of MCConsumer say which thread calls; elsewhere the main thread does.
func (c *converter) take(a action) error {
	cq, thread := a.word(0), mainThread
	if by := a.word(1); by == mainThread || by == callbackThread {
		thread = by
		a.arguments = slices.Delete(slices.Clone(a.arguments), 1, 2)
	}
	switch a.name {
	case "NdkArmCq":
		return c.arm(thread, cq, a.word(1))
	case "NdkGetCqResults":
		return c.polled(a, thread)
	case "NdkCqNotificationCallbackEnter":
		return c.enter(cq, a.word(1))
	case "NdkCqNotificationCallbackExit":
		return c.exit(cq)
	case "Place":
		c.place(a)
		return nil
	case "Wake", "WakeUp", "ExtraEventComes", "InternalError": // nobody sees these
		return nil
	}
	return fmt.Errorf("there is no way to tell it")
}

func (c *converter) polled(a action, thread string) error {
	room, found := someRoom, 1
	if len(a.arguments) == 3 {
		var err error
		if room, err = a.number(1); err != nil {
			return err
		}
		found = 2
	}
	n, err := a.number(found)
	if err != nil {
		return err
	}
	cq := a.word(0)
	if n > len(c.entries[cq]) {
		return fmt.Errorf("it finds %d completions, of which only %d were placed", n, len(c.entries[cq]))
	}
	results := append([]trace.Result{}, c.entries[cq][:n]...)
	c.entries[cq] = c.entries[cq][n:]
	c.poll(thread, cq, int64(room), results)
	return nil
}

// place posts what was prepared for the next completion that comes from nowhere, and places it.
func (c *converter) place(a action) {
	cq, completion, r := a.word(0), a.arguments[1], c.requests[0]
	c.requests = c.requests[1:]
	c.post(r.before)
	result := trace.Result{Wr: r.wr, Qp: r.qp, Status: c.status(completion.fields["status"].text)}
	c.point(trace.Event{Fn: "CqePlaced", Cq: cq, Wr: r.wr, Status: result.Status, Solicited: pointer(isSolicited(completion))})
	c.entries[cq] = append(c.entries[cq], result)
}

func isSolicited(completion value) bool { return completion.fields["solicited"].text == "TRUE" }
