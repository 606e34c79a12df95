package stream

import (
	"slices"

	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// reportBoundary reports what the monitor found in the present event, of some verdicts. A breach of the consumer's that is placed
// earlier excuses what the provider has done since then.
func (s *Stream) reportBoundary(found []monitor.Finding, verdicts ...verdict.Verdict) {
	for i := range found {
		f := &found[i]
		if !slices.Contains(verdicts, f.Verdict) {
			continue
		}
		e := earlier{what: f.Rule, at: f.Index + 1, place: place{f.Line, f.Seq}}
		if f.Verdict == verdict.Inconclusive && !f.Follows {
			s.findings = append(s.findings, finding{at: e.at, Finding: verdict.Finding{Verdict: f.Verdict, Rule: f.Rule, Line: f.Line, Seq: f.Seq,
				Message: f.Message, See: slices.Clone(f.See)}})
			continue
		}
		of := s.groupsOf(f.Objects)
		for _, g := range of {
			switch {
			case f.Verdict == verdict.Inconclusive:
				g.leaveOpen(f.Message)
			case f.Verdict == verdict.ConsumerViolation && f.Follows && e.at < s.at:
				s.excuse(g, e.at)
			}
		}
		if f.Verdict == verdict.Inconclusive {
			continue
		}
		first := of[0].root()
		broken, stopped := first.broken, first.stopped
		s.report(first, f.Verdict, f.Rule, f.Line, f.See, "%s", f.Message)
		if s.muted {
			continue
		}
		s.findings[len(s.findings)-1].Alone = true
		if !f.Follows {
			s.findings[len(s.findings)-1].aside = true
			first.broken, first.stopped = broken, stopped
		}
		s.also(f.Also...)
		if i := slices.IndexFunc(f.Objects, isQp); f.Instead != "" && i >= 0 {
			s.qp(f.Objects[i].Name).allows("%s", f.Instead)
		}
		s.moveLatest(e)
		for _, g := range of {
			if f.Follows {
				g.root().isBroken(f.Verdict == verdict.ConsumerViolation, e.at)
			}
		}
	}
}

// isBroken records that what comes after an event, of the group, may follow from a violation, the consumer's or the provider's.
func (g *group) isBroken(excused bool, at eventIndex) {
	g.broken = true
	if excused {
		g.stopped = true
		if g.excusedFrom == 0 || at < g.excusedFrom {
			g.excusedFrom = at
		}
	}
}

// groupsOf returns the groups of the objects of a finding, each once. There is always one: of other objects than CQs and QPs it is one that
// nothing else belongs to.
func (s *Stream) groupsOf(objects []monitor.Object) []*group {
	var of []*group
	for _, o := range objects {
		var g *group
		switch o.Kind {
		case monitor.Cq:
			g = s.cq(o.Name).group.root()
		case monitor.Qp:
			g = s.qp(o.Name).group.root()
		}
		if g != nil && !slices.Contains(of, g) {
			of = append(of, g)
		}
	}
	if len(of) == 0 {
		of = append(of, &group{})
	}
	return of
}

// countBoundary counts the rules that the monitor checked, and tells what advice was not followed.
func (s *Stream) countBoundary(r *verdict.Report) {
	r.Warnings = append(r.Warnings, s.monitor.Advice()...)
	for id, n := range s.monitor.Counts() {
		s.counts[id] += n
	}
}

func isQp(o monitor.Object) bool { return o.Kind == monitor.Qp }
