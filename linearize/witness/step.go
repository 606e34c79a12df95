// Package witness is the proof that the contract allows a trace: its events in their order, and between them each step of the model, hidden steps
// included. Verify replays a witness with the model alone. docs/witness.md describes the format.
package witness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// The header's format and v.
const (
	formatName = "ndk-witness"
	version    = "1.0"
)

// A Claim says what allows a trace: a dialect, the readings that are not the default, and the order of the events if the trace allows several.
type Claim struct {
	Dialect     string            `json:"dialect"`
	DeviceLevel bool              `json:"device_level,omitempty"`
	Assume      map[string]string `json:"assume,omitempty"`
	Order       []uint64          `json:"order,omitempty"` // of a trace in a partial order: one of its events, by their values of seq
}

// A Step is an action of the model, with names where the model has numbers. Arguments that the action has no use for are zero.
type Step struct {
	Action model.Name `json:"action"`
	Op     string     `json:"op,omitempty"` // of the call or callback whose effect it is; none of a hidden step
	Cq     string     `json:"cq,omitempty"`
	Qp     string     `json:"qp,omitempty"`
	Queue  string     `json:"queue,omitempty"`
	Wr     string     `json:"wr,omitempty"`
	Posted
	Type      string  `json:"type,omitempty"`      // NdkArmCq
	N         *int    `json:"n,omitempty"`         // NdkGetCqResults: room
	K         *int    `json:"k,omitempty"`         // NdkGetCqResults: how many it returned
	CqStatus  string  `json:"cq_status,omitempty"` // NdkCqNotificationCallbackEnter
	Depth     *int    `json:"depth,omitempty"`     // NdkResizeCq: the new one
	Outcome   string  `json:"outcome,omitempty"`   // Execute; Abort: of the send; Resize, NdkRequestCompletionEnter: of the resize
	Received  string  `json:"received,omitempty"`  // Abort: of the receive
	Solicited bool    `json:"solicited,omitempty"` // Execute of a receive: what the message brought
	Token     *uint32 `json:"token,omitempty"`     // Post, PostRefused; Execute of a receive
	Leaves    *Leaves `json:"leaves,omitempty"`    // where the step may end in more than one way
	Owes      string  `json:"-"`                   // the CQ of which the step makes one more callback owed: for a reader, no part of a witness
}

// Posted is what Post and PostRefused post.
type Posted struct {
	Request  string `json:"request,omitempty"` // the operation
	Silent   bool   `json:"silent,omitempty"`
	Solicit  bool   `json:"solicit,omitempty"`
	Fence    bool   `json:"fence,omitempty"`
	Deferred bool   `json:"deferred,omitempty"`
}

// Leaves distinguishes the ways in which a step may end, by the state of the CQ that it changes.
type Leaves struct {
	Arm string `json:"arm"`
	Due int    `json:"due"` // callbacks owed
}

// LeavesOf describes the state of a CQ after a step.
func LeavesOf(q model.Cq) Leaves { return Leaves{q.Arm.String(), q.Due} }

// OutcomeOfResize distinguishes the ways in which a resize may end.
func OutcomeOfResize(q model.Cq) model.Outcome {
	if q.Resize == model.ResizeDone {
		return model.SUCCESS
	}
	return model.FAILED
}

// CqOf returns the CQ that an action changes, where it changes one.
func CqOf(c *model.Contract, a model.Action) int {
	if a.Name == model.Complete {
		return c.Qps[a.Qp].Cq(a.Queue)
	}
	return a.Cq
}

// A Placed step stands behind the event with an index, and before the next. Index -1 is before all.
type Placed struct {
	Step
	Behind int
}

type (
	headerRecord struct {
		Rec     string `json:"rec"`
		Format  string `json:"format"`
		Version string `json:"v"`
		Claim
	}
	stepRecord struct {
		Rec string `json:"rec"`
		Step
	}
	endRecord struct {
		Rec    string `json:"rec"`
		Events int    `json:"events"`
		Steps  int    `json:"steps"`
	}
)

func header(c Claim) headerRecord { return headerRecord{"hdr", formatName, version, c} }

// line encodes a record in the one way that Verify takes.
func line(record any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return trace.EscapeJSON(nil, out.Bytes()), err
}

// ordered returns the trace in the order of the claim.
func (c Claim) ordered(t *trace.Trace) (*trace.Trace, error) {
	switch partial := t.Header.Order == "partial"; {
	case partial && c.Order == nil && len(t.Events) > 0:
		return nil, errors.New("the events of the trace are ordered only partially, and the witness does not claim an order")
	case partial:
		return t.InOrder(c.Order)
	case c.Order != nil:
		return nil, errors.New("an order is claimed, and the trace tells it")
	}
	return t, nil
}

// Write writes a witness of t. The steps are in order.
func Write(w io.Writer, t *trace.Trace, c Claim, steps []Placed) error {
	t, err := c.ordered(t)
	if err != nil {
		return err
	}
	write := func(record any) error {
		text, err := line(record)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	if err := write(header(c)); err != nil {
		return err
	}
	next, event := 0, []byte(nil)
	for i := -1; i < len(t.Events); i++ {
		if i >= 0 {
			event = append(trace.AppendEvent(event[:0], &t.Events[i]), '\n')
			if _, err := w.Write(event); err != nil {
				return err
			}
		}
		for ; next < len(steps) && steps[next].Behind == i; next++ {
			if err := write(stepRecord{"step", steps[next].Step}); err != nil {
				return err
			}
		}
	}
	if next < len(steps) {
		return fmt.Errorf("step %d of the witness stands behind no event", next+1)
	}
	return write(endRecord{"end", len(t.Events), len(steps)})
}
