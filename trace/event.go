// Package trace is the recorded trace, format version 1: its types, reader, writer, JSON Schema, and the recorder that
// providers and consumers write it with. docs/trace-format.md says what each field means.
package trace

import (
	"fmt"
	"unsafe"
)

// Phase is which boundary of a call or a callback an event is.
type Phase string

// The phases. A call is Call then Ret, a callback Enter then Exit; Point is knowledge that belongs to no call.
const (
	Call  Phase = "call"
	Ret   Phase = "ret"
	Enter Phase = "enter"
	Exit  Phase = "exit"
	Point Phase = "point"
)

// Header is the first line of a trace.
type Header struct {
	Dialect  string            `json:"dialect"` // ndkpi, ndspi or verbs
	Ndk      string            `json:"ndk,omitempty"`
	Side     string            `json:"side"`  // provider or consumer: who took the events down
	Order    string            `json:"order"` // total or partial
	Clock    Clock             `json:"clock"`
	Producer Producer          `json:"producer"`
	Adapter  map[string]string `json:"adapter,omitempty"` // kernel, driver, device and so on
	Run      map[string]string `json:"run,omitempty"`     // scenario, seed and so on: what would repeat the recording
}

// Clock says what an event's T counts.
type Clock struct {
	Id   string `json:"id"`
	Unit string `json:"unit"`
}

// Producer says which program made the trace.
type Producer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// End is the last line of a trace. Quiescent says that the provider was at rest. Without it, obligations that must be met eventually can't be judged.
type End struct {
	Events    uint64 `json:"events"`
	Dropped   uint64 `json:"dropped"`
	Quiescent bool   `json:"quiescent"`
}

// Event is one line between header and end. Absent fields have their zero value. Where zero is a valid value, the field is a pointer. The fields of
// most events come first, then those of most calls, then those of most returns: so each kind uses few cache lines.
type Event struct {
	Line int    // in the file, from 1; 0 for an event that was not read from one
	Seq  uint64 // strictly increasing: the order of the trace
	Ph   Phase
	Op   string // pairs Call with Ret, Enter with Exit
	Fn   string // the NDKPI or libibverbs name
	Thr  string

	Cq, Qp string
	Wr     string // the recorder's unique id of a posted request
	Flags  []string
	Token  *uint32
	N      *int64 // room for results; events acknowledged
	For    string // op of the call that a completion callback completes
	T      int64  // on the header's clock; information only

	Status  string // NTSTATUS name or 0x…; verbs: errno or wc status name
	Results []Result
	Errno   string
	Bytes   *int64

	Type                   string        // of an arm: ERRORS, ANY, SOLICITED
	Wrs                    []WorkRequest // verbs: the list that a post was given
	Srq, Mr, Mw, Conn      string
	ReceiveCq, InitiatorCq string // of NdkCreateQp; verbs: recv_cq, send_cq
	ReceiveDepth           *int64 // verbs: max_recv_wr
	InitiatorDepth         *int64 // verbs: max_send_wr
	Inline                 *int64 // bytes; verbs: max_inline_data
	Depth                  *int64 // entries of a CQ
	SqSigAll               *bool
	State                  string // verbs: of ibv_modify_qp
	SolicitedOnly          *bool
	BadWr                  string // verbs: the request at which a post stopped
	Cut                    int    // elements of Results or Wrs that were read and are not kept: those from MaxList on
	Solicited              *bool  // of CqePlaced

	Adapter, Pd, Lam              string
	Connector, Listener, Endpoint string // endpoint: of NdkCreateSharedEndpoint
	Channel                       string // verbs: the completion channel of a CQ, or on which an event is waited for
	QpType                        string // verbs: RC, UC, UD, XRC_SEND and so on
	Length                        *int64 // of registered memory, in bytes
	Threshold                     *int64 // of a shared receive queue, in receives
	Notify                        *bool  // of a shared receive queue: there is a callback to be entered

	// NoEffect is set by a judge, on a call that changed no object that it names. It is not part of a trace.
	NoEffect bool

	// Unclear says what in the event the format does not define, if the meaning of the event may depend on it; else it is "". It is not part of a trace.
	Unclear string
}

// WorkRequest is one request of a verbs post.
type WorkRequest struct {
	Wr     string   `json:"wr"`
	Opcode string   `json:"opcode,omitempty"`
	Flags  []string `json:"flags,omitempty"`
	Bytes  *int64   `json:"bytes,omitempty"`
	Token  *uint32  `json:"token,omitempty"`
	Mr     string   `json:"mr,omitempty"`
	Mw     string   `json:"mw,omitempty"`
}

// Result is one completion that a poll delivered.
type Result struct {
	Wr            string  `json:"wr"`
	Qp            string  `json:"qp,omitempty"`
	Status        string  `json:"status"`
	Bytes         *int64  `json:"bytes,omitempty"`
	Type          string  `json:"type,omitempty"`   // NdkOperationType without its prefix; only from NdkGetCqResultsEx
	Opcode        string  `json:"opcode,omitempty"` // verbs
	Token         *uint32 `json:"token,omitempty"`  // of ReceiveAndInvalidate; verbs: invalidated_rkey
	ProviderError *uint32 `json:"provider_error,omitempty"`
}

// Trace is a whole trace in memory. End is nil when the file has no end record.
type Trace struct {
	Name   string // of the file
	Header Header
	Events []Event
	End    *End
	// More counts the events that were read and checked but not kept, because a limit was given.
	More uint64
	// Warnings list content that the format does not define, each with the first such line.
	Warnings []Warning
}

// Error says why a trace can't be read: malformed input, never a verdict about a provider.
type Error struct {
	File   string
	Line   int // from 1; 0 when no line is to blame
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Size returns the approximate memory of an event, in bytes.
func (e *Event) Size() int {
	n := int(unsafe.Sizeof(*e)) + cap(e.Results)*int(unsafe.Sizeof(Result{})) + cap(e.Wrs)*int(unsafe.Sizeof(WorkRequest{}))
	for _, word := range [...]string{e.Op, e.Wr, e.For, e.Thr, e.Fn, e.Cq, e.Qp, e.Status} {
		n += len(word)
	}
	for i := range e.Results {
		n += len(e.Results[i].Wr) + len(e.Results[i].Qp)
	}
	for i := range e.Wrs {
		n += len(e.Wrs[i].Wr)
	}
	return n
}
