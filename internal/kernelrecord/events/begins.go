package events

import (
	"slices"
	"strconv"

	"ndkoracle/trace"
)

// fillBegin fills in what a call was given, and reports whether it is of an object that is recorded.
func (c *Converter) fillBegin(r *Record, call *call, e *trace.Event) bool {
	switch r.Kind {
	case CreateCq:
		q := &cq{id: c.newId(0, "cq")}
		c.cqs[r.Object] = q
		c.report.Cqs++
		e.Cq, e.Depth = q.id, pointer(int64(uint32(r.Args[0])))
	case DestroyCq, PollCq, ReqNotifyCq, CompHandler:
		q := c.cqs[r.Object]
		if q == nil {
			return false
		}
		e.Cq = q.id
		c.fillCq(r, q, e)
	case CreateQp:
		return c.createQp(r, e)
	case ModifyQp, DestroyQp, PostSend, PostRecv:
		q := c.qps[r.Object]
		if q == nil {
			return false
		}
		e.Qp = q.id
		return c.fillQp(r, call, q, e)
	case CreateSrq:
		q := &srq{id: c.newId(2, "srq")}
		c.srqs[r.Object] = q
		e.Srq = q.id
	case DestroySrq, PostSrqRecv:
		q := c.srqs[r.Object]
		if q == nil {
			return false
		}
		e.Srq = q.id
		if r.Kind == PostSrqRecv {
			c.post(r, call, &q.receives, true, e)
		}
	default: // of DeregMr only the end matters
		return false
	}
	return true
}

func (c *Converter) fillCq(r *Record, q *cq, e *trace.Event) {
	switch r.Kind {
	case PollCq:
		e.N = pointer(min(max(r.Value, 0), 1<<31))
	case ReqNotifyCq:
		solicited := r.Value&notifyMask == notifySolicited
		e.SolicitedOnly = &solicited
		if c.options.Handlers != nil && !c.options.Handlers[r.Args[1]] && !q.silent {
			q.silent = true // each of its callbacks is missing
			c.report.Dropped++
			if !slices.Contains(c.report.Unheard, r.Args[1]) {
				c.report.Unheard = append(c.report.Unheard, r.Args[1])
			}
		}
	}
}

// createQp handles the creation of a queue pair. One whose completion queues were not seen is left out, as nothing of it can be judged.
func (c *Converter) createQp(r *Record, e *trace.Event) bool {
	delete(c.qps, r.Object)
	send, receive := c.cqs[r.Args[0]], c.cqs[r.Args[1]]
	shared := c.srqs[r.Args[2]]
	if send == nil && receive == nil && shared == nil {
		c.report.OlderQps++
		return false
	}
	if send == nil || receive == nil || shared == nil && r.Args[2] != 0 {
		c.report.PartlyQps++
		c.report.Dropped++
		return false
	}
	q := &qp{id: c.newId(1, "qp"), shared: shared, signalAll: uint8(r.Args[4]>>32) == 0, kind: uint32(r.Args[4]>>40) & 0xFF}
	c.qps[r.Object] = q
	c.report.Qps++
	e.Qp, e.InitiatorCq, e.ReceiveCq = q.id, send.id, receive.id
	e.QpType, e.SqSigAll = number(q.kind), &q.signalAll
	limits(r, e)
	if shared != nil {
		e.Srq = shared.id
	}
	return true
}

// limits fills in the limits of a queue pair, those that were asked for or those that were granted.
func limits(r *Record, e *trace.Event) {
	e.InitiatorDepth, e.ReceiveDepth = pointer(int64(uint32(r.Args[3]))), pointer(int64(r.Args[3]>>32))
	e.Inline = pointer(int64(uint32(r.Args[4])))
}

func (c *Converter) fillQp(r *Record, call *call, q *qp, e *trace.Event) bool {
	switch r.Kind {
	case ModifyQp:
		if r.Value&changesState == 0 {
			return false // the format has no name for it
		}
		e.State = number(uint32(r.Args[0]))
		if q.kind != typeUd && q.kind != typeRaw {
			e.Conn = connection(q.number, &r.Args)
		}
	case PostSend:
		c.post(r, call, &q.sends, q.signalAll, e)
	case PostRecv:
		c.post(r, call, &q.receives, true, e)
	}
	return true
}

// post puts the requests of a post into their queue. They may complete before the post returns.
func (c *Converter) post(r *Record, call *call, queue *workQueue, allSignaled bool, e *trace.Event) {
	e.Wrs = make([]trace.WorkRequest, 0, len(r.Items))
	for i := range r.Items {
		item := &r.Items[i]
		c.wr++
		w := trace.WorkRequest{Wr: "w" + strconv.FormatUint(c.wr, 10)}
		if item.Bytes != unknown {
			w.Bytes = pointer(int64(item.Bytes & (1<<62 - 1)))
		}
		if r.Kind == PostSend {
			c.fillRequest(item, &w)
		}
		e.Wrs = append(e.Wrs, w)
		call.wrs, call.places = append(call.wrs, w.Wr), append(call.places, item.Place)
		queue.requests = append(queue.requests, request{w.Wr, item.Id, item.Place, allSignaled || item.Flags&sendSignaled != 0})
	}
}

// fillRequest fills in what a request of a send queue has beside its buffers.
func (c *Converter) fillRequest(item *Item, w *trace.WorkRequest) {
	w.Opcode, w.Flags = wrOpcode(item.Opcode), flagNames(item.Flags)
	switch item.Opcode {
	case wrLocalInv, wrSendWithInv, wrReadWithInv, wrRegMr, wrRegMrInt:
		key := item.Key // of its own: the item is used again
		w.Token = &key
	}
	switch item.Opcode {
	case wrRegMr, wrRegMrInt:
		if item.Mr == 0 {
			return
		}
		id, known := c.mrs[item.Mr]
		if !known {
			id = c.newId(3, "mr")
			c.mrs[item.Mr] = id
		}
		w.Mr = id
	}
}
