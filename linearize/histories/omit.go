package histories

import (
	"slices"

	"ndkoracle/trace"
)

// Optional fields that a recorder may not know. An omitted field is unknown: the omission must not make a violation.

const channelLeft = "channel"

// An Omission removes a field from every event.
type Omission = struct {
	What  string
	Leave func(*trace.Event)
}

// Omissions are the ways to leave a field out of a trace, of all events alike.
var Omissions = []Omission{
	{"sq_sig_all", func(e *trace.Event) { e.SqSigAll = nil }},
	{"qp_type", func(e *trace.Event) { e.QpType = "" }},
	{"the depth of queues and CQs", func(e *trace.Event) {
		e.ReceiveDepth, e.InitiatorDepth = nil, nil
	}},
	{"the channel of waiters", func(e *trace.Event) {
		if e.Fn == "ibv_get_cq_event" {
			e.Channel = ""
		}
	}},
	{channelLeft, func(e *trace.Event) { e.Channel = "" }},
	{"conn", func(e *trace.Event) {
		if e.Fn == "ibv_modify_qp" {
			e.Conn = ""
		}
	}},
	{"qp of results", OfResults(func(r *trace.Result) { r.Qp = "" })},
	{"type of results", OfResults(func(r *trace.Result) { r.Type, r.Token = "", nil })},
	{"token of results", OfResults(func(r *trace.Result) { r.Token = nil })},
	{"solicited of points", func(e *trace.Event) { e.Solicited = nil }},
	{"opcodes", func(e *trace.Event) {
		e.Wrs = slices.Clone(e.Wrs)
		for i := range e.Wrs {
			e.Wrs[i].Opcode = ""
		}
	}},
}

// OfResults leaves a field out of every result of an event.
func OfResults(leave func(*trace.Result)) func(*trace.Event) {
	return func(e *trace.Event) {
		if e.Results == nil {
			return
		}
		e.Results = append([]trace.Result{}, e.Results...)
		for i := range e.Results {
			leave(&e.Results[i])
		}
	}
}

// leaveOut returns a copy of a trace without some optional fields, and says which.
func leaveOut(d dice, t *trace.Trace) (*trace.Trace, []string) {
	var left []string
	less := *t
	less.Events = slices.Clone(t.Events)
	for _, o := range Omissions {
		if d.Roll(len(Omissions)/2, o.What) > 0 {
			continue
		}
		left = append(left, o.What)
		for i := range less.Events {
			o.Leave(&less.Events[i])
		}
	}
	if slices.Contains(left, channelLeft) { // who does not know channels does not record their creation
		less.Events = slices.DeleteFunc(less.Events, func(e trace.Event) bool { return e.Fn == "ibv_create_comp_channel" })
	}
	return &less, left
}
