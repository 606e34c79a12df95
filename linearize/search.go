package linearize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// stateSet is what porcupine carries along: every state that the operations taken so far may have led to. Sets are equal
// when their keys are.
type stateSet struct {
	states []state
	key    string
	hash   uint64
}

// newStateSet sorts the states by their keys and drops those that stand twice.
func newStateSet(states []state) *stateSet {
	type keyed struct {
		key []byte
		s   state
	}
	all := make([]keyed, len(states))
	for i, s := range states {
		all[i] = keyed{s.appendKey(nil), s}
	}
	slices.SortFunc(all, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
	all = slices.CompactFunc(all, func(a, b keyed) bool { return bytes.Equal(a.key, b.key) })
	set := &stateSet{states: make([]state, len(all))}
	var key []byte
	for i, k := range all {
		set.states[i] = k.s
		key = append(key, k.key...)
	}
	h := fnv.New64a()
	h.Write(key)
	set.key, set.hash = string(key), h.Sum64()
	return set
}

// porcupineModel is the contract as porcupine sees it. Hidden steps are operations like any other, of wide interval.
func (c *component) porcupineModel(stop context.Context) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return newStateSet([]state{c.init()}) },
		StepContext: func(ctx context.Context, from, input, _ any) (bool, any) {
			o := input.(*operation)
			var next []state
			for _, s := range from.(*stateSet).states {
				if ctx.Err() != nil || stop.Err() != nil {
					return false, nil
				}
				if c.outOfTurn(o, s) {
					if o.maybe {
						next = append(next, s)
					}
					continue
				}
				states, _ := c.step(s, o)
				next = append(next, states...)
			}
			if len(next) == 0 {
				return false, nil
			}
			return true, newStateSet(next)
		},
		Equal: func(a, b any) bool { return a.(*stateSet).key == b.(*stateSet).key },
		Hash:  func(s any) uint64 { return s.(*stateSet).hash },
	}
}

// outOfTurn answers without a step for the completions whose turn has not come, which are most of what a search tries.
func (c *component) outOfTurn(o *operation, s state) bool {
	if o.effect != doComplete || o.request.delivery == nil {
		return false
	}
	turn, _ := c.turn(o)
	return s.placed[o.cq] != turn
}

// upTo returns the operations of the events up to and including last. What had not returned by then need not have
// happened.
func (c *component) upTo(last moment) []porcupine.Operation {
	var history []porcupine.Operation
	for _, o := range c.ops {
		if o.call > last {
			continue
		}
		if o.ret > last {
			pending := *o
			pending.maybe, pending.ret = true, never
			o = &pending
		}
		p := porcupine.Operation{Input: o, Call: 2 * int64(o.call), Return: math.MaxInt64}
		if o.effect.hidden() {
			p.Call++ // after the event that makes it possible
		}
		if o.ret != never {
			p.Return = max(2*int64(o.ret), p.Call)
		}
		history = append(history, p)
	}
	return history
}

func (e effect) hidden() bool { return e >= doLose && e <= doComplete }

var errTime = errors.New("the time limit was reached")

// explained reports whether some timing of the hidden steps explains the events up to and including last.
func (c *component) explained(ctx context.Context, last moment, deadline time.Time) (bool, error) {
	left := time.Until(deadline)
	if left <= 0 {
		return false, errTime
	}
	result := porcupine.CheckOperationsTimeout(c.porcupineModel(ctx), c.upTo(last), left)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	switch result {
	case porcupine.Ok:
		return true, nil
	case porcupine.Illegal:
		return false, nil
	}
	return false, errTime
}

// search returns the first event at which no explanation is left, or never.
func (c *component) search(ctx context.Context, last moment, deadline time.Time) (moment, error) {
	ok, err := c.explained(ctx, last, deadline)
	if ok || err != nil {
		return never, err
	}
	var ends []moment
	for _, o := range c.ops {
		if o.ret <= last {
			ends = append(ends, o.ret)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	// An explanation of more events explains fewer of them, so the ends split into explained ones and others.
	low, high := 0, len(ends)-1
	for low < high {
		middle := (low + high) / 2
		ok, err := c.explained(ctx, ends[middle], deadline)
		if err != nil {
			return ends[high], err
		}
		if ok {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return ends[low], nil
}

// witness returns one order of all steps, hidden ones included, that explains the events up to and including last.
func (c *component) witness(ctx context.Context, last moment, deadline time.Time) ([]*operation, error) {
	left := time.Until(deadline)
	if left <= 0 {
		return nil, errTime
	}
	result, info := porcupine.CheckOperationsVerbose(c.porcupineModel(ctx), c.upTo(last), left)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch result {
	case porcupine.Unknown:
		return nil, errTime
	case porcupine.Illegal:
		return nil, fmt.Errorf("no witness up to event %d, which was explained before", last)
	}
	var order []*operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, p := range partition[0] {
			order = append(order, p.Input.(*operation))
		}
	}
	return order, nil
}
