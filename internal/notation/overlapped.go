package notation

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// Overlapped turns a notation into a trace of calls that overlap, on two connected QPs: qp1 completes into cq1, its peer qp2
// into cq2.
//
//	a< NdkReceive qp1 r1   call a begins              a>                     it returns success
//	a> STATUS_PENDING      … or another status        a! STATUS_SUCCESS      NdkRequestCompletion of it; a! NdkCloseCompletion of a close
//	NdkInvalidate qp1 i1#7 a request that names token 7
//	NdkSend qp2 s1         a whole call               event                  a whole NdkDisconnectEventCallback
//	get cq1 w1 w2c         a poll that delivers w1 and w2, this one cancelled (w2x: failed); get cq1 finds nothing
//	get cq1 r1i r2m        … r1, a receive that is told to have taken a message that names a token; r2 one that names none
//	b< get cq1; b> w1      the same, with what is between
//	post qp1 w1 w2         ibv_post_send; recv qp1 r1 is ibv_post_recv
//	ibv_req_notify_cq cq1  for any completion; ibv_req_notify_cq cq1 S for solicited ones
//	placed cq1 w1          a point: the completion of w1 is placed (w1c, w1x: so); placed cq1 r1 S: it is solicited
//	enter cq1              a whole callback; cb< cb> one of cq1 is entered, returns
//	new qp3                a QP of cq1 that is not connected; new qp3 cq3: of a CQ of its own, with room for two
//	NdkConnect qp3 d       it connects, as an end of connection d; so does ibv_modify_qp qp3 d
//	NdkResizeCq cq1 4      to a depth of 4
//	rest                   quiesce
//
// The dialect is verbs where the first word is "verbs". The trace ends at rest.
func Overlapped(t testing.TB, text string) *trace.Trace {
	t.Helper()
	s := &Scripted{Trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}}
	o := &overlaps{Scripted: s, fns: map[string]string{}}
	text, o.verbs = strings.CutPrefix(text, "verbs;")
	if o.verbs {
		s.Trace.Header.Dialect = "verbs"
	}
	for _, n := range []string{"1", "2"} {
		s.Call(o.fn("CreateCq", "create_cq"), trace.Event{Cq: "cq" + n, Depth: Number(16)}, o.success())
		s.Call(o.fn("CreateQp", "create_qp"), trace.Event{Qp: "qp" + n, ReceiveCq: "cq" + n, InitiatorCq: "cq" + n, SqSigAll: Bool(true), QpType: "RC"}, o.success())
		s.Call(o.fn("Connect", "modify_qp"), trace.Event{Qp: "qp" + n, Conn: "c", State: "RTR"}, o.success())
	}
	for _, line := range strings.Split(text, ";") {
		o.line(strings.Fields(line))
	}
	s.Trace.End = &trace.End{Events: uint64(len(s.Trace.Events)), Quiescent: true}
	return s.Trace
}

type overlaps struct {
	*Scripted
	verbs bool
	fns   map[string]string // by tag
}

// fn returns the name of a function in the dialect.
func (o *overlaps) fn(ndk, verbs string) string {
	if o.verbs {
		return "ibv_" + verbs
	}
	return "Ndk" + ndk
}

func (o *overlaps) success() trace.Event {
	if o.verbs {
		return trace.Event{}
	}
	return Success
}

func (o *overlaps) line(words []string) {
	tag, rest := words[0], words[1:]
	switch {
	case tag == "rest":
		o.Event(trace.Point, "", "quiesce", trace.Event{})
	case tag == "placed":
		r := ResultOf(rest[1])
		e := trace.Event{Cq: rest[0], Wr: r.Wr, Status: r.Status}
		if len(rest) > 2 {
			e.Solicited = Bool(true)
		}
		o.Event(trace.Point, "", "CqePlaced", e)
	case tag == "new":
		cq := "cq1"
		if len(rest) > 1 { // one of its own, with little room
			cq = rest[1]
			o.Call(o.fn("CreateCq", "create_cq"), trace.Event{Cq: cq, Depth: Number(2)}, o.success())
		}
		receiveCq := cq
		if len(rest) > 2 {
			receiveCq = rest[2]
		}
		o.Call(o.fn("CreateQp", "create_qp"), trace.Event{Qp: rest[0], ReceiveCq: receiveCq, InitiatorCq: cq, SqSigAll: Bool(true), QpType: "RC"}, o.success())
	case tag == "event":
		o.ops++
		o.Event(trace.Enter, tag, "NdkDisconnectEventCallback", trace.Event{})
		o.Event(trace.Exit, tag, "NdkDisconnectEventCallback", trace.Event{})
	case tag == "enter":
		o.ops++
		op := fmt.Sprint("callback ", o.ops)
		o.Event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: rest[0], Status: cmp.Or(strings.Join(rest[1:], ""), "STATUS_SUCCESS")})
		o.Event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
	case tag == "cb<" || tag == "cb>":
		o.word(tag, rest)
	case strings.HasSuffix(tag, "<"):
		o.begin(strings.TrimSuffix(tag, "<"), rest[0], rest[1], rest[2:])
	case strings.HasSuffix(tag, ">"):
		o.end(strings.TrimSuffix(tag, ">"), rest)
	case strings.HasSuffix(tag, "!"):
		tag = strings.TrimSuffix(tag, "!")
		if strings.HasPrefix(o.fns[tag], "NdkClose") {
			o.Event(trace.Enter, "answer "+tag, "NdkCloseCompletion", trace.Event{For: tag})
			o.Event(trace.Exit, "answer "+tag, "NdkCloseCompletion", trace.Event{})
			return
		}
		o.Event(trace.Enter, "answer "+tag, "NdkRequestCompletion", trace.Event{For: tag, Status: rest[0]})
		o.Event(trace.Exit, "answer "+tag, "NdkRequestCompletion", trace.Event{})
	case tag == "get":
		o.begin("whole", tag, rest[0], nil)
		o.end("whole", rest[1:])
	default:
		o.begin("whole", tag, rest[0], rest[1:])
		o.end("whole", nil)
	}
}

func (o *overlaps) begin(tag, fn, object string, wrs []string) {
	var e trace.Event
	switch fn {
	case "get":
		fn, e.N = map[bool]string{false: "NdkGetCqResults", true: "ibv_poll_cq"}[o.verbs], Number(8)
	case "err":
		fn, e.State = "ibv_modify_qp", "ERR"
	case "NdkConnect":
		e.Conn = strings.Join(wrs, "")
	case "ibv_modify_qp":
		e.Conn, e.State = strings.Join(wrs, ""), "RTR"
	case "NdkArmCq":
		e.Type = wrs[0]
	case "NdkResizeCq":
		depth, _ := strconv.ParseInt(wrs[0], 10, 64)
		e.Depth = &depth
	case "ibv_req_notify_cq":
		e.SolicitedOnly = Bool(len(wrs) > 0)
	case "post", "recv":
		fn = map[string]string{"post": "ibv_post_send", "recv": "ibv_post_recv"}[fn]
		for _, wr := range wrs {
			w := trace.WorkRequest{Wr: wr, Opcode: "SEND"}
			if wr[0] == 'w' {
				w.Opcode = "RDMA_WRITE"
			}
			e.Wrs = append(e.Wrs, w)
		}
	default:
		if len(wrs) > 0 {
			name, token, named := strings.Cut(wrs[0], "#")
			if e.Wr, e.Flags = name, wrs[1:]; named {
				n, _ := strconv.ParseUint(token, 10, 32)
				e.Token = new(uint32)
				*e.Token = uint32(n)
			}
		}
	}
	if strings.HasPrefix(object, "cq") {
		e.Cq = object
	} else if strings.HasPrefix(object, "qp") {
		e.Qp = object
	}
	o.fns[tag] = fn
	o.Event(trace.Call, tag, fn, e)
}

func (o *overlaps) end(tag string, words []string) {
	e, fn := o.success(), o.fns[tag]
	switch {
	case fn == "NdkGetCqResults" || fn == "ibv_poll_cq":
		e = trace.Event{}
		for _, wr := range words {
			e.Results = append(e.Results, ResultOf(wr))
		}
	case len(words) > 0 && o.verbs:
		e.Errno = words[0]
	case len(words) > 0:
		e.Status = words[0]
	}
	o.Event(trace.Ret, tag, fn, e)
}

// ResultOf returns how a request ended: c behind its name is for cancelled, x for failed, i for a receive whose message names a token, m for one whose message names none.
func ResultOf(wr string) trace.Result {
	r := trace.Result{Wr: strings.TrimRight(wr, "cxim"), Status: "STATUS_SUCCESS"}
	switch strings.TrimPrefix(wr, r.Wr) {
	case "c":
		r.Status = "STATUS_CANCELLED"
	case "x":
		r.Status = "STATUS_ACCESS_VIOLATION"
	case "i":
		r.Type = "ReceiveAndInvalidate"
	case "m":
		r.Type = "Receive"
	}
	return r
}

// Registered makes token 7 valid, and posts a receive that may invalidate it (INV-05, INV-06, POLL-07, POLL-08).
const Registered = "NdkFastRegister qp1 f1#7; get cq1 f1; NdkReceive qp1 r1; "
