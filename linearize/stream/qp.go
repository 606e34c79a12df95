package stream

import (
	"slices"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A qp is a queue pair as a stream follows it.
type qp struct {
	object
	takes  *sharedQueue  // that it takes its receives from, or nil
	wqs    [2]*workQueue // by model.Queue
	peer   *qp
	remote *shadow // of a QP of the other host, or nil
	shadow *qp     // that stands for it in the stream of the other host, or nil
	kind   qpKind
	link
	qpFlushes
	broken eventIndex // from when on something that the trace shows may have cancelled requests of it, or 0
	qpClose
	running [2]int // posts that have not returned, by queue
	chain
	openQuestions
	succeeds      bool      // a request has succeeded
	lossTold      bool      // a completion of it told of a failure
	uncaused      *uncaused // the first request that was reported as flushed while the peer was known, which is in another trace, or nil
	alone         *unsent   // the first receive that succeeded while no peer was known, or nil
	spareRequests []request // to be used
}

// A qpKind is what the creation of a QP says of it.
type qpKind struct {
	signalsAll bool // a request of libibverbs without SIGNALED has a completion
	signaling  bool // it is known whether such a request has a completion
	delivers   bool // each message reaches a receive of the peer, or its send does not succeed
	isRC       bool // the trace says so
	isLosable  bool // it may go to its error state because the peer does not answer
}

// returned is a call that has returned.
type returned struct {
	call, ret eventIndex
	line      int
}

func (s *Stream) qp(name string) *qp {
	latest := &s.latestQps[endOf(name)]
	if *latest != nil && (*latest).name == name {
		return *latest
	}
	p := s.qps[name]
	if p == nil {
		s.objectCount++
		p = newQp(s, name)
		p.number, p.group = s.objectCount, newGroup(s.objectCount+onlyQps)
		s.qps[name] = p
		s.qpsInOrder = append(s.qpsInOrder, p)
	} else if p.retired {
		p.bringBack()
	}
	*latest = p
	return p
}

func newQp(s *Stream, name string) *qp {
	p := &qp{object: object{s: s, name: name, group: &group{place: never}}, kind: qpKind{signaling: !s.dialect.Ibverbs, delivers: true, isLosable: true}}
	for queue := range p.wqs {
		p.wqs[queue] = &workQueue{qp: p, queue: model.Queue(queue), matching: matching{known: never}}
	}
	return p
}

// used makes a QP undecided whose creation the trace does not record. Once a request is posted on it, its completions may be placed in any CQ.
func (p *qp) used(posts bool) {
	if p.created {
		return
	}
	why := verdict.QpOfBefore(p.name, p.s.dialect.Name)
	p.leaveOpen(why)
	if posts && p.wqs[model.Initiator].next+p.wqs[model.Receive].next == 0 {
		for _, q := range p.s.cqsInOrder {
			q.group.leaveInDoubt(why)
		}
	}
}

func (s *Stream) createQp(e *trace.Event) *qp {
	p := s.qp(e.Qp)
	for _, l := range p.wqs {
		if l.cq != nil { // of a creation that was refused
			l.cq.wqs = slices.DeleteFunc(l.cq.wqs, func(o *workQueue) bool { return o == l })
		}
	}
	p.wqs[model.Initiator].cq, p.wqs[model.Receive].cq = s.cq(e.InitiatorCq), s.cq(e.ReceiveCq)
	p.kind = qpKind{delivers: calls.DeliversMessages(e), isLosable: calls.MayLoseConnection(e), isRC: e.QpType == "RC"}
	p.kind.signalsAll, p.kind.signaling = calls.SignalsAll(e)
	for _, l := range p.wqs {
		join(p.group, l.cq.group)
		l.cq.wqs = append(l.cq.wqs, l)
	}
	if e.Srq != "" {
		p.takesFrom(e.Srq)
	} else {
		p.mayShare()
	}
	p.isCreated()
	return p
}

// usesCqs makes a QP undecided whose CQs were created before the trace began: they may have had any completions, and been armed.
func (p *qp) usesCqs() {
	for _, l := range p.wqs {
		l.cq.used()
	}
}
