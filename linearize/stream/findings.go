package stream

import (
	"cmp"
	"fmt"
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
)

// findingLog holds what was found.
type findingLog struct {
	findings []finding
	untold   int    // how many findings were not kept because there were too many
	muted    bool   // the latest finding was not kept
	turns    *int   // how many findings there are, of both hosts
	unfit    string // why nothing can be judged, or ""
}

// A finding knows its event and whose objects it is of.
type finding struct {
	verdict.Finding
	at        eventIndex
	aside     bool // nothing follows from it, as the monitor says
	turn      int  // of those of both hosts, where there are two
	of        *group
	searched  bool             // nothing explains it; other findings break a rule by themselves
	hidden    bool             // the clauses over hidden times say so
	ofContent bool             // it compares the content of a receive with that of a message
	rests     []restsOn        // it stands when these are known not to have overflowed
	guesses   []*request       // it stands when these requests are known to have succeeded
	missing   *monitor.Missing // a callback that was owed at a moment of rest, or nil
	missedBy  *cq              // the CQ that owed the callback
	unowed    *monitor.Missing // a callback that was entered and is not owed, or nil
	lost      *request         // what has not completed by a moment of rest, and no poll delivers
	passed    *request         // what a poll did not deliver before a later one of its queue
}

// tells reports a breach at a line, or 0 for the present one. see are lines that it refers to.
func (s *Stream) tells(g *group, b breach.Breach, line int, see ...int) {
	if s.report(g, verdict.ProviderViolation, b.Rule, line, see, "%s", b.Message); !s.muted {
		s.findings[len(s.findings)-1].Alone = b.Alone
	}
}

// report records a finding on the objects of a group, at the present event unless a line says otherwise. After a violation of the
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
	case v == verdict.ProviderViolation && (g.stopped || declared.IsAlone(rule) && slices.ContainsFunc(s.findings, again)):
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

// stops reports whether other findings may follow from it.
func (f *finding) stops() bool { return !f.aside && !declared.IsAlone(f.Rule) }

// silence ends the reports about a group. After the latest finding no state of the group is plausible: it is not known whether a CQ has failed.
func (l *findingLog) silence(g *group) {
	if !l.muted {
		g.root().stopped = true
	}
}

// also names rules that the latest finding breaks beside its own.
func (l *findingLog) also(rules ...string) {
	if !l.muted {
		l.findings[len(l.findings)-1].Also = rules
	}
}

// unexplained reports what nothing explains, unless something may have happened that explains anything.
func (s *Stream) unexplained(g *group, rule string, line int, see []int, format string, args ...any) {
	s.unless("", g, rule, line, see, format, args...)
}

// unless is unexplained where other, if not "", names something else that may have happened.
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

// restsOnGuesses records on which guesses the latest finding, of a group, rests.
func (s *Stream) restsOnGuesses(g *group) {
	if !s.muted {
		s.findings[len(s.findings)-1].guesses = s.guesses(g)
	}
}

// reopen withdraws the unexplained findings of a group after an event that may explain them, and the findings that may only follow from those. It reports
// whether it withdrew a finding that does not follow from another.
func (l *findingLog) reopen(g *group) bool { return l.reopenSince(g, 0) }

// reopenSince does that where what has come explains nothing that was found before an event.
func (l *findingLog) reopenSince(g *group, since eventIndex) bool {
	g = g.root()
	broken, taken := false, false // by what is left; what all others may follow from
	l.findings = slices.DeleteFunc(l.findings, func(f finding) bool {
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

// misses records that the latest finding is of a callback of a CQ that was owed at its moment of rest.
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

// nameLost lets a completion that is lost stand in place of what came before it of the same bug: that a poll delivered the next one behind the moment
// of rest by which it was due, or that no callback came for it.
func (l *findingLog) nameLost() {
	for i := 0; i < len(l.findings); i++ {
		lost := l.findings[i]
		if lost.lost == nil || lost.Verdict != verdict.ProviderViolation {
			continue
		}
		before := slices.IndexFunc(l.findings[:i], func(f finding) bool {
			uncalled := f.missedBy == lost.lost.wq.cq && f.Rule == breach.CallbackDue.Rule && f.Line == lost.Line
			return f.passed == lost.lost && lost.lost.owed < f.at || uncalled
		})
		if before < 0 {
			continue
		}
		lost.at, lost.turn = l.findings[before].at, l.findings[before].turn
		l.findings[before] = lost
		l.findings = slices.Delete(l.findings, i, i+1)
		i--
	}
}

// notes lets the latest finding name a request: what was lost, or what was passed.
func (l *findingLog) notes(lost, passed *request) {
	if !l.muted {
		f := &l.findings[len(l.findings)-1]
		f.lost, f.passed = lost, passed
	}
}

func (s *Stream) named(f *finding, n monitor.Named) {
	says(&f.Finding, n.Breach)
	f.Rests = n.Rests
	f.See = append(f.See, n.See...)
	slices.Sort(f.See)
	f.See = slices.DeleteFunc(slices.Compact(f.See), func(line int) bool { return line == f.Line })
	s.exercised(f.Rule)
}

func (s *Stream) line() int { return s.now.line }

// moveLatest moves the latest finding to where an event puts it. What breaks a rule by itself stands before what else is found there.
func (l *findingLog) moveLatest(e earlier) {
	last := len(l.findings) - 1
	f := l.findings[last]
	f.at, f.Line, f.Seq = e.at, e.line, e.seq
	before := slices.IndexFunc(l.findings[:last], func(o finding) bool {
		return o.at > e.at || o.at == e.at && f.Alone && !o.Alone && o.Line >= f.Line && o.Rule != f.Rule
	})
	if before < 0 {
		before = last
	}
	l.findings = slices.Insert(l.findings[:last], before, f)
}

// excuse withdraws the findings about the provider after an event, because they may follow from what the consumer did then.
func (l *findingLog) excuse(g *group, since eventIndex) {
	broken := false
	l.findings = slices.DeleteFunc(l.findings, func(f finding) bool {
		if f.of == nil || f.of.root() != g {
			return false
		}
		back := f.at > since && f.Verdict == verdict.ProviderViolation
		broken = broken || !back && f.stops()
		return back
	})
	if g.broken = broken; !broken {
		g.told, g.untold = 0, 0
	}
}

// MaxFollowing is how many findings are told of a group after the first.
const MaxFollowing = 100

// markFollowing says of each finding from which violation, of its group or of the QPs at the other end of a connection, it may
// follow.
func (s *Stream) markFollowing() {
	first := map[*group]int{} // finding of each group that others may follow from
	peers := map[*group][]*group{}
	for _, p := range s.qpsInOrder {
		if g := p.group.root(); p.peer != nil && p.peer.group.root() != g {
			peers[g] = append(peers[g], p.peer.group.root())
		}
	}
	for i := range s.findings {
		f := &s.findings[i]
		if f.of == nil {
			continue
		}
		g := f.of.root()
		origin, follows := first[g]
		for _, peer := range peers[g] {
			if at, broken := first[peer]; !follows && broken && s.findings[at].Verdict == verdict.ProviderViolation {
				origin, follows = at, true
			}
		}
		if follows && s.findings[origin].Verdict == verdict.Inconclusive && f.hidden {
			follows = false // the clauses go on from nothing that was assumed
		}
		switch elsewhere := s.elsewhere(g, f.turn); {
		case !follows && elsewhere != nil:
			f.Follows = elsewhere
			continue
		case follows:
			f.Follows = &verdict.Origin{Rule: s.findings[origin].Rule, Line: s.findings[origin].Line}
		case f.stops():
			origin = i
		default:
			continue
		}
		if _, known := first[g]; !known {
			first[g] = origin
			s.findings[origin].More += g.untold
		}
	}
}

// elsewhere returns a violation in the other host's trace from which what was found of a group in turn may follow, or nil.
func (s *Stream) elsewhere(g *group, turn int) *verdict.Origin {
	if s.other == nil {
		return nil
	}
	for i := range s.other.findings {
		f := &s.other.findings[i]
		if f.of == nil || f.turn > turn || f.Verdict != verdict.ProviderViolation || !f.stops() {
			continue
		}
		for _, p := range s.qpsInOrder {
			if p.isRemote() && p.group.root() == g && p.peer.remote.of.group.root() == f.of.root() {
				return &verdict.Origin{Rule: f.Rule, File: s.other.name, Line: f.Line}
			}
		}
	}
	return nil
}
