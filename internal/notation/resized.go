package notation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ndkoracle/trace"
)

// Resized is a script of a QP whose peer is not in the trace, and of its CQ, which has room for two completions: line 8 is its first
// event. Beside what script knows, where the dialect is ndkpi:
//
//	resize 4       NdkResizeCq to 4              resize 4 F      the same, refused; resize 4 P: pending
//	resize< 4      the call alone                resize> F       its return
//	done           NdkRequestCompletion of the first resize that is not answered; done F: that it failed; done< and done>: its two ends
//	get<           a poll is called              get> 1 2        and delivers 1 and 2
//	placed 1       a point: the completion of 1 is placed
//	closes         NdkCloseCq of cq1, pending    closed          its completion
//
// In libibverbs: write, get, resize, whose return tells another depth by "resize 4 =6", and placed.
func Resized(t testing.TB, dialect, text string) *trace.Trace {
	t.Helper()
	s := &Scripted{Trace: &trace.Trace{Name: "script", Header: trace.Header{Dialect: dialect, Side: "provider", Order: "total"}}}
	r := &resizing{s, dialect == "verbs", map[string]string{}, nil, t}
	fn, did := "Ndk", Success
	if r.verbs {
		fn, did = "ibv_", trace.Event{}
	}
	names := map[string][3]string{"Ndk": {"CreateCq", "CreateQp", "Connect"}, "ibv_": {"create_cq", "create_qp", "modify_qp"}}[fn]
	s.Call(fn+names[0], trace.Event{Cq: "cq1", Depth: Number(2)}, did)
	s.Call(fn+names[1], trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1", SqSigAll: Bool(true), QpType: "RC"}, did)
	s.Call(fn+names[2], trace.Event{Qp: "qp1", Conn: "c", State: "RTR"}, did)
	quiescent := true
	for _, line := range strings.Split(text, ";") {
		words := strings.Fields(line)
		if quiescent = quiescent && words[0] != "cut"; words[0] == "cut" {
			continue
		}
		if !r.line(words[0], words[1:]) && !s.word(words[0], words[1:]) {
			t.Fatalf("no word %q in the notation", words[0])
		}
	}
	s.Trace.End = &trace.End{Events: uint64(len(s.Trace.Events)), Quiescent: quiescent}
	return s.Trace
}

type resizing struct {
	*Scripted
	verbs bool
	ops   map[string]string // of the latest call of each function
	asked []string          // of the resizes that have not been answered
	t     testing.TB
}

func (r *resizing) line(word string, args []string) bool {
	const completes = "NdkRequestCompletion"
	resize, poll, done := "NdkResizeCq", "NdkGetCqResults", "STATUS_SUCCESS"
	if r.verbs {
		resize, poll, done = "ibv_resize_cq", "ibv_poll_cq", "IBV_WC_SUCCESS"
	}
	results := func() (all []trace.Result) {
		for _, wr := range args {
			all = append(all, trace.Result{Wr: wr, Status: done})
		}
		return all
	}
	switch word {
	case "resize":
		r.line("resize<", args[:1])
		r.line("resize>", args[1:])
	case "resize<":
		r.begins(resize, trace.Event{Cq: "cq1", Depth: r.depth(args[0])})
		r.asked = append(r.asked, r.ops[resize])
	case "resize>":
		e := r.answer(args)
		if r.returns(resize, e); e.Status != "STATUS_PENDING" {
			r.asked = slices.DeleteFunc(r.asked, func(op string) bool { return op == r.ops[resize] })
		}
	case "done":
		r.line("done<", args)
		r.line("done>", nil)
	case "done<":
		r.Scripted.ops++
		r.ops[completes] = fmt.Sprint(r.Scripted.ops)
		r.Event(trace.Enter, r.ops[completes], completes, trace.Event{For: r.asked[0], Status: r.answer(args).Status})
		r.asked = r.asked[1:]
	case "done>":
		r.Event(trace.Exit, r.ops[completes], completes, trace.Event{})
	case "get<":
		r.begins(poll, trace.Event{Cq: "cq1", N: Number(8)})
	case "get>":
		r.returns(poll, trace.Event{Results: results()})
	case "get":
		if !r.verbs {
			return false
		}
		r.Call(poll, trace.Event{Cq: "cq1", N: Number(8)}, trace.Event{Results: results()})
	case "write":
		if !r.verbs {
			return false
		}
		r.Call("ibv_post_send", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: args[0], Opcode: "RDMA_WRITE"}}}, trace.Event{})
	case "placed":
		r.Event(trace.Point, "", "CqePlaced", trace.Event{Cq: "cq1", Wr: args[0], Status: done})
	case "closes":
		r.begins("NdkCloseCq", trace.Event{Cq: "cq1"})
		r.returns("NdkCloseCq", trace.Event{Status: "STATUS_PENDING"})
	case "closed":
		r.Scripted.ops++
		op := fmt.Sprint(r.Scripted.ops)
		r.Event(trace.Enter, op, "NdkCloseCompletion", trace.Event{For: r.ops["NdkCloseCq"], Status: "STATUS_SUCCESS"})
		r.Event(trace.Exit, op, "NdkCloseCompletion", trace.Event{})
	default:
		return false
	}
	return true
}

func (r *resizing) begins(fn string, e trace.Event) {
	r.Scripted.ops++
	r.ops[fn] = fmt.Sprint(r.Scripted.ops)
	r.Event(trace.Call, r.ops[fn], fn, e)
}

func (r *resizing) returns(fn string, e trace.Event) { r.Event(trace.Ret, r.ops[fn], fn, e) }

func (r *resizing) depth(text string) *int64 {
	var n int64
	if _, err := fmt.Sscan(text, &n); err != nil {
		r.t.Fatal(err)
	}
	return &n
}

// answer is success, or what a word says in place of it.
func (r *resizing) answer(args []string) trace.Event {
	e := Success
	if r.verbs {
		e = trace.Event{}
	}
	for _, arg := range args {
		switch {
		case arg == "F" && r.verbs:
			e.Errno = "ENOMEM"
		case arg == "F":
			e.Status = "STATUS_INSUFFICIENT_RESOURCES"
		case arg == "P":
			e.Status = "STATUS_PENDING"
		default:
			e.Depth = r.depth(strings.TrimPrefix(arg, "="))
		}
	}
	return e
}
