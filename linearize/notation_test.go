package linearize

import (
	"fmt"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// script turns a short notation into a trace of two connected QPs: qp1 completes into cq1, its peer qp2 into cq2.
//
//	arm ANY       NdkArmCq of cq1            cb< cb>       a callback of cq1 is entered, returns
//	post 1 DQS    NdkSend on qp1 with DEFER, SILENT_SUCCESS, SEND_AND_SOLICIT_EVENT
//	post 1 F      the same, refused          recv 1        NdkReceive on qp1; write 1 is NdkWrite
//	peer 7 S      NdkSend on qp2             peerwrite 8   NdkWrite on qp2
//	get 1 2x 3c   cq1 delivers 1 with success, 2 failed, 3 cancelled; exget the same by NdkGetCqResultsEx
//	peerget 7     cq2 delivers 7             flush         NdkFlush of qp1; flush F the same, refused
//	rest          quiesce                    close         NdkCloseCq of cq1; close-qp that of qp1
//
// A trace ends at rest unless its last word is "cut".
func script(t testing.TB, text string) *trace.Trace {
	t.Helper()
	s := &scripted{trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}}
	s.call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: number(16)}, success)
	s.call("NdkCreateCq", trace.Event{Cq: "cq2", Depth: number(64)}, success) // its receives may fail, all of them
	s.call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, success)
	s.call("NdkCreateQp", trace.Event{Qp: "qp2", ReceiveCq: "cq2", InitiatorCq: "cq2"}, success)
	s.call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, success)
	s.call("NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}, success)
	for i := range 20 { // so that sends never wait for the peer
		s.call("NdkReceive", trace.Event{Qp: "qp2", Wr: fmt.Sprintf("r%d", i)}, success)
	}
	return s.play(t, text)
}

// play does what a text says, to the end of the trace.
func (s *scripted) play(t testing.TB, text string) *trace.Trace {
	t.Helper()
	quiescent := true
	for _, line := range strings.Split(text, ";") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "cut" {
			quiescent = false
			continue
		}
		if !s.word(words[0], words[1:]) {
			t.Fatalf("no word %q in the notation", words[0])
		}
	}
	s.trace.End = &trace.End{Events: uint64(len(s.trace.Events)), Quiescent: quiescent}
	return s.trace
}

var success = trace.Event{Status: "STATUS_SUCCESS"}

func number(n int64) *int64 { return &n }

type scripted struct {
	trace *trace.Trace
	ops   int
	cb    string
}

func (s *scripted) event(ph trace.Phase, op, fn string, e trace.Event) {
	e.Ph, e.Op, e.Fn = ph, op, fn
	e.Seq = uint64(len(s.trace.Events) + 1)
	e.Line = len(s.trace.Events) + 2
	s.trace.Events = append(s.trace.Events, e)
}

func (s *scripted) call(fn string, call, ret trace.Event) {
	s.ops++
	op := fmt.Sprint(s.ops)
	s.event(trace.Call, op, fn, call)
	s.event(trace.Ret, op, fn, ret)
}

func (s *scripted) word(word string, args []string) bool {
	switch word {
	case "arm":
		s.call("NdkArmCq", trace.Event{Cq: "cq1", Type: args[0]}, trace.Event{})
	case "cb<":
		s.ops++
		s.cb = fmt.Sprint(s.ops)
		status := "STATUS_SUCCESS"
		if len(args) > 0 {
			status = args[0]
		}
		s.event(trace.Enter, s.cb, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: status})
	case "cb>":
		s.event(trace.Exit, s.cb, "NdkCqNotificationCallback", trace.Event{})
	case "post":
		s.post("NdkSend", "qp1", args)
	case "write":
		s.post("NdkWrite", "qp1", args)
	case "peer":
		s.post("NdkSend", "qp2", args)
	case "peerwrite":
		s.post("NdkWrite", "qp2", args)
	case "recv":
		s.post("NdkReceive", "qp1", args)
	case "get", "exget", "peerget":
		s.poll(word, args)
	case "flush":
		ret := success
		if len(args) > 0 {
			ret.Status = "STATUS_INVALID_PARAMETER"
		}
		s.call("NdkFlush", trace.Event{Qp: "qp1"}, ret)
	case "rest":
		s.event(trace.Point, "", "quiesce", trace.Event{})
	case "close":
		s.call("NdkCloseCq", trace.Event{Cq: "cq1"}, success)
	case "close-qp":
		s.call("NdkCloseQp", trace.Event{Qp: "qp1"}, success)
	default:
		return false
	}
	return true
}

func (s *scripted) post(fn, qp string, args []string) {
	e, ret := trace.Event{Qp: qp, Wr: args[0]}, success
	for _, letter := range strings.Join(args[1:], "") {
		switch letter {
		case 'D':
			e.Flags = append(e.Flags, "DEFER")
		case 'Q':
			e.Flags = append(e.Flags, "SILENT_SUCCESS")
		case 'S':
			e.Flags = append(e.Flags, "SEND_AND_SOLICIT_EVENT")
		case 'F':
			ret.Status = "STATUS_INSUFFICIENT_RESOURCES"
		}
	}
	s.call(fn, e, ret)
}

func (s *scripted) poll(word string, args []string) {
	fn, cq := "NdkGetCqResults", "cq1"
	if word == "exget" {
		fn = "NdkGetCqResultsEx"
	}
	if word == "peerget" {
		cq = "cq2"
	}
	var results []trace.Result
	for _, arg := range args {
		r := trace.Result{Wr: strings.TrimRight(arg, "xc"), Status: "STATUS_SUCCESS"}
		switch arg[len(arg)-1] {
		case 'x':
			r.Status = "STATUS_ACCESS_VIOLATION"
		case 'c':
			r.Status = "STATUS_CANCELLED"
		}
		results = append(results, r)
	}
	s.call(fn, trace.Event{Cq: cq, N: number(8)}, trace.Event{Results: results})
}
