package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ndkoracle/linearize/automaton"
	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/cases"
	"ndkoracle/linearize/doubts"
	"ndkoracle/linearize/monitor"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Stream decides a trace in one pass: it takes the events one after the other and keeps no more than the objects that live
// and the requests that are outstanding. docs/streaming.md says how.
type Stream struct {
	dialect  model.Dialect
	consumer bool // the consumer took the events down
	verbs    bool
	machine  *automaton.Machine
	monitor  *monitor.Monitor
	hidden   *hidden
	doubts   doubts.Doubts
	clock    *clock // of a partial order, or nil

	at           moment // of the present event, from 1
	now          place  // of the present event, or of the end
	open         underWayCalls
	cqs          map[string]*cq
	inOrder      []*cq
	qps          map[string]*qp
	qpsInOrder   []*qp
	objects      int // CQs and QPs that were named
	retired      retired
	latestCqs    [nameEnds]*cq // the latest that an event named, by the end of its name
	latestQps    [nameEnds]*qp
	conns        map[string][]*qp    // of both hosts, where there are two
	byName       map[string]*posting // the requests that are accepted or not answered yet, and not delivered; nil while nobody asked
	past         past                // requests that are over
	shared       map[string]bool     // receives of shared receive queues
	reads        []reader            // ibv_get_cq_event that have not returned
	channels     trace.Channels
	tokenless    string            // why it is not known what tokens are valid, or ""
	dead         map[uint32]moment // tokens, by when a receive told latest that the peer had invalidated one
	closing      map[string]*cq    // by the op of a close that is pending
	closingQps   map[string]*qp
	pending      map[string]*underWay // that returned STATUS_PENDING and have not completed, by op
	running      int                  // callbacks
	callbacks    map[string][]moment  // the entries of those, by thread
	findings     []finding
	untold       int // … that were not kept, as there were so many
	counts       map[string]int
	seen         [occasions]int
	cases        cases.Counts
	requestCases requestCases
	may          mayArm
	uncalled     int     // kept of all CQs
	undecided    []*lane // of which something was open at the latest moment of rest
	muted        bool    // the latest finding was not kept
	unfit        string  // why nothing can be judged, or ""

	name   string  // of the trace, where there is another
	other  *Stream // of the other host, or nil
	turns  *int    // how many findings there are, of both
	knows  moment  // up to here, by the other's clock, its trace is known to come before the present
	forced bool    // the present event tells of what the other host can't have done before
	ended  bool    // all events were taken
	whole  bool    // … and they are all that the host did
}

// An underWay is a call or a callback that has not returned, with what of its beginning matters at its end.
type underWay struct {
	*calls.Function
	fn       string
	op       string
	call     moment
	line     int
	cq       *cq
	qp       *qp
	n        int // room of a poll, or -1
	arm      model.Arm
	merging  model.Arms // an arm: what may have been outstanding when it took effect, NONE too
	nothing  bool       // … and the CQ was empty when it was called
	aged     bool       // … and the CQ held completions then, and none that is fresh
	depth    *int64
	postings []*posting
	conn     string
	thr, wr  string
	within   moment // the entry of the callback that was running on this thread, or 0
	entered  bool   // a callback
	answered bool   // a completion callback has come for it
	closes   *qp    // of the completion of a close

	inCallback, beforeQp bool // the close of a CQ: called while a callback of it ran, and before that of a QP
}

// New returns a stream for a trace with this header, judged by a dialect. What it remembers of explanations takes about so much
// memory at most, in bytes; 0 is a default.
func New(h trace.Header, d model.Dialect, memory int) *Stream {
	s := &Stream{dialect: d, consumer: h.Side == "consumer", verbs: d.Ibverbs, machine: automaton.New(d, memory), monitor: monitor.New(h, d),
		open: underWayCalls{others: map[string]*underWay{}}, cqs: map[string]*cq{}, qps: map[string]*qp{}, conns: map[string][]*qp{},
		shared: map[string]bool{}, dead: map[uint32]moment{}, closing: map[string]*cq{},
		closingQps: map[string]*qp{}, pending: map[string]*underWay{},
		counts: map[string]int{}, hidden: newHidden(d), turns: new(int), callbacks: map[string][]moment{}}
	if h.Order == "partial" {
		s.clock = &clock{}
	}
	return s
}

// endOf returns a number for the end of a name: ids of objects differ there.
func endOf(name string) int {
	number := 0
	for i := max(0, len(name)-4); i < len(name); i++ {
		number = number*5 + int(name[i])
	}
	return number % nameEnds
}

const nameEnds = 64

// Take takes the next event. It keeps nothing of e but its strings.
func (s *Stream) Take(e *trace.Event) {
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
		defer s.cutShort(e, s.open.find(e.Op))
	}
	switch e.Ph {
	case trace.Call, trace.Enter:
		u := s.open.begin(e.Op)
		u.Function, u.fn, u.call, u.line, u.thr, u.wr, u.entered = calls.FunctionOf(e), e.Fn, s.at, e.Line, e.Thr, e.Wr, e.Ph == trace.Enter
		if u.within = s.inner(u.thr); u.entered {
			s.running++
			s.callbacks[u.thr] = append(s.callbacks[u.thr], u.call)
		}
		if e.For != "" {
			s.completed(e)
		}
		s.uses(u, e)
		s.begin(u, e)
	case trace.Ret, trace.Exit:
		if u := s.open.end(e.Op); u != nil {
			s.end(u, e)
			if u.entered {
				s.running--
				if s.left(u); u.Kind == calls.Callback {
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
		u = s.open.find(e.Op)
	}
	if u == nil || u.group() == nil {
		return
	}
	u.group().leaveOpen(fmt.Sprintf("the event at line %d has a list of %d elements (field results or wrs), and no more than %d are judged", e.Line,
		trace.MaxList+e.Cut, trace.MaxList))
}

// begin takes a call, or the entry of a callback.
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
		if call := s.open.find(e.For); call != nil { // before it has returned
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
		if p := s.qp(e.Qp); p.connected != 0 || p.lanes[0].next+p.lanes[1].next > 0 {
			p.leaveOpen(verdict.Unsettled(p.name, e.State))
		}
	case calls.ResizeCq:
		u.cq.used()
		u.cq.resizeCalled(u, e.Depth)
	case calls.PostShared:
		s.shared[e.Wr] = true
		if !slices.ContainsFunc(s.qpsInOrder, func(p *qp) bool { return p.fed }) {
			for _, q := range s.inOrder {
				q.fed(false)
			}
		}
		for _, w := range e.Wrs {
			s.shared[w.Wr] = true
		}
	}
}

// end takes the return of a call or a callback.
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
		u.qp.posting[u.Queue]--
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
		for _, q := range s.inOrder {
			p := s.qps[e.Qp]
			of := e.Cq == q.name || e.Cq == "" && (p == nil || p.group.root() == q.group.root())
			if of && calls.MayFailDevice(e) {
				q.group.leaveOpen(verdict.DeviceFailed(e.Type, q.name))
			}
		}
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
