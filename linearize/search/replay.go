package search

import (
	"bytes"
	"cmp"
	"slices"

	"ndkoracle/model"
)

// A node is a state on the way through a witness, with the step that led to it.
type node struct {
	state    state
	op       *operation
	from     *node
	generous int // arms on the way that were satisfied and need not have been (ARM-05)
}

// replay follows a witness through the model alone, and returns the ways to the states that it ends in. Of the ways to one
// state it keeps the least generous: what a provider had to do explains more than what it was free to do. When the ledger is
// over it stops short.
func (c *component) replay(order []*operation) []*node {
	nodes := []*node{{state: c.init()}}
	for _, o := range order {
		var next []*node
		seen := map[string]int{}
		for _, n := range nodes {
			for _, one := range c.follow(n, o) {
				key := string(one.state.appendKey(nil))
				i, known := seen[key]
				switch {
				case !known:
					c.ledger.keep(bytesPerNode + one.state.bytes)
					seen[key] = len(next)
					next = append(next, one)
				case one.generous < next[i].generous:
					next[i] = one
				}
			}
		}
		if c.ledger.over.Load() {
			return nodes
		}
		nodes = next
	}
	return nodes
}

// follow returns the ways that lead on from n by o.
func (c *component) follow(n *node, o *operation) []*node {
	states, _ := c.step(n.state, o)
	next := make([]*node, len(states))
	for i, s := range states {
		next[i] = &node{s, o, n, n.generous + c.generosity(n.state, s, o)}
	}
	return next
}

// maxSaturated bounds the ways that saturate looks at: it serves the explanation, not the verdict.
const maxSaturated = 1000

// saturate adds the ways on which hidden steps that were possible before death have been taken as well.
func (c *component) saturate(nodes []*node, death moment) []*node {
	seen := map[string]bool{}
	for _, n := range nodes {
		seen[string(n.state.appendKey(nil))] = true
	}
	for i := 0; i < len(nodes) && len(nodes) < maxSaturated && !c.ledger.over.Load(); i++ {
		for _, o := range c.ops {
			if !o.effect.hidden() || o.maybe || o.call >= death || o.ret < death || nodes[i].took(o) {
				continue
			}
			for _, one := range c.follow(nodes[i], o) {
				if key := string(one.state.appendKey(nil)); !seen[key] {
					c.ledger.keep(bytesPerNode + one.state.bytes + len(key))
					seen[key] = true
					nodes = append(nodes, one)
				}
			}
		}
	}
	return nodes
}

// generosity is 1 when o is an arm that was satisfied and need not have been.
func (c *component) generosity(from, to state, o *operation) int {
	if o.effect != doArm || to.model.Cqs[o.cq].Arm != model.NONE {
		return 0
	}
	before := from.model.Cqs[o.cq]
	if c.contract.Dialect.FreshMatch(before, model.Stronger(before.Arm, o.arm)) {
		return 0
	}
	return 1
}

// furthest returns the way on which most completions have been placed, and of those the least generous: the provider has
// done what it had to do, and no more.
func furthest(nodes []*node) *node { return slices.MaxFunc(nodes, further) }

func further(a, b *node) int {
	return cmp.Or(a.state.progress()-b.state.progress(), b.generous-a.generous)
}

func (s state) progress() int {
	sum := 0
	for i, n := range s.placed {
		sum += n + len(s.model.Cqs[i].Entries)
	}
	return sum
}

func (n *node) path() []*node {
	var path []*node
	for ; n.from != nil; n = n.from {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// took reports whether the way leads through the operation. One that need not have happened may have been passed by.
func (n *node) took(o *operation) bool {
	for ; n.from != nil; n = n.from {
		if n.op.index == o.index {
			return !bytes.Equal(n.state.appendKey(nil), n.from.state.appendKey(nil))
		}
	}
	return false
}
