package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Finding is a violation of the provider's: no schedule keeps the clauses.
type Finding struct {
	ID   string // of the rule
	Qp   string
	Seen facts.Moment // when that became known
	*timeline.Conflict
	Rest   int                // the line of the moment of rest by which something had to be over that is not, or 0
	unless []*completionQueue // an internal error of one, which it may tell later, explains it
}

// An Engine is a sink of facts, and states clauses of them.
type Engine struct {
	Findings  []Finding
	Undecided map[string]int // why something is undecided, and how often
	Bounds    []Bounds       // of each result of the latest poll to return
	Solver    *timeline.Solver

	dialect model.Dialect
	cqs     map[string]*completionQueue
	qps     map[string]*queuePair
	conns   map[string][]*queuePair
	ledger
	sharedQueues
	settled   over
	now       facts.Moment
	rests     int
	crossed   []crossing
	quiet     bool           // nothing that a bound may come from happened since the latest moment of rest
	open      bool           // everything is undecided
	untracked bool           // requests were posted that are not followed
	alts      []timeline.Alt // the memory of the next alternatives
	tokenTable
}

// A ledger has the requests.
type ledger struct {
	requests  map[string]*request  // by wr
	kept      map[string]*recalled // every request, where nothing is forgotten
	posted    int                  // how many were
	delivered []*request           // by the latest poll to return
	unmarked  []trace.Result       // of the poll that returns, as long as none of its requests is marked as told by it
	block     []request            // the memory of the next ones
	single    [1]*request
}

// Bounds says when a completion was placed that a poll delivered: behind an event, and before another, a moment of rest. Either is 0 where nothing is
// known.
type Bounds struct {
	Earliest, Latest int
	of               *request
}

// New returns an engine for a dialect. Where a reading changes what the clauses say, it leaves everything undecided.
func New(d model.Dialect) *Engine {
	e := &Engine{Solver: timeline.NewSolver(), dialect: d, cqs: map[string]*completionQueue{}, qps: map[string]*queuePair{},
		conns: map[string][]*queuePair{}, ledger: ledger{requests: map[string]*request{}}, tokenTable: tokenTable{tokens: map[uint32]*token{}}, Undecided: map[string]int{}, settled: over{of: map[string]overRequest{}}}
	if d.A9 != model.A9Ordered || d.A29 != model.A29Silent || d.A31 != model.A31Cancelled || d.A34 != model.A34Executed {
		e.Beyond("", "", "another reading of the order of a queue, or of what a chain owes")
	}
	return e
}

// Judge reads a whole trace.
func Judge(d model.Dialect, t *trace.Trace) *Engine {
	e := New(d)
	e.Read(t)
	return e
}

// Read reads a trace into e.
func (e *Engine) Read(t *trace.Trace) {
	r := facts.NewReader(e)
	if t.More > 0 || t.End != nil && t.End.Dropped > 0 {
		e.Beyond("", "", "events are missing")
	}
	for i := range t.Events {
		r.Read(&t.Events[i])
	}
	r.Finish(t.End != nil && t.End.Quiescent)
	e.Finish()
}

// failureEnds reports whether a request that fails ends its connection (FLUSH-06, A40).
func (e *Engine) failureEnds() bool { return e.dialect.FailureEnds || e.dialect.A40 == model.A40Ends }

func (e *Engine) cq(name string) *completionQueue {
	q := e.cqs[name]
	if q == nil {
		q = &completionQueue{name: name, room: room{depth: never, scope: e.Solver.NewScope()}}
		e.cqs[name] = q
	}
	return q
}

func (e *Engine) qp(name string) *queuePair {
	p := e.qps[name]
	if p == nil {
		p = &queuePair{name: name, connecting: connecting{attempted: never, connectCall: never, connects: never}, closeCall: never}
		for i := range p.queues {
			p.queues[i] = &workQueue{qp: p, kind: model.Queue(i)}
		}
		e.qps[name] = p
	}
	return p
}

// QpCreated records into which CQs the queues of a queue pair complete.
func (e *Engine) QpCreated(f facts.Qp) {
	p := e.qp(f.Name)
	p.unreliable, p.loses, p.unpaired = !f.Reliable, f.Loses, !f.Paired || f.Srq != ""
	for i, cq := range []string{f.InitiatorCq, f.Receive} {
		if cq == "" || p.queues[i].cq != nil {
			e.Beyond("", f.Name, "a queue whose CQ is not known")
			continue
		}
		q := e.cq(cq)
		if !q.created {
			e.Beyond(cq, "", "a CQ whose creation the trace does not hold")
		}
		p.queues[i].cq = q
		if q.queues = append(q.queues, p.queues[i]); q.open {
			e.openQp(p)
		}
	}
	if q := p.queues[model.Receive].cq; f.Srq != "" && q != nil {
		e.takesShared(f.Srq, q)
	}
}

// Beyond leaves undecided what the facts or the clauses do not follow.
func (e *Engine) Beyond(cq, qp, because string) {
	e.Undecided[because]++
	switch {
	case cq != "":
		e.openCq(e.cq(cq))
	case qp != "":
		e.openQp(e.qp(qp))
		e.tokensAreUnknown()
	default:
		e.open, e.untracked = true, true
	}
}

func (e *Engine) openCq(q *completionQueue) {
	if q.open {
		return
	}
	q.open = true
	for _, w := range q.queues {
		e.openQp(w.qp)
	}
}

// openQp leaves a queue pair undecided, and its peer.
func (e *Engine) openQp(p *queuePair) {
	if p == nil || p.open {
		return
	}
	p.open, e.untracked = true, true
	for _, w := range p.queues {
		for _, r := range w.waiting {
			e.drop(r)
		}
		w.waiting = nil
		w.messages.release(e.Solver)
		if w.cq == nil {
			continue
		}
		for _, r := range w.cq.placed {
			r.gone = r.gone || r.queue.qp == p
		}
	}
	e.openQp(p.peer)
}

// drop forgets a request whose outcome does not matter any more.
func (e *Engine) drop(r *request) {
	if !r.told {
		r.queue.cq.outstanding--
		if r.queue.qp.open {
			r.queue.cq.undecided++
		}
	}
	r.told, r.gone = true, true
	e.settle(r)
	delete(e.requests, r.wr)
}

// settle says that no more facts come about r.
func (e *Engine) settle(r *request) {
	r.before = nil // or each would keep all before it
	for _, v := range r.variables() {
		e.Solver.Settle(v)
	}
	r.queue.lastReady = unless(r.queue.lastReady, r)
}

func unless(r, gone *request) *request {
	if r == gone {
		return nil
	}
	return r
}

// solve looks for a conflict, which is one of a queue pair.
func (e *Engine) solve(p *queuePair) {
	if c := e.Solver.Solve(); c != nil {
		if !p.open {
			e.found(p, c)
		}
		e.openQp(p)
	}
	if e.kept == nil && e.Solver.Due() {
		e.Solver.Collect()
		e.forget()
	}
}

// forget drops what names variables that were collected.
func (e *Engine) forget() {
	dead := func(v timeline.Var) bool { return !e.Solver.Alive(v) }
	for _, p := range e.qps {
		p.causes = slices.DeleteFunc(p.causes, func(c cause) bool { return !e.Solver.Undecided(c.choice) })
		for _, w := range p.queues {
			w.failed = slices.DeleteFunc(w.failed, dead)
		}
	}
}

// found records a violation, unless a CQ had failed, which may explain it.
func (e *Engine) found(p *queuePair, c *timeline.Conflict) {
	unless := p.cqs()
	if slices.ContainsFunc(unless, func(q *completionQueue) bool { return q.unsure }) {
		e.Undecided[unexplained]++
		return
	}
	rules := rulesOf(c)
	if slices.Contains(rules, causedBy) && e.sparedByAFlush(p) {
		rules = append(rules, flushSpares)
	}
	if c.Rule = slices.Min(rules); isOfSilent(c) {
		c.Rule = silentAtRest
	}
	e.note(p.name, c, unless)
	e.Findings[len(e.Findings)-1].Rest = restOf(c)
}

// isOfSilent reports whether a conflict is that a silent request, which can only have failed, was not over by a moment of rest.
func isOfSilent(c *timeline.Conflict) bool {
	if !IsOfOwed(Rules[c.Rule].ID) {
		return false
	}
	of := Finding{Conflict: c}.subject()
	return slices.ContainsFunc(c.Chain, func(l timeline.Link) bool { return l.Reason.Rule == silentAtRest && l.Of == of })
}

// restOf returns the line of the moment of rest by which something had to be over that is not, or 0.
func restOf(c *timeline.Conflict) int {
	for _, l := range c.Chain {
		switch of := l.Reason.Rule; {
		case of == silentAtRest && c.Rule == of, of == stillAtRest && c.Rule == abortedBefore, (of == owedAtRest || of == refusedAtRest || of == meetAtRest) && IsOfOwed(Rules[c.Rule].ID):
			return l.Reason.Line
		}
	}
	return 0
}

// rulesOf returns the clauses that took part in a conflict.
func rulesOf(c *timeline.Conflict) []timeline.Rule {
	rules := []timeline.Rule{c.Rule}
	for _, l := range c.Chain {
		rules = append(rules, l.Reason.Rule)
	}
	return slices.DeleteFunc(rules, func(r timeline.Rule) bool { return r == 0 })
}

// sparedByAFlush reports whether a flush came too late to be what cancelled a request, as another one was over before it.
func (e *Engine) sparedByAFlush(p *queuePair) bool {
	return slices.ContainsFunc(p.flushes, func(f *flush) bool { return e.Solver.WhyLower(f.at).Rule == flushSpares })
}

// note records a violation of a queue pair.
func (e *Engine) note(qp string, c *timeline.Conflict, unless []*completionQueue) {
	e.Findings = append(e.Findings, Finding{ID: Rules[c.Rule].ID, Qp: qp, Seen: e.now, Conflict: c, unless: unless})
}

// fails records a violation that one fact shows. Which silent requests had succeeded by a moment of rest is not a fact where a CQ had failed.
func (e *Engine) fails(p *queuePair, rule timeline.Rule, line int, of timeline.Label) {
	if c := e.alone(rule, line, of); rule == silentAtRest || rule == tookReceive || rule == tookReceiveSilently {
		e.found(p, c)
	} else {
		e.note(p.name, c, nil)
	}
	e.openQp(p)
}

// alone returns the conflict that one fact is.
func (e *Engine) alone(rule timeline.Rule, line int, of timeline.Label) *timeline.Conflict {
	return &timeline.Conflict{Rule: rule, Line: e.now.Line,
		Chain: []timeline.Link{{Label: of, At: timeline.At(e.now.At), Reason: timeline.Reason{Rule: rule, Line: line}}}}
}

// Rest handles a moment of rest.
func (e *Engine) Rest(m facts.Moment) {
	if e.now = m; e.quiet {
		return
	}
	e.rests++
	e.findCrossed()
	e.Solver.Rest(m.At, m.Line)
	e.quiet = true
}

// Finish handles the end of the trace.
func (e *Engine) Finish() {
	if e.open {
		return
	}
	for _, q := range e.cqs {
		if !q.open {
			e.look(q)
		}
	}
	for _, p := range e.qps {
		for _, w := range p.queues {
			if !p.open {
				e.raiseFirstFailure(w)
				e.solve(p)
			}
		}
	}
}
