package stream

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
	"ndkoracle/trace"
)

// A check that is ended while it takes the end of its trace says so, and does not go through what the CQs still hold (POLL-05, DEF-04).
func TestEndedWhileItTakesTheEnd(t *testing.T) {
	const lines = `{"rec":"hdr","format":"ndk-trace","v":"1.1","dialect":"ndkpi","side":"provider","order":"total","producer":{"name":"by hand","version":"1"}}
{"seq":1,"thr":"t","ph":"call","op":"1","fn":"NdkCreateCq","cq":"c","depth":8}
{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"NdkCreateCq","status":"STATUS_SUCCESS"}
{"seq":3,"thr":"t","ph":"call","op":"2","fn":"NdkCreateQp","qp":"q","receive_cq":"c","initiator_cq":"c"}
{"seq":4,"thr":"t","ph":"ret","op":"2","fn":"NdkCreateQp","status":"STATUS_SUCCESS"}
{"seq":5,"thr":"t","ph":"call","op":"3","fn":"NdkConnect","qp":"q","conn":"k"}
{"seq":6,"thr":"t","ph":"ret","op":"3","fn":"NdkConnect","status":"STATUS_SUCCESS"}
{"seq":7,"thr":"t","ph":"call","op":"4","fn":"NdkFastRegister","qp":"q","wr":"w","mr":"m","flags":[]}
{"seq":8,"thr":"t","ph":"ret","op":"4","fn":"NdkFastRegister","status":"STATUS_SUCCESS"}
{"rec":"end","events":8,"dropped":0,"quiescent":true}
`
	in, err := trace.Read("trace", strings.NewReader(lines), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, halted := range []bool{false, true} {
		s := New(in.Header, model.Ndkpi(), 1<<20)
		for i := range in.Events {
			s.Take(&in.Events[i])
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		if halted {
			cancel(errors.New("no time is left"))
			s.machine.Halt()
		}
		r := verdict.Report{Rules: map[string]verdict.RuleCoverage{}}
		s.conclude(ctx, in.End, len(in.Events), &r)
		cancel(nil)
		said := false
		for _, f := range r.Findings {
			said = said || f.Message == "no time is left after 8 events"
		}
		if left := s.cqsInOrder[0].pending; said != halted || (left > 0) != halted {
			t.Errorf("halted %v: %d completions left in the CQ, findings %+v", halted, left, r.Findings)
		}
	}
}
