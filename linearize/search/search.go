package search

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// stateSet is what porcupine carries along: every state that the operations taken so far may have led to. Sets are equal
// when their keys are. The operation and the set before it lead back to the beginning.
type stateSet struct {
	states []state
	key    string
	hash   uint64
	bytes  int // that porcupine and the set take, about
	depth  int // operations that led here
	by     *operation
	from   *stateSet
}

// order returns the operations that led to a set.
func (set *stateSet) order() []*operation {
	order := make([]*operation, set.depth)
	for ; set.from != nil; set = set.from {
		order[set.depth-1] = set.by
	}
	return order
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

// porcupineModel is the contract as a model of porcupine, for a history with that many operations. Hidden steps are operations with a wide interval. The
// ledger counts the memory that porcupine uses for each step; once it has ended the search, no step is possible any more. found is called with the first
// set that all operations lead to.
func (c *component) porcupineModel(operations int, found func(*stateSet)) porcupine.Model {
	l := c.ledger
	return porcupine.Model{
		Init: func() any { return newStateSet([]state{c.init()}) },
		StepContext: func(ctx context.Context, before, input, _ any) (bool, any) {
			l.working.Lock()
			defer l.working.Unlock()
			o, from := input.(*operation), before.(*stateSet)
			next := gathering{c: c}
			for _, s := range from.states {
				if l.over.Load() || ctx.Err() != nil {
					return false, nil
				}
				if c.outOfTurn(o, s) {
					if o.maybe {
						next.add(s)
					}
					continue
				}
				states, _ := c.step(s, o)
				next.add(states...)
			}
			if len(next.states) == 0 || l.over.Load() {
				return false, nil
			}
			set := newStateSet(next.states)
			set.by, set.from, set.depth = o, from, from.depth+1
			set.bytes = bytesPerSet + len(set.key) + bytesOf(set.states) + operations/8
			l.keep(set.bytes)
			if set.depth == operations {
				found(set)
			}
			return true, set
		},
		Equal: func(a, b any) bool {
			same := a.(*stateSet).key == b.(*stateSet).key
			if same { // porcupine drops the first
				l.working.Lock()
				defer l.working.Unlock()
				l.keep(-a.(*stateSet).bytes)
			}
			return same
		},
		Hash: func(s any) uint64 { return s.(*stateSet).hash },
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

var (
	ErrTime        = errors.New("the time limit was reached (--timeout)")
	errUnexplained = errors.New("nothing explains the events")
)

// linearize asks porcupine for an explanation of the events up to and including last, and returns one order of all steps, hidden ones
// included. The error is errUnexplained when there is none, or says why there is no answer.
func (c *component) linearize(ctx context.Context, last moment) ([]*operation, error) {
	l := c.opens(ctx)
	defer l.close()
	history := c.upTo(last)
	l.keep(len(history) * bytesPerOperation)
	var timeout time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(time.Until(deadline), 1)
	}
	var explained *stateSet
	result := porcupine.CheckOperationsTimeout(c.porcupineModel(len(history), func(set *stateSet) { explained = set }), history, timeout)
	switch {
	case l.err() != nil:
		return nil, l.err()
	case result == porcupine.Unknown:
		return nil, ErrTime
	case result == porcupine.Illegal:
		return nil, errUnexplained
	case explained == nil:
		return nil, nil // there was nothing to order
	}
	return explained.order(), nil
}

// search returns a witness of the events up to and including last, or else the first event at which no explanation is
// left.
func (c *component) search(ctx context.Context, last moment) (witness []*operation, death moment, err error) {
	witness, err = c.linearize(ctx, last)
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
