package mc

import (
	"slices"
	"strconv"

	"ndkoracle/model"
)

// A program is a pattern of use: the instructions of a consumer's main loop and of its callback, as in Consumer.tla.
type program [2][]string

// The two threads of a program.
const (
	mainLoop = iota
	callback
)

var threads = [2]string{"main", "callback"}

var programs = map[string]program{
	"arm, drain, sleep":           {{"arm", "drain", "sleep"}, {"wake"}},
	"drain, arm, drain, sleep":    {{"drain", "arm", "drain", "sleep"}, {"wake"}},
	"callback: arm, drain":        {{"arm", "drain", "sleep"}, {"arm", "drain"}},
	"callback: drain, arm, drain": {{"arm", "drain", "sleep"}, {"drain", "arm", "drain"}},
	"drain, arm, sleep":           {{"drain", "arm", "sleep"}, {"wake"}},
	"callback: drain, arm":        {{"arm", "drain", "sleep"}, {"drain", "arm"}},
	"arm, poll one, sleep":        {{"arm", "poll one", "sleep"}, {"wake"}},
	"arm, poll batch, sleep":      {{"arm", "poll batch", "sleep"}, {"wake"}},
	"arm SOLICITED, drain, sleep": {{"arm SOLICITED", "drain", "sleep"}, {"wake"}},
	"callback: drain":             {{"arm", "drain", "sleep"}, {"drain"}},
}

// A consumer is one that follows a program. It is a value, as a moment is.
type consumer struct {
	pattern string
	awaits  model.Arm
	at      [2]int // the number of each thread's next instruction, from 1; of the callback's 0 while none runs
	woken   bool
}

func (c consumer) code(thread int) []string { return programs[c.pattern][thread] }

// next reports whether an instruction is the next of a thread.
func (c consumer) next(thread int, instruction string) bool {
	i, code := c.at[thread], c.code(thread)
	return i >= 1 && i <= len(code) && code[i-1] == instruction
}

// after returns the consumer whose thread has gone on to the following instruction.
func (c consumer) after(thread int) consumer {
	if c.at[thread]++; thread == mainLoop && c.at[thread] > len(c.code(thread)) {
		c.at[thread] = 1
	}
	return c
}

func appendConsumer(key []byte, c consumer) []byte { return append(key, c.text()...) }

// text writes the consumer as a record of TLA+.
func (c consumer) text() string {
	return record("pattern", quote(c.pattern), "awaits", text(c.awaits), "main", strconv.Itoa(c.at[mainLoop]),
		"callback", strconv.Itoa(c.at[callback]), "woken", truth(c.woken))
}

// A move is what a consumer does in a step, and whether its program has that next.
type move func(consumer) (consumer, bool)

func arm(thread int, kind model.Arm) move {
	return func(c consumer) (consumer, bool) {
		ok := c.next(thread, "arm") && kind == c.awaits || c.next(thread, "arm SOLICITED") && kind == model.SOLICITED
		return c.after(thread), ok
	}
}

// poll is with room for nresults completions, and finds n: a drain with any, a poll for a batch with room for all of it.
func poll(thread, batch, nresults, n int) move {
	return func(c consumer) (consumer, bool) {
		again, ok := false, false
		switch {
		case c.next(thread, "drain"):
			again, ok = n > 0, true
		case c.next(thread, "poll batch"):
			again, ok = n >= batch, nresults == batch
		case c.next(thread, "poll one"):
			ok = nresults == 1
		}
		if again {
			return c, ok
		}
		return c.after(thread), ok
	}
}

func wake(c consumer) (consumer, bool) {
	ok := c.next(callback, "wake")
	c = c.after(callback)
	c.woken = true
	return c, ok
}

func wakeUp(c consumer) (consumer, bool) {
	ok := c.woken && c.next(mainLoop, "sleep")
	c = c.after(mainLoop)
	c.woken = false
	return c, ok
}

func enter(c consumer) (consumer, bool) {
	ok := c.at[callback] == 0
	c.at[callback] = 1
	return c, ok
}

func exit(c consumer) (consumer, bool) {
	ok := c.at[callback] == len(c.code(callback))+1
	c.at[callback] = 0
	return c, ok
}

// mcConsumer is MCConsumer: one CQ and its consumer, who follows one of some programs.
func mcConsumer(c *configuration) *Machine {
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}, Room: []int{c.number("Room")}}
	machine := &Machine{
		contract: contract,
		objects:  objects{cqs: c.strings("CQ"), qps: []string{"a"}},
		steps:    stepsOfConsumer(contract, c.number("Room"), c.truth("Errors")),
		bounds: bounds{
			forgets: true,
			may:     func(*Moment, *model.Action) bool { return true },
			variables: []variable{
				{"cq", func(o objects, m Moment) string { return function(o.cqs, m.state.Cqs, o.cq) }},
				{"consumer", func(o objects, m Moment) string { return function(o.cqs, []consumer{m.consumer}, consumer.text) }},
			},
			parts: append(cqParts(contract), partAt(func(m *Moment) *consumer { return &m.consumer }, appendConsumer,
				func(s *step) bool { return s.move != nil })),
		},
	}
	for _, pattern := range c.strings("Patterns") {
		if programs[pattern][mainLoop] == nil {
			c.fail("there is no pattern %q", pattern)
		}
		for _, awaits := range c.strings("Awaited") {
			m := start(contract, 0)
			m.consumer = consumer{pattern: pattern, awaits: c.arm(awaits), at: [2]int{mainLoop: 1}}
			machine.init = append(machine.init, m)
		}
	}
	return machine
}

// stepsOfConsumer returns the steps of the first CQ and its consumer, which polls with room for a batch of completions. Its
// threads never call at the same time: a call is one step (POLL-01).
func stepsOfConsumer(contract *model.Contract, batch int, errors bool) []step {
	domain := model.Domain{Room: slices.Compact([]int{1, batch}), Completions: kinds()}
	o := objects{cqs: []string{"q"}, qps: []string{"a"}}
	var steps []step
	add := func(a model.Action, f move, name string, arguments ...string) {
		steps = append(steps, step{a, instance(name, append([]string{quote("q")}, arguments...)), f})
	}
	for _, a := range contract.Actions(domain) {
		if a.Cq != 0 {
			continue
		}
		name := string(a.Name)
		switch a.Name {
		case model.NdkArmCq:
			for thread, by := range threads {
				if a.Type != model.ERRORS || contract.Dialect.ErrorsArm {
					add(a, arm(thread, a.Type), name, quote(by), ofType(o, a))
				}
			}
		case model.NdkGetCqResults:
			for thread, by := range threads {
				add(a, poll(thread, batch, a.N, a.K), name, quote(by), ofRoom(o, a), ofResults(o, a))
			}
		case model.NdkCqNotificationCallbackEnter:
			add(a, enter, name, ofCqStatus(o, a))
		case model.NdkCqNotificationCallbackExit:
			if !contract.Dialect.Serialised {
				a = model.Action{} // the CQ does not know when an event has been dealt with
			}
			add(a, exit, name)
		case model.Place:
			add(a, nil, name, ofCompletion(o, a))
		case model.ExtraEvent:
			add(a, nil, name)
		case model.Overflow, model.CqInternalError:
			if errors {
				add(a, nil, "MC"+name)
			}
		}
	}
	add(model.Action{}, wake, "Wake")
	add(model.Action{}, wakeUp, "WakeUp")
	return steps
}

// asleep is Asleep: nothing that has happened will wake the consumer.
func (m *Moment) asleep() bool {
	q, c := m.state.Cqs[0], m.consumer
	return c.next(mainLoop, "sleep") && !c.woken && c.at[callback] == 0 && q.Due == 0 && !q.ErrorDue
}

// NoCompletionSleptThrough: the consumer does not sleep beside a completion that it waits for (ARM-04, ARM-05, ARM-23).
func NoCompletionSleptThrough(m *Moment) bool {
	q := m.state.Cqs[0]
	return !m.asleep() || q.Health != model.OK || !slices.ContainsFunc(q.Entries, func(c model.Completion) bool {
		return mustWake(m.contract.Dialect, m.consumer.awaits, c)
	})
}

// NoCqErrorSleptThrough: nor while the CQ has failed, unless the failure was reported (ARM-08).
func NoCqErrorSleptThrough(m *Moment) bool {
	q := m.state.Cqs[0]
	return !m.contract.Dialect.ErrorsArm || !m.asleep() || q.Health == model.OK || q.Reported
}
