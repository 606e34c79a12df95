package synthetic

import (
	"fmt"
	"strconv"

	"ndkoracle/trace"
)

// consumer is a thread with a completion queue and its queue pairs, and the callbacks of that queue.
type consumer struct {
	*generator
	cq               string
	thread, callback string
	pairs            []*pair
	yield            func(trace.Event) bool
	gone             bool // the caller wants no more events
}

// pair is two connected queue pairs: one sends, the other receives.
type pair struct {
	sender, receiver queue
}

// queue is a queue pair with what is outstanding in it, oldest first: completions of one queue pair come in this order.
type queue struct {
	qp          string
	receives    bool
	outstanding []string
}

const length = int64(4096)

func newConsumer(g *generator, number int) *consumer {
	c := &consumer{generator: g, cq: fmt.Sprintf("cq%d", number), thread: fmt.Sprintf("thread%d", number),
		callback: fmt.Sprintf("callback%d", number)}
	for i := range g.Pairs {
		c.pairs = append(c.pairs, &pair{
			sender:   queue{qp: fmt.Sprintf("qp%d.%d", number, 2*i+1)},
			receiver: queue{qp: fmt.Sprintf("qp%d.%d", number, 2*i+2), receives: true},
		})
	}
	return c
}

// run is the consumer's program: each round posts, arms, sleeps until the callback, and polls until nothing is left.
func (c *consumer) run(yield func(trace.Event) bool) {
	c.yield = yield
	c.create()
	for c.seq < c.Events && !c.gone {
		c.round()
	}
}

func (c *consumer) step(e trace.Event) {
	if !c.gone {
		c.gone = !c.yield(e)
	}
}

func (c *consumer) both(thread string, call, ret trace.Event) {
	c.ops++
	call.Thr, call.Ph, call.Op = thread, trace.Call, strconv.FormatUint(c.ops, 10)
	ret.Thr, ret.Ph, ret.Op, ret.Fn = thread, trace.Ret, call.Op, call.Fn
	c.step(call)
	c.step(ret)
}

var success = trace.Event{Status: "STATUS_SUCCESS"}

func (c *consumer) create() {
	qpDepth := int64(c.Depth)
	cqDepth := qpDepth * 2 * int64(c.Pairs)
	inline := int64(0)
	c.both(c.thread, trace.Event{Fn: "NdkCreateCq", Cq: c.cq, Depth: &cqDepth}, success)
	for i, p := range c.pairs {
		for _, qp := range []string{p.sender.qp, p.receiver.qp} {
			c.both(c.thread, trace.Event{Fn: "NdkCreateQp", Qp: qp, ReceiveCq: c.cq, InitiatorCq: c.cq, ReceiveDepth: &qpDepth,
				InitiatorDepth: &qpDepth, Inline: &inline}, success)
		}
		conn := fmt.Sprintf("%s.%d", c.cq, i+1)
		c.both(c.thread, trace.Event{Fn: "NdkAccept", Qp: p.receiver.qp, Conn: conn}, success)
		c.both(c.thread, trace.Event{Fn: "NdkConnect", Qp: p.sender.qp, Conn: conn}, success)
	}
}

// round leaves nothing outstanding, and no arm.
func (c *consumer) round() {
	solicited := c.random.IntN(4) == 0
	arm := trace.Event{Fn: "NdkArmCq", Cq: c.cq, Type: "ANY"}
	if solicited {
		arm.Type = "SOLICITED"
	}
	before := c.random.IntN(2) == 0
	if before {
		c.both(c.thread, arm, trace.Event{})
	}
	for _, p := range c.pairs {
		for range 1 + c.random.IntN(c.Depth) {
			c.post(&p.receiver, trace.Event{Fn: "NdkReceive"})
			send := trace.Event{Fn: "NdkSend"}
			if solicited {
				send.Flags = []string{"SEND_AND_SOLICIT_EVENT"}
			}
			c.post(&p.sender, send)
		}
	}
	if !before {
		c.both(c.thread, arm, trace.Event{})
	}
	c.notify()
	for c.random.IntN(4) > 0 && c.outstanding() {
		c.poll(c.thread, nil)
	}
	for c.outstanding() {
		c.poll(c.thread, nil)
	}
	c.poll(c.thread, nil)
}

func (c *consumer) post(q *queue, call trace.Event) {
	c.posts++
	size := length
	call.Qp, call.Wr, call.Bytes = q.qp, "w"+strconv.FormatUint(c.posts, 10), &size
	q.outstanding = append(q.outstanding, call.Wr)
	c.both(c.thread, call, success)
}

// notify is the callback, which polls. A receive is first in the queue then: it satisfies every arm.
func (c *consumer) notify() {
	c.ops++
	op := strconv.FormatUint(c.ops, 10)
	fn := "NdkCqNotificationCallback"
	c.step(trace.Event{Thr: c.callback, Ph: trace.Enter, Op: op, Fn: fn, Cq: c.cq, Status: "STATUS_SUCCESS"})
	c.poll(c.callback, &c.pairs[c.random.IntN(len(c.pairs))].receiver)
	if c.random.IntN(2) == 0 {
		c.poll(c.callback, nil)
	}
	c.step(trace.Event{Thr: c.callback, Ph: trace.Exit, Op: op, Fn: fn})
}

// poll delivers the oldest of first, if any, and of other queues as many as it pleases, if there is room.
func (c *consumer) poll(thread string, first *queue) {
	room := int64(1 + c.random.IntN(8))
	results := []trace.Result{}
	if first != nil {
		results = append(results, first.complete())
	}
	for range c.random.IntN(int(room) + 1) {
		if q := c.busy(); q != nil && len(results) < int(room) {
			results = append(results, q.complete())
		}
	}
	c.both(thread, trace.Event{Fn: "NdkGetCqResults", Cq: c.cq, N: &room}, trace.Event{Results: results})
}

// complete is the oldest outstanding request's completion.
func (q *queue) complete() trace.Result {
	wr := q.outstanding[0]
	q.outstanding = q.outstanding[:copy(q.outstanding, q.outstanding[1:])]
	result := trace.Result{Wr: wr, Qp: q.qp, Status: "STATUS_SUCCESS"}
	if q.receives {
		size := length
		result.Bytes = &size
	}
	return result
}

// busy is a queue with outstanding requests, chosen at random, or nil.
func (c *consumer) busy() *queue {
	start := c.random.IntN(len(c.pairs))
	for i := range c.pairs {
		p := c.pairs[(start+i)%len(c.pairs)]
		queues := [...]*queue{&p.sender, &p.receiver}
		side := c.random.IntN(2)
		for _, q := range []*queue{queues[side], queues[1-side]} {
			if len(q.outstanding) > 0 {
				return q
			}
		}
	}
	return nil
}

func (c *consumer) outstanding() bool { return c.busy() != nil }
