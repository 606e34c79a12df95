package notation

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"ndkoracle/trace"
)

// Churn adds a round of a recording in which nothing lives long: a region of memory, a CQ and two connected QPs of it and of the first CQ, which
// lasts. Some requests are cancelled as the QPs are closed, some are never polled. The provider is at rest at the end.
func (l *Load) Churn() {
	l.Posted++
	n := strconv.Itoa(l.Posted)
	cq, a, b, mr, token := "cq:"+n, "qpa:"+n, "qpb:"+n, "mr:"+n, uint32(l.Posted)
	l.Call("NdkCreateCq", trace.Event{Cq: cq, Depth: Number(16)}, Success)
	l.Call("NdkCreateMr", trace.Event{Mr: mr}, Success)
	for _, qp := range []string{a, b} {
		l.Call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: "cq1", InitiatorCq: cq}, Success)
		l.Call("NdkConnect", trace.Event{Qp: qp, Conn: "conn:" + n}, Success)
	}
	l.Call("NdkFastRegister", trace.Event{Qp: a, Wr: "f" + n, Mr: mr, Token: &token}, Success)
	l.Call("NdkInvalidate", trace.Event{Qp: a, Wr: "i" + n, Mr: mr, Token: &token, Flags: []string{"SILENT_SUCCESS"}}, Success)
	l.Call("NdkReceive", trace.Event{Qp: b, Wr: "r" + n}, Success)
	l.Call("NdkReceive", trace.Event{Qp: b, Wr: "q" + n}, Success)
	l.Call("NdkSend", trace.Event{Qp: a, Wr: "s" + n}, Success)
	l.Call("NdkGetCqResults", trace.Event{Cq: cq, N: Number(8)}, trace.Event{Results: []trace.Result{
		{Wr: "f" + n, Qp: a, Status: "STATUS_SUCCESS"}, {Wr: "s" + n, Qp: a, Status: "STATUS_SUCCESS"}}})
	l.Call("NdkGetCqResults", trace.Event{Cq: "cq1", N: Number(8)}, trace.Event{Results: []trace.Result{{Wr: "r" + n, Qp: b, Status: "STATUS_SUCCESS"}}})
	l.Call("NdkWrite", trace.Event{Qp: b, Wr: "w" + n}, Success) // never polled
	l.Call("NdkFlush", trace.Event{Qp: b}, Success)
	l.Event(trace.Point, "", "quiesce", trace.Event{})
	l.Call("NdkGetCqResults", trace.Event{Cq: "cq1", N: Number(8)}, trace.Event{Results: []trace.Result{{Wr: "q" + n, Qp: b, Status: "STATUS_CANCELLED"}}})
	l.Call("NdkCloseQp", trace.Event{Qp: a}, Success)
	l.ClosesEarly("NdkCloseQp", trace.Event{Qp: b})
	l.ClosesEarly("NdkCloseCq", trace.Event{Cq: cq})
	l.Call("NdkCloseMr", trace.Event{Mr: mr}, Success)
}

// ClosesEarly adds a close that is completed before its call has returned STATUS_PENDING.
func (l *Load) ClosesEarly(fn string, e trace.Event) {
	op, by := l.op(), l.op()
	l.Event(trace.Call, op, fn, e)
	l.Event(trace.Enter, by, "NdkCloseCompletion", trace.Event{For: op, Status: "STATUS_SUCCESS"})
	l.Event(trace.Exit, by, "NdkCloseCompletion", trace.Event{})
	l.Event(trace.Ret, op, fn, trace.Event{Status: "STATUS_PENDING"})
}

// ChurnHalf adds what one of two hosts tells of a connection that does not live long, on which it sends or receives.
func (l *Load) ChurnHalf(sends bool) {
	l.Posted++
	n := strconv.Itoa(l.Posted)
	cq, qp, wr, fn := "cq:"+n, "qp:"+n, "w"+n, "NdkReceive"
	if sends {
		fn = "NdkSend"
	}
	l.Call("NdkCreateCq", trace.Event{Cq: cq, Depth: Number(16)}, Success)
	l.Call("NdkCreateQp", trace.Event{Qp: qp, ReceiveCq: cq, InitiatorCq: cq}, Success)
	l.Call("NdkConnect", trace.Event{Qp: qp, Conn: "conn:" + n}, Success)
	l.Call(fn, trace.Event{Qp: qp, Wr: wr}, Success)
	l.Call("NdkReceive", trace.Event{Qp: qp, Wr: "never" + n}, Success)
	l.Call("NdkGetCqResults", trace.Event{Cq: cq, N: Number(8)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: "STATUS_SUCCESS"}}})
	l.ClosesEarly("NdkCloseQp", trace.Event{Qp: qp})
	l.ClosesEarly("NdkCloseCq", trace.Event{Cq: cq})
}

// Post is a whole call that posts a request.
func (l *Load) Post(fn, qp, wr string) { l.Call(fn, trace.Event{Qp: qp, Wr: wr}, Success) }

// Result polls one completion.
func (l *Load) Result(wr, qp, status string) {
	l.Call("NdkGetCqResults", trace.Event{Cq: "of " + qp, N: Number(1)}, trace.Event{Results: []trace.Result{{Wr: wr, Qp: qp, Status: status}}})
}

// A Load is a long recording of a provider that keeps the contract, made up: rounds of arms, posts, a callback and polls on one
// QP whose consumer keeps up to depth requests outstanding.
type Load struct {
	random  *rand.Rand
	depth   int
	Take    func(*trace.Event)
	N, ops  int
	Posted  int
	Waiting []string // wr of what has not been polled, oldest first
}

// NewLoad begins a load with the creation of its objects; take gets each event.
func NewLoad(depth int, take func(*trace.Event)) *Load {
	l := &Load{random: rand.New(rand.NewPCG(1, uint64(depth))), depth: depth, Take: take}
	l.Call("NdkCreateCq", trace.Event{Cq: "cq1", Depth: Number(int64(2 * depth))}, Success)
	l.Call("NdkCreateQp", trace.Event{Qp: "qp1", ReceiveCq: "cq1", InitiatorCq: "cq1"}, Success)
	l.Call("NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}, Success)
	return l
}

// Event records one event.
func (l *Load) Event(ph trace.Phase, op, fn string, e trace.Event) {
	l.N++
	e.Ph, e.Op, e.Fn, e.Thr, e.Seq, e.Line = ph, op, fn, "t", uint64(l.N), l.N+1
	l.Take(&e)
}

func (l *Load) op() string {
	l.ops++
	return strconv.Itoa(l.ops)
}

// Call is a whole call.
func (l *Load) Call(fn string, call, ret trace.Event) {
	op := l.op()
	l.Event(trace.Call, op, fn, call)
	l.Event(trace.Ret, op, fn, ret)
}

func (l *Load) poll(room int) {
	n := min(room, len(l.Waiting))
	results := make([]trace.Result, n)
	for i, wr := range l.Waiting[:n] {
		results[i] = trace.Result{Wr: wr, Qp: "qp1", Status: "STATUS_SUCCESS"}
	}
	l.Waiting = l.Waiting[n:]
	l.Call("NdkGetCqResults", trace.Event{Cq: "cq1", N: Number(int64(room))}, trace.Event{Results: results})
}

// Round adds one round of events.
func (l *Load) Round() {
	l.Call("NdkArmCq", trace.Event{Cq: "cq1", Type: []string{"ANY", "SOLICITED", "ANY"}[l.random.IntN(3)]}, trace.Event{})
	armed := l.random.IntN(2) == 0
	if armed {
		l.Call("NdkArmCq", trace.Event{Cq: "cq1", Type: "ANY"}, trace.Event{})
	}
	for range 1 + l.random.IntN(l.depth-len(l.Waiting)) {
		wr := "w" + strconv.Itoa(l.Posted)
		l.Posted++
		l.Waiting = append(l.Waiting, wr)
		l.Call("NdkWrite", trace.Event{Qp: "qp1", Wr: wr}, Success)
	}
	if armed {
		op := l.op()
		l.Event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: "STATUS_SUCCESS"})
		l.poll(1 + l.random.IntN(l.depth))
		l.Event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
	}
	for len(l.Waiting) > 0 && (len(l.Waiting) == l.depth || l.random.IntN(3) > 0) {
		l.poll(1 + l.random.IntN(l.depth))
	}
}

// Guess adds a round that does not record which of its receives were solicited. It posts depth of them, each while the CQ is armed for
// solicited completions. A callback that does not poll follows each second one.
func (l *Load) Guess() {
	for range l.depth {
		l.Call("NdkArmCq", trace.Event{Cq: "cq1", Type: "SOLICITED"}, trace.Event{})
		wr := "w" + strconv.Itoa(l.Posted)
		l.Posted++
		l.Waiting = append(l.Waiting, wr)
		l.Call("NdkReceive", trace.Event{Qp: "qp1", Wr: wr}, Success)
		if l.random.IntN(2) == 0 {
			op := l.op()
			l.Event(trace.Enter, op, "NdkCqNotificationCallback", trace.Event{Cq: "cq1", Status: "STATUS_SUCCESS"})
			l.Event(trace.Exit, op, "NdkCqNotificationCallback", trace.Event{})
		}
	}
	for len(l.Waiting) > 0 {
		l.poll(1 + l.random.IntN(l.depth))
	}
}

// Loaded returns a load of approximately the given number of events.
func Loaded(depth, events int) *trace.Trace {
	t := &trace.Trace{Name: "load", Header: trace.Header{Dialect: "ndkpi", Side: "provider", Order: "total"}}
	l := NewLoad(depth, func(e *trace.Event) { t.Events = append(t.Events, *e) })
	for len(t.Events) < events {
		l.Round()
	}
	t.End = &trace.End{Events: uint64(len(t.Events))}
	return t
}

// Cramped is a script whose cq1 has room for two completions.
func Cramped(t *testing.T, text string) *trace.Trace {
	traced := Script(t, text)
	for i := range traced.Events {
		if e := &traced.Events[i]; e.Fn == "NdkCreateCq" && e.Cq == "cq1" {
			e.Depth = Number(2)
		}
	}
	return traced
}

// Silent posts a silent request.
func (l *Load) Silent(fn string, token *uint32) {
	l.Call(fn, trace.Event{Qp: "a", Wr: "w" + strconv.Itoa(l.Posted), Mr: "mr", Token: token, Flags: []string{"SILENT_SUCCESS"}}, Success)
	l.Posted++
}

// RestsEmpty is a moment of rest and a poll that finds nothing.
func (l *Load) RestsEmpty() {
	l.Event(trace.Point, "", "quiesce", trace.Event{})
	l.Call("NdkGetCqResults", trace.Event{Cq: "of a", N: Number(1)}, trace.Event{})
}
