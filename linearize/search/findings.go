package search

import (
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// A found finding knows its moment. What stops the search is a breach after which nothing more can be said of its objects.
type found struct {
	verdict.Finding
	at    moment
	shown moment // by what came only then, or 0
	of    *span  // that says which objects the finding is of, where the event at the moment does not
	qps   []*qp  // also the QPs whose requests it concerns
	stops bool

	objects []monitor.Object // that a finding of the monitor is of
}

// told is what a finding tells of an event.
type told struct {
	rule        string
	line, event int
}

// shownAt moves the latest finding to the event that shows it. The search still stops where the trace went wrong. The rules are
// those that other explanations break.
func (h *history) shownAt(at moment, also ...string) {
	f, p := &h.findings[len(h.findings)-1], h.eventAt(at)
	f.See = append(slices.DeleteFunc(f.See, func(line int) bool { return line == p.line }), f.Line)
	slices.Sort(f.See)
	f.See = slices.Compact(f.See)
	f.Line, f.Seq, f.Also, f.shown = p.line, p.seq, also, at
}

func (h *history) provider(rule string, at moment, see []*span, format string, args ...any) {
	h.report(verdict.ProviderViolation, rule, at, see, format, args...)
}

// providerInOrder reports a breach that rests on the order of requests and of completions. Where that is in doubt, it may be none.
func (h *history) providerInOrder(d *doubt, rule string, at moment, see []*span, format string, args ...any) {
	if d.from() <= at {
		h.report(verdict.Inconclusive, rule, at, see, "%s%s", fmt.Sprintf(format, args...), h.describeDoubt(d))
		return
	}
	h.provider(rule, at, see, format, args...)
}

// reportBreach reports a breach. see lists the spans that it refers to.
func (h *history) reportBreach(b breach.Breach, at moment, see ...*span) {
	h.provider(b.Rule, at, see, "%s", b.Message)
	h.findings[len(h.findings)-1].Alone = b.Alone
}

// reportBreachInOrder is reportBreach for a breach that rests on the order of requests and of completions.
func (h *history) reportBreachInOrder(d *doubt, b breach.Breach, at moment, see ...*span) {
	h.providerInOrder(d, b.Rule, at, see, "%s", b.Message)
}

func (h *history) report(v verdict.Verdict, rule string, at moment, see []*span, format string, args ...any) {
	p := h.eventAt(at)
	f := found{at: at, stops: v != verdict.Inconclusive && !declared.IsAlone(rule),
		Finding: verdict.Finding{Verdict: v, Rule: rule, Line: p.line, Seq: p.seq, Message: fmt.Sprintf(format, args...)}}
	f.of = h.spanAt(at)
	for _, s := range see {
		if f.of == nil {
			f.of = s
		}
		if p := h.qpByName[s.begin.Qp]; p != nil {
			f.qps = append(f.qps, p)
		}
		if line := h.trace.Events[s.call].Line; line != p.line {
			f.See = append(f.See, line)
		}
	}
	slices.Sort(f.See)
	f.See = slices.Compact(f.See)
	h.findings = append(h.findings, f)
	if v != verdict.Inconclusive {
		h.exercised(rule)
	}
}

// spanAt returns the call or callback that an event of an object belongs to, or nil.
func (h *history) spanAt(at moment) *span {
	if at < len(h.ofEvent) {
		return h.ofEvent[at]
	}
	return nil
}

// exercised counts that a rule had something to say.
func (h *history) exercised(id string) { h.counts[id]++ }

// meets counts the rules that an occasion exercises.
func (h *history) meets(o declared.Occasion) {
	for _, id := range declared.By(o) {
		h.exercised(id)
	}
}

// blameless returns the findings that needed no search. It omits what the provider did after its consumer broke a rule on the same objects, and what
// the monitor also reports. The search stops before the first finding that is left, because later events may follow from it. Findings of the monitor
// do not depend on tokens, so a breach at the other end of a connection does not excuse them.
func (h *history) blameless() []verdict.Finding {
	excused := map[string]moment{} // objects that share CQs
	for _, f := range h.findings {
		for _, c := range h.owners(f) {
			if f.stops {
				c.limit = min(c.limit, f.at)
			}
			if f.stops && f.Verdict == verdict.ConsumerViolation {
				c.excused = min(c.excused, f.at)
				c.excusePeers(f.at)
			}
		}
		for _, o := range h.sharers(f.objects) {
			if at, known := excused[o]; f.stops && f.Verdict == verdict.ConsumerViolation && (!known || f.at < at) {
				excused[o] = f.at
			}
		}
	}
	monitored := map[told]bool{}
	for _, f := range h.findings {
		for _, line := range f.See {
			monitored[told{f.Rule, f.Line, line}] = monitored[told{f.Rule, f.Line, line}] || f.Alone
		}
	}
	var kept []verdict.Finding
	for _, f := range h.findings {
		by := max(f.at, f.shown)
		after := slices.ContainsFunc(h.sharers(f.objects), func(o string) bool { at, known := excused[o]; return known && at < by })
		if f.of != nil {
			after = slices.ContainsFunc(h.owners(f), func(c *component) bool { return c.excused < by }) ||
				slices.ContainsFunc(f.qps, func(p *qp) bool { return p.component.excused < by })
		}
		said := !f.Alone && slices.ContainsFunc(f.See, func(line int) bool { return monitored[told{f.Rule, f.Line, line}] })
		if (f.Verdict != verdict.ProviderViolation || !after) && !said {
			kept = append(kept, f.Finding)
		}
	}
	return kept
}

// excusePeers ends the search of what is connected to a component: which messages there are rests on what its consumer did.
func (c *component) excusePeers(at moment) {
	for _, p := range c.qps {
		if p.peer != nil && p.peer.component != nil {
			p.peer.component.limit = min(p.peer.component.limit, at)
		}
	}
}

// sharers names the sets of objects which share CQs that a finding of the monitor is of.
func (h *history) sharers(objects []monitor.Object) []string {
	var of []string
	for _, o := range objects {
		switch o.Kind {
		case monitor.Cq:
			of = append(of, h.sharing.find("cq "+o.Name))
		case monitor.Qp:
			of = append(of, h.sharing.find("qp "+o.Name))
		}
	}
	return of
}

// owners returns the components whose objects a finding is of.
func (h *history) owners(f found) []*component {
	if f.of == nil {
		return h.componentsOf(f.objects)
	}
	var owners []*component
	if q := h.cqByName[f.of.begin.Cq]; q != nil {
		owners = append(owners, q.component)
	}
	if p := h.qpByName[f.of.begin.Qp]; p != nil {
		owners = append(owners, p.component)
	}
	return owners
}

// place is the position of an event. The end of a trace has a place as well.
type place struct {
	line int
	seq  uint64
}

func (h *history) eventAt(at moment) place {
	if at < len(h.trace.Events) {
		return place{h.trace.Events[at].Line, h.trace.Events[at].Seq}
	}
	if len(h.trace.Events) == 0 {
		return place{}
	}
	last := h.trace.Events[len(h.trace.Events)-1]
	return place{last.Line + 1, last.Seq + 1}
}
