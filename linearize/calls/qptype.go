package calls

import (
	"slices"
	"strings"

	"ndkoracle/trace"
)

// A queue pair of libibverbs has a type (the qp_type of ibv_create_qp), which determines the delivery of messages. Queue pairs of NDKPI and NDSPI are all
// reliable connections.

// IsReliable reports whether a QP delivers each message, or its send does not succeed: a message waits for a receive. Its argument is the call that creates
// the QP. It is false if that is not known: the trace does not record the type, or the type is not a reliable one of libibverbs.
func IsReliable(create *trace.Event) bool {
	return create != nil && (!strings.HasPrefix(create.Fn, "ibv_") || create.QpType == "RC" || strings.HasPrefix(create.QpType, "XRC_"))
}

// DeliversMessages reports whether each message of a QP reaches a receive of its peer, or its send does not succeed. UC and UD lose messages, and an XRC
// QP has no receives of its own: its messages take those of a shared queue. One of unknown type, or of a type that the format does not know, counts as
// RC: package doubts leaves undecided what rests on that.
func DeliversMessages(create *trace.Event) bool {
	return create == nil || !slices.Contains([]string{"UC", "UD", "XRC_SEND", "XRC_RECV", "RAW_PACKET", "DRIVER"}, create.QpType)
}

// MayLoseConnection reports whether a QP may go to its error state because the peer does not answer. UC and UD do not wait for
// the peer, and none of their sends does for a receive.
func MayLoseConnection(create *trace.Event) bool {
	return create == nil || create.QpType != "UC" && create.QpType != "UD"
}

// SignalsAll reports whether each request of a QP has a completion, with SIGNALED or without; known is false where the trace does not say. In
// NDKPI a request has one unless its own flags say otherwise.
func SignalsAll(create *trace.Event) (all, known bool) {
	switch {
	case create == nil:
		return false, false
	case create.SqSigAll != nil:
		return *create.SqSigAll, true
	}
	return false, !strings.HasPrefix(create.Fn, "ibv_")
}

// UntoldSignaling says what the trace lacks of a QP whose creation does not give sq_sig_all.
func UntoldSignaling(qp string) string {
	return "the creation of " + qp + " does not give sq_sig_all, so a request without SIGNALED may complete or be silent"
}
