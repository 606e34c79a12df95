package search

import (
	"slices"

	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// checkBoundary adds what the monitor finds in the events.
func (h *history) checkBoundary() {
	for i := range h.trace.Events {
		h.addBoundary(h.monitor.Take(&h.trace.Events[i]), i)
	}
	h.addBoundary(h.monitor.Finish(h.trace.End), len(h.trace.Events))
	for id, n := range h.monitor.Counts() {
		h.counts[id] += n
	}
}

// addBoundary adds findings that the event at shown has shown.
func (h *history) addBoundary(findings []monitor.Finding, shown moment) {
	for i := range findings {
		f := &findings[i]
		if f.Rule != "" {
			h.exercised(f.Rule)
		}
		h.findings = append(h.findings, found{at: f.Index, shown: shown, stops: f.Follows, objects: slices.Clone(f.Objects),
			Finding: verdict.Finding{Verdict: f.Verdict, Rule: f.Rule, Also: f.Also, Line: f.Line, Seq: f.Seq, Message: f.Message, See: slices.Clone(f.See), Alone: true,
				Shown: int(shown) + 1}})
	}
}

// componentsOf returns the components of the objects of a finding. Objects other than CQs and QPs have none.
func (h *history) componentsOf(objects []monitor.Object) []*component {
	var of []*component
	add := func(c *component) {
		if c != nil && !slices.Contains(of, c) {
			of = append(of, c)
		}
	}
	for _, o := range objects {
		switch o.Kind {
		case monitor.Cq:
			if q := h.cqByName[o.Name]; q != nil {
				add(q.component)
			}
		case monitor.Qp:
			if p := h.qpByName[o.Name]; p != nil {
				add(p.component)
			}
		}
	}
	return of
}

// missing names the rule that a callback of a CQ breaks which was owed at the moment of rest on a line.
func (h *history) missing(cq string, line int) monitor.Named {
	return monitor.NameMissing(h.trace, h.monitor.Dialect(), cq, line)
}

// unowed names the rule that a callback of a CQ breaks which is entered on a line, and is not owed.
func (h *history) unowed(cq string, line int) monitor.Named {
	return monitor.NameUnowed(h.trace, h.monitor.Dialect(), cq, line)
}
