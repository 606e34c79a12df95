package stream

import (
	"slices"

	"ndkoracle/linearize/breach"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A chain holds the requests of a QP that were deferred and are not indicated yet.
type chain struct {
	deferred []*request // requests whose chain has not ended
	chained  bool       // a request was deferred
}

// postCalled handles the call of a post. Its requests may be queued from now on.
func (s *Stream) postCalled(u *underWay, e *trace.Event) {
	p := u.qp
	if !u.Verbs && s.monitor.PostsWithinPost(u.op) {
		p.group.leaveOpen(u.fn + " of " + u.wr + " was called within the post of another request, and which of them came first " + verdict.NotFollowed)
	}
	p.postBegins(u)
	switch {
	case !u.Verbs:
		r := s.newRequest(u, e, e.Wr, u.Function.Op)
		if r.token = e.Token; e.Bytes != nil {
			r.bytes = monitor.Length(*e.Bytes)
		}
		if u.Queue == model.Initiator { // NdkReceive takes no flags (POST-11)
			r.takeFlags(e.Flags)
		}
		p.add(u, r)
	case u.fn == "ibv_bind_mw":
		r := s.newRequest(u, e, e.Wr, model.Bind)
		r.token = e.Token
		p.add(u, r)
	default:
		for i := range e.Wrs {
			w := &e.Wrs[i]
			r := s.newRequest(u, e, w.Wr, model.ReceiveOp)
			r.token, r.bytes = w.Token, monitor.LengthOf(w)
			if u.Queue == model.Initiator {
				var unknown string
				if r.op, unknown = calls.OpOfRequest(w); unknown != "" {
					p.leaveOpen(unknown)
				}
				r.silent = !p.kind.signalsAll && !calls.HasVerbsFlag(w.Flags, "SIGNALED")
				if r.silent && !p.kind.signaling {
					p.leaveInDoubt(calls.UntoldSignaling(p.name))
				}
				r.solicit, r.fence = calls.HasVerbsFlag(w.Flags, "SOLICITED"), calls.HasVerbsFlag(w.Flags, "FENCE")
				r.localInvalidate = slices.Contains(w.Flags, localInvalidate)
			}
			p.add(u, r)
		}
	}
}

const localInvalidate = "RDMA_READ_LOCAL_INVALIDATE"

// takeFlags reads flags of NDKPI.
func (f *requestFlags) takeFlags(flags []string) {
	for _, flag := range flags {
		f.silent = f.silent || flag == "SILENT_SUCCESS"
		f.solicit = f.solicit || flag == "SEND_AND_SOLICIT_EVENT"
		f.deferred = f.deferred || flag == "DEFER"
		f.fence = f.fence || flag == "READ_FENCE"
		f.localInvalidate = f.localInvalidate || flag == localInvalidate
	}
}

// postReturned handles the return of a post: what it refused was never queued, and what was deferred before a refusal, or
// before a request that was not, is indicated.
func (s *Stream) postReturned(u *underWay, e *trace.Event) {
	p := u.qp
	ok := calls.IsSuccess(u.Verbs, e) || !u.Verbs && calls.Pending(e)
	if !ok && u.Verbs && e.BadWr == "" && len(u.requests) > 1 {
		p.leaveOpen(calls.StoppedSomewhere(u.fn))
	}
	for i, r := range u.requests {
		if !ok && (!u.Verbs || u.fn == "ibv_bind_mw" || e.BadWr == r.wr || e.BadWr == "") {
			if u.Queue == model.Initiator && p.unconnected() {
				s.meets(declared.RefusedAsIdle)
			}
			if e.Status == statusNotConnected {
				p.refusedAsUnconnected(u)
			}
			s.invalidateFailed(r, cases.InvalidateRefused)
			for _, r := range slices.Backward(u.requests[i:]) { // the latest is found first
				s.refuse(r, answerOf(u.fn, e))
			}
			break
		}
		if r.returned, r.answeredLine = s.at, e.Line; r.token == nil && r.op.Registers() {
			r.token = e.Token
		}
		r.wq.returned++
		if p.shadow != nil && r.wq.queue == model.Receive {
			p.shadow.hear(s.at, model.Receive, r.wq.returned, 0)
		}
		s.accepted(r)
	}
	if !ok && !u.Verbs && u.Queue == model.Initiator {
		p.countChain(len(p.deferred), false, true)
	}
	if u.fn != "NdkReceive" && u.fn != "ibv_post_recv" && (u.Verbs || !ok || !u.requests[0].deferred) {
		p.endChains(u.call, false, !ok)
	}
}

// accepted handles a post that returned success: an initiator request needs a connection (POST-08). A QP that was created before the trace began
// may have one.
func (s *Stream) accepted(r *request) {
	p := r.wq.qp
	if r.wq.queue == model.Initiator && p.created {
		switch {
		case p.unconnected() && (p.attempt.failed > r.called || p.mayHaveCarried()): // what it is known to have carried may show that there was a connection
			if p.beforeConnect == nil {
				p.beforeConnect = r
			}
		case p.unconnected():
			s.tells(p.group, breach.Unconnected(r.function.Name, r.wr, p.name), 0, r.line)
			p.allows("%s of %s is refused", r.function.Name, r.wr)
			p.connected = r.called
		case p.connects && p.beforeConnect == nil:
			p.beforeConnect = r
		}
	}
	if r.wq.queue == model.Receive && p.connected == 0 {
		s.meets(declared.ReceivePosted)
	}
	if r.op == model.SendAndInvalidate {
		p.checkTokenless()
	}
	if r.op.Registers() {
		s.revives(r.token)
	}
	if r.localInvalidate || r.token == nil && (r.op.ChangesToken() && (r.op != model.SendAndInvalidate || p.peer != nil)) {
		s.changesUnknown(r)
	}
}

// endChains records that the chains have ended of what was posted before an event: before that its post had returned, where a
// flush ends them, which may come before a post that it overlaps.
func (p *qp) endChains(before eventIndex, flushed, refused bool) {
	if !p.chained {
		return
	}
	open := len(p.deferred)
	p.deferred = slices.DeleteFunc(p.deferred, func(r *request) bool {
		if r.called > before || flushed && (r.returned == 0 || r.returned > before) {
			return false
		}
		r.ended, r.refusal = p.s.at, refused
		return true
	})
	if !refused {
		p.countChain(open-len(p.deferred), flushed, false)
	}
}

// refuse removes a request that was not queued.
func (s *Stream) refuse(r *request, answer string) {
	l := r.wq
	if r.place != 0 {
		s.tells(l.qp.group, breach.PlacedRefused(l.cq.name, r.wr, answer), 0, r.line)
		l.qp.allows("%s of %s succeeds", r.function.Name, r.wr)
		return
	}
	if !l.unqueue(r) {
		was, _ := s.past.find(r.wr)
		s.tells(l.qp.group, breach.RefusedLater(l.cq.name, r.wr, r.function.Name, answer), 0, r.line, was.lines[1])
		l.qp.allows("%s of %s succeeds", r.function.Name, r.wr)
		return
	}
	if r.op.IsSend() {
		r.wasNoMessage(answer)
	}
	if r.shadow != nil {
		r.shadow.refused()
	}
	if l.restedBehind(r) {
		l.qp.leaveOpen("the provider was at rest during the post of " + r.wr + ", which was refused; whether requests posted meanwhile had to complete " + verdict.NotFollowed)
	}
	if l.cq != nil {
		l.cq.take(observation{what: gone, at: s.at, counted: r.countedFrom(), request: r})
		l.cq.pending--
		l.cq.wasNotPosted(r)
		l.cq.hasRoom()
	}
	l.qp.deferred = without(l.qp.deferred, r)
	s.requestCases.refuse(r)
	s.forget(r, answer)
}

// wasNoMessage is POLL-05 for the peer's receives that succeeded while the post of r, a send, was under way: it was refused, and the peer has
// sent as many messages as receives have succeeded.
func (r *request) wasNoMessage(answer string) {
	to := r.wq.other()
	if to == nil || r.wq.qp.isRemote() || to.successes() <= r.wq.sends {
		return
	}
	p := r.wq.qp
	p.s.tells(p.group, breach.RefusedMessage(r.function.Name, r.wr, answer, to.qp.name), 0, r.line)
	p.allows("%s of %s succeeds", r.function.Name, r.wr)
}

// unqueue removes r, and reports whether it was outstanding.
func (l *workQueue) unqueue(r *request) bool {
	i := len(l.waiting) - 1
	for i >= 0 && l.waiting[i] != r { // it is one of the newest, as a rule
		i--
	}
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.next--
	for _, later := range l.waiting[i:] {
		later.position--
		if r.op.IsSend() {
			later.sends--
		}
	}
	if r.op.IsSend() {
		l.sends--
	}
	if r.op == model.SendAndInvalidate {
		l.names--
	}
	if r.op.IsSend() && r.solicit {
		l.solicits--
	}
	if r.promised {
		l.promised++
	}
	if l.messages = without(l.messages, r); l.unmatched != nil {
		l.unmatched.Unsent(r.wr)
	}
	return true
}

// restedBehind reports whether the provider was at rest while the post of r was under way, and something behind it had been
// accepted: posts of libibverbs may overlap.
func (l *workQueue) restedBehind(r *request) bool {
	return l.cq != nil && l.cq.restedAt > r.called && slices.ContainsFunc(l.waiting, func(o *request) bool {
		return o.position >= r.position && o.returned != 0 && o.returned < l.cq.restedAt && o.owed == 0
	})
}

// forget records what became of a request that is over.
func (s *Stream) forget(r *request, answer string) {
	if s.byName != nil {
		delete(s.byName, r.wr)
	}
	s.past.add(overRequest{wr: r.wr, lines: [2]int{r.line, s.line()}, answer: answer})
}
