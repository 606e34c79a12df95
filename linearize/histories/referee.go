package histories

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/model/mc"
	"ndkoracle/trace"
)

// A referee decides a short trace by the plainest search there is: it keeps every state of the contract that the events so
// far may have led to, and before each event takes every hidden step and every effect of an open call, in every order. It
// looks ahead at nothing but what the call that takes effect returned.
type referee struct {
	c     *model.Contract
	spans []*interval
	means *meaning       // of the trace's words
	ids   map[string]int // of requests, by wr
	posts map[int]posted // by id
	fails map[int]bool   // CQs that report an internal error

	candidates []model.Action    // all hidden steps that there are
	told       map[int]string    // how requests ended that a poll delivered, by id
	placed     map[int]*interval // points that say when a completion was placed, by the request's id
	consumer   bool              // the consumer recorded the run: the entries of callbacks may come late
	blame      bool              // a completion tells of a failure that was not a flush
	most       int               // configs at a time
	apart      map[int]bool      // QPs whose disconnect has returned success
	still      bool              // since a moment of rest nothing was called but polls and arms: the provider does nothing of itself
}

type posted struct {
	qp       int
	request  model.Request
	deferred bool
	span     int
	position int // among the accepted of its queue
}

// A config is a state, which calls have taken effect, and the step that led to it.
type config struct {
	s      model.State
	done   uint64
	failed uint64 // the queue pairs of which a request of the initiator queue has failed, a bit each
	how    *taken
}

// to returns the config that k leads to by a step.
func (k config) to(s model.State, done uint64, how taken) config {
	how.from = k.how
	return config{s, done, k.failed | justFailed(k.s, s), &how}
}

type taken struct {
	action *model.Action // a hidden step, or
	span   *interval     // what a call or a callback did
	from   *taken
}

// String tells the steps of the way, oldest first.
func (w *taken) String() string {
	if w == nil {
		return ""
	}
	what := "the end"
	if a := w.action; a != nil {
		what = fmt.Sprintf("%s cq%d qp%d %v %v %v", a.Name, a.Cq+1, a.Qp+1, a.Queue, a.Outcome, a.Solicited)
	} else if w.span != nil {
		what = fmt.Sprintf("%s of line %d", w.span.fn, w.span.begin.Line)
	}
	return w.from.String() + "\n" + what
}

func (k config) appendKey(key []byte) []byte {
	key = binary.LittleEndian.AppendUint64(key, k.done)
	return k.s.AppendKey(binary.LittleEndian.AppendUint64(key, k.failed))
}

func newReferee(m *meaning, t *trace.Trace) *referee {
	ref := &referee{c: m.contract, means: m, spans: intervals(t.Events), ids: map[string]int{}, posts: map[int]posted{}, fails: map[int]bool{},
		told: map[int]string{}, placed: map[int]*interval{}, apart: map[int]bool{}, consumer: t.Header.Side == "consumer"}
	for i := range ref.c.Depth {
		for _, name := range []model.Name{model.Overflow, model.CqInternalError, model.ExtraEvent, model.Resize} {
			ref.candidates = append(ref.candidates, model.Action{Name: name, Cq: i})
		}
	}
	for i, b := range ref.c.Qps {
		a := model.Action{Qp: i, Token: model.NoToken}
		for _, a.Name = range []model.Name{model.ConnectionLost, model.HwIndicate, model.Deliver} {
			ref.candidates = append(ref.candidates, a)
		}
		for _, a.Queue = range []model.Queue{model.Initiator, model.Receive} {
			a.Name, a.Solicited, a.Outcome = model.Complete, false, model.SUCCESS
			ref.candidates = append(ref.candidates, a)
			a.Name = model.Execute
			for a.At = range 5 {
				for _, a.Outcome = range []model.Outcome{model.SUCCESS, model.FAILED, model.CANCELLED} {
					ref.candidates = append(ref.candidates, a)
				}
				if a.Queue != model.Receive {
					continue
				}
				solicited := a
				solicited.Outcome, solicited.Solicited = model.SUCCESS, true
				ref.candidates = append(ref.candidates, solicited)
				for token := range ref.c.Tokens { // of a message whose sender the trace does not tell
					if b.Peer < 0 {
						plain, asks := a, solicited
						plain.Outcome, plain.Token, asks.Token = model.SUCCESS, token, token
						ref.candidates = append(ref.candidates, plain, asks)
					}
				}
			}
			a.At = 0
		}
		a.Name = model.Abort
		for _, a.Outcome = range []model.Outcome{model.SUCCESS, model.FAILED} {
			for _, a.Received = range []model.Outcome{model.FAILED, model.CANCELLED} {
				ref.candidates = append(ref.candidates, a)
			}
		}
	}
	positions := map[string]int{}
	for i, s := range ref.spans {
		if s.kind == calls.Placed {
			ref.placed[idOf(s.begin.Wr)] = s
			ref.blame = ref.blame || calls.OutcomeOf(s.begin.Status) == model.FAILED
		}
		if s.kind == calls.Callback && s.begin.Status == "STATUS_INTERNAL_ERROR" {
			ref.fails[index(s.begin.Cq)] = true
		}
		if s.kind == calls.PollCq && s.returned() {
			for _, result := range s.end.Results {
				ref.blame = ref.blame || calls.OutcomeOf(result.Status) == model.FAILED
				ref.told[idOf(result.Wr)] = result.Status
			}
		}
		if s.kind != calls.Post {
			continue
		}
		wr, flags := s.begin.Wr, s.begin.Flags
		if len(s.begin.Wrs) > 0 {
			wr, flags = s.begin.Wrs[0].Wr, s.begin.Wrs[0].Flags
		}
		id := idOf(wr)
		p := posted{qp: index(s.begin.Qp), request: m.requests[id], deferred: slices.Contains(flags, "DEFER"), span: i}
		if ref.accepted(s) {
			lane := s.begin.Qp + p.request.Op.Queue().String()
			p.position = positions[lane]
			positions[lane]++
		}
		ref.ids[wr], ref.posts[id] = id, p
	}
	return ref
}

func (ref *referee) accepted(s *interval) bool { return !s.returned() || s.succeeded() }

// index is the number in the name of an object, from 0.
func index(name string) int {
	i, err := strconv.Atoi(name[2:])
	if err != nil {
		panic(err)
	}
	return i - 1
}

// idOf is the number in the name of a request.
func idOf(wr string) int {
	id, err := strconv.Atoi(wr[1:])
	if err != nil {
		panic(err)
	}
	return id
}

// plainly searches for a way on which the contract allows a trace, whatever it means: it returns one, or nil and the last event at which there
// is none left. known is false where there are too many meanings or states to tell; most bounds the states at a time.
func plainly(d model.Dialect, t *trace.Trace, quiescent bool, most int) (way *taken, known bool, at int) {
	for _, breaks := range []func([]trace.Event) int{succeedsOnUnusable, receivesUnsent} {
		if at := breaks(t.Events); at >= 0 {
			return nil, true, at
		}
	}
	all := meanings(d, t.Events)
	known = len(all) > 0
	for _, m := range all {
		ref := newReferee(m, t)
		if ref.most = most; len(ref.spans) > mostSpans {
			return nil, false, 0
		}
		one, told, until := ref.allows(t.Events, quiescent)
		if one != nil {
			return one, true, len(t.Events)
		}
		known, at = known && told, max(at, until)
	}
	return nil, known, at
}

// mostConfigs bounds the states that a referee keeps at a time, where little has to be searched.
const mostConfigs = 2_000

// mostSpans bounds the calls and callbacks of a trace that a referee can tell apart.
const mostSpans = 64

// allows returns a way on which the contract allows the events, or nil and the event at which there is none left; known is
// false when there are too many states to tell.
func (ref *referee) allows(events []trace.Event, quiescent bool) (way *taken, known bool, at int) {
	w := &ways{ref: ref, reached: map[string]config{}, number: map[*interval]int{}}
	w.put(config{s: ref.c.Init()})
	byEvent := map[int]*interval{}
	for i, s := range ref.spans {
		byEvent[s.call], w.number[s] = s, i
		if s.returned() {
			byEvent[s.ret] = s
		}
	}
	for i := range ref.c.Depth {
		w.begin(ref.turns(CqName(i), 0)...)
	}
	for i := range len(events) + 1 {
		if !w.explore() {
			return nil, false, i
		}
		if i == len(events) {
			if quiescent {
				w.keep(func(k config) bool { return ref.atRest(k, w.open, i) })
			}
			break
		}
		s := byEvent[i]
		if ref.still && i == s.call && wakes(s.begin) {
			ref.still = false
			w.again()
		}
		switch {
		case s.kind == calls.Quiesce:
			w.keep(func(k config) bool { return ref.atRest(k, w.open, i) })
			w.again()
			ref.still = !slices.ContainsFunc(w.open, func(s *interval) bool { return wakes(s.begin) })
		case s.kind == calls.Placed:
			w.replace(s, func(k config) []model.State { return ref.places(k.s, s) })
		case s.kind == calls.Callback && ref.consumer && i == s.call:
			w.returns(s)
		case s.kind == calls.Callback || s.kind == calls.CloseDone || s.fn == "NdkRequestCompletion":
			w.replace(s, func(k config) []model.State { return ref.moment(k.s, s, i == s.call) })
			w.begin(ref.turns(s.begin.Cq, i)...)
		case i == s.call:
			w.begin(s)
		default:
			w.returns(s)
			if s.fn == "NdkDisconnect" && s.succeeded() && !s.pending() {
				ref.apart[index(s.begin.Qp)] = true
			}
			if s.kind == calls.ConnectQp && !s.succeeded() {
				w.replace(s, func(k config) []model.State { return ref.lost(k.s, index(s.begin.Qp)) })
			}
			if s.kind == calls.CloseQp && !s.pending() {
				w.replace(s, func(k config) []model.State { return ref.closed(k.s, index(s.begin.Qp)) })
			}
		}
		if len(w.reached) == 0 {
			return nil, true, i
		}
	}
	for _, k := range w.reached {
		return &taken{nil, nil, k.how}, true, len(events)
	}
	return nil, true, len(events)
}

// ways are all that the events so far may have led to: with each config every other that hidden steps and effects of open calls
// make of it.
type ways struct {
	ref        *referee
	reached    map[string]config
	unexplored []config
	open       []*interval
	number     map[*interval]int
	key        []byte
}

func (w *ways) put(k config) {
	w.key = k.appendKey(w.key[:0])
	if _, known := w.reached[string(w.key)]; !known && w.ref.asTold(k.s) {
		w.reached[string(w.key)] = k
		w.unexplored = append(w.unexplored, k)
	}
}

// replace leads each config to what an event makes of it.
func (w *ways) replace(of *interval, next func(config) []model.State) {
	before := w.reached
	w.reached = map[string]config{}
	for _, k := range before {
		for _, s := range next(k) {
			w.put(k.to(s, k.done, taken{span: of}))
		}
	}
}

// begin lets calls take effect from now on.
func (w *ways) begin(spans ...*interval) {
	for _, s := range spans {
		w.open = append(w.open, s)
		for _, k := range w.reached {
			w.effect(k, s)
		}
	}
}

// returns drops the configs in which a call that returns has not taken effect.
func (w *ways) returns(s *interval) {
	w.open = slices.DeleteFunc(w.open, func(o *interval) bool { return o == s })
	w.keep(func(k config) bool { return k.done>>w.number[s]&1 == 1 })
}

// keep drops the configs of which something does not hold.
func (w *ways) keep(holds func(config) bool) {
	for key, k := range w.reached {
		if !holds(k) {
			delete(w.reached, key)
		}
	}
}

// again lets all configs be explored once more: what some of them lead to was dropped.
func (w *ways) again() {
	for _, k := range w.reached {
		w.unexplored = append(w.unexplored, k)
	}
}

// explore adds what hidden steps and effects of open calls lead to, and reports whether that is not too much.
func (w *ways) explore() bool {
	for len(w.unexplored) > 0 {
		last := len(w.unexplored) - 1
		k := w.unexplored[last]
		w.unexplored = w.unexplored[:last]
		if len(w.reached) > w.ref.most {
			return false
		}
		for i, a := range w.ref.candidates {
			if a.Name == model.Execute && a.At >= len(k.s.Qps[a.Qp].Queue(a.Queue)) {
				continue
			}
			if !w.ref.plausible(k, a) {
				continue
			}
			if next, _ := w.ref.c.Step(k.s, a); len(next) > 0 {
				for _, s := range next {
					w.put(k.to(s, k.done, taken{action: &w.ref.candidates[i]}))
				}
			}
		}
		for _, s := range w.open {
			w.effect(k, s)
		}
	}
	return true
}

// effect lets an open call take effect, once. The close of a QP that returns success has completed at some moment since.
func (w *ways) effect(k config, of *interval) {
	bit := uint64(1) << w.number[of]
	switch {
	case k.done&bit == 0:
		for _, s := range w.ref.effect(k.s, of) {
			w.put(k.to(s, k.done|bit, taken{span: of}))
		}
	case of.kind == calls.CloseQp && of.returned() && of.succeeded() && !of.pending():
		for _, s := range w.ref.closed(k.s, index(of.begin.Qp)) {
			w.put(k.to(s, k.done, taken{span: of}))
		}
	}
}

// asTold reports whether each request that has its outcome has the one that a poll tells. Without it the search would find
// out at the poll, and try all the others until then.
func (ref *referee) asTold(s model.State) bool {
	for _, p := range s.Qps {
		for _, queue := range [][]model.Request{p.Initiator, p.Receive} {
			for _, q := range queue {
				if status := ref.told[q.Id]; status != "" && q.Phase >= model.Executed && !ref.tells(status, model.Outcome(q.Phase-model.Executed)) {
					return false
				}
			}
		}
	}
	return true
}

// ofConnections are the hidden steps that end or complete requests. Those of one whose peer the trace does not record may be the peer's doing.
var ofConnections = []model.Name{model.ConnectionLost, model.HwIndicate, model.Deliver, model.Execute, model.Abort, model.Complete}

// wakes reports whether a call may give a provider at rest something to do on a connection.
func wakes(call *trace.Event) bool {
	switch calls.KindOf(call) {
	case calls.PollCq, calls.ArmCq, calls.Callback, calls.ReadEvent, calls.Quiesce, calls.Placed:
		return false
	}
	return call.Fn != "ibv_ack_cq_events"
}

// plausible reports whether a hidden step that the parts of the contract allow is one of the whole: as in the runs that
// traces come from.
func (ref *referee) plausible(k config, a model.Action) bool {
	r := Run{c: ref.c, s: k.s}
	if ref.still && ref.c.Qps[a.Qp].Peer >= 0 && slices.Contains(ofConnections, a.Name) {
		return false
	}
	switch a.Name {
	case model.Complete:
		queue := k.s.Qps[a.Qp].Queue(a.Queue)
		return len(queue) == 0 || ref.placed[queue[0].Id] == nil
	case model.Execute:
		idle := k.s.Qps[a.Qp].State == model.Idle && ref.c.Qps[a.Qp].Peer >= 0
		return !idle && !(a.Outcome == model.SUCCESS && (r.needsPeer(a) || ref.isUnanswered(k.s, a)))
	case model.Overflow:
		return !r.idle(a.Cq) && r.waitsForRoom(a.Cq)
	case model.CqInternalError:
		return ref.fails[a.Cq]
	case model.ConnectionLost:
		peer := ref.c.Qps[a.Qp].Peer
		broken := peer >= 0 && k.s.Qps[peer].State != model.Idle && k.s.Qps[peer].State != model.Connected
		return peer < 0 || broken && ref.endsPeer(k, peer) || ref.losesRequest(k.s, a.Qp)
	}
	return true
}

// losesRequest reports whether a request of a queue pair is pending that is told as cancelled: the loss of its connection may have cancelled it.
func (ref *referee) losesRequest(s model.State, qp int) bool {
	lost := func(q model.Request) bool {
		status := ref.told[q.Id]
		if point := ref.placed[q.Id]; point != nil {
			status = point.begin.Status
		}
		return q.Phase < model.Executed && status != "" && ref.tells(status, model.CANCELLED)
	}
	return ref.c.Dialect.LossCancels && (slices.ContainsFunc(s.Qps[qp].Initiator, lost) || slices.ContainsFunc(s.Qps[qp].Receive, lost))
}

// answered returns a state as the initiator queue of a queue pair sees it at a moment of rest: where the other end of its connection was lost, this
// one was, too, so no send waits there for a receive.
func (ref *referee) answered(s model.State, qp int) model.State {
	peer := ref.c.Qps[qp].Peer
	if peer < 0 || !ref.c.Dialect.LossCancels || s.Qps[peer].State != model.Ended || s.Qps[qp].State != model.Connected && s.Qps[qp].State != model.Doubtful {
		return s
	}
	s.Qps = slices.Clone(s.Qps)
	s.Qps[qp].State = model.Ended
	return s
}

// isUnanswered reports whether a request reads or writes memory at the other end of a connection that was lost there, or where a disconnect has
// completed.
func (ref *referee) isUnanswered(s model.State, a model.Action) bool {
	at := mc.MemoryAt(ref.c, s, a)
	if at < 0 || !ref.c.Dialect.LossCancels {
		return false
	}
	there := s.Qps[at].State
	return mc.IsUnanswered(ref.c, s, a) || ref.apart[at] && (there == model.Disconnected || there.Closing())
}

// closed returns the states after the close of a QP has completed: what it had not placed by then it never will (LIFE-07), and what it had
// stays or vanishes (A21).
func (ref *referee) closed(s model.State, qp int) []model.State {
	s.Qps = slices.Clone(s.Qps)
	s.Qps[qp].Initiator, s.Qps[qp].Receive = nil, nil
	dropped, _ := ref.c.Step(s, model.Action{Name: model.NdkCloseCompletionEnter, Qp: qp, Dropped: true})
	return append(dropped, s)
}

// lost returns the states after an attempt to connect has failed: a connection that it had made is lost.
func (ref *referee) lost(s model.State, qp int) []model.State {
	switch s.Qps[qp].State {
	case model.Connected, model.Doubtful, model.Broken: // what failed meanwhile has not made it last longer
		next, _ := ref.c.Step(s, model.Action{Name: model.ConnectionLost, Qp: qp})
		return next
	}
	return []model.State{s}
}

// turns returns the callbacks of a CQ that the provider may have begun from the event at on, where the consumer records their
// entries: since the return of the callback before, where callbacks are serialised, and else since the beginning.
func (ref *referee) turns(cq string, at int) []*interval {
	if !ref.consumer {
		return nil
	}
	var all []*interval
	for _, s := range ref.spans {
		if s.kind != calls.Callback || s.begin.Cq != cq {
			continue
		}
		from := 0
		for _, other := range ref.spans {
			if ref.c.Dialect.Serialised && other.kind == calls.Callback && other.begin.Cq == cq && other.ret < s.call {
				from = max(from, other.ret)
			}
		}
		if from == at {
			all = append(all, s)
		}
	}
	return all
}

// places returns the states in which a completion is placed that a point tells of.
func (ref *referee) places(s model.State, point *interval) []model.State {
	id := idOf(point.begin.Wr)
	p := ref.posts[id]
	queue, cq := s.Qps[p.qp].Queue(p.request.Op.Queue()), index(point.begin.Cq)
	if len(queue) == 0 || queue[0].Id != id {
		return nil
	}
	next, _ := ref.c.Step(s, model.Action{Name: model.Complete, Qp: p.qp, Queue: p.request.Op.Queue(), Token: model.NoToken})
	return slices.DeleteFunc(next, func(s model.State) bool {
		entries := s.Cqs[cq].Entries
		if len(entries) == 0 {
			return true
		}
		c := entries[len(entries)-1]
		return c.Request != id || !ref.tells(point.begin.Status, c.Status) ||
			p.request.Op == model.ReceiveOp && point.begin.Solicited != nil && c.Solicited != *point.begin.Solicited
	})
}

// moment is what the entry and the return of a callback do.
func (ref *referee) moment(s model.State, of *interval, enter bool) []model.State {
	a := model.Action{Cq: 0}
	switch {
	case of.kind == calls.CloseDone && !enter:
		return []model.State{s}
	case of.fn == "NdkRequestCompletion":
		return ref.resized(s, of, enter)
	case of.kind == calls.CloseDone:
		a.Name = model.NdkCloseCompletion
		for _, call := range ref.spans {
			if call.begin.Op != of.begin.For {
				continue
			}
			if call.kind == calls.CloseQp {
				return ref.closed(s, index(call.begin.Qp))
			}
			a.Cq = index(call.begin.Cq)
		}
	case enter:
		a.Name, a.Cq = model.NdkCqNotificationCallbackEnter, index(of.begin.Cq)
		a.CqStatus, _ = calls.HealthOf(of.begin.Status)
	case !ref.c.Dialect.Serialised:
		return []model.State{s}
	default:
		a.Name, a.Cq = model.NdkCqNotificationCallbackExit, index(of.begin.Cq)
	}
	next, _ := ref.c.Step(s, a)
	return next
}

// effect is what a call does, given what it returned.
func (ref *referee) effect(s model.State, of *interval) []model.State {
	e := of.begin
	a := model.Action{}
	if e.Cq != "" {
		a.Cq = index(e.Cq)
	}
	if e.Qp != "" {
		a.Qp = index(e.Qp)
	}
	switch of.kind {
	case calls.Callback:
		return ref.moment(s, of, true)
	case calls.ConnectQp:
		if of.returned() && !of.succeeded() {
			after := afterFailedConnect(ref.c, s, a.Qp)
			if len(after) > 1 && !calls.MadeNoConnection(of.end.Status) { // it may have made a connection, which is lost by its return
				made, _ := ref.c.Step(s, model.Action{Name: model.NdkConnect, Qp: a.Qp})
				after = append(after, made...)
			}
			return after
		}
		if again, ended := s.ConnectAgain(ref.c.Dialect, a.Qp); ended && !of.verbs() {
			return []model.State{again}
		}
		a.Name = model.NdkConnect
	case calls.Post:
		wr := e.Wr
		if len(e.Wrs) > 0 {
			wr = e.Wrs[0].Wr
		}
		p := ref.posts[ref.ids[wr]]
		a.Name, a.Request, a.Queue, a.Deferred = model.Post, p.request, p.request.Op.Queue(), p.deferred
		if !ref.accepted(of) {
			a.Name = model.PostRefused
		}
	case calls.ArmCq:
		a.Name = model.NdkArmCq
		a.Type, _ = calls.ArmOf(e)
	case calls.PollCq:
		if !of.returned() {
			return nil
		}
		a.Name, a.N, a.K = model.NdkGetCqResults, int(*e.N), len(of.end.Results)
		entries := s.Cqs[a.Cq].Entries
		for i, result := range of.end.Results {
			if i >= len(entries) || entries[i].Request != ref.ids[result.Wr] || !ref.tells(result.Status, entries[i].Status) {
				return nil
			}
		}
	case calls.ResizeCq:
		return ref.resize(s, of)
	case calls.FlushQp:
		if a.Name = model.NdkFlush; of.fn == "NdkDisconnect" {
			a.Name = model.NdkDisconnect
		}
	case calls.CloseQp:
		a.Name = model.NdkCloseQp
	case calls.CloseCq:
		a.Name = model.NdkCloseCq
		next, _ := ref.c.Step(s, a)
		if of.pending() || len(next) == 0 {
			return next
		}
		a.Name = model.NdkCloseCompletion
		next, _ = ref.c.Step(next[0], a)
		return next
	case calls.ReadEvent:
		if !of.returned() {
			return nil
		}
		a.Name, a.Cq = model.NdkCqNotificationCallbackEnter, index(of.end.Cq)
	default: // the creation of an object
		return []model.State{s}
	}
	next, _ := ref.c.Step(s, a)
	return next
}

// tells reports whether a poll may report an outcome so. Some verbs devices report the failure itself as flushed.
func (ref *referee) tells(status string, outcome model.Outcome) bool {
	told := calls.OutcomeOf(status)
	return told == outcome || ref.c.Dialect.FailsAsFlushed && !ref.blame && told == model.CANCELLED && outcome == model.FAILED
}

// atRest reports whether nothing is owed in a state at a moment: no callback, no event to a call that waits for one, no close,
// and no completion of a request that needs nobody.
func (ref *referee) atRest(k config, open []*interval, at int) bool {
	quiet := !slices.ContainsFunc(ref.spans, func(s *interval) bool { return s.begin.Ph == trace.Enter && s.call < at && s.ret > at })
	for i, q := range k.s.Cqs {
		if quiet && (q.Open == model.Closing || q.Resize != model.NotResizing) {
			return false // its QPs were closed before
		}
		read := slices.ContainsFunc(open, func(s *interval) bool { return s.kind == calls.ReadEvent && ref.means.waits(s.begin, i) })
		if ref.c.Dialect.Serialised && q.Running || q.Open == model.Closed || ref.c.Dialect.EventsAreRead && !read {
			continue
		}
		waits := len(q.Entries) == 0 && ref.c.Dialect.A6 == model.A6Never
		if q.Due > 0 && !waits || q.ErrorDue {
			return false
		}
	}
	for i := range k.s.Qps {
		if ref.c.Owes(ref.answered(k.s, i), i, model.Initiator) || ref.c.Owes(k.s, i, model.Receive) {
			return false
		}
	}
	return true
}
