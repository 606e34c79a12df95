// Package resets reads a queue pair of libibverbs that is reset as two: ibv_modify_qp to RESET destroys the first, and the next move to INIT creates the
// second. So no engine needs a rule about RESET.
//
// RESET drops the requests that have not completed, and a provider may drop the completions that lie in the CQs (ibv_modify_qp(3)). A destruction does
// the same. The queue pair keeps its CQs, its type, its limits and its shared receive queue, and has no connection.
package resets

import (
	"cmp"
	"fmt"
	"strings"

	"ndkoracle/trace"
)

// The functions of the events that stand for another one: what a move to RESET, and to INIT, is judged as, and the destruction of a queue pair in RESET, of
// which only its lifetime is judged.
const (
	ToReset         = "ibv_modify_qp(RESET)"
	ToInit          = "ibv_modify_qp(INIT)"
	DestroysInReset = "ibv_destroy_qp(RESET)"
)

// suffix stands between the name of a queue pair and how often it was reset.
const suffix = " after reset "

// NameOf returns the name in the trace of a queue pair that is judged by a name.
func NameOf(qp string) string {
	name, _, _ := strings.Cut(qp, suffix)
	return name
}

// A Reader reads the events of one trace, in order. The zero value has read none.
type Reader struct {
	qps    map[string]*qp      // that the trace creates
	moving map[string]*move    // by op: the calls that create a queue pair, or a life of it, or end one
	conns  map[string]*members // by the name that the trace has
	posts  map[string]*qp      // by op: calls that post in the state RESET
	again  bool                // a queue pair was reset
	joined bool                // the other end of a connection may be in another trace, which counts its resets apart
	gone   []string            // queue pairs that were destroyed after a reset, the latest last
}

// maxGone bounds the destroyed queue pairs that are kept: a poll may yet return their completions.
const maxGone = 1 << 10

// Join says that the other ends of connections may be in another trace.
func (r *Reader) Join() { r.joined = true }

// A qp is one queue pair of the trace, and how often it was reset.
type qp struct {
	name      string
	created   trace.Event // the call that creates it, with the limits of the return
	resets    int
	resetting bool // ibv_modify_qp to RESET has not returned
	atRest    bool // it is in the state RESET by a reset
	gone      bool // it was destroyed
	conn      string
}

// A move is a call that has not returned, and the function that it is judged as.
type move struct {
	qp *qp
	fn string
}

// members are the queue pairs that were connected by one name of a connection. Those that left it by a reset are false.
type members struct {
	times int // how often all had left by a reset, and others came
	of    map[*qp]bool
}

// Of returns a trace as it is judged. Where nothing is reset that is t itself. A move that is marked to have no effect is passed over.
func Of(t *trace.Trace) *trace.Trace {
	var r Reader
	read := t
	for i := range t.Events {
		e := r.Read(&t.Events[i])
		if e == &t.Events[i] {
			continue
		}
		if read == t {
			copied := *t
			copied.Events = append([]trace.Event(nil), t.Events...)
			read = &copied
		}
		read.Events[i] = *e
	}
	return read
}

// Read returns the next event as it is judged: e itself, or another one in its place.
func (r *Reader) Read(e *trace.Event) *trace.Event {
	switch {
	case !strings.HasPrefix(e.Fn, "ibv_"):
	case e.Fn == "ibv_modify_qp" && e.Ph == trace.Call:
		if p := r.qps[e.Qp]; p != nil {
			return r.moves(p, e)
		}
	case e.Fn == "ibv_modify_qp":
		return r.moved(e)
	case e.Fn == "ibv_create_qp" || e.Fn == "ibv_create_qp_ex":
		r.creates(e)
	case e.Fn == "ibv_destroy_qp":
		return r.destroys(e)
	}
	return r.renamed(e)
}

// creates reads the creation of a queue pair.
func (r *Reader) creates(e *trace.Event) {
	if e.Ph == trace.Call {
		if r.qps == nil {
			r.qps, r.moving, r.conns, r.posts = map[string]*qp{}, map[string]*move{}, map[string]*members{}, map[string]*qp{}
		}
		r.qps[e.Qp] = &qp{name: e.Qp, created: trace.Event{Ph: trace.Call, Fn: ToInit, Pd: e.Pd, InitiatorCq: e.InitiatorCq, ReceiveCq: e.ReceiveCq, Srq: e.Srq,
			QpType: e.QpType, SqSigAll: copied(e.SqSigAll), InitiatorDepth: copied(e.InitiatorDepth), ReceiveDepth: copied(e.ReceiveDepth), Inline: copied(e.Inline)}}
		r.moving[e.Op] = &move{r.qps[e.Qp], ""}
	} else if m := r.ends(e); m != nil {
		if isRefused(e) {
			delete(r.qps, m.qp.name)
		}
		of := &m.qp.created
		of.InitiatorDepth = cmp.Or(copied(e.InitiatorDepth), of.InitiatorDepth)
		of.ReceiveDepth = cmp.Or(copied(e.ReceiveDepth), of.ReceiveDepth)
		of.Inline = cmp.Or(copied(e.Inline), of.Inline)
	}
}

// copied returns a value that the next event does not overwrite.
func copied[T any](value *T) *T {
	if value == nil {
		return nil
	}
	return new(*value)
}

// ends returns the move that an event ends, or nil.
func (r *Reader) ends(e *trace.Event) *move {
	m := r.moving[e.Op]
	delete(r.moving, e.Op)
	return m
}

// destroys reads the destruction of a queue pair. One in the state RESET has ended already.
func (r *Reader) destroys(e *trace.Event) *trace.Event {
	if e.Ph == trace.Call {
		p := r.qps[e.Qp]
		if p == nil || p.gone {
			return e
		}
		r.moving[e.Op] = &move{qp: p}
		if p.atRest || p.resetting {
			r.moving[e.Op].fn = DestroysInReset
			return as(e, DestroysInReset, p.name)
		}
		return r.renamed(e)
	}
	m := r.ends(e)
	if m == nil {
		return e
	}
	if !isRefused(e) {
		r.goes(m.qp)
	}
	if m.fn != "" {
		return as(e, m.fn, "")
	}
	return e
}

// goes records that a queue pair was destroyed.
func (r *Reader) goes(p *qp) {
	if r.leaves(p); p.resets == 0 && !p.atRest {
		delete(r.qps, p.name)
		return
	}
	p.gone, r.gone = true, append(r.gone, p.name)
	if len(r.gone) > maxGone {
		if first := r.qps[r.gone[0]]; first != nil && first.gone {
			delete(r.qps, first.name)
		}
		r.gone = r.gone[1:]
	}
}

// as returns an event with another function, of a queue pair.
func as(e *trace.Event, fn, qp string) *trace.Event {
	judged := *e
	judged.Fn, judged.Qp = fn, qp
	return &judged
}

// moves reads a call of ibv_modify_qp on a queue pair that the trace creates.
func (r *Reader) moves(p *qp, e *trace.Event) *trace.Event {
	judged := *e
	switch to := strings.TrimPrefix(e.State, "IBV_QPS_"); {
	case p.gone:
		return r.renamed(e)
	case p.resetting, p.atRest && (to == "RESET" || e.NoEffect):
		return nothing(e)
	case p.atRest:
		p.resets++
		judged = p.created
		judged.Line, judged.Seq, judged.T, judged.Thr, judged.Op = e.Line, e.Seq, e.T, e.Thr, e.Op
		r.moving[e.Op] = &move{p, ToInit}
		if to != "INIT" {
			judged.Unclear = fmt.Sprintf("%s is moved from RESET to %s, and the trace does not have its move to INIT, which would decide what follows", p.name, to)
		}
	case to == "RESET" && !e.NoEffect:
		judged.Fn, judged.State = ToReset, ""
		r.moving[e.Op], r.again, p.resetting = &move{p, ToReset}, true, true
	case to == "RTR" && e.Conn != "" && !e.NoEffect:
		if judged.Conn = r.joins(p, e.Conn); judged.Conn == e.Conn {
			return r.renamed(e)
		}
	default:
		return r.renamed(e)
	}
	judged.Qp = p.named()
	return &judged
}

// moved reads the return of ibv_modify_qp.
func (r *Reader) moved(e *trace.Event) *trace.Event {
	m := r.ends(e)
	if m == nil {
		return r.renamed(e)
	}
	p := m.qp
	if m.fn == ToReset {
		p.resetting = false
	}
	if !isRefused(e) {
		if p.atRest = m.fn == ToReset; p.atRest {
			r.resets(p)
		}
	}
	return as(e, m.fn, p.named())
}

// named returns the name of a queue pair since its latest reset.
func (p *qp) named() string {
	if p.resets == 0 {
		return p.name
	}
	return fmt.Sprint(p.name, suffix, p.resets)
}

// isRefused reports whether a function of libibverbs returned an errno.
func isRefused(ret *trace.Event) bool { return ret.Errno != "" && ret.Errno != "0" }

// nothing returns the event of a call that changes nothing.
func nothing(e *trace.Event) *trace.Event {
	return &trace.Event{Line: e.Line, Seq: e.Seq, Ph: e.Ph, Op: e.Op, Thr: e.Thr, T: e.T}
}

// renamed returns an event with the present name of its queue pair. A poll may also return completions from before the reset: it names none that was
// reset.
func (r *Reader) renamed(e *trace.Event) *trace.Event {
	if !r.again {
		return e
	}
	p, judged := r.qps[e.Qp], e
	if e.Ph == trace.Ret && r.posts[e.Op] != nil {
		return r.postedAtRest(e)
	}
	if p != nil && (p.atRest || p.resetting) && e.Ph == trace.Call && (e.Fn == "ibv_post_send" || e.Fn == "ibv_post_recv" || e.Fn == "ibv_bind_mw") {
		r.posts[e.Op] = p
		return nothing(e)
	}
	if p != nil && p.resets > 0 {
		copied := *e
		copied.Qp, judged = p.named(), &copied
	}
	for i := range e.Results {
		of := r.qps[e.Results[i].Qp]
		if of == nil || of.resets == 0 && !of.atRest && !of.resetting {
			continue
		}
		if judged == e {
			copied := *e
			copied.Results = append([]trace.Result(nil), e.Results...)
			judged = &copied
		}
		if judged.Results[i].Qp = ""; of.created.Srq != "" && judged.Unclear == "" {
			judged.Unclear = fmt.Sprintf("a completion of %s, which was reset and takes receives of %s, may be from before the reset or not, and which it is is not followed, whatever the trace records",
				of.name, of.created.Srq)
		}
	}
	return judged
}

// postedAtRest reads the return of a post in the state RESET, in which no request may be posted (ibv_post_send(3)).
func (r *Reader) postedAtRest(e *trace.Event) *trace.Event {
	p := r.posts[e.Op]
	delete(r.posts, e.Op)
	if isRefused(e) {
		return nothing(e)
	}
	judged := *e
	judged.Qp = p.named()
	judged.Unclear = fmt.Sprintf("%s was accepted on %s in the state RESET, or on the way there, and what becomes of its requests is not followed, whatever the trace records", e.Fn, p.name)
	return &judged
}

// joins returns the name of the connection that a queue pair is to be an end of. Where all ends have left it by a reset, another one begins, which needs
// a name of its own. If the other end may be in another trace, it is not known whether that has left: then the connection has too many ends to be judged.
func (r *Reader) joins(p *qp, conn string) string {
	if p.conn != conn {
		r.leaves(p)
	}
	c := r.conns[conn]
	if c == nil {
		c = &members{of: map[*qp]bool{}}
		r.conns[conn] = c
	}
	left := len(c.of) > 0
	for _, joined := range c.of {
		left = left && !joined
	}
	if left && !r.joined {
		c.times++
	}
	if p.conn, c.of[p] = conn, true; c.times == 0 {
		return conn
	}
	return fmt.Sprint(conn, suffix, c.times)
}

// resets records that a queue pair has left its connection, which it may join again.
func (r *Reader) resets(p *qp) {
	if c := r.conns[p.conn]; c != nil {
		c.of[p] = false
	}
}

// leaves forgets that a queue pair was an end of a connection.
func (r *Reader) leaves(p *qp) {
	if c := r.conns[p.conn]; c != nil {
		if delete(c.of, p); len(c.of) == 0 {
			delete(r.conns, p.conn)
		}
	}
}
