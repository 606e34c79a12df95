package mc

import (
	"slices"
	"strconv"

	"ndkoracle/model"
)

// mcQueuePair is MCQueuePair: QPs by themselves, whose messages come and go as they please.
func mcQueuePair(c *configuration) *Machine {
	maxPosts, qps := c.number("MaxPosts"), c.strings("QP")
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{maxPosts}}
	qpType := oneOf(c, "QpType", c.text("QpType"), qpTypes)
	for range qps {
		contract.Qps = append(contract.Qps, model.Binding{Peer: -1, Type: qpType})
	}
	flags, optional := c.strings("Flags"), c.strings("Optional")
	domain := model.Domain{Places: maxPosts}
	for _, op := range c.strings("PostOps") {
		domain.Requests = append(domain.Requests, requests(c.op(op), flags, 0)...)
	}
	return &Machine{
		contract: contract,
		objects:  objects{qps: qps},
		init:     []Moment{start(contract, 0)},
		bounds: bounds{
			domain: domain,
			actions: map[model.Name][]argument{
				model.NdkConnect:              {ofQp},
				model.ConnectionLost:          {ofQp},
				model.Post:                    {ofQp, ofOp, ofSilent, ofFence, ofDefer},
				model.PostRefused:             {ofQp, ofOp, ofInvalid},
				model.HwIndicate:              {ofQp},
				model.Execute:                 {ofQp, ofQueue, ofAt, ofOutcome},
				model.Complete:                {ofQp, ofQueue, ofAt},
				model.NdkFlush:                {ofQp},
				model.NdkDisconnect:           {ofQp},
				model.NdkCloseQp:              {ofQp, ofWaits},
				model.CloseBegins:             {ofQp},
				model.NdkCloseCompletionEnter: {ofQp},
				model.NdkCloseCompletionExit:  {ofQp},
			},
			has: func(a model.Action) bool {
				switch a.Name {
				case model.Post:
					return !a.Deferred || slices.Contains(flags, "DEFER")
				case model.PostRefused:
					return !a.Request.Silent && !a.Request.Fence && (!a.Invalid || slices.Contains(optional, "INVALID"))
				case model.Execute:
					return !a.Solicited && (a.Outcome != model.FAILED || slices.Contains(optional, "FAILED"))
				case model.ConnectionLost, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp:
					return slices.Contains(optional, string(a.Name))
				}
				return !a.Dropped
			},
			may: func(m *Moment, a *model.Action) bool {
				switch a.Name {
				case model.Post, model.PostRefused:
					reserve := 0 // a post that may have to end the chain
					if a.Deferred || a.Queue == model.Receive {
						reserve = 1
					}
					return m.posts[a.Qp]+reserve < maxPosts && m.mayPost(a.Qp)
				}
				return m.mayCancel(a)
			},
			number: func(m Moment, a model.Action) int { return m.posts[a.Qp] + 1 },
			variables: []variable{
				{"qp", func(o objects, m Moment) string { return function(o.qps, m.state.Qps, o.qp) }},
				{"posts", func(o objects, m Moment) string { return function(o.qps, m.posts, strconv.Itoa) }},
				{"refused", func(o objects, m Moment) string {
					return function(o.qps, m.refused, func(all []number) string { return set(all, numberRecord) })
				}},
				{"open", func(o objects, m Moment) string { return function(o.qps, m.open, truth) }},
				{"flushed", func(o objects, m Moment) string {
					return function(o.qps, m.flushed, func(all []int) string { return set(all, strconv.Itoa) })
				}},
				{"left", func(o objects, m Moment) string {
					return function(o.qps, m.left, func(all []leaving) string { return sequence(all, leavingRecord) })
				}},
			},
			parts: queuePairParts(contract),
		},
	}
}

// mayPost is MayPost: where a post is a use of a disconnected QP, the consumer makes none (DISC-09, A38).
func (m *Moment) mayPost(p int) bool {
	return m.contract.Dialect.A38 != model.A38Reuse || m.state.Qps[p].State != model.Disconnected
}

// mayCancel is MayCancel: where only a post ends a chain, the consumer ends it before it flushes or closes (DEF-06, A11).
func (m *Moment) mayCancel(a *model.Action) bool {
	cancels := a.Name == model.NdkFlush || a.Name == model.NdkDisconnect || a.Name == model.NdkCloseQp
	return !cancels || !m.open[a.Qp]
}

func numberRecord(n number) string { return record("req", strconv.Itoa(n.of), "queue", text(n.queue)) }

func leavingRecord(l leaving) string {
	return record("req", strconv.Itoa(l.of), "queue", text(l.queue), "silent", truth(l.silent), "status", text(l.status),
		"told", truth(l.told))
}

// queuePairParts are the variables of MCQueuePair. The CQ is not one of them, because no step polls it.
func queuePairParts(c *model.Contract) []part {
	parts := qpParts(c)
	for p := range c.Qps {
		parts = append(parts,
			partAt(func(m *Moment) *int { return &m.posts[p] }, appendNumber, onQp(p, model.Post, model.PostRefused)),
			partAt(func(m *Moment) *bool { return &m.open[p] }, appendBool,
				onQp(p, model.Post, model.PostRefused, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp)),
			partAt(func(m *Moment) *[]number { return &m.refused[p] }, appendRefused, onQp(p, model.PostRefused)),
			partAt(func(m *Moment) *[]int { return &m.flushed[p] }, appendList, onQp(p, model.NdkFlush, model.NdkDisconnect)),
			partAt(func(m *Moment) *[]leaving { return &m.left[p] }, appendLeft, onQp(p, model.Complete)))
	}
	return parts
}

func appendRefused(key []byte, refused []number) []byte {
	key = appendNumber(key, len(refused))
	for _, r := range refused {
		key = appendNumber(append(key, byte(r.queue)), r.of)
	}
	return key
}

func appendLeft(key []byte, left []leaving) []byte {
	key = appendNumber(key, len(left))
	for _, l := range left {
		key = appendNumber(appendBool(appendBool(append(key, byte(l.queue), byte(l.status)), l.silent), l.told), l.of)
	}
	return key
}
