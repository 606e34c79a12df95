// Package stream judges a trace while it reads it once, in bounded memory. docs/streaming.md says how.
package stream

import (
	"cmp"
	"fmt"
	"strings"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/doubts"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/resets"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Stream decides a trace in one pass: it takes the events one after the other and keeps no more than the objects that live
// and the requests that are outstanding. docs/streaming.md says how.
type Stream struct {
	dialect  model.Dialect
	consumer bool // the consumer took the events down
	machine  *automaton.Machine
	monitor  *monitor.Monitor
	hidden   *hidden
	doubts   doubts.Doubts
	resets   resets.Reader
	clock    *clock // of a partial order, or nil

	position
	objects
	requestNames
	tokens
	open underWayCalls
	pendingCalls
	eventReads
	undecided []*workQueue // of which something was open at the latest moment of rest

	findingLog
	tally
	joined
}

// New returns a stream for a trace with this header, judged by a dialect. What it remembers of explanations takes about so much
// memory at most, in bytes; 0 is a default.
func New(h trace.Header, d model.Dialect, memory int) *Stream {
	s := &Stream{dialect: d, consumer: h.Side == "consumer", machine: automaton.New(d, memory), monitor: monitor.New(h, d), hidden: newHidden(d)}
	s.pending = map[string]*underWay{}
	s.closing, s.closingQps = map[string]*cq{}, map[string]*qp{}
	s.cqs, s.qps, s.conns = map[string]*cq{}, map[string]*qp{}, map[string][]*qp{}
	s.dead = map[uint32]eventIndex{}
	s.counts, s.turns = map[string]int{}, new(int)
	if h.Order == "partial" {
		s.clock = &clock{}
	}
	return s
}

// Take handles the next event. It keeps nothing of e but its strings.
func (s *Stream) Take(e *trace.Event) {
	e = s.resets.Read(e)
	s.at++
	s.now = place{e.Line, e.Seq}
	if s.clock != nil {
		s.watch(e)
	}
	s.doubts.Take(e)
	s.ask(e)
	boundary := s.monitor.Take(e)
	s.reportBoundary(boundary, verdict.ConsumerViolation)
	if s.dialect.EventsAreRead {
		s.channels.Take(e)
	}
	if e.Cut > 0 {
		defer s.cutShort(e, s.open.Find(e.Op))
	}
	switch e.Ph {
	case trace.Call, trace.Enter:
		u := s.open.begin(e.Op)
		u.Function, u.fn, u.call, u.line, u.wr, u.entered = calls.FunctionOf(e), e.Fn, s.at, e.Line, e.Wr, e.Ph == trace.Enter
		if e.For != "" {
			s.completed(e)
		}
		s.uses(u, e)
		s.begin(u, e)
	case trace.Ret, trace.Exit:
		if u := s.open.End(e.Op); u != nil {
			s.end(u, e)
			if u.entered {
				if u.Kind == calls.Callback {
					s.open.reuse(u)
				}
			} else {
				s.callReturned(u, e)
				if u.Kind == calls.ArmCq || u.Kind == calls.Post && !calls.Pending(e) {
					s.open.reuse(u)
				}
			}
		}
	case trace.Point:
		switch calls.KindOf(e) {
		case calls.Quiesce:
			s.rest()
		case calls.Placed:
			s.placed(e)
		}
	}
	s.reportBoundary(boundary, verdict.ProviderViolation, verdict.Inconclusive)
}

// cutShort leaves open what an event leaves open whose list is longer than what is kept of one: of the call u, or of one that begins.
func (s *Stream) cutShort(e *trace.Event, u *underWay) {
	if u == nil {
		u = s.open.Find(e.Op)
	}
	if u == nil || u.group() == nil {
		return
	}
	u.group().leaveOpen(fmt.Sprintf("the event at line %d has a list of %d elements (field results or wrs), and no more than %d are judged", e.Line,
		trace.MaxList+e.Cut, trace.MaxList))
}

// begin handles a call, or the entry of a callback.
func (s *Stream) begin(u *underWay, e *trace.Event) {
	switch u.Kind {
	case calls.CreateCq:
		u.cq, u.depth = s.cq(e.Cq), e.Depth
		u.cq.creationCalled()
	case calls.CreateQp:
		u.qp = s.createQp(e)
	case calls.ConnectQp:
		u.conn = e.Conn
		u.qp.connectCalled(u)
	case calls.CompleteConnection:
		if e.Qp != "" {
			u.qp = s.qp(e.Qp)
		}
	case calls.Post:
		s.postCalled(u, e)
	case calls.ArmCq:
		u.cq.used()
		s.armCalled(u, e)
	case calls.PollCq:
		u.n = -1
		u.cq.used()
		if e.N != nil {
			u.n = int(*e.N)
		}
		s.pollCalled(u)
	case calls.Callback:
		u.cq = s.cq(e.Cq)
		u.cq.used()
		s.entered(u, e)
	case calls.ReadEvent:
		s.readCalled(u, e)
	case calls.FlushQp:
		if u.qp.closing != 0 && u.fn == "NdkDisconnect" {
			u.Function = ofConnector
			break
		}
		s.flushCalled(u)
	case calls.CloseCq:
		u.cq.used()
		u.cq.noteClose(u)
	case calls.CloseQp:
		s.closeQpCalled(u)
	case calls.CloseDone:
		q, p := s.closing[e.For], s.closingQps[e.For]
		if call := s.open.Find(e.For); call != nil { // before it has returned
			switch call.Kind {
			case calls.CloseCq:
				q = call.cq
				q.closeAccepted(call)
			case calls.CloseQp:
				p = call.qp
			}
		}
		if q != nil && q.over == 0 {
			delete(s.closing, e.For)
			q.closeFinished()
		}
		if p != nil {
			delete(s.closingQps, e.For)
			u.closes, p.leaving = p, true
			p.closeFinished()
		}
	case calls.EndConnection:
		s.connectionEnds(u, e.Qp, e.Conn)
	case calls.UnsettleQp:
		if p := s.qp(e.Qp); p.connected != 0 || p.wqs[0].next+p.wqs[1].next > 0 {
			p.leaveOpen(verdict.Unsettled(p.name, e.State))
		}
	case calls.ResizeCq:
		u.cq.used()
		u.cq.resizeCalled(u, e.Depth)
	case calls.PostShared:
		s.postsShared(u, e)
	}
}

// end handles the return of a call or a callback.
func (s *Stream) end(u *underWay, e *trace.Event) {
	refused := calls.IsRefusal(u.Verbs, e)
	switch u.Kind {
	case calls.CreateCq:
		if depth := cmp.Or(e.Depth, u.depth); depth != nil && !refused {
			u.cq.depth = int(*depth)
		}
		u.cq.exists = u.cq.exists || !refused && !calls.Pending(e)
		if u.cq.refused = refused && !u.cq.exists; u.cq.refused {
			s.endsLife()
		}
	case calls.CreateQp:
		u.qp.exists = u.qp.exists || !refused && !calls.Pending(e)
		if u.qp.refused = refused && !u.qp.exists; u.qp.refused {
			s.endsLife()
		}
		if !refused {
			u.qp.usesCqs()
		}
	case calls.ConnectQp:
		u.qp.connectReturned(u, refused, calls.Pending(e))
	case calls.CompleteConnection:
		if refused && u.qp != nil {
			u.qp.connectionLost(u.fn)
		}
	case calls.Post:
		u.qp.running[u.Queue]--
		s.postReturned(u, e)
	case calls.ArmCq:
		s.armReturned(u, refused)
	case calls.PollCq:
		s.pollReturned(u, e, refused)
	case calls.Callback:
		u.cq.exited()
	case calls.ReadEvent:
		s.readReturned(u, e)
	case calls.FlushQp:
		s.flushReturned(u, e)
	case calls.ResizeCq:
		u.cq.resizeReturned(u, e, refused)
	case calls.CloseCq:
		s.closeCqReturned(u, e, refused)
	case calls.CloseQp:
		u.qp.closeReturned(u, refused, calls.Pending(e))
		switch {
		case calls.Pending(e) && u.qp.leaving: // it was completed before
		case calls.Pending(e):
			s.closingQps[e.Op] = u.qp
		case !refused:
			u.qp.gone = true
			u.qp.closeFinished()
			s.endsLife()
		}
	case calls.DeviceEvent:
		s.deviceReports(e)
	case calls.CloseDone:
		if u.closes != nil {
			u.closes.gone = true
			s.endsLife()
		}
	}
}

// answerOf returns what a call answered, in words.
func answerOf(fn string, e *trace.Event) string {
	if strings.HasPrefix(fn, "ibv_") {
		return "errno " + e.Errno
	}
	return e.Status
}
