package tlcjudge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A question is one component of a trace, as a definition of the module that TLC reads.
type question struct {
	*component
	number   int
	dialect  string // its name in module Dialects
	reading  string // as an expression of module Readings
	end      bool   // the trace ends with the provider at rest
	seenLate bool   // the consumer took the events down
	created  bool   // the creation of every QP of the trace is in it
	names    callbackRules
	lengths  []int64         // of its messages and receives, in order; rankOf fills it in
	unplaced map[string]bool // by op: calls that read an event, and of which the trace does not say on which channel they waited
	stop     int             // the first event that is not explained: boundary events show a breach there
	excused  int             // the first event from which on the consumer excuses what the provider does
	stranger *call           // the first post on a QP whose creation is not, or nil: any CQ may take its completions
}

// Root is the name of the module that is generated.
const Root = "Traces"

// write returns the module for some questions, and its configuration. The questions share the variables of the contract; the
// variable trace says which of them a behaviour is about.
func write(questions []*question) (module, configuration []byte) {
	var b, initial, next, report strings.Builder
	fmt.Fprintf(&b, "---- MODULE %s ----\nEXTENDS TraceRules, Dialects, Readings\nVARIABLES trace, cq, qp, token, at, underway, story\n", Root)
	for _, q := range questions {
		q.define(&b)
		if q.searched() {
			q.instance(&b)
			fmt.Fprintf(&initial, "  \\/ trace = %d /\\ Check%[1]d!TraceInit\n", q.number)
			fmt.Fprintf(&next, "  \\/ trace = %d /\\ Check%[1]d!TraceNext /\\ UNCHANGED trace\n", q.number)
			fmt.Fprintf(&report, "  /\\ trace = %d => Check%[1]d!Report\n", q.number)
		}
	}
	if initial.Len() == 0 {
		initial.WriteString("  trace = 0 /\\ cq = 0 /\\ qp = 0 /\\ token = 0 /\\ at = 0 /\\ underway = 0 /\\ story = 0\n")
		next.WriteString("  UNCHANGED <<trace, cq, qp, token, at, underway, story>>\n")
		report.WriteString("  TRUE\n")
	}
	fmt.Fprintf(&b, "Init ==\n%sNext ==\n%sReport ==\n%s====\n", initial.String(), next.String(), report.String())
	return []byte(b.String()), []byte("INIT Init\nNEXT Next\nCONSTRAINT Report\nCHECK_DEADLOCK FALSE\n")
}

// searched reports whether an explanation is looked for. What needs no search is looked at in any case.
func (q *question) searched() bool { return q.reason == "" && len(q.cqs) > 0 }

// define writes what the trace records about the component, and what needs no search.
func (q *question) define(b *strings.Builder) {
	for i, c := range q.calls {
		c.number = i + 1
	}
	var rests []string
	for i, e := range q.events {
		if e.call.kind == "rest" {
			rests = append(rests, fmt.Sprint(i+1))
		}
	}
	trace := record(
		"calls", each(q.calls, (*call).record),
		"events", each(q.events, func(e event) string { return record("of", e.call.number, "ends", truth(e.ends)) }),
		"requests", each(q.requests, q.request),
		"cqs", set(q.cqIds()), "qps", set(q.qpIds()), "rests", set(rests), "stop", q.stop, "atRest", truth(q.end), "allCreated", truth(q.created),
		"users", q.ofCq(func(c *cq) string {
			return q.ofQp(func(p *qp) string { return truth((p.initiator == c || p.receive == c) && !q.comesTooLate(p)) })
		}),
		"connected", q.ofQp(func(p *qp) string { return fmt.Sprint(numberOf(p.connected)) }),
	)
	fmt.Fprintf(b, "Trace%d == %[2]s\nBreaches%[1]d == Breaches(Trace%[1]d)\nLast%[1]d == LastOf(Trace%[1]d, Breaches%[1]d)\n"+
		"ASSUME Say(%[1]d, Breaches%[1]d, Last%[1]d)\n", q.number, trace)
}

// instance writes the instance of the specification that explains the component. What is not a literal has a name of its own, so
// that TLC evaluates it once.
func (q *question) instance(b *strings.Builder) {
	var failing, tokens []string
	for _, c := range q.calls {
		if c.kind == "callback" && c.first.Status == "STATUS_INTERNAL_ERROR" || c.kind == "CQ fails" {
			failing = append(failing, quote(c.cq.id))
		}
	}
	for _, t := range slices.Sorted(maps.Values(q.tokens)) {
		tokens = append(tokens, quote(t))
	}
	name := func(constant, value string) string {
		fmt.Fprintf(b, "%s%d == %s\n", constant, q.number, value)
		return fmt.Sprint(constant, q.number)
	}
	of := func(field string) string { return fmt.Sprintf("Trace%d.%s", q.number, field) }
	constants := [][2]string{
		{"Calls", name("Calls", of("calls"))},
		{"Events", name("Events", of("events"))},
		{"Requests", name("Requests", of("requests"))},
		{"Turns", name("Turns", fmt.Sprintf("TurnsOf(Trace%d, Last%[1]d)", q.number))},
		{"Tight", name("Tight", q.ofCq(q.tightRequests))},
		{"Depths", name("Depths", q.ofCq(func(c *cq) string { return fmt.Sprint(c.enough(c.firstDepth())) }))},
		{"OldTokens", set(quoted(q.oldTokens))},
		{"AbortedFrom", name("AbortedFrom", q.ofQp(q.abortedFrom))},
		{"Failing", set(failing)},
		{"Lanes", set(idsOf(slices.DeleteFunc(slices.Clone(q.qps), func(p *qp) bool { return p.lane == nil || q.comesTooLate(p) })))},
		{"SeenLate", truth(q.seenLate)},
		{"Last", fmt.Sprint("Last", q.number)},
		{"Number", fmt.Sprint(q.number)},

		{"CQ", set(q.cqIds())},
		{"QP", set(idsOf(slices.DeleteFunc(slices.Clone(q.qps), q.comesTooLate)))},
		{"Token", set(tokens)},
		{"Depth", "1"}, // Depths has those of the trace
		{"Room", fmt.Sprint(2*len(q.requests) + 1)},
		{"ReadInvalidates", "FALSE"}, // a trace with such reads is not decided
		{"InitiatorCq", name("InitiatorCq", q.ofQp(func(p *qp) string { return quote(p.initiator.id) }))},
		{"ReceiveCq", name("ReceiveCq", q.ofQp(func(p *qp) string { return quote(p.receive.id) }))},
		{"Peer", name("Peer", q.peers())},
		{"QpType", name("QpType", q.ofQp(func(p *qp) string { return quote(p.promises()) }))},
		{"Dialect", q.dialect},
		{"Reading", name("Reading", q.reading)},
	}
	for i, c := range constants {
		constants[i][0] = c[0] + " <- " + c[1]
	}
	fmt.Fprintf(b, "Check%d == INSTANCE TraceBlame WITH\n", q.number)
	for i, c := range constants {
		end := ","
		if i == len(constants)-1 {
			end = ""
		}
		fmt.Fprintf(b, "  %s%s\n", c[0], end)
	}
	fmt.Fprintf(b, "ASSUME TLCSet(%d, [at |-> 0, why |-> {}])\n", q.number)
}

// tightRequests returns the requests that complete into a CQ, if they are more than it has room for at its least depth.
func (c *component) tightRequests(q *cq) string {
	var requests []string
	for _, r := range c.requests {
		if q.tight() && r.accepted && r.qp.cq(r.queue()) == q {
			requests = append(requests, fmt.Sprint(r.number))
		}
	}
	return set(requests)
}

// peers returns the function from each QP to its peer, which for some is one that the trace does not record.
func (c *component) peers() string {
	var pairs []any
	for _, p := range c.qps {
		if p.peer != nil {
			pairs = append(pairs, p.id, quote(p.peer.id))
		} else {
			pairs = append(pairs, p.id, quote("far"+p.id), "far"+p.id, quote(p.id))
		}
	}
	return record(pairs...)
}

func (c *component) cqIds() []string {
	var ids []string
	for _, q := range c.cqs {
		ids = append(ids, quote(q.id))
	}
	return ids
}

func (c *component) qpIds() []string { return idsOf(c.qps) }

func idsOf(qps []*qp) []string {
	var ids []string
	for _, p := range qps {
		ids = append(ids, quote(p.id))
	}
	return ids
}

// ofCq returns the function from each CQ to a value.
func (c *component) ofCq(value func(*cq) string) string {
	var pairs []any
	for _, q := range c.cqs {
		pairs = append(pairs, q.id, value(q))
	}
	return record(pairs...)
}

// ofQp returns the function from each QP to a value.
func (c *component) ofQp(value func(*qp) string) string {
	var pairs []any
	for _, p := range c.qps {
		pairs = append(pairs, p.id, value(p))
	}
	return record(pairs...)
}
