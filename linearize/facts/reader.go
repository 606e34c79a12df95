package facts

import (
	"cmp"
	"math"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A Reader makes facts of events.
type Reader struct {
	to        Sink
	at        int
	underWay  calls.Open[Call]
	pending   map[string]*Call // calls that returned STATUS_PENDING, by op
	spare     []*Call
	signaling map[string]*signaling // of queue pairs of libibverbs
	waking    int                   // calls under way that may give a provider at rest something to do
	still     Moment
	memory    map[string]*memory // regions and windows
	giving    int                // calls under way that may give memory a token that the trace does not record
	given     int                // the latest event by which one of them may have, or 0
	shared    shared
}

// NewReader returns a reader that tells a sink what it reads.
func NewReader(to Sink) *Reader {
	return &Reader{to: to, pending: map[string]*Call{}, signaling: map[string]*signaling{},
		memory: map[string]*memory{}}
}

// Read reads the next event.
func (r *Reader) Read(e *trace.Event) {
	r.at++
	m := Moment{r.at, e.Line}
	switch e.Ph {
	case trace.Call, trace.Enter:
		c := r.newCall()
		c.Function, c.Moment, c.Fn = calls.FunctionOf(e), m, e.Fn
		c.Cq, c.Qp, c.Conn = e.Cq, e.Qp, e.Conn
		if r.underWay.Begin(e.Op, c); wakes(c) {
			r.waking++
			r.still = Moment{}
		}
		r.begin(c, e, m)
	case trace.Ret, trace.Exit:
		c := r.underWay.End(e.Op)
		if c == nil {
			return
		}
		if wakes(c) {
			r.waking--
		}
		if r.end(c, e, m); !calls.Pending(e) && c.Kind != calls.FlushQp && c.Kind != calls.CloseQp {
			r.spare = append(r.spare, c)
		}
	case trace.Point:
		switch calls.KindOf(e) {
		case calls.Quiesce:
			r.rest(m)
		case calls.Placed:
			r.to.Placed(m, e.Cq, e.Wr, calls.OutcomeOf(e.Status))
		}
	}
}

// depthOf returns how many completions a CQ holds, or more than any does where the trace does not record it.
func depthOf(depth *int64) int {
	if depth == nil {
		return math.MaxInt32
	}
	return int(*depth)
}

// Finish reads the end of the trace.
func (r *Reader) Finish(quiescent bool) {
	if r.at++; quiescent {
		r.rest(Moment{r.at, r.at + 1})
	}
}

func (r *Reader) rest(m Moment) {
	if r.still.At == 0 && r.waking == 0 {
		r.still = m
	}
	r.to.Rest(m)
}

// wakes reports whether a call may give a provider at rest something to do on a connection.
func wakes(c *Call) bool {
	switch c.Kind {
	case calls.PollCq, calls.ArmCq, calls.Callback, calls.ReadEvent:
		return false
	}
	return c.Fn != "ibv_ack_cq_events"
}

// move handles a call that moves a queue pair of libibverbs to a state which neither connects nor flushes it. A second move to RTS may bring back
// an initiator queue that a failure had stopped.
func (r *Reader) move(c *Call, e *trace.Event) {
	sends, of := strings.HasSuffix(e.State, "RTS"), r.signalingOf(e.Qp)
	if r.moves(c, true) {
		r.to.Beyond("", e.Qp, "calls overlap that move a queue pair")
	}
	if sends && of.sends {
		r.to.Resumed(e.Qp)
	}
	of.sends = of.sends || sends
}

// moves reports whether another call is under way that moves the same queue pair of libibverbs: any, or one that does not flush it. Of two that flush it
// the order does not matter.
func (r *Reader) moves(c *Call, each bool) bool {
	for _, other := range r.underWay.All() {
		if other != c && other.Fn == c.Fn && other.Qp == c.Qp && c.Verbs && (each || other.Kind != calls.FlushQp) {
			return true
		}
	}
	return false
}

func (r *Reader) newCall() *Call {
	n := len(r.spare)
	if n == 0 {
		return &Call{}
	}
	c := r.spare[n-1]
	r.spare = r.spare[:n-1]
	*c = Call{Requests: c.Requests[:0]}
	return c
}

func (r *Reader) begin(c *Call, e *trace.Event, m Moment) {
	if calls.GivesUntoldToken(e.Fn) {
		r.giving++
	}
	switch c.Kind {
	case calls.CreateCq:
		c.depth = e.Depth
		r.to.CqCreated(e.Cq, depthOf(e.Depth))
	case calls.CreateRegion:
		c.memory = append(c.memory, e.Mr+e.Mw)
	case calls.CloseRegion:
		c.dying = r.memoryOf(e.Mr + e.Mw).tokens
		delete(r.memory, e.Mr+e.Mw)
	case calls.CreateQp:
		r.createQp(e)
	case calls.ConnectQp:
		r.signalingOf(e.Qp).used = true
		r.to.ConnectCalled(m, e.Qp, e.Conn)
	case calls.CompleteConnection:
		if e.Qp != "" {
			r.to.CompletesConnect(m, e.Qp, false)
		}
	case calls.Post:
		r.signalingOf(e.Qp).used = true
		r.requests(c, e)
		r.to.PostCalled(c)
	case calls.PollCq:
		if e.N != nil {
			c.Room = *e.N
		}
		r.to.PollCalled(c)
	case calls.Callback:
		if health, ok := calls.HealthOf(e.Status); !ok || health != model.OK {
			r.to.CqFailed(m, e.Cq, health == model.BufferOverflow)
		}
	case calls.FlushQp:
		if r.moves(c, false) {
			r.to.Beyond("", e.Qp, "calls overlap that move a queue pair")
		}
		if strings.HasSuffix(e.State, "SQE") {
			r.to.Beyond("", e.Qp, "a flush of the send queue alone")
		}
		r.to.FlushCalled(c)
	case calls.CloseQp:
		r.to.CloseQpCalled(m, e.Qp)
		r.to.FlushCalled(c)
	case calls.ResizeCq:
		if c.depth = e.Depth; c.depth == nil {
			r.to.Beyond(e.Cq, "", "a CQ is resized to a depth that is not known")
			break
		}
		r.to.CqResizing(m, e.Cq, int(*e.Depth))
	case calls.Other:
		if c.Fn == "ibv_modify_qp" && !e.NoEffect {
			r.move(c, e)
		}
		if tellsToken(c.Fn) {
			c.memory = append(c.memory, e.Mr+e.Mw)
			c.of = r.memory[e.Mr+e.Mw]
		}
	case calls.CloseCq:
		r.to.CqClosing(e.Cq)
	case calls.UnsettleQp:
		if r.signalingOf(e.Qp).used {
			r.to.Beyond("", e.Qp, "a state of ibv_modify_qp")
		}
	case calls.PostShared:
		if len(e.Wrs) == 0 {
			r.to.SharedPosted(m, e.Srq, e.Wr)
		}
		for _, w := range e.Wrs {
			r.to.SharedPosted(m, e.Srq, w.Wr)
		}
		r.shared.posted = true
		r.mayShare()
	}
	if e.For == "" {
		return
	}
	if of := cmp.Or(r.pending[e.For], r.underWay.Find(e.For)); of != nil && !of.answered {
		of.answered = true
		delete(r.pending, e.For)
		r.answered(of, calls.ReportsSuccess(e) || c.Kind == calls.CloseDone, e.Status, m)
	}
}

// answered handles the callback of a call that returned STATUS_PENDING.
func (r *Reader) answered(c *Call, success bool, status string, m Moment) {
	r.gaveToken(c, success)
	switch c.Kind {
	case calls.ConnectQp:
		r.connected(c, success, status, m)
	case calls.CompleteConnection:
		r.to.CompletesConnect(m, c.Qp, true)
	case calls.FlushQp:
		r.flushed(c, success, true, m)
	case calls.ResizeCq:
		r.resized(c, success, m)
	case calls.CloseQp:
		r.closed(c, m)
	case calls.CloseCq:
		r.to.CqClosed(c.Cq)
	case calls.CloseRegion:
		r.memoryClosed(c, m)
	}
}

// closed handles the end of the close of a queue pair.
func (r *Reader) closed(c *Call, m Moment) {
	delete(r.signaling, c.Qp)
	r.to.FlushDone(m, c)
}

func (r *Reader) connected(c *Call, success bool, status string, m Moment) {
	if success {
		r.to.Connected(m, c.Qp)
	} else {
		r.to.ConnectFailed(m, c.Qp, !c.Verbs && !calls.MadeNoConnection(status))
	}
}

func (r *Reader) resized(c *Call, success bool, m Moment) {
	if c.depth != nil {
		r.to.CqResized(m, c.Cq, int(*c.depth), success)
	}
}

func (r *Reader) flushed(c *Call, success, unsure bool, m Moment) {
	if success {
		r.to.FlushDone(m, c)
	} else {
		r.to.FlushFailed(m, c, unsure)
	}
}

func (r *Reader) end(c *Call, e *trace.Event, m Moment) {
	refused, pends := calls.IsRefusal(c.Verbs, e), calls.Pending(e)
	if pends && !c.answered {
		r.pending[e.Op] = c
	}
	if !pends && !c.answered {
		r.gaveToken(c, !refused)
	}
	switch c.Kind {
	case calls.CreateCq:
		if depth := cmp.Or(e.Depth, c.depth); depth != nil && !refused {
			r.to.CqCreated(c.Cq, depthOf(depth))
		}
	case calls.CreateRegion:
		if !refused {
			r.memoryOf(c.memory[0]).created = true
		}
	case calls.CloseRegion:
		if !refused && !pends {
			r.memoryClosed(c, m)
		}
	case calls.ResizeCq:
		if !pends {
			r.resized(c, !refused, m)
		}
	case calls.ConnectQp:
		if !pends {
			r.connected(c, !refused, e.Status, m)
		}
	case calls.CompleteConnection:
		if !pends {
			r.to.CompletesConnect(m, c.Qp, true)
		}
	case calls.Post:
		c.Invalid = e.Status == "STATUS_CONNECTION_INVALID"
		if len(c.Requests) == 1 && c.Requests[0].Op.Registers() && c.Requests[0].Token == nil {
			c.Requests[0].Token = e.Token
			r.gives(e.Token, c.memory...)
		}
		r.to.PostReturned(m, c, r.accepted(c, e))
	case calls.PollCq:
		if refused || c.Verbs && e.Errno != "" && e.Errno != "0" {
			c.Room = 0
		}
		if e.Cut > 0 {
			r.to.Beyond("", "", "a list of results that was cut short")
		}
		c.Still = r.still
		r.to.PollReturned(m, c, e.Results)
	case calls.FlushQp:
		if !pends {
			r.flushed(c, !refused, c.Fn == "NdkDisconnect", m)
		}
	case calls.CloseQp:
		switch {
		case refused:
			r.to.FlushFailed(m, c, false)
			r.to.CloseQpRefused(c.Qp)
		case !pends:
			r.closed(c, m)
		}
	case calls.CloseCq:
		if !refused && !pends {
			r.to.CqClosed(c.Cq)
		}
	case calls.Other:
		if tellsToken(c.Fn) && !refused {
			r.told(c, e.Token)
		}
	case calls.DeviceEvent:
		if cq, _, is := calls.CqErrorOf(e); is {
			r.to.CqFailed(m, cq, false)
		}
		if calls.MayFailDevice(e) {
			r.to.Beyond("", "", "the device failed")
		}
	}
}
