package stream

import (
	"slices"

	"ndkoracle/linearize/clauses"
	"ndkoracle/linearize/explain"
	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// hidden asks the clauses over hidden times (package clauses): what contradicts them of queue pairs, and from when on a completion can have been
// placed. What this package deduces itself comes first where it is found first.
type hidden struct {
	facts  *facts.Reader
	engine *clauses.Engine
	read   int // of the engine's findings
	kept   int // callbacks that were due and not entered, of all CQs
	found  []contradiction
}

// A contradiction is a finding of the clauses. What comes later may take it back.
type contradiction struct {
	finding
	conflict *timeline.Conflict
}

func newHidden(d model.Dialect) *hidden {
	h := &hidden{engine: clauses.New(d)}
	h.facts = facts.NewReader(h.engine)
	return h
}

// ask reads the next event, and notes what the clauses find by it.
func (s *Stream) ask(e *trace.Event) {
	s.hidden.facts.Read(e)
	s.note()
}

// bounds says when each result of the poll was placed that has just returned.
func (s *Stream) bounds() []clauses.Bounds {
	return s.hidden.engine.Bounds
}

// hadCompleted reports whether r, which is outstanding, is known to have completed by a moment of rest, or to have had to.
func (r *request) hadCompleted(rested eventIndex) bool {
	p := r.wq.qp
	return p.s.hidden.engine.Owed(p.name, r.wr, rested)
}

// askAtEnd does that at the end of the trace.
func (s *Stream) askAtEnd(quiescent bool) {
	s.hidden.facts.Finish(quiescent)
	s.hidden.engine.Finish()
	s.note()
}

func (s *Stream) note() {
	h := s.hidden
	n := len(h.engine.Findings)
	for i := h.read; i < n; i++ {
		f := &h.engine.Findings[i]
		if p := s.qps[f.Qp]; p != nil && !p.isExcused() {
			told := explain.Finding(f, s.now.line, s.now.seq)
			told.Shown, told.Before = s.doubts.Read(), []string{p.describe()}
			h.found = append(h.found, contradiction{finding{Finding: told, at: s.at, turn: *s.turns, of: p.group, searched: true, hidden: true}, f.Conflict})
		}
	}
	h.read = n
}

// isExcused reports whether the consumer broke a rule of the objects of p, or of its peer, before.
func (p *qp) isExcused() bool {
	excused := func(p *qp) bool {
		g := p.group.root()
		return g.stopped || g.excusedFrom != 0
	}
	return excused(p) || p.peer != nil && excused(p.peer)
}

// hear adds the findings of the clauses that still stand, each at its place among those of the stream. Where a violation of the same objects came
// before, it adds none.
func (s *Stream) hear() {
	broken, told := map[*group]eventIndex{}, map[eventIndex]bool{} // when first; and of which events the stream found something
	for i := range s.findings {
		f := &s.findings[i]
		if f.of == nil || f.Verdict == verdict.Inconclusive {
			continue
		}
		told[f.at] = told[f.at] || f.stops()
		if at, known := broken[f.of.root()]; f.stops() && (!known || f.at < at) {
			broken[f.of.root()] = f.at
		}
	}
	for _, c := range s.hidden.found {
		g := c.of.root()
		stands := slices.ContainsFunc(s.hidden.engine.Findings, func(f clauses.Finding) bool { return f.Conflict == c.conflict })
		at, isBroken := broken[g]
		if !stands || told[c.at] || isBroken && at <= c.at || g.excusedFrom != 0 && g.excusedFrom <= c.at {
			continue
		}
		g.broken, broken[g] = true, c.at
		place := slices.IndexFunc(s.findings, func(f finding) bool { return f.at > c.at })
		if place < 0 {
			place = len(s.findings)
		}
		s.findings = slices.Insert(s.findings, place, c.finding)
		s.exercised(c.Rule)
	}
}
