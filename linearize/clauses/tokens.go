package clauses

import (
	"slices"

	"ndkoracle/linearize/facts"
	"ndkoracle/linearize/timeline"
	"ndkoracle/model"
)

// A token is valid once a request has made it so, until another has made it invalid. V is when a request of the first kind made its token valid,
// which is never if it did not succeed. What needs a valid token comes behind the least V that a known end of the token does not precede.

// A tokenTable holds the tokens that requests name.
type tokenTable struct {
	tokens     map[uint32]*token
	anyToken   bool            // any may be valid
	unnamed    []*registration // of tokens that are not known
	anyEnded   bool            // a request may have ended one that the trace does not record
	tokensLost bool            // some were forgotten
	tokensLeft int             // when they were last looked through
}

// A token holds what may have made it valid, and what has made it invalid.
type token struct {
	old     bool // it may have been valid before the trace names it
	given   int  // the latest event by which memory may have been given it unrecorded, or 0
	relied  bool // something rests on that it was not
	named   bool // by a request that makes it valid
	made    []*registration
	dropped interval   // of registrations that are not kept any more
	ends    []tokenEnd // the latest that are known
	users   int        // requests posted that may end it

	registrations int // that have not failed
	uses          int // behind which it was invalid
}

// A registration is a request that may make its token valid.
type registration struct {
	v     timeline.Var
	of    *request // nil of a queue pair that is undecided
	token *token   // or nil, as long as it is not known
}

// release releases the time: until then a message may tell that its token was not valid yet, however long ago the request was told.
func (g *registration) release(s *timeline.Solver) {
	s.Release(g.v)
	s.Settle(g.v)
}

// A tokenEnd is a use after which its token was invalid. Of memory that was closed it is of no request.
type tokenEnd struct {
	use
	since timeline.Var // of a message: its token was invalid from then on at the earliest, and at the latest from the time of the use
}

func (end *tokenEnd) release(s *timeline.Solver) {
	s.Release(end.at)
	s.Release(end.since)
}

// plainly reports whether it is of a receive that NdkGetCqResults fetched.
func (end *tokenEnd) plainly() bool {
	return end.of != nil && end.of.op == model.ReceiveOp && end.of.plainly
}

// An interval says when the V of some registrations may have been. The zero interval is of none.
type interval struct{ from, to timeline.Time }

// The most registrations, and ends, of one token that are kept.
const (
	mostRegistrations = 4
	mostTokenEnds     = 3
	mostUnnamed       = 16 // registrations of tokens that are not known
	mostTokens        = 256
)

func (e *Engine) token(name uint32) *token {
	t := e.tokens[name]
	if t == nil {
		if len(e.tokens) >= max(mostTokens, 2*e.tokensLeft) {
			e.forgetTokens()
		}
		t = &token{old: e.tokensLost}
		e.tokens[name] = t
	}
	return t
}

// forgetTokens forgets the tokens that are invalid. When one is named again it may be any.
func (e *Engine) forgetTokens() {
	for name, t := range e.tokens {
		if t.isInvalid(e.Solver) {
			t.release(e.Solver)
			delete(e.tokens, name)
			e.tokensLost = true
		}
	}
	e.tokensLeft = len(e.tokens)
}

// isInvalid reports whether no registration may make the token valid any more.
func (t *token) isInvalid(s *timeline.Solver) bool {
	n := len(t.ends)
	return n > 0 && !slices.ContainsFunc(t.made, func(g *registration) bool {
		return s.Lower(g.v) < timeline.Never && s.Upper(g.v) >= s.Lower(t.ends[n-1].at)
	})
}

func (t *token) release(s *timeline.Solver) {
	for _, g := range t.made {
		g.release(s)
	}
	for _, end := range t.ends {
		end.release(s)
	}
}

// namesToken handles the call of a post of q. Of a queue pair that is undecided r is nil.
func (e *Engine) namesToken(q *facts.Request, r *request, m facts.Moment) {
	e.anyEnded = e.anyEnded || q.Invalidates
	if !q.Op.ChangesToken() || e.anyToken {
		return
	}
	var t *token
	if q.Token != nil {
		t = e.token(*q.Token)
	}
	switch {
	case q.Op.Registers():
		e.mayRegister(t, q, r, m)
	case t == nil:
		e.anyEnded = true
	default:
		t.given = max(t.given, q.Given)
		if !t.named && q.Old && !t.old {
			t.old = true
			e.mayBeOld(t)
		}
		if t.users++; r != nil {
			r.names = q.Token
		}
	}
}

// mayBeOld handles that a token may have been valid before the trace names it. Where something rests on that it was not, nothing does any more.
func (e *Engine) mayBeOld(t *token) {
	if !t.relied {
		return
	}
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool {
		return slices.ContainsFunc(f.Chain, func(l timeline.Link) bool { return ofToken(l.Reason.Rule) })
	})
	e.Beyond("", "", "a token that may have been valid before the trace names it")
}

// ofToken reports whether a clause says that a token was valid.
func ofToken(rule timeline.Rule) bool { return rule >= silentDead && rule <= badToken }

// mayRegister adds a request that may make a token valid; nil is one that is not known yet.
func (e *Engine) mayRegister(t *token, q *facts.Request, r *request, m facts.Moment) {
	s := e.Solver
	g := &registration{s.Keep(s.New(timeline.Label{Deed: validFrom, Of: q.Wr}, timeline.At(m.At)+1, posted, m.Line)), r, nil}
	if r != nil {
		s.Edge(r.x, g.v, 0, registersToken, m.Line)
		r.makes = g
	}
	if t != nil {
		t.add(s, g)
		return
	}
	if e.unnamed = append(e.unnamed, g); len(e.unnamed) > mostUnnamed {
		e.tokensAreUnknown()
	}
}

// tokensAreUnknown handles that any token may be valid from now on, so that nothing is said of them any more.
func (e *Engine) tokensAreUnknown() {
	s := e.Solver
	for _, g := range e.unnamed {
		g.release(s)
	}
	for _, t := range e.tokens {
		t.release(s)
	}
	e.anyToken, e.unnamed, e.tokens = true, nil, nil
}

func (t *token) add(s *timeline.Solver, g *registration) {
	t.named, g.token = true, t
	t.registrations++
	if t.made = append(t.made, g); len(t.made) <= mostRegistrations {
		return
	}
	first := t.made[0]
	t.made = t.made[1:]
	if t.dropped == (interval{}) {
		t.dropped.from = s.Lower(first.v)
	}
	t.dropped.from, t.dropped.to = min(t.dropped.from, s.Lower(first.v)), max(t.dropped.to, s.Upper(first.v))
	first.release(s)
}

// tokenReturned handles the return of a post that was to make a token valid which its call did not name. Where the return does not, either, it may be any.
func (e *Engine) tokenReturned(q *facts.Request, r *request) {
	if r == nil || r.makes == nil || q.Token == nil {
		return
	}
	if i := slices.Index(e.unnamed, r.makes); i >= 0 {
		e.unnamed = slices.Delete(e.unnamed, i, i+1)
		e.token(*q.Token).add(e.Solver, r.makes)
	}
}

// registered states when the success of r made its token valid, and that without success it never does.
func (e *Engine) registered(r *request, success bool, line int) {
	switch s := e.Solver; {
	case r.makes == nil || !s.Alive(r.makes.v):
	case success:
		s.NotAfter(r.makes.v, s.Upper(r.x), registersToken, line)
		s.Edge(r.makes.v, r.x, 0, badToken, line)
	default:
		s.NotBefore(r.makes.v, timeline.Never, registersToken, line, timeline.None)
		if t := r.makes.token; t != nil {
			t.registrations--
		}
	}
}

// A use of a token needs it to be valid: when that is, by which request if its place in a queue counts, and by which clause.
type use struct {
	at   timeline.Var
	of   *request
	rule timeline.Rule
	line int
}

// needsValid states that a token was valid at a use: that is behind a registration which does not precede the latest end before the use.
func (e *Engine) needsValid(t *token, u use) {
	s := e.Solver
	end := t.endBefore(s, u)
	if end == nil && t.old || end != nil && timeline.At(t.given) >= s.Lower(end.at) {
		return
	}
	t.relied = t.relied || end == nil && !t.named
	var alts []timeline.Alt
	for _, g := range slices.Concat(t.made, e.unnamed) {
		if (end == nil || !end.isBehind(s, g)) && !(u.of != nil && g.of != nil && g.of.follows(u.of)) {
			alts = append(alts, timeline.Alt{V: g.v, Steps: 1})
		}
	}
	if d := t.dropped; d != (interval{}) && (end == nil || d.to >= s.Lower(end.at)) {
		alts = append(alts, timeline.Alt{Floor: d.from})
	}
	s.OneOf(u.at, alts, t.toldPlainly(u.rule), u.line)
}

// toldPlainly returns the clause that names a use behind the ends of a token: another one where NdkGetCqResults told of the latest.
func (t *token) toldPlainly(rule timeline.Rule) timeline.Rule {
	if n := len(t.ends); n == 0 || !t.ends[n-1].plainly() {
		return rule
	}
	switch rule {
	case tokenDead:
		return toldDead
	case deadAnswered:
		return toldAnswered
	}
	return rule
}

// uses states that a use, behind which its token is invalid, had a registration for itself, as each other such use had.
func (e *Engine) uses(t *token, u use) {
	if t.uses++; t.uses > t.registrations+len(e.unnamed) && !t.old && t.given == 0 {
		e.Solver.OneOf(u.at, nil, t.toldPlainly(u.rule), u.line)
	}
}

// endBefore returns the latest end that is known to precede a use, or nil.
func (t *token) endBefore(s *timeline.Solver, u use) *tokenEnd {
	for i := len(t.ends) - 1; i >= 0; i-- {
		end := &t.ends[i]
		if end.of == nil && u.rule != badToken {
			continue // what is done to memory that was closed is the consumer's fault
		}
		if end.precedes(s, u) {
			return end
		}
	}
	return nil
}

// precedes reports whether an end precedes a use for sure.
func (end *tokenEnd) precedes(s *timeline.Solver, u use) bool {
	return s.Upper(end.at) < s.Lower(u.at) || u.of != nil && u.of.follows(end.of)
}

// isBehind reports whether a registration precedes an end for sure.
func (end *tokenEnd) isBehind(s *timeline.Solver, g *registration) bool {
	from := end.at
	if end.since != timeline.None {
		from = end.since
	}
	return s.Upper(g.v) < s.Lower(from) || g.of != nil && end.of != nil && end.of.follows(g.of)
}

// follows reports whether r is behind another request of its queue for sure.
func (r *request) follows(o *request) bool {
	return o != nil && r.queue == o.queue && r.number > o.number && r.isBehind(o)
}
