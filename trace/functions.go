package trace

import "strings"

// function is what the format knows of a fn: which kind of event it has, and which fields those have.
type function struct {
	kind  kind
	begin fields // on call, enter or point
	end   fields // on ret or exit

	creates   bool // a call is to create an object
	mayBeVoid bool // it returns a status in NDSPI, and nothing in NDKPI

	normalise func(*speller, *Event) error
}

// fields are those of a function's events in one phase, beside those that all events have.
type fields struct {
	required [][]field // of each list one
	optional []field
}

// all returns every field, required or not.
func (f fields) all() []field {
	all := append([]field(nil), f.optional...)
	for _, oneOf := range f.required {
		all = append(all, oneOf...)
	}
	return all
}

// of returns the fields of a phase.
func (f *function) of(ph Phase) fields {
	if ph == f.kind.ends() {
		return f.end
	}
	return f.begin
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
				all[name] = &function{k, fieldsOf(columns[1]), fieldsOf(columns[2]), kind != "", voidInNdkpi(name), normalise}
			}
		}
	}
	add(calls, (*speller).ndk, ndkCalls)
	add(callbacks, (*speller).ndk, ndkCallbacks)
	add(calls, (*speller).libibverbs, verbsCalls)
	add(callbacks, (*speller).libibverbs, verbsCallbacks)
	add(points, (*speller).point, pointNames)
	return all
}()

func voidInNdkpi(fn string) bool { return fn == "NdkFlush" || fn == "NdkControlConnectEvents" }

// fieldsOf reads a cell of the tables: "cq mr|mw +bytes" requires cq, and one of mr and mw; bytes is optional.
func fieldsOf(cell string) (f fields) {
	for alternatives := range strings.FieldsSeq(cell) {
		if name, ok := strings.CutPrefix(alternatives, "+"); ok {
			f.optional = append(f.optional, fieldOf([]byte(name)))
			continue
		}
		var oneOf []field
		for name := range strings.SplitSeq(alternatives, "|") {
			oneOf = append(oneOf, fieldOf([]byte(name)))
		}
		f.required = append(f.required, oneOf)
	}
	return f
}

// Known reports whether the format defines the function.
func Known(fn string) bool {
	_, known := functions[fn]
	return known
}

// functionName returns the name that traces use of a function that is given by its type in ndkpi.h, such as NDK_FN_ARM_CQ;
// any other name as it is.
func functionName(fn string) string {
	if typedef, ok := strings.CutPrefix(fn, "NDK_FN_"); ok {
		if name, ok := functionsByType[strings.ReplaceAll(typedef, "_", "")]; ok {
			return name
		}
	}
	return fn
}

// functionsByType are the functions of NDKPI by the names of their types, without prefix and underscores. That of
// NDK_FN_CLOSE_OBJECT is the type of many.
var functionsByType = func() map[string]string {
	types := map[string]string{"QUERYEXTENSIONINTERFACE": "NdkQueryExtension"}
	for name := range functions {
		if short, ok := strings.CutPrefix(name, "Ndk"); ok {
			types[strings.ToUpper(short)] = name
		}
	}
	return types
}()

// The tables: names / fields on call or enter / fields on ret or exit. A + stands before what is optional.

const ndkCalls = `
	NdkOpenAdapter                                      / +adapter / status
	NdkQueryAdapterInfo                                 / +adapter / +status
	NdkCloseAdapter                                     / +adapter /
	NdkQueryExtension                                   / +adapter / status
	NdkCreatePd                                         / +pd +adapter / status
	NdkClosePd                                          / +pd / status
	NdkGetPrivilegedMemoryRegionToken                   / +pd / token
	NdkBuildLAM                                         / +lam +adapter +length / status
	NdkReleaseLAM                                       / +lam /
	NdkCreateConnector                                  / +connector +adapter / status
	NdkCloseConnector                                   / +connector +qp +conn / status
	NdkReject NdkGetConnectionData NdkGetPeerAddress    / +connector / status
	NdkCreateListener                                   / +listener +adapter / status
	NdkCloseListener NdkListen NdkGetListenerLocalAddress / +listener / status
	NdkControlConnectEvents                             / +listener / +status
	NdkCreateSharedEndpoint                             / +endpoint +adapter / status
	NdkCloseSharedEndpoint NdkGetSharedEndpointLocalAddress / +endpoint / status
	NdkGetLocalAddress                                  / +connector +listener +endpoint / status
	NdkCreateCq                                         / cq depth +adapter / status
	NdkResizeCq                                         / cq depth / status
	NdkControlCqInterruptModeration NdkCloseCq          / cq / status
	NdkArmCq                                            / cq type /
	NdkGetCqResults NdkGetCqResultsEx                   / cq n / results
	NdkCreateQp                                         / qp receive_cq initiator_cq +receive_depth +initiator_depth +inline +srq +pd / status
	NdkCreateQpWithSrq                                  / qp receive_cq initiator_cq srq +initiator_depth +inline +pd / status
	NdkConnect NdkAccept                                / qp conn +connector / status
	NdkAcceptEx NdkCompleteConnect NdkCompleteConnectEx / qp +conn +connector / status
	NdkConnectWithSharedEndpoint                        / qp +conn +connector +endpoint / status
	NdkDisconnect                                       / qp +connector +conn / status
	NdkFlush                                            / qp / +status
	NdkCloseQp                                          / qp / status
	NdkReceive                                          / qp wr +bytes / status
	NdkSend NdkWrite                                    / qp wr +flags +bytes / status
	NdkRead                                             / qp wr +flags +bytes +token / status
	NdkSendAndInvalidate                                / qp wr token +flags +bytes / status
	NdkFastRegister                                     / qp wr mr +flags +bytes +token / status +token
	NdkBind                                             / qp wr mw +mr +flags +bytes +token / status +token
	NdkInvalidate                                       / qp wr mr|mw +flags +token / status
	NdkCreateSrq                                        / srq +pd +threshold +notify / status
	NdkModifySrq                                        / srq +threshold / status
	NdkCloseSrq                                         / srq / status
	NdkSrqReceive                                       / srq wr +bytes / status
	NdkCreateMr                                         / mr +pd / status
	NdkRegisterMr                                       / mr +length +flags / status
	NdkInitializeFastRegisterMr NdkDeregisterMr NdkCloseMr / mr / status
	NdkGetLocalTokenFromMr NdkGetRemoteTokenFromMr      / mr / token
	NdkCreateMw                                         / mw +pd / status
	NdkCloseMw                                          / mw / status
	NdkGetRemoteTokenFromMw                             / mw / token
`

const ndkCallbacks = `
	NdkCqNotificationCallback                           / cq status /
	NdkSrqNotificationCallback                          / srq status /
	NdkConnectEventCallback                             / +listener +connector /
	NdkDisconnectEventCallback NdkDisconnectEventCallbackEx / +connector +qp +conn /
	NdkCreateCompletion NdkRequestCompletion            / for status /
	NdkCloseCompletion                                  / for /
`

// A verbs call that gives no errno on its return succeeded.
const verbsCalls = `
	ibv_open_device ibv_close_device ibv_query_device ibv_query_port / +adapter / +errno
	ibv_alloc_pd                                        / +pd +adapter / +errno
	ibv_dealloc_pd                                      / +pd / +errno
	ibv_create_comp_channel                             / +channel +adapter / +errno
	ibv_destroy_comp_channel                            / +channel / +errno
	ibv_reg_mr                                          / mr +pd +length / +errno
	ibv_dereg_mr                                        / mr / +errno
	ibv_alloc_mw                                        / mw +pd / +errno
	ibv_dealloc_mw                                      / mw / +errno
	ibv_bind_mw                                         / qp wr mw +mr / +errno +token
	ibv_create_cq ibv_create_cq_ex                      / cq depth +channel +adapter / +errno +depth
	ibv_resize_cq                                       / cq depth / +errno +depth
	ibv_destroy_cq                                      / cq / +errno
	ibv_req_notify_cq                                   / cq solicited_only / +errno
	ibv_poll_cq                                         / cq n / results|errno
	ibv_get_cq_event                                    / +channel / cq|errno
	ibv_ack_cq_events                                   / cq n /
	ibv_create_qp ibv_create_qp_ex                      / qp send_cq recv_cq +qp_type +max_send_wr +max_recv_wr +max_inline_data +sq_sig_all +srq +pd / +errno +max_send_wr +max_recv_wr +max_inline_data
	ibv_modify_qp                                       / qp state +conn / +errno
	ibv_query_qp ibv_destroy_qp                         / qp / +errno
	ibv_post_send ibv_post_recv                         / qp wrs / +errno +bad_wr
	ibv_create_srq ibv_create_srq_ex                    / srq +pd / +errno
	ibv_destroy_srq                                     / srq / +errno
	ibv_post_srq_recv                                   / srq wrs / +errno +bad_wr
	ibv_get_async_event                                 / +adapter / type|errno +cq +qp +srq
	ibv_ack_async_event                                 / /
`

// A handler of kernel code on Linux (dialect kverbs).
const verbsCallbacks = `
	comp_handler                                        / cq /
`

const pointNames = `
	CqePlaced                                           / cq wr status +solicited /
	HwIndicate                                          / qp wr /
	quiesce                                             / /
`
