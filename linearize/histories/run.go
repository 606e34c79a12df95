package histories

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize/cases"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Run is a random walk of the contract itself, with what a recorder would have seen of it: a provider that keeps the
// contract, and a consumer that keeps its own. Each call takes effect at a moment between its call and its return; hidden
// steps leave no event.
type Run struct {
	traits
	t        dice
	c        *model.Contract
	s        model.State
	Trace    *trace.Trace
	open     []*inFlight
	running  []*inFlight // callbacks that were entered
	closing  []*inFlight // closes of QPs that are pending
	ops      int
	requests []model.Request // by id, from 0
	steps    []model.Action  // all hidden ones
	ended    map[string]bool // objects whose close was called
	qpsOfRun
	channels []string     // of each CQ of libibverbs the one that it was created with, or ""
	lost     bool         // a CQ failed, and what it lost is not known
	still    bool         // since a moment of rest nothing was called that wakes the provider
	Overlaps bool         // calls overlap in ways that the streaming engine does not order
	met      cases.Counts // of the hidden cases, each as often as it was met
	told     []string     // every step, for a failure's sake
}

// qpsOfRun is what a run knows of the QPs of the contract, by their numbers.
type qpsOfRun struct {
	broken   map[int]bool // QPs that broke for a reason of their own, other than a failed receive
	sends    map[int]int  // of each QP, as many as were accepted, and may be sent
	received map[int]int  // of each QP: receives that have ended
	signals  map[int]bool // QPs of libibverbs that were created with sq_sig_all
	failed   map[int]bool // QPs of which an attempt to connect has failed
	vainly   map[int]bool // QPs whose latest attempt to connect was refused
	again    bool         // one that such an attempt had broken is connected
	apart    map[int]bool // QPs that were disconnected
	unusable map[int]int  // QPs of a CQ that told of an error: from which request on nothing succeeds (ARM-18)
}

// traits are drawn once for a run.
type traits struct {
	resizes bool // the consumer resizes its CQs
	named   bool // the trace names the channels
	points  bool // the recorder knows when completions are placed
	lossy   bool // the network loses connections
	memory  bool // the trace has the creation of the memory, and most requests name it
}

// An inFlight call was called, and may have taken effect, but has not returned. A callback is one whose entry may still
// have to be taken down.
type inFlight struct {
	fn, op  string
	call    trace.Event
	ret     trace.Event
	effect  func(*inFlight) // nil once taken
	objects []string        // that no other call of the same kind may use meanwhile
	cq      int
}

func (r *Run) verbs() bool { return r.c.Dialect.Ibverbs }

func (r *Run) draw(n int, label string) int { return r.t.Roll(n, label) }

// Event records one event.
func (r *Run) Event(ph trace.Phase, op, fn string, e trace.Event) {
	e.Ph, e.Op, e.Fn, e.Thr = ph, op, fn, "t"
	e.Seq, e.Line = uint64(len(r.Trace.Events)+1), len(r.Trace.Events)+2
	r.Trace.Events = append(r.Trace.Events, e)
}

func (r *Run) newOp() string {
	r.ops++
	return fmt.Sprint(r.ops)
}

// AtOnce is a whole call.
func (r *Run) AtOnce(fn string, call, ret trace.Event) {
	op := r.newOp()
	r.Event(trace.Call, op, fn, call)
	r.Event(trace.Ret, op, fn, ret)
}

// CqName is the name of a CQ in the trace of a run.
func CqName(i int) string { return fmt.Sprintf("cq%d", i+1) }

// QpName is the name of a queue pair in the trace of a run.
func QpName(i int) string { return fmt.Sprintf("qp%d", i+1) }

func wrName(id int) string { return fmt.Sprintf("w%d", id) }

func token(id int) *uint32 { t := uint32(id + 7); return &t }

// begin creates the objects.
func (r *Run) begin() {
	r.drawChannels()
	if r.memory && !r.verbs() {
		r.AtOnce("NdkCreateMr", trace.Event{Mr: "mr"}, r.ok())
	}
	for i, depth := range r.c.Depth {
		call := trace.Event{Cq: CqName(i), Depth: notation.Number(int64(depth))}
		if r.channels != nil {
			call.Channel = r.channels[i]
		}
		r.AtOnce(r.fn("NdkCreateCq", "ibv_create_cq"), call, r.ok())
	}
	for i, b := range r.c.Qps {
		r.signals[i] = r.verbs() && r.draw(8, "sq_sig_all") == 7
		r.AtOnce(r.fn("NdkCreateQp", "ibv_create_qp"), trace.Event{Qp: QpName(i), InitiatorCq: CqName(b.InitiatorCq),
			ReceiveCq: CqName(b.ReceiveCq), SqSigAll: notation.Bool(r.signals[i]), QpType: r.fn("", typeNames[b.Type])}, r.ok())
	}
	if r.draw(4, "connected") == 0 {
		return
	}
	for i := range r.c.Qps {
		if r.draw(12, "connects in vain") == 11 {
			r.connectInVain(i)
			r.effect(r.open[0])
			r.finish(r.open[0])
		}
		r.connect(i)
		r.effect(r.open[0])
		r.finish(r.open[0])
	}
}

func (r *Run) fn(ndk, verbs string) string {
	if r.verbs() {
		return verbs
	}
	return ndk
}

func (r *Run) ok() trace.Event {
	if r.verbs() {
		return trace.Event{}
	}
	return notation.Success
}

// take performs one step of the model, whose successor is drawn.
func (r *Run) take(a model.Action) {
	r.meets(a)
	next, refusal := r.c.Step(r.s, a)
	if len(next) == 0 {
		r.t.Fatalf("the run takes %+v, which the model refuses: %+v", a, refusal)
	}
	r.s = next[r.draw(len(next), "successor")]
	switch a.Name {
	case model.Execute:
		if a.Queue == model.Receive {
			r.received[a.Qp]++
		} else if a.Outcome == model.FAILED {
			r.broken[a.Qp] = true
		}
	case model.Deliver, model.Abort:
		r.received[r.c.Qps[a.Qp].Peer]++
	case model.NdkFlush, model.NdkDisconnect, model.NdkCloseQp: // of which the other end learns nothing in libibverbs
		r.broken[a.Qp] = r.broken[a.Qp] || !r.c.Dialect.ErrorState
	case model.NdkCqNotificationCallbackEnter:
		for i, b := range r.c.Qps {
			if _, known := r.unusable[i]; !known && a.CqStatus != model.OK && (b.InitiatorCq == a.Cq || b.ReceiveCq == a.Cq) {
				r.unusable[i] = len(r.requests)
			}
		}
	case model.Overflow, model.CqInternalError:
		r.lost = true
		for i, b := range r.c.Qps {
			r.broken[i] = r.broken[i] || b.InitiatorCq == a.Cq || b.ReceiveCq == a.Cq
		}
	case model.Post:
		if state := r.s.Qps[a.Qp].State; a.Request.Op.IsSend() && state != model.Ended && state != model.SendError && state != model.SendBroken { // else it is flushed (FLUSH-06)
			r.sends[a.Qp]++
		}
	}
	r.told = append(r.told, fmt.Sprintf("%s cq%d qp%d %v %v %v id%d k%d (after event %d)", a.Name, a.Cq+1, a.Qp+1, a.Queue, a.Outcome,
		a.Type, a.Request.Id, a.K, len(r.Trace.Events)))
}

// meets counts the hidden cases that a step is about to reach.
func (r *Run) meets(a model.Action) {
	switch q := r.s.Cqs[a.Cq]; a.Name {
	case model.NdkArmCq:
		q.Taken = 0 // it holds them no more, though they count (A25)
		r.met.Met(cases.Merge(q.Arm, a.Type))
		switch {
		case r.c.Dialect.FreshMatch(q, model.Stronger(q.Arm, a.Type)):
			r.met.Met(cases.ArmFoundMatch)
		case len(q.Entries) > 0:
			r.met.Met(cases.ArmFoundOthers)
		default:
			r.met.Met(cases.ArmFoundNothing)
		}
	case model.NdkCqNotificationCallbackExit:
		if q.Due > 0 || q.ErrorDue {
			r.met.Met(cases.CallbackDeferred)
		}
	}
}

// start calls a function: it takes effect and returns later.
func (r *Run) start(fn string, call trace.Event, effect func(*inFlight), objects ...string) {
	f := &inFlight{fn: fn, op: r.newOp(), call: call, ret: r.ok(), effect: effect, objects: objects}
	r.open = append(r.open, f)
	r.Event(trace.Call, f.op, fn, call)
	r.still = r.still && !wakes(&r.Trace.Events[len(r.Trace.Events)-1])
}

func (r *Run) finish(f *inFlight) {
	if f.fn == "ibv_destroy_qp" {
		r.mayDrop(index(f.call.Qp))
	}
	r.Event(trace.Ret, f.op, f.fn, f.ret)
	r.open = slices.DeleteFunc(r.open, func(g *inFlight) bool { return f == g })
}

func (r *Run) effect(f *inFlight) {
	f.effect(f)
	f.effect = nil
}

func (r *Run) busy(object string) bool {
	return slices.ContainsFunc(r.open, func(f *inFlight) bool { return slices.Contains(f.objects, object) })
}

// mayShare reports whether a call may begin that uses the object: a second one in libibverbs, which is thread-safe. More
// would only make the search long.
func (r *Run) mayShare(object string) bool {
	return !r.busy(object) || r.Overlaps && r.verbs() && len(r.open) < 3
}

// shared is what makes calls that overlap another one of the object likelier.
func (r *Run) shared(object string) int {
	if r.busy(object) {
		return 8
	}
	return 0
}

// A choice is one thing that can happen next.
type choice struct {
	weight int
	do     func()
}

// choices lists what can happen next, visible and hidden.
func (r *Run) choices() []choice {
	var all []choice
	add := func(weight int, do func()) { all = append(all, choice{weight, do}) }
	for _, f := range r.open {
		if f.effect != nil {
			if !r.blocks(f) {
				add(6, func() { r.effect(f) })
			}
		} else if r.mayReturn(f) {
			add(6, func() { r.finish(f) })
		}
	}
	for i := range r.c.Depth {
		r.ofCq(i, add)
	}
	for i := range r.c.Qps {
		r.ofQp(i, add)
	}
	for _, a := range r.hidden() {
		add(weights[a.Name], func() { r.step(a) })
	}
	return all
}

// Walk lets n things happen.
func (r *Run) Walk(n int) {
	for range n {
		all := r.choices()
		total := 0
		for _, c := range all {
			total += c.weight
		}
		if total == 0 {
			return
		}
		at := r.draw(total, "choice")
		for _, c := range all {
			if at -= c.weight; at < 0 {
				c.do()
				r.closeQps()
				break
			}
		}
	}
}

// String describes the trace, what was hidden in it, and the last state.
func (r *Run) String() string {
	var text strings.Builder
	for i := range r.Trace.Events {
		e := &r.Trace.Events[i]
		fmt.Fprintf(&text, "%3d %-5s %-3s %-26s %s%s%s wr=%s%v %s%s %v", e.Line, e.Ph, e.Op, e.Fn, e.Cq, e.Qp, e.Conn, e.Wr, e.Wrs, e.Type,
			e.Status, e.Flags)
		for _, result := range e.Results {
			fmt.Fprintf(&text, " %s:%s", result.Wr, result.Status)
		}
		text.WriteByte('\n')
	}
	return text.String() + strings.Join(r.told, "\n") + fmt.Sprintf("\n%+v\n%+v", r.c, r.s)
}

// NewRun draws the objects of a run.
func NewRun(t dice, d model.Dialect) *Run {
	if of := os.Getenv("NDK_OBJECTS"); of != "" {
		return newRunOf(t, d, of)
	}
	return newRunOf(t, d, "one QP", "two QPs, one CQ", "connection", "crossed", "tokens", "pair and a third")
}

// newRunOf draws one of these sets of objects.
func newRunOf(t dice, d model.Dialect, objects ...string) *Run {
	c := &model.Contract{Dialect: d}
	shape := objects[t.Roll(len(objects), "objects")]
	switch shape {
	case "one QP":
		c.Depth, c.Qps = []int{4, 2}, []model.Binding{{InitiatorCq: 0, ReceiveCq: t.Roll(2, "cq"), Peer: -1}}
	case "two QPs, one CQ":
		c.Depth, c.Qps = []int{3}, []model.Binding{{Peer: -1}, {Peer: -1}}
	case "connection":
		c.Depth, c.Qps = []int{8, 8}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}
	case "crossed":
		c.Depth, c.Qps = []int{3, 8}, []model.Binding{{InitiatorCq: 0, ReceiveCq: 1, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 0, Peer: 0}}
	case "tokens":
		c.Depth, c.Tokens = []int{8, 8}, 2
		c.Qps = []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}
	case "new memory":
		c.Depth, c.Tokens = []int{8, 8}, 2
		c.Qps = []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 1, ReceiveCq: 1, Peer: 0}}
	case "pair and a third":
		c.Depth = []int{8, 4}
		c.Qps = []model.Binding{{InitiatorCq: 0, ReceiveCq: 0, Peer: 1}, {InitiatorCq: 0, ReceiveCq: 1, Peer: 0}, {InitiatorCq: 1, ReceiveCq: 1, Peer: -1}}
	}
	side := "provider"
	if !d.Ibverbs && t.Roll(4, "side") == 3 {
		side = "consumer"
	}
	header := trace.Header{Dialect: strings.Fields(d.Name)[0], Side: side, Order: "total"}
	r := &Run{t: t, c: c, s: c.Init(), Trace: &trace.Trace{Name: "run", Header: header}, ended: map[string]bool{},
		qpsOfRun: qpsOfRun{broken: map[int]bool{}, sends: map[int]int{}, received: map[int]int{}, signals: map[int]bool{}, failed: map[int]bool{}, vainly: map[int]bool{},
			apart: map[int]bool{}, unusable: map[int]int{}}}
	r.memory = shape == "new memory"
	r.drawTypes()
	r.points = side == "provider" && t.Roll(4, "points") == 3
	r.begin()
	return r
}

// deepen gives every CQ of a run that has just begun more room.
func (r *Run) deepen(depth int) {
	for i := range r.c.Depth {
		r.c.Depth[i] = depth
	}
	for i := range r.Trace.Events {
		if e := &r.Trace.Events[i]; e.Depth != nil {
			e.Depth = notation.Number(int64(depth))
		}
	}
	r.s.Cqs = slices.Clone(r.s.Cqs)
	for i := range r.s.Cqs {
		r.s.Cqs[i].Depth = depth
	}
}
