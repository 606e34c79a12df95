package mc

import (
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"ndkoracle/model"
)

// A Machine is an MC module of tla/ under the constants of a configuration: the contract, the enabling conditions of its actions, and the ghost
// variables.
type Machine struct {
	Checked []string // the invariants and properties that the configuration names

	contract *model.Contract
	objects  objects
	init     []Moment
	steps    []step
	bounds
}

// A step is an action with its arguments and its TLA+ text. In MCConsumer the consumer has steps of its own. If the contract has no part in one, its
// action has no name.
type step struct {
	action model.Action
	text   string
	move   move
}

// bounds is what an MC module adds to the contract.
type bounds struct {
	domain    model.Domain
	actions   map[model.Name][]argument // that the module has, with the arguments that they have there
	has       func(model.Action) bool   // reports whether the configuration has the action at all
	may       func(*Moment, *model.Action) bool
	number    func(Moment, model.Action) int // of a request that is posted
	forgets   bool                           // the ghost variables are not kept
	variables []variable
	parts     []part
}

// An argument says how an argument of an action is written in TLA+, a variable how one of the module's is.
type (
	argument func(objects, model.Action) string
	variable struct {
		name  string
		value func(objects, Moment) string
	}
)

var modules = map[string]func(*configuration) *Machine{
	"MCCompletionQueue": mcCompletionQueue, "MCQueuePair": mcQueuePair, "MCNdk": mcNdk,
	"MCConsumer": mcConsumer, "MCSharedReceiveQueue": mcSharedReceiveQueue}

// Read returns the machine of an MC module under name.cfg, both in the folder tla.
func Read(tla fs.FS, module, name string) (*Machine, error) {
	build, ok := modules[module]
	if !ok {
		return nil, fmt.Errorf("%s: no bounds are known for the module %s", name, module)
	}
	c, err := readConfiguration(tla, name)
	if err != nil {
		return nil, err
	}
	machine := build(c)
	if c.err != nil {
		return nil, fmt.Errorf("%s.cfg: %w", name, c.err)
	}
	machine.Checked = c.checked
	written := map[string]bool{}
	for _, a := range machine.contract.Actions(machine.domain) {
		arguments, known := machine.actions[a.Name]
		if !known || !machine.has(a) {
			continue
		}
		s := step{action: a, text: machine.write(a, arguments)}
		if written[s.text] {
			return nil, fmt.Errorf("%s.cfg: two actions of the model are %s in %s; the last is %+v", name, s.text, module, a)
		}
		written[s.text] = true
		machine.steps = append(machine.steps, s)
	}
	return machine, nil
}

// write writes an action as the instance of an operator of the MC module.
func (machine *Machine) write(a model.Action, arguments []argument) string {
	words := make([]string, len(arguments))
	for i, argument := range arguments {
		words[i] = argument(machine.objects, a)
	}
	return instance("MC"+string(a.Name), words)
}

func instance(name string, arguments []string) string {
	return name + "(" + strings.Join(arguments, ", ") + ")"
}

// Actions returns all actions that the machine can take in some moment, each with its arguments, as TLA+ text: MCNdkArmCq("q", "ANY") and so on. All
// other methods identify an action by its index in this list.
func (machine *Machine) Actions() []string {
	texts := make([]string, len(machine.steps))
	for i, s := range machine.steps {
		texts[i] = s.text
	}
	return texts
}

// Contract returns the contract that the configuration is about.
func (machine *Machine) Contract() *model.Contract { return machine.contract }

// A Qp names a QP, the CQs of its queues and the QP at the other end of its connection, each "" where the module has none.
type Qp struct {
	Name, InitiatorCq, ReceiveCq, Peer string
	Type                               model.QpType
}

// Qps returns the QPs that the configuration is about.
func (machine *Machine) Qps() []Qp {
	name := func(names []string, i int) string {
		if i < 0 || i >= len(names) {
			return ""
		}
		return names[i]
	}
	qps := make([]Qp, len(machine.contract.Qps))
	for i, b := range machine.contract.Qps {
		qps[i] = Qp{machine.objects.qps[i], name(machine.objects.cqs, b.InitiatorCq), name(machine.objects.cqs, b.ReceiveCq),
			name(machine.objects.qps, b.Peer), b.Type}
	}
	return qps
}

// Init returns the moments in which the machine may start.
func (machine *Machine) Init() []Moment { return machine.init }

// Next yields the steps of the machine from a moment: the number of each action, and each moment that it may lead to.
func (machine *Machine) Next(m Moment) iter.Seq2[int, Moment] {
	return func(yield func(int, Moment) bool) {
		var next []Moment
		for i := range machine.steps {
			next, _ = machine.try(&m, &machine.steps[i], next[:0])
			for _, n := range next {
				if !yield(i, n) {
					return
				}
			}
		}
	}
}

// try appends the moments that a step may lead to. It appends none, and returns the reason, where the contract refuses the
// action; none and no reason where it is out of the machine's bounds.
func (machine *Machine) try(m *Moment, s *step, next []Moment) ([]Moment, *model.Refusal) {
	if s.move != nil {
		consumer, ok := s.move(m.consumer)
		if !ok {
			return next, nil
		}
		moved := *m
		moved.consumer = consumer
		m = &moved
	}
	switch {
	case !machine.may(m, &s.action):
		return next, nil
	case s.action.Name == "":
		return append(next, *m), nil
	}
	a := s.action
	if a.Name == model.Post || a.Name == model.PostRefused {
		a.Request.Id = machine.number(*m, a)
	}
	states, refusal := machine.contract.Step(m.state, a)
	for _, state := range states {
		if machine.forgets {
			next = append(next, *m)
			next[len(next)-1].state = state
		} else {
			next = append(next, m.after(a, state))
		}
	}
	return next, refusal
}

// WhyNot says why the machine does not take an action in a moment, or "" if it does.
func (machine *Machine) WhyNot(m Moment, action int) string {
	next, refusal := machine.try(&m, &machine.steps[action], nil)
	switch {
	case refusal != nil:
		return fmt.Sprintf("%s: %s", refusal.Rule, refusal.Why)
	case len(next) == 0:
		return "it is out of the bounds of the MC module"
	}
	return ""
}

// AppendKey appends an encoding of m: two moments of one machine are equal exactly when their keys are.
func (machine *Machine) AppendKey(key []byte, m Moment) []byte {
	for _, p := range machine.parts {
		key = p.appendKey(key, &m)
	}
	return key
}

// Variables returns the names of the MC module's variables.
func (machine *Machine) Variables() []string {
	names := make([]string, len(machine.variables))
	for i, v := range machine.variables {
		names[i] = v.name
	}
	return names
}

// Value returns the value of a variable, by its index in Variables, as TLA+ text.
func (machine *Machine) Value(m Moment, variable int) string {
	return machine.variables[variable].value(machine.objects, m)
}
