package tlcjudge

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// A boundary is what package monitor finds in the events of one trace: arguments, overlaps, lives of objects, and answers. TLC decides what
// rests on hidden steps. It explains a component up to the first breach there.
type boundary []boundaryFinding

// A boundaryFinding is a copy of a finding of the monitor, and how many events the monitor had read by then.
type boundaryFinding struct {
	monitor.Finding
	shown int
}

// boundaryOf runs the monitor over the events of a trace.
func boundaryOf(c Case) boundary {
	d, _ := c.Options.ResolveDialect(c.Trace.Header.Dialect) // tracecheck has reported an error of it
	calls.MarkNoEffect(c.Trace.Events)
	m := monitor.New(c.Trace.Header, d)
	var b boundary
	for i := range c.Trace.Events {
		b.add(m.Take(&c.Trace.Events[i]), i+1)
	}
	b.add(m.Finish(c.Trace.End), len(c.Trace.Events)+1)
	return b
}

// add copies findings, whose memory the monitor uses again.
func (b *boundary) add(findings []monitor.Finding, shown int) {
	for _, f := range findings {
		f.See, f.Objects = slices.Clone(f.See), slices.Clone(f.Objects)
		*b = append(*b, boundaryFinding{f, shown})
	}
}

// stop returns the first event of a component that is not explained, from 1: what comes from there on may follow from a finding.
func (b boundary) stop(c *component) int {
	return b.first(c, func(f *boundaryFinding) bool { return f.Follows })
}

// excused returns the first event of a component from which on the consumer excuses what the provider does.
func (b boundary) excused(c *component) int {
	return b.first(c, func(f *boundaryFinding) bool { return f.Follows && f.Verdict == verdict.ConsumerViolation })
}

// first returns the number of the first event of a component at or behind a finding, or one more than there are.
func (b boundary) first(c *component, counts func(*boundaryFinding) bool) int {
	first := len(c.events) + 1
	for i := range b {
		if f := &b[i]; counts(f) && f.isOf(c) {
			at, _ := slices.BinarySearchFunc(c.events, f.Index, func(e event, index int) int { return e.at - index })
			first = min(first, at+1)
		}
	}
	return first
}

// isOf reports whether a finding is of an object of the component.
func (f *boundaryFinding) isOf(c *component) bool {
	return slices.ContainsFunc(f.Objects, func(o monitor.Object) bool {
		switch o.Kind {
		case monitor.Cq:
			return slices.ContainsFunc(c.cqs, func(q *cq) bool { return q.name == o.Name })
		case monitor.Qp:
			return slices.ContainsFunc(c.qps, func(p *qp) bool { return p.name == o.Name })
		}
		return false
	})
}

// report adds the findings to a report, without those of the provider that the consumer excuses.
func (b boundary) report(r *verdict.Report, questions []*question) {
	for i := range b {
		f := &b[i]
		excuses := func(q *question) bool { return f.isOf(q.component) && q.isExcused(f) }
		if f.Verdict == verdict.ProviderViolation && slices.ContainsFunc(questions, excuses) {
			continue
		}
		r.Findings = append(r.Findings, verdict.Finding{Verdict: f.Verdict, Rule: f.Rule, Also: f.Also, Line: f.Line, Seq: f.Seq,
			Message: f.Message, See: f.See, Alone: true, Shown: f.shown})
	}
}

// isExcused reports whether a finding was shown by an event behind the consumer's breach.
func (q *question) isExcused(f *boundaryFinding) bool {
	return q.excused <= len(q.events) && q.events[q.excused-1].at < max(f.Index, f.shown-1)
}
