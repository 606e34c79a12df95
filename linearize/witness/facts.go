package witness

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// facts is what a trace says without any search: its objects and requests, and which steps its calls and callbacks stand for.
type facts struct {
	events   []trace.Event
	calls    []*call
	byOp     map[string]*call
	contract model.Contract
	cqs, qps names
	qpFacts
	awaited map[int]map[string]bool // by moment of rest: the CQs of which no event lay unread

	requestFacts
	tokenFacts
	effects map[string][]*effect
	due     map[int][]*effect // by the index of the event behind which they stand at the latest
	fails   map[int]bool      // CQs of which a callback reports an internal error, or an asynchronous event any error
	reports map[int]bool      // CQs of which a callback or an asynchronous event reports an error
	answers map[string]*call  // the first callback that completes a call, by the op of the call
}

// tokenFacts is what a trace says of tokens.
type tokenFacts struct {
	tokens   map[uint32]int
	dying    []*effect // of closes that are pending
	followed bool      // tokens are; where a request made one valid and the trace does not record which, none is
	old      []int     // tokens that may have been valid when the trace began
}

// requestFacts is what a trace says of requests.
type requestFacts struct {
	requests []*request
	byWr     map[string]*request
	sends    map[int]*request   // the latest of each QP
	deferred map[int][]*request // of each QP: those whose chain is open
	firstTo  [][2]int           // of each QP: where the first send of its peer was posted that is not solicited, and the first that is
}

// qpFacts is what a trace says of each QP, by its number.
type qpFacts struct {
	conns      []string
	lostFrom   []int // from which event on its connection may be lost
	flushes    [][]*call
	created    []*call
	closed     map[string]*call // QPs, and by which call
	signalsAll map[string]bool  // QPs of libibverbs of which no request is silent
}

// names numbers objects in the order of their creation.
type names struct {
	list  []string
	index map[string]int
}

func (n *names) add(name string) {
	if _, known := n.index[name]; !known {
		n.index[name] = len(n.list)
		n.list = append(n.list, name)
	}
}

// An effect is a step that a call or callback stands for, and the range of events behind which it may stand. It is optional if the call did not
// return, or if it is not known whether the call had an effect.
type effect struct {
	step     Step
	from, to int
	must     bool // it has to be taken by then
	atOnce   bool // no other step comes between its event and it
	taken    bool
}

// A request is one that was posted, or refused.
type request struct {
	model.Request
	wr        string
	qp        int
	queue     model.Queue
	post      *call
	accepted  bool
	deferred  bool
	told      bool // a poll or a point tells its outcome
	failed    bool // told, with an outcome other than success
	cancelled bool // told, as cancelled
	placed    int  // the index of the point that says when and how it completed, or -1
	completed bool
	broke     bool     // its failure broke the QP
	sent      int      // of a send: its place among those of its QP
	chainEnd  *call    // of a deferred one: the post that ended its chain
	behind    *request // the latest send that was posted before it on its queue
	delivered int      // the index of the event that showed its completion, or that of none
	token     *uint32
}

// factsOf analyses a trace. The error says what it lacks.
func factsOf(t *trace.Trace, d model.Dialect) (*facts, error) {
	f := &facts{events: t.Events, awaited: trace.Awaited(t), calls: calls(t.Events), byOp: map[string]*call{}, contract: model.Contract{Dialect: d},
		cqs: names{index: map[string]int{}}, qps: names{index: map[string]int{}},
		qpFacts:      qpFacts{signalsAll: map[string]bool{}, closed: map[string]*call{}},
		requestFacts: requestFacts{byWr: map[string]*request{}, sends: map[int]*request{}, deferred: map[int][]*request{}},
		tokenFacts:   tokenFacts{tokens: map[uint32]int{}},
		effects:      map[string][]*effect{}, due: map[int][]*effect{}, fails: map[int]bool{}, reports: map[int]bool{}, answers: map[string]*call{}}
	for _, c := range f.calls {
		f.byOp[c.begin.Op] = c
		if c.begin.For != "" && f.answers[c.begin.For] == nil {
			f.answers[c.begin.For] = c
		}
	}
	f.create()
	for _, c := range f.calls {
		before := len(f.requests)
		f.takePost(c)
		if err := f.known(Step{Qp: c.begin.Qp}); err != nil && len(f.requests) > before { // what follows looks up the QPs of requests
			return nil, fmt.Errorf("op %s: %w", c.begin.Op, err)
		}
	}
	if err := f.findOutcomes(); err != nil {
		return nil, err
	}
	f.findTokens()
	f.findPeers()
	f.flushes = make([][]*call, len(f.qps.list))
	seen := map[string]bool{} // what is done to an object once: "connect qp1"
	first := func(what, name string) bool {
		again := seen[what+" "+name]
		seen[what+" "+name] = true
		return !again
	}
	for _, c := range f.calls {
		f.findEffects(c, t.Header.Side, first)
	}
	f.findLosses()
	for op, all := range f.effects {
		for _, e := range all {
			if err := f.known(e.step); err != nil {
				return nil, fmt.Errorf("op %s: %w", op, err)
			}
		}
	}
	return f, nil
}

// create records the objects: CQs first, which QPs name.
func (f *facts) create() {
	for _, c := range f.calls {
		if !createsCq[c.begin.Fn] || c.refused() {
			continue
		}
		f.cqs.add(c.begin.Cq)
		f.contract.Depth = append(f.contract.Depth, c.depth())
	}
	for _, c := range f.calls {
		initiator, one := f.cqs.index[c.begin.InitiatorCq]
		receive, other := f.cqs.index[c.begin.ReceiveCq]
		if all := c.begin.SqSigAll; createsQp[c.begin.Fn] && all != nil {
			f.signalsAll[c.begin.Qp] = *all
		} else if createsQp[c.begin.Fn] && c.verbs() {
			f.signalsAll[c.begin.Qp] = f.completesUnsignaled(c.begin.Qp)
		}
		if createsQp[c.begin.Fn] && !c.refused() && one && other {
			f.qps.add(c.begin.Qp)
			f.created = append(f.created, c)
			f.contract.Qps = append(f.contract.Qps, model.Binding{InitiatorCq: initiator, ReceiveCq: receive, Peer: -1})
		}
	}
	f.conns = make([]string, len(f.qps.list))
}

// known returns an error if a step names an object whose creation the trace does not record.
func (f *facts) known(s Step) error {
	if _, known := f.cqs.index[s.Cq]; s.Cq != "" && !known {
		return fmt.Errorf("the trace does not hold the creation of %s", s.Cq)
	}
	if _, known := f.qps.index[s.Qp]; s.Qp != "" && !known {
		return fmt.Errorf("the trace does not hold the creation of %s and its CQs", s.Qp)
	}
	return nil
}

// takePost adds the requests of a post: one in NDKPI, a list in libibverbs, where those before bad_wr are posted.
func (f *facts) takePost(c *call) {
	e, token := c.begin, c.begin.Token
	answered := c.end != nil
	if answered && c.end.Token != nil {
		token = c.end.Token
	}
	switch op, ndkpi := posts[e.Fn]; {
	case ndkpi:
		has := func(flag string) bool { return slices.Contains(e.Flags, flag) }
		f.add(c, &request{wr: e.Wr, accepted: !answered || c.succeeded(), deferred: has("DEFER"), token: token,
			Request: model.Request{Op: op, Silent: has("SILENT_SUCCESS"), Solicit: has("SEND_AND_SOLICIT_EVENT"), Fence: has("READ_FENCE")}})
	case e.Fn == "ibv_bind_mw":
		f.add(c, &request{wr: e.Wr, accepted: !answered || c.succeeded(), token: token, Request: model.Request{Op: model.Bind}})
	case e.Fn == "ibv_post_send" || e.Fn == "ibv_post_recv":
		for i := range e.Wrs {
			w := &e.Wrs[i]
			refused := answered && !c.succeeded() && (c.end.BadWr == w.Wr || c.end.BadWr == "")
			r := &request{wr: w.Wr, accepted: !refused, token: w.Token, Request: model.Request{Op: model.ReceiveOp}}
			if e.Fn == "ibv_post_send" {
				has := func(flag string) bool {
					return slices.Contains(w.Flags, flag) || slices.Contains(w.Flags, "IBV_SEND_"+flag)
				}
				r.Request = model.Request{Op: opcodes[strings.TrimPrefix(w.Opcode, "IBV_WR_")], Silent: !f.signalsAll[e.Qp] && !has("SIGNALED"),
					Solicit: has("SOLICITED"), Fence: has("FENCE")}
			}
			f.add(c, r)
			if refused {
				return
			}
		}
	}
}

func (f *facts) add(c *call, r *request) {
	r.Id, r.post, r.placed, r.Token = len(f.requests), c, -1, model.NoToken
	r.qp, r.queue = f.qps.index[c.begin.Qp], r.Op.Queue()
	if r.queue == model.Receive { // that takes no flags (POST-11)
		r.Silent, r.Solicit, r.Fence, r.deferred = false, false, false, false
	}
	r.delivered = math.MaxInt
	if r.queue == model.Initiator && r.accepted {
		r.behind = f.sends[r.qp]
		if r.Op.IsSend() {
			f.sends[r.qp] = r
		}
	}
	switch {
	case r.queue == model.Receive:
	case r.accepted && r.deferred:
		f.deferred[r.qp] = append(f.deferred[r.qp], r)
	default:
		for _, d := range f.deferred[r.qp] {
			d.chainEnd = c
		}
		delete(f.deferred, r.qp)
	}
	f.requests = append(f.requests, r)
	f.byWr[cmp.Or(r.wr, c.begin.Op)] = r
}

// findOutcomes records what polls and points say of requests. A point that says what can't be is an error.
func (f *facts) findOutcomes() error {
	tell := func(wr, status string, at int) {
		if r := f.byWr[wr]; r != nil {
			r.told, r.failed, r.cancelled, r.delivered = true, outcomeOf(status) != model.SUCCESS, outcomeOf(status) == model.CANCELLED, at
		}
	}
	for i := range f.events {
		e := &f.events[i]
		for _, result := range e.Results {
			tell(result.Wr, result.Status, i)
		}
		if e.Fn == "CqePlaced" && e.Ph == trace.Point {
			switch r := f.byWr[e.Wr]; {
			case r == nil:
				return fmt.Errorf("a point tells that %s completed, and the trace has no such request", e.Wr)
			case r.placed >= 0:
				return fmt.Errorf("two points tell that %s completed", e.Wr)
			default:
				tell(e.Wr, e.Status, i)
				r.placed = i
			}
		}
		if status := e.Status; e.Fn == "NdkCqNotificationCallback" && status != "" && status != model.OK.String() {
			cq := f.cqs.index[e.Cq]
			f.reports[cq], f.fails[cq] = true, f.fails[cq] || status == model.InternalError.String()
		}
		if cq, known := f.failedCq(e); known {
			f.reports[cq], f.fails[cq] = true, true
		}
	}
	return nil
}

// failedCq returns the CQ that an asynchronous event reports an error of.
func (f *facts) failedCq(e *trace.Event) (cq int, known bool) {
	if e.Fn != "ibv_get_async_event" || e.Type != "CQ_ERR" {
		return 0, false
	}
	cq, known = f.cqs.index[e.Cq]
	return cq, known
}
