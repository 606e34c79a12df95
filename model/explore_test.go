package model

import (
	"slices"
	"testing"
)

// A graph says which states are to be visited: those of an MC module of tla/ with its bounds.
type graph struct {
	init   moment
	domain Domain
	// allow returns the action with the number that a new request gets, or false when the MC module has no such action.
	allow func(moment, Action) (Action, bool)
	key   func(moment) string
}

// The model has as many states as the specification, at the same depth, in every configuration that TLC has counted; and
// the same invariants hold in them. Two transition systems that differ in a clause hardly ever agree in all of these numbers.
func TestSameStatesAsTla(t *testing.T) {
	for _, p := range pins(t) {
		t.Run(p.configuration, func(t *testing.T) {
			t.Parallel()
			c := readConfiguration(t, p.configuration)
			build := map[string]func(configuration) graph{
				"MCCompletionQueue": mcCompletionQueue, "MCQueuePair": mcQueuePair, "MCNdk": mcNdk}[p.module]
			if build == nil {
				t.Fatalf("no bounds are known for the module %s", p.module)
			}
			states, depth := explore(t, build(c), c.names)
			if states != p.states || depth != p.depth {
				t.Errorf("the model has %d distinct states, depth %d; TLC found %d, depth %d", states, depth, p.states, p.depth)
			}
		})
	}
}

// explore visits the graph breadth first and holds every state and step against the named invariants and properties. It
// returns the number of distinct states, and how many are on the longest of the shortest ways.
func explore(t *testing.T, g graph, names []string) (states, depth int) {
	inStates, ofSteps := map[string]func(moment) bool{}, map[string]func(before, after moment, a Action) bool{}
	for _, name := range names {
		if holds, ok := invariants[name]; ok {
			inStates[name] = holds
		} else if holds, ok := properties[name]; ok {
			ofSteps[name] = holds
		} else if _, ok := liveness[name]; !ok {
			t.Fatalf("the specification checks %s, which is not known here", name)
		}
	}
	type visit struct {
		moment
		key string
	}
	first := visit{g.init, g.key(g.init)}
	seen := map[string]bool{first.key: true}
	for level := []visit{first}; len(level) > 0; depth++ {
		var next []visit
		for _, v := range level {
			m := v.moment
			if g.key(m) != v.key {
				t.Fatalf("a step elsewhere changed a state to %+v", m.state)
			}
			for name, holds := range inStates {
				if !holds(m) {
					t.Fatalf("%s does not hold in %+v", name, m.state)
				}
			}
			for _, a := range m.contract.Enabled(m.state, g.domain) {
				a, ok := g.allow(m, a)
				if !ok {
					continue
				}
				successors, _ := m.contract.Step(m.state, a)
				for _, s := range successors {
					n := m.after(a, s)
					for name, holds := range ofSteps {
						if !holds(m, n, a) {
							t.Fatalf("%s does not hold of %+v\nfrom %+v\nto   %+v", name, a, m.state, s)
						}
					}
					if key := g.key(n); !seen[key] {
						seen[key] = true
						next = append(next, visit{n, key})
					}
				}
			}
		}
		level = next
	}
	return len(seen), depth
}

func mcCompletionQueue(c configuration) graph {
	contract := &Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}}
	ofReceive := Completion{Queue: Receive, Token: NoToken}
	solicited, failed := ofReceive, ofReceive
	solicited.Solicited, failed.Status = true, FAILED
	g := graph{init: start(contract, c.number("MaxDue")), key: moment.cqKey,
		domain: Domain{Room: contract.Depth, Completions: []Completion{ofReceive, solicited, failed}}}
	if !c.truth("History") {
		g.key = func(m moment) string { return string(m.state.AppendKey(nil)) }
	}
	errors, closing := c.truth("Errors"), c.truth("Closing")
	g.allow = func(m moment, a Action) (Action, bool) {
		switch a.Name {
		case NdkArmCq:
			return a, m.mayArm(a.Cq)
		case Overflow, CqInternalError:
			return a, errors
		case NdkCloseCq:
			return a, closing
		}
		return a, true
	}
	return g
}

func mcQueuePair(c configuration) graph {
	maxPosts := c.number("MaxPosts")
	contract := &Contract{Dialect: c.dialect(), Depth: []int{maxPosts}, Qps: []Binding{{Peer: -1}}}
	g := graph{init: start(contract, 0), key: moment.qpKey}
	for _, op := range c.strings("PostOps") {
		r := Request{Op: opOf(c.t, op), Token: NoToken}
		g.domain.Requests = append(g.domain.Requests, r)
		if c.text("SilentFlags") == "{FALSE, TRUE}" && r.Op != ReceiveOp {
			r.Silent = true
			g.domain.Requests = append(g.domain.Requests, r)
		}
	}
	g.allow = func(m moment, a Action) (Action, bool) {
		switch a.Name {
		case NdkConnect, ConnectionLost, HwIndicate, Complete, NdkFlush, NdkCloseQp:
			return a, true
		case Execute:
			return a, !a.Solicited
		case Post, PostRefused:
			a.Request.Id = m.posts[a.Qp] + 1
			reserve := 0 // a post that may have to end the chain
			if a.Deferred || a.Queue == Receive {
				reserve = 1
			}
			return a, m.posts[a.Qp]+reserve < maxPosts
		}
		return a, false
	}
	return g
}

func mcNdk(c configuration) graph {
	contract := &Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}, Composed: true,
		Qps: []Binding{{Peer: 1}, {Peer: 0}}, Tokens: len(c.strings("Token"))}
	if c.text("CQ") == "TwoCqs" {
		contract.Depth = append(contract.Depth, contract.Depth[0])
		contract.Qps[1].InitiatorCq, contract.Qps[1].ReceiveCq = 1, 1
	}
	g := graph{init: start(contract, 0), key: moment.ndkKey, domain: Domain{Room: contract.Depth[:1]}}
	for i := range contract.Qps {
		g.init.state.Qps[i].State = Connected
	}
	budget, flags, optional := c.budget(), c.strings("Flags"), c.strings("Optional")
	for op := range Write + 1 {
		if budget[0][op]+budget[1][op] > 0 {
			g.domain.Requests = append(g.domain.Requests, requests(op, flags, contract.Tokens)...)
		}
	}
	maxArms := c.number("MaxArms")
	g.allow = func(m moment, a Action) (Action, bool) {
		switch a.Name {
		case NdkArmCq:
			return a, m.arms < maxArms
		case NdkGetCqResultsEx, NdkCloseCq, Overflow, CqInternalError, ConnectionLost, NdkFlush, NdkCloseQp:
			return a, slices.Contains(optional, string(a.Name))
		case Post, PostRefused:
			for op, n := range m.postsOf[a.Qp] {
				if Op(op).Queue() == a.Queue {
					a.Request.Id += n
				}
			}
			a.Request.Id++
			return a, m.postsOf[a.Qp][a.Request.Op] < budget[a.Qp][a.Request.Op] &&
				(!a.Deferred || slices.Contains(flags, "DEFER")) &&
				(a.Name == Post || slices.Contains(optional, "PostRefused"))
		case Execute:
			queue := m.state.Qps[a.Qp].queue(a.Queue)
			r := queue[unexecuted(queue)]
			return a, a.Outcome != FAILED || r.Op == Invalidate || slices.Contains(optional, "FAILED")
		case NdkConnect, NdkDisconnect:
			return a, false
		}
		return a, true
	}
	return g
}

// requests returns the requests of one operation, with and without the flags that it takes, with every token that it can name.
func requests(op Op, flags []string, tokens int) []Request {
	all := []Request{{Op: op, Token: NoToken}}
	if op == SendAndInvalidate || op == FastRegister || op == Bind || op == Invalidate {
		all = nil
		for t := range tokens {
			all = append(all, Request{Op: op, Token: t})
		}
	}
	if slices.Contains(flags, "SILENT_SUCCESS") && op != ReceiveOp {
		for _, r := range all {
			r.Silent = true
			all = append(all, r)
		}
	}
	if slices.Contains(flags, "SEND_AND_SOLICIT_EVENT") && op.IsSend() {
		for _, r := range all {
			r.Solicit = true
			all = append(all, r)
		}
	}
	return all
}
