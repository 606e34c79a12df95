package mc

import (
	"slices"
	"strconv"

	"ndkoracle/model"
)

// cqsOf says to which of the CQs the completions of QPs a and b go, by the definition that InitiatorCq and ReceiveCq have.
var cqsOf = map[string][2]int{"OneCq": {0, 0}, "OwnCq": {0, 1}, "FirstCq": {0, 0}, "CqOfInitiators": {0, 0}, "CqOfReceives": {1, 1}}

// mcNdk is MCNdk: two QPs, a and b, at the ends of a connection.
func mcNdk(c *configuration) *Machine {
	o := objects{cqs: c.strings("CQ"), qps: []string{"a", "b"}, tokens: c.strings("Token")}
	contract := &model.Contract{Dialect: c.dialect(), Composed: true, Tokens: len(o.tokens),
		ReadInvalidates: c.truth("ReadInvalidates")}
	for range o.cqs {
		contract.Depth, contract.Room = append(contract.Depth, c.number("Depth")), append(contract.Room, c.number("Room"))
	}
	qpType := oneOf(c, "QpType", c.text("QpType"), qpTypes)
	initiator, receive := oneOf(c, "InitiatorCq", c.text("InitiatorCq"), cqsOf), oneOf(c, "ReceiveCq", c.text("ReceiveCq"), cqsOf)
	for i := range o.qps {
		contract.Qps = append(contract.Qps, model.Binding{InitiatorCq: initiator[i], ReceiveCq: receive[i], Peer: 1 - i, Type: qpType})
	}
	first := start(contract, 0)
	first.queueDepth = c.number("QueueDepth")
	budget, flags, optional := c.budget(), c.strings("Flags"), c.strings("Optional")
	if !slices.Contains(optional, string(model.NdkConnect)) {
		for i := range contract.Qps {
			first.state.Qps[i].State = model.Connected
		}
	}
	domain := model.Domain{Room: rooms(contract), Places: 3}
	for depth := range c.number("Room") {
		domain.Depths = append(domain.Depths, depth+1)
	}
	for op := range model.Write + 1 {
		if budget[0].has(op) || budget[1].has(op) {
			domain.Requests = append(domain.Requests, requests(op, flags, contract.Tokens)...)
		}
	}
	maxArms := c.number("MaxArms")
	return &Machine{
		contract: contract,
		objects:  o,
		init:     []Moment{first},
		bounds: bounds{
			domain: domain,
			actions: map[model.Name][]argument{
				model.NdkArmCq:                       {ofCq, ofType},
				model.NdkCqNotificationCallbackEnter: {ofCq, ofCqStatus},
				model.NdkCqNotificationCallbackExit:  {ofCq},
				model.NdkGetCqResults:                {ofCq, ofRoom, ofResults},
				model.NdkGetCqResultsEx:              {ofCq, ofRoom, ofResults},
				model.NdkResizeCq:                    {ofCq, ofDepth},
				model.Resize:                         {ofCq},
				model.NdkRequestCompletionEnter:      {ofCq, ofOutcome},
				model.NdkRequestCompletionExit:       {ofCq},
				model.NdkCloseCq:                     {ofCq},
				model.NdkCloseCompletion:             {ofCq},
				model.ExtraEvent:                     {ofCq},
				model.Overflow:                       {ofCq},
				model.CqInternalError:                {ofCq},
				model.Post:                           {ofQp, ofOp, ofToken, ofSilent, ofSolicit, ofFence, ofDefer},
				model.PostRefused:                    {ofQp, ofOp, ofToken, ofSilent, ofSolicit, ofFence, ofInvalid},
				model.HwIndicate:                     {ofQp},
				model.Deliver:                        {ofQp},
				model.Abort:                          {ofQp, ofOutcome, ofReceived},
				model.Execute:                        {ofQp, ofQueue, ofAt, ofOutcome},
				model.Complete:                       {ofQp, ofQueue, ofAt},
				model.CompletionLost:                 {ofQp, ofQueue, ofAt},
				model.NdkConnect:                     {ofQp},
				model.ConnectionLost:                 {ofQp},
				model.NdkFlush:                       {ofQp},
				model.NdkDisconnect:                  {ofQp},
				model.NdkCloseQp:                     {ofQp, ofWaits},
				model.CloseBegins:                    {ofQp},
				model.TokenDies:                      {ofDead},
				model.NdkCloseCompletionEnter:        {ofQp, ofDropped},
				model.NdkCloseCompletionExit:         {ofQp},
			},
			has: func(a model.Action) bool {
				switch a.Name {
				case model.NdkArmCq:
					return maxArms > 0
				case model.NdkGetCqResultsEx, model.NdkCloseCq, model.Overflow, model.CqInternalError, model.NdkConnect,
					model.ConnectionLost, model.NdkResizeCq, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp, model.TokenDies:
					return slices.Contains(optional, string(a.Name))
				case model.Post:
					return budget[a.Qp].has(a.Request.Op) && (!a.Deferred || slices.Contains(flags, "DEFER"))
				case model.PostRefused:
					return budget[a.Qp].has(a.Request.Op) && slices.Contains(optional, "PostRefused") &&
						(!a.Invalid || slices.Contains(optional, "INVALID"))
				case model.Execute:
					return !a.Solicited && a.Token == model.NoToken
				}
				return true
			},
			may: func(m *Moment, a *model.Action) bool {
				switch a.Name {
				case model.NdkArmCq:
					return m.arms < maxArms
				case model.Post, model.PostRefused:
					return m.postsOf[a.Qp][a.Request.Op] < budget[a.Qp][a.Request.Op] && (a.Name == model.PostRefused || m.hasPlace(a.Qp, a.Queue))
				case model.Execute:
					return a.Outcome != model.FAILED || slices.Contains(optional, "FAILED") || mustBeAbleToFail(m.state.Qps[a.Qp].Queue(a.Queue), a.At)
				}
				return true
			},
			number: func(m Moment, a model.Action) int { return m.used(a.Qp, a.Queue) + 1 },
			variables: []variable{
				{"cq", func(o objects, m Moment) string { return function(o.cqs, m.state.Cqs, o.cq) }},
				{"qp", func(o objects, m Moment) string { return function(o.qps, m.state.Qps, o.qp) }},
				{"token", func(o objects, m Moment) string { return function(o.tokens, m.state.Tokens, text[model.Validity]) }},
				{"posts", func(o objects, m Moment) string {
					var all []string
					for p, posts := range m.postsOf {
						all = append(all, budget[p].write(posts))
					}
					return function(o.qps, all, func(s string) string { return s })
				}},
				{"arms", func(_ objects, m Moment) string { return strconv.Itoa(m.arms) }},
				{"delivered", func(o objects, m Moment) string { return function(o.qps, []int{0, 1}, m.deliveredRecord) }},
				{"fetched", func(o objects, m Moment) string {
					return record("NdkGetCqResults", o.tokenSet(m.fetched[0]), "NdkGetCqResultsEx", o.tokenSet(m.fetched[1]))
				}},
			},
			parts: ndkParts(contract),
		},
	}
}

func (m Moment) deliveredRecord(p int) string {
	return record(
		"initiator", sequence(m.delivered[p][model.Initiator], strconv.Itoa),
		"receive", sequence(m.delivered[p][model.Receive], strconv.Itoa))
}

// ndkParts are the variables of MCNdk.
func ndkParts(c *model.Contract) []part {
	parts := slices.Concat(cqParts(c), qpParts(c))
	parts = append(parts,
		partAt(func(m *Moment) *[]model.Validity { return &m.state.Tokens }, appendTokens,
			by(model.Post, model.PostRefused, model.Execute, model.Deliver, model.Abort, model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp,
				model.CloseBegins, model.TokenDies)),
		partAt(func(m *Moment) *int { return &m.arms }, appendNumber, by(model.NdkArmCq)),
		partAt(func(m *Moment) *[2]uint64 { return &m.fetched }, appendFetched,
			by(model.NdkGetCqResults, model.NdkGetCqResultsEx, model.Execute)))
	for p := range c.Qps {
		parts = append(parts,
			partAt(func(m *Moment) *[model.Write + 1]int { return &m.postsOf[p] }, appendPosts, onQp(p, model.Post, model.PostRefused)),
			partAt(func(m *Moment) *[2][]int { return &m.delivered[p] }, appendDelivered, func(s *step) bool {
				return by(model.NdkGetCqResults, model.NdkGetCqResultsEx)(s) || onQp(p, model.Post)(s)
			}))
	}
	return parts
}

func appendFetched(key []byte, tokens [2]uint64) []byte {
	return appendNumbers(key, int(tokens[0]), int(tokens[1]))
}

func appendPosts(key []byte, posts [model.Write + 1]int) []byte {
	return appendNumbers(key, posts[:]...)
}

func appendDelivered(key []byte, ids [2][]int) []byte {
	return appendList(appendList(key, ids[model.Initiator]), ids[model.Receive])
}

// used is Used: the posts so far on a queue.
func (m *Moment) used(p int, queue model.Queue) int {
	n := 0
	for op, posts := range m.postsOf[p] {
		if model.Op(op).Queue() == queue {
			n += posts
		}
	}
	return n
}

// known is Known: the consumer polled a completion of request n, or of a later one of its queue (FLAG-03).
func (m *Moment) known(p int, queue model.Queue, n int) bool {
	return slices.ContainsFunc(m.delivered[p][queue], func(later int) bool { return later >= n })
}

// hasPlace is HasPlace: a place in the queue is free (POST-06, A12).
func (m *Moment) hasPlace(p int, queue model.Queue) bool {
	if m.contract.Dialect.A12 == model.A12Placed {
		return len(m.state.Qps[p].Queue(queue)) < m.queueDepth
	}
	held := 0
	for n := range m.used(p, queue) {
		if !m.known(p, queue, n+1) {
			held++
		}
	}
	return held < m.queueDepth
}

// mustBeAbleToFail reports whether the request is one that may have to fail, whatever happens optionally.
func mustBeAbleToFail(queue []model.Request, at int) bool {
	return at < len(queue) && (queue[at].Op == model.Invalidate || queue[at].Op == model.Write && queue[at].Token != model.NoToken)
}

// requests returns the requests of one operation, with and without the flags that it takes, with every token that it can name.
func requests(op model.Op, flags []string, tokens int) []model.Request {
	all := []model.Request{{Op: op, Token: model.NoToken}}
	names := op == model.SendAndInvalidate || op == model.FastRegister || op == model.Bind || op == model.Invalidate
	if names || tokens > 0 && (op == model.Read || op == model.Write) {
		all = nil
		for t := range tokens {
			all = append(all, model.Request{Op: op, Token: t})
		}
	}
	with := func(flag string, set func(*model.Request)) {
		if !slices.Contains(flags, flag) {
			return
		}
		for _, r := range all {
			set(&r)
			all = append(all, r)
		}
	}
	if op != model.ReceiveOp {
		with("SILENT_SUCCESS", func(r *model.Request) { r.Silent = true })
		with("READ_FENCE", func(r *model.Request) { r.Fence = true })
	}
	if op.IsSend() {
		with("SEND_AND_SOLICIT_EVENT", func(r *model.Request) { r.Solicit = true })
	}
	return all
}
