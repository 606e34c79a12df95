package calls

import (
	"fmt"
	"slices"
	"strings"

	"ndkoracle/model"
	"ndkoracle/trace"
)

var opsOfFn = map[string]model.Op{
	"NdkSend": model.Send, "NdkSendAndInvalidate": model.SendAndInvalidate, "NdkReceive": model.ReceiveOp,
	"NdkRead": model.Read, "NdkWrite": model.Write, "NdkFastRegister": model.FastRegister, "NdkBind": model.Bind,
	"NdkInvalidate": model.Invalidate,
}

// OpOf returns what a post of NDKPI does.
func OpOf(fn string) model.Op { return opsOfFn[fn] }

// OpOfRequest returns the operation of a work request of ibv_post_send, or why it is not known.
func OpOfRequest(w *trace.WorkRequest) (op model.Op, unknown string) {
	op, ok := opsOfOpcode[strings.TrimPrefix(w.Opcode, "IBV_WR_")]
	if !ok {
		return model.Write, fmt.Sprintf("the contract does not say what %s does, whose field opcode is %q", w.Wr, w.Opcode)
	}
	return op, ""
}

// StoppedSomewhere says why it is not known which requests of a list were posted.
func StoppedSomewhere(fn string) string {
	return "the trace does not record at which request " + fn + " stopped (its field bad_wr)"
}

var opsOfOpcode = map[string]model.Op{
	"SEND": model.Send, "SEND_WITH_IMM": model.Send, "RDMA_WRITE_WITH_IMM": model.Send,
	"SEND_WITH_INV": model.SendAndInvalidate, "RDMA_WRITE": model.Write, "RDMA_READ": model.Read,
	"ATOMIC_CMP_AND_SWP": model.Read, "ATOMIC_FETCH_AND_ADD": model.Read,
	"MASKED_ATOMIC_CMP_AND_SWP": model.Read, "MASKED_ATOMIC_FETCH_AND_ADD": model.Read,
	"REG_MR_INTEGRITY": model.FastRegister, "LOCAL_INV": model.Invalidate, "BIND_MW": model.Bind, "REG_MR": model.FastRegister,
}

// HasVerbsFlag reports whether a work request of ibv_post_send has a flag, whose name it may spell out.
func HasVerbsFlag(flags []string, name string) bool {
	return slices.Contains(flags, name) || slices.Contains(flags, "IBV_SEND_"+name)
}

var resultTypes = map[model.Op]string{
	model.Send: "Send", model.SendAndInvalidate: "Send", model.FastRegister: "FastRegister", model.Bind: "Bind",
	model.Invalidate: "Invalidate", model.Read: "Read", model.Write: "Write",
}

// ResultType returns the operation type that the completion of a request has (RES-01). There is none of a receive: its type
// depends on the message.
func ResultType(op model.Op) (name string, ok bool) {
	name, ok = resultTypes[op]
	return name, ok
}

// completionOpcodes has the opcodes of the completions of libibverbs where they are not called as the request is.
var completionOpcodes = map[string]string{
	"SEND_WITH_IMM": "SEND", "SEND_WITH_INV": "SEND", "RDMA_WRITE_WITH_IMM": "RDMA_WRITE", "RDMA_READ_WITH_INV": "RDMA_READ",
	"ATOMIC_CMP_AND_SWP": "COMP_SWAP", "ATOMIC_FETCH_AND_ADD": "FETCH_ADD",
	"MASKED_ATOMIC_CMP_AND_SWP": "MASKED_COMP_SWAP", "MASKED_ATOMIC_FETCH_AND_ADD": "MASKED_FETCH_ADD", "REG_MR_INTEGRITY": "REG_MR",
}

// CompletionOpcode returns the opcode, without IBV_WC_, that the completion of a request of ibv_post_send has if it succeeds (RES-01).
func CompletionOpcode(opcode string) string {
	if of := completionOpcodes[opcode]; of != "" {
		return of
	}
	return opcode
}

// IsReceiveOpcode reports whether a receive may complete with an opcode, without IBV_WC_. Those of tag matching are of shared receive queues.
func IsReceiveOpcode(opcode string) bool {
	return opcode == "RECV" || opcode == "RECV_RDMA_WITH_IMM" || strings.HasPrefix(opcode, "TM_")
}

// OutcomeOf reads the status of a completion in either dialect.
func OutcomeOf(status string) model.Outcome {
	switch strings.TrimPrefix(status, "IBV_WC_") {
	case "STATUS_SUCCESS", "SUCCESS":
		return model.SUCCESS
	case "STATUS_CANCELLED", "WR_FLUSH_ERR":
		return model.CANCELLED
	}
	return model.FAILED
}
