package counterexample

import (
	"fmt"
	"strconv"

	"ndkoracle/trace"
)

const getCqResults = "NdkGetCqResults"

// word returns argument i as text, or "" if there are fewer.
func (a action) word(i int) string {
	if i >= len(a.arguments) {
		return ""
	}
	return a.arguments[i].text
}

// thread returns which thread of MCConsumer calls; elsewhere it is "".
func (a action) thread() string {
	if by := a.word(1); by == mainThread || by == callbackThread {
		return by
	}
	return ""
}

// number returns a value that is a number.
func (v value) number() (int, error) {
	n, err := strconv.Atoi(v.text)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", v.text)
	}
	return n, nil
}

// takeOfCq writes down a step that any module with CQs has.
func (c *converter) takeOfCq(s step) error {
	cq := s.word(0)
	switch s.name {
	case "NdkArmCq":
		if thread := s.thread(); thread != "" {
			return c.arm(thread, cq, s.word(2))
		}
		return c.arm(mainThread, cq, s.word(1))
	case "NdkCqNotificationCallbackEnter":
		return c.enter(cq, s.word(1))
	case "NdkCqNotificationCallbackExit":
		return c.exit(cq)
	case "NdkCloseCq":
		return c.closeCq(cq)
	case "NdkCloseCompletion":
		if err := c.closeEnter(cq); err != nil {
			return err
		}
		return c.closeExit(cq)
	case "NdkResizeCq":
		depth, err := s.arguments[1].number()
		if err != nil {
			return err
		}
		return c.resize(cq, int64(depth))
	case "NdkRequestCompletionEnter":
		return c.resized(cq, s.word(1))
	case "NdkRequestCompletionExit", // told with its entry: nothing comes between that matters
		"Wake", "WakeUp", "ExtraEventComes", "InternalError", "Resize": // hidden steps
		return nil
	}
	return fmt.Errorf("there is no way to tell it")
}

// placed writes down that a completion was placed.
func (c *converter) placed(cq string, result trace.Result, solicited bool) {
	c.point(trace.Event{Fn: "CqePlaced", Cq: cq, Wr: result.Wr, Status: result.Status, Solicited: &solicited})
}
