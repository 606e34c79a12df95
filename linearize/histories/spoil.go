package histories

import (
	"slices"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// spoils are the ways to spoil a trace at event i, each with what that event has to be.
var spoils = []struct {
	what string
	fits func(*trace.Event) bool
	do   func(d dice, r *Run, i int)
}{

	{"a callback is missing", isCallback, func(_ dice, r *Run, i int) { r.drop(r.Trace.Events[i].Op) }},
	{"a callback comes earlier", isCallback, func(d dice, r *Run, i int) {
		e := r.Trace.Events[i]
		to := i - 1 - d.Roll(min(i, 6), "earlier")
		r.Trace.Events = slices.Insert(slices.Delete(r.Trace.Events, i, i+1), to, e)
	}},
	{"a callback comes twice", isCallback, func(_ dice, r *Run, i int) {
		enter, exit := r.Trace.Events[i], trace.Event{Ph: trace.Exit, Op: "again", Fn: r.Trace.Events[i].Fn, Thr: "t"}
		enter.Op = "again"
		r.Trace.Events = slices.Insert(r.Trace.Events, i, enter, exit)
	}},
	{"a completion ends otherwise", delivers, func(d dice, r *Run, i int) {
		results := r.Trace.Events[i].Results
		results[len(results)-1].Status = r.status(model.Outcome(d.Roll(3, "status")))
	}},
	{"two completions change places", func(e *trace.Event) bool { return len(e.Results) > 1 }, func(_ dice, r *Run, i int) {
		slices.Reverse(r.Trace.Events[i].Results)
	}},
	{"a poll delivers less", delivers, func(_ dice, r *Run, i int) {
		r.Trace.Events[i].Results = r.Trace.Events[i].Results[1:]
	}},
	{"an arm is missing", isArm, func(_ dice, r *Run, i int) { r.drop(r.Trace.Events[i].Op) }},
	{"an arm has another type", isArm, func(d dice, r *Run, i int) {
		e := &r.Trace.Events[i]
		if e.SolicitedOnly != nil {
			e.SolicitedOnly = notation.Bool(!*e.SolicitedOnly)
			return
		}
		e.Type = model.Arm(1 + d.Roll(3, "type")).String()
	}},
	{"a flush is missing", func(e *trace.Event) bool { return e.Ph == trace.Call && calls.KindOf(e) == calls.FlushQp },
		func(_ dice, r *Run, i int) { r.drop(r.Trace.Events[i].Op) }},
	{"a resize ends otherwise", answersResize, func(_ dice, r *Run, i int) { r.answerOtherwise(&r.Trace.Events[i]) }},
	{"the provider is at rest", func(e *trace.Event) bool { return true }, func(_ dice, r *Run, i int) {
		r.Trace.Events = slices.Insert(r.Trace.Events, i, trace.Event{Ph: trace.Point, Fn: "quiesce", Thr: "t"})
	}},
}

func isCallback(e *trace.Event) bool {
	return e.Ph == trace.Enter && calls.KindOf(e) == calls.Callback
}

func delivers(e *trace.Event) bool { return len(e.Results) > 0 }

func isArm(e *trace.Event) bool { return e.Ph == trace.Call && calls.KindOf(e) == calls.ArmCq }

func (r *Run) drop(op string) {
	r.Trace.Events = slices.DeleteFunc(r.Trace.Events, func(e trace.Event) bool { return e.Op == op })
}

// Spoil breaks one thing of the trace, and says what.
func Spoil(d dice, r *Run) string {
	type place struct{ way, event int }
	places := map[int][]place{}
	var ways []int
	for w, way := range spoils {
		for i := range r.Trace.Events {
			if way.fits(&r.Trace.Events[i]) {
				places[w] = append(places[w], place{w, i})
			}
		}
		if len(places[w]) > 0 {
			ways = append(ways, w)
		}
	}
	w := ways[d.Roll(len(ways), "way")]
	spoils[w].do(d, r, places[w][d.Roll(len(places[w]), "place")].event)
	for i := range r.Trace.Events {
		r.Trace.Events[i].Seq, r.Trace.Events[i].Line = uint64(i+1), i+2
	}
	return spoils[w].what
}

// connection reports whether the trace holds both ends of a connection. The judge looks at each end by itself, and only
// then at what it knows of the messages: it can accept what the whole does not allow.
func (r *Run) connection() bool {
	return slices.ContainsFunc(r.c.Qps, func(b model.Binding) bool { return b.Peer >= 0 })
}

// conclude ends a run, at rest or not, and perhaps spoils it: what says how.
func (r *Run) conclude(d dice) (quiescent bool, what string) {
	quiescent = d.Roll(4, "quiescent") > 0
	if quiescent {
		r.Rest()
		r.Drain()
	}
	r.Report()
	what = "nothing"
	if d.Roll(5, "spoilt") > 0 {
		what = Spoil(d, r)
	}
	r.Trace.End = &trace.End{Events: uint64(len(r.Trace.Events)), Quiescent: quiescent}
	return quiescent, what
}
