package mc

import (
	"reflect"
	"strconv"

	"ndkoracle/model"
)

// mcSharedReceiveQueue is MCSharedReceiveQueue: one shared receive queue, from which messages take receives as they please.
func mcSharedReceiveQueue(c *configuration) *Machine {
	qps := c.strings("User")
	contract := &model.Contract{Dialect: c.dialect(), Srqs: []model.Sharing{{Depth: c.number("SrqDepth"), Threshold: c.number("SrqThreshold"),
		Notifies: c.truth("HasCallback"), Qps: len(qps)}}}
	errors, closing, maxDue := c.truth("Errors"), c.truth("Closing"), c.number("MaxDue")
	machine := &Machine{
		contract: contract,
		objects:  objects{qps: qps, srqs: c.strings("SRQ")},
		bounds: bounds{
			forgets: !c.truth("History"),
			domain:  model.Domain{Depths: c.numbers("Depths"), Thresholds: c.numbers("Thresholds")},
			actions: map[model.Name][]argument{
				model.NdkSrqReceive:                   {ofSrq},
				model.Take:                            {ofSrq, ofQp},
				model.CompleteReceive:                 {ofSrq, ofQp},
				model.QpEnds:                          {ofSrq, ofQp},
				model.LastWqeReached:                  {ofSrq, ofQp},
				model.NdkModifySrq:                    {ofSrq, ofDepth, ofThreshold},
				model.SrqModified:                     {ofSrq},
				model.SrqModifyTold:                   {ofSrq},
				model.NdkSrqNotificationCallbackEnter: {ofSrq, ofCqStatus},
				model.NdkSrqNotificationCallbackExit:  {ofSrq},
				model.SrqInternalError:                {ofSrq},
				model.NdkCloseSrq:                     {ofSrq},
				model.SrqClosed:                       {ofSrq},
			},
			has: func(a model.Action) bool {
				switch a.Name {
				case model.SrqInternalError:
					return errors
				case model.NdkCloseSrq:
					return closing
				}
				return true
			},
			may: func(m *Moment, a *model.Action) bool { return mayOfSrq(m, a) },
			variables: []variable{
				{"srq", func(o objects, m Moment) string { return function(o.srqs, m.state.Srqs, o.srq) }},
				{"unspent", func(o objects, m Moment) string {
					return function(o.srqs, m.shared, func(s sharing) string { return strconv.Itoa(s.unspent) })
				}},
				{"inside", func(o objects, m Moment) string {
					return function(o.srqs, m.shared, func(s sharing) string { return strconv.Itoa(s.inside) })
				}},
			},
			parts: sharedReceiveQueueParts(),
		},
	}
	for _, r := range contract.NewSrqs(0) {
		m := start(contract, maxDue)
		m.state.Srqs[0] = r
		if !machine.forgets && mayBeArmedAtFirst(contract, 0) {
			m.shared[0].unspent = 1
		}
		machine.init = append(machine.init, m)
	}
	return machine
}

// mayOfSrq reports whether the consumer may take an action on a shared receive queue. It is HasPlace for a receive: a place is free when
// its receive has completed (POST-06, A12); and MayModify: a consumer that arms so often that too much is owed waits for some of it.
func mayOfSrq(m *Moment, a *model.Action) bool {
	switch a.Name {
	case model.NdkSrqReceive:
		r := m.state.Srqs[a.Srq]
		return r.Queued+len(r.Taken) < r.Depth
	case model.NdkModifySrq:
		r := m.state.Srqs[a.Srq]
		return a.Threshold == 0 || r.Waiting+r.Due+r.Running < m.maxDue
	}
	return true
}

// mayBeArmedAtFirst is MayBeArmedAtFirst: the threshold of the creation may arm, too (A19).
func mayBeArmedAtFirst(c *model.Contract, srq int) bool {
	of := c.Srqs[srq]
	return of.Notifies && of.Threshold > 0 && c.Dialect.A19 != model.A19Unarmed
}

// afterSrq returns what is remembered of a shared receive queue after an action led from before to next.
func (m Moment) afterSrq(a model.Action, before, next model.Srq) sharing {
	s := m.shared[a.Srq]
	switch a.Name {
	case model.SrqModified:
		if m.contract.Srqs[a.Srq].Notifies && before.AskedThreshold > 0 && !isRefused(before, next) {
			s.unspent = min(s.unspent+1, m.maxDue+1)
		}
	case model.NdkSrqNotificationCallbackEnter:
		if a.CqStatus == model.OK {
			s.unspent--
		}
		if m.contract.Dialect.Serialised {
			s.inside++
		}
	case model.NdkSrqNotificationCallbackExit:
		s.inside--
	}
	return s
}

// isRefused reports whether a call that modifies a shared receive queue has changed nothing.
func isRefused(before, next model.Srq) bool {
	before.Modify, before.AskedDepth, before.AskedThreshold = next.Modify, 0, 0
	return reflect.DeepEqual(before, next)
}

// sharedReceiveQueueParts are the variables of MCSharedReceiveQueue. Every action is on its only queue.
func sharedReceiveQueueParts() []part {
	every := func(*step) bool { return true }
	return []part{
		partAt(func(m *Moment) *model.Srq { return &m.state.Srqs[0] }, appendSrq, every),
		partAt(func(m *Moment) *int { return &m.shared[0].unspent }, appendNumber, by(model.SrqModified, model.NdkSrqNotificationCallbackEnter)),
		partAt(func(m *Moment) *int { return &m.shared[0].inside }, appendNumber,
			by(model.NdkSrqNotificationCallbackEnter, model.NdkSrqNotificationCallbackExit)),
	}
}

func appendSrq(key []byte, r model.Srq) []byte {
	return model.State{Srqs: []model.Srq{r}}.AppendKey(key)
}
