package search

import (
	"slices"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/explain"
	"ndkoracle/linearize/verdict"
)

// hear asks the clauses over hidden times (package clauses) about a component in which the search found nothing before a moment, and reports their
// first finding before that. It reports whether there is one.
func (j *judge) hear(c *component, before moment) bool {
	if j.hidden == nil {
		return false
	}
	for i := range j.hidden.Findings {
		f := &j.hidden.Findings[i]
		p := j.history.qpByName[f.Qp]
		if p == nil || p.component != c || !c.holds(f) || p.peer != nil && !p.peer.component.holds(f) {
			continue
		}
		if f.Seen.At-1 >= before {
			continue
		}
		at := j.history.eventAt(f.Seen.At - 1)
		same := func(o verdict.Finding) bool { return o.Rule == f.ID && o.Line == at.line }
		if slices.ContainsFunc(j.report.Findings, same) {
			continue
		}
		j.report.Findings = append(j.report.Findings, explain.Finding(f, at.line, at.seq))
		j.counts[f.ID]++
		return true
	}
	return false
}

// holds reports whether nothing was found of a component by then without a search.
func (c *component) holds(f *clauses.Finding) bool { return f.Seen.At-1 < min(c.limit, c.excused) }
