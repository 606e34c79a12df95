package search

import (
	"slices"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/explain"
	"ndkoracle/linearize/verdict"
)

// hear queries the clauses over hidden times (package clauses) for a component in which the search found nothing before a moment. It reports their first
// finding before that moment, and whether there is one.
func (j *judge) hear(c *component, before moment) bool {
	f := j.heard(c, before)
	if f != nil {
		j.say(f)
	}
	return f != nil
}

// say reports a finding of the clauses.
func (j *judge) say(f *clauses.Finding) {
	at := j.history.eventAt(f.Seen.At - 1)
	j.report.Findings = append(j.report.Findings, explain.Finding(f, at.line, at.seq))
	j.counts[f.ID]++
}

// heard returns what hear reports, or nil.
func (j *judge) heard(c *component, before moment) *clauses.Finding {
	if j.hidden == nil {
		return nil
	}
	for i := range j.hidden.Findings {
		f := &j.hidden.Findings[i]
		p := j.history.qpByName[f.Qp]
		if p == nil || p.component != c || !c.holds(f) || p.peer != nil && !p.peer.component.holds(f) || f.Seen.At-1 >= before {
			continue
		}
		line := j.history.eventAt(f.Seen.At - 1).line
		same := func(o verdict.Finding) bool { return o.Rule == f.ID && o.Line == line }
		if !slices.ContainsFunc(j.report.Findings, same) {
			return f
		}
	}
	return nil
}

// holds reports whether nothing was found of a component by then without a search.
func (c *component) holds(f *clauses.Finding) bool { return f.Seen.At-1 < min(c.limit, c.excused) }
