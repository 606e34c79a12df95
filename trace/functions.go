package trace

import "strings"

// function is what the format knows of a fn: which kind of event it has, and which fields those must have.
type function struct {
	kind  kind
	begin [][]field // required on call, enter or point: of each list one
	end   [][]field // required on ret or exit

	creates bool // a call is to create an object

	normalise func(*speller, *Event) error
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
var functions = func() map[string]*function {
	all := map[string]*function{}
	add := func(k kind, normalise func(*speller, *Event) error, table string) {
		for line := range strings.Lines(table) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			columns := strings.Split(line, "/")
			for _, name := range strings.Fields(columns[0]) {
				kind, _ := (&Event{Fn: name}).Creates()
				all[name] = &function{k, requirements(columns[1]), requirements(columns[2]), kind != "", normalise}
			}
		}
	}
	add(calls, (*speller).ndk, ndkCalls)
	add(callbacks, (*speller).ndk, ndkCallbacks)
	add(calls, (*speller).libibverbs, verbsCalls)
	add(points, (*speller).point, pointNames)
	return all
}()

// requirements reads a cell of the tables: "cq mr|mw" asks for cq, and for one of mr and mw.
func requirements(cell string) (required [][]field) {
	for alternatives := range strings.FieldsSeq(cell) {
		var oneOf []field
		for name := range strings.SplitSeq(alternatives, "|") {
			oneOf = append(oneOf, fieldOf([]byte(name)))
		}
		required = append(required, oneOf)
	}
	return required
}

// Known reports whether the format knows the function.
func Known(fn string) bool {
	_, known := functions[fn]
	return known
}

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
	ibv_create_cq ibv_create_cq_ex ibv_resize_cq        / cq depth /
	ibv_destroy_cq                                      / cq /
	ibv_req_notify_cq                                   / cq solicited_only /
	ibv_poll_cq                                         / cq n / results|errno
	ibv_get_cq_event                                    / / cq|errno
	ibv_ack_cq_events                                   / cq n /
	ibv_create_qp ibv_create_qp_ex                      / qp send_cq recv_cq /
	ibv_modify_qp                                       / qp state /
	ibv_query_qp ibv_destroy_qp                         / qp /
	ibv_post_send ibv_post_recv                         / qp wrs /
	ibv_create_srq ibv_create_srq_ex ibv_destroy_srq    / srq /
	ibv_post_srq_recv                                   / srq wrs /
	ibv_get_async_event                                 / / type|errno
	ibv_ack_async_event                                 / /
`

const pointNames = `
	CqePlaced                                           / cq wr status /
	HwIndicate                                          / qp wr /
	quiesce                                             / /
`
