// Package monitor checks the rules that the boundary events of a trace decide alone: which arguments a call has, which objects
// live, which calls overlap, and who answers whom. Both engines use it, so each of these rules is written once.
//
// A Monitor reads the events one after the other. It keeps the objects that live, the calls that are under way, and a bounded
// number of those that are over.
package monitor

import (
	"cmp"
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Place is the position of an event in a trace. The end of a trace has a place as well.
type Place struct {
	Index int // how many events come before it
	Line  int
	Seq   uint64
}

// A Finding is a breach of a rule, or a question that the trace leaves undecided.
type Finding struct {
	Verdict verdict.Verdict
	Rule    string   // "" where an undecided question is of no rule in particular
	Also    []string // ids of rules that are broken beside it
	Place            // may come before the event that shows it
	See     []int    // lines of earlier events that matter
	Message string
	Instead string   // what the contract would have allowed, or ""
	Objects []Object // that it is of
	Follows bool     // what comes after it, of these objects, may follow from it
}

// checks are the rules of one group. A group handles every event of a trace, in order.
type checks interface {
	begin(c *Call, e *trace.Event) // a call, or the entry of a callback
	end(c *Call, e *trace.Event)   // its return, or its exit
	done(c *Call, succeeded bool)  // a call has done what it was to do, or has failed: it returned, or its completion callback is entered; not of the frequent calls
	point(e *trace.Event)          // knowledge that belongs to no call
	rest()                         // a moment at which the provider has come to rest, after the point that says so
	finish()                       // the end of the trace, after the rest that it ends with, if it does
}

// nothing checks nothing. A group embeds it for the events that do not matter to its rules.
type nothing struct{}

func (nothing) begin(*Call, *trace.Event) {}
func (nothing) end(*Call, *trace.Event)   {}
func (nothing) done(*Call, bool)          {}
func (nothing) point(*trace.Event)        {}
func (nothing) rest()                     {}
func (nothing) finish()                   {}

// seldom is nothing for a group whose begin and end look at no frequent call and at no callback of a CQ. They are not called with these.
type seldom struct{ nothing }

func (seldom) isSeldom() {}

// groups lists the groups of rules whose order matters: what one keeps another reads, or a breach of the consumer excuses what the provider does. All others
// follow (see group).
var groups = []func(*Monitor) checks{
	newArguments,
	newLifetime,
	newCloses,
	newOverlaps,
	newAnswers,
	newHung,
	newDisconnects,
	newRegistrations,
	newChannels,
	newAcks,
	newRequests,
	newFlags,
	newLimits,
	newResults,
	newLengths,
	newChains,
	newShared,
	newDelays, // before the callback begins a new period
	newArmings,
	newEnds, // of what the requests follow
	newBroken,
	newUncaused,
	newGoesOn,
	newBadTokens,
}

// A Monitor checks one trace.
type Monitor struct {
	header   trace.Header
	dialect  model.Dialect
	now      Place // of the present event, or of the end
	ended    *trace.End
	open     openCalls
	threads  threads
	objects  objects
	bindings bindings
	pending  map[string]*Call // that returned STATUS_PENDING and have not completed, by op
	groups   []checks
	often    []checks // the groups that handle frequent calls
	counts   map[string]*int
	found    []Finding // by the present event
	advice   map[string]*advised

	armings  *armings
	requests *requests
	ends     *ends   // or nil
	goesOn   *goesOn // or nil
	delays   *delays
	t        int64 // of the present event, by the clock of the trace
}

// New returns a Monitor for a trace with this header, which a dialect judges.
func New(h trace.Header, d model.Dialect) *Monitor {
	m := &Monitor{header: h, dialect: d, now: Place{Index: -1}, threads: threads{},
		objects: newObjects(), pending: map[string]*Call{}, counts: map[string]*int{}, advice: map[string]*advised{}}
	for _, group := range slices.Concat(groups, others) {
		g := group(m)
		m.groups = append(m.groups, g)
		if rule, is := g.(requestRule); is {
			m.requests.rules = append(m.requests.rules, rule)
		}
		if _, is := g.(interface{ isSeldom() }); !is && g != checks(nothing{}) {
			m.often = append(m.often, g)
		}
	}
	return m
}

// groupsOf returns the groups that look at calls of a kind.
func (m *Monitor) groupsOf(k calls.Kind) []checks {
	if frequent(k) || k == calls.Callback {
		return m.often
	}
	return m.groups
}

// Take checks the next event, and returns what it shows. The findings are valid until the next call. A Monitor keeps nothing of
// e but its strings.
func (m *Monitor) Take(e *trace.Event) []Finding {
	m.found = m.found[:0]
	m.now, m.t = Place{m.now.Index + 1, e.Line, e.Seq}, e.T
	switch e.Ph {
	case trace.Call, trace.Enter:
		c := m.open.begin(e.Op)
		c.Function, c.Fn, c.Thr, c.Begun, c.Entered = calls.FunctionOf(e), e.Fn, e.Thr, m.now, e.Ph == trace.Enter
		c.Cq, c.Qp, c.Wr, c.noRoom = e.Cq, e.Qp, e.Wr, e.N != nil && *e.N == 0
		c.within = m.threads.begin(c)
		m.objects.resolve(c, e)
		if e.For != "" {
			c.completes = cmp.Or(m.open.Find(e.For), m.pending[e.For])
		}
		for _, g := range m.groupsOf(c.Kind) {
			g.begin(c, e)
		}
		m.begun(c, e)
	case trace.Ret, trace.Exit:
		m.bindings.completed(e.Results)
		c := m.open.End(e.Op)
		if c == nil {
			break
		}
		for _, g := range m.groupsOf(c.Kind) {
			g.end(c, e)
		}
		m.returned(c, e)
		m.open.reuse(c)
	case trace.Point:
		for _, g := range m.groups {
			g.point(e)
		}
		if calls.KindOf(e) == calls.Quiesce {
			m.rest()
		}
	}
	return m.found
}

// Finish checks the end of the trace, which has no end record where end is nil, and returns what it shows.
func (m *Monitor) Finish(end *trace.End) []Finding {
	m.found = m.found[:0]
	m.now.Index++
	if m.now.Index > 0 {
		m.now.Line, m.now.Seq = m.now.Line+1, m.now.Seq+1
	}
	if m.ended = end; end != nil && end.Quiescent {
		m.rest()
	}
	for _, g := range m.groups {
		g.finish()
	}
	return m.found
}

// IsFar records that the peer of a queue pair is in the trace of another host. This monitor does not see what the peer does.
func (m *Monitor) IsFar(qp string) {
	if m.goesOn != nil {
		m.goesOn.far[qp] = true
	}
}

func (m *Monitor) rest() {
	for _, g := range m.groups {
		g.rest()
	}
}

// atRest reports whether the trace has ended with the provider at rest.
func (m *Monitor) atRest() bool { return m.ended != nil && m.ended.Quiescent }

// Dialect returns the dialect that judges the trace.
func (m *Monitor) Dialect() model.Dialect { return m.dialect }

// Counts returns how often the trace exercised each rule.
func (m *Monitor) Counts() map[string]int {
	counts := map[string]int{}
	for id, n := range m.counts {
		if *n > 0 {
			counts[id] = *n
		}
	}
	return counts
}

// counter returns the counter of a rule. A group asks for it once, and adds one for each occasion on which its rule had
// something to say.
func (m *Monitor) counter(rule string) *int {
	if m.counts[rule] == nil {
		m.counts[rule] = new(int)
	}
	return m.counts[rule]
}

// report records a finding. One without a place is at the present event. The engine counts its rule as exercised. What the provider does
// with an object on which the consumer broke a rule is not reported.
func (m *Monitor) report(f Finding) {
	if f.Place == (Place{}) {
		f.Place = m.now
	}
	for _, name := range f.Objects {
		o := m.objects.byName[name.Kind].get(name.Name)
		switch {
		case o == nil:
		case f.Verdict == verdict.ConsumerViolation:
			o.excused = o.excused || f.Follows
		case o.excused && f.Verdict == verdict.ProviderViolation:
			return
		}
	}
	slices.Sort(f.See)
	f.See = slices.DeleteFunc(slices.Compact(f.See), func(line int) bool { return line == 0 || line == f.Line })
	m.found = append(m.found, f)
}
