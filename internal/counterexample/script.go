package counterexample

import (
	"strconv"

	"ndkoracle/trace"
)

// The threads of a trace.
const (
	mainThread     = "main"
	callbackThread = "callback"
	device         = "device"
)

// A script is the events that are written down, in their order.
type script struct {
	events []trace.Event
	ops    int
}

func (s *script) add(e trace.Event) {
	e.Seq = uint64(len(s.events) + 1)
	s.events = append(s.events, e)
}

// begin writes a call, or the entry of a callback, and returns its op.
func (s *script) begin(e trace.Event) string {
	s.ops++
	e.Op = strconv.Itoa(s.ops)
	s.add(e)
	return e.Op
}

// call writes a call and its return, with what each has.
func (s *script) call(thread, fn string, call, ret trace.Event) {
	call.Thr, call.Ph, call.Fn = thread, trace.Call, fn
	ret.Op = s.begin(call)
	ret.Thr, ret.Ph, ret.Fn = thread, trace.Ret, fn
	s.add(ret)
}

// point writes what the device knows.
func (s *script) point(e trace.Event) {
	e.Thr, e.Ph = device, trace.Point
	s.add(e)
}

func pointer[T any](v T) *T { return &v }
