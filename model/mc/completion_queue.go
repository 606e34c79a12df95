package mc

import (
	"strconv"

	"ndkoracle/model"
)

// mcCompletionQueue is MCCompletionQueue: one CQ, to which completions come as they please.
func mcCompletionQueue(c *configuration) *Machine {
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{c.number("Depth")}, Room: []int{c.number("Room")}}
	errors, closing := c.truth("Errors"), c.truth("Closing")
	return &Machine{
		contract: contract,
		objects:  objects{cqs: c.strings("CQ"), qps: []string{"a"}},
		init:     []Moment{start(contract, c.number("MaxDue"))},
		bounds: bounds{
			forgets: !c.truth("History"),
			domain:  model.Domain{Room: rooms(contract), Depths: c.numbers("Depths"), Completions: kinds()},
			actions: map[model.Name][]argument{
				model.NdkArmCq:                       {ofCq, ofType},
				model.NdkCqNotificationCallbackEnter: {ofCq, ofCqStatus},
				model.NdkCqNotificationCallbackExit:  {ofCq},
				model.Place:                          {ofCq, ofCompletion},
				model.ExtraEvent:                     {ofCq},
				model.Overflow:                       {ofCq},
				model.CqInternalError:                {ofCq},
				model.NdkGetCqResults:                {ofCq, ofRoom, ofResults},
				model.NdkResizeCq:                    {ofCq, ofDepth},
				model.Resize:                         {ofCq},
				model.NdkRequestCompletionEnter:      {ofCq, ofOutcome},
				model.NdkRequestCompletionExit:       {ofCq},
				model.NdkCloseCq:                     {ofCq},
				model.NdkCloseCompletion:             {ofCq},
			},
			has: func(a model.Action) bool {
				switch a.Name {
				case model.Overflow, model.CqInternalError:
					return errors
				case model.NdkCloseCq:
					return closing
				}
				return true
			},
			may: func(m *Moment, a *model.Action) bool { return a.Name != model.NdkArmCq || m.mayArm(a.Cq) },
			variables: []variable{
				{"cq", func(o objects, m Moment) string { return function(o.cqs, m.state.Cqs, o.cq) }},
				{"joined", func(o objects, m Moment) string { return function(o.cqs, m.joined, arms) }},
				{"unspent", func(o objects, m Moment) string { return function(o.cqs, m.unspent, strconv.Itoa) }},
				{"inside", func(o objects, m Moment) string { return function(o.cqs, m.inside, strconv.Itoa) }},
			},
			parts: completionQueueParts(contract),
		},
	}
}

// completionQueueParts are the variables of MCCompletionQueue.
func completionQueueParts(c *model.Contract) []part {
	parts := cqParts(c)
	for i := range c.Depth {
		every := func(s *step) bool { return touchesCq(c, &s.action, i) }
		parts = append(parts,
			partAt(func(m *Moment) *model.Arms { return &m.joined[i] }, appendArms, every),
			partAt(func(m *Moment) *int { return &m.unspent[i] }, appendNumber, onCq(i, model.NdkArmCq, model.NdkCqNotificationCallbackEnter)),
			partAt(func(m *Moment) *int { return &m.inside[i] }, appendNumber,
				onCq(i, model.NdkCqNotificationCallbackEnter, model.NdkCqNotificationCallbackExit)))
	}
	return parts
}

// rooms is Rooms: the room of polls.
func rooms(c *model.Contract) []int {
	most := c.Room[0]
	if c.Dialect.A7 == model.A7May {
		return []int{most}
	}
	var all []int
	for n := range most {
		all = append(all, n+1)
	}
	return all
}

func appendArms(key []byte, arms model.Arms) []byte { return append(key, byte(arms)) }

// kinds is Kinds: the completions that differ to an arm.
func kinds() []model.Completion {
	plain := model.Completion{Queue: model.Receive, Token: model.NoToken}
	solicited, failed := plain, plain
	solicited.Solicited, failed.Status = true, model.FAILED
	return []model.Completion{plain, solicited, failed}
}
