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

// OpOfRequest returns what a work request of ibv_post_send does, or why nobody knows.
func OpOfRequest(w *trace.WorkRequest) (op model.Op, unknown string) {
	op, ok := opsOfOpcode[strings.TrimPrefix(w.Opcode, "IBV_WR_")]
	if !ok {
		return model.Write, fmt.Sprintf("the contract does not say what %s does, whose opcode is %q", w.Wr, w.Opcode)
	}
	return op, ""
}

// StoppedSomewhere says why nobody knows which requests of a list were posted.
func StoppedSomewhere(fn string) string {
	return "the trace does not tell at which request " + fn + " stopped"
}

var opsOfOpcode = map[string]model.Op{
	"SEND": model.Send, "SEND_WITH_IMM": model.Send, "RDMA_WRITE_WITH_IMM": model.Send,
	"SEND_WITH_INV": model.SendAndInvalidate, "RDMA_WRITE": model.Write, "RDMA_READ": model.Read,
	"ATOMIC_CMP_AND_SWP": model.Read, "ATOMIC_FETCH_AND_ADD": model.Read,
	"LOCAL_INV": model.Invalidate, "BIND_MW": model.Bind, "REG_MR": model.FastRegister,
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
