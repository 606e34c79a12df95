package mc

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"ndkoracle/model"
)

// A Machine is an MC module of tla/ under the constants of a configuration: the contract, and which of its actions may be
// taken when.
type Machine struct {
	Checked []string // the invariants and properties that the configuration names

	init   Moment
	domain model.Domain
	// allow returns the action with the number that a new request gets, or false when the MC module has no such action.
	allow func(Moment, model.Action) (model.Action, bool)
	key   func(Moment) string
}

var modules = map[string]func(*configuration) *Machine{
	"MCCompletionQueue": mcCompletionQueue, "MCQueuePair": mcQueuePair, "MCNdk": mcNdk}

// Read returns the machine of an MC module under name.cfg, both in the folder tla.
func Read(tla fs.FS, module, name string) (*Machine, error) {
	bounds, ok := modules[module]
	if !ok {
		return nil, fmt.Errorf("%s: no bounds are known for the module %s", name, module)
	}
	c, err := readConfiguration(tla, name)
	if err != nil {
		return nil, err
	}
	machine := bounds(c)
	if c.err != nil {
		return nil, fmt.Errorf("%s.cfg: %w", name, c.err)
	}
	machine.Checked = c.checked
	return machine, nil
}

// Next yields the steps that the machine takes from a moment: each action, and each moment that it may lead to.
func (machine *Machine) Next(m Moment) iter.Seq2[model.Action, Moment] {
	return func(yield func(model.Action, Moment) bool) {
		for _, a := range m.contract.Enabled(m.state, machine.domain) {
			a, ok := machine.allow(m, a)
			if !ok {
				continue
			}
			successors, _ := m.contract.Step(m.state, a)
			for _, s := range successors {
				if !yield(a, m.after(a, s)) {
					return
				}
			}
		}
	}
}

func mcCompletionQueue(c *configuration) *Machine {
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}, Room: []int{c.number("Room")}}
	ofReceive := model.Completion{Queue: model.Receive, Token: model.NoToken}
	solicited, failed := ofReceive, ofReceive
	solicited.Solicited, failed.Status = true, model.FAILED
	machine := &Machine{init: start(contract, c.number("MaxDue")), key: Moment.cqKey,
		domain: model.Domain{Room: contract.Room, Completions: []model.Completion{ofReceive, solicited, failed}}}
	if !c.truth("History") {
		machine.key = func(m Moment) string { return string(m.state.AppendKey(nil)) }
	}
	errors, closing := c.truth("Errors"), c.truth("Closing")
	machine.allow = func(m Moment, a model.Action) (model.Action, bool) {
		switch a.Name {
		case model.NdkArmCq:
			return a, m.mayArm(a.Cq)
		case model.Overflow, model.CqInternalError:
			return a, errors
		case model.NdkCloseCq:
			return a, closing
		}
		return a, true
	}
	return machine
}

func mcQueuePair(c *configuration) *Machine {
	maxPosts := c.number("MaxPosts")
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{maxPosts}, Qps: []model.Binding{{Peer: -1}}}
	machine := &Machine{init: start(contract, 0), key: Moment.qpKey}
	for _, op := range c.strings("PostOps") {
		r := model.Request{Op: c.op(op), Token: model.NoToken}
		machine.domain.Requests = append(machine.domain.Requests, r)
		if c.text("SilentFlags") == "{FALSE, TRUE}" && r.Op != model.ReceiveOp {
			r.Silent = true
			machine.domain.Requests = append(machine.domain.Requests, r)
		}
	}
	machine.allow = func(m Moment, a model.Action) (model.Action, bool) {
		switch a.Name {
		case model.NdkConnect, model.ConnectionLost, model.HwIndicate, model.Complete, model.NdkFlush, model.NdkCloseQp:
			return a, true
		case model.Execute:
			return a, !a.Solicited
		case model.Post, model.PostRefused:
			a.Request.Id = m.posts[a.Qp] + 1
			reserve := 0 // a post that may have to end the chain
			if a.Deferred || a.Queue == model.Receive {
				reserve = 1
			}
			return a, m.posts[a.Qp]+reserve < maxPosts
		}
		return a, false
	}
	return machine
}

func mcNdk(c *configuration) *Machine {
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}, Room: []int{c.number("Room")}, Composed: true,
		Qps: []model.Binding{{Peer: 1}, {Peer: 0}}, Tokens: len(c.strings("Token"))}
	if c.text("CQ") == "TwoCqs" {
		contract.Depth, contract.Room = slices.Repeat(contract.Depth, 2), slices.Repeat(contract.Room, 2)
		contract.Qps[1].InitiatorCq, contract.Qps[1].ReceiveCq = 1, 1
	}
	machine := &Machine{init: start(contract, 0), key: Moment.ndkKey, domain: model.Domain{Room: contract.Room[:1]}}
	for i := range contract.Qps {
		machine.init.state.Qps[i].State = model.Connected
	}
	budget, flags, optional := c.budget(), c.strings("Flags"), c.strings("Optional")
	for op := range model.Write + 1 {
		if budget[0][op]+budget[1][op] > 0 {
			machine.domain.Requests = append(machine.domain.Requests, requests(op, flags, contract.Tokens)...)
		}
	}
	maxArms := c.number("MaxArms")
	machine.allow = func(m Moment, a model.Action) (model.Action, bool) {
		switch a.Name {
		case model.NdkArmCq:
			return a, m.arms < maxArms
		case model.NdkGetCqResultsEx, model.NdkCloseCq, model.Overflow, model.CqInternalError, model.ConnectionLost,
			model.NdkFlush, model.NdkCloseQp:
			return a, slices.Contains(optional, string(a.Name))
		case model.Post, model.PostRefused:
			for op, n := range m.postsOf[a.Qp] {
				if model.Op(op).Queue() == a.Queue {
					a.Request.Id += n
				}
			}
			a.Request.Id++
			return a, m.postsOf[a.Qp][a.Request.Op] < budget[a.Qp][a.Request.Op] &&
				(!a.Deferred || slices.Contains(flags, "DEFER")) &&
				(a.Name == model.Post || slices.Contains(optional, "PostRefused"))
		case model.Execute:
			r := nextToExecute(m.state.Qps[a.Qp].Queue(a.Queue))
			return a, a.Outcome != model.FAILED || r.Op == model.Invalidate || slices.Contains(optional, "FAILED")
		case model.NdkConnect, model.NdkDisconnect:
			return a, false
		}
		return a, true
	}
	return machine
}

// nextToExecute returns the oldest request without an outcome; there is one.
func nextToExecute(queue []model.Request) model.Request {
	return queue[slices.IndexFunc(queue, func(r model.Request) bool { return r.Phase < model.Executed })]
}

// requests returns the requests of one operation, with and without the flags that it takes, with every token that it can name.
func requests(op model.Op, flags []string, tokens int) []model.Request {
	all := []model.Request{{Op: op, Token: model.NoToken}}
	if op == model.SendAndInvalidate || op == model.FastRegister || op == model.Bind || op == model.Invalidate {
		all = nil
		for t := range tokens {
			all = append(all, model.Request{Op: op, Token: t})
		}
	}
	if slices.Contains(flags, "SILENT_SUCCESS") && op != model.ReceiveOp {
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
