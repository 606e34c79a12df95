// Package verbs is a thin binding of libibverbs: names, arguments and errors are the library's own. It records each call
// in a trace of the verbs dialect when it is given a trace.Recorder.
//
// The types and constants are always there. What calls the library needs cgo, Linux, Debian's libibverbs-dev (or its
// like) and the build tag ibverbs.
//
// An object's methods may be called from several goroutines; calls on one object are made one at a time, except
// GetCQEvent and GetAsyncEvent, which wait. Nothing may be called on an object that was destroyed, except Interrupt.
//
// # What is recorded
//
// Objects are named in the order of their creation: cq1, qp1, mw1. A request is named after its wr_id, w17, so wr_ids
// have to be unique within a trace. Each object is a thread of the trace, because calls on it are made one at a time;
// waiting for events has threads of its own. A call that waits for an event and is interrupted returns EINTR.
package verbs
