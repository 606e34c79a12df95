package tlcjudge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/trace"
)

// noToken stands in place of a token where there is none, as in module Dialect.
const noToken = "no token"

// record returns what the trace records about a call.
func (c *call) record() string {
	kind := c.kind
	if kind == "event" && c.cq == nil {
		kind = other // it waited, and no event came
	}
	pairs := []any{"fn", quote(c.fn), "kind", quote(kind), "ndk", truth(!isVerbs(c.fn)), "thread", quote(c.thread),
		"begin", c.begin, "end", c.end, "answer", quote(c.answer()), "completes", numberOf(c.completes),
		"isCallback", truth(c.first != nil && c.first.Ph == trace.Enter),
		"creates", quote(c.creates), "uses", set(quoted(c.uses)), "reports", truth(c.reportsSuccess()),
		"functionOf", quote(c.functionOf), "closes", quote(c.closes), "place", c.place, "within", placeOf(c.within)}
	if c.qp != nil {
		pairs = append(pairs, "qp", quote(c.qp.id))
	}
	if c.cq != nil {
		pairs = append(pairs, "cq", quote(c.cq.id))
	}
	switch c.kind {
	case "post":
		pairs = append(pairs, "requests", each(c.tried(), number))
	case "arm":
		pairs = append(pairs, "type", quote(c.armType()))
	case "poll":
		pairs = append(pairs, "room", c.room(), "results", each(c.results, number), "completions", c.completions())
	case "connect":
		pairs = append(pairs, "failed", c.failedAt(), "vain", truth(c.isInVain()))
	case "token dies":
		pairs = append(pairs, "tokens", sequence(quoted(c.deadTokens())))
	case "resize":
		pairs = append(pairs, "depth", c.cq.enough(c.newDepth()), "refused", truth(c.isRefused()))
	case "rest":
		pairs = append(pairs, "awaited", set(quoted(c.awaited)))
	case "callback":
		pairs = append(pairs, "status", quote(cmp.Or(c.first.Status, "STATUS_SUCCESS")))
	case "placed":
		pairs = append(pairs, "request", number(c.request), "astray", truth(c.astray))
	}
	return record(pairs...)
}

func (c *call) armType() string {
	if c.first.SolicitedOnly == nil {
		return c.first.Type
	}
	if *c.first.SolicitedOnly {
		return "SOLICITED"
	}
	return "ANY"
}

// room is for how many completions a poll has room; numbers of TLC have 32 bits, and a sign.
func (c *call) room() int64 {
	if c.first.N == nil {
		return max(1, int64(len(c.results)))
	}
	return min(*c.first.N, 1<<30)
}

// completions is what a poll says of each completion that it returns.
func (c *call) completions() string {
	if c.last == nil {
		return "<<>>"
	}
	list := make([]string, len(c.last.Results))
	for i := range c.last.Results {
		x, r := &c.last.Results[i], c.results[i]
		token := ""
		if r != nil {
			token = r.tokenOf(x)
		}
		list[i] = record("req", number(r), "status", quote(outcomes(x.Status)[0]), "type", quote(x.Type), "token", quote(token),
			"otherQp", truth(r != nil && r.qp.lane == nil && x.Qp != "" && x.Qp != r.qp.name), "otherStatus", truth(r != nil && r.contradicts(x)),
			"error", truth(x.ProviderError != nil && *x.ProviderError != 0))
	}
	return sequence(list)
}

// tokenOf is the token that a completion of r says was invalidated, or "" where it says nothing.
func (r *request) tokenOf(x *trace.Result) string {
	if x.Token == nil || x.Type == "" && !isVerbs(r.post.fn) {
		return ""
	}
	return cmp.Or(r.qp.component.tokens[*x.Token], noToken)
}

// namedToken is the token that the completion of a receive says was invalidated, or "".
func (r *request) namedToken() string {
	if r.op != "Receive" || r.result == nil {
		return ""
	}
	return r.tokenOf(r.result)
}

// request returns what the trace records about a request.
func (q *question) request(r *request) string {
	op, token := r.op, noToken
	switch {
	case op == "Read" || op == "Write": // what tokens they reach a peer's memory through is not followed
	case r.token != nil && q.tokens[*r.token] != "":
		token = q.tokens[*r.token]
	case op == "FastRegister" || op == "Bind" || op == "Invalidate":
		op = "Write" // of a token that is not followed
	case op == "SendAndInvalidate":
		op = "Send"
	}
	solicited := "{FALSE}"
	switch {
	case r.queue() == "receive" && r.point != nil && r.point.first.Solicited != nil:
		solicited = "{" + truth(*r.point.first.Solicited) + "}"
	case r.queue() == "receive" && r.qp.peer == nil && r.qp.receive != nil && r.qp.receive.asksForSolicited: // else it makes no difference
		solicited = "BOOLEAN"
	}
	invalidated := noToken
	if t := r.localToken(); r.op == "Receive" && t != nil && q.tokens[*t] != "" {
		invalidated = q.tokens[*t]
	}
	cq, polled, since := "", 0, r.since
	if c := r.qp.cq(r.queue()); c != nil {
		cq = c.id
		if r.poll == nil {
			since = len(c.delivered)
		}
	}
	if r.poll != nil {
		polled = r.poll.end
	}
	return record("req", r.number, "qp", quote(r.qp.id), "queue", quote(r.queue()), "cq", quote(cq), "op", quote(op),
		"silent", truth(r.silent && op != "Receive"), "solicit", truth(r.solicit && op != "Receive"),
		"fence", truth(r.fence && op != "Receive"), "token", quote(token), "defer", truth(r.deferred),
		"accepted", truth(r.accepted), "refused", truth(r.refused), "invalid", truth(r.tellsOfEnd()), "post", r.post.number, "told", set(quoted(r.told)),
		"turn", r.turn, "first", r.firstTurn, "since", since, "polled", polled, "after", numberOf(r.nothing), "point", truth(r.point != nil), "solicited", solicited,
		"invalidated", quote(invalidated), "refusedAfter", truth(r.refusedThen),
		"names", quote(r.namedToken()), "opcode", quote(r.receiveOpcode()), "bytes", q.rankOf(r.sentBytes()), "room", q.rankOf(r.roomForMessage()), "got", q.rankOf(r.receivedBytes()))
}

func numberOf(c *call) int {
	if c == nil {
		return 0
	}
	return c.number
}

func placeOf(c *call) int {
	if c == nil {
		return 0
	}
	return c.place
}

func number(r *request) string {
	if r == nil {
		return "0"
	}
	return fmt.Sprint(r.number)
}

// record returns the record, or the function over strings, of names and values that alternate.
func record(pairs ...any) string {
	if len(pairs) == 0 {
		return "<<>>" // a function over nothing
	}
	fields := make([]string, len(pairs)/2)
	for i := range fields {
		fields[i] = fmt.Sprint(pairs[2*i], " |-> ", pairs[2*i+1])
	}
	return "[" + strings.Join(fields, ", ") + "]"
}

func each[T any](list []T, text func(T) string) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = text(one)
	}
	return sequence(texts)
}

// sequence and set return what they hold, an element a line.
func sequence(list []string) string { return "<<" + strings.Join(list, ",\n  ") + ">>" }
func set(list []string) string      { return "{" + strings.Join(list, ", ") + "}" }

func quoted(list []string) []string {
	var all []string
	for _, text := range list {
		all = append(all, quote(text))
	}
	return all
}

func truth(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}

// quote returns a string of TLA+. In place of what is not plain ASCII, or would end the string, stands a question mark: the
// names of objects never get here, and others only distinguish.
func quote(text string) string {
	return `"` + strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, text) + `"`
}

// tried returns the requests of a post that the provider has looked at. One that it took nevertheless it has (DEF-03).
func (c *call) tried() []*request {
	return slices.DeleteFunc(slices.Clone(c.requests), func(r *request) bool { return r.behind && !r.accepted })
}
