package monitor

import (
	"slices"
	"strings"

	"ndkoracle/linearize/resets"
	"ndkoracle/trace"
)

// A role is what a function does with objects.
type role struct {
	of      []Kind // of the object whose function it is, which is not closed while it runs (LIFE-02): one of these
	creates Kind
	closes  Kind
}

// roles is what is known of each function that uses objects. The others use none, as far as is known.
var roles = func() map[string]*role {
	all := map[string]*role{}
	for line := range strings.Lines(rolesText) {
		what, names, _ := strings.Cut(strings.TrimSpace(line), ":")
		var r role
		for word := range strings.FieldsSeq(what) {
			deed, kind, _ := strings.Cut(word, "=")
			switch deed {
			case "of":
				r.of = append(r.of, kindOf(kind))
			case "creates":
				r.creates = kindOf(kind)
			case "closes":
				r.closes, r.of = kindOf(kind), []Kind{kindOf(kind)}
			}
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = &r
		}
	}
	return all
}()

func kindOf(word string) Kind {
	for k, field := range fieldNames {
		if field == word {
			return Kind(k)
		}
	}
	panic("no kind of object is called " + word)
}

const rolesText = `
	creates=adapter: NdkOpenAdapter ibv_open_device
	closes=adapter: NdkCloseAdapter ibv_close_device
	of=adapter: NdkQueryAdapterInfo NdkQueryExtension ibv_query_device ibv_query_port
	of=adapter creates=pd: NdkCreatePd ibv_alloc_pd
	of=adapter creates=cq: NdkCreateCq ibv_create_cq ibv_create_cq_ex
	of=adapter creates=connector: NdkCreateConnector
	of=adapter creates=listener: NdkCreateListener
	of=adapter creates=endpoint: NdkCreateSharedEndpoint
	of=adapter creates=lam: NdkBuildLAM
	of=adapter creates=channel: ibv_create_comp_channel
	closes=lam: NdkReleaseLAM
	closes=channel: ibv_destroy_comp_channel
	of=channel: ibv_get_cq_event
	of=pd: NdkGetPrivilegedMemoryRegionToken
	of=pd creates=mr: NdkCreateMr ibv_reg_mr
	of=pd creates=mw: NdkCreateMw ibv_alloc_mw
	of=pd creates=srq: NdkCreateSrq ibv_create_srq ibv_create_srq_ex
	of=pd creates=qp: NdkCreateQp NdkCreateQpWithSrq ibv_create_qp ibv_create_qp_ex
	closes=pd: NdkClosePd ibv_dealloc_pd
	of=cq: NdkArmCq NdkGetCqResults NdkGetCqResultsEx NdkResizeCq NdkControlCqInterruptModeration ibv_req_notify_cq ibv_poll_cq ibv_resize_cq
	closes=cq: NdkCloseCq ibv_destroy_cq
	of=qp: NdkReceive NdkSend NdkSendAndInvalidate NdkRead NdkWrite NdkFastRegister NdkBind NdkInvalidate NdkFlush
	of=qp: ibv_post_send ibv_post_recv ibv_bind_mw ibv_modify_qp ibv_query_qp ` + resets.ToReset + ` ` + resets.ToInit + `
	closes=qp: NdkCloseQp ibv_destroy_qp ` + resets.DestroysInReset + `
	of=srq: NdkSrqReceive NdkModifySrq ibv_post_srq_recv
	closes=srq: NdkCloseSrq ibv_destroy_srq
	of=mr: NdkInitializeFastRegisterMr NdkRegisterMr NdkDeregisterMr NdkGetLocalTokenFromMr NdkGetRemoteTokenFromMr
	closes=mr: NdkCloseMr ibv_dereg_mr
	of=mw: NdkGetRemoteTokenFromMw
	closes=mw: NdkCloseMw ibv_dealloc_mw
	of=connector: NdkConnect NdkConnectWithSharedEndpoint NdkCompleteConnect NdkCompleteConnectEx NdkAccept NdkAcceptEx
	of=connector: NdkReject NdkDisconnect NdkGetConnectionData NdkGetPeerAddress
	closes=connector: NdkCloseConnector
	of=listener: NdkListen NdkControlConnectEvents NdkGetListenerLocalAddress
	closes=listener: NdkCloseListener
	of=endpoint: NdkGetSharedEndpointLocalAddress
	of=connector of=listener of=endpoint: NdkGetLocalAddress
	closes=endpoint: NdkCloseSharedEndpoint
`

// idOf returns the id of the object of a kind that an event names, or "".
func idOf(e *trace.Event, k Kind) string {
	switch k {
	case Adapter:
		return e.Adapter
	case Pd:
		return e.Pd
	case Cq:
		return e.Cq
	case Qp:
		return resets.NameOf(e.Qp)
	case Srq:
		return e.Srq
	case Mr:
		return e.Mr
	case Mw:
		return e.Mw
	case Lam:
		return e.Lam
	case Connector:
		return e.Connector
	case Listener:
		return e.Listener
	case Endpoint:
		return e.Endpoint
	case Channel:
		return e.Channel
	}
	return ""
}

// isUse reports whether a call that names an object of a kind uses it, so that it has to exist (LIFE-01). Events of a completion queue
// are acknowledged while its destruction waits for that.
func isUse(fn string) bool { return fn != "ibv_ack_cq_events" }

// isOf reports whether a function is one of objects of a kind.
func isOf(fn string, k Kind) bool { return roles[fn] != nil && slices.Contains(roles[fn].of, k) }

// isOverAtClose reports whether a function that names an object of a kind is not called any more once the close of that object was
// (LIFE-06). A connector outlives its queue pair: its functions may be called, but for those that connect the queue pair.
func isOverAtClose(fn string, k Kind) bool {
	if k != Qp || !isOf(fn, Connector) {
		return true
	}
	switch fn {
	case "NdkConnect", "NdkConnectWithSharedEndpoint", "NdkAccept", "NdkAcceptEx":
		return true
	}
	return false
}
