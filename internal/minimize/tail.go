package minimize

import (
	"cmp"
	"context"
	"io"
	"slices"

	"ndkoracle/trace"
)

// Tail reads a trace up to a line and a quarter of keep behind it, or to its end if line is 0. It returns the latest keep events, and the earlier events
// that still matter to them: the creation and the connection of objects, posts whose completion is later, and arms without a callback. For a trace that
// does not fit into memory, this is usually all that a finding at the line needs.
func Tail(ctx context.Context, in *trace.Reader, name string, line, keep int) (*trace.Trace, error) {
	t := &tail{keep: keep, stays: map[string]*pastCall{}, posted: map[string]*pastCall{}, armed: map[string][]*pastCall{}}
	whole := &trace.Trace{Name: name, Header: in.Header()}
	for behind := 0; behind <= keep/4; {
		var e trace.Event
		err := in.Next(&e)
		if err == io.EOF {
			whole.End = in.End()
			break
		}
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if line > 0 && e.Line > line {
			behind++ // only what comes later shows some findings
		}
		t.take(&e)
	}
	whole.Events, whole.Warnings = t.events(), in.Warnings()
	return whole, nil
}

// A tail is the latest events of a trace, in a ring, and the calls before them that stay.
type tail struct {
	keep   int
	latest []trace.Event
	oldest int                    // in latest, when that is full
	stays  map[string]*pastCall   // by op
	posted map[string]*pastCall   // by request
	armed  map[string][]*pastCall // by CQ
}

// A pastCall is one that stays though its events are no more among the latest: for good, or for its requests.
type pastCall struct {
	events []trace.Event
	wrs    int // requests whose completion is not past
}

// maxPosted bounds how many requests are remembered: silent ones never have a completion.
const maxPosted = 1 << 16

func (t *tail) take(e *trace.Event) {
	if len(t.latest) < t.keep {
		t.latest = append(t.latest, *e)
		return
	}
	t.drop(&t.latest[t.oldest])
	t.latest[t.oldest] = *e
	t.oldest = (t.oldest + 1) % t.keep
}

// drop forgets the oldest of the latest events.
func (t *tail) drop(e *trace.Event) {
	switch {
	case e.Ph == trace.Call:
		t.dropCall(e)
	case e.Op != "" && t.stays[e.Op] != nil:
		past := t.stays[e.Op]
		past.events = append(past.events, *e)
	}
	if notifies(e) {
		for _, past := range t.armed[e.Cq] {
			delete(t.stays, past.events[0].Op)
		}
		delete(t.armed, e.Cq)
	}
	for _, r := range e.Results {
		past := t.posted[r.Wr]
		if past == nil {
			continue
		}
		delete(t.posted, r.Wr)
		if past.wrs--; past.wrs == 0 {
			delete(t.stays, past.events[0].Op)
		}
	}
}

func (t *tail) dropCall(e *trace.Event) {
	past := &pastCall{events: []trace.Event{*e}}
	for _, wr := range requestsOf(e) {
		if len(t.posted) < maxPosted {
			t.posted[wr] = past
			past.wrs++
		}
	}
	switch {
	case arms(e):
		t.armed[e.Cq] = append(t.armed[e.Cq], past)
	case created(e) == "" && !connects(e) && past.wrs == 0:
		return
	}
	t.stays[e.Op] = past
}

// events returns what is left, as a trace may have it: nothing of calls whose beginning is gone, or of requests.
func (t *tail) events() []trace.Event {
	all := slices.Clone(t.latest)
	for _, past := range t.stays {
		all = append(all, past.events...)
	}
	slices.SortFunc(all, func(a, b trace.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	begun, kept, gone := map[string]bool{}, map[int]bool{}, map[string]bool{}
	for i := range all {
		e := &all[i]
		if e.Ph == trace.Call || e.Ph == trace.Enter {
			begun[e.Op] = e.For == "" || begun[e.For]
		}
		kept[i] = e.Ph == trace.Point || begun[e.Op]
		for _, wr := range requestsOf(e) {
			gone[wr] = t.posted[wr] == nil && t.stays[e.Op] != nil
		}
	}
	return (&trial{whole: &trace.Trace{}, events: all}).rebuilt(kept, gone).events
}

// requestsOf names what a call posts.
func requestsOf(e *trace.Event) []string {
	if e.Ph != trace.Call {
		return nil
	}
	if e.Wr != "" {
		return []string{e.Wr}
	}
	var wrs []string
	for _, w := range e.Wrs {
		wrs = append(wrs, w.Wr)
	}
	return wrs
}

func connects(e *trace.Event) bool { return e.Conn != "" && e.Qp != "" }

func arms(e *trace.Event) bool {
	return e.Ph == trace.Call && (e.Fn == "NdkArmCq" || e.Fn == "ibv_req_notify_cq")
}

// notifies reports whether an event says that a callback, or an event, came.
func notifies(e *trace.Event) bool {
	return (e.Fn == "NdkCqNotificationCallback" || e.Fn == "comp_handler") && e.Ph == trace.Enter || e.Fn == "ibv_get_cq_event" && e.Ph == trace.Ret
}
