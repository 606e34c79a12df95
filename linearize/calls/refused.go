package calls

import (
	"slices"
	"strings"

	"ndkoracle/trace"
)

// MarkNoEffect marks, among consecutive events, the calls that changed nothing: the refused calls whose return is the next event, so that no other
// call can have observed a change. They have kind Other, except for posts, which also end a chain (DEF-05). The last event is not decided yet.
func MarkNoEffect(events []trace.Event) {
	for i := range events {
		e := &events[i]
		if e.NoEffect = false; i+1 < len(events) && MayHaveNoEffect(e) {
			ret := &events[i+1]
			e.NoEffect = ret.Ph == trace.Ret && ret.Op == e.Op && changesNothing(e, ret)
		}
	}
}

// MayHaveNoEffect reports whether an event is a call of a kind that MarkNoEffect looks at.
func MayHaveNoEffect(e *trace.Event) bool {
	if e.Ph != trace.Call {
		return false
	}
	switch kinds[e.Fn] {
	case modifyQp, ConnectQp, CloseQp, CloseRegion:
		return true
	}
	return e.Fn == "NdkInvalidate" || e.Fn == "NdkRegisterMr" || e.Fn == "NdkModifySrq" || e.Fn == "ibv_modify_srq"
}

// TriedNothing reports whether by such an answer NdkConnect or NdkAccept refuses to try.
func TriedNothing(status string) bool {
	return strings.HasPrefix(status, "STATUS_INVALID_PARAMETER") || slices.Contains(outright, status)
}

// outright are the answers that refuse to try, beside those of a wrong argument. That resources do not suffice may turn out midway.
var outright = []string{"STATUS_NOT_SUPPORTED", "STATUS_CONNECTION_ACTIVE", "STATUS_ADDRESS_ALREADY_EXISTS"}

// changesNothing reports whether a call is one that a refusal undoes (ibv_modify_qp(3), LIFE-06). Where NdkConnect or NdkAccept fails, a connection may have
// been made, or receives cancelled, but for the answers of one that tried nothing.
func changesNothing(call, ret *trace.Event) bool {
	f := FunctionOf(call)
	if f.Kind == ConnectQp && !f.Verbs {
		return TriedNothing(ret.Status)
	}
	return IsRefusal(f.Verbs, ret)
}
