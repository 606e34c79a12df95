package mc

import (
	"strconv"

	"ndkoracle/model"
)

// mcQueuePair is MCQueuePair: one QP, whose messages come and go as they please.
func mcQueuePair(c *configuration) *Machine {
	maxPosts := c.number("MaxPosts")
	contract := &model.Contract{Dialect: c.dialect(), Depth: []int{maxPosts}, Qps: []model.Binding{{Peer: -1}}}
	var domain model.Domain
	for _, op := range c.strings("PostOps") {
		r := model.Request{Op: c.op(op), Token: model.NoToken}
		domain.Requests = append(domain.Requests, r)
		if c.text("SilentFlags") == "{FALSE, TRUE}" && r.Op != model.ReceiveOp {
			r.Silent = true
			domain.Requests = append(domain.Requests, r)
		}
	}
	return &Machine{
		contract: contract,
		objects:  objects{qps: c.strings("QP")},
		init:     []Moment{start(contract, 0)},
		bounds: bounds{
			domain: domain,
			actions: map[model.Name][]argument{
				model.NdkConnect:     {ofQp},
				model.ConnectionLost: {ofQp},
				model.Post:           {ofQp, ofOp, ofSilent, ofDefer},
				model.PostRefused:    {ofQp, ofOp},
				model.HwIndicate:     {ofQp},
				model.Execute:        {ofQp, ofQueue, ofOutcome},
				model.Complete:       {ofQp, ofQueue},
				model.NdkFlush:       {ofQp},
				model.NdkDisconnect:  {ofQp},
				model.NdkCloseQp:     {ofQp},
			},
			has: func(a model.Action) bool {
				return !a.Solicited && !(a.Name == model.PostRefused && a.Request.Silent)
			},
			may: func(m *Moment, a *model.Action) bool {
				if a.Name != model.Post && a.Name != model.PostRefused {
					return true
				}
				reserve := 0 // a post that may have to end the chain
				if a.Deferred || a.Queue == model.Receive {
					reserve = 1
				}
				return m.posts[a.Qp]+reserve < maxPosts
			},
			number: func(m Moment, a model.Action) int { return m.posts[a.Qp] + 1 },
			variables: []variable{
				{"qp", func(o objects, m Moment) string { return function(o.qps, m.state.Qps, o.qp) }},
				{"posts", func(o objects, m Moment) string { return function(o.qps, m.posts, strconv.Itoa) }},
				{"refused", func(o objects, m Moment) string {
					return function(o.qps, m.refused, func(all []number) string { return set(all, numberRecord) })
				}},
				{"flushed", func(o objects, m Moment) string {
					return function(o.qps, m.flushed, func(all []int) string { return set(all, strconv.Itoa) })
				}},
				{"left", func(o objects, m Moment) string {
					return function(o.qps, m.left, func(all []leaving) string { return sequence(all, leavingRecord) })
				}},
			},
			appendKey: appendQueuePair,
		},
	}
}

func numberRecord(n number) string { return record("req", strconv.Itoa(n.of), "queue", text(n.queue)) }

func leavingRecord(l leaving) string {
	return record("req", strconv.Itoa(l.of), "queue", text(l.queue), "silent", truth(l.silent), "status", text(l.status),
		"told", truth(l.told))
}

func appendQueuePair(key []byte, m Moment) []byte {
	key = model.State{Qps: m.state.Qps}.AppendKey(key)
	for i := range m.posts {
		key = appendNumbers(key, m.posts[i], len(m.refused[i]), len(m.flushed[i]))
		for _, r := range m.refused[i] {
			key = appendNumbers(append(key, byte(r.queue)), r.of)
		}
		key = appendNumbers(key, m.flushed[i]...)
		for _, l := range m.left[i] {
			key = appendNumbers(append(key, byte(l.queue), bit(l.silent)|bit(l.told)<<1, byte(l.status)), l.of)
		}
	}
	return key
}
