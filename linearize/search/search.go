package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"ndkoracle/model"
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

// porcupineModel is the contract as porcupine sees it. Hidden steps are operations like any other, of wide interval. What
// porcupine remembers of each step is reported to spend; when stop is done, no step is possible any more.
func (c *component) porcupineModel(stop context.Context, spend func(bytes int)) porcupine.Model {
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
			set := newStateSet(next)
			spend(set.bytes(o) + len(c.ops)/8)
			return true, set
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

func (e effect) hidden() bool { return e >= doLose && e <= doVanish }

// bytes returns about how much memory a set takes that an operation led to, and porcupine's note of it. With the states before
// them its states share what the operation leaves as it was.
func (set *stateSet) bytes(o *operation) int {
	n := len(set.key) + bytesPerSet
	for _, s := range set.states {
		m := &s.model
		n += bytesPerState + len(m.Cqs)*bytesPerCq + len(m.Qps)*bytesPerQp
		if o.cq < len(m.Cqs) {
			n += cap(m.Cqs[o.cq].Entries) * bytesPerEntry
		}
		if o.qp < len(m.Qps) {
			n += (len(m.Qps[o.qp].Initiator) + len(m.Qps[o.qp].Receive)) * bytesPerRequest
		}
	}
	return n
}

const bytesPerSet = 128

var (
	bytesPerState   = size[state]()
	bytesPerCq      = size[model.Cq]()
	bytesPerQp      = size[model.Qp]()
	bytesPerEntry   = size[model.Completion]()
	bytesPerRequest = size[model.Request]()
)

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

var (
	ErrTime        = errors.New("the time limit was reached")
	errUnexplained = errors.New("nothing explains the events")
)

// linearize asks porcupine for an explanation of the events up to and including last. The error is errUnexplained when there
// is none, or says why there is no answer.
func (c *component) linearize(ctx context.Context, last moment) (porcupine.LinearizationInfo, error) {
	stop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left := c.memory
	searched := c.porcupineModel(stop, func(bytes int) {
		if left -= bytes; left < 0 {
			cancel(fmt.Errorf("%d MiB of memory were used up", c.memory>>20))
		}
	})
	var timeout time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(time.Until(deadline), 1)
	}
	result, info := porcupine.CheckOperationsVerbose(searched, c.upTo(last), timeout)
	switch {
	case context.Cause(stop) != nil:
		return info, context.Cause(stop)
	case result == porcupine.Unknown:
		return info, ErrTime
	case result == porcupine.Illegal:
		return info, errUnexplained
	}
	return info, nil
}

// search returns a witness of the events up to and including last, or else the first event at which no explanation is
// left.
func (c *component) search(ctx context.Context, last moment) (witness []*operation, death moment, err error) {
	witness, err = c.witness(ctx, last)
	if !errors.Is(err, errUnexplained) {
		return witness, never, err
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
		switch _, err := c.linearize(ctx, ends[middle]); {
		case err == nil:
			low = middle + 1
		case errors.Is(err, errUnexplained):
			high = middle
		default:
			return nil, ends[high], err
		}
	}
	return nil, ends[low], nil
}

// witness returns one order of all steps, hidden ones included, that explains the events up to and including last.
func (c *component) witness(ctx context.Context, last moment) ([]*operation, error) {
	info, err := c.linearize(ctx, last)
	if err != nil {
		return nil, err
	}
	var order []*operation
	for _, partition := range info.PartialLinearizationsOperations() {
		if len(partition) == 0 {
			continue // there was nothing to order
		}
		for _, p := range partition[0] {
			order = append(order, p.Input.(*operation))
		}
	}
	return order, nil
}
