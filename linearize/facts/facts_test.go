package facts

import (
	"fmt"
	"slices"
	"testing"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// A notebook writes down the facts that it is told.
type notebook struct{ lines []string }

func (n *notebook) note(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) CqCreated(name string, depth int) { n.note("%s holds %d", name, depth) }
func (n *notebook) CqResizing(m Moment, name string, depth int) {
	n.note("%d: %s to %d", m.At, name, depth)
}
func (n *notebook) CqResized(m Moment, name string, depth int, ok bool) {
	n.note("%d: %s at %d %v", m.At, name, depth, ok)
}
func (n *notebook) QpCreated(p Qp) {
	n.note("%s into %s %s, reliable %v, loses %v, paired %v", p.Name, p.InitiatorCq, p.Receive, p.Reliable, p.Loses, p.Paired)
}
func (n *notebook) ConnectCalled(m Moment, qp, conn string) {
	n.note("%d: connect %s %s", m.At, qp, conn)
}
func (n *notebook) Connected(m Moment, qp string) { n.note("%d: connected %s", m.At, qp) }
func (n *notebook) CompletesConnect(m Moment, qp string, over bool) {
	n.note("%d: completes the connect of %s, over: %v", m.At, qp, over)
}
func (n *notebook) ConnectFailed(m Moment, qp string, may bool) {
	n.note("%d: not connected %s, or %v", m.At, qp, may)
}
func (n *notebook) PostCalled(c *Call) {
	for _, q := range c.Requests {
		n.note("%d: post %s %v silent %v deferred %v fence %v", c.At, q.Wr, q.Op, q.Silent, q.Deferred, q.Fence)
	}
}
func (n *notebook) PostReturned(m Moment, c *Call, accepted int) {
	n.note("%d: %d of %d accepted, posted at %d", m.At, accepted, len(c.Requests), c.At)
}
func (n *notebook) PollCalled(c *Call) { n.note("%d: poll %s", c.At, c.Cq) }
func (n *notebook) PollReturned(m Moment, c *Call, results []trace.Result) {
	n.note("%d: %d results of %d, still since %d", m.At, len(results), c.Room, c.Still.At)
}
func (n *notebook) Placed(m Moment, cq, wr string, o model.Outcome) {
	n.note("%d: %s in %s %v", m.At, wr, cq, o)
}
func (n *notebook) Rest(m Moment)               { n.note("%d: rest", m.At) }
func (n *notebook) FlushCalled(c *Call)         { n.note("%d: flush %s", c.At, c.Qp) }
func (n *notebook) FlushDone(m Moment, c *Call) { n.note("%d: flushed %s", m.At, c.Qp) }
func (n *notebook) FlushFailed(m Moment, c *Call, may bool) {
	n.note("%d: not flushed %s, or %v", m.At, c.Qp, may)
}
func (n *notebook) CloseQpCalled(m Moment, qp string)     { n.note("%d: close %s", m.At, qp) }
func (n *notebook) CloseQpRefused(qp string)              { n.note("not closed %s", qp) }
func (n *notebook) CqClosing(cq string)                   { n.note("closing %s", cq) }
func (n *notebook) SharedPosted(m Moment, srq, wr string) { n.note("%d: %s to %s", m.At, wr, srq) }
func (n *notebook) Resumed(qp string)                     { n.note("resumed %s", qp) }
func (n *notebook) CqClosed(cq string)                    { n.note("closed %s", cq) }
func (n *notebook) CqFailed(_ Moment, cq string, overflow bool) {
	n.note("%s failed, overflow %v", cq, overflow)
}
func (n *notebook) TokensDied(since, m Moment, tokens []uint32) {
	n.note("%d: tokens %v are over since %d", m.At, tokens, since.At)
}

func (n *notebook) Beyond(cq, qp, because string) { n.note("beyond %s%s", cq, qp) }

func call(op, fn string, e trace.Event) trace.Event {
	e.Ph, e.Op, e.Fn = trace.Call, op, fn
	return e
}

func ret(op, fn string, e trace.Event) trace.Event {
	e.Ph, e.Op, e.Fn = trace.Ret, op, fn
	return e
}

func number(n int64) *int64 { return &n }

var (
	success = trace.Event{Status: "STATUS_SUCCESS"}
	pending = trace.Event{Status: "STATUS_PENDING"}
	refused = trace.Event{Status: "STATUS_INVALID_PARAMETER"}
	rest    = trace.Event{Ph: trace.Point, Fn: "quiesce"}
)

func TestFacts(t *testing.T) {
	no := false
	for name, c := range map[string]struct {
		events []trace.Event
		want   []string
	}{
		"a post with flags": {[]trace.Event{call("1", "NdkSend", trace.Event{Qp: "qp1", Wr: "w", Flags: []string{"DEFER", "SILENT_SUCCESS", "READ_FENCE"}}), ret("1", "NdkSend", success)},
			[]string{"1: post w Send silent true deferred true fence true", "2: 1 of 1 accepted, posted at 1"}},
		"events that are unclear": {[]trace.Event{{Ph: trace.Call, Op: "1", Fn: "F", Cq: "q", Unclear: "F"}, {Ph: trace.Ret, Op: "1", Fn: "F", Unclear: "F"}}, nil}, // doubts knows what they leave open
		"a refused post": {[]trace.Event{call("1", "NdkReceive", trace.Event{Qp: "qp1", Wr: "w"}), ret("1", "NdkReceive", refused)},
			[]string{"1: post w Receive silent false deferred false fence false", "2: 0 of 1 accepted, posted at 1"}},
		"a list that stops": {[]trace.Event{call("1", "ibv_post_recv", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: "a"}, {Wr: "b"}}}),
			ret("1", "ibv_post_recv", trace.Event{Errno: "ENOMEM", BadWr: "b"})},
			[]string{"1: post a Receive silent false deferred false fence false", "1: post b Receive silent false deferred false fence false", "2: 1 of 2 accepted, posted at 1"}},
		"a list of which it is not known where it stops": {[]trace.Event{call("1", "ibv_post_recv", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: "a"}, {Wr: "b"}}}),
			ret("1", "ibv_post_recv", trace.Event{Errno: "ENOMEM"})},
			[]string{"1: post a Receive silent false deferred false fence false", "1: post b Receive silent false deferred false fence false", "beyond qp1", "2: 0 of 2 accepted, posted at 1"}},
		"a request that may be silent": {[]trace.Event{call("1", "ibv_create_qp", trace.Event{Qp: "qp1", InitiatorCq: "a", ReceiveCq: "b", QpType: "UD"}),
			call("2", "ibv_post_send", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: "w", Opcode: "SEND"}}})},
			[]string{"qp1 into a b, reliable false, loses true, paired false", "2: post w Send silent true deferred false fence false"}},
		"a request that is silent": {[]trace.Event{call("1", "ibv_create_qp", trace.Event{Qp: "qp1", SqSigAll: &no, QpType: "RC"}),
			call("2", "ibv_post_send", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: "w", Opcode: "RDMA_READ"}}})},
			[]string{"qp1 into  , reliable true, loses false, paired true", "2: post w Read silent true deferred false fence false"}},
		"polls behind a rest": {[]trace.Event{rest, call("1", "NdkGetCqResults", trace.Event{Cq: "q", N: number(3)}), ret("1", "NdkGetCqResults", trace.Event{Results: []trace.Result{{Wr: "w"}}}),
			call("2", "NdkFlush", trace.Event{Qp: "qp1"}), call("3", "NdkGetCqResults", trace.Event{Cq: "q"}), ret("3", "NdkGetCqResults", trace.Event{}), rest, ret("2", "NdkFlush", success),
			call("4", "NdkGetCqResults", trace.Event{Cq: "q"}), ret("4", "NdkGetCqResults", trace.Event{})},
			[]string{"1: rest", "2: poll q", "3: 1 results of 3, still since 1", "4: flush qp1", "5: poll q", "6: 0 results of 0, still since 0", "7: rest", "8: flushed qp1", "9: poll q", "10: 0 results of 0, still since 0"}},
		"a close that pends": {[]trace.Event{call("1", "NdkCloseQp", trace.Event{Qp: "qp1"}), ret("1", "NdkCloseQp", pending), {Ph: trace.Enter, Op: "2", Fn: "NdkCloseCompletion", For: "1"}},
			[]string{"1: close qp1", "1: flush qp1", "3: flushed qp1"}},
		"a close that is answered before its call returns": {[]trace.Event{call("1", "NdkCloseQp", trace.Event{Qp: "qp1"}), {Ph: trace.Enter, Op: "2", Fn: "NdkCloseCompletion", For: "1"},
			{Ph: trace.Exit, Op: "2", Fn: "NdkCloseCompletion"}, ret("1", "NdkCloseQp", pending)},
			[]string{"1: close qp1", "1: flush qp1", "2: flushed qp1"}},
		"a queue pair of datagrams that may be brought back": {[]trace.Event{call("1", "ibv_create_qp", trace.Event{Qp: "qp1", QpType: "UD", SqSigAll: &no}),
			call("2", "ibv_post_send", trace.Event{Qp: "qp1", Wrs: []trace.WorkRequest{{Wr: "w", Opcode: "SEND", Flags: []string{"SIGNALED"}}}}),
			call("3", "ibv_modify_qp", trace.Event{Qp: "qp1", State: "RTS"})},
			[]string{"qp1 into  , reliable false, loses true, paired false", "2: post w Send silent false deferred false fence false", "resumed qp1"}},
		"a close that is refused": {[]trace.Event{call("1", "NdkCloseQp", trace.Event{Qp: "qp1"}), ret("1", "NdkCloseQp", refused)},
			[]string{"1: close qp1", "1: flush qp1", "2: not flushed qp1, or false", "not closed qp1"}},
		"a resize": {[]trace.Event{call("1", "NdkResizeCq", trace.Event{Cq: "q", Depth: number(4)}), ret("1", "NdkResizeCq", pending),
			{Ph: trace.Enter, Op: "2", Fn: "NdkRequestCompletion", For: "1", Status: "STATUS_SUCCESS"}, call("3", "NdkResizeCq", trace.Event{Cq: "q"})},
			[]string{"1: q to 4", "3: q at 4 true", "beyond q"}},
		"connects": {[]trace.Event{call("1", "NdkConnect", trace.Event{Qp: "qp1", Conn: "c"}), ret("1", "NdkConnect", refused), call("2", "NdkAccept", trace.Event{Qp: "qp2", Conn: "c"}), ret("2", "NdkAccept", success)},
			[]string{"1: connect qp1 c", "2: not connected qp1, or true", "3: connect qp2 c", "4: connected qp2"}},
		"a CQ that fails": {[]trace.Event{{Ph: trace.Enter, Op: "1", Fn: "NdkCqNotificationCallback", Cq: "q", Status: "STATUS_INTERNAL_ERROR"}, {Ph: trace.Point, Fn: "CqePlaced", Cq: "q", Wr: "w", Status: "STATUS_CANCELLED"}},
			[]string{"q failed, overflow false", "2: w in q CANCELLED"}},
	} {
		n := &notebook{}
		r := NewReader(n)
		for i := range c.events {
			r.Read(&c.events[i])
		}
		if r.Finish(false); !slices.Equal(n.lines, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, n.lines, c.want)
		}
	}
}

// The memory of a call that has returned is used again, and not that of one that pends.
func TestCallsAreUsedAgain(t *testing.T) {
	r := NewReader(&notebook{})
	e, end := call("1", "NdkGetCqResults", trace.Event{Cq: "q"}), ret("1", "NdkGetCqResults", trace.Event{})
	r.Read(&e)
	first := r.underWay.Find("1")
	r.Read(&end)
	r.Read(&e)
	if r.underWay.Find("1") != first || len(r.spare) != 0 {
		t.Error("the call was not used again")
	}
}
