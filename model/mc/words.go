package mc

import (
	"fmt"
	"strconv"
	"strings"

	"ndkoracle/model"
)

// This is the one table between Go and TLA+: how states, actions and their values are written in tla/. What has a name in
// both has the same one; the order of fields and of a set's elements means nothing.

// objects are the names that a configuration gives to CQs, QPs, tokens and shared receive queues, by their index.
type objects struct {
	cqs, qps, tokens, srqs []string
}

func text[T fmt.Stringer](s T) string { return quote(s.String()) }

func quote(s string) string { return `"` + s + `"` }

func truth(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}

// record writes a record: names and values in turn.
func record(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		separate(&b, "[", i)
		b.WriteString(fields[i] + " |-> " + fields[i+1])
	}
	return b.String() + "]"
}

// function writes a function of objects.
func function[T any](names []string, values []T, write func(T) string) string {
	if len(values) == 0 {
		return "<<>>" // a function with an empty domain is an empty sequence
	}
	var b strings.Builder
	for i, value := range values {
		separate(&b, "[", i)
		b.WriteString(names[i] + " |-> " + write(value))
	}
	return b.String() + "]"
}

func sequence[T any](values []T, write func(T) string) string {
	return "<<" + list(values, write) + ">>"
}

func set[T any](values []T, write func(T) string) string {
	return "{" + list(values, write) + "}"
}

func list[T any](values []T, write func(T) string) string {
	var b strings.Builder
	for i, value := range values {
		separate(&b, "", i)
		b.WriteString(write(value))
	}
	return b.String()
}

func separate(b *strings.Builder, first string, i int) {
	if i == 0 {
		b.WriteString(first)
	} else {
		b.WriteString(", ")
	}
}

func (o objects) token(t int) string {
	if t == model.NoToken {
		return quote("no token")
	}
	return quote(o.tokens[t])
}

// health is that of a CQ; a callback is told STATUS_SUCCESS instead.
func health(h model.Health) string {
	if h == model.OK {
		return quote("OK")
	}
	return text(h)
}

func (o objects) completion(c model.Completion) string {
	return record("qp", quote(o.qps[c.Qp]), "queue", text(c.Queue), "req", strconv.Itoa(c.Request), "status", text(c.Status),
		"type", text(c.Type), "solicited", truth(c.Solicited), "token", o.token(c.Token))
}

func (o objects) cq(q model.Cq) string {
	return record("entries", sequence(q.Entries, o.completion), "fresh", strconv.Itoa(q.Fresh),
		"uncounted", truth(q.Uncounted), "taken", arms(q.Taken), "arm", text(q.Arm),
		"waiting", strconv.Itoa(q.Waiting), "due", strconv.Itoa(q.Due), "errorDue", truth(q.ErrorDue),
		"running", truth(q.Running), "health", health(q.Health), "reported", truth(q.Reported),
		"depth", strconv.Itoa(q.Depth), "resize", text(q.Resize), "asked", strconv.Itoa(q.Asked), "open", text(q.Open))
}

func (o objects) request(r model.Request) string {
	return record("req", strconv.Itoa(r.Id), "op", text(r.Op), "silent", truth(r.Silent), "solicit", truth(r.Solicit),
		"fence", truth(r.Fence), "token", o.token(r.Token), "phase", text(r.Phase))
}

func (o objects) qp(p model.Qp) string {
	return record("state", text(p.State), "initiator", sequence(p.Initiator, o.request), "receive", sequence(p.Receive, o.request))
}

func (o objects) srq(r model.Srq) string {
	return record("queued", strconv.Itoa(r.Queued), "taken", sequence(r.Taken, o.qpName), "depth", strconv.Itoa(r.Depth),
		"threshold", strconv.Itoa(r.Threshold), "waiting", strconv.Itoa(r.Waiting), "due", strconv.Itoa(r.Due),
		"errorDue", truth(r.ErrorDue), "running", strconv.Itoa(r.Running), "health", health(r.Health), "reported", truth(r.Reported),
		"modify", text(r.Modify),
		"asked", record("depth", strconv.Itoa(r.AskedDepth), "threshold", strconv.Itoa(r.AskedThreshold)),
		"ended", o.qpSet(r.Ended), "lastDue", o.qpSet(r.LastDue), "open", text(r.Open))
}

func (o objects) qpName(qp int) string { return quote(o.qps[qp]) }

func (o objects) qpSet(s model.QpSet) string {
	var all []int
	for qp := range o.qps {
		if s.Has(qp) {
			all = append(all, qp)
		}
	}
	return set(all, o.qpName)
}

func arms(s model.Arms) string {
	var all []model.Arm
	for arm := range model.ANY + 1 {
		if s.Has(arm) {
			all = append(all, arm)
		}
	}
	return set(all, text[model.Arm])
}

func (o objects) tokenSet(bits uint64) string {
	var all []int
	for t := range o.tokens {
		if bits&(1<<t) != 0 {
			all = append(all, t)
		}
	}
	return set(all, o.token)
}

// The arguments of actions.

func ofCq(o objects, a model.Action) string         { return quote(o.cqs[a.Cq]) }
func ofType(_ objects, a model.Action) string       { return text(a.Type) }
func ofCqStatus(_ objects, a model.Action) string   { return text(a.CqStatus) }
func ofRoom(_ objects, a model.Action) string       { return strconv.Itoa(a.N) }
func ofResults(_ objects, a model.Action) string    { return strconv.Itoa(a.K) }
func ofCompletion(o objects, a model.Action) string { return o.completion(a.Completion) }
func ofDepth(_ objects, a model.Action) string      { return strconv.Itoa(a.Depth) }
func ofQp(o objects, a model.Action) string         { return o.qpName(a.Qp) }
func ofQueue(_ objects, a model.Action) string      { return text(a.Queue) }
func ofAt(_ objects, a model.Action) string         { return strconv.Itoa(a.At + 1) }
func ofOutcome(_ objects, a model.Action) string    { return text(a.Outcome) }
func ofReceived(_ objects, a model.Action) string   { return text(a.Received) }
func ofOp(_ objects, a model.Action) string         { return text(a.Request.Op) }
func ofToken(o objects, a model.Action) string      { return o.token(a.Request.Token) }
func ofSilent(_ objects, a model.Action) string     { return truth(a.Request.Silent) }
func ofSolicit(_ objects, a model.Action) string    { return truth(a.Request.Solicit) }
func ofFence(_ objects, a model.Action) string      { return truth(a.Request.Fence) }
func ofDropped(_ objects, a model.Action) string    { return truth(a.Dropped) }
func ofInvalid(_ objects, a model.Action) string    { return truth(a.Invalid) }
func ofWaits(_ objects, a model.Action) string      { return truth(a.Waits) }
func ofDead(o objects, a model.Action) string       { return o.token(a.Token) }
func ofDefer(_ objects, a model.Action) string      { return truth(a.Deferred) }
func ofSrq(o objects, a model.Action) string        { return quote(o.srqs[a.Srq]) }
func ofThreshold(_ objects, a model.Action) string  { return strconv.Itoa(a.Threshold) }
