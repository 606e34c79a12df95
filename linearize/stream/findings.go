package stream

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// A finding knows its moment and whose objects it is of.
type finding struct {
	verdict.Finding
	at       moment
	aside    bool // nothing follows from it, as the monitor says
	turn     int  // of those of both hosts, where there are two
	of       *group
	searched bool             // nothing explains it; other findings break a rule by themselves
	hidden   bool             // the clauses over hidden times say so
	rests    []restsOn        // it stands when these are known not to have overflowed
	guesses  []*posting       // … and these to have succeeded
	missing  *monitor.Missing // a callback that was owed at a moment of rest, or nil
	missedBy *cq              // … the CQ that owed it
	unowed   *monitor.Missing // a callback that was entered and is not owed, or nil
	lost     *posting         // what has not completed by a moment of rest, and no poll delivers
	passed   *posting         // what a poll did not deliver before a later one of its queue
}

// A group is of objects that share something. What is found on one of them ends what can be said of all.
type group struct {
	joined  *group
	broken  bool // a violation was found, from which what comes after it may follow
	told    int  // findings that may
	untold  int  // … that were left out
	stopped bool // nothing more is said of the provider

	excusedFrom moment // where the consumer broke a rule first, or 0

	unclear string   // why nothing more can be said of it, or ""
	doubt   string   // what may explain whatever has no other explanation, or ""
	objects int      // of it that are not retired
	endedIn *retired // where it is counted, if there are none
	place   int      // in the order of groups: that of its first CQ, or without one of its first QP

	crowded   []*cq // that may have overflowed at some time
	overflown *cq   // one that has, at moments that are followed: that may explain what is not seen of it alone
	without   *cq   // what is found just now no overflow of it explains
}

// newGroup returns the group of one object.
func newGroup(place int) *group { return &group{objects: 1, place: place} }

// root returns the group that g has become part of. The way there gets shorter each time.
func (g *group) root() *group {
	for g.joined != nil {
		if g.joined.joined != nil {
			g.joined = g.joined.joined
		}
		g = g.joined
	}
	return g
}

// onlyQps is what the place of a group without a CQ is behind: those come last.
const onlyQps = 1 << 48

// leaveOpen notes why nothing more can be said of a group. The first reason stays.
func (g *group) leaveOpen(reason string) {
	g = g.root()
	g.unclear = cmp.Or(g.unclear, reason)
}

// join makes two groups one.
func join(a, b *group) {
	a, b = a.root(), b.root()
	if a == b {
		return
	}
	ended := cmp.Or(a.endedIn, b.endedIn)
	for _, g := range []*group{a, b} {
		if g.endedIn != nil {
			ended.goesOn(g)
		}
	}
	a.broken, a.stopped = a.broken || b.broken, a.stopped || b.stopped
	if a.excusedFrom == 0 || b.excusedFrom != 0 && b.excusedFrom < a.excusedFrom {
		a.excusedFrom = b.excusedFrom
	}
	a.told, a.untold = a.told+b.told, a.untold+b.untold
	a.unclear = cmp.Or(a.unclear, b.unclear)
	a.doubt = cmp.Or(a.doubt, b.doubt)
	a.objects, a.place = a.objects+b.objects, min(a.place, b.place)
	a.crowded = append(a.crowded, b.crowded...)
	if a.overflown != nil && b.overflown != nil {
		a.doubt = cmp.Or(a.doubt, b.overflown.failure())
	}
	a.overflown = cmp.Or(a.overflown, b.overflown)
	b.crowded = nil
	if b.joined = a; a.objects == 0 && ended != nil {
		ended.ended(a)
	}
}

// tells reports a breach at a line, or 0 for the present one. see are lines that it refers to.
func (s *Stream) tells(g *group, b breach.Breach, line int, see ...int) {
	s.report(g, verdict.ProviderViolation, b.Rule, line, see, "%s", b.Message)
}

// report notes a finding on the objects of a group, at the present event unless a line says otherwise. After a violation of the
// provider's the caller goes on from what is most plausible. One of the consumer's explains whatever the provider does then.
func (s *Stream) report(g *group, v verdict.Verdict, rule string, line int, see []int, format string, args ...any) {
	if g == nil {
		g = &group{} // of no object that is followed
	}
	g = g.root()
	again := func(f finding) bool { return f.of != nil && f.of.root() == g && f.Rule == rule }
	s.muted = true
	switch {
	case len(s.findings) >= maxFindings:
		s.untold++
		return
	case g.stopped && v == verdict.ProviderViolation, slices.Contains(harmless[1:], rule) && slices.ContainsFunc(s.findings, again):
		return
	case g.broken && g.told >= MaxFollowing:
		g.untold++
		return
	case g.broken:
		g.told++
	}
	s.muted = false
	f := finding{Finding: verdict.Finding{Verdict: v, Rule: rule, Line: s.line(), Message: fmt.Sprintf(format, args...)},
		at: s.at, turn: *s.turns, of: g}
	*s.turns++
	f.Seq = s.now.seq
	if line != 0 {
		f.Line = line
	}
	for _, l := range see {
		if l != f.Line && l != 0 && !slices.Contains(f.See, l) {
			f.See = append(f.See, l)
		}
	}
	slices.Sort(f.See)
	f.Shown = s.doubts.Read()
	s.findings = append(s.findings, f)
	s.exercised(rule)
	g.broken = g.broken || f.stops()
	g.stopped = g.stopped || f.stops() && v == verdict.ConsumerViolation
}

// maxFindings is how many findings of a trace are told: what is found beyond them is counted.
const maxFindings = 10_000

// harmless lists rules whose breach says what a completion, or an answer, should have said, and leaves the state of everything
// else as it is known: what comes after it is judged. Of each, a group is told once.
var harmless = []string{"DEF-06", "RES-01", "RES-02", "RES-03", "RES-05", "RES-12", "RES-13", "ASY-01", "ASY-02"}

// Harmless returns the ids of the rules from whose breach nothing else follows.
func Harmless() []string { return slices.Clone(harmless) }

// stops reports whether other findings may follow from it.
func (f *finding) stops() bool { return !f.aside && !slices.Contains(harmless, f.Rule) }

// silence ends what is said of a group, as after the latest finding no state of it is plausible: whether a CQ has failed nobody
// knows.
func (s *Stream) silence(g *group) {
	if !s.muted {
		g.root().stopped = true
	}
}

// also names rules that the latest finding breaks beside its own.
func (s *Stream) also(rules ...string) {
	if !s.muted {
		s.findings[len(s.findings)-1].Also = rules
	}
}

// unexplained reports what nothing explains, unless something may have happened that explains anything.
func (s *Stream) unexplained(g *group, rule string, line int, see []int, format string, args ...any) {
	s.unless("", g, rule, line, see, format, args...)
}

// unless does that where something else may have happened, too, or "".
func (s *Stream) unless(other string, g *group, rule string, line int, see []int, format string, args ...any) {
	g = g.root()
	if g.overflown != nil && g.overflown != g.without {
		other = cmp.Or(other, g.overflown.failure())
	}
	if g.unclear = cmp.Or(g.unclear, g.doubt, other); g.unclear != "" {
		s.muted = true
		return
	}
	s.report(g, verdict.ProviderViolation, rule, line, see, format, args...)
	if !s.muted {
		f := &s.findings[len(s.findings)-1]
		f.searched, f.rests = true, g.mayHaveOverflown()
		s.restsOnGuesses(g)
	}
}

// restsOnGuesses notes on which guesses the latest finding, of a group, rests.
func (s *Stream) restsOnGuesses(g *group) {
	if !s.muted {
		s.findings[len(s.findings)-1].guesses = s.guesses(g)
	}
}

// reopen takes back what was not explained of a group, as something has come that may explain it, and what may only follow from
// that. It reports whether there was such a thing that follows from nothing.
func (s *Stream) reopen(g *group) bool { return s.reopenSince(g, 0) }

// reopenSince does that where what has come explains nothing that was found before a moment.
func (s *Stream) reopenSince(g *group, since moment) bool {
	g = g.root()
	broken, taken := false, false // by what is left; what all others may follow from
	s.findings = slices.DeleteFunc(s.findings, func(f finding) bool {
		if f.of == nil || f.of.root() != g {
			return false
		}
		back := f.searched && f.at > since || taken
		taken = taken || back && !broken
		broken = broken || !back && f.stops()
		return back
	})
	if g.broken = broken; taken {
		g.told, g.untold = 0, 0
		g.stopped = false
	}
	return taken
}

// misses notes that the latest finding is of a callback of a CQ that was owed at its moment of rest.
func (s *Stream) misses(q *cq) {
	if !s.muted {
		f := &s.findings[len(s.findings)-1]
		f.missing, f.missedBy = s.monitor.Missing(q.name, f.Line), q
	}
}

// nameCallbacks names the rules that callbacks break which are missing, or not owed, once the whole trace is known.
func (s *Stream) nameCallbacks() {
	for i := range s.findings {
		switch f := &s.findings[i]; {
		case f.Verdict != verdict.ProviderViolation: // it is undecided, and says why
		case f.missing != nil:
			s.named(f, f.missing.Name())
		case f.unowed != nil:
			s.named(f, f.unowed.NameUnowed())
		}
	}
}

// nameLost lets a completion that is lost stand in place of what came before it of the same bug: that a poll delivered the next one, or that no
// callback came for it.
func (s *Stream) nameLost() {
	for i := 0; i < len(s.findings); i++ {
		lost := s.findings[i]
		if lost.lost == nil || lost.Verdict != verdict.ProviderViolation {
			continue
		}
		before := slices.IndexFunc(s.findings[:i], func(f finding) bool {
			uncalled := f.missedBy == lost.lost.lane.cq && f.Rule == "ARM-03" && f.Line == lost.Line
			return f.passed == lost.lost || uncalled
		})
		if before < 0 {
			continue
		}
		lost.at, lost.turn = s.findings[before].at, s.findings[before].turn
		s.findings[before] = lost
		s.findings = slices.Delete(s.findings, i, i+1)
		i--
	}
}

// notes lets the latest finding name a request: what was lost, or what was passed.
func (s *Stream) notes(lost, passed *posting) {
	if !s.muted {
		f := &s.findings[len(s.findings)-1]
		f.lost, f.passed = lost, passed
	}
}

func (s *Stream) named(f *finding, n monitor.Named) {
	f.Rule, f.Also, f.Message = n.Rule, n.Also, n.Message
	f.See = append(f.See, n.See...)
	slices.Sort(f.See)
	f.See = slices.DeleteFunc(slices.Compact(f.See), func(line int) bool { return line == f.Line })
	s.exercised(f.Rule)
}

func (s *Stream) line() int { return s.now.line }
