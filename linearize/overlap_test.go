package linearize

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// overlapped turns a notation into a trace of calls that overlap, on two connected QPs: qp1 completes into cq1, its peer qp2
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
func overlapped(t testing.TB, text string) *trace.Trace {
	t.Helper()
	s := &scripted{trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}}
	o := &overlaps{scripted: s, fns: map[string]string{}}
	text, o.verbs = strings.CutPrefix(text, "verbs;")
	if o.verbs {
		s.trace.Header.Dialect = "verbs"
	}
	for _, n := range []string{"1", "2"} {
		s.call(o.fn("CreateCq", "create_cq"), trace.Event{Cq: "cq" + n, Depth: number(16)}, o.success())
		s.call(o.fn("CreateQp", "create_qp"), trace.Event{Qp: "qp" + n, ReceiveCq: "cq" + n, InitiatorCq: "cq" + n, SqSigAll: word(true), QpType: "RC"}, o.success())
		s.call(o.fn("Connect", "modify_qp"), trace.Event{Qp: "qp" + n, Conn: "c", State: "RTR"}, o.success())
	}
	for _, line := range strings.Split(text, ";") {
		o.line(strings.Fields(line))
	}
	s.trace.End = &trace.End{Events: uint64(len(s.trace.Events)), Quiescent: true}
	return s.trace
}

type overlaps struct {
	*scripted
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
	return success
}

func (o *overlaps) line(words []string) {
	tag, rest := words[0], words[1:]
	switch {
	case tag == "rest":
		o.event(trace.Point, "", "quiesce", trace.Event{})
	case tag == "placed":
		r := resultOf(rest[1])
		e := trace.Event{Cq: rest[0], Wr: r.Wr, Status: r.Status}
		if len(rest) > 2 {
			e.Solicited = word(true)
		}
		o.event(trace.Point, "", "CqePlaced", e)
	case tag == "new":
		cq := "cq1"
		if len(rest) > 1 { // one of its own, with little room
			cq = rest[1]
			o.call(o.fn("CreateCq", "create_cq"), trace.Event{Cq: cq, Depth: number(2)}, o.success())
		}
		receiveCq := cq
		if len(rest) > 2 {
			receiveCq = rest[2]
		}
		o.call(o.fn("CreateQp", "create_qp"), trace.Event{Qp: rest[0], ReceiveCq: receiveCq, InitiatorCq: cq, SqSigAll: word(true), QpType: "RC"}, o.success())
	case tag == "event":
		o.ops++
		o.event(trace.Enter, tag, "NdkDisconnectEventCallback", trace.Event{})
		o.event(trace.Exit, tag, "NdkDisconnectEventCallback", trace.Event{})
	case tag == "enter":
		o.ops++
		op := fmt.Sprint("callback ", o.ops)
		o.event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: rest[0], Status: cmp.Or(strings.Join(rest[1:], ""), "STATUS_SUCCESS")})
		o.event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
	case tag == "cb<" || tag == "cb>":
		o.word(tag, rest)
	case strings.HasSuffix(tag, "<"):
		o.begin(strings.TrimSuffix(tag, "<"), rest[0], rest[1], rest[2:])
	case strings.HasSuffix(tag, ">"):
		o.end(strings.TrimSuffix(tag, ">"), rest)
	case strings.HasSuffix(tag, "!"):
		tag = strings.TrimSuffix(tag, "!")
		if strings.HasPrefix(o.fns[tag], "NdkClose") {
			o.event(trace.Enter, "answer "+tag, "NdkCloseCompletion", trace.Event{For: tag})
			o.event(trace.Exit, "answer "+tag, "NdkCloseCompletion", trace.Event{})
			return
		}
		o.event(trace.Enter, "answer "+tag, "NdkRequestCompletion", trace.Event{For: tag, Status: rest[0]})
		o.event(trace.Exit, "answer "+tag, "NdkRequestCompletion", trace.Event{})
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
		fn, e.N = map[bool]string{false: "NdkGetCqResults", true: "ibv_poll_cq"}[o.verbs], number(8)
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
		e.SolicitedOnly = word(len(wrs) > 0)
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
	o.event(trace.Call, tag, fn, e)
}

func (o *overlaps) end(tag string, words []string) {
	e, fn := o.success(), o.fns[tag]
	switch {
	case fn == "NdkGetCqResults" || fn == "ibv_poll_cq":
		e = trace.Event{}
		for _, wr := range words {
			e.Results = append(e.Results, resultOf(wr))
		}
	case len(words) > 0 && o.verbs:
		e.Errno = words[0]
	case len(words) > 0:
		e.Status = words[0]
	}
	o.event(trace.Ret, tag, fn, e)
}

// resultOf returns how a request ended: c behind its name is for cancelled, x for failed, i for a receive whose message names a token, m for one whose message names none.
func resultOf(wr string) trace.Result {
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

// Calls that overlap took effect in either order: what some order allows is conformant, what none allows is rejected.
var eitherOrder = []struct {
	name    string
	verdict verdict.Verdict
	rule    string
	text    string
}{
	// POST-04, A15: a flush that overlaps a post comes before it or after it.
	{"a flush within a receive's post, before it", verdict.Conformant, "",
		"a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; NdkSend qp2 s1; get cq1 r1; get cq2 s1; rest; get cq1; get cq2"},
	{"a flush within a receive's post, after it", verdict.Conformant, "", "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1 r1c; get cq1"},
	{"a flush within a receive's post, nothing follows", verdict.Conformant, "", "a< NdkReceive qp1 r1; NdkFlush qp1; a>; rest; get cq1"},
	{"a flush that crosses a deferred post", verdict.Conformant, "",
		"a< NdkWrite qp1 w1 DEFER; b< NdkFlush qp1; a>; b>; rest; get cq1; NdkWrite qp1 w2; get cq1 w1 w2; rest; get cq1"},
	{"a flush within a send's post: it waits for a receive", verdict.Conformant, "",
		"a< NdkSend qp1 s1; NdkFlush qp1; a>; rest; get cq1; NdkReceive qp2 r1; get cq1 s1; get cq2 r1; rest; get cq1"},
	{"a flush within a write's post does not excuse it", verdict.ProviderViolation, "DEF-04", "a< NdkWrite qp1 w1; NdkFlush qp1; a>; rest; get cq1"},
	{"a flush called after the post returned", verdict.ProviderViolation, "FLUSH-02", "NdkReceive qp1 r1; NdkFlush qp1; rest; get cq1"},
	{"of two flushes the second overlaps no more", verdict.ProviderViolation, "FLUSH-02",
		"a< NdkReceive qp1 r1; NdkFlush qp1; a>; NdkFlush qp1; rest; get cq1"},

	// DISC-01, DISC-08: a disconnect that is pending flushes at some moment before it completes.
	{"a send succeeds while a disconnect is pending", verdict.Conformant, "",
		"NdkSend qp1 s1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; NdkReceive qp2 r1; get cq1 s1; get cq2 r1; a! STATUS_SUCCESS; rest; get cq1"},
	{"a message comes while a disconnect is pending", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; NdkSend qp2 s1; rest; get cq1 r1; get cq2 s1; a! STATUS_SUCCESS; rest; get cq1"},
	{"a disconnect pending at rest has not flushed yet", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; get cq1; a! STATUS_SUCCESS; rest; get cq1 r1c; rest; get cq1"},
	{"a disconnect pending has flushed already", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; rest; get cq1 r1c; get cq1; a! STATUS_SUCCESS"},
	{"a disconnect that completed has flushed", verdict.ProviderViolation, "FLUSH-02",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_SUCCESS; rest; get cq1"},
	{"a message sent after the disconnect completed", verdict.ProviderViolation, "FLUSH-01",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_SUCCESS; NdkSend qp2 s1; get cq1 r1"},
	{"a disconnect that failed in the end need not flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_IO_TIMEOUT; rest; get cq1"},
	{"a disconnect that failed in the end may flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_PENDING; a! STATUS_IO_TIMEOUT; rest; get cq1 r1c"},
	{"a disconnect that failed at once need not flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_IO_TIMEOUT; rest; get cq1"},
	{"a disconnect that failed at once may flush", verdict.Conformant, "",
		"NdkReceive qp1 r1; a< NdkDisconnect qp1; a> STATUS_IO_TIMEOUT; rest; get cq1 r1c"},
	{"a disconnect that succeeded at once has flushed", verdict.ProviderViolation, "FLUSH-02", "NdkReceive qp1 r1; NdkDisconnect qp1; rest; get cq1"},

	// A23: an abort of the connection, which an event tells or a closed connector causes, may cancel requests.
	{"a disconnect event of an abort", verdict.Conformant, "", "NdkReceive qp1 r1; event; rest; get cq1 r1c; get cq1; get cq2"},
	{"the abort comes before its event", verdict.Conformant, "", "NdkReceive qp1 r1; get cq1 r1c; event; rest; get cq1; get cq2"},
	{"a closed connector", verdict.Conformant, "", "NdkReceive qp1 r1; NdkCloseConnector -; rest; get cq1 r1c; get cq1; get cq2"},
	{"cancelled before the connector was closed", verdict.Conformant, "", "NdkReceive qp1 r1; get cq1 r1c; NdkCloseConnector -"},
	{"nothing tells of an abort: the connection may have been lost", verdict.Conformant, "", "NdkReceive qp1 r1; rest; get cq1 r1c; get cq1; get cq2"},

	// RES-10 of what points tell, and no poll delivers.
	{"a point says cancelled, without a cause", verdict.Conformant, "", "NdkWrite qp1 w1; placed cq1 w1c"},
	{"… before the flush", verdict.Conformant, "", "NdkWrite qp1 w1; placed cq1 w1c; NdkFlush qp1"},
	{"… behind the flush", verdict.Conformant, "", "NdkWrite qp1 w1; NdkFlush qp1; placed cq1 w1c"},
	{"… behind one that failed", verdict.Conformant, "", "NdkWrite qp1 w1; NdkWrite qp1 w2; placed cq1 w1x; placed cq1 w2c"},
	{"… of a read, and one behind it failed", verdict.Conformant, "", "NdkRead qp1 x1; NdkWrite qp1 w1; placed cq1 x1c; placed cq1 w1x"},
	{"… of a read, and one behind it that is fenced failed", verdict.Conformant, "",
		"NdkRead qp1 x1; NdkWrite qp1 w1 READ_FENCE; placed cq1 x1c; placed cq1 w1x"},

	// POLL-05, DEF-04: where no arm and no callback is, none is named (ARM-02, ARM-09).
	{"a poll delivers what was posted after another one was placed", verdict.ProviderViolation, "POLL-05",
		"new qp3; NdkConnect qp3 d; NdkWrite qp3 v1; placed cq1 v1; NdkWrite qp1 w1; get cq1 w1 v1"},

	// POLL-03, POLL-09, A21: the completions of a QP that is closed vanish together, or stay together.
	{"one vanishes and one stays", verdict.ProviderViolation, "POLL-09",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3; get cq2 r1c"},
	{"one stays and one vanishes", verdict.ProviderViolation, "POLL-03",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq2 r1c; get cq3"},
	{"both vanish", verdict.Conformant, "",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3; get cq2"},
	{"both stay", verdict.Conformant, "",
		"new qp3 cq3 cq2; NdkConnect qp3 d; NdkWrite qp3 w1; placed cq3 w1; NdkReceive qp3 r1; NdkCloseQp qp3; get cq3 w1; get cq2 r1c"},

	// libibverbs is thread-safe: posts on one queue, and polls of one CQ, may overlap.
	{"posts overlap, the second is first", verdict.Conformant, "", "verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; get cq1 w2 w1; rest; get cq1"},
	{"the first post is passed by while it runs", verdict.Conformant, "",
		"verbs;a< post qp1 w1; post qp1 w2; get cq1 w2; rest; get cq1; a>; rest; get cq1 w1; get cq1"},
	{"lists overlap", verdict.Conformant, "", "verbs;a< post qp1 w1 w2; b< post qp1 w3 w4; b>; a>; get cq1 w3 w4 w1 w2; rest; get cq1"},
	{"lists mix", verdict.Inconclusive, "POLL-09", "verbs;a< post qp1 w1 w2; b< post qp1 w3 w4; b>; a>; get cq1 w1 w3 w2 w4"},
	{"receives overlap, and one message comes", verdict.Conformant, "",
		"verbs;a< recv qp1 r1; b< recv qp1 r2; b>; a>; post qp2 s1; get cq1 r2; get cq2 s1; rest; get cq1; get cq2"},
	{"posts one after the other", verdict.ProviderViolation, "POLL-09", "verbs;post qp1 w1; post qp1 w2; get cq1 w2 w1"},
	{"posts overlap, and one never completes", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; get cq1 w2; rest; get cq1"},
	{"posts overlap, and none ever completes", verdict.ProviderViolation, "DEF-04", "verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; rest; get cq1"},
	{"posts overlap, and the later one's completion is ahead of its time", verdict.ProviderViolation, "POLL-05",
		"verbs;a< post qp1 w1; get cq1 w2; b< post qp1 w2; b>; a>; get cq1 w1"},
	{"polls overlap, the second is first", verdict.Conformant, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; b< get cq1; b> w1; a> w2; rest; get cq1"},
	{"polls overlap, and the first never returns: it may have taken what is missing", verdict.Inconclusive, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; get cq1 w2"},
	{"… or what had been placed by an earlier rest", verdict.Inconclusive, "",
		"verbs;post qp1 w1; rest; post qp1 w2; a< get cq1; get cq1 w2"},
	{"polls overlap, the first is first and returns last", verdict.Conformant, "",
		"verbs;post qp1 w1; post qp1 w2; a< get cq1; b< get cq1; b> w2; a> w1; rest; get cq1"},
	{"polls overlap, and what one delivers was posted after the other", verdict.Conformant, "",
		"verbs;post qp1 w1; a< get cq1; b< get cq1; b> w1; post qp1 w2; a> w2; rest; get cq1"},
	{"an empty poll overlaps the one that delivers", verdict.Conformant, "",
		"verbs;post qp1 w1; rest; a< get cq1; b< get cq1; b> w1; a>; rest; get cq1"},
	{"polls of two queues' completions overlap: either may be first", verdict.Conformant, "",
		"verbs;post qp1 w1; recv qp1 r1; post qp2 s1; a< get cq1; b< get cq1; b> r1; a> w1; get cq2 s1; rest; get cq1"},
	{"three polls overlap, of which the last to be called is the first, and the second is of another queue", verdict.Conformant, "",
		"verbs;recv qp1 r1; post qp1 w1; err qp1; a< get cq1; b< get cq1; c< get cq1; c> w1c; post qp1 w2; a> w2c; b> r1c; rest; get cq1"},
	{"polls one after the other", verdict.ProviderViolation, "POLL-09", "verbs;post qp1 w1; post qp1 w2; get cq1 w2; get cq1 w1"},
	{"polls overlap, and deliver one completion twice", verdict.ProviderViolation, "POLL-04", "verbs;post qp1 w1; a< get cq1; b< get cq1; b> w1; a> w1"},
	{"an empty poll before the one that delivers", verdict.ProviderViolation, "DEF-04", "verbs;post qp1 w1; rest; get cq1; get cq1 w1"},
	{"a send that waits may have been posted before a read", verdict.Inconclusive, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 s1; b>; a>; rest; get cq1"},
	{"posts and polls overlap, and a third is missing afterwards", verdict.ProviderViolation, "DEF-04",
		"verbs;a< post qp1 w1; b< post qp1 w2; b>; a>; c< get cq1; d< get cq1; d> w2; c> w1; post qp1 w3; rest; get cq1"},
	{"an error state overlaps a receive, which stays", verdict.ProviderViolation, "DEF-04", "verbs;a< recv qp1 r1; err qp1 -; a>; rest; get cq1"},
}

func TestOverlappingCalls(t *testing.T) {
	for _, test := range eitherOrder {
		t.Run(test.name, func(t *testing.T) {
			r := Check(context.Background(), overlapped(t, test.text), Options{Timeout: 20 * time.Second})
			if r.Verdict != test.verdict || test.rule != "" && r.Findings[0].Rule != test.rule {
				t.Errorf("verdict %s, want %s %s: %+v", r.Verdict, test.verdict, test.rule, r.Findings)
			}
		})
	}
}
