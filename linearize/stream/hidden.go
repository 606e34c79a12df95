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

// hidden asks the clauses over hidden times (package clauses) beside the deductions of this package. Where those find nothing of an object, its
// findings count.
type hidden struct {
	facts  *facts.Reader
	engine *clauses.Engine
	read   int // of the engine's findings
	found  []contradiction
	heard  int // how many findings the stream had before them
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
			told.Shown = s.doubts.Read()
			h.found = append(h.found, contradiction{finding{Finding: told, at: s.at, turn: *s.turns, of: p.group, searched: true}, f.Conflict})
		}
	}
	h.read = n
}

// Alone leaves the clauses unasked, for tests that hold them and the deductions against each other.
func (s *Stream) Alone() { s.hidden = nil }

// contradictions returns what the clauses have found so far.
func (s *Stream) contradictions() []contradiction {
	if s.hidden == nil {
		return nil
	}
	return s.hidden.found
}

// isExcused reports whether the consumer broke a rule of the objects of p, or of its peer, before.
func (p *qp) isExcused() bool {
	excused := func(p *qp) bool {
		g := p.group.root()
		return g.stopped || g.excusedFrom != 0
	}
	return excused(p) || p.peer != nil && excused(p.peer)
}

// hear adds the findings of the clauses that still stand. Of objects with a violation already it adds none.
func (s *Stream) hear() {
	found := map[*group]bool{}
	s.hidden.heard = len(s.findings)
	for i := range s.findings {
		if f := &s.findings[i]; f.of != nil && f.Verdict != verdict.Inconclusive && f.stops() {
			found[f.of.root()] = true
		}
	}
	for _, c := range s.hidden.found {
		g := c.of.root()
		stands := slices.ContainsFunc(s.hidden.engine.Findings, func(f clauses.Finding) bool { return f.Conflict == c.conflict })
		if !stands || found[g] || g.excusedFrom != 0 && g.excusedFrom <= c.at {
			continue
		}
		g.broken, found[g] = true, true
		s.findings = append(s.findings, c.finding)
		s.exercised(c.Rule)
	}
}
