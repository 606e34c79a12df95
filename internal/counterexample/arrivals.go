package counterexample

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// Of a CQ by itself, completions come from nowhere.

// An arrival is a request whose completion comes from nowhere, and what has to be posted just before: itself, or the
// message that it receives.
type arrival struct {
	request
	before request
}

// prepare creates the objects. Each completion that comes from nowhere is of a QP of its own, so that none has to do with
// another: a write, or where it is solicited a receive.
func (c *converter) prepare(steps []step, depth int64) error {
	seen := map[string]bool{}
	peers := false
	for _, s := range steps {
		if cq := s.word(0); !seen[cq] {
			seen[cq] = true
			c.createCq(cq, depth)
		}
	}
	for _, s := range steps {
		if s.name != "Place" && s.name != "Overflow" {
			continue
		}
		n := strconv.Itoa(len(c.requests) + 1)
		r := arrival{request: request{wr: "w" + n, qp: "qp" + n, op: "Write"}}
		r.before = r.request
		c.createQp(mc.Qp{Name: r.qp, InitiatorCq: s.word(0), ReceiveCq: s.word(0)})
		c.users[s.word(0)] = append(c.users[s.word(0)], r.qp)
		c.connect(r.qp, "c"+n, false)
		if s.name == "Place" && isSolicited(s.arguments[1]) {
			r.wr, r.op = "r"+n, "Receive"
			r.before = request{wr: "s" + n, qp: "peer" + n, op: "Send", flags: []string{"SEND_AND_SOLICIT_EVENT"}}
			if !peers {
				peers = true
				c.createCq("peers", int64(len(steps)))
			}
			c.createQp(mc.Qp{Name: r.before.qp, InitiatorCq: "peers", ReceiveCq: "peers"})
			c.connect(r.before.qp, "c"+n, true)
			if err := c.post(r.request); err != nil {
				return err
			}
		}
		c.requests = append(c.requests, r)
	}
	c.listen()
	return nil
}

// take writes down one step of a module of CQs.
func (c *converter) take(s step) error {
	switch s.name {
	case "NdkGetCqResults":
		return c.polled(s)
	case "Place":
		return c.place(s.action)
	case "Overflow": // the completion that found no room is lost
		return c.post(c.arrive().before)
	case "NdkCloseCompletion": // the QPs are closed before their CQ (LIFE-04)
		for _, qp := range c.users[s.word(0)] {
			if err := errors.Join(c.closeQp(qp), c.closeEnter(qp), c.closeExit(qp)); err != nil {
				return err
			}
		}
	}
	return c.takeOfCq(s)
}

// polled handles MCNdkGetCqResults of a CQ, with the room and the number of completions found. In MCConsumer the thread is the argument before them.
func (c *converter) polled(s step) error {
	cq, thread, arguments := s.word(0), s.thread(), s.arguments[1:]
	if thread != "" {
		arguments = arguments[1:]
	}
	if len(arguments) != 2 {
		return errors.New("it does not say with what room, and how many completions it finds")
	}
	room, err := arguments[0].number()
	if err != nil {
		return err
	}
	n, err := arguments[1].number()
	if err != nil {
		return err
	}
	if n > len(c.entries[cq]) {
		return fmt.Errorf("it finds %d completions, of which only %d were placed", n, len(c.entries[cq]))
	}
	results := append([]trace.Result{}, c.entries[cq][:n]...)
	c.entries[cq] = c.entries[cq][n:]
	c.poll(cmp.Or(thread, mainThread), getCqResults, cq, int64(room), results)
	return nil
}

// arrive returns the request that is prepared for the next completion.
func (c *converter) arrive() arrival {
	next := c.requests[0]
	c.requests = c.requests[1:]
	return next
}

// place posts what was prepared for the next completion, and places it.
func (c *converter) place(a action) error {
	cq, completion, r := a.word(0), a.arguments[1], c.arrive()
	if err := c.post(r.before); err != nil {
		return err
	}
	result := trace.Result{Wr: r.wr, Qp: r.qp, Status: c.status(completion.fields["status"].text)}
	c.placed(cq, result, isSolicited(completion))
	c.entries[cq] = append(c.entries[cq], result)
	return nil
}

// places reports whether an action says where it places which completion.
func (a action) places() bool { return len(a.arguments) == 2 && a.arguments[1].fields != nil }

func isSolicited(completion value) bool { return completion.fields["solicited"].text == "TRUE" }
