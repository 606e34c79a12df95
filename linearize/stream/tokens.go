package stream

import (
	"slices"

	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// Memory tokens. What a request does to a token it does when it is executed, and nobody sees when that is: of the requests that
// name one token, those that are under way may have been executed already, in each order that their queues allow. What an
// execution does is asked of the model (MEM-05, INV-05, INV-06, POLL-07, POLL-08, RES-09).

// A token is a memory token as a stream follows it.
type token struct {
	s          *Stream
	group      *group
	pending    []*posting // that name it, and of which something is still to be told
	courses    []tokenCourse
	silentBy   moment // the latest moment of rest by which a silent one is known to have succeeded, or 0
	followed   moment // what they have executed they had by then
	lost       bool   // others had been forgotten when it was first named: it may be one of them
	registered bool   // the first request that named it was to make it valid
	told       bool   // something was told that shows its state
	validFrom  moment // when it was told latest that it had been made valid
	remote     int    // the line of the receive that told that the peer had invalidated it, until it is told to be valid again; or 0
	remoteFrom moment // when that was told
	fetched    string // … by this function
}

// A tokenCourse is one course of the executions, as far as it matters from here on.
type tokenCourse struct {
	validity              model.Validity
	done, failed, aborted uint32 // of those pending, a bit each: has succeeded, ended otherwise, ended the connection (INV-05)
	ended                 uint32 // … was pending when another one ended the connection, of which all is told
	since                 moment // not before this came the last
}

// maxTokenRequests is how many requests may be under way that name one token.
const maxTokenRequests = 16

// A tokenEffect is what the success of a request makes of its token, whether it may end the connection instead, and how its
// post may be answered.
type tokenEffect struct {
	validity model.Validity
	refusal  *model.Refusal
	aborts   bool

	accepted, refused *model.Refusal // why its post can't be answered so, with nothing before it (A8); or nil
}

// tokenEffects asks the model what the execution of each operation does to a token of each validity.
func tokenEffects(d model.Dialect) (effects [model.Write + 1][model.Undefined + 1]tokenEffect) {
	c := model.Contract{Dialect: d, Depth: []int{unlimitedDepth}, Tokens: 1, Qps: []model.Binding{{Peer: 1}, {Peer: 0}}}
	for op := range effects {
		for v := range effects[op] {
			r := model.Request{Op: model.Op(op), Phase: model.Indicated}
			s := model.State{Cqs: make([]model.Cq, 1), Tokens: []model.Validity{model.Validity(v)}, Qps: []model.Qp{{State: model.Connected},
				{State: model.Connected, Receive: []model.Request{{Op: model.ReceiveOp, Phase: model.Indicated, Token: model.NoToken}}}}}
			a := model.Action{Name: model.Execute, Outcome: model.SUCCESS, Token: model.NoToken}
			switch r.Op {
			case model.ReceiveOp: // of which its own completion tells that it did
				a.Qp, a.Queue, a.Token = 1, model.Receive, 0
			case model.SendAndInvalidate:
				a.Name = model.Deliver
				fallthrough
			default:
				s.Qps[0].Initiator = []model.Request{r}
			}
			e := &effects[op][v]
			if r.Op == model.Invalidate {
				idle := s
				idle.Qps = []model.Qp{{State: model.Connected}, {State: model.Connected}}
				_, e.accepted = c.Step(idle, model.Action{Name: model.Post, Request: r})
				_, e.refused = c.Step(idle, model.Action{Name: model.PostRefused, Request: r})
			}
			next, refusal := c.Step(s, a)
			if e.refusal = refusal; refusal == nil {
				e.validity = next[0].Tokens[0]
			}
			if r.Op == model.SendAndInvalidate {
				_, refusal = c.Step(s, model.Action{Name: model.Abort, Outcome: model.SUCCESS, Received: model.CANCELLED})
				e.aborts = refusal == nil
			}
		}
	}
	return effects
}

// registers reports whether an operation makes a token valid.
func registers(op model.Op) bool { return op == model.FastRegister || op == model.Bind }

// changesToken reports whether the execution of r may change the state of a token, or needs it.
func (r *posting) changesToken() bool {
	switch r.op {
	case model.FastRegister, model.Bind, model.Invalidate, model.SendAndInvalidate:
		return true
	}
	return false
}

// nameToken records that a request names its token, be it accepted or not. The region or window of the token may be "", and so may the region to
// which the window is bound.
func (s *Stream) nameToken(r *posting, region, bound string) {
	if r.token == nil || !r.changesToken() || r.op == model.SendAndInvalidate && r.lane.qp.isRemote() {
		return
	}
	t := s.token(*r.token, registers(r.op))
	switch of := s.regions[region]; {
	case registers(r.op) && region != "":
		if s.region(region).gives(t); bound != "" {
			s.region(bound).gives(t)
		}
	case !t.registered && (s.tokenGiven || r.op == model.Invalidate && (of == nil || !of.created)):
		t.mayBeOld()
	}
	join(t.group, r.lane.qp.group)
	if len(t.pending) >= maxTokenRequests {
		t.forgetClosed()
	}
	if t.pending = append(t.pending, r); len(t.pending) > maxTokenRequests {
		t.group.leaveOpen("more requests that name one token are under way than this engine follows" + verdict.Shorter + "porcupine")
		t.pending = t.pending[:0]
	}
	r.names = t
	if r.op == model.SendAndInvalidate {
		r.lane.naming = append(r.lane.naming, r)
	}
}

// token returns the token of a name; registers says that the request which names it is to make it valid.
func (s *Stream) token(name uint32, registers bool) *token {
	t := s.tokens[name]
	if t != nil {
		return t
	}
	t = &token{s: s, group: &group{place: never}, courses: []tokenCourse{{validity: model.Invalid}}, registered: registers}
	if len(s.tokens) >= max(s.mostTokens, maxTokens) {
		s.forgetTokens()
	}
	t.lost = s.tokensLost
	s.tokens[name] = t
	return t
}

// maxTokens is how many tokens are remembered before the first that are invalid are forgotten.
const maxTokens = 1 << 16

// forgetTokens forgets the tokens that are invalid, and that no request names which is under way.
func (s *Stream) forgetTokens() {
	for name, t := range s.tokens {
		if t.isOver() {
			delete(s.tokens, name)
			s.tokensLost = true
		}
	}
	s.mostTokens = 2 * len(s.tokens)
}

// isOver reports whether the token is invalid, and no request names it that is under way.
func (t *token) isOver() bool {
	return len(t.pending) == 0 && len(t.courses) == 1 && t.courses[0].validity == model.Invalid
}

// mayBeOld notes that the token may have been made valid before the trace began, or by a call whose token the trace does not record.
func (t *token) mayBeOld() {
	pristine := tokenCourse{validity: model.Invalid}
	switch {
	case t.lost:
		t.group.leaveOpen("what became of a token long ago " + verdict.NotFollowed)
	case !t.told && len(t.courses) == 1 && t.courses[0] == pristine:
		t.courses[0].validity = model.Undefined
	case !t.told || t.s.reopen(t.group):
		t.group.leaveOpen("a token may have been made valid without a word in the trace, and what it was then " + verdict.NotFollowed)
	}
	t.registered = true
}

// posted takes the answer of the post of an NdkInvalidate: in some readings a dead token decides it (POLL-08, A8).
func (s *Stream) posted(r *posting, accepted bool, u *underWay, e *trace.Event) {
	t := r.names
	if r.op == model.Invalidate && !accepted {
		s.invalidateFailed(t, r, cases.InvalidateRefused)
	}
	if t == nil || r.op != model.Invalidate || s.anyValid {
		return
	}
	i := slices.Index(t.pending, r)
	if i < 0 {
		return // a poll within the call has told how it ended
	}
	refusal, ok := t.tell(i, func(c tokenCourse) ([]tokenCourse, *model.Refusal) {
		refusal := s.effects[r.op][c.validity].refused
		if accepted {
			refusal = s.effects[r.op][c.validity].accepted
		}
		if refusal == nil || c.executed(i) || t.revives(c, r) {
			return []tokenCourse{c}, nil
		}
		return nil, refusal
	})
	if ok {
		return
	}
	instead := " succeeds"
	if accepted {
		instead = " is refused"
	}
	s.reportToken(r.lane.cq, t, s.line(), r, r, refusal, "was answered with "+answerOf(u.fn, e), u.fn+" of "+r.wr+instead)
}

// revives reports whether in c a request is still to be executed that was posted before r, on its queue, and makes the token
// valid.
func (t *token) revives(c tokenCourse, r *posting) bool {
	for k, o := range t.pending {
		if o.lane == r.lane && o.position < r.position && registers(o.op) && !c.executed(k) {
			return true
		}
	}
	return false
}

// withdraw takes a request back that was not queued.
func (t *token) withdraw(r *posting) {
	if i := slices.Index(t.pending, r); i >= 0 {
		t.courses = slices.DeleteFunc(t.courses, func(c tokenCourse) bool { return c.executed(i) })
		t.forget(i)
	}
}

func (c tokenCourse) executed(i int) bool { return (c.done|c.failed|c.aborted)>>i&1 == 1 }

// succeeds returns c after the i'th of those pending has succeeded, and the reason why it can't have.
func (t *token) succeeds(c tokenCourse, i int) (tokenCourse, *model.Refusal) {
	r := t.pending[i]
	e := t.s.effects[r.op][c.validity]
	switch {
	case c.aborted&t.beside(r) != 0, c.ended>>i&1 == 1:
		return c, succeededAfterAbort
	case e.refusal != nil:
		return c, e.refusal
	case r.adrift && !r.lane.hasReceive():
		return c, unreceived
	}
	c.validity, c.done, c.since = e.validity, c.done|1<<i, max(c.since, r.executes())
	return c, nil
}

// beside returns those of the pending that are on the connection of r, a bit each.
func (t *token) beside(r *posting) (all uint32) {
	for k, o := range t.pending {
		if o.lane.qp == r.lane.qp || o.lane.qp.peer == r.lane.qp {
			all |= 1 << k
		}
	}
	return all
}

var succeededAfterAbort = &model.Refusal{Rule: "INV-05", Why: "a bad token had ended the connection, on which nothing succeeds any more"}

// otherwise returns what becomes of c when the i'th of those pending ends without success: by itself, or, when it may have
// reached the peer, as the end of the connection.
func (t *token) otherwise(c tokenCourse, i int, reached bool) []tokenCourse {
	r, failed := t.pending[i], c
	failed.failed, failed.since = c.failed|1<<i, max(c.since, r.called)
	all := []tokenCourse{failed}
	if reached && t.s.effects[r.op][c.validity].aborts {
		c.aborted, c.since = c.aborted|1<<i, max(c.since, r.called)
		all = append(all, c)
	}
	return all
}

// mayExecute reports whether in c the i'th of those pending may be executed next.
func (t *token) mayExecute(c tokenCourse, i int) bool {
	r := t.pending[i]
	for k, o := range t.pending {
		if o.lane == r.lane && o.position < r.position && !c.executed(k) {
			return false
		}
	}
	if r.op == model.SendAndInvalidate && !r.adrift {
		to := r.lane.other()
		return to != nil && r.index() < r.lane.known && r.index() < to.next
	}
	return true
}

// reached returns all that the courses can have become by now, without the i'th of those pending.
func (t *token) reached(i int) []tokenCourse {
	t.followed = t.s.at
	all := slices.Clone(t.courses)
	add := func(c tokenCourse) { all = with(all, c) }
	for at := 0; at < len(all) && len(all) <= maxTokenCourses; at++ {
		c := all[at]
		for k, r := range t.pending {
			if k == i || c.executed(k) || !t.mayExecute(c, k) {
				continue
			}
			if next, refusal := t.succeeds(c, k); refusal == nil {
				add(next)
			}
			for _, next := range t.otherwise(c, k, r.op == model.SendAndInvalidate) {
				add(next)
			}
		}
	}
	return all
}

// with adds a course to others. Those that differ in nothing but when the last request came are one.
func with(all []tokenCourse, c tokenCourse) []tokenCourse {
	same := func(d tokenCourse) bool {
		d.since = c.since
		return d == c
	}
	if k := slices.IndexFunc(all, same); k >= 0 {
		all[k].since = min(all[k].since, c.since)
		return all
	}
	return append(all, c)
}

// becomes replaces each course that there may be by now.
func (t *token) becomes(one func(tokenCourse) []tokenCourse) {
	all := t.reached(-1)
	if len(all) > maxTokenCourses {
		t.group.leaveOpen("more courses of a token are alive than this engine follows" + verdict.Shorter + "porcupine")
		return
	}
	t.courses = nil
	for _, c := range all {
		for _, next := range one(c) {
			t.courses = with(t.courses, next)
		}
	}
}

// maxTokenCourses bounds the courses of one token.
const maxTokenCourses = 1 << 10

// pendingAt records that the i-th pending request had not been executed by a moment of rest. Where a silent request that was over by then needs it,
// another one may have come before that and ended otherwise.
func (t *token) pendingAt(i int, rested moment) {
	kept := slices.DeleteFunc(slices.Clone(t.courses), func(c tokenCourse) bool { return c.executed(i) })
	switch {
	case len(kept) == 0 && t.silentBy != 0 && t.silentBy <= rested:
		t.group.leaveOpen("whether " + t.pending[i].wr + " was executed before a silent request that needs it, and was over by a moment of rest, " +
			verdict.NotFollowed)
	case t.followed < rested && len(kept) > 0:
		t.courses = kept
	}
}

// tell keeps what one makes of each course, for the i'th of those pending. When that is nothing, it returns the reason.
func (t *token) tell(i int, one func(tokenCourse) ([]tokenCourse, *model.Refusal)) (why *model.Refusal, ok bool) {
	all := t.reached(i)
	if len(all) > maxTokenCourses {
		t.group.leaveOpen("more courses of a token are alive than this engine follows" + verdict.Shorter + "porcupine")
		return nil, true
	}
	var kept []tokenCourse
	for _, c := range all {
		next, refusal := one(c)
		if kept = append(kept, next...); refusal != nil {
			why = refusal
		}
	}
	if len(kept) > 0 {
		t.courses = kept
	}
	return why, len(kept) > 0
}

// forget takes the i'th off those pending: all of it is told. Courses that differ in nothing else are one.
func (t *token) forget(i int) {
	beside := t.beside(t.pending[i])
	t.pending = slices.Delete(t.pending, i, i+1)
	low := uint32(1)<<i - 1
	drop := func(bits uint32) uint32 { return bits&low | bits>>1&^low }
	var kept []tokenCourse
	for _, c := range t.courses {
		if c.aborted>>i&1 == 1 {
			c.ended |= beside &^ (c.done | c.failed | c.aborted)
		}
		c.done, c.failed, c.aborted, c.ended = drop(c.done), drop(c.failed), drop(c.aborted), drop(c.ended)
		kept = with(kept, c)
	}
	t.courses = kept
}
