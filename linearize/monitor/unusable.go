package monitor

import (
	"cmp"
	"fmt"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// unusable checks that nothing succeeds on a queue pair or a shared receive queue that an error made unusable: ARM-18 and SRQ-09. It looks at requests that were posted after the
// error was told. One that was posted before may have been executed before the error.
type unusable struct {
	nothing
	noRequest
	s      *requests
	counts map[string]*int
	qps    map[string]*ruin
	srqs   map[string]*ruin
}

// A ruin is an error that made queue pairs or a shared receive queue unusable.
type ruin struct {
	rule string
	what string
	at   Place  // the entry of the callback that told it
	cq   string // on which ARM-17 speaks of what comes after the error, or ""
}

var _ = group(newUnusable,
	rule{ID: "ARM-18", On: on{"a request is posted on a queue pair of which a CQ has reported an error"}},
	rule{ID: "SRQ-09", On: on{"a request is posted on a shared receive queue that has reported an error, or on a queue pair of it"}, OnlyNdk: true},
)

func newUnusable(m *Monitor) checks {
	if m.header.Order == "partial" {
		return nothing{} // what came after an error is not known
	}
	return &unusable{s: m.requests, counts: map[string]*int{"ARM-18": m.counter("ARM-18"), "SRQ-09": m.counter("SRQ-09")}, qps: map[string]*ruin{},
		srqs: map[string]*ruin{}}
}

func (u *unusable) begin(c *Call, e *trace.Event) {
	u.cqReports(e)
	switch {
	case c.Fn == "NdkSrqNotificationCallback" && e.Status == "STATUS_INTERNAL_ERROR":
		by := &ruin{"SRQ-09", fmt.Sprintf("%s reported %s", e.Srq, e.Status), u.s.m.now, ""}
		if u.srqs[e.Srq] == nil {
			u.srqs[e.Srq] = by
		}
		u.ruins(by, func(p *qpArguments) bool { return p.srq == e.Srq })
	case c.Fn == "NdkCloseSrq":
		delete(u.srqs, e.Srq)
	}
}

// cqReports records an error of a CQ.
func (u *unusable) cqReports(e *trace.Event) {
	if cq, _, is := calls.CqErrorOf(e); is {
		u.ruins(&ruin{"ARM-18", fmt.Sprintf("%s reported %s", cq, cmp.Or(e.Status, e.Type)), u.s.m.now, cq},
			func(p *qpArguments) bool { return p.initiator.cq == cq || p.receive.cq == cq })
	}
}

func (u *unusable) end(_ *Call, e *trace.Event) { u.cqReports(e) }

// ruins records an error of the queue pairs that it concerns. Each has its first one.
func (u *unusable) ruins(by *ruin, concerns func(*qpArguments) bool) {
	for name, p := range u.s.qps.all {
		if p.created && u.qps[name] == nil && concerns(p) {
			u.qps[name] = by
		}
	}
}

func (u *unusable) called(r *workRequest, _ *Call, _ []string) {
	if r.ruin = u.srqs[r.queue.name]; r.queue.qp != nil {
		r.ruin = u.qps[r.queue.name]
	}
	if r.ruin != nil {
		*u.counts[r.ruin.rule]++
	}
}

func (u *unusable) completed(r *workRequest, c *Call, result *trace.Result) {
	if r.ruin == nil || r.ruin.cq == c.Cq || calls.OutcomeOf(result.Status) != model.SUCCESS {
		return
	}
	u.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: r.ruin.rule, See: []int{r.place.Line, r.ruin.at.Line},
		Objects: []Object{r.queue.object(), {Cq, c.Cq}}, Follows: true, Message: fmt.Sprintf("%s was posted after %s, and succeeded", r.wr, r.ruin.what)})
}

func (u *unusable) dropped(p *qpArguments, closed bool) {
	if closed {
		delete(u.qps, p.name)
	}
}
