package calls

import (
	"testing"

	"ndkoracle/trace"
)

// A call that is refused before anything else happens changes nothing, and only such a one is known not to have.
func TestMarkNoEffect(t *testing.T) {
	call, ret := trace.Event{Ph: trace.Call, Op: "1"}, trace.Event{Ph: trace.Ret, Op: "1"}
	of := func(fn, state, status, errno string) []trace.Event {
		c, r := call, ret
		c.Fn, c.State, r.Fn, r.Status, r.Errno = fn, state, fn, status, errno
		return []trace.Event{c, r}
	}
	between := of("ibv_modify_qp", "RESET", "", "EBUSY")
	between = []trace.Event{between[0], {Ph: trace.Point, Fn: "quiesce"}, between[1]}
	for name, test := range map[string]struct {
		events []trace.Event
		want   bool
	}{
		"a move that is refused":                     {of("ibv_modify_qp", "RESET", "", "EBUSY"), true},
		"a move that succeeds":                       {of("ibv_modify_qp", "RESET", "", ""), false},
		"a close that is refused":                    {of("NdkCloseQp", "", "STATUS_INSUFFICIENT_RESOURCES", ""), true},
		"a close that pends":                         {of("NdkCloseQp", "", "STATUS_PENDING", ""), false},
		"a connect that refuses to try":              {of("NdkConnect", "", "STATUS_INVALID_PARAMETER", ""), true},
		"a connect that the peer refuses":            {of("NdkConnect", "", "STATUS_CONNECTION_REFUSED", ""), false},
		"a post":                                     {of("NdkSend", "", "STATUS_INSUFFICIENT_RESOURCES", ""), false},
		"a refusal, and something happens meanwhile": {between, false},
		"a call whose answer is not known":           {of("ibv_modify_qp", "RESET", "", "EBUSY")[:1], false},
	} {
		test.events[0].NoEffect = !test.want
		MarkNoEffect(test.events)
		if got := test.events[0].NoEffect; got != test.want {
			t.Errorf("%s has no effect: %v", name, got)
		}
		if f := FunctionOf(&test.events[0]); test.want && (f.Kind != Other || f.Verbs != (test.events[0].Fn == "ibv_modify_qp")) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
