// Package notation turns short texts into traces, for tests: Script and Overlapped of two connected queue pairs, Resized of a CQ that is resized,
// Scene of both ends of a connection in each dialect, Lines of events in the words of the format, and a Load, which goes on as long as it is asked to.
package notation

import (
	"fmt"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// Script turns a short notation into a trace of two connected QPs: qp1 completes into cq1, its peer qp2 into cq2.
//
//	arm ANY       NdkArmCq of cq1            cb< cb>       a callback of cq1 is entered, returns
//	post 1 DQS    NdkSend on qp1 with DEFER, SILENT_SUCCESS, SEND_AND_SOLICIT_EVENT
//	post 1 F      the same, refused          recv 1        NdkReceive on qp1; write 1 is NdkWrite
//	peer 7 S      NdkSend on qp2             peerwrite 8   NdkWrite on qp2
//	get 1 2x 3c   cq1 delivers 1 with success, 2 failed, 3 cancelled; exget the same by NdkGetCqResultsEx
//	peerget 7     cq2 delivers 7             flush         NdkFlush of qp1; flush F the same, refused
//	rest          quiesce                    close         NdkCloseCq of cq1; close-qp that of qp1
//
// A Trace ends at rest unless its last word is "cut".
func Script(t testing.TB, text string) *trace.Trace {
	t.Helper()
	s := &Scripted{Trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}}
	s.Call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: Number(16)}, Success)
	s.Call("NdkCreateCq", trace.Event{Cq: "cq2", Depth: Number(64)}, Success) // its receives may fail, all of them
	s.Call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, Success)
	s.Call("NdkCreateQp", trace.Event{Qp: "qp2", ReceiveCq: "cq2", InitiatorCq: "cq2"}, Success)
	s.Call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, Success)
	s.Call("NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}, Success)
	for i := range 20 { // so that sends never wait for the peer
		s.Call("NdkReceive", trace.Event{Qp: "qp2", Wr: fmt.Sprintf("r%d", i)}, Success)
	}
	return s.Play(t, text)
}

// Play does what a text says, to the end of the trace.
func (s *Scripted) Play(t testing.TB, text string) *trace.Trace {
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
	s.Trace.End = &trace.End{Events: uint64(len(s.Trace.Events)), Quiescent: quiescent}
	return s.Trace
}

// Success is the return of a call that succeeds.
var Success = trace.Event{Status: "STATUS_SUCCESS"}

// Number returns a pointer to a number of the format.
func Number(n int64) *int64 { return &n }

// A Scripted is a trace that is being written.
type Scripted struct {
	Trace *trace.Trace
	ops   int
	cb    string
}

// Event records one event.
func (s *Scripted) Event(ph trace.Phase, op, fn string, e trace.Event) {
	e.Ph, e.Op, e.Fn = ph, op, fn
	e.Seq = uint64(len(s.Trace.Events) + 1)
	e.Line = len(s.Trace.Events) + 2
	s.Trace.Events = append(s.Trace.Events, e)
}

// Call is a whole call.
func (s *Scripted) Call(fn string, call, ret trace.Event) {
	s.ops++
	op := fmt.Sprint(s.ops)
	s.Event(trace.Call, op, fn, call)
	s.Event(trace.Ret, op, fn, ret)
}

func (s *Scripted) word(word string, args []string) bool {
	switch word {
	case "arm":
		s.Call("NdkArmCq", trace.Event{Cq: "cq1", Type: args[0]}, trace.Event{})
	case "cb<":
		s.ops++
		s.cb = fmt.Sprint(s.ops)
		status := "STATUS_SUCCESS"
		if len(args) > 0 {
			status = args[0]
		}
		s.Event(trace.Enter, s.cb, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: status})
	case "cb>":
		s.Event(trace.Exit, s.cb, "NdkCqNotificationCallback", trace.Event{})
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
		ret := Success
		if len(args) > 0 {
			ret.Status = "STATUS_INVALID_PARAMETER"
		}
		s.Call("NdkFlush", trace.Event{Qp: "qp1"}, ret)
	case "rest":
		s.Event(trace.Point, "", "quiesce", trace.Event{})
	case "close":
		s.Call("NdkCloseCq", trace.Event{Cq: "cq1"}, Success)
	case "close-qp":
		s.Call("NdkCloseQp", trace.Event{Qp: "qp1"}, Success)
	default:
		return false
	}
	return true
}

func (s *Scripted) post(fn, qp string, args []string) {
	e, ret := trace.Event{Qp: qp, Wr: args[0]}, Success
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
	s.Call(fn, e, ret)
}

func (s *Scripted) poll(word string, args []string) {
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
	s.Call(fn, trace.Event{Cq: cq, N: Number(8)}, trace.Event{Results: results})
}
