package witness

import (
	"math"
	"strings"

	"ndkoracle/linearize/resets"
	"ndkoracle/model"
	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// A call is a call or a callback of the trace, or a point, with the indexes of its events. One that never returned ends behind
// all of them.
type call struct {
	begin, end *trace.Event // end is nil of one that never returned
	from, to   int
}

// calls pairs the events of a trace, in the order of the beginnings.
func calls(events []trace.Event) []*call {
	var all []*call
	open := map[string]*call{}
	for i := range events {
		e := &events[i]
		switch e.Ph {
		case trace.Ret, trace.Exit:
			if c := open[e.Op]; c != nil {
				c.end, c.to = e, i
			}
		case trace.Point:
			all = append(all, &call{e, e, i, i})
		default:
			c := &call{begin: e, from: i, to: len(events)}
			all, open[e.Op] = append(all, c), c
		}
	}
	return all
}

func (c *call) verbs() bool { return isVerbs(c.begin.Fn) }

func isVerbs(fn string) bool { return strings.HasPrefix(fn, "ibv_") }

// succeeded reports whether the call returned success.
func (c *call) succeeded() bool {
	switch {
	case c.end == nil:
		return false
	case c.verbs():
		return c.end.Errno == "" || c.end.Errno == "0"
	}
	if c.end.Status == "" {
		return c.begin.Fn == "NdkFlush" // which is VOID in NDKPI
	}
	status, err := ndk.ParseStatus(c.end.Status)
	return err == nil && status.Success() && status != ndk.STATUS_PENDING
}

// pending reports whether the call returned STATUS_PENDING.
func (c *call) pending() bool { return c.end != nil && c.end.Status == ndk.STATUS_PENDING.String() }

// refused reports whether the call returned failure.
func (c *call) refused() bool {
	answers := c.end != nil && (c.verbs() || c.end.Status != "")
	return answers && !c.succeeded() && !c.pending()
}

// What functions do to the contract's state.
var (
	createsCq        = words("NdkCreateCq", "ibv_create_cq", "ibv_create_cq_ex")
	createsQp        = words("NdkCreateQp", "ibv_create_qp", "ibv_create_qp_ex", resets.ToInit)
	connects         = words("NdkConnect", "NdkConnectWithSharedEndpoint", "NdkAccept", "NdkAcceptEx")
	arms             = words("NdkArmCq", "ibv_req_notify_cq")
	notifies         = words("NdkCqNotificationCallback", "comp_handler")
	polls            = words("NdkGetCqResults", "NdkGetCqResultsEx", "ibv_poll_cq")
	resizes          = words("NdkResizeCq", "ibv_resize_cq")
	completesConnect = words("NdkCompleteConnect", "NdkCompleteConnectEx")
	flushes          = words("NdkFlush", "NdkDisconnect")
	closesCq         = words("NdkCloseCq", "ibv_destroy_cq")
	closesQp         = words("NdkCloseQp", "ibv_destroy_qp", resets.ToReset)
	closesRegion     = words("NdkCloseMr", "NdkDeregisterMr", "NdkCloseMw", "ibv_dereg_mr", "ibv_dealloc_mw")
	regions          = words("NdkCreateMr", "NdkInitializeFastRegisterMr", "NdkCreateMw", "ibv_reg_mr", "ibv_alloc_mw")
	givesToken       = words("NdkRegisterMr", "ibv_reg_mr", "ibv_alloc_mw")

	posts = map[string]model.Op{
		"NdkSend": model.Send, "NdkSendAndInvalidate": model.SendAndInvalidate, "NdkReceive": model.ReceiveOp, "NdkRead": model.Read,
		"NdkWrite": model.Write, "NdkFastRegister": model.FastRegister, "NdkBind": model.Bind, "NdkInvalidate": model.Invalidate,
	}
	opcodes = map[string]model.Op{
		"SEND": model.Send, "SEND_WITH_IMM": model.Send, "RDMA_WRITE_WITH_IMM": model.Send, "SEND_WITH_INV": model.SendAndInvalidate,
		"RDMA_WRITE": model.Write, "RDMA_READ": model.Read, "ATOMIC_CMP_AND_SWP": model.Read, "ATOMIC_FETCH_AND_ADD": model.Read,
		"LOCAL_INV": model.Invalidate, "BIND_MW": model.Bind, "REG_MR": model.FastRegister,
	}
)

func words(list ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range list {
		set[word] = true
	}
	return set
}

// asks reports whether the call is ibv_modify_qp to one of these states.
func (c *call) asks(states ...string) bool {
	for _, state := range states {
		if c.begin.Fn == "ibv_modify_qp" && strings.TrimPrefix(c.begin.State, "IBV_QPS_") == state {
			return true
		}
	}
	return false
}

func (c *call) connects() bool { return connects[c.begin.Fn] || c.asks("RTR") }

// flushes reports whether the call flushes its QP, or may: NdkDisconnect also where it failed (DISC-08).
func (c *call) flushes() bool {
	return (flushes[c.begin.Fn] || c.asks("ERR", "SQE")) && (!c.refused() || c.begin.Fn == "NdkDisconnect")
}

// depth returns for how many completions a call makes room in a CQ: as it returned, or else as it was asked; where neither is told, for
// any.
func (c *call) depth() int {
	switch {
	case c.end != nil && c.end.Depth != nil:
		return int(*c.end.Depth)
	case c.begin.Depth != nil:
		return int(*c.begin.Depth)
	}
	return math.MaxInt32
}

// outcomeOf reads the status of a completion in either dialect.
func outcomeOf(status string) model.Outcome {
	switch strings.TrimPrefix(status, "IBV_WC_") {
	case "STATUS_SUCCESS", "SUCCESS":
		return model.SUCCESS
	case "STATUS_CANCELLED", "WR_FLUSH_ERR":
		return model.CANCELLED
	}
	return model.FAILED
}

// armType is the type of an arm, by the model's name.
func armType(e *trace.Event) string {
	switch {
	case e.SolicitedOnly == nil:
		return e.Type
	case *e.SolicitedOnly:
		return model.SOLICITED.String()
	}
	return model.ANY.String()
}
