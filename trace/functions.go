package trace

import "strings"

// function is what the format knows of a fn: which kind of event it has, and which fields those must have.
type function struct {
	kind  kind
	begin []string // required on call, enter or point; "mr|mw" is one of the two
	end   []string // required on ret or exit

	normalise func(*Event) error
}

type kind int

const (
	calls kind = iota
	callbacks
	points
)

// begins and ends are the phases that a kind has.
func (k kind) begins() Phase { return [...]Phase{Call, Enter, Point}[k] }

func (k kind) ends() Phase { return [...]Phase{Ret, Exit, ""}[k] }

// functions is every fn the format knows, by name. One that is not here is reported, and its events keep what they say.
var functions = func() map[string]function {
	all := map[string]function{}
	add := func(k kind, normalise func(*Event) error, table string) {
		for line := range strings.Lines(table) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			columns := strings.Split(line, "/")
			for _, name := range strings.Fields(columns[0]) {
				all[name] = function{k, strings.Fields(columns[1]), strings.Fields(columns[2]), normalise}
			}
		}
	}
	add(calls, normaliseNdk, ndkCalls)
	add(callbacks, normaliseNdk, ndkCallbacks)
	add(calls, normaliseVerbs, verbsCalls)
	add(points, normalisePoint, pointNames)
	return all
}()

// The tables: names / required on call or enter / required on ret or exit.

const ndkCalls = `
	NdkQueryAdapterInfo NdkCloseAdapter NdkReleaseLAM   / /
	NdkCreatePd NdkCreateConnector NdkCreateListener NdkCreateSharedEndpoint / / status
	NdkClosePd NdkCloseConnector NdkCloseListener NdkCloseSharedEndpoint     / / status
	NdkBuildLAM NdkListen NdkControlConnectEvents NdkReject NdkGetConnectionData NdkQueryExtension / / status
	NdkCreateCq NdkResizeCq                             / cq depth / status
	NdkControlCqInterruptModeration NdkCloseCq          / cq / status
	NdkArmCq                                            / cq type /
	NdkGetCqResults NdkGetCqResultsEx                   / cq n / results
	NdkCreateQp                                         / qp receive_cq initiator_cq / status
	NdkConnect NdkAccept                                / qp conn / status
	NdkAcceptEx NdkConnectWithSharedEndpoint NdkCompleteConnect NdkCompleteConnectEx / qp / status
	NdkDisconnect NdkFlush NdkCloseQp                   / qp / status
	NdkReceive NdkSend NdkRead NdkWrite                 / qp wr / status
	NdkSendAndInvalidate                                / qp wr token / status
	NdkFastRegister                                     / qp wr mr / status
	NdkBind                                             / qp wr mw / status
	NdkInvalidate                                       / qp wr mr|mw / status
	NdkCreateSrq NdkModifySrq NdkCloseSrq               / srq / status
	NdkSrqReceive                                       / srq wr / status
	NdkCreateMr NdkInitializeFastRegisterMr NdkRegisterMr NdkDeregisterMr NdkCloseMr / mr / status
	NdkGetLocalTokenFromMr NdkGetRemoteTokenFromMr      / mr / token
	NdkCreateMw NdkCloseMw                              / mw / status
	NdkGetRemoteTokenFromMw                             / mw / token
`

const ndkCallbacks = `
	NdkCqNotificationCallback                           / cq status /
	NdkSrqNotificationCallback                          / srq status /
	NdkConnectEventCallback NdkDisconnectEventCallback NdkDisconnectEventCallbackEx / /
	NdkCreateCompletion NdkRequestCompletion            / for status /
	NdkCloseCompletion                                  / for /
`

// A verbs call that gives no errno on its return succeeded.
const verbsCalls = `
	ibv_open_device ibv_close_device ibv_query_device ibv_query_port / /
	ibv_alloc_pd ibv_dealloc_pd ibv_create_comp_channel ibv_destroy_comp_channel / /
	ibv_reg_mr ibv_dereg_mr                             / mr /
	ibv_alloc_mw ibv_dealloc_mw                         / mw /
	ibv_bind_mw                                         / qp wr mw /
	ibv_create_cq ibv_resize_cq                         / cq depth /
	ibv_destroy_cq                                      / cq /
	ibv_req_notify_cq                                   / cq solicited_only /
	ibv_poll_cq                                         / cq n / results|errno
	ibv_get_cq_event                                    / / cq|errno
	ibv_ack_cq_events                                   / cq n /
	ibv_create_qp                                       / qp send_cq recv_cq /
	ibv_modify_qp                                       / qp state /
	ibv_query_qp ibv_destroy_qp                         / qp /
	ibv_post_send ibv_post_recv                         / qp wrs /
	ibv_create_srq ibv_destroy_srq                      / srq /
	ibv_post_srq_recv                                   / srq wrs /
	ibv_get_async_event                                 / / type|errno
	ibv_ack_async_event                                 / /
`

const pointNames = `
	CqePlaced                                           / cq wr status /
	HwIndicate                                          / qp wr /
	quiesce                                             / /
`

// present says of each field that functions may require whether an event has it.
var present = map[string]func(*Event) bool{
	"cq":           func(e *Event) bool { return e.Cq != "" },
	"qp":           func(e *Event) bool { return e.Qp != "" },
	"srq":          func(e *Event) bool { return e.Srq != "" },
	"mr":           func(e *Event) bool { return e.Mr != "" },
	"mw":           func(e *Event) bool { return e.Mw != "" },
	"conn":         func(e *Event) bool { return e.Conn != "" },
	"receive_cq":   func(e *Event) bool { return e.ReceiveCq != "" },
	"recv_cq":      func(e *Event) bool { return e.ReceiveCq != "" },
	"initiator_cq": func(e *Event) bool { return e.InitiatorCq != "" },
	"send_cq":      func(e *Event) bool { return e.InitiatorCq != "" },
	"depth":        func(e *Event) bool { return e.Depth != nil },
	"state":        func(e *Event) bool { return e.State != "" },
	"wr":           func(e *Event) bool { return e.Wr != "" },
	"wrs":          func(e *Event) bool { return e.Wrs != nil },
	"type":         func(e *Event) bool { return e.Type != "" },
	"token":        func(e *Event) bool { return e.Token != nil },
	"n":            func(e *Event) bool { return e.N != nil },
	"status":       func(e *Event) bool { return e.Status != "" },
	"errno":        func(e *Event) bool { return e.Errno != "" },
	"results":      func(e *Event) bool { return e.Results != nil },
	"for":          func(e *Event) bool { return e.For != "" },

	"solicited_only": func(e *Event) bool { return e.SolicitedOnly != nil },
}
