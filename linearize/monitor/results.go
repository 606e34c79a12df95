package monitor

import (
	"fmt"
	"strings"

	"ndkoracle/linearize/calls"
	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// results checks what a completion says of its request: RES-01, RES-02 and RES-05.
type results struct {
	seldom
	noRequest
	s                                *requests
	operations, receives, extensions *int
}

// wrongType is the rule that a receive tells whether its message named a token.
const wrongType = "RES-02"

var _ = decides(
	rule{ID: "RES-01", On: on{"a result with a type or an opcode is delivered"}, Alone: true, Rests: declared.Matching},
	rule{ID: wrongType, On: on{"the result of a receive with a type is delivered"}, OnlyNdk: true, Alone: true, Rests: declared.Matching},
	rule{ID: "RES-05", On: on{"the result of a success with ProviderErrorCode is delivered"}, OnlyNdk: true, Alone: true, Undefined: "a property of one result"},
)

func newResults(m *Monitor) checks {
	return &results{s: m.requests, operations: m.counter("RES-01"), receives: m.counter(wrongType), extensions: m.counter("RES-05")}
}

func (o *results) completed(r *workRequest, c *Call, result *trace.Result) {
	succeeded := calls.OutcomeOf(result.Status) == model.SUCCESS
	if c.Verbs {
		if succeeded {
			o.checkOpcode(r, c, result)
		}
		return
	}
	if succeeded && c.Fn == "NdkGetCqResultsEx" {
		*o.extensions++
	}
	if code := result.ProviderError; code != nil && *code != 0 && succeeded {
		o.report(r, c, "RES-05", fmt.Sprintf("%s succeeded with ProviderErrorCode %d, which is 0 where a request succeeds", r.wr, *code))
	}
	o.checkType(r, c, result)
}

// checkType is RES-01 and RES-02.
func (o *results) checkType(r *workRequest, c *Call, result *trace.Result) {
	want, ok := calls.ResultType(r.op)
	switch {
	case result.Type == "":
	case !ok:
		if *o.receives++; result.Type != "Receive" && result.Type != "ReceiveAndInvalidate" {
			o.report(r, c, wrongType, fmt.Sprintf("the completion of %s, a receive, has type %s", r.wr, result.Type))
		}
	default:
		if *o.operations++; result.Type != want {
			o.report(r, c, "RES-01", fmt.Sprintf("the completion of %s, a %v, has type %s: it is %s", r.wr, r.op, result.Type, want))
		}
	}
}

// checkOpcode is RES-01 in libibverbs. Of a completion that failed the opcode is undefined, and an opcode without a name may be
// the device's own.
func (o *results) checkOpcode(r *workRequest, c *Call, result *trace.Result) {
	opcode := result.Opcode
	if opcode == "" || isNumber(opcode) || strings.HasPrefix(opcode, "DRIVER") {
		return
	}
	*o.operations++
	switch want := calls.CompletionOpcode(r.opcode); {
	case r.op == model.ReceiveOp:
		if !calls.IsReceiveOpcode(opcode) {
			o.report(r, c, "RES-01", fmt.Sprintf("the completion of %s, a receive, has the opcode IBV_WC_%s: it is IBV_WC_RECV, or IBV_WC_RECV_RDMA_WITH_IMM",
				r.wr, opcode))
		}
	case calls.IsReceiveOpcode(opcode):
		o.report(r, c, "RES-01", fmt.Sprintf("the completion of %s, which was posted by %s, has the opcode IBV_WC_%s of a receive", r.wr, r.fn, opcode))
	case r.opcode != "" && !isNumber(r.opcode) && r.opcode != "DRIVER1" && opcode != want:
		o.report(r, c, "RES-01", fmt.Sprintf("the completion of %s, an IBV_WR_%s, has the opcode IBV_WC_%s: it is IBV_WC_%s", r.wr, r.opcode, opcode, want))
	}
}

func (o *results) report(r *workRequest, c *Call, rule, message string) {
	o.s.m.report(Finding{Verdict: verdict.ProviderViolation, Rule: rule, See: []int{r.place.Line}, Objects: []Object{{Cq, c.Cq}, r.queue.object()}, Message: message})
}

func isNumber(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }
