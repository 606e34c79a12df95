package search

import (
	"slices"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/explain"
	"ndkoracle/linearize/verdict"
)

// hear asks the clauses over hidden times (package clauses) about a component in which the search found nothing, and reports their first finding.
func (j *judge) hear(c *component) {
	if j.hidden == nil {
		return
	}
	for i := range j.hidden.Findings {
		f := &j.hidden.Findings[i]
		p := j.history.qpByName[f.Qp]
		if p == nil || p.component != c || !c.holds(f) || p.peer != nil && !p.peer.component.holds(f) {
			continue
		}
		at := j.history.eventAt(f.Seen.At - 1)
		same := func(o verdict.Finding) bool { return o.Rule == f.ID && o.Line == at.line }
		if slices.ContainsFunc(j.report.Findings, same) {
			continue
		}
		j.report.Findings = append(j.report.Findings, explain.Finding(f, at.line, at.seq))
		j.counts[f.ID]++
		return
	}
}

// holds reports whether nothing was found of a component by then without a search.
func (c *component) holds(f *clauses.Finding) bool { return f.Seen.At-1 < min(c.limit, c.excused) }
